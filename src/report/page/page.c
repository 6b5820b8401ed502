/* The page of `dlqueue report`: its data, and the slots of its template. */
#include "report/page/page.h"

#include "analytic/analytic.h"
#include "draw/memory.h"
#include "model/model.h"
#include "report/embedded.h"
#include "report/figures.h"
#include "study/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(rows) (sizeof(rows) / sizeof *(rows))

/* -- data -- */

static void put_base64(struct dlq_object *object, const char *key, const unsigned char *bytes, size_t size)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc((size + 2) / 3 * 4 + 1), *to = text;
    if (text == NULL) {
        object->failed = true;
        return;
    }
    for (size_t i = 0; i < size; i += 3) {
        unsigned part = (unsigned)bytes[i] << 16 | (i + 1 < size ? (unsigned)bytes[i + 1] << 8 : 0U) |
                        (i + 2 < size ? (unsigned)bytes[i + 2] : 0U);
        *to++ = letters[part >> 18];
        *to++ = letters[part >> 12 & 63U];
        *to++ = (char)(i + 1 < size ? letters[part >> 6 & 63U] : '=');
        *to++ = (char)(i + 2 < size ? letters[part & 63U] : '=');
    }
    *to = '\0';
    dlq_object_text(object, key, text);
    free(text);
}

static const struct {
    const char *key, *label, *unit;
} axis_words[] = {
    {"loaders", "loaders", ""}, {"prefetch", "prefetch", ""},    {"load", "mean load time", "s"},
    {"cv", "load cv", ""},      {"step", "mean step time", "s"}, {"delivery", "delivery", ""},
};

/* What the value of an axis is on a command line; "" where nothing need be said. */
static void say_option(const struct dlq_page_report *report, const char *key, double value, char *text, size_t size)
{
    const struct dlq_system *system = &report->model->system;
    bool load = strcmp(key, "load") == 0, step = strcmp(key, "step") == 0;
    const struct dlq_work *work = load ? &system->load : &system->step;
    const char *section = load ? "load" : "step";
    size_t used = 0;
    text[0] = '\0';
    if (strcmp(key, "delivery") == 0)
        snprintf(text, size, "--loader %s", dlq_system_loader(system)->unordered);
    else if (load || step)
        for (size_t i = 0; i < work->count && used < size; i++) { /* of a stage: its own unit is a sample, or a batch */
            const struct dlq_stage *stage = &work->stages[i];
            double mean = stage->dist.mean * value / work->mean;
            used += (size_t)snprintf(text + used, size - used, "%s--set %s%s%s.mean=%.9gs", i > 0 ? " " : "", section,
                                     stage->name[0] != '\0' ? "." : "", stage->name, mean);
        }
    else if (strcmp(key, "cv") == 0)
        snprintf(text, size, "--cv %.9g", value);
    else
        snprintf(text, size, "--%s %.9g", key, value);
}

static json_t *axis_json(const struct dlq_page_report *report, const struct dlq_explore_axis *axis)
{
    struct dlq_object object = dlq_object_new();
    char text[1024];
    size_t words = 0;
    while (strcmp(axis_words[words].key, axis->key) != 0)
        words++;
    dlq_object_text(&object, "key", axis->key);
    dlq_object_text(&object, "label", axis_words[words].label);
    dlq_object_text(&object, "unit", axis_words[words].unit);
    dlq_object_list(&object, "values");
    dlq_object_list(&object, "option");
    for (size_t i = 0; i < axis->count; i++) {
        say_option(report, axis->key, axis->values[i], text, sizeof text);
        dlq_object_append(&object, "values", dlq_json_number(axis->values[i]));
        dlq_object_append(&object, "option", dlq_json_text(text));
    }
    dlq_object_number(&object, "own", axis->values[axis->own]);
    if (strcmp(axis->key, "delivery") == 0) {
        dlq_object_text(&object, "kind", "choice");
        dlq_object_put(&object, "labels", json_pack("[s, s]", "in order", "as completed"));
    }
    return dlq_object_end(&object);
}

