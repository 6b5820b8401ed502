/* What diagnose, fit and advise say of many random logs: no sentence lacks its number, and none speaks against itself.
 */
#include "logs/read/trace.h"
#include "logs/report/report.h"
#include "logs_study/made_logs.h"

#include <ctype.h>

/* How loads change over the run. */
enum course { EVEN, DOWN, UP, DROPS, RISES, ENDS, COURSES };
enum columns { WAITS, BATCHES, LOADS, WINDOWS, KINDS };

struct made {
    long loaders, length, ranks, epoch, told; /* told: to the program; -1: nothing */
    enum course course;
    enum columns columns;
    double load, cv, step, factor, slow, tail;
};

static long one_of(gsl_rng *random, const long *of, size_t count)
{
    return of[gsl_rng_uniform_int(random, count)];
}

static struct made draw(gsl_rng *random)
{
    static const long loaders[] = {0, 1, 2, 5, 8}, lengths[] = {8, 40, 400, 1500}, epochs[] = {0, 0, 50, 120};
    static const double loads[] = {0.3, 0.8, 0.9, 1, 2.5}, cvs[] = {0, 0.1, 0.6}, steps[] = {0, 0.1};
    struct made made = {
        .loaders = one_of(random, loaders, 5),
        .length = one_of(random, lengths, 4),
        .ranks = gsl_rng_uniform(random) < 0.3 ? 3 : 1,
        .epoch = one_of(random, epochs, 4),
        .told = -1,
        .course = (enum course)gsl_rng_uniform_int(random, COURSES),
        .columns = (enum columns)gsl_rng_uniform_int(random, KINDS),
        .cv = cvs[gsl_rng_uniform_int(random, 3)],
        .step = steps[gsl_rng_uniform(random) < 0.9],
        .factor = gsl_rng_uniform(random) < 0.5 ? 1.5 : 4,
        .slow = gsl_rng_uniform(random) < 0.2 ? 2 : 1,
        .tail = gsl_rng_uniform(random) < 0.2 ? 0.02 : 0,
    };
    /* Around what the loaders just load in time. */
    made.load = loads[gsl_rng_uniform_int(random, 5)] * 0.1 * (double)(made.loaders > 0 ? made.loaders : 1);
    if (gsl_rng_uniform(random) < 0.5)
        made.told = gsl_rng_uniform(random) < 0.8 ? made.loaders : made.loaders + 3;
    return made;
}

/* Of the mean load, in the course of the run. */
static double level(const struct made *made, long i)
{
    double part = (double)i / (double)made->length, most = made->factor;
    switch (made->course) {
    case DOWN:
        return most - (most - 1) * part;
    case UP:
        return 1 + (most - 1) * part;
    case DROPS:
        return part < 0.4 ? most : 1;
    case RISES:
        return part < 0.6 ? 1 : most;
    case ENDS:
        return part < 0.6 ? 1 : 0;
    default:
        return 1;
    }
}

/* Loaders that take turns, each with two batches ahead, and a trainer; rank 2 may be slow. */
static void put_rank(struct measured *log, const struct made *made, long r)
{
    enum { MOST = 1500 };
    static double requests[MOST], ready[MOST];
    double now = 0, data_sum = 0, iter_sum = 0;
    const long turn = made->loaders > 0 ? made->loaders : 1;
    for (long i = 0; i < made->length; i++) {
        double dispatched = made->loaders == 0 ? now : i < 2 * turn ? 0 : requests[i - 2 * turn];
        double start = i < turn ? dispatched : fmax(dispatched, ready[i - turn]), load = made->load;
        load *= level(made, i) * (r == 2 ? made->slow : 1) * (gsl_rng_uniform(log->random) < made->tail ? 20 : 1);
        if (made->cv > 0 && load > 0)
            load = gsl_ran_gamma(log->random, 1 / (made->cv * made->cv), load * made->cv * made->cv);
        ready[i] = start + load;
        requests[i] = now;
        double received = fmax(now, ready[i]), end = received + made->step;
        long epoch = made->epoch > 0 ? i / made->epoch : 0, index = made->epoch > 0 ? i % made->epoch : i;
        data_sum += received - now;
        iter_sum += end - now;
        if (made->columns == WAITS)
            fprintf(log->stream, "%ld,%.6f,%.6f\n", r, received - now, end - now);
        if (made->columns == BATCHES)
            fprintf(log->stream, "%ld,%ld,%ld,%.6f,%.6f\n", r, epoch, index, received - now, end - now);
        if (made->columns == LOADS)
            fprintf(log->stream, "%ld,%ld,%ld,%ld,%.6f,%.6f,%.6f,%.6f,%.6f\n", r, epoch, index,
                    made->loaders > 0 ? i % turn : -1, start, ready[i], now, received, end);
        if (made->columns == WINDOWS && i % 20 == 19) {
            fprintf(log->stream, "Epoch: [0]  [%5ld/90000]  time: %.4f  data: %.4f  max mem: 3211\n", i - 19,
                    iter_sum / 20, data_sum / 20);
            data_sum = iter_sum = 0;
        }
        now = end;
    }
}

static struct dlq_trace *log_of(struct made *made, unsigned long seed)
{
    static const char *const headers[] = {"rank,data_time,iter_time", "rank,epoch,index,data_time,iter_time",
                                          "rank,epoch,index,worker,load_start,load_end,request,received,step_end", ""};
    struct measured log = measured_log("", seed);
    *made = draw(log.random);
    if (made->columns == WINDOWS) {
        made->ranks = 1;
        made->length = 400;
    }
    fprintf(log.stream, "%s\n", headers[made->columns]);
    for (long r = 0; r < made->ranks; r++)
        put_rank(&log, made, r);
    return measured_trace(&log);
}

