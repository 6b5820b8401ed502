/* Laws, models and logs made of an input's bytes, and what the command answers to a model. */
#include "cli/command.h"
#include "fuzz.h"

#include <unistd.h>
#include <zlib.h>

/* -- bytes -- */

unsigned bytes_next(struct bytes *bytes)
{
    if (bytes->left == 0)
        return 0;
    bytes->left--;
    return *bytes->at++;
}

double bytes_double(struct bytes *bytes)
{
    static const double edges[] = {0,    1e-12, 1e-9, 1e-4, 0.005, 0.1, 0.5, 0.75, 1,   1.01, 2,
                                   2.01, 3,     7,    10,   100,   1e3, 1e4, 2e4,  1e6, 1e9,  1e12};
    unsigned how = bytes_next(bytes);
    double value = edges[how % (sizeof edges / sizeof *edges)];
    uint64_t bits = 0;
    switch (how >> 6) {
    case 0:
        return value;
    case 1:
        return nextafter(value, how & 32 ? INFINITY : -INFINITY);
    case 2:
        for (int i = 0; i < 8; i++)
            bits = bits << 8 | bytes_next(bytes);
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        bits = bytes_next(bytes) << 8;
        bits |= bytes_next(bytes);
        return exp(((double)bits / 65536 - 0.5) * 28 * log(10));
    }
}

char *bytes_text(const struct bytes *bytes)
{
    char *text = calloc(bytes->left + 1, 1);
    EXPECT(text != NULL, "no memory");
    if (bytes->left > 0)
        memcpy(text, bytes->at, bytes->left);
    return text;
}

/* -- laws -- */

static const struct {
    const char *key;
    enum dlq_unit unit;
} parameters[LAW_VALUES] = {
    {"mean", DLQ_UNIT_TIME}, {"cv", DLQ_UNIT_NUMBER},    {"sd", DLQ_UNIT_TIME},      {"median", DLQ_UNIT_TIME},
    {"p99", DLQ_UNIT_TIME},  {"shape", DLQ_UNIT_NUMBER}, {"alpha", DLQ_UNIT_NUMBER}, {"stages", DLQ_UNIT_COUNT},
    {"min", DLQ_UNIT_TIME},  {"max", DLQ_UNIT_TIME},
};
_Static_assert(offsetof(struct dlq_parameters, data) == LAW_VALUES * sizeof(double), "ten numbers first");

/* The family's number, bits for the parameters that are given, then these. */
struct law law_take(struct bytes *bytes)
{
    size_t count;
    const struct dlq_family *const *families = dlq_families(&count);
    struct law law = {.family = families[bytes_next(bytes) % count]};
    unsigned given = bytes_next(bytes) << 8;
    given |= bytes_next(bytes);
    /* Mostly those that the family has: else nearly all are refused for what they have too much. */
    if (given & 0x8000)
        given &= law.family->allowed;
    for (int i = 0; i < LAW_VALUES; i++)
        law.values[i] = given >> i & 1 ? bytes_double(bytes) : NAN;
    return law;
}

bool law_make(const struct law *law, const struct dlq_empirical *data, struct dlq_dist *dist)
{
    char why[256] = "";
    unsigned fault = 0;
    struct dlq_parameters given = {.data = law->family->allowed & DLQ_FILE ? data : NULL};
    memcpy(&given, law->values, sizeof law->values);
    bool made = dlq_dist_make(dist, law->family, &given, &fault, why, sizeof why);
    EXPECT(made || (why[0] != '\0' && fault != 0), "%s is refused without a reason", law->family->name);
    return made;
}

void law_measured(struct dlq_empirical *data)
{
    double values[] = {0.5, 0, 2, 2, 1e-9, 7};
    EXPECT(dlq_empirical_from(data, values, sizeof values / sizeof *values, false, NULL) == DLQ_OK, "no memory");
}

/* -- models -- */

