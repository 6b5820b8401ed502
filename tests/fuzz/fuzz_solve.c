/* Whole configurations, solved and planned by the command.
   Small ones: an answer takes milliseconds. What the command says is looked at as its user sees it, by exit status,
   JSON, CSV and text: no number that is none, intervals in order, shares within 0 and 1, throughputs that the bounds
   allow, gains that agree with what they lead to, plans that keep their promise, and related configurations whose
   answers agree. An input that takes SECONDS of a processor is a find, too. */
#include "fuzz.h"
#include "study/model.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static void take_long(int signal_number)
{
    static const char text[] = "this takes too long:\n";
    (void)signal_number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0 || write(STDERR_FILENO, fuzz_subject, strlen(fuzz_subject)) < 0)
        _exit(1);
    abort();
}

static void begin(void)
{
    const struct sigaction action = {.sa_handler = take_long};
    sigaction(SIGVTALRM, &action, NULL);
}

/* -- configurations -- */

/* Slowdowns, pauses, caches, start-up, threads, a trainer on the cores: keys that mean something together. Some fit one
   stage of that name alone, and are refused beside others. */
static const char *const together[] = {
    "slowdown.interval=1s slowdown.duration=100ms slowdown.speed=0",
    "slowdown.interval=2s slowdown.duration=200ms slowdown.speed=50% slowdown.scope=loader",
    "slowdown.interval=1s slowdown.interval_cv=2 slowdown.duration=300ms slowdown.duration_cv=3 slowdown.scope=rank",
    "slowdown.interval=604800s slowdown.duration=604800s slowdown.speed=0 slowdown.scope=host",
    "slowdown.b.interval=3s slowdown.b.duration=500ms slowdown.b.uses=cpu slowdown.b.speed=20%",
    "slowdown.times=0s,1s slowdown.speeds=0.5,1",
    "slowdown.times=0s,100ms,1s slowdown.speeds=0,1,0.5 slowdown.shape=linear",
    "step.save.mean=100ms step.save.every=7",
    "step.save.mean=1s step.save.every=1e9",
    "step.save.mean=10ms step.save.probability=10% step.save.pause=yes",
    "step.save.mean=50ms step.save.every=epoch pipeline.epoch_batches=10",
    "step.log.mean=5ms step.log.every=3 step.log.pause=no",
    "load.uses=storage load.bytes=1MB pipeline.epoch_batches=10 pipeline.epochs=3 cache.share=50%",
    "load.uses=storage load.bytes=1MB pipeline.epoch_batches=20 cache.size=2GB cache.policy=kept cache.scope=all",
    "load.uses=storage load.bytes=1MB pipeline.epoch_batches=7 cache.share=0",
    "load.uses=storage load.bytes=1MB pipeline.epoch_batches=7 cache.share=100%",
    "load.per=sample pipeline.batch_size=8 pipeline.threads=2",
    "load.per=sample pipeline.batch_size=32 pipeline.threads=256",
    "pipeline.epoch_batches=10 overheads.startup_per_loader=100ms",
    "pipeline.epoch_batches=3 overheads.startup_per_loader=100s",
    "load.uses=cpu step.uses=cpu host.cores=2",
    "load.uses=cpu step.usual.uses=cpu host.cores=0.5",
    "load.uses=cpu step.uses=cpu host.cores=2 host.core_affinity=50%",
    "load.uses=cpu host.cores=1 overheads.receive=5ms overheads.receive_uses=cpu host.core_affinity=100%",
    "pipeline.batch_size=8 load.read.per=sample load.decode.per=sample load.decode.uses=cpu pipeline.threads=3",
    "pipeline.batch_size=8 load.per=sample load.uses=cpu pipeline.threads=2 host.cores=1.5",
    "load.read.uses=storage load.read.bytes=1MB load.decode.uses=cpu host.cores=2 storage.bandwidth=10MB/s",
    "load.read.uses=storage load.read.bytes=1MB pipeline.epoch_batches=10 cache.share=50% cache.policy=kept",
    "load.read.uses=storage load.read.bytes=1MB slowdown.interval=1s slowdown.duration=100ms slowdown.uses=storage",
    "pipeline.loader=tfdata pipeline.prefetch=4 load.uses=cpu load.decode.uses=cpu step.uses=cpu host.cores=3",
    "step.save.mean=50ms step.save.every=3 step.save.pause=no load.uses=cpu step.usual.uses=cpu host.cores=2",
    "load.decode.uses=cpu overheads.receive=5ms overheads.receive_uses=cpu host.cores=2",
};
/* Any law with parameters as they are met; one of sixteen with whatever parameters. */
static struct law take_law(struct bytes *bytes)
{
    static const double means[] = {0.1, 0.01, 0.001, 1, 0.03, 0.007, 0.25, 0}, cvs[] = {0.3, 1, 2, 5, 0.1, 82, 0.75, 1};
    size_t count;
    const unsigned which = bytes_next(bytes);
    if (which >= 240)
        return law_take(bytes);
    const unsigned how = bytes_next(bytes);
    const double mean = means[how & 7], spread = 1 + (how >> 6);
    const double usual[LAW_VALUES] = {mean, cvs[how >> 3 & 7], NAN,    NAN,  NAN,
                                      NAN,  spread + 0.5,      spread, mean, mean + spread / 10};
    const struct dlq_family *const *families = dlq_families(&count);
    struct law law = {.family = families[mean > 0 ? which % count : 0]};
    if (law.family->allowed & DLQ_FILE)
        law.family = dlq_family_find("constant");
    for (int i = 0; i < LAW_VALUES; i++)
        law.values[i] = law.family->allowed >> i & 1 ? usual[i] : NAN;
    return law;
}

