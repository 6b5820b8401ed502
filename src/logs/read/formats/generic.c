/* Recognizes a log of no known format whose lines name their times, and writes the patterns that read it. */
#include "logs/read/formats/generic.h"

#include "base/utf8.h"

#include <ctype.h>
#include <gsl/gsl_sort.h>
#include <string.h>
#include <strings.h>

enum { COUNTERS = 6, TEXT = 160 };

const struct dlq_format *dlq_generic_row(enum dlq_numbers numbers, bool columns)
{
    const struct dlq_format *row;
    for (size_t i = 0; (row = dlq_format_at(i)) != NULL; i++)
        if (row->recognized && row->numbers == numbers && row->named_columns == columns)
            return row;
    return NULL;
}

/* -- what the lines name -- */

struct survey {
    struct dlq_observed observed;
    char counters[COUNTERS][64];
    size_t counter_count;
    uint32_t masks[DLQ_OBSERVED];            /* of the labels in each line */
    double counts[DLQ_OBSERVED][COUNTERS];   /* NAN: not in the line */
    double seconds[DLQ_OBSERVED][DLQ_NAMED]; /* the numbers in parentheses */
    long places[DLQ_OBSERVED], place;        /* of the lines in the log */
    size_t common;                           /* numbers with labels of any kind */
};

static size_t place_of(char (*names)[64], size_t *count, size_t most, const char *text, size_t length)
{
    size_t i = 0;
    while (i < *count && !(strlen(names[i]) == length && memcmp(names[i], text, length) == 0))
        i++;
    if (i == *count && i < most && length < sizeof names[0]) {
        memcpy(names[i], text, length);
        names[i][length] = '\0';
        ++*count;
    }
    return i < *count ? i : most;
}

static bool ends_with(const struct dlq_labeled *found, const char *word)
{
    const size_t length = strlen(word);
    const char *at = found->label + found->length - length;
    return found->length >= length && strncasecmp(at, word, length) == 0 &&
           (found->length == length || !isalnum((unsigned char)at[-1]));
}

/* Whether a number counts iterations. "[256/65368 (0%)]" counts samples. */
static bool is_counter(const struct dlq_labeled *found)
{
    static const char *const words[] = {"iter",  "iters",     "iteration", "iterations", "step", "steps",
                                        "batch", "batch_idx", "it",        "updates",    "idx"};
    bool counts = found->bracket && found->of_total;
    for (size_t i = 0; i < sizeof words / sizeof *words && !counts; i++)
        counts = ends_with(found, words[i]);
    const char *total = found->behind + strspn(found->behind, " \t/0123456789");
    return counts && found->whole && !(found->of_total && *total == '(');
}

/* Whether a number is a time by its label: "step 5" and "batch: 3" count. */
static bool is_time(const struct dlq_labeled *found, double of_line)
{
    const enum dlq_means role = found->meaning.role;
    const bool sure = found->meaning.sure || found->unit > 0 || of_line > 0;
    if (!found->time || found->length == 0 || role == DLQ_MEANS_NOTHING || role == DLQ_MEANS_REFUSED)
        return false;
    return sure || role == DLQ_MEANS_WHOLE || (!found->whole && (found->separated || found->inner != NULL));
}

/* "time (data): 0.753 (0.410)" has two labels. */
static bool is_double(const struct dlq_labeled *found, struct dlq_meaning *first, struct dlq_meaning *second)
{
    const char *open = memchr(found->label, '(', found->length);
    if (found->inner == NULL || open == NULL || open == found->label || found->label[found->length - 1] != ')')
        return false;
    const size_t before = (size_t)(open - found->label), inside = found->length - before - 2;
    *first = dlq_meaning_of(found->label, before, true);
    *second = dlq_meaning_of(open + 1, inside, true);
    return dlq_unit_of(open + 1, inside) == 0 && first->role > DLQ_MEANS_REFUSED &&
           (second->role == DLQ_MEANS_DATA || second->role == DLQ_MEANS_ITER);
}

