#include "report/fit_report.h"
#include "report/report.h"

#include "draw/text.h"
#include "report/phrase.h"

#include <math.h>
#include <string.h>

enum { INDENT = 2 };

static const char *const source_texts[] = {
    [DLQ_FIT_TRACE] = "measured, batch by batch",
    [DLQ_FIT_WAITS] = "from the waits of every iteration: loads are known where the trainer waited, bounded elsewhere",
    [DLQ_FIT_WINDOWS] = "from means over windows of iterations",
    [DLQ_FIT_STOPWATCH] = "from two stopwatch runs",
};

static void write_law(FILE *stream, const char *label, const struct dlq_fit_law *law)
{
    char mean[DLQ_TEXT_NUMBER], median[DLQ_TEXT_NUMBER], p99[DLQ_TEXT_NUMBER], low[DLQ_TEXT_NUMBER];
    char high[DLQ_TEXT_NUMBER], cv[DLQ_TEXT_NUMBER];
    if (law->only_bound) {
        fprintf(stream, "    %-8s at most %s on average: the logs tell no more\n", label,
                dlq_text_time(law->mean_high, 3, high));
        return;
    }
    fprintf(stream, "    %-8s %-20s mean %s", label, law->distribution, dlq_text_time(law->mean, 4, mean));
    if (law->mean_high > law->mean_low)
        fprintf(stream, " (%s to %s)",
                law->mean_low < law->mean_high / 1000 ? "0" : dlq_text_time(law->mean_low, 4, low),
                dlq_text_time(law->mean_high, 4, high));
    fprintf(stream, " · cv %s · median %s · p99 %s", dlq_text_number(law->cv, 3, cv),
            dlq_text_time(law->median, 3, median), dlq_text_time(law->p99, 3, p99));
    if (!isnan(law->ks))
        fprintf(stream, " · KS %.3g", law->ks);
    fputc('\n', stream);
}

/* What else was tried: only what comes near. */
static void write_tried(FILE *stream, const struct dlq_fit_law *law)
{
    enum { SHOWN = 4 };
    char text[DLQ_FIT_LINE] = "";
    struct dlq_phrase phrase = {.text = text, .size = sizeof text, .separator = ", "};
    for (size_t i = 1; i < law->tried_count && i < SHOWN; i++)
        dlq_phrase_add(&phrase, "%s (+%.1f%s)", law->tried[i].distribution, law->tried[i].aic_above,
                       i == 1 ? " AIC" : "");
    if (text[0] != '\0')
        fprintf(stream, "             then %s\n", text);
}

static void write_overheads(FILE *stream, const struct dlq_measured_overheads *overheads)
{
    const struct {
        const char *name;
        double value;
    } parts[] = {
        {"start-up", overheads->startup}, {"dispatch", overheads->dispatch}, {"deliver", overheads->deliver},
        {"receive", overheads->receive},  {"barrier", overheads->barrier},
    };
    char text[DLQ_FIT_LINE] = "", time[DLQ_TEXT_NUMBER];
    struct dlq_phrase phrase = {.text = text, .size = sizeof text, .separator = " · "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].value > 0)
            dlq_phrase_add(&phrase, "%s %s", parts[i].name, dlq_text_time(parts[i].value, 3, time));
    if (text[0] != '\0')
        fprintf(stream, "    overheads %s\n", text);
}

static void write_replay(FILE *stream, const struct dlq_replay *replay)
{
    char measured[DLQ_TEXT_NUMBER], predicted[DLQ_TEXT_NUMBER], pure[DLQ_TEXT_NUMBER];
    char wait_measured[DLQ_TEXT_NUMBER], wait_predicted[DLQ_TEXT_NUMBER];
    fprintf(stream, "\n  Replay: the measured load and step times through the model, %s batches\n",
            dlq_text_fixed((double)replay->batches, 0, measured));
    fprintf(stream, "    throughput   measured %s · predicted %s batches/s (%+.2f %%; without overheads %s)\n",
            dlq_text_number(replay->measured, 4, measured), dlq_text_number(replay->predicted, 4, predicted),
            100 * replay->error, dlq_text_number(replay->pure, 4, pure));
    fprintf(stream, "    mean wait    measured %s · predicted %s\n",
            dlq_text_time(replay->wait_measured, 3, wait_measured),
            dlq_text_time(replay->wait_predicted, 3, wait_predicted));
    fprintf(stream, "    p99 wait     measured %s · predicted %s\n",
            dlq_text_time(replay->wait_p99_measured, 3, wait_measured),
            dlq_text_time(replay->wait_p99_predicted, 3, wait_predicted));
    struct dlq_reason_said said[DLQ_REASONS];
    dlq_reasons_say(replay, said);
    for (size_t i = 0; i < replay->reason_count; i++) {
        fprintf(stream, "    why not:\n");
        dlq_text_wrap(stream, said[i].text, 6, dlq_report_width(stream));
    }
}

