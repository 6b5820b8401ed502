/* Whole configurations, solved and planned by the command.
   Small ones: an answer takes milliseconds. What the command says is looked at as its user sees it, by exit status,
   JSON, CSV and text: no number that is none, intervals in order, shares within 0 and 1, throughputs that the bounds
   allow, gains that agree with what they lead to, plans that keep their promise. An input that takes
   SECONDS of a processor is a find, too. */
#include "cli/command.h"
#include "settings.h"
#include "study/model.h"

#include <ctype.h>
#include <gsl/gsl_errno.h>
#include <jansson.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static const char *solving = ""; /* the configuration, for the handler */

static void take_long(int signal_number)
{
    static const char text[] = "this takes too long:\n";
    (void)signal_number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0 || write(STDERR_FILENO, solving, strlen(solving)) < 0)
        _exit(1);
    abort();
}

void target_begin(void)
{
    struct sigaction action = {.sa_handler = take_long};
    gsl_set_error_handler_off();
    sigaction(SIGVTALRM, &action, NULL);
}

/* -- configurations -- */

/* Besides those of settings.h. */
static const struct {
    const char *section, *key;
    const char *const values[8];
} more[] = {
    {"pipeline", "persistent", {"yes", "no", "yes", "yes", "yes", "yes", "yes", "yes"}},
    {"simulate", "horizon", {"10ms", "100ms", "1s", "3s", "10s", "1ms", "100s", "7s"}},
    {"simulate", "start", {"staggered", "random", "together", "random", "staggered", "random", "random", "random"}},
    {"simulate", "warmup", {"0", "1", "10", "100", "7", "0", "3", "30"}},
    {"simulate", "method", {"markov", "simulate", "auto", "markov", "markov", "simulate", "markov", "markov"}},
    {"simulate", "sampler", {"exact", "fast", "exact", "exact", "exact", "exact", "exact", "exact"}},
    {"simulate", "measure", {"throughput", "all", "throughput", "all", "throughput", "all", "all", "all"}},
    {"simulate", "precision", {"0", "5%", "0.5%", "10%", "0.1%", "50%", "1%", "0"}},
};
enum { MORE = sizeof more / sizeof *more };

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
};
enum { TOGETHER = sizeof together / sizeof *together };

static void set_together(struct dlq_model *model, const char *rows)
{
    char path[64], value[64];
    struct dlq_error error = {0};
    for (int read; sscanf(rows, " %63[^=]=%63s%n", path, value, &read) == 2; rows += read)
        dlq_model_set(model, path, value, &error);
}

/* Any law with parameters as they are met; one of sixteen with whatever parameters. */
static void set_usual_law(struct dlq_model *model, const char *section, struct bytes *bytes)
{
    static const double means[] = {0.1, 0.01, 0.001, 1, 0.03, 0.007, 0.25, 0}, cvs[] = {0.3, 1, 2, 5, 0.1, 82, 0.75, 1};
    size_t count;
    const struct dlq_family *const *families = dlq_families(&count);
    unsigned which = bytes_next(bytes), how = which >= 240 ? 0 : bytes_next(bytes);
    double mean = means[how & 7], spread = 1 + (how >> 6);
    if (which >= 240) {
        set_law(model, section, bytes);
        return;
    }
    const struct dlq_family *family = families[mean > 0 ? which % count : 0];
    if (family->allowed & DLQ_FILE)
        family = dlq_family_find("constant");
#define ALLOWED(parameter, value) (family->allowed & (parameter) ? (value) : NAN)
    const struct dlq_parameters given = {
        .mean = ALLOWED(DLQ_MEAN, mean),
        .cv = ALLOWED(DLQ_CV, cvs[how >> 3 & 7]),
        .sd = NAN,
        .median = NAN,
        .p99 = NAN,
        .shape = NAN,
        .alpha = ALLOWED(DLQ_ALPHA, spread + 0.5),
        .stages = ALLOWED(DLQ_STAGES, spread),
        .minimum = ALLOWED(DLQ_MINIMUM, mean),
        .maximum = ALLOWED(DLQ_MAXIMUM, mean + spread / 10),
    };
#undef ALLOWED
    set_parameters(model, section, family, given);
}

