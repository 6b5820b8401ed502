/* What the numbers of a log of no known format tell: whether a time includes the wait, and the iterations that it
 * covers.
 */
#include "logs.h"
#include "logs/read/formats/generic.h"

/* Whether the time of a line includes the wait: by time stamps, else by its name, unless it grows with the wait. */
static void steps(void)
{
    enum { LINES = 30 };
    static const struct {
        const char *form;   /* of a line: number, wait, time */
        double base, slope; /* s: time = base + slope * wait */
        double between;     /* s by the stamps, without the wait; 0: no stamps */
        const char *iter;   /* in the options */
        double share;       /* waiting */
        const char *doubt;  /* in the doubts; "": none */
    } rows[] = {
        {"it %d data_time %.4fs step_time %.4fs", 0.155, 0, 0, "--pattern 'step=", 0.415,
         "41.5 % of the time; if it includes the wait, that is 71 %"},
        {"{\"it\": %d, \"data_time\": %.4f, \"step_time\": %.4f}", 0.155, 0, 0, "--pattern 'step=", 0.415, "71 %"},
        {"%d,%.4f,%.4f", 0.155, 0, 0, "--column 'step=perf - step_time'", 0.415, "71 %"},
        {"it %d data_time %.4fs step_time %.4fs", 0.155, 1, 0, "--pattern 'iter=", 0.415, "grows with"},
        {"it %d data_time %.4fs step_time %.4fs", 0.155, 0.56, 0, "--pattern 'iter=", 0.508, "grows with"},
        {"it %d data_time %.4fs step_time %.4fs", 0.155, 0.44, 0, "--pattern 'step=", 0.351, "54.1 %"},
        {"it %d data_time %.4fs step_time %.4fs", 0.155, 0, 0.155, "--pattern 'step=", 0.415, ""},
        {"it %d data_time %.4fs step_time %.4fs", 0.155, 0, 0.045, "--pattern 'iter=", 0.71,
         "time stamps show that 'step_time' is the iteration with its wait"},
        {"run %d data_time %.4fs step_time %.4fs", 0.155, 0, 0.155, "--pattern 'step=", 0.415, ""},
        {"it %d data_time %.4fs batch_time %.4fs", 0.155, 0, 0.155, "--pattern 'step=", 0.415,
         "time stamps show that 'batch_time' is the iteration without its wait"},
        {"it %d data_time %.4fs batch_time %.4fs", 0.155, 0, 0.045, "--pattern 'iter=", 0.71, ""},
        /* The names of csv. */
        {"%d,%.4f, %.4f", 0.155, 0, 0, "--column 'step=step_time'", 0.415, "71 %"},
        {"%d,%.4f, %.4f", 0.155, 1, 0, "--column 'iter=step_time'", 0.415, "grows with"},
        {"%d,%.4f, %.4f", 0.055, 0, 0, "--column 'step=step_time'", 0.667, "often shorter"},
        {"%d,%.4f, %.4f", 15.5, 0, 0, "--column 'step=step_time'", 0.00705, ""},
        /* Stamps that fit neither; waits that hardly matter. */
        {"it %d data_time %.4fs batch_time %.4fs", 0.155, 0, 3, "--pattern 'iter=", 0.71, ""},
        {"it %d data_time %.4fs step_time %.4fs", 15.5, 0, 0, "--pattern 'step=", 0.00705, ""},
        /* A part in place of the iteration. */
        {"it %d wait %.4fs fwd+bwd %.4fs", 0.155, 0, 0, "--pattern 'step=", 0.415,
         "it is read as 'wait' and 'fwd+bwd' together"},
        {"it %d wait %.4fs fwd+bwd %.4fs", 0.155, 0, 0.155, "--pattern 'step=", 0.415, ""},
        {"it %d wait %.4fs device_step %.4fs", 0.155, 0, 0, "--pattern 'step=", 0.415, ""},
        {"it=%d wait=%.4f total=%.4f", 0.155, 0, 0, "--pattern 'iter=", 0.71,
         "'total' is taken for the time of an iteration"},
        {"it=%d wait=%.4fs total=%.4fs", 0.155, 0, 0, "--pattern 'iter=", 0.71, ""},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char text[8192] = "";
        double now = 1;
        struct dlq_error error;
        struct dlq_trace_facts facts;
        if (rows[r].form[0] == '%')
            snprintf(text, sizeof text, "it,%sdata_time,%sstep_time\n", strchr(rows[r].form, ' ') ? "" : "perf - ",
                     strchr(rows[r].form, ' ') ? "" : "perf - ");
        for (int i = 0; i < LINES; i++) {
            const double wait = 0.105 + 0.01 * (i % 2);
            const size_t used = strlen(text);
            now += rows[r].between + wait;
            const size_t stamp =
                rows[r].between > 0 ? (size_t)snprintf(text + used, sizeof text - used, "2026-01-05 10:00:%06.3f ", now)
                                    : 0;
            char *line = text + used + stamp;
            const size_t room = sizeof text - used - stamp;
            snprintf(line, room, rows[r].form, i, wait, rows[r].base + rows[r].slope * wait);
            strcat(text, "\n");
        }
        OWN_TRACE *trace = read_text((struct dlq_trace_options){0}, "a.log", text, &error);
        CHECK(trace != NULL, "row %zu: %s", r, error.text);
        if (trace == NULL)
            continue;
        dlq_trace_facts(trace, &facts);
        CHECK(strstr(facts.read_as.words, rows[r].iter) != NULL, "row %zu: %s", r, facts.read_as.words);
        CHECK_REL(sums_of(trace).data / sums_of(trace).iter, rows[r].share, 0.01);
        CHECK(rows[r].doubt[0] == '\0' ? strstr(facts.doubts, "wait") == NULL
                                       : strstr(facts.doubts, rows[r].doubt) != NULL,
              "row %zu: %s", r, facts.doubts);
    }
}

