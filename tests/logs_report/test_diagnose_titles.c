/* The titles of a diagnosis's charts: each is said of a log where it is true, and of no other. */
#include "logs/report/report.h"
#include "logs_study/made_logs.h"
#include "report/slots.h"

enum { LENGTH = 400, RANKS = 6 };

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

static struct dlq_diagnosis diagnosis_of_made(enum made made, wait_of *wait, long length)
{
    static const char *const headers[] = {"index,data_time,iter_time\n", "index,data_time\n", "",
                                          "rank,index,data_time,iter_time\n"};
    FILE *out = tmpfile();
    fputs(headers[made], out);
    for (long i = 0; i < length; i++) {
        double first = wait(0, i), longest = 0;
        for (long r = 0; r < RANKS; r++)
            longest = fmax(longest, wait(r, i));
        if (made == SINGLES)
            fprintf(out, "%ld,%.6f,%.6f\n", i, first, 0.1 + first);
        if (made == WAITS_ALONE)
            fprintf(out, "%ld,%.6f\n", i, first);
        if (made == WINDOWS)
            fprintf(out, "Epoch: [0]  [%5ld/90000]  time: %.4f  data: %.4f  max mem: 3211\n", 20 * i, 0.1 + first,
                    first);
        for (long r = 0; made == RANKS_TOGETHER && r < RANKS; r++)
            fprintf(out, "%ld,%ld,%.6f,%.6f\n", r, i, wait(r, i), 0.1 + longest);
    }
    return diagnosis_of(trace_of(out));
}

struct title {
    enum made made;
    wait_of *wait;
    long length;
    const char *title;
    const char *name; /* of what is drawn; null: any */
};

/* Every row's title is drawn of its own log, which says that it is of no other. */
static void check_titles(dlq_picture *draw, const struct title *rows, size_t count)
{
    char text[SLOT_TEXT];
    for (size_t i = 0; i < count; i++) {
        OWN(dlq_diagnosis) diagnosis = diagnosis_of_made(rows[i].made, rows[i].wait, rows[i].length);
        const struct dlq_diagnose_subject subject = {&diagnosis, "made"};
        FREED char *script = slots_made(draw, &subject);
        CHECK_TEXT(slot_text(script, "TITLE", text), rows[i].title);
        if (rows[i].name != NULL)
            CHECK_TEXT(slot_text(script, "NAME", text), rows[i].name);
    }
}

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

/* 206 of LENGTH, without a rhythm. */
WAIT(half, (i * i * 7 + i * 3) % 101 < 50 ? 0.06 : 0)
WAIT(all, 0.05)
/* The start is among the waits that are drawn. */
WAIT(start, i == 0 ? 4 : 0.05)
WAIT(one_slow, r == 2 ? 0.06 : 0.01)
/* Rank r waits r s more where an epoch begins. */
WAIT(start_late, i == 0 ? 5.01 + (double)r : 0.001 * (double)(1 + (r + i) % 7))
/* Waits grow in steps; from iteration 200 on; every 8 iterations, of which few are long. */
WAIT(grows, 0.02 * floor((double)i / 40))
WAIT(later, i < 200 ? 0.001 : 0.2)
WAIT(eighth, i % 8 == 0 ? 0.5 : 0)
static void titles_of_waits(void)
{
    static const struct title rows[] = {
        /* 12 x 4 of 48 + 40 s */
        {SINGLES, few, LENGTH, "Training waits for data 54.5 % of the time; 12 of 400 waits make 100 % of it",
         "each wait"},
        {WAITS_ALONE, half, LENGTH, "How long training waits for data", NULL},
        /* four iterations a point */
        {SINGLES, few, 4000,
         "Training waits for data 10.7 % of the time: 55.1 % at first, 0 % from iteration 393 on; 12 of 4,000 waits "
         "make 100 % of it",
         "longest wait of 4 iterations"},
        {SINGLES, start, LENGTH, "Training waits for data 37.5 % of the time: 6.25 % at the start", NULL},
        {SINGLES, grows, LENGTH,
         "Training waits for data 47.4 % of the time: 0 % in the first tenth of the run, 64.3 % in the last", NULL},
        {SINGLES, later, LENGTH,
         "Training waits for data 50.1 % of the time: 0.990 % at first, 66.7 % from iteration 201 on", NULL},
        {SINGLES, eighth, LENGTH,
         "Training waits for data 38.5 % of the time, in a rhythm of 8 iterations; 50 of 400 waits make 100 % of it",
         NULL},
        {WINDOWS, all, LENGTH, "Training waits for data 33.3 % of the time", "mean wait of each window"},
        /* rank 2 waits 60 of 160 ms, the others 10 */
        {RANKS_TOGETHER, one_slow, LENGTH, "Rank 2 waits most for data: 37.5 % of the time", "each wait"},
        {RANKS_TOGETHER, start_late, LENGTH, "Rank 5 waits most for data: 22.0 % of the time; 14.2 % at the start",
         "each wait"},
    };
    check_titles(dlq_picture_waits, rows, sizeof rows / sizeof *rows);
    /* The windows are of the waits that are drawn: of one rank, its starts included. A window of WINDOWS of 400 points
       has 26 or 27. */
    for (size_t i = sizeof rows / sizeof *rows - 2; i < sizeof rows / sizeof *rows; i++) {
        OWN(dlq_diagnosis) diagnosis = diagnosis_of_made(rows[i].made, rows[i].wait, rows[i].length);
        const struct dlq_diagnose_subject subject = {&diagnosis, "made"};
        static struct slot_rows waits, windows;
        FREED char *script = slots_made(dlq_picture_waits, &subject);
        slot_rows(script, "DATA", &waits);
        slot_rows(script, "WINDOWS", &windows);
        double sum = 0, time = 0;
        CHECK_INT(windows.count, 15);
        for (long k = 0; k < 26; k++) {
            double longest = 0;
            for (long r = 0; r < RANKS; r++)
                longest = fmax(longest, rows[i].wait(r, k));
            sum += waits.at[k][1] / slot_number(script, "SECOND");
            time += 0.1 + longest;
        }
        CHECK(fabs(windows.at[0][2] - 100 * sum / time) < 1e-6, "%g, not %g", windows.at[0][2], 100 * sum / time);
    }
}

