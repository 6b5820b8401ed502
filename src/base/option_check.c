#include "base/option_kind.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

enum { PLACE_TEXT = 1024, MOST_NAMES = 64, OWNERS_TEXT = 128 };

struct checking {
    const struct dlq_section *sections;
    size_t count;
    const struct dlq_foreign *foreign;
    struct dlq_entry *entry;
    struct dlq_error *error;
};

/* "PLACE: [section] key: reason" */
static enum dlq_status refuse(const struct checking *checking, const char *reason)
{
    char place[PLACE_TEXT];
    char section[DLQ_QUOTED];
    char key[DLQ_QUOTED];
    checking->entry->bad = true;
    return dlq_error_add(checking->error, DLQ_INVALID, "%s: [%s] %s: %s",
                         dlq_entry_place(checking->entry, place, sizeof place),
                         dlq_quoted(checking->entry->section, section), dlq_quoted(checking->entry->key, key), reason);
}

static const char *nearest_section(const struct checking *checking)
{
    const char *names[MOST_NAMES + 1];
    char base[PLACE_TEXT];
    size_t count = checking->count < MOST_NAMES ? checking->count : MOST_NAMES;
    for (size_t i = 0; i < count; i++)
        names[i] = checking->sections[i].name;
    names[count] = NULL;
    snprintf(base, sizeof base, "%.*s", (int)strcspn(checking->entry->section, "."), checking->entry->section);
    return dlq_nearest(base, names);
}

static enum dlq_status refuse_section(const struct checking *checking)
{
    char reason[DLQ_OPTION_WHY];
    const char *name = checking->entry->section;
    const char *nearest = nearest_section(checking);
    bool misnamed = nearest != NULL && strncmp(nearest, name, strlen(nearest)) == 0 && name[strlen(nearest)] == '.';
    if (nearest == NULL)
        snprintf(reason, sizeof reason, "unknown section");
    else if (misnamed && dlq_section_find(checking->sections, checking->count, nearest)->named)
        snprintf(reason, sizeof reason, "unknown section; parts are named as in [%s.read]", nearest);
    else if (misnamed)
        snprintf(reason, sizeof reason, "unknown section; [%s] has no parts", nearest);
    else
        snprintf(reason, sizeof reason, "unknown section; did you mean [%s]?", nearest);
    return refuse(checking, reason);
}

static const char *find_foreign(const struct checking *checking)
{
    for (const struct dlq_foreign *row = checking->foreign; row != NULL && row->foreign != NULL; row++)
        if (strcmp(row->foreign, checking->entry->key) == 0)
            return row->ours;
    return NULL;
}

/* "[load] or [step]": the sections that have this key; "" where none has. */
static void list_owners(const struct checking *checking, const char *key, char owners[OWNERS_TEXT])
{
    size_t used = 0;
    owners[0] = '\0';
    for (size_t i = 0; i < checking->count && used < OWNERS_TEXT; i++)
        if (dlq_option_find(&checking->sections[i], key) != NULL)
            used += (size_t)snprintf(owners + used, OWNERS_TEXT - used, "%s[%s]", used == 0 ? "" : " or ",
                                     checking->sections[i].name);
}

/* "num_workers is called 'loaders' here"; with the section, where that is another one. */
static void explain_foreign(const struct checking *checking, const struct dlq_section *section, const char *ours,
                            char *reason, size_t size)
{
    char owners[OWNERS_TEXT] = "";
    const char *dot = strchr(ours, '.');
    const char *key = dot != NULL ? dot + 1 : ours;
    bool here = dlq_option_find(section, key) != NULL &&
                (dot == NULL || (strlen(section->name) == (size_t)(dot - ours) &&
                                 strncmp(ours, section->name, (size_t)(dot - ours)) == 0));
    if (!here && dot != NULL)
        snprintf(owners, sizeof owners, "[%.*s]", (int)(dot - ours), ours);
    else if (!here)
        list_owners(checking, key, owners);
    snprintf(reason, size, "%s is called '%s' here%s%s", checking->entry->key, key, owners[0] != '\0' ? ", in " : "",
             owners);
}

static const char *nearest_key(const struct dlq_section *section, const char *key)
{
    const char *names[MOST_NAMES + 1];
    size_t count = section->count < MOST_NAMES ? section->count : MOST_NAMES;
    for (size_t i = 0; i < count; i++)
        names[i] = section->options[i].key;
    names[count] = NULL;
    return dlq_nearest(key, names);
}

static enum dlq_status refuse_key(const struct checking *checking, const struct dlq_section *section)
{
    char reason[DLQ_OPTION_WHY];
    char owners[OWNERS_TEXT];
    char key[DLQ_QUOTED];
    const char *ours = find_foreign(checking);
    const char *nearest = nearest_key(section, checking->entry->key);
    list_owners(checking, checking->entry->key, owners);
    dlq_quoted(checking->entry->key, key);
    if (ours != NULL)
        explain_foreign(checking, section, ours, reason, sizeof reason);
    else if (owners[0] != '\0')
        snprintf(reason, sizeof reason, "'%s' belongs to %s", key, owners);
    else if (nearest != NULL)
        snprintf(reason, sizeof reason, "unknown key '%s'; did you mean '%s'?", key, nearest);
    else
        snprintf(reason, sizeof reason, "unknown key '%s'", key);
    return refuse(checking, reason);
}

enum dlq_status dlq_option_check(const struct dlq_section *sections, size_t count, const struct dlq_foreign *foreign,
                                 struct dlq_entry *entry, struct dlq_error *error)
{
    struct checking checking = {sections, count, foreign, entry, error};
    const struct dlq_section *section = dlq_section_find(sections, count, entry->section);
    if (section == NULL)
        return refuse_section(&checking);
    const struct dlq_option *option = dlq_option_find(section, entry->key);
    if (option == NULL)
        return refuse_key(&checking, section);
    union dlq_field field;
    char why[DLQ_OPTION_WHY];
    return dlq_option_read(option, entry->value, &field, why, sizeof why) ? DLQ_OK : refuse(&checking, why);
}
