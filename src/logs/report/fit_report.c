/* The text of a fit. */
#include "logs/report/report.h"

#include <math.h>

static void write_law(FILE *stream, const char *label, const struct dlq_fit_law *law)
{
    if (law->only_bound) {
        fprintf(stream, "    %-8s at most %s on average: the logs tell no more\n", label, SAY_TIME(law->mean_high, 3));
        return;
    }
    char lead[80], text[400];
    struct dlq_phrase phrase = {.text = text, .size = sizeof text};
    snprintf(lead, sizeof lead, "    %-8s %-20s ", label, law->distribution);
    dlq_phrase_add(&phrase, "mean %s", SAY_TIME(law->mean, 4));
    if (law->mean_high > law->mean_low)
        dlq_phrase_add(&phrase, " (%s to %s)", law->mean_low < law->mean_high / 1000 ? "0" : SAY_TIME(law->mean_low, 4),
                       SAY_TIME(law->mean_high, 4));
    dlq_phrase_add(&phrase, " · cv %s · median %s · 99 %% below %s", SAY_CV(law->cv), SAY_TIME(law->median, 3),
                   SAY_TIME(law->p99, 3));
    if (!isnan(law->ks))
        dlq_phrase_add(&phrase, " · KS distance to the measured %s", SAY_SHARE(law->ks));
    dlq_text_wrap_item(stream, lead, text, dlq_text_room(stream));
}

void dlq_fit_report(FILE *stream, bool color, const struct dlq_fit_answer *answer, const char *logs)
{
    static const char *const sources[] = {
        [DLQ_FIT_TRACE] = "measured, batch by batch",
        [DLQ_FIT_WAITS] =
            "from the waits of every iteration: loads are known where the trainer waited, bounded elsewhere",
        [DLQ_FIT_WINDOWS] = "from means over windows of iterations",
        [DLQ_FIT_STOPWATCH] = "from two stopwatch runs",
    };
    char text[3 * DLQ_FIT_LINE];
    const struct dlq_fit *fit = answer->fit;
    const struct dlq_replay *replay = &fit->replay;
    const struct dlq_fit_prediction *prediction = &fit->prediction;
    const struct dlq_estimate *rate = &prediction->throughput;
    int width = dlq_text_columns(stream);
    dlq_text_answer(stream, color, dlq_fit_verdict(fit, text));
    dlq_text_bold(stream, color, "%s", logs);
    fprintf(stream, "\n%s · %ld loader%s", fit->loader, fit->loaders, PLURAL(fit->loaders));
    if (fit->loaders > 0 && fit->prefetch > 0)
        fprintf(stream, " · prefetch %ld", fit->prefetch);
    if (fit->ranks > 1)
        fprintf(stream, " · %ld ranks", fit->ranks);
    fprintf(stream, "%s\n", fit->loaders_known ? "" : " (assumed: the logs do not tell)");
    const size_t of_prediction = answer->caution_count - answer->doubt_count; /* cautions that are written beside it */
    dlq_cautions_write(stream, answer->cautions + of_prediction, answer->doubt_count);
    fputc('\n', stream);
    fprintf(stream, "  Load times %s", sources[fit->source]);
    if (dlq_fit_slow(fit, text) != NULL)
        fprintf(stream, "; %s", text);
    fputc('\n', stream);
    write_law(stream, "load", &fit->load);
    write_law(stream, "step", &fit->step);
    if (fit->has_replay) {
        snprintf(text, sizeof text, "Replay: the measured load and step times through the model, %s batches",
                 SAY_COUNT(replay->batches));
        fputc('\n', stream);
        dlq_text_wrap(stream, text, 2, width);
        snprintf(text, sizeof text, "measured %s · predicted %s batches/s (%+.2f %%; without overheads %s)",
                 SAY_NUMBER(replay->measured, 4), SAY_NUMBER(replay->predicted, 4), 100 * replay->error,
                 SAY_NUMBER(replay->without_overheads, 4));
        dlq_text_wrap_item(stream, "    throughput   ", text, dlq_text_room(stream));
        fprintf(stream, "    mean wait    measured %s · predicted %s\n", SAY_TIME(replay->wait_measured, 3),
                SAY_TIME(replay->wait_predicted, 3));
        fprintf(stream, "    p99 wait     measured %s · predicted %s\n", SAY_TIME(replay->wait_p99_measured, 3),
                SAY_TIME(replay->wait_p99_predicted, 3));
    }
    for (size_t i = 0; i < answer->reason_count; i++) {
        fprintf(stream, "    why not:\n");
        dlq_text_wrap(stream, answer->reasons[i].text, 6, width);
    }
    if (prediction->batches > 0) {
        snprintf(text, sizeof text, "Another run of %s batches with %ld loader%s, by the recorded loads and steps",
                 SAY_COUNT(prediction->batches), prediction->loaders, PLURAL(prediction->loaders));
        fputc('\n', stream);
        dlq_text_wrap(stream, text, 2, width);
    }
    for (size_t i = 0; i < of_prediction; i++)
        if (!answer->cautions[i].repeats)
            dlq_text_wrap(stream, answer->cautions[i].text, 4, width);
    if (prediction->batches > 0 && !isnan(rate->value)) {
        snprintf(text, sizeof text, "%s batches/s; 95 %% of such runs make %s to %s.", SAY_NUMBER(rate->value, 4),
                 SAY_NUMBER(rate->low, 4), SAY_NUMBER(rate->high, 4));
        dlq_text_wrap(stream, text, 4, width);
    }
}