/* Times that a log rounds to 0 are no waits. */
static void times_of_zero(void)
{
    OWN(dlq_diagnosis) diagnosis = diagnosis_of_made(SINGLES, half, LENGTH);
    const struct dlq_diagnose_subject subject = {&diagnosis, "made"};
    static struct slot_rows windows;
    for (size_t k = 0; k < 26; k++)
        diagnosis.points[k] = (struct dlq_wait_point){.iteration = diagnosis.points[k].iteration, .count = 1};
    FREED char *script = slots_made(dlq_picture_waits, &subject);
    slot_rows(script, "WINDOWS", &windows);
    CHECK(windows.at[0][2] == 0 && windows.at[1][2] > 1, "%g and %g %%", windows.at[0][2], windows.at[1][2]);
}

WAIT(two_slow, r == 2 ? 0.06 : r == 4 ? 0.08 : 0.01)
WAIT(alike, 0.01)
/* Five times as long, of 0.1 s; and five times by chance. */
WAIT(tiny, r == 0 ? 1e-4 : 2e-5)
WAIT(chance, i > 0 && i * (10 * r + 7) % 500 < 1 + r ? 1 : 0.001)

static void titles_of_ranks(void)
{
    static const struct title rows[] = {
        {RANKS_TOGETHER, one_slow, 60, "Slow ranks: 1 of 6; rank 2 waits 60 ms for each batch, the median rank 10 ms",
         NULL},
        {RANKS_TOGETHER, two_slow, 60, "Slow ranks: 2 of 6; rank 4 waits 80 ms for each batch, the median rank 10 ms",
         NULL},
        {RANKS_TOGETHER, alike, 60, "No rank stands out: the median rank waits 10 ms for each batch", NULL},
        {RANKS_TOGETHER, start_late, 60,
         "The ranks hold one another up: no rank is proven slow, yet all wait 6.86 ms of each iteration of 274 ms",
         NULL},
        {RANKS_TOGETHER, tiny, 60,
         "Ranks wait 20 µs to 100 µs for each batch, the median rank 20 µs: that hardly matters", NULL},
        {RANKS_TOGETHER, chance, 500,
         "The ranks hold one another up: no rank is proven slow, yet all wait 31 ms of each iteration of 131 ms", NULL},
    };
    check_titles(dlq_picture_ranks, rows, sizeof rows / sizeof *rows);
    /* Bars, intervals and the median are of the same waits, without the starts of epochs. */
    for (size_t i = 3; i < sizeof rows / sizeof *rows; i++) {
        OWN(dlq_diagnosis) diagnosis = diagnosis_of_made(rows[i].made, rows[i].wait, rows[i].length);
        const struct dlq_diagnose_subject subject = {&diagnosis, "made"};
        struct slot_rows bars;
        FREED char *script = slots_made(dlq_picture_ranks, &subject);
        double below = 0, above = 0, median = slot_number(script, "MEDIAN");
        slot_rows(script, "DATA", &bars);
        for (size_t r = 0; r < bars.count; r++) {
            below += bars.at[r][1] <= median * (1 + 1e-6);
            above += bars.at[r][1] >= median * (1 - 1e-6);
            CHECK(bars.at[r][3] <= bars.at[r][1] && bars.at[r][1] <= bars.at[r][4], "%g in %g to %g", bars.at[r][1],
                  bars.at[r][3], bars.at[r][4]);
        }
        CHECK(bars.count == RANKS && below >= RANKS / 2.0 && above >= RANKS / 2.0, "%g and %g bars", below, above);
    }
}

TEST_SUITE(diagnose_titles, CASE(titles_of_waits), CASE(times_of_zero), CASE(titles_of_ranks));
