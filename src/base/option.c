/* Option rows: a text becomes a field and a field a text, entries are checked, and near names are suggested. */
#include "base/option.h"

#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- the nearest name -- */

enum { LONGEST_NAME = 40 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Optimal string alignment: Damerau's four edits (1964), none twice at the same place. "laoders", "loaders" -> 1,
   "ca", "abc" -> 3. Upper and lower case are the same. */
static size_t distance(const char *a, const char *b)
{
    size_t table[LONGEST_NAME + 1][LONGEST_NAME + 1];
    size_t rows = strlen(a);
    size_t columns = strlen(b);
    for (size_t i = 0; i <= rows; i++)
        table[i][0] = i;
    for (size_t j = 0; j <= columns; j++)
        table[0][j] = j;
    for (size_t i = 1; i <= rows; i++)
        for (size_t j = 1; j <= columns; j++) {
            size_t change = table[i - 1][j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            table[i][j] = least(change, least(table[i - 1][j], table[i][j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                table[i][j] = least(table[i][j], table[i - 2][j - 2] + 1);
        }
    return table[rows][columns];
}

void dlq_nearest_offer(struct dlq_nearest *nearest, const char *candidate)
{
    size_t length = strlen(nearest->name), other = strlen(candidate);
    if (length == 0 || length > LONGEST_NAME || other > LONGEST_NAME)
        return;
    size_t edits = distance(nearest->name, candidate);
    /* One edit in three letters, but never all of them. */
    if (edits > (length + 2) / 3 || edits >= length || edits >= other)
        return;
    if (nearest->best == NULL || edits < nearest->edits) {
        nearest->best = candidate;
        nearest->edits = edits;
    }
}

const char *dlq_nearest(const char *name, const char *const *names)
{
    struct dlq_nearest nearest = {.name = name};
    for (; *names != NULL; names++)
        dlq_nearest_offer(&nearest, *names);
    return nearest.best;
}

/* -- kinds of fields: one row each reads and writes a field -- */

enum { LONGEST_TEXT = 300, MOST_WHY = 2048 };

/* Any field, for a value that is checked only. */
union field {
    double quantity;
    long count;
    uint64_t seed;
    bool flag;
    const char *text;
    int choice;
    struct dlq_range range;
};

struct kind {
    size_t size; /* of the field */
    /* False, with the reason in why and the field as it was, where `text` is no such value. */
    bool (*read)(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size);
    void (*print)(const struct dlq_option *option, const void *field, char *text, size_t size);
};

static bool within_limits(const struct dlq_option *option, enum dlq_unit unit, double value, char *why, size_t size)
{
    bool none = option->minimum == 0 && option->maximum == 0;
    return none || dlq_quantity_within(value, unit, option->minimum, option->maximum, why, size);
}

/* Index of `text` in a null-terminated list that may be null, or -1. */
static int find_word(const char *const *words, const char *text)
{
    for (int i = 0; words != NULL && words[i] != NULL; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}

/* "a, b or c" */
static void list_words(const char *const *words, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; words != NULL && words[i] != NULL && used < size; i++) {
        const char *between = i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", between, words[i]);
    }
}

static bool read_quantity(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    double value = 0;
    if (!dlq_quantity_parse(text, option->unit, &value, why, why_size))
        return false;
    if (!within_limits(option, option->unit, value, why, why_size)) {
        size_t length = strlen(why);
        if (option->unit == DLQ_UNIT_SHARE && value > 1 && value <= 100 && strchr(text, '%') == NULL &&
            length < why_size)
            snprintf(why + length, why_size - length, "; did you mean %.3g%%?", value);
        return false;
    }
    *(double *)field = value;
    return true;
}

static void print_quantity(const struct dlq_option *option, const void *field, char *text, size_t size)
{
    char exact[DLQ_QUANTITY_TEXT];
    dlq_quantity_exact(*(const double *)field, option->unit, exact);
    snprintf(text, size, "%s", exact);
}

static bool read_count(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    double value = 0;
    int word = find_word(option->words, text);
    if (word >= 0) {
        *(long *)field = -1 - word;
        return true;
    }
    if (dlq_quantity_parse(text, DLQ_UNIT_COUNT, &value, why, why_size) &&
        within_limits(option, DLQ_UNIT_COUNT, value, why, why_size)) {
        *(long *)field = (long)value;
        return true;
    }
    size_t length = strlen(why);
    if (option->words != NULL && length + 16 < why_size) {
        snprintf(why + length, why_size - length, "; or write ");
        length = strlen(why);
        list_words(option->words, why + length, why_size - length);
    }
    return false;
}

static void print_count(const struct dlq_option *option, const void *field, char *text, size_t size)
{
    char exact[DLQ_QUANTITY_TEXT];
    long value = *(const long *)field;
    for (long i = 0; option->words != NULL && option->words[i] != NULL; i++)
        if (value == -1 - i) {
            snprintf(text, size, "%s", option->words[i]);
            return;
        }
    dlq_quantity_exact((double)value, DLQ_UNIT_COUNT, exact);
    snprintf(text, size, "%s", exact);
}

static bool read_seed(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    (void)option;
    return dlq_quantity_parse_seed(text, field, why, why_size);
}

static void print_seed(const struct dlq_option *option, const void *field, char *text, size_t size)
{
    (void)option;
    snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)field);
}

static bool read_flag(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    (void)option;
    char quoted[DLQ_QUOTED];
    bool yes = strcmp(text, "yes") == 0;
    if (!yes && strcmp(text, "no") != 0) {
        snprintf(why, why_size, "'%s' is neither yes nor no", dlq_quoted(text, quoted));
        return false;
    }
    *(bool *)field = yes;
    return true;
}

static void print_flag(const struct dlq_option *option, const void *field, char *text, size_t size)
{
    (void)option;
    snprintf(text, size, "%s", *(const bool *)field ? "yes" : "no");
}

static bool begins_comment(const char *text)
{
    for (const char *at = text + 1; *at != '\0'; at++)
        if ((*at == ';' || *at == '#') && (at[-1] == ' ' || at[-1] == '\t'))
            return true;
    return false;
}

/* What is accepted from a command line must read back from a file. */
static bool read_text(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    (void)option;
    size_t length = strlen(text);
    bool padded = strchr(" \t", text[0]) != NULL || strchr(" \t", text[length - 1]) != NULL;
    if (length > LONGEST_TEXT)
        snprintf(why, why_size, "text of %zu bytes is too long (at most %d)", length, LONGEST_TEXT);
    else if (!dlq_utf8_valid(text))
        snprintf(why, why_size, "text is not valid UTF-8 without control characters");
    else if (padded || begins_comment(text))
        snprintf(why, why_size, "text must not %s",
                 padded ? "begin or end with a blank" : "hold ';' or '#' behind a blank: a comment begins there");
    else {
        *(const char **)field = text;
        return true;
    }
    return false;
}

static void print_text(const struct dlq_option *option, const void *field, char *text, size_t size)
{
    (void)option;
    const char *value = *(const char *const *)field;
    snprintf(text, size, "%s", value != NULL ? value : "");
}

static bool read_choice(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    int word = find_word(option->words, text);
    if (word >= 0) {
        *(int *)field = word;
        return true;
    }
    char quoted[DLQ_QUOTED];
    char words[MOST_WHY - LONGEST_TEXT]; /* all instances */
    const char *nearest = option->words != NULL ? dlq_nearest(text, option->words) : NULL;
    list_words(option->words, words, sizeof words);
    snprintf(why, why_size, "'%s' is unknown%s%s%s (expected %s)", dlq_quoted(text, quoted),
             nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "",
             words);
    return false;
}

static void print_choice(const struct dlq_option *option, const void *field, char *text, size_t size)
{
    int word = *(const int *)field;
    const char *name = "";
    for (int i = 0; option->words != NULL && option->words[i] != NULL; i++)
        if (i == word)
            name = option->words[i];
    snprintf(text, size, "%s", name);
}

static bool read_range(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    bool none = option->minimum == 0 && option->maximum == 0;
    return dlq_range_parse(text, option->unit, none ? -INFINITY : option->minimum, none ? INFINITY : option->maximum,
                           field, why, why_size);
}

static void print_range(const struct dlq_option *option, const void *field, char *text, size_t size)
{
    dlq_range_exact(field, option->unit, text, size);
}

static const struct kind kinds[] = {
    [DLQ_KIND_QUANTITY] = {sizeof(double), read_quantity, print_quantity},
    [DLQ_KIND_COUNT] = {sizeof(long), read_count, print_count},
    [DLQ_KIND_SEED] = {sizeof(uint64_t), read_seed, print_seed},
    [DLQ_KIND_FLAG] = {sizeof(bool), read_flag, print_flag},
    [DLQ_KIND_TEXT] = {sizeof(const char *), read_text, print_text},
    [DLQ_KIND_CHOICE] = {sizeof(int), read_choice, print_choice},
    [DLQ_KIND_RANGE] = {sizeof(struct dlq_range), read_range, print_range},
};

/* Whole text as the option's value: what every kind demands, then its own. */
static bool option_read(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    if (text[strspn(text, " \t")] != '\0')
        return kinds[option->kind].read(option, text, field, why, why_size);
    snprintf(why, why_size, "no value");
    return false;
}

/* -- rows applied and printed -- */

const struct dlq_section *dlq_section_find(const struct dlq_section *sections, size_t count, const char *name)
{
    enum { LONGEST = 48 };
    for (const struct dlq_section *section = sections; section < sections + count; section++) {
        size_t length = strlen(section->name);
        if (strncmp(section->name, name, length) == 0 && strlen(name) <= LONGEST &&
            (name[length] == '\0' || (section->named && name[length] == '.' && dlq_is_part_name(name + length + 1))))
            return section;
    }
    return NULL;
}

const struct dlq_option *dlq_option_find(const struct dlq_section *section, const char *key)
{
    for (size_t i = 0; i < section->count; i++)
        if (strcmp(section->options[i].key, key) == 0)
            return &section->options[i];
    return NULL;
}

void dlq_options_apply(const struct dlq_section *section, const char *name, const struct dlq_entries *entries,
                       void *target)
{
    char why[MOST_WHY]; /* of no text that was checked; else a field keeps what it had */
    for (size_t i = 0; i < section->count; i++) {
        const struct dlq_option *option = &section->options[i];
        void *field = (char *)target + option->offset;
        memset(field, 0, kinds[option->kind].size);
        if (option->kind == DLQ_KIND_QUANTITY)
            *(double *)field = NAN;
        if (option->standard != NULL)
            (void)option_read(option, option->standard, field, why, sizeof why);
    }
    for (size_t i = 0; i < entries->count; i++) {
        const struct dlq_entry *entry = &entries->rows[i];
        const struct dlq_option *option = dlq_option_find(section, entry->key);
        if (option != NULL && !entry->bad && strcmp(entry->section, name) == 0)
            (void)option_read(option, entry->value, (char *)target + option->offset, why, sizeof why);
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
    kinds[option->kind].print(option, (const char *)target + option->offset, text, size);
}

/* -- entries checked against rows -- */

enum { PLACE_TEXT = 1024, OWNERS_TEXT = 128 };

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

static enum dlq_status refuse_section(const struct checking *checking)
{
    char reason[MOST_WHY], base[PLACE_TEXT];
    const char *name = checking->entry->section;
    struct dlq_nearest found = {.name = base};
    snprintf(base, sizeof base, "%.*s", (int)strcspn(name, "."), name);
    for (size_t i = 0; i < checking->count; i++)
        dlq_nearest_offer(&found, checking->sections[i].name);
    const char *nearest = found.best;
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

static enum dlq_status refuse_key(const struct checking *checking, const struct dlq_section *section)
{
    char reason[MOST_WHY];
    char owners[OWNERS_TEXT];
    char key[DLQ_QUOTED];
    const char *ours = NULL;
    struct dlq_nearest nearest = {.name = checking->entry->key};
    for (const struct dlq_foreign *row = checking->foreign; row != NULL && row->foreign != NULL && ours == NULL; row++)
        if (strcmp(row->foreign, checking->entry->key) == 0)
            ours = row->ours;
    for (size_t i = 0; i < section->count; i++)
        dlq_nearest_offer(&nearest, section->options[i].key);
    list_owners(checking, checking->entry->key, owners);
    dlq_quoted(checking->entry->key, key);
    if (ours != NULL)
        explain_foreign(checking, section, ours, reason, sizeof reason);
    else if (owners[0] != '\0')
        snprintf(reason, sizeof reason, "'%s' belongs to %s", key, owners);
    else if (nearest.best != NULL)
        snprintf(reason, sizeof reason, "unknown key '%s'; did you mean '%s'?", key, nearest.best);
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
    union field field;
    char why[MOST_WHY];
    return option_read(option, entry->value, &field, why, sizeof why) ? DLQ_OK : refuse(&checking, why);
}