/* Stages, laws, then settings. */
static struct dlq_model *take_model(struct bytes *bytes)
{
    enum { STAGES = 3 };
    static const char *const names[STAGES] = {"load.read", "load.decode", "load.collate"};
    static const char *const batches[] = {"100", "1", "2", "10", "50", "300", "30", "7"};
    static const char *const replications[] = {"8", "1", "2", "3", "4", "16", "16", "12"};
    struct dlq_model *model = NULL;
    struct dlq_error error = {0};
    EXPECT(dlq_model_new(&model, &error) == DLQ_OK, "%s", error.text);
    unsigned head = bytes_next(bytes), size = bytes_next(bytes), stages = 1 + (head & 3) % STAGES;
    bool horizon = (head >> 2 & 3) == 0;
    set(model, "pipeline", "loaders", "4");
    set(model, "simulate", "replications", replications[size & 7]);
    if (!horizon)
        set(model, "simulate", "batches", batches[size >> 3 & 7]);
    for (unsigned i = 0; i < stages; i++)
        set_usual_law(model, stages == 1 ? "load" : names[i], bytes);
    set_usual_law(model, (size & 7) == 6 ? "step.usual" : "step", bytes);
    for (unsigned i = 0, count = size >> 6 | (head >> 4 & 12); i < count; i++) {
        const char *load = stages == 1 ? "load" : names[bytes_next(bytes) % stages];
        set_any(model, load, bytes);
    }
    for (unsigned i = 0, count = head >> 4 & 3; i < count; i++) {
        unsigned row = bytes_next(bytes) % MORE, value = bytes_next(bytes) % 8;
        if (horizon || strcmp(more[row].key, "horizon") != 0)
            set(model, more[row].section, more[row].key, more[row].values[value]);
    }
    if (horizon)
        set(model, "simulate", "horizon", more[1].values[size >> 3 & 7]);
    for (unsigned i = 0, count = bytes_next(bytes) & 3; i < count; i++)
        set_together(model, together[bytes_next(bytes) % TOGETHER]);
    return model;
}

/* Steps of all ranks of all runs, loaders, and batches that are kept: some warm-ups are as many windows long. */
static bool is_small(struct dlq_model *model)
{
    enum { LOADERS = 64, RANKS = 16, STEPS = 20000, SAMPLES = 32, WINDOW = 256 };
    const struct dlq_pipeline *pipeline = &model->system.pipeline;
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
    /* What is compared is simulated sixteen replications at a time. */
    return steps * (double)pipeline->ranks * fmax(16, (double)model->simulate.replications) <= STEPS;
}

/* -- the command -- */

struct answer {
    int status;
    char *text; /* of standard output; owned */
    json_t *json;
};

/* dlqueue WORD CONFIG FORM --set SETTING, any of the last two null. What is said on standard error is not looked at. */
static struct answer ask(const char *word, const char *form, const char *setting)
{
    char path[32];
    char *arguments[] = {"dlqueue", (char *)word, path, "--quiet", "--threads", "1", NULL, NULL, NULL};
    FILE *input = tmpfile(), *output = tmpfile();
    int count = 6, out = dup(STDOUT_FILENO);
    struct answer answer = {0};
    EXPECT(input != NULL && output != NULL && out >= 0 && fputs(solving, input) >= 0 && fflush(input) == 0, "no files");
    snprintf(path, sizeof path, "/dev/fd/%d", fileno(input));
    if (form != NULL)
        arguments[count++] = (char *)form;
    if (setting != NULL)
        arguments[count++] = "--set", arguments[count++] = (char *)setting;
    fflush(stdout);
    EXPECT(dup2(fileno(output), STDOUT_FILENO) >= 0, "cannot redirect");
    answer.status = dlq_command_main(count, arguments);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(out);
    fseek(output, 0, SEEK_END);
    size_t length = (size_t)ftell(output);
    answer.text = calloc(length + 1, 1);
    rewind(output);
    EXPECT(answer.text != NULL && fread(answer.text, 1, length, output) == length, "cannot read");
    fclose(input);
    fclose(output);
    if (form != NULL && strcmp(form, "--json") == 0)
        answer.json = json_loads(answer.text, 0, NULL);
    return answer;
}

static void answer_free(struct answer *answer)
{
    json_decref(answer->json);
    free(answer->text);
}

/* -- what an answer must be -- */

#define FIND(condition, ...)                                                                                           \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            fprintf(stderr, "%s\n", solving);                                                                          \
        EXPECT(condition, __VA_ARGS__);                                                                                \
    } while (0)

