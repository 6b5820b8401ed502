/* Models: configurations that are read, changed, checked and described. A function that computes checks the model
   first. Failures add lines to *error, which may be null. */
#pragma once

#include "dlqueue/bounds.h"
#include "dlqueue/error.h"
#include "dlqueue/simulate.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

DLQ_DECLARATIONS_BEGIN

struct dlq_model; /* opaque; the caller frees a model with dlq_model_free */

/* Reads a new model from an INI text (at most 1 MiB). name: path of the file, for messages, for the model's name and
   for relative paths in the file. DLQ_INVALID: some lines are wrong, and *error has a line for each; *model has the
   other lines, so that dlq_model_check can report more errors. *model is null only if there is no memory. */
enum dlq_status dlq_model_read(struct dlq_model **model, const char *name, FILE *stream, struct dlq_error *error);
/* Creates an empty model, to be filled by dlq_model_set. DLQ_FAILURE: no memory. */
enum dlq_status dlq_model_new(struct dlq_model **model, struct dlq_error *error);

/* Sets "section.key" (the key follows the last dot) and overrides earlier values; the value is checked like a line of a
   file. DLQ_INVALID: refused, and the model is unchanged. */
enum dlq_status dlq_model_set(struct dlq_model *model, const char *path, const char *value, struct dlq_error *error);
/* As dlq_model_set; messages name the `origin` ("--set #2", "--loaders"). A refused value is remembered:
   dlq_model_check then fails, without reporting the key as missing. */
enum dlq_status dlq_model_set_from(struct dlq_model *model, const char *origin, const char *path, const char *value,
                                   struct dlq_error *error);

/* Gives the model n measured times (s), which it copies, as a column of a file: where the keys `file` and `column` have
   these values, the model uses these times and reads no file. DLQ_FAILURE: no memory. */
enum dlq_status dlq_model_set_times(struct dlq_model *model, const char *file, const char *column, const double *times,
                                    size_t n, struct dlq_error *error);

/* Checks the model as a whole. DLQ_INVALID: each error is a line. */
enum dlq_status dlq_model_check(struct dlq_model *model, struct dlq_error *error);
void dlq_model_free(struct dlq_model *model);

/* A checked model with its defaults. Times in s; the model owns the texts. */
struct dlq_description {
    const char *name;          /* [pipeline] name, or the name of the file */
    const char *loader;        /* name in dlq_loaders */
    const char *prefetch_name; /* the loader's own name of prefetch; null: no prefetch */
    long loaders, prefetch;    /* prefetch 0: none */
    long window;               /* batches; -1: unbounded */
    long in_flight;            /* `window`, + 1 for release at request, + prefetch for a relay; -1: unbounded */
    long ranks, batch_size;
    bool has_batch_size;
    long epoch_batches; /* 0: endless */
    long slow_loaders, slow_ranks;
    uint64_t seed;
    double load_ratio; /* mean load / (loaders * mean step); NAN where loaders or the mean step is 0 */
    double load_mean, load_cv, step_mean, step_cv;
    char load_text[160], step_text[160]; /* "lognormal, cv 0.3", "256 samples of 5.4 ms", ... */
    char other_text[320];         /* other settings: "overheads: receive 3.4ms · host: bandwidth 2.62GB/s", or "" */
    double cores, ranks_per_host; /* of the host; NAN: not given */
    double precision, horizon;    /* half-width / throughput to reach; simulated time, s; NAN: none */
};

enum dlq_status dlq_model_describe(struct dlq_model *model, struct dlq_description *description,
                                   struct dlq_error *error);

/* The section [plot]. The model owns the text. */
enum { DLQ_PNG = 1, DLQ_SVG = 2, DLQ_PDF = 4 };
struct dlq_plot_options {
    const char *directory;
    unsigned formats;  /* set of DLQ_PNG, DLQ_SVG, DLQ_PDF */
    int width, height; /* pixels */
    bool on_paper;     /* 300 pixels an inch, letters of 7 points */
};
enum dlq_status dlq_model_plot(struct dlq_model *model, struct dlq_plot_options *options, struct dlq_error *error);

/* One row of the complete configuration. The model owns section and key; help is static. */
struct dlq_setting {
    const char *section, *key, *help;
    char value[512];  /* "": none */
    char origin[320]; /* "configs/a.ini:3", "default", "--set #1" */
    bool given;       /* not a default */
};
/* Sets *setting to row 0, 1, ... False: no more rows. */
bool dlq_model_setting(const struct dlq_model *model, size_t index, struct dlq_setting *setting);

/* An option of configurations, for help texts and manuals. All texts are static. */
struct dlq_option_help {
    const char *section, *section_help, *key;
    const char *default_value; /* null: none */
    const char *help;
    const char *const *words; /* the words that may be given, null-terminated; or null */
    const char *kind;         /* what a user writes: "time", "whole number", "text", "word", "list", "yes or no" */
    bool range;               /* several values: 1..32, or a list */
    bool in_named_sections;   /* [SECTION.NAME] has the option, too */
    char least[64], most[64]; /* inclusive limits as texts; "": none */
};
/* Sets *help to option 0, 1, ... False: no more options. */
bool dlq_option_help(size_t index, struct dlq_option_help *help);

/* Compute what bounds.h describes. DLQ_INVALID: the model is not valid; DLQ_FAILURE: no memory. */
enum dlq_status dlq_bounds(struct dlq_model *model, struct dlq_bounds *bounds, struct dlq_error *error);
enum dlq_status dlq_closed_forms(struct dlq_model *model, struct dlq_closed_forms *forms, struct dlq_error *error);
/* Simulates the model and computes no bounds; see simulate.h. */
enum dlq_status dlq_simulate(struct dlq_model *model, const struct dlq_run *run, struct dlq_simulation *result,
                             struct dlq_error *error);

DLQ_DECLARATIONS_END