static const struct {
    const char *section, *key;
    const char *const values[8];
} settings[SETTINGS + SETTINGS_RUN] = {
    {"pipeline", "loader", {"pytorch", "tfdata", "serial", "dali", "grain", "keras", "pool", "pytorch-unordered"}},
    {"pipeline", "loaders", {"0", "1", "2", "4", "8", "16", "64", "1000"}},
    {"pipeline", "prefetch", {"1", "2", "4", "8", "3", "100", "4096", "1"}},
    {"pipeline", "window", {"unbounded", "1", "2", "8", "16", "100", "4096", "3"}},
    {"pipeline", "ranks", {"1", "2", "8", "64", "1000", "65535", "3", "16"}},
    {"pipeline", "batch_size", {"1", "7", "32", "256", "1024", "1", "2", "3"}},
    {"pipeline", "epoch_batches", {"1", "2", "10", "100", "1000", "1e6", "3", "50"}},
    {"pipeline", "slow_loaders", {"1", "2", "0", "3", "8", "1", "1", "1"}},
    {"pipeline", "slow_factor", {"2", "1.5", "10", "1", "100", "1.01", "3", "4"}},
    {"pipeline", "slow_ranks", {"1", "2", "0", "3", "8", "1", "1", "1"}},
    {"overheads", "dispatch", {"1ms", "0", "1us", "1s", "10ms", "100ms", "1ns", "5ms"}},
    {"overheads", "deliver", {"1ms", "0", "1us", "1s", "10ms", "100ms", "1ns", "5ms"}},
    {"overheads", "receive", {"1ms", "0", "1us", "1s", "10ms", "100ms", "1ns", "5ms"}},
    {"overheads", "barrier", {"1ms", "0", "1us", "1s", "10ms", "100ms", "1ns", "5ms"}},
    {"overheads", "startup", {"1ms", "0", "1us", "1s", "10ms", "100ms", "10s", "5ms"}},
    {"overheads", "pin_time", {"1ms", "0", "1us", "1s", "10ms", "100ms", "1ns", "5ms"}},
    {"load", "per", {"batch", "sample", "sample", "batch", "batch", "sample", "batch", "sample"}},
    {"load", "probability", {"100%", "50%", "1%", "99%", "1e-9", "10%", "2%", "100%"}},
    {"load", "uses", {"cpu", "nothing", "storage", "cpu", "cpu", "cpu", "storage", "storage"}},
    {"load", "bytes", {"110KB", "1B", "1GB", "4MB", "1TB", "1KB", "2MB", "64KB"}},
    {"load", "stream_rate", {"100MB/s", "1GB/s", "1B/s", "10Gb/s", "1e15B/s", "2GB/s", "1MB/s", "5MB/s"}},
    {"host", "cores", {"1", "2", "8", "96", "0.5", "1.5", "4", "16"}},
    {"host", "ranks_per_host", {"1", "2", "8", "4", "3", "16", "64", "1000"}},
    {"storage", "bandwidth", {"1GB/s", "100Gb/s", "1MB/s", "1B/s", "10GB/s", "1TB/s", "2GB/s", "5GB/s"}},
    {"simulate", "resolution", {"100ms", "0", "1ms", "1s", "10ms", "1us", "1ns", "7ms"}},
    {"step", "per", {"batch", "sample", "batch", "batch", "batch", "sample", "batch", "sample"}},
    /* of what is simulated */
    {"pipeline", "persistent", {"yes", "no", "yes", "yes", "yes", "yes", "yes", "yes"}},
    {"simulate", "horizon", {"10ms", "100ms", "1s", "3s", "10s", "1ms", "100s", "7s"}},
    {"simulate", "start", {"staggered", "random", "together", "random", "staggered", "random", "random", "random"}},
    {"simulate", "warmup", {"0", "1", "10", "100", "7", "0", "3", "30"}},
    {"simulate", "method", {"markov", "simulate", "auto", "markov", "markov", "simulate", "markov", "markov"}},
    {"simulate", "sampler", {"exact", "fast", "exact", "exact", "exact", "exact", "exact", "exact"}},
    {"simulate", "measure", {"throughput", "all", "throughput", "all", "throughput", "all", "all", "all"}},
    {"simulate", "precision", {"0", "5%", "0.5%", "10%", "0.1%", "50%", "1%", "0"}},
};

void model_put(struct dlq_model *model, const char *section, const char *key, const char *value)
{
    char path[128];
    struct dlq_error error = {0};
    snprintf(path, sizeof path, "%s.%s", section, key);
    dlq_model_set(model, path, value, &error);
}

void model_put_any(struct dlq_model *model, const char *load, int first, int count, bool horizon, struct bytes *bytes)
{
    const unsigned row = (unsigned)first + bytes_next(bytes) % (unsigned)count, value = bytes_next(bytes) % 8;
    const char *section = strcmp(settings[row].section, "load") == 0 ? load : settings[row].section;
    if (horizon || strcmp(settings[row].key, "horizon") != 0)
        model_put(model, section, settings[row].key, settings[row].values[value]);
}

void model_put_law(struct dlq_model *model, const char *section, struct law law)
{
    if (law.family->allowed & DLQ_FILE)
        law.family = dlq_family_find("constant");
    model_put(model, section, "distribution", law.family->name);
    for (int i = 0; i < LAW_VALUES; i++) {
        char text[DLQ_QUANTITY_TEXT];
        dlq_quantity_exact(law.values[i], parameters[i].unit, text);
        if (text[0] != '\0')
            model_put(model, section, parameters[i].key, text);
    }
}