static void add_time(struct survey *survey, size_t line, const char *label, size_t length, struct dlq_meaning meaning,
                     double value, double second, double unit, bool whole)
{
    struct dlq_observed *observed = &survey->observed;
    size_t i = 0;
    while (i < observed->label_count &&
           !(strlen(observed->labels[i].label) == length && memcmp(observed->labels[i].label, label, length) == 0))
        i++;
    if (i == DLQ_NAMED || length >= sizeof observed->labels[i].label)
        return;
    struct dlq_named *named = &observed->labels[i];
    if (i == observed->label_count) {
        observed->label_count++;
        *named = (struct dlq_named){.meaning = meaning, .unit = unit, .whole = true, .inner = true};
        memcpy(named->label, label, length);
    }
    if ((survey->masks[line] & 1U << i) != 0)
        return; /* the first of a line counts */
    survey->masks[line] |= 1U << i;
    observed->values[line][i] = value;
    survey->seconds[line][i] = second;
    observed->directions |= meaning.direction;
    named->whole = named->whole && whole;
    named->inner = named->inner && !isnan(second);
    named->unit = named->unit > 0 ? named->unit : unit;
}

static void survey_number(struct survey *survey, size_t line, const struct dlq_labeled *found, double of_line,
                          size_t *brackets)
{
    struct dlq_meaning first, second;
    char bracket[] = {'[', (char)('0' + *brackets % 8), '\0'};
    *brackets += found->bracket && found->of_total;
    if (is_counter(found)) {
        const char *name = found->bracket ? bracket : found->label;
        size_t k =
            place_of(survey->counters, &survey->counter_count, COUNTERS, name, found->bracket ? 2 : found->length);
        if (k < COUNTERS && isnan(survey->counts[line][k]))
            survey->counts[line][k] = found->value;
    }
    if (is_double(found, &first, &second)) {
        const size_t before = strcspn(found->label, "(");
        add_time(survey, line, found->label, before, first, found->value, NAN, found->unit, false);
        add_time(survey, line, found->label + before, found->length - before, second, found->second, NAN, found->unit,
                 false);
    } else if (is_time(found, of_line)) {
        add_time(survey, line, found->label, found->length, found->meaning, found->value,
                 found->inner != NULL ? found->second : NAN, found->unit > 0 ? found->unit : of_line, found->whole);
    }
}

/* The unit that a line tells for all its times, "time (ms) | forward: 132.49"; 0: none. */
static double unit_of_line(const char *line)
{
    const char *bar = strstr(line, ") |"), *open = bar;
    while (open != NULL && open > line && *open != '(')
        open--;
    return bar != NULL && *open == '(' ? dlq_unit_of(open + 1, (size_t)(bar - open) - 1) : 0;
}

/* Keeps a line that names a time. */
static bool survey_line(char *text, void *with)
{
    struct survey *survey = with;
    struct dlq_observed *observed = &survey->observed;
    const size_t line = observed->lines;
    struct dlq_labeled found;
    const char *at = text;
    size_t brackets = 0;
    double resolution = 1;
    survey->place++;
    if (line == DLQ_OBSERVED)
        return true;
    if (dlq_text_is_aside(text))
        return false;
    survey->masks[line] = 0;
    for (size_t i = 0; i < DLQ_NAMED; i++)
        observed->values[line][i] = survey->seconds[line][i] = NAN;
    for (size_t i = 0; i < COUNTERS; i++)
        survey->counts[line][i] = NAN;
    const double of_line = unit_of_line(text);
    while (dlq_labeled_next(text, &at, &found))
        survey_number(survey, line, &found, of_line, &brackets);
    if (survey->masks[line] == 0)
        return false;
    survey->places[line] = survey->place;
    observed->stamp[line] = dlq_stamp_of(text, &resolution);
    observed->resolution = line == 0 ? resolution : fmax(observed->resolution, resolution);
    observed->lines++;
    return false;
}

