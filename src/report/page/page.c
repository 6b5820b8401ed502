/* The page of `dlqueue report`: its data as JSON, and the slots of its template. */
#include "report/page/page.h"

#include "draw/embedded.h"
#include "report/causes.h"
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

/* Adds options for a step that takes `factor` times as long: all times of its stages are multiplied. A table of
   measured times has none and gets a mean. */
static void add_step(const struct dlq_work *step, double factor, struct dlq_phrase *option)
{
    for (size_t k = 0; k < step->count; k++) {
        const struct dlq_stage *stage = &step->stages[k];
        const struct dlq_parameters *written = &stage->parameters;
        const bool measured = written->data != NULL && isnan(written->mean);
        const struct {
            const char *key;
            double time;
        } times[] = {{"mean", measured ? stage->dist.mean / factor : written->mean},
                     {"sd", written->sd},
                     {"median", written->median},
                     {"p99", written->p99},
                     {"min", written->minimum},
                     {"max", written->maximum}};
        for (size_t i = 0; i < COUNT_OF(times); i++)
            if (!isnan(times[i].time))
                dlq_phrase_add(option, "--set step%s%s.%s=%.9gs", stage->name[0] != '\0' ? "." : "", stage->name,
                               times[i].key, times[i].time * factor);
    }
}

void dlq_page_option(const struct dlq_system *system, const struct dlq_explore_axis *axis, size_t i,
                     struct dlq_phrase *option)
{
    const double value = axis->values[i];
    const char *stage = system->data->written->stages[0].name; /* "" of a plain [load] */
    if (strcmp(axis->key, "delivery") == 0)
        dlq_phrase_add(option, "--loader %s", dlq_system_loader(system)->unordered);
    else if (strcmp(axis->key, "step") == 0)
        add_step(&system->step, value / system->step.mean, option);
    else if (strcmp(axis->key, "load") == 0 && stage[0] != '\0')
        dlq_phrase_add(option, "--load %.9gs", value);
    else if (strcmp(axis->key, "load") == 0) /* the mean may be per sample, or follow from other keys */
        dlq_phrase_add(option, "--set pipeline.load_scale=%.9g",
                       system->pipeline.load_scale * value / system->load.mean);
    else if (strcmp(axis->key, "cv") == 0 && stage[0] != '\0')
        dlq_phrase_add(option, "--set load.%s.cv=%.9g", stage, value);
    else
        dlq_phrase_add(option, "--%s %.9g", axis->key, value);
}

static json_t *axis_json(const struct dlq_page_report *report, const struct dlq_explore_axis *axis)
{
    char text[1024];
    const bool load = strcmp(axis->key, "load") == 0, step = strcmp(axis->key, "step") == 0;
    const char *label = load ? "mean load time" : step ? "mean step time" : axis->key;
    label = strcmp(axis->key, "cv") == 0 ? "load cv" : label;
    struct dlq_object object = {json_pack("{s:s, s:s, s:s, s:[], s:[]}", "key", axis->key, "label", label, "unit",
                                          load || step ? "s" : "", "values", "option"),
                                false};
    for (size_t i = 0; i < axis->count; i++) {
        struct dlq_phrase option = {.text = text, .size = sizeof text, .separator = " "};
        dlq_page_option(&report->model->system, axis, i, &option);
        dlq_object_append(&object, "values", dlq_json_number(axis->values[i]));
        dlq_object_append(&object, "option", dlq_json_text(text));
    }
    dlq_object_number(&object, "own", axis->values[axis->configured]);
    if (strcmp(axis->key, "delivery") == 0) {
        dlq_object_text(&object, "kind", "choice");
        dlq_object_put(&object, "labels", json_pack("[s, s]", "in order", "as completed"));
    }
    return dlq_object_end(&object);
}

