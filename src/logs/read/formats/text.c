/* Prepares lines of text as a terminal shows them. Defines the readers of formats whose lines name their numbers, as
   text or as JSON objects: the row of the format says how a line begins and which times it has. */
#include "logs/read/formats/generic.h"
#include "logs/read/trace.h"

#include <ctype.h>
#include <jansson.h>
#include <string.h>
#include <strings.h>

/* -- lines -- */

const char *dlq_text_find(const char *text, const char *word)
{
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        if (at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_'))
            return at;
    return NULL;
}

/* The number of letters at the start of the text, at most `most`. */
static size_t count_letters(const char *text, size_t most)
{
    size_t length = 0;
    while (length < most && isalpha((unsigned char)text[length]))
        length++;
    return length;
}

bool dlq_text_is_validation(const char *text)
{
    enum { SEARCHED = 90 };                                     /* bytes */
    static const char *const stems[] = {"val", "eval", "test"}; /* "validation", "Evaluating", "val_time", "Test:" */
    static const char *const endings[] = {"", "s", "id", "ing", "idation", "idating", "uation", "uating"};
    bool found = false;
    for (size_t at = 0; at < SEARCHED && text[at] != '\0';) {
        const size_t length = count_letters(text + at, SEARCHED - at);
        if (length >= 5 && strncasecmp(text + at, "train", 5) == 0)
            return false;
        for (size_t i = 0; i < sizeof stems / sizeof *stems && length >= 3; i++)
            for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
                const size_t stem = strlen(stems[i]), ending = strlen(endings[k]);
                found = found || (length == stem + ending && strncasecmp(text + at, stems[i], stem) == 0 &&
                                  strncasecmp(text + at + stem, endings[k], ending) == 0);
            }
        at += length > 0 ? length : 1;
    }
    return found;
}

bool dlq_text_is_save(const char *text)
{
    enum { SEARCHED = 200 }; /* bytes */
    static const char *const saved[] = {"checkpoint", "ckpt", "model", "weight"};
    bool saves = false, names_object = false;
    for (size_t at = 0; at < SEARCHED && text[at] != '\0';) {
        const size_t length = count_letters(text + at, SEARCHED - at);
        saves = saves || strncasecmp(text + at, "sav", 3) == 0; /* "Saving", "saved", "save" */
        for (size_t i = 0; i < sizeof saved / sizeof *saved; i++)
            names_object = names_object || strncasecmp(text + at, saved[i], strlen(saved[i])) == 0;
        at += length > 0 ? length : 1;
    }
    return saves && names_object;
}

/* Texts around the rank at the start of a line, by launchers: torchrun --tee, Slurm --label, Open MPI --tag-output. */
static const struct {
    const char *before, *after;
} prefixes[] = {
    {"[rank", "]:"}, {"[default", "]:"}, {"[trainer", "]:"}, {"rank", ":"}, {"[1,", "]<stdout>:"}, {"", ": "},
};

/* Reads a rank at the start of a line and returns the text behind it; without one the line, and *rank is unchanged. */
static char *drop_rank(char *text, long *rank)
{
    text += strspn(text, " \t");
    if (*text != '[' && *text != 'r' && !isdigit((unsigned char)*text))
        return text;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t before = strlen(prefixes[i].before);
        size_t after = strlen(prefixes[i].after);
        long number;
        if (strncmp(text, prefixes[i].before, before) != 0)
            continue;
        const char *end = dlq_number_whole(text + before, &number);
        if (end == NULL || strncmp(end, prefixes[i].after, after) != 0 ||
            (before == 0 && number >= DLQ_MOST_RANKS)) /* such a number is part of a time stamp */
            continue;
        *rank = number;
        return text + (end - text) + after;
    }
    return text;
}

/* Reduces a line in place to the text that a terminal shows, without color codes. Moves its rank, if it has one, to
 *rank, unless `rank` is null. */