/* Keeps the lines with the labels that say most: data and an iteration, then those of which there are most. */
static void keep_shape(struct survey *survey)
{
    struct dlq_observed *observed = &survey->observed;
    uint32_t best = 0, roles[DLQ_MEANS_CLOCK + 1] = {0};
    size_t best_lines = 0, kept = 0;
    int most = -1;
    for (size_t i = 0; i < observed->label_count; i++)
        roles[observed->labels[i].meaning.role] |= 1U << i;
    const uint32_t iterations = roles[DLQ_MEANS_ITER] | roles[DLQ_MEANS_WHOLE];
    const uint32_t shown = roles[DLQ_MEANS_DATA] | iterations;
    for (size_t i = 0, looked = 0; i < observed->lines && looked < 32; i++) {
        const uint32_t mask = survey->masks[i] & shown;
        size_t lines = 0;
        if (mask == best && best_lines > 0)
            continue;
        looked++;
        for (size_t k = 0; k < observed->lines; k++)
            lines += (survey->masks[k] & shown) == mask;
        const bool parts = (survey->masks[i] & roles[DLQ_MEANS_PART]) != 0;
        const int says = 2 * ((mask & roles[DLQ_MEANS_DATA]) != 0) + 2 * ((mask & iterations) != 0) + parts;
        if (lines >= 2 && (says > most || (says == most && lines > best_lines))) {
            best = mask;
            best_lines = lines;
            most = says;
        }
    }
    for (size_t i = 0; i < observed->lines; i++) {
        if ((survey->masks[i] & shown) != best || best_lines == 0)
            continue;
        memmove(observed->values[kept], observed->values[i], sizeof observed->values[i]);
        memmove(survey->seconds[kept], survey->seconds[i], sizeof survey->seconds[i]);
        memmove(survey->counts[kept], survey->counts[i], sizeof survey->counts[i]);
        observed->stamp[kept] = observed->stamp[i];
        survey->places[kept] = survey->places[i];
        survey->masks[kept++] = survey->masks[i];
    }
    observed->lines = kept;
    for (size_t i = 0; i < observed->label_count; i++)
        for (size_t k = 0; k < kept; k++)
            observed->labels[i].lines += (survey->masks[k] & 1U << i) != 0;
    for (size_t i = 0; i < observed->label_count; i++)
        observed->labels[i].strong =
            observed->labels[i].meaning.sure || observed->labels[i].unit > 0 ? observed->labels[i].lines : 0;
}

/* The counter that all lines have and that rises from most lines to the next; COUNTERS: none. */
static size_t choose_counter(struct survey *survey)
{
    struct dlq_observed *observed = &survey->observed;
    for (size_t c = 0; c <= COUNTERS; c++) {
        size_t rises = 0, stays = 0, missing = 0;
        for (size_t i = 0; i < observed->lines; i++) {
            observed->counter[i] = c < survey->counter_count ? survey->counts[i][c] : NAN;
            missing += isnan(observed->counter[i]) ? 1 : 0;
            rises += i > 0 && observed->counter[i] > observed->counter[i - 1];
            stays += i > 0 && observed->counter[i] == observed->counter[i - 1];
        }
        if (missing == 0 && stays == 0 && 5 * rises >= 3 * (observed->lines - 1) && rises > 0)
            return c;
    }
    return COUNTERS;
}

/* -- the patterns -- */

struct composed {
    struct survey *survey;
    long place, wanted; /* lines */
    const struct dlq_named *data, *iter;
    const char *counter;
    bool inner, done;
    double unit; /* s; of times without one */
    const char *role, *way;
    char data_text[TEXT], iter_text[TEXT], counter_text[TEXT];
};

/* Copies a text of a line as that of a pattern: a blank for blanks, "%*f" for numbers. False: it is too long. */
static bool escape(const char *from, const char *end, char *text, size_t size)
{
    size_t used = 0;
    while (from < end) {
        const bool digit = isdigit((unsigned char)*from) &&
                           (used == 0 || !(isalnum((unsigned char)text[used - 1]) || text[used - 1] == '_'));
        if (used + 5 > size)
            return false;
        if (digit) {
            memcpy(text + used, "%*f", 3);
            used += 3;
            double value;
            dlq_number_read(&from, false, &value);
            continue;
        }
        if (*from == ' ' || *from == '\t') {
            text[used++] = ' ';
            from += strspn(from, " \t");
            continue;
        }
        if (*from == '%')
            text[used++] = '%';
        text[used++] = *from++;
    }
    /* A number that is padded with blanks may fill its place: "[  20/7393]", "[1000/7393]". */
    if (used > 1 && text[used - 1] == ' ' && (text[used - 2] == '[' || (end[-1] == ' ' && end[-2] == ' ')))
        used--;
    text[used] = '\0';
    return true;
}