/* Puts values as multiples of most / 65535, two bytes each; 0: no value. */
static void put_parts(struct dlq_object *object, const char *key, const double *values, size_t count, double most,
                      unsigned char *room)
{
    for (size_t i = 0; i < count; i++) {
        unsigned part = isfinite(values[i]) && most > 0 ? (unsigned)lround(values[i] / most * 65535) : 0;
        room[2 * i] = (unsigned char)(part & 255U);
        room[2 * i + 1] = (unsigned char)(part >> 8);
    }
    put_base64(object, key, room, 2 * count);
}

static json_t *grid_json(const struct dlq_page_report *report)
{
    const struct dlq_explore *grid = report->grid;
    struct dlq_object object = dlq_object_new(), phrases = dlq_object_new();
    double most = 0;
    unsigned char *room = malloc(2 * grid->points + 1);
    object.failed = object.failed || room == NULL;
    for (size_t i = 0; i < grid->points; i++)
        most = isfinite(grid->throughput[i]) ? fmax(most, grid->throughput[i]) : most;
    dlq_object_list(&object, "axes");
    for (size_t a = 0; a < grid->axis_count; a++)
        dlq_object_append(&object, "axes", axis_json(report, &grid->axes[a]));
    dlq_object_number(&object, "scale", most / 65535);
    if (room != NULL) { /* for page.js x is throughput, u utilization, h half-width, b bound_by */
        put_parts(&object, "x", grid->throughput, grid->points, most, room);
        put_parts(&object, "u", grid->utilization, grid->points, 1, room);
        /* Relative half-widths: n > 0 stands for 1e-4 * 2^((n - 1) / 16), rounded up; 0: below 1e-4, or none. */
        for (size_t i = 0; i < grid->points; i++) {
            double share = grid->half_width[i] / grid->throughput[i] / 1e-4;
            room[i] = share >= 1 ? (unsigned char)fmin(255, 1 + ceil(16 * log2(share))) : 0;
        }
        put_base64(&object, "h", room, grid->points);
        put_base64(&object, "b", grid->cause, grid->points);
    }
    free(room);
    dlq_object_list(&object, "causes");
    for (size_t i = 0; i < grid->cause_count; i++)
        dlq_object_append(&object, "causes", dlq_json_text(dlq_cause_name(grid->causes[i])));
    for (enum dlq_cause cause = DLQ_CAUSE_LOAD; cause <= DLQ_CAUSE_SEVERAL; cause++) {
        char phrase[80];
        snprintf(phrase, sizeof phrase, "%s hold%s it back%s", dlq_causes[cause].subject,
                 cause == DLQ_CAUSE_LOAD || cause == DLQ_CAUSE_CORES ? "" : "s",
                 cause == DLQ_CAUSE_WINDOW ? ": too few batches are in flight." : ".");
        if (cause == DLQ_CAUSE_STEP)
            snprintf(phrase, sizeof phrase, "The step is the bound: data arrives in time.");
        dlq_object_text(&phrases, dlq_cause_name(cause), phrase);
    }
    dlq_object_put(&object, "phrases", dlq_object_end(&phrases));
    const struct dlq_system *system = &report->model->system;
    const struct dlq_pipeline *pipeline = &system->pipeline;
    if (!isnan(system->host.price) && (pipeline->epoch_batches > 0 || system->has_batch_size)) {
        /* What `cost_of` names costs `cost` / (throughput of a rank), where `cost` is the price of all hosts in a
           second times the batches of a rank. */
        const bool epoch = pipeline->epoch_batches > 0;
        const double batches =
            epoch ? (double)pipeline->epoch_batches : 1e6 / ((double)pipeline->batch_size * (double)pipeline->ranks);
        dlq_object_text(&object, "cost_of", epoch ? "An epoch" : "A million samples");
        dlq_object_number(&object, "cost", system->host.price / 3600 * dlq_system_hosts(system) * batches);
    }
    dlq_object_number(&object, "points", (double)grid->points);
    dlq_object_text(&object, "file", report->file);
    if (grid->thinned)
        dlq_object_text(&object, "note",
                        "Some sliders have fewer stops than usual: this configuration takes longer to simulate.");
    return dlq_object_end(&object);
}