static json_t *grid_json(const struct dlq_page_report *report)
{
    const struct dlq_explore *grid = report->grid;
    struct dlq_object object = dlq_object_new(), said = dlq_object_new();
    double most = 0, scale;
    unsigned char *x = malloc(2 * grid->points + 1), *h = malloc(grid->points + 1);
    bool room = x != NULL && h != NULL;
    object.failed = object.failed || !room;
    for (size_t i = 0; i < grid->points; i++)
        most = isfinite(grid->throughput[i]) ? fmax(most, grid->throughput[i]) : most;
    scale = most / 65535;
    dlq_object_list(&object, "axes");
    for (size_t a = 0; a < grid->axis_count; a++)
        dlq_object_append(&object, "axes", axis_json(report, &grid->axes[a]));
    dlq_object_number(&object, "scale", scale);
    /* Throughputs as whole parts of the largest, half-widths as powers of 2^(1/16) of a ten thousandth, rounded up. */
    for (size_t i = 0; i < grid->points && room; i++) {
        double value = grid->throughput[i], share = grid->half[i] / value / 1e-4;
        unsigned part = isfinite(value) && scale > 0 ? (unsigned)lround(value / scale) : 0;
        x[2 * i] = (unsigned char)(part & 255U);
        x[2 * i + 1] = (unsigned char)(part >> 8);
        h[i] = share >= 1 ? (unsigned char)fmin(255, 1 + ceil(16 * log2(share))) : 0;
    }
    if (room) {
        put_base64(&object, "x", x, 2 * grid->points);
        put_base64(&object, "h", h, grid->points);
        put_base64(&object, "b", grid->cause, grid->points);
    }
    free(x);
    free(h);
    dlq_object_list(&object, "causes");
    for (size_t i = 0; i < grid->cause_count; i++)
        dlq_object_append(&object, "causes", dlq_json_text(dlq_cause_name(grid->causes[i])));
    for (enum dlq_cause cause = DLQ_CAUSE_LOAD; cause <= DLQ_CAUSE_SEVERAL; cause++) {
        char phrase[80];
        snprintf(phrase, sizeof phrase, "%s hold%s it back%s", dlq_causes[cause].subject,
                 cause == DLQ_CAUSE_LOAD || cause == DLQ_CAUSE_CORES ? "" : "s",
                 cause == DLQ_CAUSE_WINDOW ? ": too few batches are in flight." : ".");
        if (cause == DLQ_CAUSE_STEP)
            snprintf(phrase, sizeof phrase, "The step is the bound: data is there in time.");
        dlq_object_text(&said, dlq_cause_name(cause), phrase);
    }
    dlq_object_put(&object, "phrases", dlq_object_end(&said));
    dlq_object_number(&object, "points", (double)grid->points);
    dlq_object_text(&object, "file", report->file);
    if (grid->thinned)
        dlq_object_text(&object, "note",
                        "Some sliders have fewer stops than usual: this configuration takes longer to simulate.");
    return dlq_object_end(&object);
}

static long long units(double seconds, double unit)
{
    return llround(seconds / unit);
}

/* A point in time in whole units, as its distance to the one before: short, and exact when added up. */
static void append_delta(struct dlq_object *object, const char *key, long long now, long long *before)
{
    dlq_object_append(object, key, json_integer(now - *before));
    *before = now;
}

static bool is_recorded(const struct dlq_timeline *timeline, const struct dlq_timeline_batch *batch)
{
    return isfinite(batch->load_start) && isfinite(batch->load_end) && batch->load_start < timeline->until;
}

/* Where a reader should look first: half a step before the first long wait for data. */
static double telling(const struct dlq_timeline *timeline, const struct dlq_timeline_rank *rank)
{
    double longest = 0, step = 0;
    for (size_t i = 1; i < rank->stepped; i++) {
        longest = fmax(longest, rank->batches[i].received - rank->batches[i - 1].step_end);
        step += (rank->batches[i].step_end - rank->batches[i].received) / (double)rank->stepped;
    }
    for (size_t i = 1; i < rank->stepped; i++)
        if (longest > timeline->stall_above && rank->batches[i].received - rank->batches[i - 1].step_end >= longest / 2)
            return fmax(0, rank->batches[i - 1].step_end - step / 2);
    return rank->stepped > 1 ? rank->batches[rank->stepped / 2].received : 0;
}

/* Where there are any: the pause of each step; slow phases as loader, begin, end and speed. */
static void put_changes(struct dlq_object *object, const struct dlq_timeline *timeline,
                        const struct dlq_timeline_rank *rank, double unit, double end)
{
    bool pauses = false;
    for (size_t i = 0; i < rank->stepped; i++)
        pauses = pauses || rank->batches[i].pause > 0;
    if (pauses)
        dlq_object_list(object, "pause");
    for (size_t i = 0; i < rank->stepped && pauses; i++)
        if (is_recorded(timeline, &rank->batches[i]))
            dlq_object_append(object, "pause", json_integer(units(rank->batches[i].pause, unit)));
    if (rank->slow_count > 0)
        dlq_object_list(object, "slow");
    for (size_t i = 0; i < rank->slow_count; i++) {
        const struct dlq_slow_phase *slow = &rank->slow[i];
        if (slow->from < end)
            dlq_object_append(object, "slow",
                              json_pack("[I, I, I, f]", (json_int_t)slow->worker, (json_int_t)units(slow->from, unit),
                                        (json_int_t)units(fmin(slow->until, end), unit), slow->speed));
    }
}

