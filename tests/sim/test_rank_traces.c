/* Ranks of real loaders (torch 1.13, 4 workers each, a gloo barrier at every step): the recursion on the recorded load
   and step times against the recorded rate. */
#include "tapes.h"

enum { BATCHES = 400, MOST_RANKS = 4, MOST_FIELDS = 26, SERVERS = 4 };

/* A row of multirank.csv. */
struct run {
    char name[64];
    long ranks, prefetch, warm;
    double measured, recursion, slowdown;
};

static size_t split(char *line, char *fields[MOST_FIELDS])
{
    size_t count = 0;
    char *rest = line;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *field = strtok_r(line, ",", &rest); field != NULL && count < MOST_FIELDS;
         field = strtok_r(NULL, ",", &rest))
        fields[count++] = field;
    return count;
}

static bool read_run(FILE *stream, struct run *run)
{
    char line[1024];
    char *fields[MOST_FIELDS];
    if (fgets(line, sizeof line, stream) == NULL || split(line, fields) != MOST_FIELDS)
        return false;
    snprintf(run->name, sizeof run->name, "%s", fields[0]);
    run->ranks = strtol(fields[2], NULL, 10);
    run->prefetch = strtol(fields[5], NULL, 10);
    run->warm = strtol(fields[12], NULL, 10);
    run->measured = strtod(fields[13], NULL);
    run->recursion = strtod(fields[14], NULL);
    run->slowdown = strtod(fields[21], NULL);
    return true;
}

/* Loads, steps (the mean of the ranks: all of them sleep for the same time) and the end of each step. */
static bool read_rank(const struct run *run, long rank, struct tape *tape, double *ends)
{
    enum { INDEX = 1, LOAD_START = 5, LOAD_END, REQUEST, RECEIVED, STEP_END, BARRIER_ENTER = 11 };
    char path[512];
    char line[512];
    char *fields[MOST_FIELDS];
    snprintf(path, sizeof path, TEST_DATA "/torch/multirank/%s_rank%ld.csv", run->name, rank);
    FILE *stream = fopen(path, "r");
    long batches = 0;
    while (stream != NULL && fgets(line, sizeof line, stream) != NULL) {
        if (line[0] < '0' || line[0] > '9' || split(line, fields) <= BARRIER_ENTER)
            continue;
        long i = strtol(fields[INDEX], NULL, 10);
        if (i != batches++ || i >= BATCHES)
            break;
        tape->loads[rank * BATCHES + i] = strtod(fields[LOAD_END], NULL) - strtod(fields[LOAD_START], NULL);
        tape->step[i] += (strtod(fields[BARRIER_ENTER], NULL) - strtod(fields[RECEIVED], NULL)) / (double)run->ranks;
        ends[i] = strtod(fields[STEP_END], NULL);
    }
    if (stream != NULL)
        fclose(stream);
    CHECK(batches == BATCHES, "%s: %ld batches", path, batches);
    return batches == BATCHES;
}

static double rate(const struct run *run, const double *ends)
{
    return (double)(BATCHES - run->warm) / (ends[BATCHES - 1] - ends[run->warm - 1]);
}

/* Without overheads: nothing is fitted. */
static struct dlq_point point_of(const struct run *run)
{
    return (struct dlq_point){
        .loader = dlq_loader_at(dlq_loader_index(dlq_loader_find("pytorch"))),
        .discipline = DLQ_ROUND_ROBIN,
        .ranks = run->ranks,
        .servers = SERVERS,
        .window = SERVERS * run->prefetch,
        .load_scale = 1,
        .step_scale = 1,
        .slow_factor = 1,
    };
}

/* What each rank would reach alone, over what they reach together. */
static double slowdown(const struct run *run, const struct tape *tape, double together)
{
    double given[BATCHES];
    double ends[BATCHES] = {0};
    double alone = 0;
    for (long r = 0; r < run->ranks; r++) {
        struct dlq_point point = point_of(run);
        struct tape own = *tape;
        point.ranks = own.ranks = 1;
        own.loads += r * BATCHES;
        play(point.discipline, &point, &own, 97, given, ends);
        alone += rate(run, ends) / (double)run->ranks;
    }
    return alone / together;
}

static void try_run(const struct run *run)
{
    static double loads[MOST_RANKS * BATCHES];
    double steps[BATCHES] = {0};
    double given[BATCHES];
    double ends[BATCHES] = {0};
    double recorded[BATCHES] = {0};
    struct dlq_point point = point_of(run);
    struct tape tape = {.steps = BATCHES, .ranks = run->ranks, .loads = loads, .step = steps};
    for (long r = 0; r < run->ranks; r++)
        if (!read_rank(run, r, &tape, recorded))
            return;
    if (!play(point.discipline, &point, &tape, 97, given, ends))
        return;
    double predicted = rate(run, ends);
    CHECK_REL(rate(run, recorded), run->measured, 1e-3);
    CHECK_REL(predicted, run->measured, 0.02);
    CHECK_REL(predicted, run->recursion, 2e-4);
    CHECK_REL(slowdown(run, &tape, predicted), run->slowdown, 1e-3);
}

static void recorded_rates(void)
{
    char header[1024];
    struct run run;
    int runs = 0;
    FILE *stream = fopen(TEST_DATA "/torch/multirank.csv", "r");
    CHECK(stream != NULL && fgets(header, sizeof header, stream) != NULL, "no multirank.csv");
    while (stream != NULL && read_run(stream, &run)) {
        try_run(&run);
        runs++;
    }
    CHECK_INT(runs, 3);
    if (stream != NULL)
        fclose(stream);
}

TEST_SUITE(rank_traces, CASE(recorded_rates));