static void say_prediction(const struct dlq_fit *fit, struct dlq_phrase *phrase)
{
    char number[DLQ_TEXT_NUMBER], low[DLQ_TEXT_NUMBER], high[DLQ_TEXT_NUMBER], runs[DLQ_FIT_LINE] = "", of[64] = "";
    bool near = fabs(fit->predicted.value / fit->measured - 1) < 0.01;
    bool inside = near || (fit->measured >= fit->predicted.low && fit->measured <= fit->predicted.high);
    if (fit->predicted.high > fit->predicted.low * (1 + 1e-6))
        snprintf(runs, sizeof runs, " (95 %% of such runs: %s to %s)", dlq_text_number(fit->predicted.low, 4, low),
                 dlq_text_number(fit->predicted.high, 4, high));
    if (fit->prediction.begin > 0)
        snprintf(of, sizeof of, ", of the loads from batch %ld on,", fit->prediction.begin);
    bool comparable = !isnan(fit->measured) && fit->prediction.begin == 0;
    dlq_phrase_add(phrase, "The fitted model%s makes %s batches/s%s%s", of,
                   dlq_text_number(fit->predicted.value, 4, number), runs, comparable ? ";" : ".");
    if (comparable)
        dlq_phrase_add(phrase, "%s %s measured%s.", dlq_text_number(fit->measured, 4, number),
                       fit->measured == 1 ? "was" : "were", inside ? "" : ", which is outside");
}

static void say_drift(const struct dlq_fit_prediction *prediction, char *text)
{
    char number[DLQ_TEXT_NUMBER], times[2 * DLQ_TEXT_NUMBER];
    bool slower = prediction->factor > 1;
    snprintf(times, sizeof times, "%s times %s",
             dlq_text_number(slower ? prediction->factor : 1 / prediction->factor, 2, number),
             slower ? "slower" : "faster");
    if (!prediction->stepped)
        snprintf(text, DLQ_FIT_LINE,
                 "The loads became %s during the run, little by little: another run may begin, and end, elsewhere.",
                 times);
    else if (prediction->from_change)
        snprintf(text, DLQ_FIT_LINE, "The loads became %s at batch %ld. The prediction is made of those from there on.",
                 times, prediction->since);
    else
        snprintf(text, DLQ_FIT_LINE, "The loads became %s at batch %ld. The prediction mixes those before and after.",
                 times, prediction->since);
}

static void say_shared(const struct dlq_fit_prediction *prediction, char *text)
{
    if (isnan(prediction->delayed))
        snprintf(text, DLQ_FIT_LINE,
                 "This record does not tell what other cores would bring: it has no CPU times of each load, or not the "
                 "number of cores. Record a run with the probe's CPU columns.");
    else if (prediction->method != NULL && strcmp(prediction->method, "cores") == 0)
        snprintf(
            text, DLQ_FIT_LINE,
            "Loads share %g cores with each other and with the trainer in this prediction; in the record they were "
            "ready to run and without a core for %.0f %% of their time. Such runs differ by some 6 %% when they are "
            "repeated.",
            prediction->cores, 100 * prediction->delayed);
    else
        snprintf(
            text, DLQ_FIT_LINE,
            "Loads share the cores with each other and with the trainer; they were ready to run and without a core "
            "for %.0f %% of their time. Another number of loaders changes how long they take, so this record does "
            "not tell what it would bring. Record a run with that number.",
            100 * prediction->delayed);
}

static void say_first_epoch(const struct dlq_fit_prediction *prediction, char *text)
{
    char number[DLQ_TEXT_NUMBER];
    snprintf(
        text, DLQ_FIT_LINE,
        "From the second epoch on loads took %s times as long as in the first: so they do in the prediction, and a "
        "long run is one of later epochs.",
        dlq_text_number(prediction->factor, 2, number));
}

