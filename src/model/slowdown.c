/* [slowdown]: phases in which loads progress more slowly; their option rows, checks and means. */
#include "model/model.h"

#include <gsl/gsl_statistics_double.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const shape_words[] = {"steps", "linear", NULL};
static const char *const scope_words[] = {"all", "host", "rank", "loader", NULL};
static const char *const uses_words[] = {"all", "cpu", "storage", NULL};

#define AT(field) offsetof(struct dlq_slowdown, field)

static const struct dlq_option options[] = {
    DLQ_QUANTITY_ROW("interval", DLQ_UNIT_TIME, 1e-6, 1e9, NULL, AT(interval),
                     "mean time from the end of a slow phase to the next"),
    DLQ_QUANTITY_ROW("interval_cv", DLQ_UNIT_RATIO, 0, 10, NULL, AT(interval_cv),
                     "cv of the interval, gamma distributed: 0 regular, 1 exponential (default: 1)"),
    DLQ_QUANTITY_ROW("duration", DLQ_UNIT_TIME, 1e-6, 1e9, NULL, AT(duration), "mean time of a slow phase"),
    DLQ_QUANTITY_ROW("duration_cv", DLQ_UNIT_RATIO, 0, 10, NULL, AT(duration_cv),
                     "cv of the duration, gamma distributed (default: 0)"),
    DLQ_QUANTITY_ROW("speed", DLQ_UNIT_SHARE, 0, 1, NULL, AT(speed),
                     "speed of loads in a slow phase, below 100% (default: 0, loads stop)"),
    {"times", DLQ_KIND_RANGE, DLQ_UNIT_TIME, 0, 1e9, NULL, NULL,
     "instead of the keys above, a profile: times at which the speed changes, from 0 on", AT(times), NULL},
    DLQ_TEXT_ROW("speeds", AT(speeds_text), "the speed from each of these times on, such as 100%, 30%"),
    DLQ_WORD_ROW("shape", shape_words, NULL, AT(linear),
                 "of a profile: constant between times, or linear, which is a drift (default: steps)"),
    DLQ_WORD_ROW("scope", scope_words, "all", AT(scope),
                 "slow phases occur for all together, or independently per host, rank or loader"),
    DLQ_WORD_ROW("uses", uses_words, "all", AT(uses), "stages of the load that are slowed"),
};

const struct dlq_section dlq_slowdown_section =
    DLQ_SECTION("slowdown", options, .help = "phases in which loads are slower; for several kinds [slowdown.NAME]",
                .named = true, .optional = true);

bool dlq_slowdown_slows(const struct dlq_slowdown *slowdown, enum dlq_uses stage)
{
    return slowdown->uses == 0 || slowdown->uses == (int)stage;
}

/* -- reading -- */

static enum dlq_status read_speeds(const struct dlq_reading *reading, struct dlq_slowdown *slowdown)
{
    char why[200];
    const char *at = slowdown->speeds_text;
    size_t count = 0;
    for (bool more = true; more; count++) {
        char item[128];
        size_t length = strcspn(at, ",");
        more = at[length] == ',';
        if (count == DLQ_RANGE_LIST || length >= sizeof item)
            return dlq_reading_refuse(reading, "speeds", "too many (at most 64), or one is too long");
        snprintf(item, sizeof item, "%.*s", (int)length, at);
        if (!dlq_quantity_parse(item, DLQ_UNIT_SHARE, &slowdown->speeds[count], why, sizeof why) ||
            !dlq_quantity_within(slowdown->speeds[count], DLQ_UNIT_SHARE, 0, 1, why, sizeof why))
            return dlq_reading_refuse(reading, "speeds", "%s", why);
        at += length + more;
    }
    if (count != slowdown->times.count)
        return dlq_reading_refuse(reading, "speeds", "%zu of them for %zu times", count, slowdown->times.count);
    if (slowdown->speeds[count - 1] == 0)
        return dlq_reading_refuse(reading, "speeds", "the last one lasts, and must not be 0");
    if (slowdown->times.low != 0)
        return dlq_reading_refuse(reading, "times", "begin at 0");
    return DLQ_OK;
}