/* -- the kind of window, by time stamps -- */

enum printed { MEANS, RUNNING, EVERY_TENTH, UNCOUNTED, MMENGINE_MEANS, MMENGINE_RUNNING };

/* 40 lines, each after 10 iterations of 1 to 3 s; of every `pauses` lines the last follows a pause of 60 s. */
static char *make_log(enum printed printed, int pauses, double *spent)
{
    enum { LINES = 40, EVERY = 10 };
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    unsigned long seed = 1;
    double clock = 36000, total = 0;
    for (int line = 1; line <= LINES && stream != NULL; line++) {
        double sum = 0, last = 0;
        for (int i = 0; i < EVERY; i++) {
            seed = seed * 6364136223846793005UL + 1442695040888963407UL;
            last = 1 + 2 * (double)(seed >> 40) / (double)(1UL << 24);
            last *= printed == UNCOUNTED ? 0.1 : line % 7 == 0 ? 2.5 : 1;
            sum += last;
        }
        total += sum;
        clock += sum + (pauses > 0 && line % pauses == 0 ? 60 : 0);
        const double shown = printed == RUNNING || printed == MMENGINE_RUNNING ? total / (EVERY * line)
                             : printed == EVERY_TENTH                          ? last
                                                                               : sum / EVERY;
        const long second = (long)clock;
        fprintf(stream, "2026-01-05 %02ld:%02ld:%02ld", second / 3600, second / 60 % 60, second % 60);
        if (printed >= MMENGINE_MEANS) {
            fprintf(stream, " - mmengine - INFO - Epoch(train)  [1][%4d/1051]  time: %.4f  data_time: %.4f\n",
                    EVERY * line, shown, shown / 4);
            continue;
        }
        if (printed != UNCOUNTED)
            fprintf(stream, " iter: %d", EVERY * line);
        fprintf(stream, " iter_time: %.4f data_time: %.4f\n", shown, shown / 4);
    }
    if (stream != NULL)
        fclose(stream);
    *spent = total;
    return text;
}

/* The rows of a known format say that it prints windows, unless time stamps clearly say otherwise. In all cases the
   times of the log are those of its iterations.
   Of 10 lines 3, or 4, do not agree with their stamps: from 70 % on they count. */
