#include "trace/text.h"

#include <stdint.h>
#include <string.h>

enum { SURE = 80, SHOWN = 24 };

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* -- which line it is -- */

static const char *read_count(const char *text, long *value)
{
    return dlq_text_integer(skip_blanks(text), value);
}

/* What follows the place; null: it is not there. */
static const char *read_place(const char *text, const char *place, struct dlq_told *told)
{
    long total;
    for (; *place != '\0' && text != NULL; place++) {
        if (*place == '%') {
            place++;
            text = read_count(text, *place == 'e' ? &told->epoch : *place == 'n' ? &told->counter : &total);
        } else if (*place == ' ' || *place == '~') {
            const char *after = skip_blanks(text);
            text = *place == '~' || after > text ? after : NULL;
        } else {
            text = *text == *place ? text + 1 : NULL;
        }
    }
    return text;
}

/* What follows the marker and its place; null: nowhere in the text. */
static const char *find_form(const char *text, const struct dlq_form *form, struct dlq_told *told)
{
    size_t length = strlen(form->marker);
    for (const char *at = dlq_text_find(text, form->marker); at != NULL;
         at = dlq_text_find(at + length, form->marker)) {
        const char *after = read_place(at + length, form->place, told);
        if (after != NULL)
            return after;
    }
    return NULL;
}

/* How many of the labels are in the text; *missing: the first that should be and is not. */
static int count_labels(const char *text, const struct dlq_form *form, const struct dlq_label **missing)
{
    int found = 0;
    *missing = NULL;
    for (size_t i = 0; i < DLQ_LABELS && form->labels[i].text != NULL; i++) {
        const struct dlq_label *label = &form->labels[i];
        if (dlq_text_find(text, label->text) != NULL)
            found++;
        else if (!label->optional && *missing == NULL)
            *missing = label;
    }
    return found;
}

/* -- its numbers -- */

static enum dlq_taken refuse_number(struct dlq_log *log, const struct dlq_label *label, const char *text)
{
    size_t length = strcspn(text, " \t()|");
    if (length == 0)
        return dlq_log_bad(log, "nothing follows '%s': is the line cut off?", label->text);
    return dlq_log_bad(log, "'%s' is '%.*s', not a time such as 0.354", label->text,
                       (int)(length < SHOWN ? length : SHOWN), text);
}

/* "0.4,12" and "0.4x" are no numbers; "0.4," "0.4s," and "0.4)" are. */
static bool ends_number(const char *text)
{
    text += *text == 's' ? 1 : 0;
    if (*text == ',')
        return strchr(" \t", text[1]) != NULL;
    return strchr(" \t()|/}", *text) != NULL;
}

static enum dlq_taken read_time(struct dlq_log *log, const struct dlq_label *label, const char **at,
                                enum dlq_figure figure, struct dlq_shown *shown)
{
    double *const values[] = {NULL, &shown->single, &shown->window, &shown->running, &shown->median};
    double unit = label->unit > 0 ? label->unit : 1;
    double value;
    double rounding;
    const char *text = skip_blanks(*at);
    const char *end = dlq_field_number(text, &value, &rounding);
    if (end == NULL || !ends_number(end) || !isfinite(value))
        return refuse_number(log, label, text);
    if (!dlq_log_time(label->text, unit * value, log->why))
        return DLQ_TAKEN_BAD;
    *values[figure] = unit * value;
    shown->rounding = unit * rounding;
    *at = end;
    return DLQ_TAKEN_RECORD;
}

static enum dlq_taken read_label(struct dlq_log *log, const struct dlq_label *label, const char *text,
                                 struct dlq_told *told)
{
    struct dlq_shown *shown = label->of == DLQ_OF_DATA ? &told->data : &told->iter;
    const char *at = dlq_text_find(text, label->text);
    if (at == NULL)
        return DLQ_TAKEN_RECORD;
    at += strlen(label->text);
    enum dlq_taken taken = read_time(log, label, &at, label->front, shown);
    if (taken != DLQ_TAKEN_RECORD || label->inner == DLQ_FIGURE_NONE)
        return taken;
    at += strspn(at, " \ts,./0123456789");
    if (*at != '(')
        return dlq_log_bad(log, "'%s' has no mean in parentheses: is the line cut off?", label->text);
    at++;
    taken = read_time(log, label, &at, label->inner, shown);
    if (taken == DLQ_TAKEN_RECORD && strchr(at, ')') == NULL)
        return dlq_log_bad(log, "the parenthesis after '%s' does not end: is the line cut off?", label->text);
    return taken;
}

