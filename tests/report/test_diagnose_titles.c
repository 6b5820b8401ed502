/* The titles of a diagnosis's charts: each is said of a log where it is true, and of no other. */
#include "dlqueue/diagnose.h"
#include "report/pictures/pictures.h"
#include "slots.h"

enum { LENGTH = 400, RANKS = 6 };

/* -- logs -- */

/* What a log is made of: the wait of rank r before step i, in s. A step takes 0.1 s. */
typedef double wait_of(long r, long i);

/* One that is an expression of r and i. */
#define WAIT(name, wait)                                                                                               \
    static double name(long r, long i)                                                                                 \
    {                                                                                                                  \
        (void)r, (void)i;                                                                                              \
        return (wait);                                                                                                 \
    }

enum made { SINGLES, WAITS_ALONE, WINDOWS, RANKS_TOGETHER };

static void write_log(FILE *out, enum made made, wait_of *wait, long length)
{
    static const char *const headers[] = {"index,data_time,iter_time", "index,data_time", NULL,
                                          "rank,index,data_time,iter_time"};
    if (headers[made] != NULL)
        fprintf(out, "%s\n", headers[made]);
    for (long i = 0; i < length; i++) {
        double longest = 0;
        for (long r = 0; r < RANKS; r++)
            longest = fmax(longest, wait(r, i));
        if (made == SINGLES)
            fprintf(out, "%ld,%.6f,%.6f\n", i, wait(0, i), 0.1 + wait(0, i));
        if (made == WAITS_ALONE)
            fprintf(out, "%ld,%.6f\n", i, wait(0, i));
        if (made == WINDOWS)
            fprintf(out,
                    "Epoch: [0]  [%5ld/90000]  eta: 1:02:30  lr: 0.000200  loss: 5.1234 (5.4321)  time: %.4f  "
                    "data: %.4f  max mem: 3211\n",
                    20 * i, 0.1 + wait(0, i), wait(0, i));
        for (long r = 0; made == RANKS_TOGETHER && r < RANKS; r++)
            fprintf(out, "%ld,%ld,%.6f,%.6f\n", r, i, wait(r, i), 0.1 + longest);
    }
}

static bool diagnose(enum made made, wait_of *wait, long length, struct dlq_diagnosis *diagnosis)
{
    struct dlq_error error = {0};
    const struct dlq_trace_options options = {0};
    struct dlq_trace *trace = NULL;
    FILE *log = tmpfile();
    write_log(log, made, wait, length);
    rewind(log);
    bool done = dlq_trace_new(&trace, &options, &error) == DLQ_OK &&
                dlq_trace_read(trace, "made.log", log, &error) == DLQ_OK &&
                dlq_diagnose(trace, NULL, diagnosis, &error) == DLQ_OK;
    CHECK(done, "%s", error.text);
    fclose(log);
    dlq_trace_free(trace);
    return done;
}

/* -- charts -- */

struct row {
    enum made made;
    wait_of *wait;
    long length;
    const char *title;
    const char *name, *second; /* of what is drawn, and of the red ones; null: any */
};

/* Every row's title is drawn of its own log, which says that it is of no other. */
static void check_titles(dlq_picture *draw, const struct row *rows, size_t count)
{
    char text[SLOT_TEXT];
    for (size_t i = 0; i < count; i++) {
        struct dlq_diagnosis diagnosis;
        if (!diagnose(rows[i].made, rows[i].wait, rows[i].length, &diagnosis))
            continue;
        const struct dlq_diagnose_subject subject = {&diagnosis, "made"};
        char *script = slots_made(draw, &subject);
        CHECK_TEXT(slot_text(script, "TITLE", text), rows[i].title);
        if (rows[i].name != NULL)
            CHECK_TEXT(slot_text(script, "NAME", text), rows[i].name);
        if (rows[i].second != NULL)
            CHECK_TEXT(slot_text(script, "SNAME", text), rows[i].second);
        free(script);
        dlq_diagnosis_free(&diagnosis);
    }
}

/* -- waits -- */

WAIT(longer, i < LENGTH / 2 ? 0.02 : 0.04)
WAIT(shorter, i < LENGTH / 2 ? 0.04 : 0.02)

/* 12 of LENGTH, without a rhythm, as many in each part of the run. */
static double few(long r, long i)
{
    static const long late[] = {17, 31, 80, 95, 142, 200, 215, 249, 301, 322, 350, 391};
    (void)r;
    for (size_t k = 0; k < sizeof late / sizeof *late; k++)
        if (late[k] == i)
            return 4;
    return 0;
}

WAIT(tiny, 2e-4)
/* 206 of LENGTH, without a rhythm. */
WAIT(half, (i * i * 7 + i * 3) % 101 < 50 ? 0.06 : 0)
WAIT(all, 0.05)
WAIT(in_turns, i % 8 == 0 ? 0.4 : 2e-4)
WAIT(first, i == 0 ? 5 : 0)
/* In turns, and then four times as long. */
WAIT(changed, in_turns(r, i) * (i < LENGTH / 2 ? 1 : 4))

