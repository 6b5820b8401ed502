/* Recognizes a log of no known format whose lines name their times, and composes the patterns that read it. */
#include "logs/read/formats/generic.h"

#include "base/utf8.h"
#include "logs/calibration.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { COUNTERS = 6, TEXT = 160 };

/* -- times and counters in the lines -- */

struct survey {
    struct dlq_log_sample sample;
    char counters[COUNTERS][64]; /* names of counters */
    size_t counter_count;
    uint32_t masks[DLQ_SAMPLED_LINES];          /* bit i: the line has label i */
    double counts[DLQ_SAMPLED_LINES][COUNTERS]; /* numbers of the counters; NAN: not in the line */
    double inner[DLQ_SAMPLED_LINES][DLQ_NAMED]; /* numbers in parentheses; NAN: not in the line */
    bool returns;                               /* "\r" ends lines: a bar that is drawn again shows the same counter */
    long places[DLQ_SAMPLED_LINES], place;      /* numbers of the lines in the log, from 1; of the last line read */
    bool loose;                                 /* "data 77" and "iter 97" count as times, too */
    bool stamps;                                /* lines with time stamps and counters count, instead of times */
};

static bool is_name(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* The index of a name, which is added if it is new; `most`: it is too long, or there are `most` others. */
static size_t find_or_add(char (*names)[64], size_t *count, size_t most, const char *text, size_t length)
{
    size_t i = 0;
    while (i < *count && !is_name(names[i], text, length))
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

/* Whether a number counts iterations, as in "step 5" or "[20/7393]"; "[256/65368 (0%)]" counts samples. */
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

/* The name of a counter: its label; counters in brackets are "[0", "[1", ... in the order of the line. */
struct counter_name {
    char bracket[3];
    const char *text;
    size_t length;
};

static void name_counter(struct counter_name *name, const struct dlq_labeled *found, size_t *brackets)
{
    *name = (struct counter_name){{'[', (char)('0' + *brackets % 8)}, found->label, found->length};
    if (found->bracket) {
        name->text = name->bracket;
        name->length = 2;
    }
    *brackets += found->bracket && found->of_total;
}

/* Whether a number is a time by its label. "step 5" and "batch: 3" are counters, unless `loose`. line_unit: s; 0: none.
 */
static bool is_time(const struct dlq_labeled *found, double line_unit, bool loose)
{
    const enum dlq_label_role role = found->meaning.role;
    const bool sure = found->meaning.sure || found->unit > 0 || line_unit > 0 ||
                      (loose && (role == DLQ_ROLE_DATA || role == DLQ_ROLE_ITER));
    if (!found->time || found->length == 0 || role == DLQ_ROLE_UNKNOWN || role == DLQ_ROLE_REFUSED)
        return false;
    return sure || (role == DLQ_ROLE_TIME && !found->meaning.bare_total) ||
           (!found->whole && (found->separated || found->inner != NULL));
}

/* Whether a label names both numbers, as in "time (data): 0.753 (0.410)", and the meanings of both names. */
static bool has_two_labels(const struct dlq_labeled *found, struct dlq_meaning *first, struct dlq_meaning *second)
{
    const char *open = memchr(found->label, '(', found->length);
    if (found->inner == NULL || open == NULL || open == found->label || found->label[found->length - 1] != ')')
        return false;
    const size_t before = (size_t)(open - found->label), inside = found->length - before - 2;
    *first = dlq_meaning_of(found->label, before, true);
    *second = dlq_meaning_of(open + 1, inside, true);
    return dlq_unit_of(open + 1, inside) == 0 && first->role > DLQ_ROLE_REFUSED &&
           (second->role == DLQ_ROLE_DATA || second->role == DLQ_ROLE_ITER);
}

/* Adds a time to the sample. inner: the number in parentheses; NAN: none. */
static void add_time(struct survey *survey, size_t line, const char *label, size_t length, struct dlq_meaning meaning,
                     double value, double inner, double unit, bool whole)
{
    struct dlq_log_sample *sample = &survey->sample;
    size_t i = 0;
    while (i < sample->label_count && !is_name(sample->labels[i].label, label, length))
        i++;
    if (i == DLQ_NAMED || length >= sizeof sample->labels[i].label)
        return;
    struct dlq_named *named = &sample->labels[i];
    if (i == sample->label_count) {
        sample->label_count++;
        *named = (struct dlq_named){.meaning = meaning, .unit = unit, .whole = true, .inner = true};
        memcpy(named->label, label, length);
    }
    if ((survey->masks[line] & 1U << i) != 0)
        return; /* only the first number with a label counts */
    survey->masks[line] |= 1U << i;
    sample->values[line][i] = value;
    survey->inner[line][i] = inner;
    sample->directions |= meaning.direction;
    named->whole = named->whole && whole;
    named->inner = named->inner && !isnan(inner);
    named->unit = named->unit > 0 ? named->unit : unit;
}

/* Adds a counter or a time to the survey. *brackets: counters in brackets so far in the line. */
static void survey_number(struct survey *survey, size_t line, const struct dlq_labeled *found, double line_unit,
                          size_t *brackets)
{
    struct dlq_meaning first, second;
    struct counter_name name;
    name_counter(&name, found, brackets);
    if (is_counter(found)) {
        const size_t k = find_or_add(survey->counters, &survey->counter_count, COUNTERS, name.text, name.length);
        if (k < COUNTERS && isnan(survey->counts[line][k]))
            survey->counts[line][k] = found->value;
    }
    if (has_two_labels(found, &first, &second)) {
        const size_t before = strcspn(found->label, "(");
        add_time(survey, line, found->label, before, first, found->value, NAN, found->unit, false);
        add_time(survey, line, found->label + before, found->length - before, second, found->second, NAN, found->unit,
                 false);
    } else if (is_time(found, line_unit, survey->loose)) {
        add_time(survey, line, found->label, found->length, found->meaning, found->value,
                 found->inner != NULL ? found->second : NAN, found->unit > 0 ? found->unit : line_unit, found->whole);
    }
}

/* The unit of all times of a line, as in "time (ms) | forward: 132.49", s; 0: none. */
static double unit_of_line(const char *line)
{
    const char *bar = strstr(line, ") |"), *open = bar;
    while (open != NULL && open > line && *open != '(')
        open--;
    return bar != NULL && *open == '(' ? dlq_unit_of(open + 1, (size_t)(bar - open) - 1) : 0;
}

/* Adds a line to the survey if it names a time. For dlq_text_any_line; true: the survey is full. */
static bool survey_line(char *text, void *context)
{
    struct survey *survey = context;
    struct dlq_log_sample *sample = &survey->sample;
    const size_t line = sample->lines;
    struct dlq_labeled found;
    const char *at = text;
    size_t brackets = 0;
    double resolution = 1;
    survey->place++;
    if (line == DLQ_SAMPLED_LINES)
        return true;
    if (dlq_text_is_validation(text))
        return false;
    survey->masks[line] = 0;
    for (size_t i = 0; i < DLQ_NAMED; i++)
        sample->values[line][i] = survey->inner[line][i] = NAN;
    for (size_t i = 0; i < COUNTERS; i++)
        survey->counts[line][i] = NAN;
    const double line_unit = unit_of_line(text);
    while (dlq_labeled_next(text, &at, &found))
        survey_number(survey, line, &found, line_unit, &brackets);
    sample->stamp[line] = dlq_stamp_of(text, &resolution);
    bool counted = false;
    for (size_t i = 0; i < COUNTERS; i++)
        counted = counted || !isnan(survey->counts[line][i]);
    if (survey->stamps ? !counted || isnan(sample->stamp[line]) : survey->masks[line] == 0)
        return false;
    survey->places[line] = survey->place;
    sample->resolution = line == 0 ? resolution : fmax(sample->resolution, resolution);
    sample->lines++;
    return false;
}

/* Keeps only lines that name the same times: as much as possible of wait, iteration and parts, then in most lines.
   Counts their labels. */
static void keep_best_lines(struct survey *survey)
{
    struct dlq_log_sample *sample = &survey->sample;
    uint32_t best = 0, roles[DLQ_ROLE_CLOCK + 1] = {0};
    size_t best_lines = 0, kept = 0;
    int most = -1;
    for (size_t i = 0; i < sample->label_count; i++)
        roles[sample->labels[i].meaning.role] |= 1U << i;
    const uint32_t iterations = roles[DLQ_ROLE_ITER] | roles[DLQ_ROLE_TIME];
    const uint32_t relevant = roles[DLQ_ROLE_DATA] | iterations;
    for (size_t i = 0, tried = 0; i < sample->lines && tried < 32; i++) {
        const uint32_t mask = survey->masks[i] & relevant;
        size_t lines = 0;
        if (mask == best && best_lines > 0)
            continue;
        tried++;
        for (size_t k = 0; k < sample->lines; k++)
            lines += (survey->masks[k] & relevant) == mask;
        const bool parts = (survey->masks[i] & roles[DLQ_ROLE_PART]) != 0;
        const int score = 2 * ((mask & roles[DLQ_ROLE_DATA]) != 0) + 2 * ((mask & iterations) != 0) + parts;
        if (lines >= 2 && (score > most || (score == most && lines > best_lines))) {
            best = mask;
            best_lines = lines;
            most = score;
        }
    }
    for (size_t i = 0; i < sample->lines; i++) {
        if ((survey->masks[i] & relevant) != best || best_lines == 0)
            continue;
        memmove(sample->values[kept], sample->values[i], sizeof sample->values[i]);
        memmove(survey->inner[kept], survey->inner[i], sizeof survey->inner[i]);
        memmove(survey->counts[kept], survey->counts[i], sizeof survey->counts[i]);
        sample->stamp[kept] = sample->stamp[i];
        survey->places[kept] = survey->places[i];
        survey->masks[kept++] = survey->masks[i];
    }
    sample->lines = kept;
    for (size_t i = 0; i < sample->label_count; i++) {
        struct dlq_named *named = &sample->labels[i];
        for (size_t k = 0; k < kept; k++)
            named->lines += (survey->masks[k] & 1U << i) != 0;
        named->strong = named->meaning.sure || named->unit > 0 ? named->lines : 0;
    }
}

/* The counter that all lines have and that mostly rises from line to line, with another name than `time`; COUNTERS:
   none. Fills sample->counter. */
static size_t choose_counter(struct survey *survey, const char *time)
{
    struct dlq_log_sample *sample = &survey->sample;
    for (size_t c = 0; c <= COUNTERS; c++) {
        if (c < survey->counter_count && strcmp(survey->counters[c], time) == 0)
            continue;
        size_t rises = 0, stays = 0, missing = 0;
        for (size_t i = 0; i < sample->lines; i++) {
            sample->counter[i] = c < survey->counter_count ? survey->counts[i][c] : NAN;
            missing += isnan(sample->counter[i]) ? 1 : 0;
            rises += i > 0 && sample->counter[i] > sample->counter[i - 1];
            stays += i > 0 && sample->counter[i] == sample->counter[i - 1];
        }
        if (missing == 0 && (stays == 0 || survey->returns) && 5 * rises >= 3 * (sample->lines - 1 - stays) &&
            rises > 0)
            return c;
    }
    return COUNTERS;
}

/* -- the patterns -- */

/* The patterns, composed from one line of the log, and what they have to find. */
struct composed {
    long place, wanted;                  /* numbers of the current line and of that one line, from 1 */
    const struct dlq_named *data, *iter; /* labels; null: none */
    const char *counter;                 /* name; null: none */
    bool inner;                          /* the times are in parentheses */
    double unit;                         /* s; of times without a unit of their own */
    bool loose;                          /* of the survey */
    const char *role, *way;              /* "iter" or "step"; ":mean", ":running" or "" */
    char data_text[TEXT], iter_text[TEXT], counter_text[TEXT];
};

/* Copies a text of a line into a pattern: a blank for blanks, "%*f" for numbers. False: the text is too long. */
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

/* Writes the pattern of the number at `number`: its label, and as much text before the label as makes the number the
   first match in the line; "": impossible. `place` is the %f or %d of the number. */
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

/* Writes the pattern of a time, with its unit if the line does not show the unit behind the number. */
static void compose_time(const struct composed *composed, const char *line, const struct dlq_labeled *found, bool inner,
                         const char *role, char text[TEXT])
{
    char place[16] = "%f";
    const double unit = found->unit > 0 ? found->unit : composed->unit;
    const bool behind = found->meaning.unit == 0 && found->unit > 0;
    if (!behind && unit > 0 && unit != 1)
        snprintf(place, sizeof place, "%%f{%s}", dlq_unit_name(unit));
    const char *label = found->label - (found->label > line && strchr("\"'", found->label[-1]) != NULL);
    compose(line, label, inner ? found->inner : found->number, inner ? found->inner_end : found->end, role,
            composed->way, place, text);
}

/* Composes the patterns if the line is the wanted one. For dlq_text_any_line; true: done. */
static bool compose_line(char *line, void *context)
{
    struct composed *composed = context;
    struct dlq_labeled found;
    const char *at = line;
    size_t brackets = 0;
    if (++composed->place < composed->wanted)
        return false;
    const double line_unit = unit_of_line(line);
    while (dlq_labeled_next(line, &at, &found)) {
        struct dlq_meaning first, second;
        struct counter_name name;
        const bool two = has_two_labels(&found, &first, &second);
        const size_t before = two ? strcspn(found.label, "(") : found.length;
        const bool is_a_time =
            two || is_time(&found, line_unit, composed->loose); /* in "step 5, step 0.69 s" only 0.69 */
        for (int i = 0; is_a_time && i <= two; i++) {
            const char *label = found.label + (i == 0 ? 0 : before);
            const size_t length = i == 0 ? before : found.length - before;
            const bool inner = i > 0 || composed->inner;
            if (composed->data != NULL && is_name(composed->data->label, label, length) &&
                (i > 0 || composed->data_text[0] == '\0'))
                compose_time(composed, line, &found, inner, "data", composed->data_text);
            if (composed->iter != NULL && is_name(composed->iter->label, label, length) &&
                (i > 0 || composed->iter_text[0] == '\0'))
                compose_time(composed, line, &found, inner, composed->role, composed->iter_text);
        }
        name_counter(&name, &found, &brackets);
        if (composed->counter == NULL || composed->counter_text[0] != '\0' || !is_counter(&found) ||
            !is_name(composed->counter, name.text, name.length))
            continue;
        const char *label = found.bracket ? found.number - 1 : found.label;
        while (found.bracket && label > line && *label != '[' && *label != '|')
            label--;
        label -= label > line && strchr("\"'", label[-1]) != NULL;
        compose(line, label, found.number, found.end, "count", "", "%d", composed->counter_text);
    }
    return true;
}

/* -- the log -- */

/* Whether inner numbers may be means since the start: at most 10 % of the sums since the line before are negative. */
static bool are_running(const struct survey *survey, int label)
{
    const struct dlq_log_sample *sample = &survey->sample;
    size_t rows = 0, negative = 0;
    if (!sample->labels[label].inner)
        return false;
    for (size_t i = 1; i < sample->lines; i++) {
        const double gap = sample->counter[i] - sample->counter[i - 1], running = survey->inner[i][label];
        const double since = sample->counter[i] * running - sample->counter[i - 1] * survey->inner[i - 1][label];
        rows += gap > 0;
        negative += gap > 0 && since < -0.002 * sample->counter[i] * running;
    }
    return rows > 0 && 10 * negative <= rows;
}

const struct dlq_format *dlq_generic_options(struct dlq_log *log, const char *const *texts, size_t count,
                                             enum dlq_numbers numbers, bool columns)
{
    char *words = log->shared->read_as.words;
    struct dlq_trace_options *options = dlq_arena_take(log->arena, 1, sizeof *options);
    const char **copies = dlq_arena_take(log->arena, count, sizeof *copies);
    size_t used = 0, given = 0;
    if (options == NULL || copies == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (texts[i][0] == '\0')
            continue;
        char *copy = dlq_arena_take(log->arena, strlen(texts[i]) + 1, 1);
        if (copy == NULL)
            return NULL;
        memcpy(copy, texts[i], strlen(texts[i]));
        copies[given++] = copy;
        const char quote = strchr(copy, '\'') != NULL ? '"' : '\'';
        const size_t size = sizeof log->shared->read_as.words;
        used += (size_t)snprintf(words + used, used < size ? size - used : 0, "%s--%s %c%s%c", used > 0 ? " " : "",
                                 columns ? "column" : "pattern", quote, copy, quote);
    }
    dlq_utf8_clean(words);
    *options = *log->options;
    *(columns ? &options->columns : &options->patterns) = copies;
    *(columns ? &options->column_count : &options->pattern_count) = given;
    log->options = options;
    const struct dlq_format *row;
    for (size_t i = 0; (row = dlq_format_at(i)) != NULL; i++)
        if (row->recognized && row->numbers == numbers && row->named_columns == columns)
            return row;
    return NULL;
}

/* Whether numbers rise and fall as times do, and no counter does. */
static bool falls(const struct dlq_log_sample *sample, int label)
{
    size_t falling = 0;
    for (size_t i = 1; i < sample->lines; i++)
        falling += sample->values[i][label] < sample->values[i - 1][label];
    return (double)falling >= dlq_calibration.times_fall * (double)sample->lines;
}

static struct dlq_chosen find_times(const struct dlq_log *log, struct survey *survey, bool loose)
{
    const char *lone = memchr(log->head, '\r', log->head_length);
    memset(survey, 0, sizeof *survey);
    survey->loose = loose;
    survey->returns = lone != NULL && lone[1] != '\n';
    dlq_text_any_line(log, survey_line, survey);
    keep_best_lines(survey);
    for (size_t i = 0; i < survey->sample.label_count; i++) {
        struct dlq_named *named = &survey->sample.labels[i];
        if (loose && named->strong == 0 && !falls(&survey->sample, (int)i))
            named->lines = 0; /* a counter: "step" in "step 2 data 77 iter 97" */
    }
    choose_counter(survey, ""); /* for the time between lines, by their time stamps */
    return dlq_choose_times(&survey->sample);
}

static const struct dlq_format *recognize(struct dlq_log *log, struct survey *survey)
{
    const struct dlq_log_sample *sample = &survey->sample;
    struct dlq_chosen chosen = find_times(log, survey, false);
    /* In "iter 120 data 77 time 97" only the three numbers together tell that 77 is a time. */
    if (chosen.data < 0) {
        chosen = find_times(log, survey, true);
        if (chosen.data < 0 || chosen.iter < 0 || chosen.step || (double)sample->lines < dlq_calibration.loose_lines ||
            !falls(sample, chosen.iter))
            chosen = find_times(log, survey, false);
    }
    if (chosen.iter < 0)
        return NULL;
    const size_t counter = choose_counter(survey, survey->loose ? sample->labels[chosen.iter].label : "");
    struct dlq_window_evidence evidence = dlq_window_of(sample, &chosen);
    const struct dlq_named *iter = &sample->labels[chosen.iter];
    const struct dlq_named *data = chosen.data >= 0 ? &sample->labels[chosen.data] : NULL;
    struct composed composed = {
        .wanted = survey->places[sample->lines / 2],
        .data = data,
        .iter = iter,
        .counter = counter < COUNTERS ? survey->counters[counter] : NULL,
        .inner = counter < COUNTERS && are_running(survey, chosen.iter) &&
                 (data == NULL || are_running(survey, chosen.data)),
        .unit = evidence.unit,
        .loose = survey->loose,
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
    dlq_generic_say(log, sample, &chosen, &evidence, false);
    const char *const texts[] = {composed.iter_text, composed.data_text, composed.counter_text};
    return dlq_generic_options(log, texts, sizeof texts / sizeof *texts, means ? DLQ_NUMBERS_MEAN : DLQ_NUMBERS_SINGLE,
                               false);
}

/* Chooses the format of a log without times whose lines have time stamps and a counter. */
static const struct dlq_format *recognize_stamps(struct dlq_log *log, struct survey *survey)
{
    const struct dlq_log_sample *sample = &survey->sample;
    char lacks[DLQ_LOG_WHY];
    if (dlq_log_lacks(log->head, lacks) != NULL)
        return NULL;
    memset(survey, 0, sizeof *survey);
    survey->stamps = true;
    dlq_text_any_line(log, survey_line, survey);
    const size_t counter = choose_counter(survey, "");
    if (counter == COUNTERS ||
        !(sample->stamp[sample->lines - 1] - sample->stamp[0] >= 2 * dlq_calibration.clock_enough * sample->resolution))
        return NULL;
    struct composed composed = {.wanted = survey->places[sample->lines / 2], .counter = survey->counters[counter]};
    dlq_text_any_line(log, compose_line, &composed);
    if (composed.counter_text[0] == '\0')
        return NULL;
    log->shared->read_as.kind = "mean";
    snprintf(log->shared->read_as.iteration, sizeof log->shared->read_as.iteration, "time stamps");
    dlq_log_doubt(log, "no label names the time of an iteration: it is the difference of time stamps, pauses included; "
                       "if the lines have the wait for data, --pattern 'data=LABEL %%f' beside these reads it");
    return dlq_generic_options(log, (const char *const[]){"clock=%t", composed.counter_text}, 2, DLQ_NUMBERS_MEAN,
                               false);
}

/* Numbers of lines with each label. */
struct tally {
    bool separated; /* only labels before ":" or "=" are counted */
    char names[DLQ_NAMED][64];
    size_t count, lines[DLQ_NAMED];
};

static bool tally_line(char *text, void *context)
{
    struct tally *tally = context;
    struct dlq_labeled found;
    for (const char *at = text; dlq_labeled_next(text, &at, &found);) {
        const size_t place = found.length > 0 && (found.separated || !tally->separated)
                                 ? find_or_add(tally->names, &tally->count, DLQ_NAMED, found.label, found.length)
                                 : DLQ_NAMED;
        if (place < DLQ_NAMED)
            tally->lines[place]++;
    }
    return false;
}

void dlq_log_labels(const struct dlq_log *log, char text[DLQ_LOG_WHY])
{
    enum { SHOWN = 5, LONGEST = 24 };
    struct tally tally = {.separated = true};
    size_t used = 0;
    dlq_text_any_line(log, tally_line, &tally);
    tally.separated = tally.count > 0;
    if (!tally.separated)
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
    if (survey == NULL || dlq_is_no_log(log->head) != NULL)
        return NULL;
    bool is_csv;
    log->why[0] = '\0';
    const struct dlq_format *columns = dlq_generic_columns(log, &survey->sample, &is_csv);
    if (is_csv)
        return columns != NULL || log->why[0] != '\0' ? columns : dlq_format_find("csv", "", 0);
    const struct dlq_format *words = recognize(log, survey);
    return words != NULL ? words : recognize_stamps(log, survey);
}