/* Of the rank that waits longest. Times in 1/1000 of the shorter of load and step. */
static json_t *record_json(const struct dlq_timeline_answer *answer)
{
    const struct dlq_timeline *timeline = &answer->timeline;
    const struct dlq_timeline_rank *rank = &timeline->ranks[answer->worst];
    struct dlq_object object = dlq_object_new();
    double shortest = INFINITY, end = 0;
    bool numbered = false;
    size_t place = 0;
    for (size_t i = 0; i < rank->stepped; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        double load = batch->load_end - batch->load_start, step = batch->step_end - batch->received;
        shortest = load > 0 ? fmin(shortest, load) : shortest;
        shortest = step > 0 ? fmin(shortest, step) : shortest;
        end = fmax(end, batch->step_end);
    }
    end = isfinite(timeline->until) ? fmin(end, timeline->until) : end;
    /* a power of ten; differences of times may fall short of 100 ms by their rounding */
    double unit = isfinite(shortest) ? pow(10, fmax(-9, floor(log10(shortest) + 1e-6) - 3)) : 1e-4;
    dlq_object_number(&object, "unit", unit);
    dlq_object_number(&object, "loaders", (double)timeline->workers);
    dlq_object_number(&object, "window", (double)(timeline->window > 0 ? timeline->window : 0));
    dlq_object_flag(&object, "ordered", timeline->in_order);
    dlq_object_number(&object, "end", end);
    dlq_object_number(&object, "stall", timeline->stall_above);
    dlq_object_number(&object, "at", telling(timeline, rank));
    static const char *const lists[] = {"worker", "start", "load", "receive", "step", "batch"};
    for (size_t k = 0; k < COUNT_OF(lists); k++)
        dlq_object_list(&object, lists[k]);
    long long start = 0, receive = 0;
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        if (!is_recorded(timeline, batch))
            continue;
        numbered = numbered || batch->index != (long)place;
        place++;
        dlq_object_append(&object, "worker", json_integer(batch->worker > 0 ? batch->worker : 0));
        append_delta(&object, "start", units(batch->load_start, unit), &start);
        dlq_object_append(&object, "load", json_integer(units(batch->load_end, unit) - units(batch->load_start, unit)));
        dlq_object_append(&object, "batch", json_integer(batch->index));
        if (i >= rank->stepped)
            continue;
        append_delta(&object, "receive", units(batch->received, unit), &receive);
        dlq_object_append(&object, "step", json_integer(units(batch->step_end, unit) - units(batch->received, unit)));
    }
    if (!numbered && object.json != NULL)
        json_object_del(object.json, "batch");
    put_changes(&object, timeline, rank, unit, end);
    return dlq_object_end(&object);
}

static void put_report(struct dlq_object *object, const struct dlq_page_report *report)
{
    const struct {
        const char *command;
        const struct dlq_figures *figures;
        const void *answer;
    } rows[] = {
        {"solve", &dlq_figures_solution, report->solved},        {"plan", &dlq_figures_plan, report->plan},
        {"diagnose", &dlq_figures_diagnosis, report->diagnosed}, {"fit", &dlq_figures_fit, report->fit},
        {"advise", &dlq_figures_advice, report->advised},        {"timeline", &dlq_figures_timeline, report->timeline},
    };
    const struct dlq_timeline_answer *timeline = report->timeline;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].answer != NULL)
            dlq_object_put(object, rows[i].command, dlq_figures_json(rows[i].figures, rows[i].answer, rows[i].command));
    if (timeline != NULL && timeline->timeline.workers > 0 && timeline->timeline.ranks[timeline->worst].stepped > 1)
        dlq_object_put(object, "record", record_json(timeline));
    if (report->grid != NULL && report->grid->axis_count > 0)
        dlq_object_put(object, "grid", grid_json(report));
}

/* One report as it is, several in a list; null: no memory. */
static json_t *data_json(const struct dlq_page_report *reports, size_t count)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_number(&object, "page", 1);
    dlq_object_text(&object, "dlqueue", DLQ_VERSION);
    dlq_object_text(&object, "kind", reports[0].diagnosed != NULL ? "log" : "configuration");
    if (count == 1)
        put_report(&object, &reports[0]);
    else
        dlq_object_list(&object, "reports");
    for (size_t i = 0; i < count && count > 1; i++) {
        struct dlq_object one = dlq_object_new();
        put_report(&one, &reports[i]);
        dlq_object_append(&object, "reports", dlq_object_end(&one));
    }
    return dlq_object_end(&object);
}