static char *trim(char *text, long *rank)
{
    /* Removes escape sequences: "ESC [ ... LETTER", as colors are, and ESC with one other character. */
    char *to = strchr(text, '\x1b');
    for (const char *from = to; from != NULL && *from != '\0';) {
        if (*from != '\x1b') {
            *to++ = *from++;
            continue;
        }
        bool bracket = *++from == '[';
        from += bracket;
        while (bracket && *from != '\0' && (*from < '@' || *from > '~'))
            from++;
        from += *from != '\0';
    }
    if (to != NULL)
        *to = '\0';
    return rank != NULL ? drop_rank(text, rank) : text;
}

enum dlq_read dlq_text_line(struct dlq_log *log, const char *marker, char **text, long *rank)
{
    enum dlq_read result = dlq_log_line(log);
    char *line = log->lines->text;
    if (result == DLQ_READ_BAD && strlen(line) == DLQ_LOG_LINE && strstr(line, marker) == NULL)
        return DLQ_READ_OTHER;
    if (!log->lines->after_return)
        log->line_rank = -1;
    if (result == DLQ_READ_RECORD)
        *text = trim(line, rank != NULL ? &log->line_rank : NULL);
    if (rank != NULL)
        *rank = log->line_rank;
    return result;
}

bool dlq_text_any_line(const struct dlq_log *log, bool (*matches)(char *text, void *context), void *context)
{
    char line[DLQ_LOG_LINE + 1];
    long rank;
    for (size_t at = 0; at < log->head_length;) {
        const char *first = log->head + at;
        size_t size = 0;
        while (at + size < log->head_length && first[size] != '\n' && first[size] != '\r')
            size++;
        size_t length = size < DLQ_LOG_LINE ? size : DLQ_LOG_LINE;
        memcpy(line, first, length);
        line[length] = '\0';
        if (matches(trim(line, &rank), context))
            return true;
        at += size + 1;
    }
    return false;
}

struct pace {
    struct dlq_log *log;
    double (*number)(const struct dlq_log *log, char *text, const void *context);
    const void *context;
    double first;
};

static bool has_pace(char *text, void *context)
{
    struct pace *pace = context;
    const double number = pace->number(pace->log, text, pace->context), between = number - pace->first;
    if (pace->first > 0 && between > 0 && between < INT32_MAX)
        pace->log->between = (long)between;
    else if (number >= 0)
        pace->first = number;
    return pace->log->between > 0;
}

double dlq_text_pace(struct dlq_log *log, double (*number)(const struct dlq_log *log, char *text, const void *context),
                     const void *context)
{
    struct pace pace = {.log = log, .number = number, .context = context};
    log->between = 0;
    dlq_text_any_line(log, has_pace, &pace);
    return pace.first;
}

/* -- the form of a line -- */

/* Finds the form's marker and reads the numbers of form->place behind it. Returns the text behind these; null: none. */
static const char *find_form(const char *text, const struct dlq_line_form *form, struct dlq_printed_line *line)
{
    size_t length = strlen(form->marker);
    for (const char *found = dlq_text_find(text, form->marker); found != NULL;
         found = dlq_text_find(found + length, form->marker)) {
        const char *at = found + length;
        for (const char *place = form->place; *place != '\0' && at != NULL; place++) {
            long total;
            if (*place == '%') {
                place++;
                at = dlq_number_whole(dlq_skip_blanks(at), *place == 'e'   ? &line->epoch
                                                           : *place == 'n' ? &line->counter
                                                                           : &total);
            } else if (*place == ' ' || *place == '~') {
                const char *after = dlq_skip_blanks(at);
                at = *place == '~' || after > at ? after : NULL;
            } else {
                at = *at == *place ? at + 1 : NULL;
            }
        }
        if (at != NULL)
            return at;
    }
    return NULL;
}

/* The number of labels in the text. *missing: the first required label that the text lacks; null: none. */
static int count_labels(const char *text, const struct dlq_format *row, const struct dlq_label **missing)
{
    int found = 0;
    *missing = NULL;
    for (const struct dlq_label *label = row->labels; label->text != NULL; label++) {
        if (dlq_text_find(text, label->text) != NULL)
            found++;
        else if (!label->optional && *missing == NULL)
            *missing = label;
    }
    return found;
}

