/* The configuration that a fit writes. */
#include "base/quantity.h"
#include "study/fit/fit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text that grows as it is written. */
struct text {
    char *written; /* owned; null: nothing was written */
    size_t length, capacity;
    bool failed; /* no memory: the text is not whole */
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t needed = text->length + (size_t)(length > 0 ? length : 0) + 1;
    if (needed > text->capacity && !text->failed) {
        size_t capacity = needed > 2 * text->capacity ? needed : 2 * text->capacity;
        char *grown = realloc(text->written, capacity);
        text->failed = grown == NULL;
        text->written = grown != NULL ? grown : text->written;
        text->capacity = grown != NULL ? capacity : text->capacity;
    }
    if (length < 0 || text->failed)
        text->failed = true;
    else
        text->length += (size_t)vsnprintf(text->written + text->length, (size_t)length + 1, format, again);
    va_end(again);
}

enum { DIGITS = 6, OVERHEAD_DIGITS = 3 };

static const struct {
    double least;
    const char *name;
} time_units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {0, "ns"}};

/* Measured numbers carry no more digits than they have. */
static const char *time_text(double seconds, int digits, char text[DLQ_QUANTITY_TEXT])
{
    size_t i = 0;
    while (seconds < time_units[i].least)
        i++;
    double unit = time_units[i].least > 0 ? time_units[i].least : 1e-9;
    snprintf(text, DLQ_QUANTITY_TEXT, "%.*g%s", digits, seconds / unit, time_units[i].name);
    return text;
}

static void add_line(struct text *out, const char *key, const char *value, const char *comment)
{
    add(out, "%-12s = %s", key, value);
    if (comment[0] != '\0')
        add(out, "%*s; %s", (int)(strlen(value) < 20 ? 20 - strlen(value) : 1), "", comment);
    add(out, "\n");
}

static void add_count(struct text *out, const char *key, long value, const char *comment)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", value);
    add_line(out, key, text, comment);
}

static void add_time(struct text *out, const char *key, double seconds, int digits, const char *comment)
{
    char text[DLQ_QUANTITY_TEXT];
    add_line(out, key, time_text(seconds, digits, text), comment);
}

static void add_number(struct text *out, const char *key, double value, double unit, const char *suffix)
{
    char text[DLQ_QUANTITY_TEXT];
    snprintf(text, sizeof text, "%.*g%s", DIGITS, value / unit, suffix);
    add_line(out, key, text, "");
}

/* -- sections -- */

enum { NAME_TEXT = 100, COMMENT_WIDTH = 100 };

/* Free text in a line: no more than fits, and nothing that would end it or begin a comment. */
static const char *clean(const char *value, char text[NAME_TEXT])
{
    size_t used = 0;
    for (; *value != '\0' && used + 1 < NAME_TEXT; value++) {
        unsigned char byte = (unsigned char)*value;
        text[used++] = byte < ' ' || byte >= 127 || byte == ';' || byte == '#' ? '_' : *value;
    }
    text[used] = '\0';
    return text;
}

/* Comment lines of whole words. */
static void add_remark(struct text *out, const char *text)
{
    while (*text != '\0') {
        size_t length = strlen(text);
        if (length > COMMENT_WIDTH) {
            length = COMMENT_WIDTH;
            while (length > 1 && text[length] != ' ')
                length--;
        }
        add(out, "; %.*s\n", (int)length, text);
        text += length;
        text += strspn(text, " ");
    }
}

static void add_pipeline(struct text *out, const struct dlq_fit *fit, const struct dlq_fit_recipe *recipe)
{
    char text[NAME_TEXT];
    add(out, "[pipeline]\n");
    if (recipe->name != NULL && recipe->name[0] != '\0')
        add_line(out, "name", clean(recipe->name, text), "");
    add_line(out, "loader", fit->loader, "");
    add_count(out, "loaders", fit->loaders,
              fit->loaders_known ? "" : "assumed, the logs do not tell: no count follows from it; see --loaders");
    if (fit->loaders > 0 && fit->prefetch > 0)
        add_count(out, "prefetch", fit->prefetch, "");
    if (fit->ranks > 1)
        add_count(out, "ranks", fit->ranks, "");
    add(out, "; batch_size = 256                ; samples per batch: also report samples/s\n");
    if (recipe->slow_loaders > 0) {
        add_count(out, "slow_loaders", recipe->slow_loaders, "workers that were slower than the others");
        add_number(out, "slow_factor", recipe->slow_factor, 1, "");
    }
}

