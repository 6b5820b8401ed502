/* Finds the meaning of a label by its words: which time it names, of data or of an iteration, and in which unit. This
   needs no list of programs, as programs differ in punctuation, and hardly in words. */
#include "logs/read/formats/generic.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Kinds of words. A label with a word of kind REFUSES or UNKNOWN names no time of an iteration. FILLER: a word that
   changes nothing; TIME: says that the number is a time; WALL: of the time since the start. */
enum kind { UNKNOWN, DATA, ITER, PART, FILLER, TIME, WALL, REFUSES };

static const struct word {
    const char *text;
    enum kind kind;
} words[] = {
    /* clang-format off */
    {"acc", REFUSES}, {"accuracy", REFUSES}, {"allreduce", PART}, {"average", FILLER}, {"avg", FILLER},
    {"backward", PART}, {"batch", ITER}, {"begin", REFUSES}, {"blocked", DATA}, {"bsz", REFUSES}, {"budget", REFUSES},
    {"bwd", PART}, {"bytes", REFUSES}, {"checkpoint", REFUSES}, {"ckpt", REFUSES}, {"comm", PART}, {"compute", PART},
    {"cost", TIME}, {"count", REFUSES}, {"cur", FILLER}, {"current", FILLER}, {"cycle", ITER}, {"data", DATA},
    {"dataload", DATA}, {"dataloader", DATA}, {"dataloading", DATA}, {"dataset", DATA}, {"datatime", DATA},
    {"date", REFUSES}, {"decay", REFUSES}, {"device", PART}, {"dispatched", REFUSES}, {"dt", TIME}, {"duration", TIME}, {"e2e", ITER},
    {"each", FILLER}, {"elapsed", TIME}, {"end", REFUSES}, {"epoch", REFUSES}, {"error", REFUSES}, {"eta", REFUSES},
    {"eval", REFUSES}, {"evaluation", REFUSES}, {"every", REFUSES}, {"feed", DATA}, {"fetch", DATA},
    {"fetching", DATA}, {"for", FILLER}, {"forward", PART}, {"freq", REFUSES}, {"fwd", PART}, {"gb", REFUSES}, {"generator", DATA},
    {"gpu", PART}, {"host", FILLER}, {"id", REFUSES}, {"images", REFUSES}, {"in", FILLER}, {"index", REFUSES},
    {"infer", REFUSES}, {"inference", REFUSES}, {"inner", PART}, {"input", DATA}, {"interval", REFUSES}, {"io", DATA},
    {"ips", REFUSES}, {"iter", ITER}, {"iteration", ITER}, {"iterations", ITER}, {"itime", ITER}, {"kernel", PART},
    {"left", REFUSES}, {"limit", REFUSES}, {"load", DATA}, {"loader", DATA}, {"loading", DATA}, {"loop", ITER},
    {"loss", REFUSES}, {"lr", REFUSES}, {"max", REFUSES}, {"mb", REFUSES}, {"mean", FILLER}, {"median", REFUSES},
    {"mem", REFUSES}, {"memory", REFUSES}, {"metrics", FILLER}, {"microstep", PART}, {"min", REFUSES}, {"model", PART},
    {"momentum", REFUSES}, {"net", PART}, {"next", DATA}, {"norm", REFUSES}, {"num", REFUSES}, {"number", REFUSES},
    {"of", FILLER}, {"optim", PART}, {"optimizer", PART}, {"overall", FILLER}, {"p50", REFUSES}, {"p90", REFUSES},
    {"p95", REFUSES}, {"p99", REFUSES}, {"per", FILLER}, {"percent", REFUSES}, {"perf", FILLER}, {"predict", REFUSES},
    {"rate", REFUSES}, {"ratio", REFUSES}, {"read", DATA}, {"reader", DATA}, {"received", REFUSES},
    {"remaining", REFUSES}, {"request", REFUSES}, {"rtime", DATA}, {"run", FILLER}, {"samples", REFUSES},
    {"save", REFUSES}, {"scale", REFUSES}, {"seed", REFUSES}, {"share", REFUSES}, {"size", REFUSES},
    {"speed", REFUSES}, {"start", REFUSES}, {"stats", FILLER}, {"std", REFUSES}, {"step", ITER}, {"steps", ITER},
    {"t", TIME}, {"taken", FILLER}, {"test", REFUSES}, {"throughput", REFUSES}, {"time", TIME}, {"timeout", REFUSES},
    {"timer", TIME}, {"timers", TIME}, {"times", TIME}, {"timestamp", REFUSES}, {"timing", TIME}, {"to", FILLER},
    {"tokens", REFUSES}, {"took", TIME}, {"total", FILLER}, {"train", FILLER}, {"trainer", FILLER},
    {"training", FILLER}, {"until", REFUSES}, {"update", PART}, {"updt", PART}, {"utilization", REFUSES},
    {"val", REFUSES}, {"valid", REFUSES}, {"validation", REFUSES}, {"wait", DATA}, {"waiting", DATA}, {"wall", WALL},
    {"warmup", REFUSES}, {"weight", REFUSES}, {"workers", REFUSES},
    /* clang-format on */
};