/* -- slots -- */

/* Where the first sentence of a text ends. The texts are our own: no name, no path stands in them. */
static size_t sentence_length(const char *text)
{
    for (size_t i = 0; text[i] != '\0'; i++)
        if (strchr(".?!", text[i]) != NULL && text[i + 1] == ' ')
            return i + 1;
    return strlen(text);
}

/* An item of a section that has but the slot "text"; none where there is no text. */
static void append_text(struct dlq_object *object, const char *section, const char *text)
{
    if (text != NULL && text[0] != '\0')
        dlq_object_append(object, section, json_pack("{s:o}", "text", dlq_json_text(text)));
}

/* The first sentence as the headline, each of the others by itself. */
static void put_sentences(struct dlq_object *object, const char *text)
{
    dlq_object_text(object, "headline", "");
    dlq_object_list(object, "sentences");
    for (bool first = true; text != NULL && *text != '\0'; first = false) {
        char sentence[1024];
        size_t length = sentence_length(text);
        snprintf(sentence, sizeof sentence, "%.*s", (int)length, text);
        if (first)
            dlq_object_text(object, "headline", sentence);
        else
            append_text(object, "sentences", sentence);
        text += length;
        text += *text == ' ';
    }
}

static json_t *chart_json(const struct dlq_page_chart *chart)
{
    struct dlq_object object = dlq_object_new();
    char *wide = dlq_page_chart_clean(chart->wide), *narrow = dlq_page_chart_clean(chart->narrow);
    dlq_object_text(&object, "label", chart->label);
    dlq_object_text(&object, "wide", wide);
    dlq_object_text(&object, "narrow", narrow);
    object.failed = object.failed || wide == NULL || narrow == NULL;
    free(wide);
    free(narrow);
    return dlq_object_end(&object);
}

static json_t *report_slots(const struct dlq_page_report *report, size_t number)
{
    static const char *const lists[] = {"warnings", "charts", "configuration", "seed"};
    struct dlq_object object = dlq_object_new(), charts = dlq_object_new();
    char text[24];
    snprintf(text, sizeof text, "%zu", number);
    dlq_object_text(&object, "number", text);
    dlq_object_text(&object, "name", report->name);
    dlq_object_text(&object, "parameters", report->parameters);
    dlq_object_text(&object, "commands", report->commands);
    dlq_object_text(&object, "report_text", report->text);
    put_sentences(&object, report->verdict);
    for (size_t k = 0; k < COUNT_OF(lists); k++)
        dlq_object_list(&object, lists[k]);
    for (size_t i = 0; i < report->caution_count; i++)
        append_text(&object, "warnings", report->cautions[i]);
    append_text(&object, "configuration", report->configuration);
    append_text(&object, "seed", report->seed);
    dlq_object_list(&charts, "chart");
    dlq_object_list(&charts, "chart_note");
    for (size_t i = 0; i < report->chart_count; i++)
        dlq_object_append(&charts, "chart", chart_json(&report->charts[i]));
    append_text(&charts, "chart_note", report->chart_note);
    json_t *all = dlq_object_end(&charts);
    if (report->chart_count > 0 || report->chart_note != NULL)
        dlq_object_append(&object, "charts", all);
    else
        json_decref(all);
    return dlq_object_end(&object);
}

static const char *embedded(const char *name)
{
    size_t i = 0;
    while (strcmp(dlq_page_files[i].name, name) != 0)
        i++;
    return (const char *)dlq_page_files[i].text;
}

enum dlq_status dlq_page_write(FILE *stream, const char *title, const struct dlq_page_report *reports, size_t count,
                               struct dlq_error *error)
{
    struct dlq_object object = dlq_object_new();
    dlq_object_text(&object, "title", title);
    dlq_object_text(&object, "version", DLQ_VERSION);
    dlq_object_text(&object, "style", embedded("page.css"));
    dlq_object_text(&object, "script", embedded("page.js"));
    dlq_object_text(&object, "style_hash", embedded("page.css.sha256"));
    dlq_object_text(&object, "script_hash", embedded("page.js.sha256"));
    dlq_object_put(&object, "data", data_json(reports, count));
    dlq_object_list(&object, "compare");
    if (count > 1)
        dlq_object_append(&object, "compare", json_object());
    dlq_object_list(&object, "reports");
    for (size_t i = 0; i < count; i++)
        dlq_object_append(&object, "reports", report_slots(&reports[i], i + 1));
    json_t *slots = dlq_object_end(&object);
    if (slots == NULL)
        return dlq_error_memory(error, "writing a page");
    enum dlq_status status = dlq_page_fill(stream, embedded("page.html"), slots, error);
    json_decref(slots);
    return status;
}