static bool is_ignored(const struct dlq_format *row, const char *text)
{
    for (const char *const *ignored = row->ignored; *ignored != NULL; ignored++)
        if (strstr(text, *ignored) != NULL)
            return true;
    return false;
}

/* The form of a line that has all required labels; null: none. *after: the text behind the numbers of form->place. */
static const struct dlq_line_form *choose_form(const struct dlq_format *row, const char *text, const char **after,
                                               struct dlq_printed_line *line)
{
    for (const struct dlq_line_form *form = row->forms; form->marker != NULL; form++) {
        const struct dlq_label *missing;
        *line = dlq_printed_nothing();
        *after = find_form(text, form, line);
        if (*after != NULL && count_labels(*after, row, &missing) > 0 && missing == NULL)
            return form;
    }
    return NULL;
}

/* Says why a line with the marker of a form is incomplete. Returns DLQ_READ_OTHER if no form has its marker. */
static enum dlq_read refuse_line(const struct dlq_format *row, struct dlq_log *log, const char *text)
{
    for (const struct dlq_line_form *form = row->forms; form->marker != NULL; form++) {
        const struct dlq_label *missing;
        struct dlq_printed_line line;
        if (dlq_text_find(text, form->marker) == NULL)
            continue;
        bool placed = find_form(text, form, &line) != NULL;
        int found = count_labels(text, row, &missing);
        if (placed && (found > 0 || !row->weak))
            return dlq_log_bad(log, "no '%s': is the line cut off?",
                               missing != NULL ? missing->text : row->labels->text);
        if (!placed && found > 0 && missing == NULL)
            return dlq_log_bad(log, "no number of the iteration after '%s'", form->marker);
    }
    return DLQ_READ_OTHER;
}

/* -- the numbers of a line -- */

static enum dlq_read read_time(struct dlq_log *log, const struct dlq_label *label, const char **at,
                               enum dlq_shows shows, struct dlq_printed *printed)
{
    enum { QUOTED = 24 };
    double value, rounding;
    const char *text = dlq_skip_blanks(*at);
    const char *end = dlq_number_time(text, &value, &rounding);
    size_t length = strcspn(text, " \t()|");
    if (length == 0)
        return dlq_log_bad(log, "nothing follows '%s': is the line cut off?", label->text);
    /* "0.4,12" and "0.4x" are no times; "0.4,", "0.4s," and "0.4)" are. */
    const char *behind = end != NULL && *end == 's' ? end + 1 : end;
    bool ends = behind != NULL && (*behind == ',' ? strchr(" \t", behind[1]) : strchr(" \t()|/}", *behind)) != NULL;
    if (!ends || !isfinite(value))
        return dlq_log_bad(log, "'%s' is '%.*s', not a time such as 0.354", label->text,
                           (int)(length < QUOTED ? length : QUOTED), text);
    if (!dlq_log_time(label->text, label->unit * value, log->why))
        return DLQ_READ_BAD;
    printed->shown[shows] = label->unit * value;
    printed->rounding = label->unit * rounding;
    *at = end;
    return DLQ_READ_RECORD;
}

enum dlq_read dlq_text_record(struct dlq_log *log, const char *text, long rank, struct dlq_record *record)
{
    const struct dlq_format *row = log->format;
    struct dlq_printed_line line, again;
    const char *after;
    log->shared->clock.validation_lines += dlq_text_is_validation(text);
    const bool ignored = is_ignored(row, text);
    const struct dlq_line_form *form = ignored ? NULL : choose_form(row, text, &after, &line);
    log->shared->clock.saves += form == NULL && dlq_text_is_save(text);
    if (form == NULL)
        return ignored ? DLQ_READ_NOTHING : refuse_line(row, log, text);
    if (find_form(after, form, &again) != NULL)
        return dlq_log_bad(log, "two lines are printed on one");
    line.rank = rank;
    for (const struct dlq_label *label = row->labels; label->text != NULL; label++) {
        const char *at = dlq_text_find(after, label->text);
        if (at == NULL)
            continue;
        at += strlen(label->text);
        const enum dlq_shows front =
            log->running && label->front == DLQ_SHOWS_WINDOW ? DLQ_SHOWS_RUNNING : label->front;
        TRY_READ(read_time(log, label, &at, front, &line.times[label->time]));
        if (label->inner == DLQ_SHOWS_NOTHING)
            continue;
        at += strspn(at, " \ts,./0123456789");
        if (*at++ != '(')
            return dlq_log_bad(log, "'%s' has no mean in parentheses: is the line cut off?", label->text);
        TRY_READ(read_time(log, label, &at, label->inner, &line.times[label->time]));
        if (strchr(at, ')') == NULL)
            return dlq_log_bad(log, "the parenthesis after '%s' does not end: is the line cut off?", label->text);
    }
    return dlq_windows_record(log, &row->rules, &line, record);
}

