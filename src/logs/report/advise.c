/* Advice: its figures, the change as code of the program that loads, its text. */
#include "logs/calibration.h"
#include "logs/report/report.h"

#include <math.h>
#include <string.h>

/* -- figures -- */

#define ANSWER(key, kind, member, ...) DLQ_ROW(key, kind, offsetof(struct dlq_advise_answer, member), __VA_ARGS__)

DLQ_MISSING(no_code, root, struct dlq_advise_answer, it->code[0] == '\0')
/* Whether the number of loaders is only a lower bound: then at_least shows it, not `loaders` or `code`. */
static bool is_least(const struct dlq_advise_answer *answer)
{
    return answer->advice.kind == DLQ_ADVICE_LOADERS && answer->advice.wanted_at_least &&
           answer->advice.to_loaders == answer->advice.loaders_wanted;
}
DLQ_MISSING(no_loaders, root, struct dlq_advise_answer, it->advice.to_loaders < 0 || is_least(it))
DLQ_MISSING(no_least, root, struct dlq_advise_answer,
            it->advice.loaders_wanted <= 0 || !it->advice.wanted_at_least || it->advice.kind == DLQ_ADVICE_RECORD)
DLQ_MISSING(no_prefetch, root, struct dlq_advise_answer, it->advice.to_loaders <= 0 || it->advice.to_prefetch <= 0)
DLQ_MISSING(no_bytes, root, struct dlq_advise_answer, !(it->advice.to_bytes > 0))
DLQ_MISSING(no_window, root, struct dlq_advise_answer, it->advice.to_window <= 0)

static const struct dlq_figure change[] = {
    ANSWER("kind", WORD, kind, NULL,
           "record (the log cannot tell), nothing, loaders, prefetch, persistent, load (cheaper ones), receive, ranks "
           "or pauses"),
    ANSWER("text", LETTERS, change, NULL, "the change in a sentence"),
    ANSWER("code", LETTERS, code, NULL, "the change as the program has it that loads", "it has no words for that",
           no_code),
    ANSWER("loaders", COUNT, advice.to_loaders, NULL, "with that change", "not known, or only at_least is known",
           no_loaders),
    ANSWER("recommended", ESTIMATE, advice.recommended, NULL,
           "loaders by the recorded loads, or by the waits, and the range in which their number lies, as of fit",
           "the change is another, or the log tells no range that is narrow enough"),
    ANSWER("prefetch", COUNT, advice.to_prefetch, NULL, "likewise", "not known, or there is none", no_prefetch),
    ANSWER("limited_by", WORD, limited_by, NULL,
           "what keeps the loaders at that number: none; of the host cores, shm (/dev/shm) or memory; at_most "
           "(--at-most); or hosts (more than hosts usually run)"),
    ANSWER("at_least", COUNT, advice.loaders_wanted, NULL, "loaders that are needed; the log cannot tell how many more",
           "their number is told, or nothing is known of it", no_least),
};
static const struct dlq_figures of_change = DLQ_FIGURES("advise: change", NULL, change);

static const struct dlq_figure gain[] = {
    ANSWER("factor", ESTIMATE, advice.speedup, NULL,
           "throughput with the change over that of the log; low to high: 95 % of runs",
           "there is no change, or no record of loads that tells"),
    ANSWER("at_most", NUMBER, advice.speedup_bound, NULL,
           "the gain if waiting for data (kind pauses: pausing) cost nothing",
           "the log does not tell what waiting costs"),
    ANSWER("text", LETTERS, gain, NULL, "the same in a sentence"),
    ANSWER("value", NUMBER, advice.speedup.value, "number", "as factor.value", "as factor"),
    ANSWER("low", NUMBER, advice.speedup.low, "number", "as factor.low", "as factor, or it has no interval"),
    ANSWER("high", NUMBER, advice.speedup.high, "number", "as factor.high", "likewise"),
    ANSWER("proven", FLAG, proven, NULL, "factor.low is 1 or more"),
};
static const struct dlq_figures of_gain = DLQ_FIGURES("advise: gain", NULL, gain);

