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

/* As torchvision's references print. */
static void write_text(FILE *stream, long row)
{
    fprintf(stream,
            "Epoch: [%ld]  [%5ld/5000]  eta: 1:02:30  lr: 0.000200  loss: 5.1234 (5.4321)  time: %.4f  data: %.4f  max "
            "mem: "
            "3211\n",
            row / 500, row % 500 * 10, 0.12 + 0.001 * (double)(row % 7), 0.01 + 0.001 * (double)(row % 5));
}

/* As torch.profiler writes: a thousand operators and kernels for each batch. An array that is never closed is one. */
static void begin_chrome(FILE *stream)
{
    fputs("[\n", stream);
}

static void write_chrome(FILE *stream, long row)
{
    enum { OPERATORS = 1000 };
    if (row % OPERATORS == 0)
        fprintf(
            stream,
            "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": "
            "\"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__\", \"pid\": 7, \"tid\": 7, \"ts\": %ld, "
            "\"dur\": %d},\n",
            row * 120, row % 3 == 0 ? 30000 : 200);
    else
        fprintf(
            stream,
            "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::convolution_backward\", \"pid\": 7, \"tid\": 8, "
            "\"ts\": %ld, \"dur\": 87, \"args\": {\"External id\": %ld, \"Ev Idx\": %ld, \"Input Dims\": \"[[256, 64, "
            "56, 56], [64, 64, 3, 3]]\", \"Sequence number\": %ld}},\n",
            row * 120 + 40, row, row, row);
}

static const struct bench_log_case csv = {begin_csv, write_csv};
static const struct bench_log_case text = {NULL, write_text};
static const struct bench_log_case chrome = {begin_chrome, write_chrome};

#define LOG(CASE)                                                                                                      \
    .unit = "byte", .subject.kind = &bench_read_log, .subject.setup.detail = &(CASE),                                  \
    .yardstick.name = "memchr of newlines", .yardstick.kind = &bench_newlines, .yardstick.setup.detail = &(CASE)

static const struct bench_row rows[] = {
    {"CSV", LOG(csv)},
    {"torchvision", LOG(text)},
    {"Chrome trace", LOG(chrome)},
};

const struct bench_group bench_logs = {"logs", "a byte of a measured log that is read", false, rows,
                                       sizeof rows / sizeof *rows};