static void say_pauses(const struct dlq_fit_prediction *prediction, char *text)
{
    char time[DLQ_TEXT_NUMBER];
    snprintf(text, DLQ_FIT_LINE, "A pause of %s every %ld steps takes %.0f %% of the time: the prediction keeps it.",
             dlq_text_time(prediction->pause, 2, time), prediction->pause_every, 100 * prediction->pause_share);
}

static void say_epochs(const struct dlq_fit_prediction *prediction, char *text)
{
    snprintf(
        text, DLQ_FIT_LINE,
        "Long waits every %ld batches look like starts of epochs that the log does not mark. The prediction leaves "
        "them out: a column epoch would tell.",
        prediction->epoch_every);
}

static void say_rank(const struct dlq_fit_prediction *prediction, char *text)
{
    snprintf(text, DLQ_FIT_LINE, "The run had %ld ranks: this rank's waits may be the others'. Give the files of all.",
             prediction->world);
}

static void say_load_fixed(const struct dlq_fit_prediction *prediction, char *text)
{
    char least[DLQ_TEXT_NUMBER + 32] = "", number[DLQ_TEXT_NUMBER];
    if (prediction->down_to > 0)
        snprintf(least, sizeof least, ", down to %s batches/s", dlq_text_number(prediction->down_to, 3, number));
    if (prediction->blocked > 0)
        snprintf(text, DLQ_FIT_LINE,
                 "Assumes that waiting (storage, network) takes as long with %ld loaders as with %ld.",
                 prediction->loaders, prediction->recorded_loaders);
    else
        snprintf(text, DLQ_FIT_LINE,
                 "Assumes that a load takes as long with %ld loaders as with %ld. If they share cores, storage or a "
                 "lock, it is slower%s. Record a run with another number of loaders (--also), or with the probe's CPU "
                 "columns.",
                 prediction->loaders, prediction->recorded_loaders, least);
}

static void say_even(const struct dlq_fit_prediction *prediction, char *text)
{
    snprintf(text, DLQ_FIT_LINE,
             "As many loads ran all the time. If they share cores, storage or a lock, this record cannot show it, and "
             "with %ld loaders they take another time than with %ld.",
             prediction->loaders, prediction->recorded_loaders);
}

static void say_tail(const struct dlq_fit_prediction *prediction, char *text)
{
    snprintf(text, DLQ_FIT_LINE, "The interval rests on %ld slow batches.", prediction->slow);
}

/* A row for each: what it is called, and what it says, or who says that. */
static const struct {
    const char *name, *text;
    void (*say)(const struct dlq_fit_prediction *prediction, char *text);
} cautions[DLQ_CAUTIONS] = {
    [DLQ_CAUTION_LOCK] = {"lock",
                          "Loads exclude one another (a lock, one reader, one disk): only one makes headway at a time, "
                          "and no number of loaders helps.",
                          NULL},
    [DLQ_CAUTION_SLOWER] = {"slower-when-more", "In this run loads were slower when more of them ran.", NULL},
    [DLQ_CAUTION_SHARED] = {"shared", NULL, say_shared},
    [DLQ_CAUTION_TOGETHER] =
        {"waits-together",
         "Very slow loads of several workers run at the same time: something stands still for all "
         "of them (storage, network, the host). The prediction lets it stand still as often and as "
         "long.",
         NULL},
    [DLQ_CAUTION_BURST] = {"burst",
                           "Slow loads run beside slow ones: they share something. Slow batches come together, and "
                           "another run may differ by more.",
                           NULL},
    [DLQ_CAUTION_ORDER] = {"order-matters",
                           "The order of the loads matters: slow batches come together, or never. Another run may "
                           "differ by more.",
                           NULL},
    [DLQ_CAUTION_DRIFT] = {"drift", NULL, say_drift},
    [DLQ_CAUTION_FIRST_EPOCH] = {"first-epoch", NULL, say_first_epoch},
    [DLQ_CAUTION_PAUSES] = {"pauses", NULL, say_pauses},
    [DLQ_CAUTION_EPOCHS] = {"epochs-unmarked", NULL, say_epochs},
    [DLQ_CAUTION_SLOW_WORKER] =
        {"slow-worker",
         "One worker was slower than the others. The prediction keeps it as slow, and takes any "
         "further one to be like the others: that was not measured.",
         NULL},
    [DLQ_CAUTION_RANK] = {"one-rank", NULL, say_rank},
    [DLQ_CAUTION_LOAD_FIXED] = {"assumes-load-fixed", NULL, say_load_fixed},
    [DLQ_CAUTION_EVEN] = {"constant-concurrency", NULL, say_even},
    [DLQ_CAUTION_TAIL] = {"tail", NULL, say_tail},
    [DLQ_CAUTION_STRETCHES] = {"few-stretches",
                               "Slow batches come together, and the record has few such stretches: another run may "
                               "differ by more.",
                               NULL},
};

