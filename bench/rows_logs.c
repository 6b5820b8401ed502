#include "groups.h"
#include "logs.h"

/* As a probe of the loader writes them: 11 columns, 6 places. */
static void begin_csv(FILE *stream)
{
    fputs("epoch,index,worker,nominal_load,dispatched,load_start,load_end,request,received,step_end,data_wait\n",
          stream);
}

static void write_csv(FILE *stream, long row)
{
    double load = 0.05 + (double)(row * 7919 % 10007) / 10007;
    double wait = row % 3 == 0 ? 0.03 : 0.0002;
    double request = 0.12 * (double)row;
    fprintf(stream, "%ld,%ld,%ld,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", row / 5000, row % 5000, row % 8, load,
            request - 0.5, request - 0.45, request - 0.45 + load, request, request + wait, request + wait + 0.08, wait);
}

static const struct bench_log_case csv = {begin_csv, write_csv};

#define LOG(CASE)                                                                                                      \
    .unit = "byte", .subject.kind = &bench_read_log, .subject.setup.detail = &(CASE),                                  \
    .yardstick.name = "memchr of newlines", .yardstick.kind = &bench_newlines, .yardstick.setup.detail = &(CASE)

static const struct bench_row rows[] = {
    {"CSV", LOG(csv)},
};

const struct bench_group bench_logs = {"logs", "a byte of a measured log that is read", false, rows,
                                       sizeof rows / sizeof *rows};