static const struct dlq_figure cost[] = {
    ANSWER("batches", COUNT, advice.to_window, NULL, "that are loaded ahead, and held in memory", "not known",
           no_window),
    ANSWER("bytes", NUMBER, advice.to_bytes, NULL, "of these batches, for the ranks of a host",
           "the size of a batch is not known", no_bytes),
    ANSWER("cores", NUMBER, advice.cores, NULL, "that loads keep busy", "the log does not tell"),
    ANSWER("text", LETTERS, cost, NULL, "the same in a sentence; empty where nothing changes"),
};
static const struct dlq_figures of_cost = DLQ_FIGURES("advise: cost", NULL, cost);

static const struct dlq_figure limits[] = {
    DLQ_ROW("bound_by", WORD, offsetof(struct dlq_diagnosed, bound_by), NULL, "as verdict.bound_by of diagnose"),
    DLQ_ROW("text", LETTERS, offsetof(struct dlq_diagnosed, verdict), NULL, "as verdict.text of diagnose"),
};
static const struct dlq_figures of_limits = DLQ_FIGURES("advise: verdict", NULL, limits);

static const struct dlq_figure caution[] = {
    DLQ_CAUTION_ROWS("launches, threads, or as cautions[] of fit or of diagnose")};
static const struct dlq_figures of_cautions = DLQ_FIGURES("advise: cautions[]", "Why it may not hold.", caution);

static double shm_bytes(const void *object)
{
    const struct dlq_advice *made = &((const struct dlq_advise_answer *)object)->advice;
    return !(made->to_bytes > 0) ? NAN : made->in_shm ? made->to_bytes : 0;
}

static const struct dlq_figure advice[] = {
    ANSWER("verdict", OBJECT, diagnosed, .of = &of_limits, .by_pointer = true),
    DLQ_ROW("change", OBJECT, .of = &of_change),
    DLQ_ROW("gain", OBJECT, .of = &of_gain),
    DLQ_ROW("cost", OBJECT, .of = &of_cost),
    DLQ_LIST_ROW("cautions", LIST, struct dlq_advise_answer, cautions, caution_count, .of = &of_cautions),
    DLQ_LIST_ROW("record", TEXTS, struct dlq_advise_answer, record, record_count, .help = "what would make it surer"),
    ANSWER("kind", WORD, kind, NULL, "as change.kind"),
    ANSWER("loaders", COUNT, advice.to_loaders, NULL, "as change.loaders", "as there", no_loaders),
    ANSWER("prefetch", COUNT, advice.to_prefetch, NULL, "as change.prefetch", "as there", no_prefetch),
    ANSWER("recommended", ESTIMATE, advice.recommended, NULL, "as change.recommended", "as there"),
    ANSWER("memory_bytes", NUMBER, advice.to_bytes, "bytes", "as cost.bytes", "as there", no_bytes),
    DLQ_ROW("shm_bytes", COMPUTED, .unit = "bytes", .help = "of these, what lies in /dev/shm", .absent = "as there",
            .number = shm_bytes),
    ANSWER("text", LETTERS, change, NULL, "as change.text"),
};
const struct dlq_figures dlq_figures_advice = DLQ_FIGURES("advise", NULL, advice);

/* -- the change as code -- */

/* Options of programs: the first row of the loader whose format is null or that of the log. N: loaders; P: prefetch. */
static const struct {
    const char *loader, *format, *change, *persistent;
} programs[] = {
    {"pytorch", "hf-trainer", "TrainingArguments(dataloader_num_workers={N}, dataloader_prefetch_factor={P})",
     "TrainingArguments(dataloader_persistent_workers=True)"},
    {"pytorch", "mmengine", "train_dataloader = dict(num_workers={N}, prefetch_factor={P})",
     "train_dataloader = dict(persistent_workers=True)"},
    {"pytorch", "lightning", "train_dataloader(): return DataLoader(num_workers={N}, prefetch_factor={P})",
     "train_dataloader(): return DataLoader(persistent_workers=True)"},
    {"pytorch", "pytorch-imagenet", "main.py --workers {N}", NULL},
    {"pytorch", "timm", "train.py --workers {N}", NULL},
    {"pytorch", "torchvision", "train.py --workers {N}", NULL},
    {"pytorch", "detectron2", "DATALOADER.NUM_WORKERS {N}", NULL},
    {"pytorch", "maskrcnn-benchmark", "DATALOADER.NUM_WORKERS {N}", NULL},
    {"pytorch", "megatron", "--num-workers {N}", NULL},
    {"pytorch", "nemo", "model.data.num_workers={N}", NULL},
    {"pytorch", "dlio", "++workload.reader.read_threads={N} ++workload.reader.prefetch_size={P}", NULL},
    {"pytorch", NULL, "DataLoader(num_workers={N}, prefetch_factor={P})", "DataLoader(persistent_workers=True)"},
    {"pytorch-unordered", NULL, "DataLoader(num_workers={N}, prefetch_factor={P}, in_order=False)",
     "DataLoader(persistent_workers=True)"},
    {"pool-ordered", NULL, "ParallelMapper(num_workers={N})", NULL},
    {"tfdata", NULL, "dataset.map(load, num_parallel_calls={N}).prefetch({P})", NULL},
    {"tfdata-unordered", NULL, "dataset.map(load, num_parallel_calls={N}, deterministic=False).prefetch({P})", NULL},
    {"dataloaders.jl", NULL, "julia --threads {N}", NULL},
    {"dali", NULL, "Pipeline(num_threads={N}, prefetch_queue_depth={P})", NULL},
    {"ffcv", NULL, "Loader(num_workers={N}, batches_ahead={P})", NULL},
    {"grain", NULL, "DataLoader(worker_count={N}, worker_buffer_size={P})", NULL},
    {"keras", NULL, "PyDataset(workers={N}, use_multiprocessing=True, max_queue_size={P})", NULL},
    {"mxnet", NULL, "DataLoader(num_workers={N})", NULL},
};