/* Writes the pattern of the number at `number`: its label, and as much before it as makes it the only one. */
static void compose(const char *line, const char *label, const char *number, const char *end, const char *role,
                    const char *way, const char *place, char text[TEXT])
{
    enum { MOST_BEFORE = 110 };
    for (const char *start = label; start >= line && number - start < MOST_BEFORE; start--) {
        const bool begins = start == line || start == label ||
                            (!(isalnum((unsigned char)*start) && isalnum((unsigned char)start[-1])) && *start != ' ' &&
                             *start != '_' && *start != '.' && *start != ',');
        const size_t used = (size_t)snprintf(text, TEXT, "%s%s=", role, way);
        if (!begins || !escape(start, number, text + used, TEXT - used - strlen(place)))
            continue;
        snprintf(text + strlen(text), TEXT - strlen(text), "%s", place);
        if (dlq_pattern_finds(text, line, end))
            return;
    }
    text[0] = '\0';
}

static bool is_label(const struct dlq_labeled *found, const struct dlq_named *named)
{
    return named != NULL && strlen(named->label) == found->length &&
           memcmp(named->label, found->label, found->length) == 0;
}

static void compose_time(const struct composed *composed, const char *line, const struct dlq_labeled *found, bool inner,
                         const char *role, char text[TEXT])
{
    char place[16] = "%f";
    const double unit = found->unit > 0 ? found->unit : composed->unit;
    const char *const units[] = {"ms", "us", "ns", "min"};
    const bool behind = found->meaning.unit == 0 && found->unit > 0;
    for (size_t i = 0; i < sizeof units / sizeof *units && !behind; i++)
        if (unit == dlq_unit_of(units[i], strlen(units[i])))
            snprintf(place, sizeof place, "%%f{%s}", units[i]);
    const char *label = found->label - (found->label > line && strchr("\"'", found->label[-1]) != NULL);
    compose(line, label, inner ? found->inner : found->number, inner ? found->inner_end : found->end, role,
            composed->way, place, text);
}

static bool compose_line(char *line, void *with)
{
    struct composed *composed = with;
    struct dlq_labeled found;
    const char *at = line;
    size_t brackets = 0;
    if (++composed->place < composed->wanted)
        return false;
    while (dlq_labeled_next(line, &at, &found)) {
        struct dlq_meaning first, second;
        const bool twice = is_double(&found, &first, &second);
        const size_t before = twice ? strcspn(found.label, "(") : found.length;
        struct dlq_labeled one = found, other = found;
        one.length = before;
        other.label += before;
        other.length -= before;
        const char bracket[] = {'[', (char)('0' + brackets % 8), '\0'};
        brackets += found.bracket && found.of_total;
        if (is_label(&one, composed->data) && composed->data_text[0] == '\0')
            compose_time(composed, line, &found, composed->inner, "data", composed->data_text);
        if (is_label(&one, composed->iter) && composed->iter_text[0] == '\0')
            compose_time(composed, line, &found, composed->inner, composed->role, composed->iter_text);
        if (twice && is_label(&other, composed->data))
            compose_time(composed, line, &found, true, "data", composed->data_text);
        if (twice && is_label(&other, composed->iter))
            compose_time(composed, line, &found, true, composed->role, composed->iter_text);
        const bool counts = composed->counter != NULL && composed->counter_text[0] == '\0' && is_counter(&found) &&
                            (found.bracket ? strcmp(composed->counter, bracket) == 0
                                           : strlen(composed->counter) == found.length &&
                                                 memcmp(composed->counter, found.label, found.length) == 0);
        const char *label = found.bracket ? found.number - 1 : found.label;
        while (found.bracket && label > line && *label != '[')
            label--;
        label -= label > line && strchr("\"'", label[-1]) != NULL;
        if (counts)
            compose(line, label, found.number, found.end, "count", "", "%d", composed->counter_text);
    }
    return true;
}

/* -- the log -- */

/* Whether means since the start can be the numbers in parentheses: what they leave for the iterations since the line
   before is hardly ever negative. */