size_t dlq_cautions_say(const struct dlq_fit_prediction *prediction, struct dlq_caution_said said[DLQ_CAUTIONS])
{
    size_t count = 0;
    for (size_t i = 0; i < DLQ_CAUTIONS && prediction->batches > 0; i++) {
        bool changed = i == DLQ_CAUTION_DRIFT || i == DLQ_CAUTION_FIRST_EPOCH;
        struct dlq_caution_said *it = &said[count];
        if (!prediction->cautions[i])
            continue;
        *it = (struct dlq_caution_said){
            .name = cautions[i].name,
            .since = changed ? (double)prediction->since : NAN,
            .factor = changed ? prediction->factor : NAN,
        };
        if (cautions[i].say != NULL)
            cautions[i].say(prediction, it->text);
        else
            snprintf(it->text, sizeof it->text, "%s", cautions[i].text);
        count++;
    }
    return count;
}

/* Cautions stand before what they are about. */
static void write_prediction(FILE *stream, const struct dlq_fit_prediction *prediction)
{
    struct dlq_caution_said said[DLQ_CAUTIONS];
    char value[DLQ_TEXT_NUMBER], low[DLQ_TEXT_NUMBER], high[DLQ_TEXT_NUMBER], text[DLQ_FIT_LINE];
    size_t count = dlq_cautions_say(prediction, said);
    if (prediction->batches == 0)
        return;
    fprintf(stream, "\n  Another run of %s batches with %ld loader%s, by the recorded loads and steps\n",
            dlq_text_fixed((double)prediction->batches, 0, value), prediction->loaders,
            prediction->loaders == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++)
        dlq_text_wrap(stream, said[i].text, 4, dlq_report_width(stream));
    const struct dlq_estimate *rate = &prediction->throughput;
    if (isnan(rate->value))
        return;
    snprintf(text, sizeof text, "%s batches/s; 95 %% of such runs make %s to %s.",
             dlq_text_number(rate->value, 4, value), dlq_text_number(rate->low, 4, low),
             dlq_text_number(rate->high, 4, high));
    dlq_text_wrap(stream, text, 4, dlq_report_width(stream));
}

/* The experiment's own answer: training takes about the longer of the two, or with no loaders both. */
static void say_stopwatches(const struct dlq_fit *fit, struct dlq_phrase *phrase)
{
    char load[DLQ_TEXT_NUMBER], step[DLQ_TEXT_NUMBER], both[DLQ_TEXT_NUMBER], longer[DLQ_TEXT_NUMBER];
    char gain[DLQ_TEXT_NUMBER];
    double pace = fit->load_pace, mean = fit->step.mean, now = fit->loaders > 0 ? fmax(pace, mean) : pace + mean;
    dlq_text_time(pace, 3, load);
    dlq_text_time(mean, 3, step);
    dlq_text_time(pace + mean, 3, both);
    dlq_text_time(fmax(pace, mean), 3, longer);
    dlq_phrase_add(phrase,
                   fit->loaders > 0
                       ? "A batch takes %s to load and %s to train on: side by side that is the longer of the two, %s "
                         "per batch (%s if they took turns)."
                       : "A batch takes %s to load and %s to train on: with a loader in the background that would be "
                         "the longer of the two, %s per batch; without one it is %s.",
                   load, step, longer, both);
    if (now > mean * 1.005)
        dlq_phrase_add(phrase, "Loading is the bottleneck: training could run up to %sx faster.",
                       dlq_text_number(now / mean, 2, gain));
    else
        dlq_phrase_add(phrase, "The step is the bottleneck: faster loading gains nothing.");
}