static void say_code(struct dlq_advise_answer *answer)
{
    const struct dlq_advice *made = &answer->advice;
    char loaders[DLQ_TEXT_NUMBER], prefetch[DLQ_TEXT_NUMBER];
    const struct dlq_word words[] = {{"N", loaders}, {"P", prefetch}, {NULL, NULL}};
    bool persistent = made->kind == DLQ_ADVICE_PERSISTENT, longer_prefetch = made->kind == DLQ_ADVICE_PREFETCH;
    snprintf(loaders, sizeof loaders, "%ld", made->to_loaders);
    snprintf(prefetch, sizeof prefetch, "%ld", made->to_prefetch);
    if ((!persistent && !longer_prefetch && made->kind != DLQ_ADVICE_LOADERS) || is_least(answer))
        return;
    if (made->to_loaders == 0) {
        snprintf(answer->code, sizeof answer->code, "DataLoader(num_workers=0)");
        return;
    }
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const char *text = persistent ? programs[i].persistent : programs[i].change, *format = programs[i].format;
        if (strcmp(programs[i].loader, made->loader) == 0 && text != NULL &&
            (!longer_prefetch || strstr(text, "{P}") != NULL) &&
            (format == NULL || strcmp(format, answer->diagnosed->facts.format) == 0)) {
            dlq_phrase_fill(&(struct dlq_phrase){.text = answer->code, .size = sizeof answer->code}, text, words);
            return;
        }
    }
}

/* -- sentences -- */

static const struct {
    const char *name, *sentence;
} kinds[DLQ_ADVICES] = {
    [DLQ_ADVICE_RECORD] = {"record", ""},
    [DLQ_ADVICE_NOTHING] = {"nothing", "Leave the loader as it is. A faster step is what would help."},
    [DLQ_ADVICE_LOADERS] = {"loaders", ""},
    [DLQ_ADVICE_PREFETCH] = {"prefetch", ""},
    [DLQ_ADVICE_PERSISTENT] = {"persistent", "Keep the workers from epoch to epoch."},
    [DLQ_ADVICE_LOAD] = {"load", "Make loads cheaper, or their slow ones rarer; more loaders would not help."},
    [DLQ_ADVICE_RECEIVE] = {"receive",
                            "Make batches cheaper to receive: uint8 instead of float32, tensors, pinned memory."},
    [DLQ_ADVICE_RANKS] = {"ranks", "Look at the rank that waits longest: its host and its data."},
    [DLQ_ADVICE_PAUSES] = {"pauses", "Leave the loader as it is. Make the pauses of the training fewer, or shorter."},
};