/* `text` follows the place. */
static enum dlq_taken read_form(const struct dlq_form *form, struct dlq_log *log, const char *text,
                                struct dlq_told *told)
{
    struct dlq_told again;
    if (find_form(text, form, &again) != NULL)
        return dlq_log_bad(log, "two lines have run into one");
    for (size_t i = 0; i < DLQ_LABELS && form->labels[i].text != NULL; i++) {
        enum dlq_taken taken = read_label(log, &form->labels[i], text, told);
        if (taken != DLQ_TAKEN_RECORD)
            return taken;
    }
    return DLQ_TAKEN_RECORD;
}

/* -- the whole -- */

static bool is_aside(const struct dlq_text_row *row, const char *text)
{
    for (const char *const *aside = row->asides; aside != NULL && *aside != NULL; aside++)
        if (strstr(text, *aside) != NULL)
            return true;
    return false;
}

/* A line with the marker of a form, but not all that belongs there. */
static enum dlq_taken refuse_line(const struct dlq_text_row *row, struct dlq_log *log, const char *text)
{
    for (const struct dlq_form *form = row->forms; form->marker != NULL; form++) {
        const struct dlq_label *missing;
        struct dlq_told told;
        const char *after = find_form(text, form, &told);
        bool marked = dlq_text_find(text, form->marker) != NULL;
        int found = count_labels(text, form, &missing);
        if (after != NULL && (found > 0 || !row->weak))
            return dlq_log_bad(log, "no '%s': is the line cut off?", missing != NULL ? missing->text : form->marker);
        if (after == NULL && marked && found > 0 && missing == NULL)
            return dlq_log_bad(log, "no number of the iteration after '%s'", form->marker);
    }
    return DLQ_TAKEN_OTHER;
}

/* The form that a line has in full, and what follows its place; null: none. */
static const struct dlq_form *choose_form(const struct dlq_text_row *row, const char *text, const char **after,
                                          struct dlq_told *told)
{
    for (const struct dlq_form *form = row->forms; form->marker != NULL; form++) {
        const struct dlq_label *missing;
        *told = dlq_told_nothing();
        *after = find_form(text, form, told);
        if (*after != NULL && count_labels(*after, form, &missing) > 0 && missing == NULL)
            return form;
    }
    return NULL;
}

static bool has_marker(const struct dlq_text_row *row, const char *text)
{
    const char *before = "";
    for (const struct dlq_form *form = row->forms; form->marker != NULL; before = form->marker, form++)
        if (strcmp(form->marker, before) != 0 && strstr(text, form->marker) != NULL)
            return true;
    return false;
}

enum dlq_taken dlq_text_take(const struct dlq_text_row *row, struct dlq_streams *streams, struct dlq_log *log,
                             const char *text, long rank, struct dlq_record *record)
{
    struct dlq_told told;
    const char *after;
    if (is_aside(row, text))
        return DLQ_TAKEN_NOTHING;
    if (!has_marker(row, text))
        return DLQ_TAKEN_OTHER;
    const struct dlq_form *form = choose_form(row, text, &after, &told);
    if (form == NULL)
        return refuse_line(row, log, text);
    told.rank = rank;
    enum dlq_taken taken = read_form(form, log, after, &told);
    return taken == DLQ_TAKEN_RECORD ? dlq_streams_take(streams, log, &row->rules, &told, record) : taken;
}

enum dlq_taken dlq_text_next(const struct dlq_text_row *row, struct dlq_log *log, struct dlq_record *record)
{
    char *text;
    long rank;
    enum dlq_taken taken = dlq_text_line(log, row->forms->marker, &text, &rank);
    return taken == DLQ_TAKEN_RECORD ? dlq_text_take(row, log->state, log, text, rank, record) : taken;
}

static bool is_of_row(char *text, const void *with)
{
    const struct dlq_text_row *row = with;
    struct dlq_told told;
    const char *after;
    return !is_aside(row, text) && choose_form(row, text, &after, &told) != NULL;
}

int dlq_text_probe(const struct dlq_text_row *row, const char *head, size_t length)
{
    return dlq_text_any_line(head, length, is_of_row, row) ? SURE : 0;
}
