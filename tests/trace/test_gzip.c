/* Logs that are compressed, as files hold them. */
#include "log_bytes.h"

enum { ROOM = 1 << 17, ROWS = 20000 };

static const char rows[] = "data_time,iter_time\n0.5,0.6\n0.05,0.15\n0.1,0.2\n";

static enum dlq_status read_packed(const unsigned char *bytes, size_t size, long skip_bad, double *iterations,
                                   struct dlq_error *error)
{
    struct dlq_trace *trace = new_trace(skip_bad);
    enum dlq_status status = add_bytes(trace, "a.csv.gz", bytes, size, error);
    *iterations = trace->rank_count > 0 ? (double)trace->ranks[0].iterations : 0;
    dlq_trace_free(trace);
    return status;
}

static void members(void)
{
    unsigned char *packed = malloc(ROOM);
    double iterations;
    size_t size = pack(rows, sizeof rows - 1, packed, 0, ROOM);
    CHECK_INT(read_packed(packed, size, 0, &iterations, NULL), DLQ_OK);
    CHECK_REL(iterations, 3, 0);
    size = pack("0.2,0.3\n0.", 10, packed, size, ROOM);
    size = pack("2,0.3\n", 6, packed, size, ROOM);
    CHECK_INT(read_packed(packed, size, 0, &iterations, NULL), DLQ_OK);
    CHECK_REL(iterations, 5, 0);
    free(packed);
}

/* More than any buffer, so that the damage is found while records come. */
static size_t pack_much(unsigned char *packed)
{
    char *text = malloc(40 * ROWS);
    size_t length = (size_t)sprintf(text, "iter_time\n");
    for (int i = 0; i < ROWS; i++)
        length += (size_t)sprintf(text + length, "0.%d\n", i * 7919 % 99991 + 1);
    size_t size = pack(text, length, packed, 0, ROOM);
    free(text);
    return size;
}

static void cut_and_damaged(void)
{
    unsigned char *packed = malloc(ROOM);
    size_t size = pack_much(packed);
    double iterations;
    struct dlq_error error = {0};
    CHECK_INT(read_packed(packed, size, 0, &iterations, &error), DLQ_OK);
    CHECK_REL(iterations, ROWS, 0);
    static const size_t cuts[] = {3, 11, 100, 20000};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        error = (struct dlq_error){0};
        CHECK_INT(read_packed(packed, cuts[i], 1000, &iterations, &error), DLQ_FAILURE);
        CHECK_TEXT(error.text, "cannot read a.csv.gz: the compressed data end too early");
        CHECK_REL(iterations, 0, 0);
    }
    error = (struct dlq_error){0};
    CHECK_INT(read_packed(packed, size - 1, 0, &iterations, &error), DLQ_FAILURE);
    CHECK_TEXT(error.text, "cannot read a.csv.gz: the compressed data end too early");
    packed[size - 5] ^= 1; /* of the length at the end */
    packed[size - 8] ^= 1; /* of the checksum */
    error = (struct dlq_error){0};
    CHECK_INT(read_packed(packed, size, 0, &iterations, &error), DLQ_FAILURE);
    CHECK_TEXT(error.text, "cannot read a.csv.gz: the compressed data are damaged");
    memset(packed + 20000, 0xFF, 200);
    error = (struct dlq_error){0};
    CHECK_INT(read_packed(packed, size, 1L << 40, &iterations, &error), DLQ_FAILURE);
    CHECK(strncmp(error.text, "cannot read a.csv.gz: the compressed data ", 42) == 0, "%s", error.text);
    free(packed);
}

static void something_behind(void)
{
    unsigned char *packed = malloc(ROOM);
    size_t size = pack(rows, sizeof rows - 1, packed, 0, ROOM);
    struct dlq_error error = {0};
    double iterations;
    memcpy(packed + size, rows, 8);
    CHECK_INT(read_packed(packed, size + 8, 0, &iterations, &error), DLQ_FAILURE);
    CHECK_TEXT(error.text, "cannot read a.csv.gz: something else follows the compressed data");
    free(packed);
}

/* What is malformed within says so with the line of the text. */
static void bad_lines_within(void)
{
    static const char bad[] = "data_time,iter_time\n0.5,0.6\nnan,1\n";
    unsigned char *packed = malloc(ROOM);
    size_t size = pack(bad, sizeof bad - 1, packed, 0, ROOM);
    struct dlq_error error = {0};
    double iterations;
    CHECK_INT(read_packed(packed, size, 0, &iterations, &error), DLQ_INVALID);
    CHECK_TEXT(error.text, "a.csv.gz:3: column data_time: 'nan' is not a time (expected e.g. 700ms, 2s)");
    size = pack("", 0, packed, 0, ROOM);
    error = (struct dlq_error){0};
    CHECK_INT(read_packed(packed, size, 0, &iterations, &error), DLQ_INVALID);
    CHECK_TEXT(error.text, "a.csv.gz: the log is empty");
    free(packed);
}

static const struct test_case cases[] = {
    {"members", members},
    {"cut and damaged", cut_and_damaged},
    {"something behind", something_behind},
    {"bad lines within", bad_lines_within},
    {NULL, NULL},
};

const struct test_suite suite_gzip = {"gzip", cases};