/* "8 loaders instead of 2, as many as 8 cores run; 12 would keep the step fed." */
static void say_loaders(struct dlq_phrase *phrase, const struct dlq_advise_answer *answer)
{
    const struct dlq_advice *made = &answer->advice;
    const char *among = SAY_AMONG(&made->recommended);
    const bool least = is_least(answer);
    const double even = ceil(answer->diagnosed->diagnosis.loaders_needed - dlq_calibration.needed_rounding);
    char if_even[48] = "";
    if (even > (double)made->to_loaders)
        snprintf(if_even, sizeof if_even, " If loads hardly vary, %.0f do.", fmin(even, 1e9));
    if (least && made->prefetch_instead > 0 && answer->diagnosed->diagnosis.cause == DLQ_DIAGNOSIS_VARIANCE) {
        SAY(phrase,
            "Prefetch %ld instead of %ld, or at least %ld loaders instead of %ld: either smooths the few very late "
            "batches, and waits alone do not tell which gains more. The prefetch takes no cores: try it first.",
            made->prefetch_instead, made->prefetch, made->to_loaders, made->loaders);
        return;
    }
    if (made->to_loaders == 0) {
        SAY(phrase, "No loaders instead of %ld: the trainer loads a batch in less time than it takes to receive one.",
            made->loaders);
        return;
    }
    if (made->loaders == 0)
        SAY(phrase, "Load in the background, with %s%ld%s loader%s", least ? "at least " : "", made->to_loaders, among,
            PLURAL(made->to_loaders));
    else
        SAY(phrase, "%s%ld%s loaders instead of %ld", least ? "At least " : "", made->to_loaders, among, made->loaders);
    if (made->limit == DLQ_LIMIT_CORES)
        SAY(phrase, ", as many as %s core%s run", SAY_NUMBER(made->host.cores, 3), PLURAL(made->host.cores));
    else if (made->limit == DLQ_LIMIT_SHM)
        SAY(phrase, ", as many as /dev/shm (%s) has room for", SAY_SIZE(made->host.shm, 3));
    else if (made->limit == DLQ_LIMIT_MEMORY)
        SAY(phrase, ", as many as the memory (%s) has room for", SAY_SIZE(made->host.memory, 3));
    else if (made->limit == DLQ_LIMIT_AT_MOST)
        SAY(phrase, ", as many as --at-most allows");
    if (made->loaders_wanted > made->to_loaders)
        SAY(phrase, "; %s%ld would keep the step fed.", made->wanted_at_least ? "at least " : "", made->loaders_wanted);
    else if (least)
        SAY(phrase, "; how many more this log cannot tell: record 500 iterations with `dlqueue run`.%s", if_even);
    else
        SAY(phrase, ".");
    if (least && made->prefetch_instead > 0)
        SAY(phrase, " Where loads vary much, prefetch %ld instead of %ld helps, too, and takes no cores.",
            made->prefetch_instead, made->prefetch);
}

/* Says which limit of the host, or of --at-most, keeps the loaders at their number. */
static void say_limit(struct dlq_phrase *phrase, const struct dlq_advise_answer *answer)
{
    const struct dlq_advice *made = &answer->advice;
    const struct dlq_diagnosis *diagnosis = &answer->diagnosed->diagnosis;
    const double iteration = diagnosis->steady_iter;
    if (made->limit == DLQ_LIMIT_CORES)
        SAY(phrase,
            "The %s cores run no more loaders that compute: make loads cheaper (smaller inputs, fewer transforms, "
            "decoding elsewhere), or use more cores.",
            SAY_NUMBER(made->host.cores, 3));
    else if (made->limit == DLQ_LIMIT_AT_MOST)
        SAY(phrase, "--at-most allows no more loaders: make loads cheaper (smaller inputs, fewer transforms, decoding "
                    "elsewhere), or allow more.");
    else if (made->limit == DLQ_LIMIT_HOSTS)
        SAY(phrase,
            "Make loads cheaper: %s%ld loaders would be needed, more than hosts run (a batch occupies a loader for%s "
            "%s, a step takes %s).",
            made->wanted_at_least ? "at least " : "", made->loaders_wanted, isnan(diagnosis->load_mean) ? " up to" : "",
            SAY_TIME(isnan(diagnosis->load_mean) ? (double)made->loaders * iteration : diagnosis->load_mean, 3),
            SAY_TIME(iteration * (1 - diagnosis->lost_share), 3));
    else
        SAY(phrase, "%s (%s) holds no more batches: make it larger, or batches smaller (uint8 instead of float32).",
            made->limit == DLQ_LIMIT_SHM ? "/dev/shm" : "The memory",
            SAY_SIZE(made->limit == DLQ_LIMIT_SHM ? made->host.shm : made->host.memory, 3));
}