/* Checks a slowdown by itself and against the rest of the configuration. Refuses random phases if interval and
   duration together are shorter than `shortest` mean loads: only their mean speed would matter. */
static enum dlq_status check(const struct dlq_reading *reading, const struct dlq_system *system,
                             struct dlq_slowdown *slowdown)
{
    static const double shortest = 1e-3;
    static const char either[] = "either times and speeds, or interval and duration, not both";
    const bool times = dlq_reading_has(reading, "times"), speeds = dlq_reading_has(reading, "speeds");
    const bool interval = dlq_reading_has(reading, "interval"), profile = times || speeds;
    const bool ends = !isnan(slowdown->horizon) || system->pipeline.epoch_batches > 0;
    const bool cores = dlq_system_cpu_factor(system) > 1, storage = dlq_system_storage_factor(system) > 1;
    bool slows = false;
    for (size_t i = 0; i < system->load.count; i++)
        slows = slows || slowdown->uses == 0 || dlq_stage_uses(&system->load.stages[i], (enum dlq_uses)slowdown->uses);
    if (times && speeds && !interval)
        TRY(read_speeds(reading, slowdown));
    const struct {
        bool wrong;
        const char *key, *why;
    } rules[] = {
        {profile && interval, "interval", either},
        {profile && dlq_reading_has(reading, "interval_cv"), "interval_cv", either},
        {profile && dlq_reading_has(reading, "duration"), "duration", either},
        {profile && dlq_reading_has(reading, "duration_cv"), "duration_cv", either},
        {profile && dlq_reading_has(reading, "speed"), "speed", either},
        {times != speeds, times ? "speeds" : "times", "missing: a profile has both"},
        {profile && slowdown->scope != DLQ_SCOPE_ALL, "scope", "a profile is one for all"},
        {!profile && dlq_reading_has(reading, "shape"), "shape", "only a profile (times, speeds) has one"},
        {!profile && !(interval && dlq_reading_has(reading, "duration")), interval ? "duration" : "interval",
         "missing: give interval and duration, or times and speeds"},
        {!profile && slowdown->speed >= 1, "speed", "100 % is no slowdown"},
        {!slows, "uses", "no stage of the load uses that"},
        {!profile && slowdown->interval + slowdown->duration < shortest * system->load.mean, "interval",
         "phases that come a thousand times during a load: say what they cost in its mean"},
        {profile && !ends, "times", "a profile needs [simulate] horizon or [pipeline] epoch_batches"},
        {cores && dlq_work_time(&system->load, DLQ_USES_CPU) > 0 && slowdown->scope > DLQ_SCOPE_HOST, "scope",
         "loads share the cores of a host: all or host"},
        {cores && (dlq_system_trainer_cpu(system) > 0 || system->host.core_affinity > 0), "speed",
         "not where the training process shares the cores, or core_affinity is given"},
        {storage && slowdown->scope > DLQ_SCOPE_HOST, "scope", "loads share the bandwidth: all or host"},
        {storage && slowdown->scope != DLQ_SCOPE_ALL && isfinite(system->storage.bandwidth), "scope",
         "all hosts share [storage] bandwidth: all"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].wrong)
            return dlq_reading_refuse(reading, rules[i].key, "%s", rules[i].why);
    return DLQ_OK;
}

/* A time of [simulate]; NAN: not given. */
static double time_of(const struct dlq_entries *entries, const char *key)
{
    char why[200];
    double time;
    const struct dlq_entry *entry = dlq_entries_find(entries, "simulate", key);
    return entry != NULL && dlq_quantity_parse(entry->value, DLQ_UNIT_TIME, &time, why, sizeof why) ? time : NAN;
}

