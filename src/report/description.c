/* The parameters of a model and how much was simulated, in a line or above a report. */
#include "report/report.h"

#include <math.h>
#include <string.h>

static bool is_excepted(const char *const except[2], const char *name)
{
    for (size_t i = 0; except != NULL && i < 2; i++)
        if (except[i] != NULL && strcmp(except[i], name) == 0)
            return true;
    return false;
}

void dlq_parameters_add(struct dlq_phrase *phrase, const struct dlq_description *description,
                        const char *const except[2])
{
    const bool loaders = !is_excepted(except, "loaders"), ranks = !is_excepted(except, "ranks");
    const bool prefetch = !is_excepted(except, "prefetch"),
               shown = prefetch && description->prefetch > 0 && description->loaders > 0;
    const bool window = loaders || description->window < 0; /* a bounded window changes with the loaders */
    const bool no_load = is_excepted(except, "load"), no_cv = is_excepted(except, "cv");
    /* A model without a name is called "dlqueue". */
    if (description->name != NULL && strcmp(description->name, "dlqueue") != 0)
        dlq_phrase_add(phrase, "%.80s · ", description->name);
    dlq_phrase_add(phrase, "%s", description->loader);
    if (loaders)
        dlq_phrase_add(phrase, " · %s loader%s", SAY_COUNT(description->loaders), PLURAL(description->loaders));
    if (shown)
        dlq_phrase_add(phrase, " · prefetch %s", SAY_COUNT(description->prefetch));
    if (window && prefetch && description->loaders > 0)
        dlq_phrase_add(phrase, "%s%s%s", shown ? " (window " : " · window ",
                       description->window < 0 ? "unbounded" : SAY_COUNT(description->window), shown ? ")" : "");
    if (!no_load)
        dlq_phrase_add(phrase, " · load %s", SAY_TIME(description->load_mean, 3));
    if (!no_load && !no_cv)
        dlq_phrase_add(phrase, " (%s)", description->load_text);
    else if (!no_cv && description->load_cv > 0)
        dlq_phrase_add(phrase, " · load cv %s", SAY_NUMBER(description->load_cv, 3));
    if (!is_excepted(except, "step"))
        dlq_phrase_add(phrase, " · step %s", SAY_TIME(description->step_mean, 3));
    if (!is_excepted(except, "step") && description->step_cv > 0)
        dlq_phrase_add(phrase, " (%s)", description->step_text);
    if (description->has_batch_size)
        dlq_phrase_add(phrase, " · batches of %s", SAY_COUNT(description->batch_size));
    if (description->ranks > 1 && ranks)
        dlq_phrase_add(phrase, " · %s ranks", SAY_COUNT(description->ranks));
    if (!isnan(description->cores) && ranks && description->ranks_per_host > 1)
        dlq_phrase_add(phrase, " · %.4g of %.6g cores", description->cores / description->ranks_per_host,
                       description->cores);
    else if (!isnan(description->cores))
        dlq_phrase_add(phrase, " · %.6g cores%s", description->cores, ranks ? "" : " a host");
    if (description->other_text[0] != '\0')
        dlq_phrase_add(phrase, " · %s", description->other_text);
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

void dlq_report_head(FILE *stream, bool color, const struct dlq_description *description, bool rates,
                     const char *except)
{
    const char *const left_out[2] = {except, NULL};
    struct dlq_description unnamed = *description;
    char text[1024];
    struct dlq_phrase phrase = {.text = text, .size = sizeof text};
    unnamed.name = NULL;
    dlq_parameters_add(&phrase, &unnamed, left_out);
    if (rates && (description->ranks > 1 || is_excepted(left_out, "ranks")))
        dlq_phrase_add(&phrase, " · batches/s of each rank%s", description->has_batch_size ? ", samples/s of all" : "");
    dlq_text_bold(stream, color, "%s", description->name);
    fputc('\n', stream);
    /* Lines break between parts only. */
    static const char dot[] = " · ";
    int column = 0;
    for (char *part = text, *end; part != NULL; part = end != NULL ? end + strlen(dot) : NULL) {
        end = strstr(part, dot);
        if (end != NULL)
            *end = '\0';
        const int width = dlq_text_width(part);
        const bool fits = column + 3 + width <= dlq_text_columns(stream);
        fputs(column == 0 ? "" : fits ? dot : "\n", stream);
        column = column == 0 || !fits ? width : column + 3 + width;
        if (column <= dlq_text_room(stream)) {
            fputs(part, stream);
        } else {
            dlq_text_wrap(stream, part, 0, dlq_text_room(stream));
            column = 0;
        }
    }
    fputs(column > 0 ? "\n" : "", stream);
}
