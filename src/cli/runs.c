#include "runs.h"

#include "dlqueue/text.h"

#include <math.h>

void dlq_runs_count(struct dlq_runs *runs, const struct dlq_simulation *simulation)
{
    if (simulation->replications == 0)
        return;
    bool fewer = runs->least == 0 || simulation->replications < runs->least;
    runs->least = fewer ? simulation->replications : runs->least;
    runs->most = simulation->replications > runs->most ? simulation->replications : runs->most;
    runs->batches = simulation->batches_per_replication;
}

void dlq_runs_add(struct dlq_phrase *phrase, const struct dlq_runs *runs, const struct dlq_description *description)
{
    char number[DLQ_TEXT_NUMBER];
    if (runs->most == 0) {
        dlq_phrase_add(phrase, " · exact");
        return;
    }
    if (runs->least == runs->most)
        dlq_phrase_add(phrase, " · %ld run%s", runs->most, runs->most == 1 ? "" : "s");
    else
        dlq_phrase_add(phrase, " · %ld–%ld runs", runs->least, runs->most);
    if (isnan(description->horizon))
        dlq_phrase_add(phrase, " × %s batches", dlq_text_number((double)runs->batches, 15, number));
    else
        dlq_phrase_add(phrase, " of %s", dlq_text_time(description->horizon, 3, number));
    dlq_phrase_add(phrase, " · seed %llu", (unsigned long long)description->seed);
}