static void titles_of_waits(void)
{
    static const struct row rows[] = {
        {SINGLES, longer, LENGTH, "Waits get longer over the run: from 20 ms to 40 ms", "wait", NULL},
        {SINGLES, shorter, LENGTH, "Waits get shorter over the run: from 40 ms to 20 ms", NULL, NULL},
        /* 12 x 4 of 48 + 40 s */
        {SINGLES, few, LENGTH, "Few long waits take 54.5 % of the time", NULL, "more than a step"},
        /* 0.2 of 100.2 ms */
        {SINGLES, tiny, LENGTH, "Training hardly waits for data: 0.200 % of the time", NULL, NULL},
        {SINGLES, all, LENGTH, "Nearly every iteration waits for data: 33.3 % of the time", NULL, NULL},
        {SINGLES, in_turns, LENGTH, "Training halts in a rhythm of 8 batches, 33.4 % of the time", NULL, NULL},
        /* 9.6 of 29.5 s without the first iteration, and then 40 of 60 s */
        {SINGLES, changed, LENGTH, "From iteration 201 on training waits for data 66.7 % of the time, before it 32.6 %",
         NULL, NULL},
        {SINGLES, first, LENGTH, "Only the starts of epochs wait", NULL, NULL},
        /* 12.36 of 52.36 s */
        {SINGLES, half, LENGTH, "Training waits for data 23.6 % of the time", NULL, NULL},
        {WAITS_ALONE, half, LENGTH, "How long training waits for data", NULL, NULL},
        /* 48 of 87.2 s, and then none; four iterations a point */
        {SINGLES, few, 4000, "From iteration 393 on training waits for data 0 % of the time, before it 55.1 %",
         "longest wait of 4 iterations", NULL},
        {WINDOWS, longer, LENGTH, "Waits get longer over the run: from 20 ms to 40 ms", "mean wait of each window",
         NULL},
    };
    check_titles(dlq_picture_waits, rows, sizeof rows / sizeof *rows);
}

/* -- their distribution -- */

/* As few, but nobody waits for nothing. */
WAIT(few_more, few(r, i) + 3e-4)

/* 12 of 400 wait: the slowest 7, 1.75 %, make no less than half of the wait, and the next value is none of them. */
static void titles_of_shares(void)
{
    static const struct row rows[] = {
        {SINGLES, few, LENGTH, "Half of the batches are there at once; the slowest 1.75 % make half of the time waited",
         NULL, NULL},
        {SINGLES, few_more, LENGTH,
         "Half of the waits are at most 0.3 ms; the slowest 1.75 % make half of the time waited", NULL, NULL},
        {SINGLES, all, LENGTH, "The waits are much alike: half of them are below 50 ms", NULL, NULL},
    };
    check_titles(dlq_picture_shares, rows, sizeof rows / sizeof *rows);
    /* Means of windows are no waits: they have no distribution. */
    struct dlq_diagnosis windows;
    if (!diagnose(WINDOWS, few_more, LENGTH, &windows))
        return;
    CHECK(!dlq_picture_shares_fits(&windows) && windows.share_count == 0, "%zu shares", windows.share_count);
    CHECK(isnan(windows.tail_cost) && isnan(windows.median_over_mean), "a tail of windows: %g", windows.tail_cost);
    dlq_diagnosis_free(&windows);
}

/* -- ranks -- */

WAIT(one_slow, r == 2 ? 0.06 : 0.01)
WAIT(two_slow, r == 2 ? 0.06 : r == 4 ? 0.08 : 0.01)
WAIT(late_in_turns, i % RANKS == r ? 0.1 : 0)
WAIT(alike, 0.01)

static void titles_of_ranks(void)
{
    static const struct row rows[] = {
        {RANKS_TOGETHER, one_slow, 60, "Slow ranks: 1 of 6; rank 2 waits 60 ms for each batch, the median rank 10 ms",
         NULL, NULL},
        {RANKS_TOGETHER, two_slow, 60, "Slow ranks: 2 of 6; rank 4 waits 80 ms for each batch, the median rank 10 ms",
         NULL, NULL},
        /* each step of 0.1 s waits 0.1 s for one of them */
        {RANKS_TOGETHER, late_in_turns, 60,
         "No rank is slow, but they take turns in being late: the latest waits 50.0 % of the time", NULL, NULL},
        {RANKS_TOGETHER, alike, 60, "No rank stands out: the median rank waits 10 ms for each batch", NULL, NULL},
    };
    check_titles(dlq_picture_ranks, rows, sizeof rows / sizeof *rows);
}

static const struct test_case cases[] = {
    {"titles of waits", titles_of_waits},
    {"titles of shares", titles_of_shares},
    {"titles of ranks", titles_of_ranks},
    {NULL, NULL},
};

const struct test_suite suite_diagnose_titles = {"diagnose_titles", cases};