static bool are_running(const struct survey *survey, int label)
{
    const struct dlq_observed *observed = &survey->observed;
    size_t rows = 0, negative = 0;
    if (!observed->labels[label].inner)
        return false;
    for (size_t i = 1; i < observed->lines; i++) {
        const double gap = observed->counter[i] - observed->counter[i - 1], running = survey->seconds[i][label];
        const double since = observed->counter[i] * running - observed->counter[i - 1] * survey->seconds[i - 1][label];
        rows += gap > 0;
        negative += gap > 0 && since < -0.002 * observed->counter[i] * running;
    }
    return rows > 0 && 10 * negative <= rows;
}

/* The median of an iteration, as printed. */
static double median_of(const struct dlq_observed *observed, int label)
{
    double sorted[DLQ_OBSERVED];
    size_t count = 0;
    for (size_t i = 0; i < observed->lines; i++)
        if (!isnan(observed->values[i][label]))
            sorted[count++] = observed->values[i][label];
    gsl_sort(sorted, 1, count);
    return count > 0 ? sorted[count / 2] : NAN;
}

void dlq_generic_doubts(struct dlq_log *log, const struct dlq_observed *observed, const struct dlq_chosen *chosen,
                        const struct dlq_window_evidence *evidence)
{
    const struct dlq_named *iter = &observed->labels[chosen->iter];
    const double median = median_of(observed, chosen->iter),
                 gap = observed->lines > 1
                           ? observed->counter[observed->lines - 1] - observed->counter[observed->lines - 2]
                           : NAN;
    if (evidence->unit == 0 && (median >= 20 || (iter->whole && median >= 5)))
        dlq_log_doubt(log, "'%s' has no unit: is its %g %g s or %g ms? Shares hold in both; times are taken for s",
                      iter->label, median, median, median);
    if (chosen->exceeds)
        dlq_log_doubt(log, "'%s' is often shorter than '%s': it is taken for the time without data", iter->label,
                      observed->labels[chosen->data].label);
    if (evidence->shows == DLQ_SHOWS_NOTHING && gap > 1 && log->options->every <= 1)
        dlq_log_doubt(
            log,
            "each line is the mean since the line before, or one iteration of %g: the log does not tell which, and "
            "with it all shares are uncertain",
            gap);
    if (evidence->shows == DLQ_SHOWS_NOTHING && isnan(gap) && log->options->every == 0)
        dlq_log_doubt(log,
                      "each line is taken for one iteration: if it is the mean of several, --every says of how many");
}

static const char *name_of(enum dlq_shows shows)
{
    static const char *const names[] = {"single", "mean", "running", "median", "unknown"};
    return names[shows];
}

/* Makes options of the patterns, all in the arena of the log. Null: no memory. */
static const struct dlq_format *take_patterns(struct dlq_log *log, const struct composed *composed, bool means)
{
    const char *const texts[] = {composed->iter_text, composed->data_text, composed->counter_text};
    struct dlq_read_as *as = &log->shared->read_as;
    struct dlq_trace_options *options = dlq_arena_take(log->arena, 1, sizeof *options);
    const char **patterns = dlq_arena_take(log->arena, 3, sizeof *patterns);
    size_t used = 0;
    if (options == NULL || patterns == NULL)
        return NULL;
    *options = *log->options;
    options->patterns = patterns;
    options->pattern_count = 0;
    for (size_t i = 0; i < 3; i++) {
        char *copy = dlq_arena_take(log->arena, TEXT, 1);
        if (copy == NULL)
            return NULL;
        memcpy(copy, texts[i], TEXT);
        if (texts[i][0] == '\0')
            continue;
        const char quote = strchr(copy, '\'') != NULL ? '"' : '\'';
        patterns[options->pattern_count++] = copy;
        used += (size_t)snprintf(as->words + used, used < sizeof as->words ? sizeof as->words - used : 0,
                                 "%s--pattern %c%s%c", used > 0 ? " " : "", quote, copy, quote);
    }
    dlq_utf8_clean(as->words);
    log->options = options;
    return dlq_generic_row(means ? DLQ_NUMBERS_MEAN : DLQ_NUMBERS_SINGLE, false);
}

