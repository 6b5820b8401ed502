#include "trace/epoch.h"

#include <stdlib.h>
#include <string.h>

void dlq_epoch_free(struct dlq_epoch *epoch)
{
    free(epoch->arrays);
    free(epoch->numbers);
}

bool dlq_epoch_array(struct dlq_epoch *epoch, enum dlq_section section, const char *block)
{
    struct dlq_times *grown = realloc(epoch->arrays, (epoch->array_count + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    epoch->arrays = grown;
    struct dlq_times *array = &grown[epoch->array_count++];
    *array = (struct dlq_times){.section = section, .begin = epoch->count};
    size_t length = strlen(block);
    memcpy(array->block, block, length < DLQ_BLOCK_SIZE ? length : DLQ_BLOCK_SIZE - 1);
    return true;
}

bool dlq_epoch_add(struct dlq_epoch *epoch, double value, long line)
{
    if (epoch->count == epoch->capacity) {
        size_t capacity = epoch->capacity == 0 ? 1024 : 2 * epoch->capacity;
        double *grown = realloc(epoch->numbers, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        epoch->numbers = grown;
        epoch->capacity = capacity;
    }
    struct dlq_times *array = &epoch->arrays[epoch->array_count - 1];
    if (array->count++ == 0)
        array->line = line;
    array->last_line = line;
    epoch->numbers[epoch->count++] = value;
    return true;
}

static const struct dlq_times *find_array(const struct dlq_epoch *epoch, enum dlq_section section, const char *block)
{
    for (size_t i = 0; i < epoch->array_count; i++)
        if (epoch->arrays[i].section == section && strcmp(epoch->arrays[i].block, block) == 0)
            return &epoch->arrays[i];
    return NULL;
}

/* A number by its place in the array; NAN: there is none. */
static double number_at(const struct dlq_epoch *epoch, const struct dlq_times *array, size_t at)
{
    return array != NULL && at < array->count ? epoch->numbers[array->begin + at] : NAN;
}

/* json.dump with an indent writes a number a line. */
static long line_at(const struct dlq_times *array, size_t at)
{
    bool one_each = array->last_line - array->line == (long)array->count - 1;
    return one_each ? array->line + (long)at : array->line;
}

/* Blocks after the first begin when their first batch is there already, and the time of its load is lost. */
static size_t lost_loads(const struct dlq_times *load, const struct dlq_times *proc)
{
    bool later = strncmp(load->block, "block", 5) == 0 && strcmp(load->block, "block1") != 0;
    return later && proc != NULL && proc->count == load->count + 1 ? 1 : 0;
}

static enum dlq_taken check(struct dlq_log *log, const struct dlq_record *record)
{
    if (isnan(record->data) || isnan(record->iter))
        return dlq_log_bad(log, "not a number");
    if (record->data < 0 || record->step < 0)
        return dlq_log_bad(log, "a negative time, %g s", record->data < 0 ? record->data : record->step);
    if (record->iter < record->data)
        return dlq_log_bad(log, "the load, %g s, is longer than the whole iteration (proc), %g s", record->data,
                           record->iter);
    return DLQ_TAKEN_RECORD;
}

/* Batch number `at` of the block. Without proc the whole is load and compute. */
static enum dlq_taken tell_batch(struct dlq_epoch *epoch, struct dlq_log *log, const struct dlq_times *load, size_t at,
                                 struct dlq_record *record)
{
    const struct dlq_times *proc = epoch->proc;
    size_t lost = lost_loads(load, proc);
    record->epoch = epoch->number;
    record->index = epoch->index++;
    record->step = number_at(epoch, epoch->compute, at);
    record->iter = number_at(epoch, proc, at);
    record->data = at < lost ? record->iter - record->step : number_at(epoch, load, at - lost);
    if (proc == NULL)
        record->iter = record->data + record->step;
    log->line = at < lost ? proc->line : line_at(load, at - lost);
    if (at < lost && isnan(record->data))
        return DLQ_TAKEN_NOTHING;
    return check(log, record);
}

static enum dlq_taken tell_block(struct dlq_epoch *epoch, struct dlq_log *log, const struct dlq_times *load,
                                 struct dlq_record *record)
{
    if (epoch->told == 0) {
        epoch->proc = find_array(epoch, DLQ_SECTION_PROC, load->block);
        epoch->compute = find_array(epoch, DLQ_SECTION_COMPUTE, load->block);
    }
    const struct dlq_times *proc = epoch->proc;
    const struct dlq_times *whole = proc != NULL ? proc : epoch->compute;
    size_t loads = load->count + lost_loads(load, proc);
    size_t wholes = whole != NULL ? whole->count : 0;
    if (epoch->told < loads && epoch->told < wholes)
        return tell_batch(epoch, log, load, epoch->told++, record);
    size_t told = epoch->told;
    epoch->told_array++;
    epoch->told = 0;
    if (loads == wholes)
        return DLQ_TAKEN_NOTHING;
    log->line = loads > wholes ? line_at(load, told) : line_at(whole, told);
    return dlq_log_bad(log, "%s of epoch %ld has %zu times of load and %zu of %s: only %zu are pairs",
                       load->block[0] != '\0' ? load->block : "the list", epoch->number, loads, wholes,
                       proc != NULL ? "proc" : "compute", told);
}

enum dlq_taken dlq_epoch_tell(struct dlq_epoch *epoch, struct dlq_log *log, struct dlq_record *record)
{
    while (epoch->told_array < epoch->array_count) {
        const struct dlq_times *array = &epoch->arrays[epoch->told_array];
        if (array->section == DLQ_SECTION_LOAD)
            return tell_block(epoch, log, array, record);
        epoch->told_array++;
    }
    epoch->array_count = epoch->count = epoch->told_array = 0;
    epoch->index = 0;
    return DLQ_TAKEN_END;
}