const char *dlq_fit_verdict(const struct dlq_fit *fit, char text[3 * DLQ_FIT_LINE])
{
    struct dlq_phrase phrase = {.text = text, .size = 3 * DLQ_FIT_LINE, .separator = " "};
    char among[2 * DLQ_TEXT_NUMBER] = "", target[DLQ_TEXT_NUMBER] = "95 %", given[64] = "";
    text[0] = '\0';
    if (!isnan(fit->load_pace))
        say_stopwatches(fit, &phrase);
    if (!isnan(fit->predicted.value))
        say_prediction(fit, &phrase);
    if (fit->loaders == 0)
        return text;
    if (!fit->loaders_known)
        dlq_phrase_add(&phrase, "How many loaders keep the trainer busy cannot be told, since the logs do not show how "
                                "many there were: give --loaders <your num_workers>, and --prefetch.");
    if (fit->one_by_one)
        dlq_phrase_add(&phrase,
                       "The loaders wait for one another (a lock, one reader, one disk): the first loads, which "
                       "began together, ended one after the other. No number of loaders helps; a faster load does.");
    if (fit->rhythm > 0)
        dlq_phrase_add(
            &phrase,
            "The waits come in a rhythm of %ld batches, which is not that of %ld loader%s: it seems that %ld "
            "batches are fetched at once, and then no number of loaders follows from this log.",
            fit->rhythm, fit->loaders, fit->loaders == 1 ? "" : "s that take turns", fit->rhythm);
    const struct dlq_estimate *range = &fit->prediction.recommended;
    bool ranges = fit->suffices > 0 && range->high > range->low;
    if (ranges && range->high >= 512)
        snprintf(among, sizeof among, " (at least %.0f)", range->low);
    else if (ranges)
        snprintf(among, sizeof among, " (%.0f to %.0f)", range->low, range->high);
    if (fit->prediction.target < 0.95) {
        dlq_text_share(fit->prediction.target, target);
        snprintf(given, sizeof given, "; with more of them receiving batches leaves hardly more");
    }
    if (fit->suffices > 0)
        dlq_phrase_add(&phrase, "%ld%s loader%s keep%s the trainer busy for %s of the time%s%s%s.", fit->suffices,
                       among, fit->suffices == 1 && !ranges ? "" : "s", fit->suffices == 1 && !ranges ? "s" : "",
                       target,
                       fit->has_replay && fit->replay.epoch_batches > 0 ? ", the starts of epochs left out" : "", given,
                       fit->load.only_bound ? "; fewer may" : "");
    if (fit->suffices > fit->loaders)
        dlq_phrase_add(&phrase, "That assumes that a load takes as long with more loaders, which these measurements "
                                "cannot show: where they share cores, storage or a lock it takes longer. One short run "
                                "with another number of them tells.");
    else if (fit->suffices == 0 && fit->most_tried > 0)
        dlq_phrase_add(&phrase, "No number of loaders up to %ld keeps the trainer busy for 95 %% of the time.",
                       fit->most_tried);
    return text;
}

void dlq_fit_report(FILE *stream, bool color, const struct dlq_fit *fit, const char *logs)
{
    char verdict[3 * DLQ_FIT_LINE];
    dlq_text_styled(stream, color, DLQ_STYLE_BOLD, "%s", logs);
    fprintf(stream, "\n%s · %ld loader%s", fit->loader, fit->loaders, fit->loaders == 1 ? "" : "s");
    if (fit->loaders > 0 && fit->prefetch > 0)
        fprintf(stream, " · prefetch %ld", fit->prefetch);
    if (fit->ranks > 1)
        fprintf(stream, " · %ld ranks", fit->ranks);
    fprintf(stream, "%s\n\n", fit->loaders_known ? "" : " (assumed: the logs do not tell)");
    fprintf(stream, "  Load times %s\n", source_texts[fit->source]);
    write_law(stream, "load", &fit->load);
    write_tried(stream, &fit->load);
    write_law(stream, "step", &fit->step);
    write_tried(stream, &fit->step);
    write_overheads(stream, &fit->overheads);
    if (fit->has_replay)
        write_replay(stream, &fit->replay);
    write_prediction(stream, &fit->prediction);
    fputc('\n', stream);
    dlq_text_wrap(stream, dlq_fit_verdict(fit, verdict), INDENT, dlq_report_width(stream));
}
