/* A fit for people. */
#include "report/fit_report.h"
#include "report/report.h"

#include "draw/text.h"
#include "report/phrase.h"

#include <math.h>
#include <string.h>

static void write_law(FILE *stream, const char *label, const struct dlq_fit_law *law)
{
    enum { SHOWN = 4 };
    char text[DLQ_FIT_LINE] = "";
    struct dlq_phrase phrase = {.text = text, .size = sizeof text, .separator = ", "};
    if (law->only_bound)
        fprintf(stream, "    %-8s at most %s on average: the logs tell no more\n", label, SAY_TIME(law->mean_high, 3));
    else {
        fprintf(stream, "    %-8s %-20s mean %s", label, law->distribution, SAY_TIME(law->mean, 4));
        if (law->mean_high > law->mean_low)
            fprintf(stream, " (%s to %s)", law->mean_low < law->mean_high / 1000 ? "0" : SAY_TIME(law->mean_low, 4),
                    SAY_TIME(law->mean_high, 4));
        fprintf(stream, " · cv %s · median %s · p99 %s", SAY_NUMBER(law->cv, 3), SAY_TIME(law->median, 3),
                SAY_TIME(law->p99, 3));
        if (!isnan(law->ks))
            fprintf(stream, " · KS %.3g", law->ks);
        fputc('\n', stream);
    }
    /* What else was tried: only what comes near. */
    for (size_t i = 1; i < law->tried_count && i < SHOWN && !isnan(law->tried[i].aic_above); i++)
        dlq_phrase_add(&phrase, "%s (+%.1f%s)", law->tried[i].distribution, law->tried[i].aic_above,
                       i == 1 ? " AIC" : "");
    if (text[0] != '\0')
        fprintf(stream, "             then %s\n", text);
}

static void write_overheads(FILE *stream, const struct dlq_fit *fit)
{
    double seconds;
    char text[DLQ_FIT_LINE] = "", why[DLQ_FIT_LINE];
    struct dlq_phrase phrase = {.text = text, .size = sizeof text, .separator = " · "};
    for (size_t i = 0; i < fit->setting_count; i++)
        if (strcmp(fit->settings[i].section, "overheads") == 0 &&
            dlq_quantity_parse(fit->settings[i].value, DLQ_UNIT_TIME, &seconds, why, sizeof why))
            dlq_phrase_add(&phrase, "%s %s", fit->settings[i].key, SAY_TIME(seconds, 3));
    if (text[0] != '\0')
        fprintf(stream, "    overheads %s\n", text);
}

static void write_replay(FILE *stream, const struct dlq_replay *replay)
{
    fprintf(stream, "\n  Replay: the measured load and step times through the model, %s batches\n",
            SAY_COUNT(replay->batches));
    fprintf(stream, "    throughput   measured %s · predicted %s batches/s (%+.2f %%; without overheads %s)\n",
            SAY_NUMBER(replay->measured, 4), SAY_NUMBER(replay->predicted, 4), 100 * replay->error,
            SAY_NUMBER(replay->pure, 4));
    fprintf(stream, "    mean wait    measured %s · predicted %s\n", SAY_TIME(replay->wait_measured, 3),
            SAY_TIME(replay->wait_predicted, 3));
    fprintf(stream, "    p99 wait     measured %s · predicted %s\n", SAY_TIME(replay->wait_p99_measured, 3),
            SAY_TIME(replay->wait_p99_predicted, 3));
    struct dlq_reason_said said[DLQ_REASONS];
    dlq_reasons_say(replay, said);
    for (size_t i = 0; i < replay->reason_count; i++) {
        fprintf(stream, "    why not:\n");
        dlq_text_wrap(stream, said[i].text, 6, dlq_report_width(stream));
    }
}

/* Cautions stand before what they are about. */
static void write_prediction(FILE *stream, const struct dlq_fit_prediction *prediction)
{
    struct dlq_caution_said said[DLQ_CAUTIONS];
    char text[DLQ_FIT_LINE];
    size_t count = dlq_cautions_say(prediction, said);
    if (prediction->batches == 0)
        return;
    fprintf(stream, "\n  Another run of %s batches with %ld loader%s, by the recorded loads and steps\n",
            SAY_COUNT(prediction->batches), prediction->loaders, PLURAL(prediction->loaders));
    for (size_t i = 0; i < count; i++)
        dlq_text_wrap(stream, said[i].text, 4, dlq_report_width(stream));
    const struct dlq_estimate *rate = &prediction->throughput;
    if (isnan(rate->value))
        return;
    snprintf(text, sizeof text, "%s batches/s; 95 %% of such runs make %s to %s.", SAY_NUMBER(rate->value, 4),
             SAY_NUMBER(rate->low, 4), SAY_NUMBER(rate->high, 4));
    dlq_text_wrap(stream, text, 4, dlq_report_width(stream));
}

void dlq_fit_report(FILE *stream, bool color, const struct dlq_fit *fit, const char *logs)
{
    static const char *const sources[] = {
        [DLQ_FIT_TRACE] = "measured, batch by batch",
        [DLQ_FIT_WAITS] =
            "from the waits of every iteration: loads are known where the trainer waited, bounded elsewhere",
        [DLQ_FIT_WINDOWS] = "from means over windows of iterations",
        [DLQ_FIT_STOPWATCH] = "from two stopwatch runs",
    };
    char verdict[3 * DLQ_FIT_LINE];
    dlq_text_styled(stream, color, DLQ_STYLE_BOLD, "%s", logs);
    fprintf(stream, "\n%s · %ld loader%s", fit->loader, fit->loaders, PLURAL(fit->loaders));
    if (fit->loaders > 0 && fit->prefetch > 0)
        fprintf(stream, " · prefetch %ld", fit->prefetch);
    if (fit->ranks > 1)
        fprintf(stream, " · %ld ranks", fit->ranks);
    fprintf(stream, "%s\n\n", fit->loaders_known ? "" : " (assumed: the logs do not tell)");
    fprintf(stream, "  Load times %s\n", sources[fit->source]);
    write_law(stream, "load", &fit->load);
    write_law(stream, "step", &fit->step);
    write_overheads(stream, fit);
    if (fit->has_replay)
        write_replay(stream, &fit->replay);
    write_prediction(stream, &fit->prediction);
    fputc('\n', stream);
    dlq_text_wrap(stream, dlq_fit_verdict(fit, verdict), 2, dlq_report_width(stream));
}
