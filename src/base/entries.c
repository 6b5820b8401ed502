#include "base/ini.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void free_entry(struct dlq_entry *entry)
{
    free(entry->section);
    free(entry->key);
    free(entry->value);
    free(entry->origin);
}

static bool reserve(struct dlq_entries *entries)
{
    if (entries->count < entries->capacity)
        return true;
    size_t capacity = entries->capacity == 0 ? 16 : entries->capacity * 2;
    if (capacity > SIZE_MAX / sizeof *entries->rows)
        return false;
    struct dlq_entry *rows = realloc(entries->rows, capacity * sizeof *rows);
    if (rows == NULL)
        return false;
    entries->rows = rows;
    entries->capacity = capacity;
    return true;
}

struct dlq_entry *dlq_entries_add(struct dlq_entries *entries, const char *section, const char *key, const char *value,
                                  const char *origin, long line)
{
    struct dlq_entry entry = {
        .section = strdup(section),
        .key = strdup(key),
        .value = strdup(value),
        .origin = strdup(origin),
        .line = line,
    };
    bool copied = entry.section != NULL && entry.key != NULL && entry.value != NULL && entry.origin != NULL;
    if (!copied || !reserve(entries)) {
        free_entry(&entry);
        return NULL;
    }
    entries->rows[entries->count] = entry;
    return &entries->rows[entries->count++];
}

void dlq_entries_drop(struct dlq_entries *entries)
{
    free_entry(&entries->rows[--entries->count]);
}

const struct dlq_entry *dlq_entries_find(const struct dlq_entries *entries, const char *section, const char *key)
{
    for (size_t i = entries->count; i > 0; i--) {
        const struct dlq_entry *entry = &entries->rows[i - 1];
        if (strcmp(entry->section, section) == 0 && strcmp(entry->key, key) == 0)
            return entry;
    }
    return NULL;
}

const char *dlq_entry_place(const struct dlq_entry *entry, char *text, size_t size)
{
    if (entry->line > 0)
        snprintf(text, size, "%s:%ld", entry->origin, entry->line);
    else
        snprintf(text, size, "%s", entry->origin);
    return text;
}

void dlq_entries_free(struct dlq_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        free_entry(&entries->rows[i]);
    free(entries->rows);
    *entries = (struct dlq_entries){0};
}