static void kinds(void)
{
    static const struct {
        enum printed printed;
        int pauses;
        const char *kind;
    } table[] = {
        {MEANS, 0, "mean"},    {RUNNING, 0, "running"}, {EVERY_TENTH, 0, "unknown"}, {MEANS, 4, "mean"},
        {MEANS, 3, "unknown"}, {UNCOUNTED, 0, "mean"},  {MMENGINE_MEANS, 0, "mean"}, {MMENGINE_RUNNING, 0, "running"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dlq_error error;
        struct dlq_trace_facts facts;
        double total;
        FREED char *text = make_log(table[i].printed, table[i].pauses, &total);
        OWN_TRACE *trace = read_text((struct dlq_trace_options){0}, "a.log", text, &error);
        CHECK(trace != NULL, "%s", error.text);
        if (trace != NULL) {
            dlq_trace_facts(trace, &facts);
            CHECK(strcmp(facts.read_as.kind, table[i].kind) == 0, "%zu: %s", i, facts.read_as.kind);
            CHECK_INT(facts.iterations, 400);
            const bool told = strcmp(table[i].kind, "unknown") == 0 || table[i].printed == MMENGINE_RUNNING;
            CHECK((facts.doubts[0] != '\0') == told, "%zu: %s", i, facts.doubts);
            if (table[i].printed != EVERY_TENTH)
                CHECK_REL(sums_of(trace).iter, total, 1e-3);
        }
    }
}

/* The time of the day that a line was written, s; NAN: none. */
static void stamps(void)
{
    enum { LOOKED = 1500, LONGEST = LOOKED + 100 };
    static const struct {
        int before; /* spaces */
        const char *line;
        double second, resolution;
    } rows[] = {
        {0, "2026-01-05 10:00:01 iter 1", 36001, 1},
        {0, "[2026/01/05T10:00:01,25] iter 1", 36001.25, 0.01},
        {0, "[01/05 10:00:01 d2.utils] iter 1", 36001, 1},
        {0, "(TorchTrainer pid=12345, ip=10.0.0.12) (RayTrainWorker pid=67890) rank 3, 2026-01-05 10:00:01.125 iter 1",
         36001.125, 0.001},
        {LOOKED - 1, "2026-01-05 10:00:01 iter 1", 36001, 1},
        {LOOKED, "2026-01-05 10:00:01 iter 1", NAN, 0},
        {0,
         "{\"iter\": 1, \"loss\": 2.385, \"data_time\": 0.1, \"time\": 0.2, \"timestamp\": \"2026-01-05T10:00:01.5\"}",
         36001.5, 0.1},
        {0, "iter 1 ETA: 2026-01-06 12:00:00", NAN, 0},
        {0, "{\"eta\": \"2026-01-06 12:00:00\", \"at\": \"2026-01-05 10:00:01\"}", 36001, 1},
        {0, "started 2026-01-04 12:00:00 iter 1 at 01-05 10:00:01", 36001, 1},
        {0, "iter 1-05 10:00:01", NAN, 0},
        {0, "12026-01-05 10:00:01", NAN, 0},
        {0, "", NAN, 0},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char line[LONGEST];
        double resolution = NAN;
        snprintf(line, sizeof line, "%*s%s", rows[r].before, "", rows[r].line);
        const double second = fmod(dlq_stamp_of(line, &resolution), 86400);
        CHECK(isnan(rows[r].second) ? isnan(second) : fabs(second - rows[r].second) < 1e-4, "row %zu: %.9g", r, second);
        CHECK(isnan(rows[r].second) || fabs(resolution / rows[r].resolution - 1) < 1e-9, "row %zu: %g", r, resolution);
    }
}

/* A row that contradicts the reading of its log is read; one that contradicts the names of its columns is refused. */
static void contradicts(void)
{
    static const struct {
        const char *name;
        bool read;
    } rows[] = {{"step_time", true}, {"batch_time", true}, {"iter_time", false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char text[2048];
        struct dlq_error error;
        snprintf(text, sizeof text, "data_time,%s\n", rows[r].name);
        for (int i = 0; i < 40; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%.3f,%.3f\n", 0.1 + 0.01 * (i % 2),
                     i == 20 ? 0.09 : 0.3 + 0.01 * (i % 2));
        OWN_TRACE *trace = read_text((struct dlq_trace_options){0}, "a.csv", text, &error);
        CHECK((trace != NULL) == rows[r].read, "%s: %s", rows[r].name, error.text);
    }
}

TEST_SUITE(evidence, CASE(steps), CASE(contradicts), CASE(kinds), CASE(stamps));
