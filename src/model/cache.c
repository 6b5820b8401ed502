/* [cache]: data that hosts keep between epochs, and the share of the reads that this saves. */
#include "base/elementary.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static const char *const policy_words[] = {"lru", "kept", NULL};
static const char *const scope_words[] = {"host", "all", NULL};

#define AT(field) offsetof(struct dlq_cache, field)

static const struct dlq_option options[] = {
    DLQ_TEXT_ROW(
        "size", AT(size_text),
        "size per host (scope = all: of all hosts), or free: the host's memory that batches and loaders leave"),
    DLQ_QUANTITY_ROW("share", DLQ_UNIT_SHARE, 0, 1, NULL, AT(share),
                     "instead of size: the share of the data set that fits"),
    DLQ_WORD_ROW("policy", policy_words, "lru", AT(policy),
                 "lru keeps what was read last, like a page cache; kept keeps what was read first"),
    DLQ_WORD_ROW("scope", scope_words, "host", AT(scope),
                 "a cache per host, or one for all hosts (also for shards that stay on their host)"),
};

const struct dlq_section dlq_cache_section = DLQ_SECTION(
    "cache", options, .help = "keeps data between epochs: reads from the cache skip stages with uses = storage",
    .optional = true);

/* Bytes of the data set, which an epoch reads once. */
static double data_set(const struct dlq_system *system)
{
    return (double)system->pipeline.epoch_batches * (double)system->pipeline.ranks * dlq_work_bytes(&system->load);
}

enum dlq_status dlq_cache_read(struct dlq_system *system, const struct dlq_entries *entries, struct dlq_error *error)
{
    char why[200];
    const struct dlq_reading reading = {entries, "cache", error};
    struct dlq_cache read = {.given = false};
    for (size_t i = 0; i < entries->count; i++)
        read.given = read.given || strcmp(entries->rows[i].section, "cache") == 0;
    if (dlq_entries_are_bad(entries, "cache"))
        return DLQ_INVALID;
    if (!read.given)
        return DLQ_OK;
    dlq_options_apply(&dlq_cache_section, "cache", entries, &read);
    if ((read.size_text == NULL) == isnan(read.share))
        return dlq_reading_refuse(&reading, "share", "%s",
                                  read.size_text == NULL ? "missing: give share or size" : "not with size");
    read.size = NAN;
    read.free = read.size_text != NULL && strcmp(read.size_text, "free") == 0;
    if (read.size_text != NULL && !read.free &&
        (!dlq_quantity_parse(read.size_text, DLQ_UNIT_SIZE, &read.size, why, sizeof why) ||
         !dlq_quantity_within(read.size, DLQ_UNIT_SIZE, 0, 1e18, why, sizeof why)))
        return dlq_reading_refuse(&reading, "size", "%s", why);
    const char *given = read.size_text != NULL ? "size" : "share";
    if (dlq_work_time(&system->load, DLQ_USES_STORAGE) == 0)
        return dlq_reading_refuse(&reading, given, "no stage of the load has uses = storage");
    if (system->pipeline.epoch_batches == 0)
        return dlq_reading_refuse(&reading, given,
                                  "needs [pipeline] epoch_batches: how many batches read the data set once");
    if (read.size_text != NULL && !(data_set(system) > 0))
        return dlq_reading_refuse(&reading, "size", "needs the bytes that the load reads");
    system->cache = read;
    if (read.free && isnan(dlq_system_cache_share(system)))
        return dlq_reading_refuse(&reading, "size",
                                  "free needs [host] memory, and loader_memory or the bytes of a batch");
    return DLQ_OK;
}

double dlq_system_cache_share(const struct dlq_system *system)
{
    const struct dlq_cache *cache = &system->cache;
    if (!cache->given || !isnan(cache->share))
        return cache->given ? cache->share : 0;
    double size = cache->free ? system->host.memory - dlq_system_memory(system) : cache->size;
    double share = size / data_set(system); /* NAN: unknown free memory */
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

struct dlq_hits dlq_system_hits(const struct dlq_system *system)
{
    const struct dlq_pipeline *pipeline = &system->pipeline;
    const double own = (double)dlq_system_ranks_per_host(system) / (double)pipeline->ranks;
    return (struct dlq_hits){.share = dlq_system_cache_share(system),
                             .seen = system->cache.seen > 0               ? system->cache.seen
                                     : system->cache.scope == 1 /* all */ ? 1
                                                                          : fmin(1, own),
                             .kept = system->cache.policy == 1 /* kept */,
                             .epoch = pipeline->epoch_batches,
                             .limit = pipeline->epochs == 0};
}

/* The probability that a file which is read at place y of epoch e (0 < y < 1) is cached; c = share, phi = seen. With
   probability phi (1 - phi)^(g - 1) the ranks of this host read the file last g epochs ago, at a uniform place x. An
   LRU cache still has the file if at most a share c of the data set was read since then; any other file was not read
   since then with probability (1 - phi (1 - x)) (1 - phi)^(g - 1) (1 - phi y). In the sum over g < e of phi (1 -
   phi)^(g - 1) min(1, (1 - z/(1 - phi y))+/phi), z = (1 - c)/(1 - phi)^(g - 1), at most one of the min(...) is strictly
   between 0 and 1; the sum telescopes to min(1 - (1 - c)/(1 - phi y), 1 - (1 - phi)^(e - 1))+ (theory 33). */
double dlq_hit_ratio(const struct dlq_hits *hits, long epoch, double y)
{
    const double c = hits->share, phi = hits->seen, read = 1 - pow(1 - phi, (double)epoch - 1);
    return hits->kept ? fmin(c, read) : fmax(0, fmin(1 - (1 - c) / (1 - phi * y), read));
}

/* The integral of dlq_hit_ratio over 0 < y < 1: the ratio is `read`, the share that was read in earlier epochs, up to y
   = whole, and 0 from y = none on. */
double dlq_hit_ratio_of_epoch(const struct dlq_hits *hits, long epoch)
{
    const double c = hits->share, phi = hits->seen, read = 1 - pow(1 - phi, (double)epoch - 1);
    if (hits->kept || c == 1)
        return fmin(c, read);
    const double none = fmin(1, c / phi), whole = fmin(none, fmax(0, (1 - (1 - c) / (1 - read)) / phi));
    return read * whole + none - whole + (1 - c) / phi * (dlq_log1p(-phi * none) - dlq_log1p(-phi * whole));
}

struct dlq_system dlq_system_cached(const struct dlq_system *system)
{
    enum { MOST = 64 }; /* later epochs have the hit ratio after many epochs */
    const struct dlq_hits hits = dlq_system_hits(system);
    const long epochs = system->pipeline.epochs;
    struct dlq_system cached = *system;
    double sum = 0;
    for (long e = 1; e <= epochs && e <= MOST; e++)
        sum += dlq_hit_ratio_of_epoch(&hits, e);
    if (hits.limit || epochs > MOST)
        sum += (hits.limit ? 1 : (double)(epochs - MOST)) * dlq_hit_ratio_of_epoch(&hits, LONG_MAX);
    double missed = 1 - (hits.limit ? sum : sum / (double)epochs);
    dlq_work_part_makespan(&cached.load);
    for (size_t i = 0; i < cached.load.count; i++)
        if (cached.load.stages[i].uses == DLQ_USES_STORAGE) {
            if (missed > 0)
                cached.load.stages[i].probability *= missed;
            else
                dlq_work_free_stage(&cached.load, i);
        }
    dlq_work_refresh(&cached.load);
    cached.cache.given = false;
    return cached;
}