char *model_given(const struct dlq_model *model)
{
    char *text = NULL, section[80] = "";
    size_t size;
    struct dlq_setting setting;
    FILE *stream = open_memstream(&text, &size);
    EXPECT(stream != NULL, "no memory");
    for (size_t i = 0; dlq_model_setting(model, i, &setting); i++) {
        ENDED(setting.value);
        if (!setting.given)
            continue;
        if (strcmp(section, setting.section) != 0)
            fprintf(stream, "[%s]\n", setting.section);
        snprintf(section, sizeof section, "%s", setting.section);
        fprintf(stream, "%s = %s\n", setting.key, setting.value);
    }
    fclose(stream);
    return text;
}

enum dlq_status model_of(const char *text, size_t size, struct dlq_model **model, struct dlq_error *error)
{
    FILE *stream = fmemopen((void *)text, size, "r");
    EXPECT(stream != NULL, "no memory");
    enum dlq_status status = dlq_model_read(model, "fuzz.ini", stream, error);
    fclose(stream);
    enum dlq_status checked = *model == NULL ? DLQ_FAILURE : dlq_model_check(*model, error);
    return status == DLQ_OK ? checked : status;
}

bool model_bounds(struct dlq_model *model, struct dlq_bounds *bounds)
{
    struct dlq_error error = {0};
    if (!GOOD(dlq_bounds(model, bounds, &error), &error))
        return false;
    EXPECT(bounds->upper > 0 && bounds->bottleneck != DLQ_CAUSE_NONE, "upper %g", bounds->upper);
    KNOWN(0, bounds->upper * (1 + 1e-9), bounds->lower);
    return true;
}

/* -- the command -- */

struct fuzz_answer fuzz_ask(const char *config, const char *word, const char *form, const char *setting)
{
    char *arguments[] = {"dlqueue", (char *)word, "-", "--quiet", "--threads", "1", NULL, NULL, NULL, NULL};
    int count = strcmp(word, "check") == 0 ? 4 : 6;
    size_t size = 0;
    struct fuzz_answer answer = {0};
    FILE *const input = stdin, *const output = stdout; /* variables, in glibc */
    if (form != NULL)
        arguments[count++] = (char *)form;
    if (setting != NULL)
        arguments[count++] = "--set", arguments[count++] = (char *)setting;
    arguments[count] = NULL;
    stdin = fmemopen((void *)config, strlen(config), "r");
    stdout = open_memstream(&answer.text, &size);
    EXPECT(stdin != NULL && stdout != NULL, "no memory");
    answer.status = dlq_command_main(count, arguments, dlq_commands);
    fclose(stdin);
    fclose(stdout);
    stdin = input, stdout = output;
    if (form != NULL && strcmp(form, "--json") == 0)
        answer.json = json_loads(answer.text, 0, NULL);
    return answer;
}

void fuzz_answer_free(struct fuzz_answer *answer)
{
    json_decref(answer->json);
    free(answer->text);
}

/* -- logs -- */

enum { LOG_FORMAT = 31, LOG_PACK = 32, LOG_SKIP = 64, LOG_RANKS = 128 };

/* By way of a file, which zlib packs or leaves as it is. */
static enum dlq_status log_read(struct dlq_trace *trace, unsigned how, unsigned number, const uint8_t *bytes,
                                size_t size, struct dlq_error *error)
{
    char name[32];
    FILE *stream = tmpfile();
    gzFile packing = stream == NULL ? NULL : gzdopen(dup(fileno(stream)), how & LOG_PACK ? "wb1" : "wbT");
    EXPECT(packing != NULL && gzwrite(packing, bytes, (unsigned)size) == (int)size && gzclose(packing) == Z_OK,
           "no file of %zu bytes", size);
    rewind(stream);
    snprintf(name, sizeof name, how & LOG_RANKS ? "fuzz-rank%u.log" : "fuzz-%u.log", number % 5);
    enum dlq_status status = dlq_trace_read(trace, name, stream, error);
    fclose(stream);
    return status;
}

struct dlq_trace *logs_read(struct bytes *bytes)
{
    struct dlq_format_help help = {0};
    struct dlq_trace *trace = NULL;
    struct dlq_error error = {0};
    const unsigned how = bytes->left == 0 ? LOG_FORMAT : bytes_next(bytes);
    const bool named = dlq_format_help(how & LOG_FORMAT, &help);
    const struct dlq_trace_options options = {.format = named ? help.name : NULL, .skip_bad = how & LOG_SKIP ? 5 : 0};
    enum dlq_status status = dlq_trace_new(&trace, &options, &error);
    size_t at = 0, length;
    for (unsigned number = 0; status == DLQ_OK && at <= bytes->left; number++, at += length + 2) {
        length = 0;
        while (at + length < bytes->left &&
               (bytes->left - at - length < 2 || memcmp(bytes->at + at + length, "\f\n", 2) != 0))
            length++;
        status = log_read(trace, how, number, bytes->at + at, length, &error);
    }
    if (GOOD(status, &error))
        return trace;
    dlq_trace_free(trace);
    return NULL;
}
