/* Models: configurations, read and checked. */
#ifndef DLQUEUE_MODEL_H
#define DLQUEUE_MODEL_H

#include "dlqueue/bounds.h"
#include "dlqueue/error.h"
#include "dlqueue/simulate.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dlq_model; /* opaque; owned by the caller, freed with dlq_model_free */

/* A new model from an INI text (at most 1 MiB); `name` is the file's, for messages, for the model's name and for
   relative paths in it. Every line that is wrong is a line of *error, and what is right is kept: *model is set even
   then (null on lack of memory alone), so that dlq_model_check can report the rest. */
enum dlq_status dlq_model_read(struct dlq_model **model, const char *name, FILE *stream, struct dlq_error *error);
/* An empty one, to be filled by dlq_model_set. */
enum dlq_status dlq_model_new(struct dlq_model **model, struct dlq_error *error);

/* Sets "section.key" (the key follows the last dot), overriding what was read; same checks as the file. What is refused
   leaves the model as it was. */
enum dlq_status dlq_model_set(struct dlq_model *model, const char *path, const char *value, struct dlq_error *error);
/* The same, said to come from `origin` in messages ("--set #2", "--loaders"). What is refused is kept as such: no check
   takes it for missing, and none succeeds. */
enum dlq_status dlq_model_set_from(struct dlq_model *model, const char *origin, const char *path, const char *value,
                                   struct dlq_error *error);

/* Cross-checks; every error is a line. The functions that compute call it themselves. */
enum dlq_status dlq_model_check(struct dlq_model *model, struct dlq_error *error);
void dlq_model_free(struct dlq_model *model);

/* What a checked model says, defaults filled in. Times in s; texts belong to the model. */
struct dlq_description {
    const char *name;          /* [pipeline] name, or the file's */
    const char *loader;        /* row of dlq_loaders */
    const char *prefetch_name; /* what the loader calls it; null: it has none */
    long loaders, prefetch;    /* prefetch 0: none */
    long window;               /* -1: unbounded */
    long in_flight;            /* batches of a rank at most, as credits return; -1: unbounded */
    long ranks, batch_size;
    bool has_batch_size;
    long epoch_batches; /* 0: endless */
    long slow_loaders, slow_ranks;
    uint64_t seed;
    double load_ratio; /* s / (N t); NAN where N or t is 0 */
    double load_mean, load_cv, step_mean, step_cv;
    char load_text[160], step_text[160]; /* "lognormal, cv 0.3", "256 samples of 5.4 ms", ... */
    char rest_text[320]; /* what else is given: "overheads: receive 3.4ms · host: bandwidth 2.62GB/s", or "" */
    double cores, ranks_per_host; /* of the host; NAN: not given */
    double precision, horizon;    /* NAN: none */
};

enum dlq_status dlq_model_describe(struct dlq_model *model, struct dlq_description *description,
                                   struct dlq_error *error);

/* [plot]. Formats as bits in the order png, svg, pdf. */
enum { DLQ_PNG = 1, DLQ_SVG = 2, DLQ_PDF = 4 };
struct dlq_plot_options {
    const char *directory;
    unsigned formats;
    int width, height; /* pixels */
    bool on_paper;     /* 300 pixels an inch, letters of 7 points */
};
enum dlq_status dlq_model_plot(struct dlq_model *model, struct dlq_plot_options *options, struct dlq_error *error);

/* The complete configuration, row by row, as `check` prints it: index 0, 1, ... until false. */
struct dlq_setting {
    const char *section, *key, *help;
    char value[512];  /* "" where there is none */
    char origin[320]; /* "configs/a.ini:3", "default", "--set #1" */
    bool given;
};
bool dlq_model_setting(const struct dlq_model *model, size_t index, struct dlq_setting *setting);

/* The options that exist: for help texts and manuals. Index 0, 1, ... until false; `standard` null: none; `words` null,
   or the words that may be given, null-terminated. */
struct dlq_option_help {
    const char *section, *section_help, *key, *standard, *help;
    const char *const *words;
    const char *kind;         /* what is written: "time", "whole number", "text", "word", "list", "yes or no" */
    bool range;               /* several of them: 1..32, or a list */
    bool named;               /* also of [SECTION.NAME] */
    char least[64], most[64]; /* limits, as they are written, both included; "" where there is none */
};
bool dlq_option_help(size_t index, struct dlq_option_help *help);

/* All closed forms; see bounds.h. */
enum dlq_status dlq_bounds(struct dlq_model *model, struct dlq_bounds *bounds, struct dlq_error *error);
enum dlq_status dlq_closed_forms(struct dlq_model *model, struct dlq_closed_forms *forms, struct dlq_error *error);
/* Simulation alone; see simulate.h. */
enum dlq_status dlq_simulate(struct dlq_model *model, const struct dlq_run *run, struct dlq_simulation *result,
                             struct dlq_error *error);

#ifdef __cplusplus
}
#endif

#endif