/* Stages, laws, then settings. */
static struct dlq_model *take_model(struct bytes *bytes)
{
    enum { STAGES = 3 };
    static const char *const names[STAGES] = {"load.read", "load.decode", "load.collate"};
    static const char *const batches[] = {"100", "1", "2", "10", "50", "300", "30", "7"};
    static const char *const horizons[] = {"10ms", "100ms", "1s", "3s", "10s", "1ms", "100s", "7s"};
    static const char *const replications[] = {"8", "1", "2", "3", "4", "16", "16", "12"};
    struct dlq_model *model = NULL;
    struct dlq_error error = {0};
    EXPECT(dlq_model_new(&model, &error) == DLQ_OK, "%s", error.text);
    unsigned head = bytes_next(bytes), size = bytes_next(bytes), stages = 1 + (head & 3) % STAGES;
    const bool horizon = (head >> 2 & 3) == 0;
    model_put(model, "pipeline", "loaders", "4");
    model_put(model, "simulate", "replications", replications[size & 7]);
    if (!horizon)
        model_put(model, "simulate", "batches", batches[size >> 3 & 7]);
    for (unsigned i = 0; i < stages; i++)
        model_put_law(model, stages == 1 ? "load" : names[i], take_law(bytes));
    model_put_law(model, (size & 7) == 6 ? "step.usual" : "step", take_law(bytes));
    for (unsigned i = 0, count = size >> 6 | (head >> 4 & 12); i < count; i++) {
        const char *load = stages == 1 ? "load" : names[bytes_next(bytes) % stages];
        model_put_any(model, load, 0, SETTINGS, true, bytes);
    }
    for (unsigned i = 0, count = head >> 4 & 3; i < count; i++)
        model_put_any(model, "load", SETTINGS, SETTINGS_RUN, horizon, bytes);
    if (horizon)
        model_put(model, "simulate", "horizon", horizons[size >> 3 & 7]);
    for (unsigned i = 0, count = bytes_next(bytes) & 3; i < count; i++) {
        const char *rows = together[bytes_next(bytes) % (sizeof together / sizeof *together)];
        char path[64], value[64];
        for (int read; sscanf(rows, " %63[^=]=%63s%n", path, value, &read) == 2; rows += read)
            dlq_model_set(model, path, value, &error);
    }
    return model;
}

/* Steps of all ranks of all runs, and slow phases; loaders, of which a plan tries PLANNED; and batches that are kept:
   some warm-ups are as many windows long. */