/* What would make an answer surer, the most important first. */
static const char *const evidences[DLQ_EVIDENCES] = {
    [DLQ_EVIDENCE_WAITS] = "Log the time that training waits for data, and that of an iteration: "
                           "`dlqueue run` or torch.profiler do.",
    [DLQ_EVIDENCE_MEANS] = "Record each wait with `dlqueue run`, or log the mean wait in place of the median "
                           "(detectron2: its text log has means).",
    [DLQ_EVIDENCE_LOADERS] = "Say how many loaders there are: --loaders <your num_workers>.",
    [DLQ_EVIDENCE_LONGER] = "Log more iterations: some hundreds.",
    [DLQ_EVIDENCE_TRACE] = "Record each load with `dlqueue run`: then the gain has an interval.",
    [DLQ_EVIDENCE_RANKS] = "If there are other ranks, give their logs too: no log shows by itself how long ranks wait "
                           "for one another.",
    [DLQ_EVIDENCE_CPU] = "Record with the present `dlqueue run`, whose columns show how long loads use the cores.",
    [DLQ_EVIDENCE_RUN] = "Make a short run with the change, and compare: dlqueue compare BEFORE AFTER.",
};

/* Names what a log lacks that cannot tell what to change: length if it is short, else the first of `evidences`. */
static void say_missing(struct dlq_phrase *phrase, const struct dlq_advise_answer *answer)
{
    const bool *record = answer->advice.record;
    size_t first = 0;
    while (first < DLQ_EVIDENCES && !record[first])
        first++;
    if (first == DLQ_EVIDENCE_LOADERS && answer->diagnosed->diagnosis.log_length < DLQ_LOG_LONG_ENOUGH)
        first = DLQ_EVIDENCE_LONGER;
    if (first < DLQ_EVIDENCES)
        SAY(phrase, "%s Without that, this log cannot tell what to change.", evidences[first]);
    else
        SAY(phrase, "This log cannot tell what to change.");
}

static void say_change(struct dlq_advise_answer *answer)
{
    const struct dlq_advice *made = &answer->advice;
    const struct dlq_diagnosis *diagnosis = &answer->diagnosed->diagnosis;
    struct dlq_phrase phrase = {.text = answer->change, .size = sizeof answer->change};
    if (made->kind == DLQ_ADVICE_LOADERS)
        say_loaders(&phrase, answer);
    else if (made->kind == DLQ_ADVICE_LOAD && made->limit != DLQ_LIMIT_NONE && !made->loads_wait_for_cores)
        say_limit(&phrase, answer);
    else if (made->kind == DLQ_ADVICE_PREFETCH)
        SAY(&phrase, "Prefetch %ld instead of %ld, with as many loaders.", made->to_prefetch, made->prefetch);
    else if (made->kind == DLQ_ADVICE_LOAD && made->loads_wait_for_cores)
        SAY(&phrase,
            "Loads wait for a core for %.0f %% of their time, so more loaders would not help: make loads cheaper "
            "(smaller inputs, fewer transforms, decoding elsewhere), or use more cores.",
            100 * made->core_wait_share);
    else if (made->other_programs)
        SAY(&phrase,
            "Record again without other programs, which had the cores: loads were ready to run and without a core for "
            "%.0f %% of their time, which neither they nor the trainer explain. Stop these programs, or give this one "
            "cores of its own.",
            100 * made->core_wait_share);
    else if (made->kind == DLQ_ADVICE_RECORD && diagnosis->one_line)
        SAY(&phrase, "One line cannot tell what to change: log more of them.");
    else if (made->kind == DLQ_ADVICE_RECORD)
        say_missing(&phrase, answer);
    else if (diagnosis->waits_ended)
        SAY(&phrase, "Leave the loader as it is, as long as it stays so.");
    else if (made->kind == DLQ_ADVICE_NOTHING && diagnosis->persistent && diagnosis->cause == DLQ_DIAGNOSIS_STARTUP)
        SAY(&phrase, "Leave the loader as it is. Longer epochs are what would help.");
    else if (made->first_epoch_waited)
        SAY(&phrase, "Leave the loader as it is: the first epoch was slow, the later ones need no more.");
    else if (made->kind == DLQ_ADVICE_LOAD && diagnosis->cause == DLQ_DIAGNOSIS_RECEIVE)
        SAY(&phrase,
            "The processes wait for cores: %smake loads cheaper (smaller inputs, fewer transforms, decoding "
            "elsewhere), or use more cores.",
            made->loaders > 1 ? "use fewer loaders, if these keep up, " : "");
    else if (made->kind == DLQ_ADVICE_LOAD && diagnosis->one_by_one)
        SAY(&phrase, "Make a load faster, or remove what loaders wait for in turn (a lock, one reader, one disk); "
                     "more of them would not help.");
    else if (made->kind == DLQ_ADVICE_LOAD && diagnosis->fetches_several)
        SAY(&phrase, "Make fetches faster, or several at a time.");
    else
        SAY(&phrase, "%s", kinds[made->kind].sentence);
}

