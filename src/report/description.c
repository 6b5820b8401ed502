/* All parameters of a model: in a line, and above a report; and how much was simulated. */
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

void dlq_parameters_add(struct dlq_phrase *phrase, const struct dlq_description *of, const char *const except[2])
{
    const bool loaders = !excepts(except, "loaders"), ranks = !excepts(except, "ranks");
    const bool prefetch = !excepts(except, "prefetch"), shown = prefetch && of->prefetch > 0 && of->loaders > 0;
    const bool window = loaders || of->window < 0; /* else it changes with the loaders */
    const bool mean = excepts(except, "load"), cv = excepts(except, "cv");
    /* What has no name is called after the program, which is no news. */
    if (of->name != NULL && strcmp(of->name, "dlqueue") != 0)
        dlq_phrase_add(phrase, "%.80s · ", of->name);
    dlq_phrase_add(phrase, "%s", of->loader);
    if (loaders)
        dlq_phrase_add(phrase, " · %s loader%s", SAY_COUNT(of->loaders), PLURAL(of->loaders));
    if (shown)
        dlq_phrase_add(phrase, " · prefetch %s", SAY_COUNT(of->prefetch));
    if (window && prefetch && of->loaders > 0)
        dlq_phrase_add(phrase, "%s%s%s", shown ? " (window " : " · window ",
                       of->window < 0 ? "unbounded" : SAY_COUNT(of->window), shown ? ")" : "");
    if (!mean)
        dlq_phrase_add(phrase, " · load %s", SAY_TIME(of->load_mean, 3));
    if (!mean && !cv)
        dlq_phrase_add(phrase, " (%s)", of->load_text);
    else if (!cv && of->load_cv > 0)
        dlq_phrase_add(phrase, " · load cv %s", SAY_NUMBER(of->load_cv, 3));
    if (!excepts(except, "step"))
        dlq_phrase_add(phrase, " · step %s", SAY_TIME(of->step_mean, 3));
    if (!excepts(except, "step") && of->step_cv > 0)
        dlq_phrase_add(phrase, " (%s)", of->step_text);
    if (of->has_batch_size)
        dlq_phrase_add(phrase, " · batches of %s", SAY_COUNT(of->batch_size));
    if (of->ranks > 1 && ranks)
        dlq_phrase_add(phrase, " · %s ranks", SAY_COUNT(of->ranks));
    if (!isnan(of->cores) && ranks && of->ranks_per_host > 1)
        dlq_phrase_add(phrase, " · %.4g of %.6g cores", of->cores / of->ranks_per_host, of->cores);
    else if (!isnan(of->cores))
        dlq_phrase_add(phrase, " · %.6g cores%s", of->cores, ranks ? "" : " a host");
    if (of->rest_text[0] != '\0')
        dlq_phrase_add(phrase, " · %s", of->rest_text);
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

void dlq_report_head(FILE *stream, bool color, const struct dlq_description *description, bool rates,
                     const char *except)
{
    const char *const left_out[2] = {except, NULL};
    struct dlq_description unnamed = *description;
    char text[1024];
    struct dlq_phrase phrase = {.text = text, .size = sizeof text};
    unnamed.name = NULL;
    dlq_parameters_add(&phrase, &unnamed, left_out);
    if (rates && (description->ranks > 1 || excepts(left_out, "ranks")))
        dlq_phrase_add(&phrase, " · batches/s of each rank%s", description->has_batch_size ? ", samples/s of all" : "");
    dlq_text_bold(stream, color, "%s", description->name);
    fputc('\n', stream);
    /* Parts stand together: lines break between them alone. */
    static const char dot[] = " · ";
    int column = 0;
    for (char *part = text, *end; part != NULL; part = end != NULL ? end + strlen(dot) : NULL) {
        end = strstr(part, dot);
        if (end != NULL)
            *end = '\0';
        const int width = dlq_text_width(part);
        const bool fits = column + 3 + width <= dlq_text_columns(stream);
        fprintf(stream, "%s%s", column == 0 ? "" : fits ? dot : "\n", part);
        column = column == 0 || !fits ? width : column + 3 + width;
    }
    fputc('\n', stream);
}