static bool is_small(struct dlq_model *model)
{
    enum { LOADERS = 64, RANKS = 16, STEPS = 20000, SAMPLES = 32, WINDOW = 256, PLANNED = 128 };
    const struct dlq_pipeline *pipeline = &model->system.pipeline;
    const struct dlq_overheads *overheads = &model->system.overheads;
    const struct dlq_slowdowns *slowdowns = model->system.slowdowns;
    struct dlq_bounds bounds;
    struct dlq_error error = {0};
    if (pipeline->loaders > LOADERS || pipeline->ranks > RANKS || pipeline->loaders * pipeline->ranks > 4 * LOADERS ||
        pipeline->batch_size > SAMPLES || dlq_system_window(&model->system) > WINDOW ||
        dlq_bounds(model, &bounds, &error) != DLQ_OK)
        return false;
    /* Epochs are simulated as wholes. */
    double batches = fmax((double)model->simulate.batches, (double)pipeline->epoch_batches) +
                     fmax(0, (double)model->simulate.warmup);
    double steps = isnan(model->simulate.horizon) ? batches : bounds.upper * model->simulate.horizon;
    double seconds = overheads->startup + overheads->startup_per_loader * PLANNED + batches / bounds.upper, phases = 0;
    for (size_t i = 0; slowdowns != NULL && i < slowdowns->count; i++)
        if (slowdowns->rows[i].times.count == 0)
            phases += seconds / (slowdowns->rows[i].interval + slowdowns->rows[i].duration);
    /* What is compared is simulated sixteen replications at a time. */
    return (steps + phases) * (double)pipeline->ranks * fmax(16, (double)model->simulate.replications) <= STEPS;
}

/* -- what an answer must be -- */

/* What "simulation.throughput.low" says; NAN where there is no such number. */
static double number(const json_t *from, const char *path)
{
    char part[64];
    for (; from != NULL && *path != '\0'; path += strcspn(path, "."), path += *path == '.') {
        snprintf(part, sizeof part, "%.*s", (int)strcspn(path, "."), path);
        from = json_object_get(from, part);
    }
    return json_is_number(from) ? json_number_value(from) : NAN;
}

static struct dlq_estimate estimate(const json_t *from)
{
    return (struct dlq_estimate){number(from, "value"), number(from, "low"), number(from, "high")};
}

static struct dlq_estimate simulated(const json_t *json, const char *name)
{
    return estimate(json_object_get(json_object_get(json, "simulation"), name));
}

static bool warned(const json_t *json, const char *what)
{
    char *text = json_dumps(json_object_get(json, "warnings"), 0);
    bool found = text != NULL && strstr(text, what) != NULL;
    free(text);
    return found;
}

/* Which interval a few runs have is up to chance: a find is beyond WIDER of its half-widths. */
enum { WIDER = 4 };

static double below(struct dlq_estimate estimate)
{
    return estimate.value - WIDER * (estimate.value - estimate.low);
}

static double above(struct dlq_estimate estimate)
{
    return estimate.value + WIDER * (estimate.high - estimate.value);
}

/* By which factor the throughput of a short run may be off, beside chance: its batches are partly those that were
   loaded before it, or in flight at its end: a window of them. NAN: nothing is known; of few slow phases chance decides
   how much of the run they are. */
static double room_of(const struct dlq_model *model, const json_t *json)
{
    const double window = number(json, "window");
    const double batches =
        isnan(model->simulate.horizon) ? (double)model->simulate.batches : number(json, "simulation.batches.value");
    if (isnan(simulated(json, "throughput").value) || number(json, "simulation.replications") == 1 || isnan(window) ||
        window * 10 > batches || warned(json, "tail") || warned(json, "slow phases were simulated"))
        return NAN;
    return 1 + (window + 1) / batches;
}

static void check_bounds(const struct dlq_model *model, const json_t *json)
{
    const struct dlq_estimate rate = simulated(json, "throughput");
    const double upper = number(json, "bounds.upper"), lower = number(json, "bounds.lower");
    const double room = room_of(model, json);
    IN(DBL_TRUE_MIN, INFINITY, upper);
    KNOWN(-INFINITY, upper * (1 + 1e-9), lower);
    EXPECT(!warned(json, "an error of dlqueue"), "a warning");
    if (isnan(room))
        return;
    IN(-INFINITY, upper * room * (1 + 1e-6), below(rate));
    if (isnan(model->simulate.horizon) && !isnan(lower))
        IN(lower / room * (1 - 1e-6), INFINITY, above(rate));
}

