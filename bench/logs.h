/* Logs that are read: what is written to a temporary file first. */
#pragma once

#include <stdio.h>

struct bench_log_case {
    void (*begin)(FILE *stream);         /* what comes before the rows; null: nothing */
    void (*row)(FILE *stream, long row); /* 0, 1, ... */
};