enum { WORDS = sizeof words / sizeof *words, LONGEST_WORD = 24, MOST_WORDS = 12 };

bool dlq_label_words_sorted(void)
{
    for (size_t i = 1; i < WORDS; i++)
        if (strcmp(words[i - 1].text, words[i].text) >= 0)
            return false;
    return true;
}

static int compare(const void *text, const void *row)
{
    return strcmp(text, ((const struct word *)row)->text);
}

static enum kind kind_of(const char *text)
{
    static const char *const stems[] = {"evaluat", "validat", "infer", "predict", "test"};
    const struct word *found = bsearch(text, words, WORDS, sizeof *words, compare);
    for (size_t i = 0; found == NULL && i < sizeof stems / sizeof *stems; i++)
        if (strncmp(text, stems[i], strlen(stems[i])) == 0)
            return REFUSES;
    return found != NULL ? found->kind : UNKNOWN;
}

double dlq_unit_of(const char *text, size_t length)
{
    static const struct {
        const char *text;
        double seconds;
    } units[] = {
        {"s", 1},        {"ms", 1e-3},     {"us", 1e-6},           {"ns", 1e-9},          {"\xC2\xB5s", 1e-6},
        {"sec", 1},      {"secs", 1},      {"second", 1},          {"seconds", 1},        {"msec", 1e-3},
        {"msecs", 1e-3}, {"millis", 1e-3}, {"milliseconds", 1e-3}, {"usec", 1e-6},        {"usecs", 1e-6},
        {"min", 60},     {"minutes", 60},  {"microseconds", 1e-6}, {"nanoseconds", 1e-9},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].text) == length && memcmp(text, units[i].text, length) == 0)
            return units[i].seconds;
    return 0;
}