/* A gain that is called proven is one, and what it leads to agrees. */
static void check_levers(const json_t *json)
{
    const struct dlq_estimate rate = simulated(json, "throughput");
    size_t index;
    const json_t *lever;
    json_array_foreach(json_object_get(json, "levers"), index, lever)
    {
        const char *change = json_string_value(json_object_get(lever, "change"));
        const struct dlq_estimate gain = estimate(json_object_get(lever, "gain"));
        const struct dlq_estimate after = estimate(json_object_get(lever, "throughput"));
        if (!json_is_true(json_object_get(lever, "proven")) || isnan(rate.value))
            continue;
        EXPECT(gain.low > 0 || gain.high < 0, "%s: %.17g in %.17g..%.17g", change, gain.value, gain.low, gain.high);
        EXPECT(isnan(after.value) || (after.value - rate.value) * gain.value >= -1e-9 * rate.value,
               "%s: gain %.17g, yet %.17g after %.17g", change, gain.value, after.value, rate.value);
    }
}

static void try_plan(struct bytes *bytes)
{
    enum { RUNS = 4 };
    static const char *const targets[] = {"plan.target=95%", "plan.target=50%", "plan.target=90%", "plan.target=99%"};
    char setting[64];
    struct fuzz_answer plan = fuzz_ask(fuzz_subject, "plan", "--json", targets[bytes_next(bytes) & 3]);
    const bool met = json_is_true(json_object_get(plan.json, "met"));
    if (plan.json != NULL)
        EXPECT(plan.status == (met ? DLQ_OK : DLQ_NO_ANSWER), "status %d: %s", plan.status, plan.text);
    else
        EXPECT(plan.status == DLQ_NO_ANSWER || plan.status == DLQ_INVALID, "status %d", plan.status);
    fuzz_no_nan(plan.text);
    fuzz_figures("plan", plan.json);
    if (met) {
        snprintf(setting, sizeof setting, "pipeline.loaders=%.0f", number(plan.json, "answer.loaders"));
        struct fuzz_answer solved = fuzz_ask(fuzz_subject, "solve", "--json", setting);
        const struct dlq_estimate busy = simulated(solved.json, "utilization");
        EXPECT(solved.status == DLQ_OK, "status %d with %s", solved.status, setting);
        if (!(number(solved.json, "simulation.replications") < RUNS))
            IN(number(plan.json, "target") * (1 - 1e-6), INFINITY, above(busy));
        fuzz_answer_free(&solved);
    }
    fuzz_answer_free(&plan);
}

/* What each setting does to the throughput where its key is given: at most as much, or at least. Where it is not given
   the setting says what holds anyway. */
static const struct {
    const char *key, *value;
    int sign;
} related[] = {
    {"pipeline.threads", "1", -1},       {"host.cores", "1e6", 1},       {"host.bandwidth", "1e15B/s", 1},
    {"storage.bandwidth", "1e15B/s", 1}, {"overheads.startup", "0s", 1}, {"overheads.startup_per_loader", "0s", 1},
    {"overheads.pin_time", "0s", 1},     {"overheads.receive", "0s", 1},
};

static bool is_given(const struct dlq_model *model, const char *path)
{
    struct dlq_setting setting;
    for (size_t i = 0; dlq_model_setting(model, i, &setting); i++) {
        const size_t length = strlen(setting.section);
        if (setting.given && strncmp(setting.section, path, length) == 0 && path[length] == '.' &&
            strcmp(setting.key, path + length + 1) == 0)
            return true;
    }
    return false;
}

/* Where loads compete, are rounded up to ticks, or are delivered as they finish, one that is sooner may hold up others.
 */
static void try_related(const struct dlq_model *model, const json_t *json, unsigned which)
{
    const double slack = 0.02, room = room_of(model, json) + slack;
    char setting[64];
    which %= sizeof related / sizeof *related;
    snprintf(setting, sizeof setting, "%s=%s", related[which].key, related[which].value);
    struct fuzz_answer answer = fuzz_ask(fuzz_subject, "solve", "--json", setting);
    const struct dlq_estimate before = simulated(json, "throughput"), after = simulated(answer.json, "throughput");
    const double cores = number(json, "bounds.cores"), cores_after = number(answer.json, "bounds.cores");
    /* Threads share the work of a batch, and leave it as it is. */
    if (which == 0 && answer.json != NULL)
        EXPECT(isnan(cores) == isnan(cores_after) && !(fabs(cores - cores_after) > 1e-9 * cores),
               "%s: cores carry %.17g, not %.17g", setting, cores_after, cores);
    const bool given = is_given(model, related[which].key), ticks = model->simulate.resolution > 0;
    if (!isnan(after.value) && !isnan(room) && !ticks) {
        if (!given || related[which].sign > 0)
            EXPECT(above(after) * room >= below(before), "%s: %.17g from %.17g", setting, after.value, before.value);
        if (!given || related[which].sign < 0)
            EXPECT(above(before) * room >= below(after), "%s: %.17g from %.17g", setting, after.value, before.value);
    }
    fuzz_answer_free(&answer);
}