static const struct dlq_format *recognize(struct dlq_log *log, struct survey *survey)
{
    const struct dlq_observed *observed = &survey->observed;
    dlq_text_any_line(log, survey_line, survey);
    keep_shape(survey);
    const size_t counter = choose_counter(survey);
    const struct dlq_chosen chosen = dlq_choose_times(observed);
    if (chosen.iter < 0)
        return NULL;
    struct dlq_window_evidence evidence = dlq_window_of(observed, &chosen);
    const struct dlq_named *iter = &observed->labels[chosen.iter];
    const struct dlq_named *data = chosen.data >= 0 ? &observed->labels[chosen.data] : NULL;
    struct composed composed = {
        .survey = survey,
        .wanted = survey->places[observed->lines / 2],
        .data = data,
        .iter = iter,
        .counter = counter < COUNTERS ? survey->counters[counter] : NULL,
        .inner = counter < COUNTERS && are_running(survey, chosen.iter) &&
                 (data == NULL || are_running(survey, chosen.data)),
        .unit = evidence.unit,
        .role = chosen.step ? "step" : "iter",
    };
    if (composed.inner)
        evidence.shows = DLQ_SHOWS_RUNNING;
    const bool means = evidence.shows == DLQ_SHOWS_WINDOW || evidence.shows == DLQ_SHOWS_RUNNING;
    composed.way = evidence.shows == DLQ_SHOWS_RUNNING ? ":running" : evidence.shows == DLQ_SHOWS_WINDOW ? ":mean" : "";
    dlq_text_any_line(log, compose_line, &composed);
    if (composed.iter_text[0] == '\0' || (data != NULL && composed.data_text[0] == '\0'))
        return NULL;
    if (evidence.every > 1 && log->every <= 1)
        log->every = evidence.every;
    struct dlq_read_as *as = &log->shared->read_as;
    snprintf(as->data, sizeof as->data, "%s", data != NULL ? data->label : "");
    snprintf(as->iteration, sizeof as->iteration, "%s", iter->label);
    snprintf(as->unit, sizeof as->unit, "%s", dlq_unit_name(evidence.unit));
    as->kind = name_of(evidence.shows);
    dlq_generic_doubts(log, observed, &chosen, &evidence);
    return take_patterns(log, &composed, means);
}

struct tally {
    char names[DLQ_NAMED][64];
    size_t count, lines[DLQ_NAMED];
};

static bool tally_line(char *text, void *with)
{
    struct tally *tally = with;
    struct dlq_labeled found;
    for (const char *at = text; dlq_labeled_next(text, &at, &found);) {
        const size_t place = found.length > 0 && found.separated
                                 ? place_of(tally->names, &tally->count, DLQ_NAMED, found.label, found.length)
                                 : DLQ_NAMED;
        if (place < DLQ_NAMED)
            tally->lines[place]++;
    }
    return false;
}

void dlq_log_labels(const struct dlq_log *log, char text[DLQ_LOG_WHY])
{
    enum { SHOWN = 5, LONGEST = 24 };
    struct tally tally = {.count = 0};
    size_t used = 0;
    dlq_text_any_line(log, tally_line, &tally);
    text[0] = '\0';
    for (size_t shown = 0; shown < SHOWN; shown++) {
        size_t best = 0;
        for (size_t i = 1; i < tally.count; i++)
            best = tally.lines[i] > tally.lines[best] ? i : best;
        if (tally.lines[best] < 2)
            break;
        used += (size_t)snprintf(text + used, DLQ_LOG_WHY - used, "%s%.*s", used > 0 ? ", " : "", LONGEST,
                                 tally.names[best]);
        tally.lines[best] = 0;
    }
    dlq_utf8_clean(text);
}

const struct dlq_format *dlq_generic_format(struct dlq_log *log)
{
    struct survey *survey = dlq_arena_take(log->arena, 1, sizeof *survey);
    if (survey == NULL)
        return NULL;
    bool is_csv;
    log->why[0] = '\0';
    const struct dlq_format *columns = dlq_generic_columns(log, &survey->observed, &is_csv);
    if (is_csv)
        return columns != NULL || log->why[0] != '\0' ? columns : dlq_format_find("csv", "", 0);
    return recognize(log, survey);
}
