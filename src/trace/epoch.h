/* The times of an epoch as DLIO writes them: arrays of load, proc and compute, by block, told batch by batch. */
#ifndef DLQ_TRACE_EPOCH_H
#define DLQ_TRACE_EPOCH_H

#include "trace/format.h"

enum { DLQ_EPOCH_NUMBERS = 4000000, DLQ_EPOCH_ARRAYS = 4096, DLQ_BLOCK_SIZE = 24 };

enum dlq_section { DLQ_SECTION_LOAD, DLQ_SECTION_PROC, DLQ_SECTION_COMPUTE, DLQ_SECTIONS };

struct dlq_times {
    enum dlq_section section;
    char block[DLQ_BLOCK_SIZE]; /* "" where the section is a list itself, as of old versions */
    size_t begin, count;        /* in numbers */
    long line, last_line;       /* of its first number and its last */
};

/* Begin with zeros. */
struct dlq_epoch {
    long number, index; /* of the epoch; of the next batch */
    struct dlq_times *arrays;
    size_t array_count;
    double *numbers;
    size_t count, capacity;
    size_t told_array, told;                /* what has become of arrays: whole ones, and batches of the one at hand */
    const struct dlq_times *proc, *compute; /* that belong to it; null: none */
};

void dlq_epoch_free(struct dlq_epoch *epoch);
/* Another array (at most DLQ_EPOCH_ARRAYS; the caller sees to it). False: no memory. */
bool dlq_epoch_array(struct dlq_epoch *epoch, enum dlq_section section, const char *block);
/* A number of the last array, in s, NAN where what stood there is none; at most DLQ_EPOCH_NUMBERS, likewise. */
bool dlq_epoch_add(struct dlq_epoch *epoch, double value, long line);
/* The next batch of what was added; END: no more, and the epoch is empty again. */
enum dlq_taken dlq_epoch_tell(struct dlq_epoch *epoch, struct dlq_log *log, struct dlq_record *record);

#endif
