/* How many loaders would be enough, and what is in their way. */
#include "study/suffices.h"
#include "study/verdict_facts.h"

#include <math.h>
#include <stdio.h>

#define RATE(value) dlq_quantity_rate((value), (char[DLQ_QUANTITY_TEXT]){0})

const double dlq_verdict_enough_share = 0.95;

const char *dlq_verdict_cores(double cores, char text[32])
{
    char number[DLQ_QUANTITY_TEXT];
    if (cores == floor(cores))
        snprintf(text, 32, "%.20s core%s", dlq_quantity_fixed(cores, 0, number), cores == 1 ? "" : "s");
    else
        snprintf(text, 32, "%.3g cores", cores);
    return text;
}

/* The limit of the host that lies lowest under what 95 % takes, as "12 cores per rank allow 8.68"; false: none does. */
static bool say_limit(const struct dlq_verdict_facts *facts, char *text, size_t size)
{
    const struct dlq_bounds *bounds = facts->bounds;
    const struct dlq_system *system = facts->system;
    double own = dlq_system_cores(system);
    char cores[DLQ_QUANTITY_TEXT + 32], host[DLQ_QUANTITY_TEXT + 32], storage[DLQ_QUANTITY_TEXT + 32],
        rate_text[DLQ_QUANTITY_TEXT];
    snprintf(cores, sizeof cores, "the host's %s per rank allow%s", dlq_verdict_cores(own, rate_text),
             own == 1 ? "s" : "");
    dlq_quantity_readable(dlq_system_host_bandwidth(system), system->host.bandwidth_unit, 3, rate_text);
    snprintf(host, sizeof host, "the host's %s per rank allow", rate_text);
    dlq_quantity_readable(dlq_system_storage_bandwidth(system), system->storage.bandwidth_unit, 3, rate_text);
    snprintf(storage, sizeof storage, "the storage's %s per rank allow", rate_text);
    const struct {
        const char *name;
        double value;
    } limits[] = {{cores, bounds->cores},
                  {host, bounds->host_bandwidth},
                  {storage, bounds->storage},
                  {"the pinning thread allows", bounds->pin},
                  {"receiving batches allows", bounds->receive}};
    double lowest = dlq_verdict_enough_share * bounds->step;
    bool any = false;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (!(limits[i].value < lowest))
            continue;
        lowest = limits[i].value;
        any = true;
        snprintf(text, size, "%s %s batches/s at most", limits[i].name, RATE(lowest));
    }
    return any;
}

/* The same with so many loaders. */
static struct dlq_system with_loaders(const struct dlq_system *system, long loaders)
{
    struct dlq_system with = *system;
    char why[160];
    dlq_suffices_give_loaders(&with);
    dlq_system_set_loaders(&with, loaders > 0 ? loaders : 1, why, sizeof why);
    return with;
}

/* "31 GB of memory and the host has 16 GB"; false: they fit. */
static bool say_no_room(const struct dlq_system *with, char *text, size_t size)
{
    char need[DLQ_QUANTITY_TEXT], have[DLQ_QUANTITY_TEXT];
    const struct {
        const char *what;
        double need, have;
    } rooms[] = {{"memory", dlq_system_memory(with), with->host.memory},
                 {"/dev/shm", dlq_system_shm(with), with->host.shm}};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        if (!(rooms[i].need > rooms[i].have))
            continue;
        dlq_quantity_readable(rooms[i].need, DLQ_UNIT_SIZE, 3, need);
        dlq_quantity_readable(rooms[i].have, DLQ_UNIT_SIZE, 3, have);
        snprintf(text, size, "%s of %s and the host has %s", need, rooms[i].what, have);
        return true;
    }
    return false;
}

/* Cores bind so many loaders; now both are too few. */
static bool are_cores_both(const struct dlq_verdict_facts *facts)
{
    const struct dlq_bounds *bounds = facts->bounds;
    double other = fmin(fmin(INFINITY, bounds->host_bandwidth), fmin(bounds->storage, bounds->pin));
    return bounds->cores < dlq_verdict_enough_share * bounds->step && bounds->load <= bounds->cores * (1 + 1e-9) &&
           !(other <= bounds->cores) && !(bounds->receive <= bounds->cores);
}

/* How many loaders would do, and what would keep them from it. */
void dlq_verdict_enough(const struct dlq_verdict_facts *facts, char *text, size_t size)
{
    long enough = facts->verdict->enough_loaders;
    const struct dlq_system with = with_loaders(facts->system, enough);
    bool shared = facts->system->pipeline.ranks > 1;
    char limit[160], loaders[DLQ_QUANTITY_TEXT + 16], number[DLQ_QUANTITY_TEXT];
    bool limited = say_limit(facts, limit, sizeof limit);
    snprintf(loaders, sizeof loaders, "%s loader%s", dlq_quantity_fixed((double)enough, 0, number),
             enough == 1 ? "" : "s");
    text[0] = '\0';
    if (limited && enough > 0)
        snprintf(text, size, " %s would reach 95 %%, but %s, however many there are.%s", loaders, limit,
                 are_cores_both(facts) ? " More cores and loaders together help." : "");
    else if (limited)
        snprintf(text, size, " More loaders help no further than that: %s.", limit);
    else if (enough <= facts->system->pipeline.loaders || dlq_system_shares(&with))
        return;
    else if (say_no_room(&with, limit, sizeof limit))
        snprintf(text, size, " %s%s would reach 95 %%, but %s need%s %s.", loaders, shared ? " of each rank" : "",
                 enough == 1 ? "it" : "they", enough == 1 ? "s" : "", limit);
    else if (shared)
        snprintf(text, size, " %s of each rank would reach 95 %%.", loaders);
    else
        snprintf(text, size, " %s reach%s 95 %%.", loaders, enough == 1 ? "es" : "");
}