/* Puts the properties of a whole record. The unit of times is 1/1000 of the shortest load or step, rounded down to a
   power of ten, with room for rounding errors; "at" is where the player starts, half a step before the first long wait.
   Returns the unit. */
static double put_span(struct dlq_object *object, const struct dlq_timeline *timeline,
                       const struct dlq_timeline_rank *rank)
{
    const struct dlq_timeline_batch *batches = rank->batches;
    double shortest = INFINITY, end = 0, longest_wait = 0, step_sum = 0, at = -1;
    for (size_t i = 0; i < rank->stepped; i++) {
        double load = batches[i].load_end - batches[i].load_start, step = batches[i].step_end - batches[i].received;
        shortest = load > 0 ? fmin(shortest, load) : shortest;
        shortest = step > 0 ? fmin(shortest, step) : shortest;
        end = fmax(end, batches[i].step_end);
        longest_wait = i > 0 ? fmax(longest_wait, batches[i].received - batches[i - 1].step_end) : 0;
        step_sum += i > 0 ? step : 0;
    }
    for (size_t i = 1; i < rank->stepped && longest_wait > timeline->stall_above && at < 0; i++)
        if (batches[i].received - batches[i - 1].step_end >= longest_wait / 2)
            at = fmax(0, batches[i - 1].step_end - step_sum / (double)rank->stepped / 2);
    double unit = isfinite(shortest) ? pow(10, fmax(-9, floor(log10(shortest) + 1e-6) - 3)) : 1e-4;
    end = isfinite(timeline->until) ? fmin(end, timeline->until) : end;
    dlq_object_number(object, "unit", unit);
    dlq_object_number(object, "loaders", (double)timeline->workers);
    dlq_object_number(object, "window", (double)(timeline->window > 0 ? timeline->window : 0));
    dlq_object_put(object, "ordered", json_boolean(timeline->in_order));
    dlq_object_number(object, "end", end);
    dlq_object_number(object, "stall", timeline->stall_above);
    dlq_object_number(object, "at", at < 0 ? batches[rank->stepped / 2].received : at);
    return unit;
}

/* The record of the rank that waits longest, which has at least two steps. Times are differences to the time before, in
   whole units, so that sums are exact. "batch", "pause" and "slow" (loader, start, end, speed) only if needed. */
static json_t *record_json(const struct dlq_timeline_answer *answer)
{
    enum { WORKER, START, LOAD, RECEIVE, STEP, BATCH, PAUSE, LISTS };
    static const char *const lists[] = {"worker", "start", "load", "receive", "step", "batch", "pause"};
    const struct dlq_timeline *timeline = &answer->timeline;
    const struct dlq_timeline_rank *rank = &timeline->ranks[answer->worst];
    struct dlq_object object = dlq_object_new();
    double unit = put_span(&object, timeline, rank), end = json_number_value(json_object_get(object.json, "end"));
    bool numbered = false, pauses = false;
    long place = 0;
    long long start = 0, receive = 0;
    for (size_t k = 0; k < LISTS; k++)
        dlq_object_list(&object, lists[k]);
    for (size_t i = 0; i < rank->count; i++) {
        const struct dlq_timeline_batch *batch = &rank->batches[i];
        if (!isfinite(batch->load_start) || !isfinite(batch->load_end) || !(batch->load_start < timeline->until))
            continue;
        const long long from = llround(batch->load_start / unit), to = llround(batch->load_end / unit);
        const bool stepped = i < rank->stepped;
        const long long received = stepped ? llround(batch->received / unit) : 0;
        const long long values[LISTS] = {
            [WORKER] = batch->worker > 0 ? batch->worker : 0,
            [START] = from - start,
            [LOAD] = to - from,
            [RECEIVE] = received - receive,
            [STEP] = stepped ? llround(batch->step_end / unit) - received : 0,
            [BATCH] = batch->index,
            [PAUSE] = stepped ? llround(batch->pause / unit) : 0,
        };
        for (size_t k = 0; k < LISTS; k++)
            if (stepped || (k != RECEIVE && k != STEP && k != PAUSE))
                dlq_object_append(&object, lists[k], json_integer(values[k]));
        numbered = batch->index != place++ || numbered;
        pauses = pauses || (stepped && batch->pause > 0);
        start = from;
        receive = stepped ? received : receive;
    }
    if (rank->slow_count > 0)
        dlq_object_list(&object, "slow");
    for (size_t i = 0; i < rank->slow_count; i++)
        if (rank->slow[i].from < end)
            dlq_object_append(&object, "slow",
                              json_pack("[I, I, I, f]", (json_int_t)rank->slow[i].worker,
                                        (json_int_t)llround(rank->slow[i].from / unit),
                                        (json_int_t)llround(fmin(rank->slow[i].until, end) / unit),
                                        rank->slow[i].speed));
    if (!numbered)
        json_object_del(object.json, "batch");
    if (!pauses)
        json_object_del(object.json, "pause");
    return dlq_object_end(&object);
}