static bool is_of_row(char *text, void *context)
{
    const struct dlq_format *const *row = context;
    struct dlq_printed_line line;
    const char *after;
    return !is_ignored(*row, text) && choose_form(*row, text, &after, &line) != NULL;
}

double dlq_text_counter(const struct dlq_log *log, char *text, const void *unused)
{
    struct dlq_printed_line line;
    const char *after;
    (void)unused;
    return !is_ignored(log->format, text) && choose_form(log->format, text, &after, &line) != NULL
               ? (double)line.counter
               : -1;
}

int dlq_text_probe(const struct dlq_log *log)
{
    const struct dlq_format *row = log->format;
    return dlq_text_any_line(log, is_of_row, &row) ? 80 : 0;
}

/* Printed times of iterations with this label, and the time stamps of their lines. */
struct stamped {
    const struct dlq_log *log;
    const struct dlq_label *label;
    struct dlq_log_sample sample;
};

static bool add_stamped(char *text, void *context)
{
    struct stamped *stamped = context;
    struct dlq_log_sample *sample = &stamped->sample;
    const size_t i = sample->lines;
    struct dlq_printed_line line;
    const char *after;
    double rounding, resolution = 1;
    if (i == DLQ_SAMPLED_LINES)
        return true;
    if (is_ignored(stamped->log->format, text) || choose_form(stamped->log->format, text, &after, &line) == NULL)
        return false;
    const char *at = dlq_text_find(after, stamped->label->text);
    at = at != NULL ? dlq_skip_blanks(at + strlen(stamped->label->text)) : "";
    sample->stamp[i] = dlq_stamp_of(text, &resolution);
    sample->counter[i] = (double)line.counter;
    if (isnan(sample->stamp[i]) || dlq_number_time(at, &sample->values[i][0], &rounding) == NULL)
        return false;
    sample->resolution = fmax(sample->resolution, resolution);
    sample->lines++;
    return false;
}

/* Users can set the window of a program, even to the whole run. Sets log->running if time stamps show such a window. */
static void start(struct dlq_log *log)
{
    dlq_text_pace(log, dlq_text_counter, NULL);
    const struct dlq_label *label = log->format->labels;
    while (label->text != NULL && !(label->time == DLQ_PRINTED_ITER && label->front == DLQ_SHOWS_WINDOW))
        label++;
    struct stamped *stamped = label->text != NULL ? dlq_arena_take(log->arena, 1, sizeof *stamped) : NULL;
    if (stamped == NULL)
        return;
    stamped->log = log;
    stamped->label = label;
    dlq_text_any_line(log, add_stamped, stamped);
    log->running = dlq_is_running_by_stamps(&stamped->sample, 0, label->unit);
    if (!log->running)
        return;
    log->shared->read_as.kind = "running";
    dlq_log_doubt(log, "time stamps show that each line is the mean since the start, as which it is read");
}

static enum dlq_read next(struct dlq_log *log, struct dlq_record *record)
{
    char *text;
    long rank;
    TRY_READ(dlq_text_line(log, log->format->forms->marker, &text, &rank));
    return dlq_text_record(log, text, rank, record);
}

const struct dlq_log_reader dlq_text_reader = {.probe = dlq_text_probe, .start = start, .next = next};

