#include "base/option.h"

#include "base/option_kind.h"
#include "base/unit.h"

#include <math.h>
#include <string.h>

/* "read" of [load.read]: as a file may have it, so that what a command line names can be written down. */
static bool is_part(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t length = strlen(text);
    return length > 0 && strspn(text, letters) == length;
}

static bool belongs(const struct dlq_section *section, const char *name)
{
    enum { LONGEST = 48 };
    size_t length = strlen(section->name);
    if (strncmp(section->name, name, length) != 0 || strlen(name) > LONGEST)
        return false;
    return name[length] == '\0' || (section->named && name[length] == '.' && is_part(name + length + 1));
}

const struct dlq_section *dlq_section_find(const struct dlq_section *sections, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (belongs(&sections[i], name))
            return &sections[i];
    return NULL;
}

const struct dlq_option *dlq_option_find(const struct dlq_section *section, const char *key)
{
    for (size_t i = 0; i < section->count; i++)
        if (strcmp(section->options[i].key, key) == 0)
            return &section->options[i];
    return NULL;
}

static void *field_of(const struct dlq_option *option, void *target)
{
    return (char *)target + option->offset;
}

/* Cannot fail on texts that were checked; a field keeps what it had otherwise. */
static void apply(const struct dlq_option *option, const char *text, void *target)
{
    char why[DLQ_OPTION_WHY];
    (void)dlq_option_read(option, text, field_of(option, target), why, sizeof why);
}

static void apply_default(const struct dlq_option *option, void *target)
{
    void *field = field_of(option, target);
    memset(field, 0, dlq_option_kind(option->kind)->size);
    if (option->kind == DLQ_KIND_QUANTITY)
        *(double *)field = NAN;
    if (option->standard != NULL)
        apply(option, option->standard, target);
}

void dlq_options_apply(const struct dlq_section *section, const char *name, const struct dlq_entries *entries,
                       void *target)
{
    for (size_t i = 0; i < section->count; i++)
        apply_default(&section->options[i], target);
    for (size_t i = 0; i < entries->count; i++) {
        const struct dlq_entry *entry = &entries->rows[i];
        const struct dlq_option *option = dlq_option_find(section, entry->key);
        if (option != NULL && !entry->bad && strcmp(entry->section, name) == 0)
            apply(option, entry->value, target);
    }
}

const char *dlq_option_noun(const struct dlq_option *option)
{
    static const char *const nouns[] = {
        [DLQ_KIND_SEED] = "whole number", [DLQ_KIND_FLAG] = "yes or no", [DLQ_KIND_TEXT] = "text",
        [DLQ_KIND_CHOICE] = "word",       [DLQ_KIND_RANGE] = NULL,
    };
    if (option->kind == DLQ_KIND_TEXT && option->words != NULL)
        return "list";
    if (nouns[option->kind] != NULL)
        return nouns[option->kind];
    return strchr(dlq_unit_kind(option->unit)->noun, ' ') + 1;
}

void dlq_option_limits(const struct dlq_option *option, char least[DLQ_QUANTITY_TEXT], char most[DLQ_QUANTITY_TEXT])
{
    least[0] = most[0] = '\0';
    if (option->minimum == 0 && option->maximum == 0)
        return;
    dlq_quantity_exact(option->minimum, option->unit, least);
    dlq_quantity_exact(option->maximum, option->unit, most);
}

void dlq_option_print(const struct dlq_option *option, const void *target, char *text, size_t size)
{
    dlq_option_kind(option->kind)->print(option, (const char *)target + option->offset, text, size);
}