enum dlq_status dlq_slowdowns_read(struct dlq_system *system, const struct dlq_entries *entries, struct dlq_data *data,
                                   struct dlq_error *error)
{
    struct dlq_slowdowns read = {.count = 0};
    int linear = 0;
    for (size_t i = 0; i < entries->count; i++) {
        if (!dlq_entries_begin(entries, i, "slowdown"))
            continue;
        const struct dlq_reading reading = {entries, entries->rows[i].section, error};
        if (read.count == DLQ_MOST_SLOWDOWNS)
            return dlq_reading_refuse(&reading, "interval", "too many slowdowns (at most 8)");
        struct dlq_slowdown *slowdown = &read.rows[read.count++];
        if (dlq_entries_are_bad(entries, reading.name))
            return DLQ_INVALID;
        dlq_options_apply(&dlq_slowdown_section, reading.name, entries, slowdown);
        slowdown->horizon = time_of(entries, "horizon");
        slowdown->interval_cv = isnan(slowdown->interval_cv) ? 1 : slowdown->interval_cv;
        slowdown->duration_cv = isnan(slowdown->duration_cv) ? 0 : slowdown->duration_cv;
        slowdown->speed = isnan(slowdown->speed) ? 0 : slowdown->speed;
        TRY(check(&reading, system, slowdown));
        linear += slowdown->linear;
        if (linear > 1)
            return dlq_reading_refuse(&reading, "shape", "more than one linear profile");
        if (time_of(entries, "resolution") > 0)
            return dlq_reading_refuse(&reading, "interval",
                                      "[simulate] resolution rounds load times, which have none here");
    }
    if (read.count == 0)
        return DLQ_OK;
    data->slowdowns = malloc(sizeof *data->slowdowns);
    if (data->slowdowns == NULL)
        return dlq_error_memory(error, "reading slowdowns");
    *data->slowdowns = read;
    system->slowdowns = data->slowdowns;
    return DLQ_OK;
}

/* -- mean and least speeds -- */

bool dlq_slowdowns_are_steps_of_ranks(const struct dlq_slowdowns *slowdowns)
{
    for (size_t i = 0; slowdowns != NULL && i < slowdowns->count; i++)
        if (slowdowns->rows[i].linear || slowdowns->rows[i].scope == DLQ_SCOPE_LOADER)
            return false;
    return true;
}

bool dlq_slowdowns_are_random(const struct dlq_slowdowns *slowdowns)
{
    for (size_t i = 0; slowdowns != NULL && i < slowdowns->count; i++)
        if (slowdowns->rows[i].times.count == 0)
            return true;
    return false;
}

double dlq_slowdown_least_speed(const struct dlq_slowdown *slowdown)
{
    return slowdown->times.count == 0 ? slowdown->speed : gsl_stats_min(slowdown->speeds, 1, slowdown->times.count);
}

double dlq_slowdown_mean_speed(const struct dlq_slowdown *slowdown)
{
    const double horizon = slowdown->horizon;
    double sum = 0;
    if (slowdown->times.count == 0)
        return (slowdown->interval + slowdown->speed * slowdown->duration) / (slowdown->interval + slowdown->duration);
    if (isnan(horizon))
        return gsl_stats_max(slowdown->speeds, 1, slowdown->times.count);
    for (size_t i = 0; i < slowdown->times.count; i++) {
        double from = dlq_range_value(&slowdown->times, i), to = horizon, begin = slowdown->speeds[i], end = begin;
        if (i + 1 < slowdown->times.count) {
            double next = dlq_range_value(&slowdown->times, i + 1);
            if (slowdown->linear)
                end = begin + (slowdown->speeds[i + 1] - begin) * (fmin(next, horizon) - from) / (next - from);
            to = fmin(next, horizon);
        }
        if (to > from)
            sum += (to - from) * (begin + end) / 2;
    }
    return sum / horizon;
}

double dlq_slowdown_slowest_unit(const struct dlq_slowdown *slowdown, const struct dlq_system *system)
{
    double ranks = (double)system->pipeline.ranks;
    const double units[] = {[DLQ_SCOPE_ALL] = 1,
                            [DLQ_SCOPE_HOST] = dlq_system_hosts(system),
                            [DLQ_SCOPE_RANK] = ranks,
                            [DLQ_SCOPE_LOADER] = ranks * (double)dlq_system_servers(system)};
    double usual = slowdown->interval / (slowdown->interval + slowdown->duration);
    return slowdown->speed + (1 - slowdown->speed) * pow(usual, units[slowdown->scope]);
}