/* The words of a text: none stands for a number that is not there, and no gain is of nothing. */
static void check_words(unsigned long seed, const char *what, const char *text)
{
    static const char *const empty[] = {"-", "nan", "-nan", "inf", "-inf", "unbounded", ""};
    static const char *const gains[] = {"x faster", " times as fast"};
    char word[64];
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, " \n"), first = strspn(at, "(");
        snprintf(word, sizeof word, "%.*s", (int)(length > first ? length - first : 0), at + first);
        for (size_t end = strlen(word); end > 0 && strchr(",.;:)", word[end - 1]) != NULL; end--)
            word[end - 1] = '\0';
        for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
            CHECK(length == 0 || strcmp(word, empty[i]) != 0, "log %lu, %s: '%s' in '%s'", seed, what, empty[i], text);
        at += length + (at[length] != '\0');
    }
    for (size_t i = 0; i < 2; i++)
        for (const char *at = text; (at = strstr(at, gains[i])) != NULL; at++) {
            const char *number = at;
            while (number > text && (isdigit((unsigned char)number[-1]) || number[-1] == '.'))
                number--;
            double gain = number < at ? strtod(number, NULL) : NAN;
            CHECK(gain > 1.004 || gain < 0.996, "log %lu, %s: %s", seed, what, text);
            CHECK(gain > 1.04 || strstr(text, "Loading is the bottleneck") == NULL,
                  "log %lu, %s contradicts itself: %s", seed, what, text);
        }
}

static void check_fit(unsigned long seed, const struct dlq_fit *fit)
{
    char text[3 * DLQ_FIT_LINE];
    struct dlq_fit_answer answer = dlq_fit_answer_of(fit, "");
    check_words(seed, "fit", dlq_fit_verdict(fit, text));
    for (size_t i = 0; i < answer.warning_count; i++)
        check_words(seed, "a warning of fit", answer.warnings[i]);
    for (size_t i = 0; i < answer.reason_count; i++)
        check_words(seed, "a reason of fit", answer.reasons[i].text);
    for (size_t i = 0; i < answer.caution_count; i++)
        check_words(seed, "a caution of fit", answer.cautions[i].text);
}

static void check_log(unsigned long seed)
{
    static const struct dlq_run run = {0};
    static struct dlq_advise_answer answer;
    static struct dlq_diagnosed said;
    static struct dlq_fit fit;
    struct dlq_error error = {0};
    struct made made;
    struct dlq_trace *trace = log_of(&made, seed);
    struct dlq_fit_options options = {.hint = {.loaders = made.told}, .counts_loaders = false};
    said = (struct dlq_diagnosed){.facts = {.format = "csv"}};
    answer = (struct dlq_advise_answer){.diagnosed = &said};
    enum dlq_status status = dlq_diagnose(trace, &options.hint, &said.diagnosis, &error);
    if (status != DLQ_OK) {
        CHECK(status == DLQ_INVALID && made.columns == LOADS, "log %lu: %s", seed,
              error.text); /* told otherwise than recorded */
        dlq_trace_free(trace);
        return;
    }
    dlq_diagnosed_say(&said);
    check_words(seed, "diagnose", said.verdict);
    for (size_t i = 0; i < said.note_count; i++)
        check_words(seed, "a note of diagnose", said.notes[i]);
    status = dlq_fit(trace, &options, &run, &fit, &error);
    if (status == DLQ_OK)
        check_fit(seed, &fit);
    if (dlq_advise(trace, &options, &said.diagnosis, status == DLQ_OK ? &fit : NULL, &run, &answer.advice, &error) ==
        DLQ_OK) {
        dlq_advise_say(&answer);
        const char *const parts[] = {answer.limits, answer.change, answer.gain, answer.cost};
        for (size_t i = 0; i < 4; i++)
            check_words(seed, "advise", parts[i]);
        for (size_t i = 0; i < answer.caution_count; i++)
            check_words(seed, "a caution of advise", answer.cautions[i].text);
    }
    dlq_diagnosis_free(&said.diagnosis);
    dlq_trace_free(trace);
}

static void random_logs(void)
{
    const unsigned long logs = (test_long() ? 5000 : test_full() ? 2000 : 1000) / test_every(1);
    for (unsigned long seed = 1; seed <= logs; seed++)
        check_log(seed);
}

/* A load that keeps more than one core busy is warned of, one that computes with a single thread is not. */
static void threads_of_loads(void)
{
    static const struct {
        double computing;
        bool warned;
    } rows[] = {{1.1, false}, {1.3, true}, {NAN, false}};
    static struct dlq_diagnosed said;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        static struct dlq_advise_answer answer;
        answer = (struct dlq_advise_answer){
            .diagnosed = &said, .advice = {.kind = DLQ_ADVICE_NOTHING, .cores_per_load = rows[r].computing}};
        bool warned = false;
        dlq_advise_say(&answer);
        for (size_t i = 0; i < answer.caution_count; i++)
            warned = warned || (strcmp(answer.cautions[i].name, "threads") == 0 &&
                                strstr(answer.cautions[i].text, "A load keeps 1.3 cores busy") != NULL);
        CHECK(warned == rows[r].warned, "row %zu: %d", r, warned);
    }
}

TEST_SUITE(sentences, CASE(random_logs), CASE(threads_of_loads));