static void put_answer(struct dlq_object *object, const struct dlq_page_answer *of)
{
    if (of->answer != NULL)
        dlq_object_put(object, of->command, dlq_figures_json(of->figures, of->answer, of->command));
}

static void put_report(struct dlq_object *object, const struct dlq_page_report *report)
{
    const struct dlq_timeline_answer *timeline = report->timeline;
    put_answer(object, &(struct dlq_page_answer){"solve", &dlq_figures_solution, report->solved});
    if (report->fall_count > 0)
        dlq_object_list(object, "waterfall");
    for (size_t i = 0; i < report->fall_count; i++) {
        const struct dlq_cause_words *words = &dlq_causes[report->falls[i].cause];
        dlq_object_append(object, "waterfall",
                          json_pack("{s:s, s:s, s:f}", "cause", dlq_cause_name(report->falls[i].cause), "name",
                                    words->holder != NULL ? words->holder : words->subject, "throughput",
                                    report->falls[i].throughput));
    }
    put_answer(object, &(struct dlq_page_answer){"plan", &dlq_figures_plan, report->plan});
    for (size_t i = 0; i < report->answer_count; i++)
        put_answer(object, &report->answers[i]);
    put_answer(object, &(struct dlq_page_answer){"timeline", &dlq_figures_timeline, timeline});
    if (report->waiting != NULL)
        dlq_object_put(object, "waiting", json_incref(report->waiting));
    if (timeline != NULL && timeline->timeline.workers > 0 && timeline->timeline.ranks[timeline->worst].stepped > 1)
        dlq_object_put(object, "record", record_json(timeline));
    if (report->grid != NULL && report->grid->axis_count > 0)
        dlq_object_put(object, "grid", grid_json(report));
}

/* -- slots -- */

/* The first sentence is the headline; the others form a list. The verdict contains no names or paths. */
static void put_sentences(struct dlq_object *object, const char *verdict)
{
    char sentence[1024];
    dlq_object_list(object, "sentences");
    for (size_t i = 0, start = 0; verdict[i] != '\0'; i++)
        if ((strchr(".?!", verdict[i]) != NULL && verdict[i + 1] == ' ') || verdict[i + 1] == '\0') {
            snprintf(sentence, sizeof sentence, "%.*s", (int)(i + 1 - start), verdict + start);
            if (start == 0)
                dlq_object_text(object, "headline", sentence);
            else
                dlq_object_append(object, "sentences", dlq_json_text(sentence));
            start = i + 2;
        }
    if (verdict[0] == '\0')
        dlq_object_text(object, "headline", "");
}