/* Whether the trainer comes to load for itself. */
static bool goes_serial(const struct dlq_advice *made)
{
    return made->kind == DLQ_ADVICE_LOADERS && made->to_loaders == 0;
}

static void say_gain(struct dlq_advise_answer *answer)
{
    const struct dlq_advice *made = &answer->advice;
    struct dlq_phrase phrase = {.text = answer->gain, .size = sizeof answer->gain, .separator = " "};
    if (made->kind == DLQ_ADVICE_RANKS && !isnan(made->speedup.value))
        SAY(&phrase, "%s times as fast, with loads like those of the other ranks.", SAY_RATE(made->speedup.value));
    else if (goes_serial(made))
        SAY(&phrase,
            "At least %s times as fast: %s batches/s or more instead of %s. Loads and steps take less time where no "
            "workers share the cores, which this record cannot show.",
            SAY_RATE(made->speedup.low), SAY_RATE(made->prediction.throughput.low), SAY_RATE(made->measured));
    else if (!isnan(made->speedup.value))
        SAY(&phrase, "%s times as fast (95 %% of runs: %s to %s): %s batches/s instead of %s%s.",
            SAY_RATE(made->speedup.value), SAY_RATE(made->speedup.low), SAY_RATE(made->speedup.high),
            SAY_RATE(made->prediction.throughput.value), SAY_RATE(made->measured),
            made->pauses > 0 ? ", with the time between epochs" : "");
    else if (made->kind == DLQ_ADVICE_LOADERS || made->kind == DLQ_ADVICE_PREFETCH)
        SAY(&phrase, "The log does not tell how much this change gains.");
    if (made->speedup.low < 1)
        SAY(&phrase, "A gain is not proven.");
    if (made->kind == DLQ_ADVICE_NOTHING && made->speedup_bound < dlq_calibration.gain_shown)
        SAY(&phrase, "Loading that costs nothing would gain nothing.");
    else if (!goes_serial(made) && made->speedup_bound >= dlq_calibration.gain_shown &&
             !(made->speedup.value > (1 - dlq_calibration.severity_small) * made->speedup_bound))
        SAY(&phrase, "%s would make %s %s times as fast.",
            made->kind == DLQ_ADVICE_PAUSES ? "Pauses that cost nothing" : "Loading that costs nothing",
            isnan(answer->diagnosed->diagnosis.changed_at) ? "it" : "the end of the run",
            SAY_RATE(made->speedup_bound));
    else if (phrase.used == 0)
        SAY(&phrase, "Not known.");
    if (!isnan(made->rate_instead.value))
        SAY(&phrase,
            "Prefetch %ld instead of %ld, with the present loaders, would make %s (%s to %s), and takes no cores.",
            made->prefetch_instead, made->prefetch, SAY_RATE(made->rate_instead.value),
            SAY_RATE(made->rate_instead.low), SAY_RATE(made->rate_instead.high));
}

static void say_cost(struct dlq_advise_answer *answer)
{
    const struct dlq_advice *made = &answer->advice;
    struct dlq_phrase phrase = {.text = answer->cost, .size = sizeof answer->cost, .separator = " "};
    if (made->kind != DLQ_ADVICE_LOADERS && made->kind != DLQ_ADVICE_PREFETCH)
        return;
    const char *loaders = made->to_loaders > made->loaders ? ", and what each loader takes by itself" : "";
    const char *most = is_least(answer) ? "at least" : "up to";
    if (made->to_bytes > 0)
        SAY(&phrase, "Memory: %s %ld batches ahead instead of %ld, %s instead of %s%s%s.", most, made->to_window,
            made->window, SAY_SIZE(made->to_bytes, 3), SAY_SIZE(made->bytes, 3),
            made->host.ranks > 1 ? " for the ranks of a host" : "", loaders);
    else if (made->to_window > 0)
        SAY(&phrase, "Memory: %s %ld batches ahead instead of %ld%s.", most, made->to_window, made->window, loaders);
    if (made->to_bytes > 0 && made->host.shm > 0 && made->in_shm)
        SAY(&phrase, "They take room in /dev/shm, which has %s.", SAY_SIZE(made->host.shm, 3));
    if (made->to_loaders <= made->loaders)
        return;
    if (isnan(made->cores))
        SAY(&phrase, "Cores: %s %ld, if loads compute rather than wait.", most, made->to_loaders);
    else
        SAY(&phrase, "Cores: loads keep %s of them busy.", SAY_NUMBER(made->cores, 2));
    if (made->host.cores > 0)
        SAY(&phrase, "The processes may use %s cores.", SAY_NUMBER(made->host.cores, 3));
}