/* As a word of its own. */
static void check_no_nan(const char *text)
{
    static const char *const words[] = {"nan", "inf"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (const char *at = text; (at = strstr(at, words[i])) != NULL; at++)
            FIND((at != text && isalpha((unsigned char)at[-1])) || isalpha((unsigned char)at[3]), "%.*s", 160,
                 at - text < 80 ? text : at - 80);
}

/* What "simulation.throughput.low" says; NAN where there is no such number. */
static double number_at(const json_t *from, const char *path)
{
    char part[64];
    for (; from != NULL && *path != '\0'; path += strcspn(path, "."), path += *path == '.') {
        snprintf(part, sizeof part, "%.*s", (int)strcspn(path, "."), path);
        from = json_object_get(from, part);
    }
    return json_is_number(from) ? json_number_value(from) : NAN;
}

static struct dlq_estimate estimate_at(const json_t *from)
{
    return (struct dlq_estimate){number_at(from, "value"), number_at(from, "low"), number_at(from, "high")};
}

static bool is_share(const char *name)
{
    return strcmp(name, "utilization") == 0 || strcmp(name, "au") == 0 || strcmp(name, "stalled_steps") == 0;
}

/* Whatever of an answer has a low and a high end. */
static void check_estimates(const char *name, json_t *part)
{
    const char *key;
    size_t index;
    json_t *value;
    if (json_object_get(part, "low") != NULL) {
        const struct dlq_estimate estimate = estimate_at(part);
        double slack = 1e-9 * fabs(estimate.value);
        FIND(estimate.low <= estimate.value + slack && estimate.value <= estimate.high + slack,
             "%s: %.17g in %.17g..%.17g", name, estimate.value, estimate.low, estimate.high);
        FIND(strcmp(name, "gain") == 0 ? estimate.low >= -1 - 1e-9 : estimate.low >= 0, "%s from %.17g", name,
             estimate.low);
        FIND(!is_share(name) || estimate.high <= 1 + 1e-9, "%s up to %.17g", name, estimate.high);
        return;
    }
    json_object_foreach(part, key, value) check_estimates(key, value);
    json_array_foreach(part, index, value) check_estimates(name, value);
}

static bool warned(const json_t *json, const char *what)
{
    size_t index;
    const json_t *warning;
    json_array_foreach(json_object_get(json, "warnings"), index,
                       warning) if (strstr(json_string_value(warning), what) != NULL) return true;
    return false;
}

/* Which interval a few runs have is up to chance: a find is beyond WIDER of its half-widths. Batches of a short run are
   partly those that were loaded before it, or in flight at its end: a window of them. Of few slow phases chance decides
   how much of the run they are. */
static void check_bounds(const struct dlq_model *model, const json_t *json)
{
    enum { WIDER = 4 };
    const struct dlq_estimate rate = estimate_at(json_object_get(json_object_get(json, "simulation"), "throughput"));
    double upper = number_at(json, "bounds.upper"), lower = number_at(json, "bounds.lower");
    double window = number_at(json, "window"), replications = number_at(json, "simulation.replications");
    bool horizon = !isnan(model->simulate.horizon);
    double batches = horizon ? number_at(json, "simulation.batches.value") : (double)model->simulate.batches;
    /* A cache that holds all leaves loads that take no time. */
    bool free = isnan(upper) && model->system.cache.given && model->system.step.mean == 0;
    FIND((free || upper > 0) && (free || isnan(lower) || lower <= upper * (1 + 1e-9)), "bounds %.17g..%.17g", lower,
         upper);
    FIND(!warned(json, "an error of dlqueue"), "%s", json_dumps(json_object_get(json, "warnings"), 0));
    if (isnan(rate.value) || replications == 1 || isnan(window) || window * 10 > batches || warned(json, "tail") ||
        warned(json, "slow phases were simulated"))
        return;
    double room = 1 + (window + 1) / batches;
    FIND(rate.value - WIDER * (rate.value - rate.low) <= upper * room * (1 + 1e-6), "%.17g..%.17g above %.17g",
         rate.low, rate.high, upper);
    FIND(horizon || isnan(lower) || rate.value + WIDER * (rate.high - rate.value) >= lower / room * (1 - 1e-6),
         "%.17g..%.17g below %.17g", rate.low, rate.high, lower);
}

/* A gain that is called proven is one, and what it leads to agrees. */
static void check_levers(const json_t *json)
{
    const struct dlq_estimate rate = estimate_at(json_object_get(json_object_get(json, "simulation"), "throughput"));
    size_t index;
    const json_t *lever;
    json_array_foreach(json_object_get(json, "levers"), index, lever)
    {
        const char *change = json_string_value(json_object_get(lever, "change"));
        const struct dlq_estimate gain = estimate_at(json_object_get(lever, "gain"));
        const struct dlq_estimate after = estimate_at(json_object_get(lever, "throughput"));
        if (!json_is_true(json_object_get(lever, "proven")) || isnan(rate.value))
            continue;
        FIND(gain.low > 0 || gain.high < 0, "%s: %.17g in %.17g..%.17g", change, gain.value, gain.low, gain.high);
        FIND(isnan(after.value) || (after.value - rate.value) * gain.value >= -1e-9 * rate.value,
             "%s: gain %.17g, yet %.17g after %.17g", change, gain.value, after.value, rate.value);
    }
}

/* Their figures are those of the JSON: these are looked at for what no text may hold. */
static void try_form(const char *form, int status)
{
    struct answer answer = ask("solve", form, NULL);
    FIND(answer.status == status, "status %d, of JSON %d", answer.status, status);
    FIND((status == DLQ_OK) == (answer.text[0] != '\0'), "status %d: '%s'", status, answer.text);
    check_no_nan(answer.text);
    answer_free(&answer);
}

/* -- plans -- */

static void try_plan(struct bytes *bytes)
{
    static const char *const targets[] = {"plan.target=95%", "plan.target=50%", "plan.target=90%", "plan.target=99%"};
    char setting[64];
    struct answer plan = ask("plan", "--json", targets[bytes_next(bytes) & 3]);
    const json_t *met = json_object_get(plan.json, "met"), *answer = json_object_get(plan.json, "answer");
    FIND(plan.status == DLQ_OK || plan.status == DLQ_NO_ANSWER || plan.status == DLQ_INVALID, "status %d", plan.status);
    FIND(plan.status != DLQ_OK || json_is_true(met), "status 0: '%s'", plan.text);
    FIND(plan.json == NULL || plan.status == (json_is_true(met) ? DLQ_OK : DLQ_NO_ANSWER), "status %d: %s", plan.status,
         plan.text);
    check_no_nan(plan.text);
    if (plan.json != NULL)
        check_estimates("plan", plan.json);
    if (json_is_true(met)) {
        snprintf(setting, sizeof setting, "pipeline.loaders=%.0f", number_at(answer, "loaders"));
        struct answer solved = ask("solve", "--json", setting);
        const struct dlq_estimate busy =
            estimate_at(json_object_get(json_object_get(solved.json, "simulation"), "utilization"));
        double runs = number_at(solved.json, "simulation.replications");
        FIND(solved.status == DLQ_OK, "status %d with %s", solved.status, setting);
        FIND(runs < 4 || busy.value + 4 * (busy.high - busy.value) >= number_at(plan.json, "target") * (1 - 1e-6),
             "%s of %s: %.17g..%.17g is below %.17g", setting, "plan", busy.low, busy.high,
             number_at(plan.json, "target"));
        answer_free(&solved);
    }
    answer_free(&plan);
}

static void try_model(struct dlq_model *model, struct bytes *bytes)
{
    unsigned next = bytes_next(bytes);
    struct answer answer = ask("solve", "--json", NULL);
    FIND(answer.status == DLQ_OK || answer.status == DLQ_NO_ANSWER || answer.status == DLQ_INVALID, "status %d",
         answer.status);
    FIND((answer.status == DLQ_OK) == (answer.json != NULL), "status %d: '%s'", answer.status, answer.text);
    check_no_nan(answer.text);
    if (answer.json != NULL) {
        check_estimates("solve", answer.json);
        check_bounds(model, answer.json);
        check_levers(answer.json);
    }
    if ((next & 3) == 0)
        try_form(next & 4 ? "--csv" : NULL, answer.status);
    if ((next & 24) == 8 && answer.json != NULL)
        try_plan(bytes);
    answer_free(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LONGEST = 128 };
    enum { SECONDS = 120 };
    const struct itimerval limit = {.it_value.tv_sec = SECONDS}, none = {.it_value.tv_sec = 0};
    struct bytes bytes = {data, size};
    struct dlq_error error = {0};
    size_t length;
    if (size > LONGEST)
        return 0;
    struct dlq_model *model = take_model(&bytes);
    char *text = settings_written(model, &length);
    solving = text;
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    if (dlq_model_check(model, &error) == DLQ_OK && is_small(model))
        try_model(model, &bytes);
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    solving = "";
    free(text);
    dlq_model_free(model);
    return 0;
}