static json_t *report_slots(const struct dlq_page_report *report, size_t number)
{
    struct dlq_object object = dlq_object_new();
    char place[24];
    snprintf(place, sizeof place, "%zu", number);
    const char *const texts[][2] = {
        {"number", place},
        {"name", report->name},
        {"parameters", report->parameters},
        {"commands", report->commands},
        {"report_text", report->text},
        {"configuration", report->configuration},
        {"seed", report->seed},
        {"chart_note", report->chart_note},
        {"charts", report->chart_count > 0 || report->chart_note[0] != '\0' ? "shown" : ""},
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        dlq_object_text(&object, texts[i][0], texts[i][1] != NULL ? texts[i][1] : "");
    put_sentences(&object, report->verdict != NULL ? report->verdict : "");
    dlq_object_list(&object, "warnings");
    for (size_t i = 0; i < report->caution_count; i++)
        dlq_object_append(&object, "warnings", dlq_json_text(report->cautions[i]));
    dlq_object_list(&object, "chart");
    for (size_t i = 0; i < report->chart_count; i++) {
        struct dlq_object chart = dlq_object_new();
        char *wide = dlq_page_chart_clean(report->charts[i].wide, report->charts[i].label);
        char *narrow = dlq_page_chart_clean(report->charts[i].narrow, report->charts[i].label);
        dlq_object_text(&chart, "label", report->charts[i].label);
        dlq_object_text(&chart, "wide", wide);
        dlq_object_text(&chart, "narrow", narrow);
        object.failed = object.failed || wide == NULL || narrow == NULL;
        free(wide);
        free(narrow);
        dlq_object_append(&object, "chart", dlq_object_end(&chart));
    }
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
                               const struct dlq_page_comparison *comparison, struct dlq_error *error)
{
    struct dlq_object object = dlq_object_new(), data = dlq_object_new();
    const char *const texts[][2] = {
        {"title", title},
        {"version", DLQ_VERSION},
        {"style", embedded("page.css")},
        {"script", embedded("page.js")},
        {"style_hash", embedded("page.css.sha256")},
        {"script_hash", embedded("page.js.sha256")},
        {"compare", count < 2            ? ""
                    : comparison != NULL ? "Each run by itself. Choose one to look into it."
                                         : "On the same random numbers. Choose one to look into it."},
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        dlq_object_text(&object, texts[i][0], texts[i][1]);
    dlq_object_number(&data, "page", 1);
    dlq_object_text(&data, "dlqueue", DLQ_VERSION);
    dlq_object_text(&data, "kind", reports[0].of_log ? "log" : "configuration");
    dlq_object_list(&object, "comparison");
    if (comparison != NULL) {
        struct dlq_object said = dlq_object_new();
        put_sentences(&said, comparison->verdict);
        dlq_object_text(&said, "before", reports[0].name);
        dlq_object_text(&said, "after", reports[1].name);
        dlq_object_append(&object, "comparison", dlq_object_end(&said));
        put_answer(&data, &comparison->answer);
    }
    if (count == 1)
        put_report(&data, &reports[0]);
    else
        dlq_object_list(&data, "reports");
    dlq_object_list(&object, "reports");
    for (size_t i = 0; i < count; i++) {
        dlq_object_append(&object, "reports", report_slots(&reports[i], i + 1));
        if (count == 1)
            break;
        struct dlq_object one = dlq_object_new();
        put_report(&one, &reports[i]);
        dlq_object_append(&data, "reports", dlq_object_end(&one));
    }
    dlq_object_put(&object, "data", dlq_object_end(&data));
    json_t *slots = dlq_object_end(&object);
    if (slots == NULL)
        return dlq_error_memory(error, "writing a page");
    enum dlq_status status = dlq_page_fill(stream, embedded("page.html"), slots, error);
    json_decref(slots);
    return status;
}
