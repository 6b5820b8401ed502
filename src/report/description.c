/* All parameters of a model: in a line, and above a report; and how much was simulated. */
#include "report/description.h"

#include "report/report.h"

#include <math.h>
#include <string.h>

/* Is `name` one of them? */
static bool excepts(const char *const except[2], const char *name)
{
    for (size_t i = 0; except != NULL && i < 2; i++)
        if (except[i] != NULL && strcmp(except[i], name) == 0)
            return true;
    return false;
}

/* "pytorch · 8 loaders · prefetch 2 (window 16)" */
static void add_loader(struct dlq_phrase *phrase, const struct dlq_description *description,
                       const char *const except[2])
{
    bool loaders = !excepts(except, "loaders");
    bool prefetch = !excepts(except, "prefetch") && description->prefetch > 0 && description->loaders > 0;
    bool window = loaders || description->window < 0; /* else it changes with the loaders */
    dlq_phrase_add(phrase, "%s", description->loader);
    if (loaders)
        dlq_phrase_add(phrase, " · %s loader%s", SAY_COUNT(description->loaders), PLURAL(description->loaders));
    if (prefetch)
        dlq_phrase_add(phrase, " · prefetch %s", SAY_COUNT(description->prefetch));
    if (window && description->loaders > 0 && !excepts(except, "prefetch"))
        dlq_phrase_add(phrase, "%s%s%s", prefetch ? " (window " : " · window ",
                       description->window < 0 ? "unbounded" : SAY_COUNT(description->window), prefetch ? ")" : "");
}

static void add_times(struct dlq_phrase *phrase, const struct dlq_description *description, const char *const except[2])
{
    bool mean = excepts(except, "load"), cv = excepts(except, "cv");
    if (!mean && !cv)
        dlq_phrase_add(phrase, " · load %s (%s)", SAY_TIME(description->load_mean, 3), description->load_text);
    else if (!mean)
        dlq_phrase_add(phrase, " · load %s", SAY_TIME(description->load_mean, 3));
    else if (!cv && description->load_cv > 0)
        dlq_phrase_add(phrase, " · load cv %s", SAY_NUMBER(description->load_cv, 3));
    if (excepts(except, "step"))
        return;
    dlq_phrase_add(phrase, " · step %s", SAY_TIME(description->step_mean, 3));
    if (description->step_cv > 0)
        dlq_phrase_add(phrase, " (%s)", description->step_text);
}

static void add_ranks(struct dlq_phrase *phrase, const struct dlq_description *description, const char *const except[2])
{
    if (description->has_batch_size)
        dlq_phrase_add(phrase, " · batches of %s", SAY_COUNT(description->batch_size));
    if (description->ranks > 1 && !excepts(except, "ranks"))
        dlq_phrase_add(phrase, " · %s ranks", SAY_COUNT(description->ranks));
}

void dlq_parameters_add(struct dlq_phrase *phrase, const struct dlq_description *description,
                        const char *const except[2])
{
    /* What has no name is called after the program, which is no news. */
    if (strcmp(description->name, "dlqueue") != 0)
        dlq_phrase_add(phrase, "%.80s · ", description->name);
    add_loader(phrase, description, except);
    add_times(phrase, description, except);
    add_ranks(phrase, description, except);
    if (!isnan(description->cores) && excepts(except, "ranks"))
        dlq_phrase_add(phrase, " · %.6g cores a host", description->cores);
    else if (!isnan(description->cores))
        dlq_phrase_add(phrase, " · %.6g cores", description->cores / description->ranks_per_host);
    if (description->rest_text[0] != '\0')
        dlq_phrase_add(phrase, " · %s", description->rest_text);
}

void dlq_runs_count(struct dlq_runs *runs, const struct dlq_simulation *simulation)
{
    if (simulation->replications == 0)
        return;
    bool fewer = runs->least == 0 || simulation->replications < runs->least;
    runs->least = fewer ? simulation->replications : runs->least;
    runs->most = simulation->replications > runs->most ? simulation->replications : runs->most;
    long batches = simulation->batches_per_replication;
    runs->shortest = runs->longest == 0 || batches < runs->shortest ? batches : runs->shortest;
    runs->longest = batches > runs->longest ? batches : runs->longest;
}

void dlq_runs_add(struct dlq_phrase *phrase, const struct dlq_runs *runs, const struct dlq_description *description)
{
    if (runs->most == 0) {
        dlq_phrase_add(phrase, " · exact");
        return;
    }
    if (runs->least == runs->most)
        dlq_phrase_add(phrase, " · %ld run%s", runs->most, PLURAL(runs->most));
    else
        dlq_phrase_add(phrase, " · %ld–%ld runs", runs->least, runs->most);
    if (!isnan(description->horizon))
        dlq_phrase_add(phrase, " of %s", SAY_TIME(description->horizon, 3));
    else if (runs->shortest == runs->longest)
        dlq_phrase_add(phrase, " × %s batches", SAY_NUMBER((double)runs->shortest, 15));
    else
        dlq_phrase_add(phrase, " × %s–%s batches", SAY_NUMBER((double)runs->shortest, 15),
                       SAY_NUMBER((double)runs->longest, 15));
    dlq_phrase_add(phrase, " · seed %llu", (unsigned long long)description->seed);
}

/* -- above a report -- */

/* Parts stand together: lines break between them alone. */
static void write_parts(FILE *stream, char *text)
{
    static const char dot[] = " · ";
    int column = 0;
    for (char *part = text; part != NULL;) {
        char *end = strstr(part, dot);
        if (end != NULL)
            *end = '\0';
        int width = dlq_text_width(part);
        if (column > 0 && column + 3 + width > dlq_report_width(stream)) {
            fputc('\n', stream);
            column = 0;
        }
        fprintf(stream, "%s%s", column > 0 ? dot : "", part);
        column += width + (column > 0 ? 3 : 0);
        part = end != NULL ? end + strlen(dot) : NULL;
    }
    fputc('\n', stream);
}

static void write_head(FILE *stream, bool color, const struct dlq_description *description, const char *except,
                       bool rates)
{
    const char *const left_out[2] = {except, NULL};
    const char *samples = description->has_batch_size ? ", samples/s of all" : "";
    bool ranks = !excepts(left_out, "ranks");
    char text[1024];
    struct dlq_phrase phrase = {.text = text, .size = sizeof text};
    add_loader(&phrase, description, left_out);
    add_times(&phrase, description, NULL);
    add_ranks(&phrase, description, left_out);
    if (rates && ranks && description->ranks > 1)
        dlq_phrase_add(&phrase, " (batches/s of each%s)", samples);
    else if (rates && !ranks)
        dlq_phrase_add(&phrase, " · batches/s of each rank%s", samples);
    if (!isnan(description->cores) && description->ranks_per_host > 1 && ranks)
        dlq_phrase_add(&phrase, " · %.4g of %.6g cores", description->cores / description->ranks_per_host,
                       description->cores);
    else if (!isnan(description->cores))
        dlq_phrase_add(&phrase, " · %.6g cores", description->cores);
    if (description->rest_text[0] != '\0')
        dlq_phrase_add(&phrase, " · %s", description->rest_text);
    dlq_text_styled(stream, color, DLQ_STYLE_BOLD, "%s", description->name);
    fputc('\n', stream);
    write_parts(stream, text);
}

void dlq_report_head(FILE *stream, bool color, const struct dlq_description *description)
{
    write_head(stream, color, description, NULL, false);
}

void dlq_report_head_of_rates(FILE *stream, bool color, const struct dlq_description *description, const char *except)
{
    write_head(stream, color, description, except, true);
}