/* What `check` prints is the same configuration. */
static void try_checked(const json_t *json)
{
    struct fuzz_answer checked = fuzz_ask(fuzz_subject, "check", NULL, NULL);
    struct fuzz_answer again = fuzz_ask(checked.text, "solve", "--json", NULL);
    EXPECT(json_equal(json_object_get(json, "simulation"), json_object_get(again.json, "simulation")) &&
               json_equal(json_object_get(json, "bounds"), json_object_get(again.json, "bounds")),
           "%s", again.text);
    fuzz_answer_free(&again);
    fuzz_answer_free(&checked);
}

/* A point of a sweep is the answer of `solve`. */
static void try_sweep(const struct dlq_model *model, const json_t *json)
{
    char setting[64];
    snprintf(setting, sizeof setting, "sweep.loaders=%ld", model->system.pipeline.loaders);
    struct fuzz_answer sweep = fuzz_ask(fuzz_subject, "sweep", "--json", setting);
    const json_t *point = json_array_get(json_object_get(sweep.json, "points"), 0);
    const double rate = number(point, "throughput"), solved = number(json, "simulation.throughput.value");
    EXPECT(isnan(rate) || fabs(rate - solved) <= 1e-9 * solved, "%s: %.17g, not %.17g", setting, rate, solved);
    fuzz_answer_free(&sweep);
}

static void try_model(struct dlq_model *model, struct bytes *bytes)
{
    const unsigned next = bytes_next(bytes);
    struct fuzz_answer answer = fuzz_ask(fuzz_subject, "solve", "--json", NULL);
    EXPECT(answer.status == DLQ_OK
               ? answer.json != NULL
               : answer.json == NULL && (answer.status == DLQ_NO_ANSWER || answer.status == DLQ_INVALID),
           "status %d: '%s'", answer.status, answer.text);
    fuzz_no_nan(answer.text);
    if (answer.json != NULL) {
        fuzz_figures("solve", answer.json);
        check_bounds(model, answer.json);
        check_levers(answer.json);
    }
    if ((next & 3) == 0) {
        /* Its figures are those of the JSON: it is looked at for what no text may hold. */
        struct fuzz_answer form = fuzz_ask(fuzz_subject, "solve", next & 4 ? "--csv" : NULL, NULL);
        EXPECT(form.status == answer.status && (form.status == DLQ_OK) == (form.text[0] != '\0'),
               "status %d, not %d: %s", form.status, answer.status, form.text);
        fuzz_no_nan(form.text);
        fuzz_answer_free(&form);
    }
    if ((next & 24) == 8 && answer.json != NULL)
        try_plan(bytes);
    if (answer.json != NULL && next >> 5 == 1)
        try_checked(answer.json);
    else if (answer.json != NULL && next >> 5 == 2)
        try_sweep(model, answer.json);
    else if (answer.json != NULL && next >> 5 > 2)
        try_related(model, answer.json, bytes_next(bytes));
    fuzz_answer_free(&answer);
}

static void run(struct bytes *bytes)
{
    enum { SECONDS = 120 };
    const struct itimerval limit = {.it_value.tv_sec = SECONDS}, none = {.it_value.tv_sec = 0};
    struct dlq_error error = {0};
    struct dlq_model *model = take_model(bytes);
    char *text = model_given(model);
    fuzz_subject = text;
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    if (dlq_model_check(model, &error) == DLQ_OK && is_small(model))
        try_model(model, bytes);
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    fuzz_subject = "";
    free(text);
    dlq_model_free(model);
}

const struct target target_solve = {.name = "solve", .longest = 128, .begin = begin, .run = run};