static void add_overheads(struct text *out, const struct dlq_measured_overheads *overheads)
{
    const struct {
        const char *key, *comment;
        double value;
    } lines[] = {
        {"startup", "until the workers begin", overheads->startup},
        {"dispatch", "from dispatch to the start of a load", overheads->dispatch},
        {"deliver", "from the end of a load until the batch can be received", overheads->deliver},
        {"receive", "per batch, in the training process", overheads->receive},
        {"barrier", "per step, with several ranks", overheads->barrier},
    };
    bool any = false;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!(lines[i].value > 0))
            continue;
        add(out, "%s", any ? "" : "\n[overheads]                          ; as measured\n");
        add_time(out, lines[i].key, lines[i].value, OVERHEAD_DIGITS, lines[i].comment);
        any = true;
    }
}

static void add_law(struct text *out, const struct dlq_family *family, const struct dlq_parameters *parameters)
{
    const char *name;
    double value;
    bool is_time;
    add_line(out, "distribution", family->name, "");
    for (size_t i = 0; dlq_fit_parameter_at(parameters, i, &name, &value, &is_time); i++) {
        if (is_time)
            add_time(out, name, value, DIGITS, "");
        else
            add_number(out, name, value, 1, "");
    }
}

static void add_comment(struct text *out, const struct dlq_fit_law *law, const char *what)
{
    char mean[DLQ_QUANTITY_TEXT], low[DLQ_QUANTITY_TEXT], high[DLQ_QUANTITY_TEXT], cv[32] = "unbounded";
    dlq_quantity_readable(law->mean, DLQ_UNIT_TIME, 4, mean);
    if (isfinite(law->cv))
        snprintf(cv, sizeof cv, "%.3g", law->cv);
    dlq_quantity_readable(law->mean_low, DLQ_UNIT_TIME, 4, low);
    dlq_quantity_readable(law->mean_high, DLQ_UNIT_TIME, 4, high);
    if (law->only_bound)
        add(out, "; only a bound is known: a batch takes at most %s on average\n", high);
    else if (law->n > 0 && law->mean_high > law->mean_low)
        add(out, "; %ld %s, mean %s (95 %%: %s to %s), cv %s\n", law->n, what, mean, low, high, cv);
    else if (law->n > 0)
        add(out, "; %ld %s, mean %s, cv %s\n", law->n, what, mean, cv);
    for (size_t i = 0; law->tried_count > 1 && i < law->tried_count && i < 3; i++)
        add(out, "%s%s%s", i == 0 ? "; " : ", then ", law->tried[i].distribution,
            i + 1 == law->tried_count || i == 2 ? " by AIC\n" : "");
}

static void add_work(struct text *out, const char *section, const struct dlq_fit_law *law,
                     const struct dlq_fitted *fitted, const char *uses)
{
    if (fitted != NULL && fitted->has_tail) {
        add(out, "[%s.usual]\n", section);
        add_law(out, fitted->family, &fitted->parameters);
        add(out, "%s", uses);
        add(out, "\n[%s.tail]                          ; what slow ones take on top\n", section);
        add_number(out, "probability", fitted->tail_probability, 0.01, "%");
        add_law(out, fitted->tail_family, &fitted->tail_parameters);
        add(out, "%s", uses);
        return;
    }
    add(out, "[%s]\n", section);
    if (fitted != NULL)
        add_law(out, fitted->family, &fitted->parameters);
    else
        add_time(out, "mean", law->mean, DIGITS, "");
    add(out, "%s", uses);
}

/* Loads that exclude one another share one core, as far as the model goes. */
static void add_host(struct text *out, bool one_by_one)
{
    add(out, "\n%s[host]                            ; what the machine has%s\n", one_by_one ? "" : "; ",
        one_by_one ? "" : ": then limits and sharing are known");
    add(out, one_by_one ? "cores = 1                         ; not a core: what the loaders wait for\n"
                        : "; cores = 12                        ; and in [load]: uses = cpu\n");
    add(out, "; memory = 64GiB\n"
             "; price = 3.06                      ; per hour\n");
}

char *dlq_fit_config(const struct dlq_fit *fit, const struct dlq_fit_recipe *recipe)
{
    struct text out = {0};
    char text[NAME_TEXT];
    add(&out, "; Fitted by dlqueue to %s\n\n", clean(recipe->logs != NULL ? recipe->logs : "", text));
    add_pipeline(&out, fit, recipe);
    add_overheads(&out, &fit->overheads);
    add(&out, "\n");
    add_remark(&out, recipe->load_note);
    add_comment(&out, &fit->load, fit->source == DLQ_FIT_TRACE ? "loads" : "batches");
    add_work(&out, "load", &fit->load, recipe->load, fit->one_by_one ? "uses         = cpu\n" : "");
    add(&out, "\n");
    add_comment(&out, &fit->step, "steps");
    add_work(&out, "step", &fit->step, recipe->step, "");
    add_host(&out, fit->one_by_one);
    if (!out.failed)
        return out.written;
    free(out.written);
    return NULL;
}
