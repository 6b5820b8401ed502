/* What a load or a step consists of: stages in sequence, each with its own law. */
#ifndef DLQ_MODEL_LOAD_H
#define DLQ_MODEL_LOAD_H

#include "base/option.h"
#include "dist/dist.h"

enum { DLQ_MOST_STAGES = 16 };

enum dlq_uses { DLQ_USES_NOTHING, DLQ_USES_CPU, DLQ_USES_STORAGE };

struct dlq_stage {
    char name[64];      /* "" for a plain [load] */
    bool per_sample;    /* the sum over batch_size independent draws */
    double probability; /* share of units that have the stage */
    enum dlq_uses uses;
    double stream_rate; /* bytes/s of one loader at full speed; of storage stages; > 0 */
    double bytes;       /* per batch; of storage stages; 0: unknown */
    const struct dlq_family *family;
    struct dlq_parameters parameters;
    struct dlq_dist dist; /* of one unit */
    struct dlq_dist unit; /* the same in units of the work's mean: kept, to the bit, when the mean is set */
};

/* A plain value: nothing to free (empirical data belong to whoever read them). */
struct dlq_work {
    size_t count;
    struct dlq_stage stages[DLQ_MOST_STAGES];
    long batch_size;
    double mean, variance; /* of the whole, s and s^2; variance may be infinite */
};

/* The sections [load], [load.NAME] and [step], [step.NAME]. */
extern const struct dlq_section dlq_load_section, dlq_step_section;

/* Files of measured times that a work refers to; owned here. */
struct dlq_data {
    struct dlq_empirical **files;
    size_t count;
};

/* Builds the work of `section` from checked entries: all stages in the order in which they appear. base_directory:
   what paths of empirical files are relative to. Adds every error, with its place. */
enum dlq_status dlq_work_read(struct dlq_work *work, const struct dlq_section *section,
                              const struct dlq_entries *entries, long batch_size, const char *base_directory,
                              struct dlq_data *data, struct dlq_error *error);
void dlq_data_free(struct dlq_data *data);

/* Draws scale with the mean: all stages by the same factor, so that the mean becomes `mean` (> 0, or 0 for a step). */
void dlq_work_set_mean(struct dlq_work *work, double mean);
/* Of a single stage whose family takes a cv: gives its unit that cv, at the same mean. false: why. */
bool dlq_work_set_cv(struct dlq_work *work, double cv, char *why, size_t size);
/* Every stage constant at its mean (the loss named `variance`). */
void dlq_work_make_constant(struct dlq_work *work);

/* Recomputes mean and variance from the stages. */
void dlq_work_refresh(struct dlq_work *work);
/* Do they differ in their means alone, so that they can share draws? */
bool dlq_work_same_shape(const struct dlq_work *a, const struct dlq_work *b);
double dlq_work_cv(const struct dlq_work *work); /* 0 where the mean is 0 */
bool dlq_work_is_constant(const struct dlq_work *work);
bool dlq_work_is_exponential(const struct dlq_work *work); /* in one stage, which every batch has */
/* Mean seconds per batch in stages of that use; bytes read per batch. */
double dlq_work_time(const struct dlq_work *work, enum dlq_uses uses);
double dlq_work_bytes(const struct dlq_work *work);
/* The parts of its law, stages that use cpu and storage slowed by these factors (>= 1): at most DLQ_MOST_STAGES rows. A
   work of mean 0 has none: returns 0. */
size_t dlq_work_parts(const struct dlq_work *work, double cpu_factor, double storage_factor, struct dlq_part *parts);

#endif