/* Adds a caution, with `number` in place of {number} in the text. */
static void add_caution(struct dlq_advise_answer *answer, const char *name, const char *text, const char *number)
{
    struct dlq_caution_said *added = &answer->cautions[answer->caution_count++];
    added->name = name;
    dlq_phrase_fill(&(struct dlq_phrase){.text = added->text, .size = sizeof added->text}, text,
                    (const struct dlq_word[]){{"number", number}, {NULL, NULL}});
}

/* The length of the first sentence. */
static int first_sentence(const char *text)
{
    const char *end = strstr(text, ". ");
    return end != NULL ? (int)(end - text) + 1 : (int)strlen(text);
}

void dlq_advise_say(struct dlq_advise_answer *answer)
{
    static const char *const limits_of[DLQ_ADVICE_LIMITS] = {"none", "cores", "shm", "memory", "at_most", "hosts"};
    const struct dlq_advice *made = &answer->advice;
    const struct dlq_diagnosis *diagnosis = &answer->diagnosed->diagnosis;
    const char *verdict = answer->diagnosed->verdict;
    /* The first sentence of the verdict, or all of it if its other sentences explain the change. */
    bool whole = (made->kind == DLQ_ADVICE_RECORD && !made->other_programs) || made->kind == DLQ_ADVICE_PERSISTENT ||
                 made->kind == DLQ_ADVICE_RANKS || made->kind == DLQ_ADVICE_PAUSES ||
                 (made->kind == DLQ_ADVICE_NOTHING && diagnosis->waits_ended);
    snprintf(answer->limits, sizeof answer->limits, "%.*s", whole ? (int)strlen(verdict) : first_sentence(verdict),
             verdict);
    answer->kind = kinds[made->kind].name;
    answer->limited_by = limits_of[made->limit];
    answer->proven = made->speedup.low >= 1;
    answer->caution_count = answer->record_count = 0;
    if (made->steps_are_launches && made->kind != DLQ_ADVICE_RECORD)
        add_caution(answer, "launches",
                    "Steps are launches on the GPU, which the record did not wait for: gains are upper bounds. Record "
                    "some hundred batches with --synchronize.",
                    "");
    /* Cautions of the prediction. Advice without a prediction, too, assumes that loads take as long as before. */
    struct dlq_fit_prediction prediction = made->prediction;
    if (made->kind == DLQ_ADVICE_LOADERS && made->prediction.batches == 0)
        prediction = (struct dlq_fit_prediction){
            .loaders = made->to_loaders,
            .recorded_loaders = made->loaders,
            .cautions[DLQ_CAUTION_LOAD_FIXED] = true,
        };
    prediction.batches = 1; /* 0 would mean that there are no cautions */
    prediction.cores_per_load = made->cores_per_load;
    prediction.cautions[DLQ_CAUTION_THREADS] = made->cores_per_load > dlq_calibration.several_threads;
    answer->caution_count += dlq_cautions_say(&prediction, answer->cautions + answer->caution_count);
    for (size_t i = 0; i < answer->diagnosed->caution_count; i++)
        answer->cautions[answer->caution_count++] = answer->diagnosed->cautions[i];
    answer->change[0] = answer->code[0] = answer->gain[0] = answer->cost[0] = '\0';
    say_change(answer);
    say_code(answer);
    say_gain(answer);
    say_cost(answer);
    for (size_t i = 0; i < DLQ_EVIDENCES; i++)
        if (made->record[i])
            snprintf(answer->record[answer->record_count++], DLQ_ADVICE_TEXT, "%s", evidences[i]);
}