const char *dlq_unit_name(double seconds)
{
    static const char *const names[] = {"s", "ms", "us", "ns", "min"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (dlq_unit_of(names[i], strlen(names[i])) == seconds)
            return names[i];
    return "";
}

double dlq_unit_behind(const char *at, const char **end)
{
    const char *unit = at + strspn(at, " \t");
    size_t length = 0;
    while (isalpha((unsigned char)unit[length]) || (unsigned char)unit[length] >= 0x80)
        length++;
    /* "12 s/it" is a time per iteration; in "12 s_total: 3" the s begins another label. */
    bool ends = !isdigit((unsigned char)unit[length]) && unit[length] != '_' && unit[length] != '/';
    double seconds = ends ? dlq_unit_of(unit, length) : 0;
    if (end != NULL)
        *end = seconds > 0 ? unit + length : at;
    return seconds;
}

/* Cuts off the next word, in lower case: letters and digits, up to a capital behind a small letter ("dataTime" has two
   words); "end-to-end" is e2e. Returns the text behind the word; null: there is none. */
static const char *next_word(const char *at, const char *end, char word[LONGEST_WORD])
{
    size_t length = 0;
    while (at < end && !isalnum((unsigned char)*at) && (unsigned char)*at < 0x80)
        at++;
    if (end - at >= 10 && strncasecmp(at, "end", 3) == 0 && strncasecmp(at + 4, "to", 2) == 0 &&
        strncasecmp(at + 7, "end", 3) == 0) {
        memcpy(word, "e2e", 4);
        return at + 10;
    }
    const char *first = at;
    while (at < end && (isalnum((unsigned char)*at) || (unsigned char)*at >= 0x80)) {
        if (at > first && isupper((unsigned char)*at) && islower((unsigned char)at[-1]))
            break;
        if (length + 1 < LONGEST_WORD)
            word[length++] = (char)tolower((unsigned char)*at);
        at++;
    }
    word[length] = '\0';
    return length > 0 ? at : NULL;
}

struct dlq_meaning dlq_meaning_of(const char *label, size_t length, bool has_unit)
{
    const struct dlq_meaning none = {.role = DLQ_ROLE_UNKNOWN};
    struct dlq_meaning meaning = none;
    size_t count[REFUSES + 1] = {0}, all = 0;
    char word[LONGEST_WORD], only[LONGEST_WORD] = "";
    bool per = false;                                                                     /* the word before is "per" */
    bool waits = false, total = false, forward = false, backward = false, device = false; /* words of the label */
    bool whole = false; /* "per step", "s/step", "total step time" */
    const char *end = label + length;
    if (memchr(label, '%', length) != NULL)
        return (struct dlq_meaning){.role = DLQ_ROLE_REFUSED};
    for (const char *at = label; (at = next_word(at, end, word)) != NULL;) {
        const size_t size = strlen(word);
        const double unit = strcmp(word, "min") != 0 ? dlq_unit_of(word, size) : 0;
        if (++all > MOST_WORDS)
            return none;
        if (unit > 0) { /* "steps_per_second" and "steps/s" are rates */
            count[REFUSES] += per || (at - size > label && at[-(ptrdiff_t)size - 1] == '/');
            whole |= *at == '/';
            meaning.unit = unit;
            continue;
        }
        per = strcmp(word, "per") == 0;
        whole |= per || strcmp(word, "total") == 0 || strcmp(word, "overall") == 0;
        enum kind kind = kind_of(word);
        if (kind == UNKNOWN) { /* "data0": a word with a number */
            word[strcspn(word, "0123456789")] = '\0';
            kind = strlen(word) < size ? kind_of(word) : UNKNOWN;
        }
        count[kind]++;
        if (kind != FILLER && kind != TIME)
            memcpy(only, word, sizeof only);
        total |= strcmp(word, "total") == 0;
        forward |= strcmp(word, "forward") == 0 || strcmp(word, "fwd") == 0;
        waits |= strstr(word, "wait") != NULL || strcmp(word, "blocked") == 0 || strcmp(word, "rtime") == 0;
        backward |= strcmp(word, "backward") == 0 || strcmp(word, "bwd") == 0;
        device |= strcmp(word, "device") == 0 || strcmp(word, "gpu") == 0;
        meaning.whole_step |= strcmp(word, "updt") == 0 || strcmp(word, "update") == 0 ||
                              strcmp(word, "compute") == 0 || strcmp(word, "model") == 0;
    }
    meaning.direction = forward || backward;
    meaning.whole_step |= (forward && backward) || (device && count[ITER] == 1); /* "fwd+bwd", "device_step" */
    meaning.bare_step = count[ITER] == 1 && all == 1 && strcmp(only, "step") == 0;
    meaning.step = count[ITER] == 1 && !whole && strncmp(only, "step", 4) == 0;
    if (count[REFUSES] > 0) {
        meaning.role = DLQ_ROLE_REFUSED;
        return meaning;
    }
    const struct dlq_meaning unknown = {.role = DLQ_ROLE_UNKNOWN, .unit = meaning.unit};
    if (count[UNKNOWN] > 0 || all == 0)
        return unknown;
    meaning.sure = has_unit || meaning.unit > 0 || count[TIME] > 0 || waits || strcmp(only, "itime") == 0 ||
                   strcmp(only, "datatime") == 0 || memchr(label, '(', length) != NULL;
    if (count[WALL] > 0)
        meaning.role = count[DATA] + count[ITER] + count[PART] > 0 ? DLQ_ROLE_UNKNOWN : DLQ_ROLE_CLOCK;
    else if (count[DATA] > 0 && count[PART] > 0)
        meaning.role = DLQ_ROLE_REFUSED;
    else if (count[DATA] > 0)
        meaning.role = DLQ_ROLE_DATA;
    else if (count[PART] > 0)
        meaning.role = DLQ_ROLE_PART;
    else if (count[ITER] > 0)
        meaning.role = DLQ_ROLE_ITER;
    else if (count[TIME] > 0 || (meaning.unit > 0 && all == 1))
        meaning.role = DLQ_ROLE_TIME;
    else if (total && count[FILLER] == 1) { /* "total_ms", beside the time of a part */
        meaning.role = DLQ_ROLE_TIME;
        meaning.bare_total = true;
    }
    return meaning.role != DLQ_ROLE_UNKNOWN ? meaning : unknown;
}
