/* All parameters of a model in a line, and how much was simulated: the subtitles of charts. */
#include "report/description.h"

#include "draw/text.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

static void add_load(struct dlq_phrase *phrase, const struct dlq_description *description, const char *const except[2])
{
    char time[DLQ_TEXT_NUMBER], number[DLQ_TEXT_NUMBER];
    bool mean = dlq_report_excepts(except, "load"), cv = dlq_report_excepts(except, "cv");
    dlq_text_time(description->load_mean, 3, time);
    if (!mean && !cv)
        dlq_phrase_add(phrase, " · load %s (%s)", time, description->load_text);
    else if (!mean)
        dlq_phrase_add(phrase, " · load %s", time);
    else if (!cv && description->load_cv > 0)
        dlq_phrase_add(phrase, " · load cv %s", dlq_text_number(description->load_cv, 3, number));
}

static void add_step(struct dlq_phrase *phrase, const struct dlq_description *description, const char *const except[2])
{
    char time[DLQ_TEXT_NUMBER];
    if (dlq_report_excepts(except, "step"))
        return;
    dlq_phrase_add(phrase, " · step %s", dlq_text_time(description->step_mean, 3, time));
    if (description->step_cv > 0)
        dlq_phrase_add(phrase, " (%s)", description->step_text);
}

static void add_rest(struct dlq_phrase *phrase, const struct dlq_description *description, const char *const except[2])
{
    char number[DLQ_TEXT_NUMBER];
    bool ranks = dlq_report_excepts(except, "ranks");
    if (description->has_batch_size)
        dlq_phrase_add(phrase, " · batches of %s", dlq_text_fixed((double)description->batch_size, 0, number));
    if (description->ranks > 1 && !ranks)
        dlq_phrase_add(phrase, " · %s ranks", dlq_text_fixed((double)description->ranks, 0, number));
    if (!isnan(description->cores) && ranks)
        dlq_phrase_add(phrase, " · %.6g cores a host", description->cores);
    else if (!isnan(description->cores))
        dlq_phrase_add(phrase, " · %.6g cores", description->cores / description->ranks_per_host);
    if (description->rest_text[0] != '\0')
        dlq_phrase_add(phrase, " · %s", description->rest_text);
}

void dlq_parameters_add(struct dlq_phrase *phrase, const struct dlq_description *description,
                        const char *const except[2])
{
    char loader[200];
    /* What has no name is called after the program, which is no news. */
    if (strcmp(description->name, "dlqueue") != 0)
        dlq_phrase_add(phrase, "%.80s · ", description->name);
    dlq_phrase_add(phrase, "%s", dlq_report_loader(description, except, loader, sizeof loader));
    add_load(phrase, description, except);
    add_step(phrase, description, except);
    add_rest(phrase, description, except);
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
    char number[DLQ_TEXT_NUMBER], other[DLQ_TEXT_NUMBER];
    if (runs->most == 0) {
        dlq_phrase_add(phrase, " · exact");
        return;
    }
    if (runs->least == runs->most)
        dlq_phrase_add(phrase, " · %ld run%s", runs->most, runs->most == 1 ? "" : "s");
    else
        dlq_phrase_add(phrase, " · %ld–%ld runs", runs->least, runs->most);
    dlq_text_number((double)runs->shortest, 15, number);
    if (!isnan(description->horizon))
        dlq_phrase_add(phrase, " of %s", dlq_text_time(description->horizon, 3, number));
    else if (runs->shortest == runs->longest)
        dlq_phrase_add(phrase, " × %s batches", number);
    else
        dlq_phrase_add(phrase, " × %s–%s batches", number, dlq_text_number((double)runs->longest, 15, other));
    dlq_phrase_add(phrase, " · seed %llu", (unsigned long long)description->seed);
}