/* Says what a log shows that cannot tell what to change: how long training waits, else how the verdict begins. */
static void say_shown(struct dlq_phrase *phrase, const struct dlq_advise_answer *answer)
{
    const struct dlq_diagnosis *diagnosis = &answer->diagnosed->diagnosis;
    const double lost = diagnosis->lasting_lost_share, bound = answer->advice.speedup_bound;
    char without[64] = "";
    if (bound >= dlq_calibration.gain_shown)
        snprintf(without, sizeof without, ", and would be up to %s times as fast without that", SAY_RATE(bound));
    if (lost >= dlq_calibration.severity_small && diagnosis->cause != DLQ_DIAGNOSIS_STEP)
        SAY(phrase, "%s waits for data %s of the time%s.",
            isnan(diagnosis->changed_at) ? "Training" : "At its end, training", SAY_SHARE(lost), without);
    else
        SAY(phrase, "%.*s", first_sentence(answer->diagnosed->verdict), answer->diagnosed->verdict);
}

static void write_title(FILE *stream, bool color, const char *title)
{
    fputs("\n  ", stream);
    dlq_text_bold(stream, color, "%s", title);
    fputc('\n', stream);
}

void dlq_advice_part(FILE *stream, bool color, const char *title, const char *text)
{
    if (text[0] == '\0')
        return;
    write_title(stream, color, title);
    dlq_text_wrap(stream, text, 4, dlq_text_columns(stream));
}

void dlq_advise_report(FILE *stream, bool color, const char *heading, const struct dlq_advise_answer *answer)
{
    char read[400];
    char first[2 * DLQ_ADVICE_TEXT];
    int width = dlq_text_columns(stream);
    struct dlq_phrase phrase = {.text = first, .size = sizeof first, .separator = " "};
    if (answer->advice.kind == DLQ_ADVICE_RECORD)
        say_shown(&phrase, answer);
    SAY(&phrase, "%s", answer->change);
    if (answer->advice.speedup.low >= 1)
        SAY(&phrase, "That is %s%s times as fast.", goes_serial(&answer->advice) ? "at least " : "",
            SAY_RATE(goes_serial(&answer->advice) ? answer->advice.speedup.low : answer->advice.speedup.value));
    else if (answer->advice.speedup.low < 1)
        SAY(&phrase, "A gain is not proven.");
    dlq_text_wrap_bold(stream, color, first, 2, width);
    fputc('\n', stream);
    dlq_text_bold(stream, color, "%s", heading);
    fprintf(stream, "\n%s\n", dlq_logs_say(&answer->diagnosed->facts, read, sizeof read));
    if (answer->caution_count + answer->diagnosed->note_count > 0)
        write_title(stream, color, "To mind");
    for (size_t i = 0; i < answer->caution_count; i++)
        if (!answer->cautions[i].repeats)
            dlq_text_wrap_item(stream, "    - ", answer->cautions[i].text, width);
    for (size_t i = 0; i < answer->diagnosed->note_count; i++)
        dlq_text_wrap_item(stream, "    - ", answer->diagnosed->notes[i], width);
    dlq_advice_part(stream, color, "What limits", answer->limits);
    dlq_advice_part(stream, color, "The change", answer->change);
    if (answer->code[0] != '\0')
        fprintf(stream, "\n      %s\n", answer->code);
    dlq_advice_part(stream, color, "What it gains", answer->gain);
    dlq_advice_part(stream, color, "What it costs", answer->cost);
    dlq_advice_part(stream, color, "To be surer", answer->record_count > 0 ? answer->record[0] : "");
    for (size_t i = 1; i < answer->record_count; i++)
        dlq_text_wrap(stream, answer->record[i], 4, width);
}

void dlq_advise_summary(FILE *stream, bool markdown, const struct dlq_advise_answer *answer)
{
    const char *const lines[][2] = {{"Limit", answer->limits}, {"Change", answer->change}, {"Gain", answer->gain}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        fprintf(stream, markdown ? "* **%s:** %s" : "%s: %s", lines[i][0], lines[i][1]);
        if (i == 1 && answer->code[0] != '\0')
            fprintf(stream, markdown ? " `%s`" : " %s", answer->code);
        if (i == 2 && answer->caution_count > 0)
            fprintf(stream, " %s", answer->cautions[0].text);
        fputc('\n', stream);
    }
}
