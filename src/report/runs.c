#include "report/runs.h"

#include "draw/text.h"

#include <math.h>

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