/* -- JSON objects, one per line -- */

/* The number of times that an object has: of the wait for data, of the iteration; 0 if it is not of training. */
static int count_times(const struct dlq_format *row, const json_t *object)
{
    const char *mode = json_string_value(json_object_get(object, "mode"));
    bool has[] = {[DLQ_PRINTED_DATA] = false, [DLQ_PRINTED_ITER] = false};
    if (json_object_get(object, row->forms->marker) == NULL || (mode != NULL && strcmp(mode, "train") != 0))
        return 0;
    for (const struct dlq_label *label = row->labels; label->text != NULL; label++)
        has[label->time] = has[label->time] || json_object_get(object, label->text) != NULL;
    return has[DLQ_PRINTED_DATA] + has[DLQ_PRINTED_ITER];
}

static enum dlq_read read_object(struct dlq_log *log, const json_t *object, long rank, struct dlq_record *record)
{
    const struct dlq_format *row = log->format;
    struct dlq_printed_line line = dlq_printed_nothing();
    const json_t *counter = json_object_get(object, row->forms->marker), *epoch = json_object_get(object, "epoch");
    int times = count_times(row, object);
    if (times == 0)
        return DLQ_READ_NOTHING;
    if (!json_is_integer(counter) || json_integer_value(counter) < 0)
        return dlq_log_bad(log, "\"%s\" is not a number of an iteration", row->forms->marker);
    if (times == 1)
        return dlq_log_bad(log, "one of the times is missing, of data or of the iteration");
    line.rank = rank;
    line.counter = json_integer_value(counter);
    if (json_is_integer(epoch) && json_integer_value(epoch) >= 0)
        line.epoch = json_integer_value(epoch);
    for (const struct dlq_label *label = row->labels; label->text != NULL; label++) {
        const json_t *found = json_object_get(object, label->text);
        double value = json_number_value(found);
        if (found == NULL)
            continue;
        if (!json_is_number(found) || !(value >= 0))
            return dlq_log_bad(log, "\"%s\" is not a time such as 0.354", label->text);
        if (!dlq_log_time(label->text, value, log->why))
            return DLQ_READ_BAD;
        line.times[label->time].shown[label->front] = value;
    }
    return dlq_windows_record(log, &row->rules, &line, record);
}

static enum dlq_read next_object(struct dlq_log *log, struct dlq_record *record)
{
    char *text;
    long rank;
    json_error_t error;
    TRY_READ(dlq_text_line(log, "\"data_time\"", &text, &rank));
    text += strspn(text, " \t");
    if (*text != '{')
        return DLQ_READ_OTHER;
    dlq_json_mend(text);
    json_t *object = json_loads(text, 0, &error);
    if (object == NULL)
        return dlq_log_bad(log, "not JSON at column %d: %s", error.column, error.text);
    enum dlq_read result = read_object(log, object, rank, record);
    json_decref(object);
    return result;
}

/* The counter of an object with both times; -1: not such an object. For dlq_text_pace. */
static double counter_of_object(const struct dlq_log *log, char *text, const void *unused)
{
    (void)unused;
    text += strspn(text, " \t");
    if (*text != '{' || strstr(text, "data_time\"") == NULL)
        return -1;
    dlq_json_mend(text);
    json_t *object = json_loads(text, 0, NULL);
    const bool both = count_times(log->format, object) == 2;
    const double number = both ? json_number_value(json_object_get(object, log->format->forms->marker)) : -1;
    json_decref(object);
    return number;
}

static bool is_object_of_row(char *text, void *context)
{
    const struct dlq_log *const *log = context;
    return counter_of_object(*log, text, NULL) >= 0;
}

static int probe_objects(const struct dlq_log *log)
{
    return dlq_text_any_line(log, is_object_of_row, &log) ? 85 : 0;
}

static void start_objects(struct dlq_log *log)
{
    dlq_text_pace(log, counter_of_object, NULL);
}

const struct dlq_log_reader dlq_json_reader = {.probe = probe_objects, .start = start_objects, .next = next_object};
