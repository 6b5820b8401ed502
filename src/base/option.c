/* Option rows: convert texts to fields of a struct and back, check entries, and suggest the nearest known name. */
#include "base/option.h"

#include "base/utf8.h"

#include <math.h>
#include <string.h>

/* -- the nearest name -- */

enum { LONGEST_NAME = 40 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Optimal string alignment: Damerau's four edits (1964), and no substring is edited twice. "laoders", "loaders" -> 1,
   "ca", "abc" -> 3. Upper and lower case are the same. */
void dlq_nearest_offer(struct dlq_nearest *nearest, const char *candidate)
{
    size_t table[LONGEST_NAME + 1][LONGEST_NAME + 1];
    const char *a = nearest->name, *b = candidate;
    size_t rows = strlen(a), columns = strlen(b);
    if (rows == 0 || rows > LONGEST_NAME || columns > LONGEST_NAME)
        return;
    for (size_t i = 0; i <= rows; i++)
        table[i][0] = i;
    for (size_t j = 0; j <= columns; j++)
        table[0][j] = j;
    for (size_t i = 1; i <= rows; i++)
        for (size_t j = 1; j <= columns; j++) {
            size_t replaced = table[i - 1][j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            table[i][j] = smaller(replaced, smaller(table[i - 1][j], table[i][j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                table[i][j] = smaller(table[i][j], table[i - 2][j - 2] + 1);
        }
    size_t edits = table[rows][columns];
    /* At most one edit for every three letters, rounded up, and fewer edits than either name has letters. */
    bool near = edits <= (rows + 2) / 3 && edits < rows && edits < columns;
    if (near && (nearest->best == NULL || edits < nearest->edits)) {
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

/* -- kinds of fields -- */

enum { LONGEST_TEXT = 300, MOST_WHY = 2048 };

/* A field of any kind. */
union field {
    double quantity;
    long count;
    uint64_t seed;
    bool flag;
    const char *text;
    int choice;
    struct dlq_range range;
};

static const char *const no_yes[] = {"no", "yes", NULL};

/* The index of `text` in a null-terminated list, which may be null; -1: not in the list. */
static int find_word(const char *const *words, const char *text)
{
    for (int i = 0; words != NULL && words[i] != NULL; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}

/* Appends "a, b, c" to `text`. */
static void add_words(const char *const *words, char *text, size_t size)
{
    size_t used = strlen(text);
    for (size_t i = 0; words != NULL && words[i] != NULL && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "" : ", ", words[i]);
}

/* A minimum and a maximum of 0 stand for no limits. */
static double lower_limit(const struct dlq_option *option)
{
    return option->minimum == 0 && option->maximum == 0 ? -INFINITY : option->minimum;
}

static double upper_limit(const struct dlq_option *option)
{
    return option->minimum == 0 && option->maximum == 0 ? INFINITY : option->maximum;
}

static bool read_quantity(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    double value = 0;
    if (!dlq_quantity_parse(text, option->unit, &value, why, why_size))
        return false;
    if (dlq_quantity_within(value, option->unit, lower_limit(option), upper_limit(option), why, why_size)) {
        *(double *)field = value;
        return true;
    }
    size_t length = strlen(why);
    bool share = option->unit == DLQ_UNIT_SHARE || option->unit == DLQ_UNIT_RATIO;
    if (share && value > 1 && value <= 100 && strchr(text, '%') == NULL)
        snprintf(why + length, why_size - length, "; did you mean %.3g%%?", value);
    return false;
}

static bool read_count(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    double value = -1 - find_word(option->words, text); /* words[i] means -1 - i; 0: not a word */
    if (value < 0 ||
        (dlq_quantity_parse(text, DLQ_UNIT_COUNT, &value, why, why_size) &&
         dlq_quantity_within(value, DLQ_UNIT_COUNT, lower_limit(option), upper_limit(option), why, why_size))) {
        *(long *)field = (long)value;
        return true;
    }
    size_t length = strlen(why);
    if (option->words != NULL)
        snprintf(why + length, why_size - length, "; or write ");
    add_words(option->words, why, why_size);
    return false;
}

static bool read_seed(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    (void)option;
    return dlq_quantity_parse_seed(text, field, why, why_size);
}

static bool read_flag(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    (void)option;
    char quoted[DLQ_QUOTED];
    int word = find_word(no_yes, text);
    if (word >= 0)
        *(bool *)field = word == 1;
    else
        snprintf(why, why_size, "'%s' is neither yes nor no", dlq_quoted(text, quoted));
    return word >= 0;
}

/* Refuses texts that no line of a configuration file can give, even if they come from a command line. */
static bool read_text(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    (void)option;
    size_t length = strlen(text);
    bool comment = false;
    for (const char *at = text; (at = strpbrk(at + 1, ";#")) != NULL;)
        comment = comment || strchr(" \t", at[-1]) != NULL;
    if (length > LONGEST_TEXT)
        snprintf(why, why_size, "text of %zu bytes is too long (at most %d)", length, LONGEST_TEXT);
    else if (!dlq_utf8_valid(text))
        snprintf(why, why_size, "text is not valid UTF-8 without control characters");
    else if (strchr(" \t", text[0]) != NULL || strchr(" \t", text[length - 1]) != NULL)
        snprintf(why, why_size, "text must not begin or end with a blank");
    else if (comment)
        snprintf(why, why_size, "text must not hold ';' or '#' behind a blank: a comment begins there");
    else {
        *(const char **)field = text;
        return true;
    }
    return false;
}

static bool read_choice(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    char quoted[DLQ_QUOTED];
    int word = find_word(option->words, text);
    if (word >= 0) {
        *(int *)field = word;
        return true;
    }
    const char *nearest = option->words != NULL ? dlq_nearest(text, option->words) : NULL;
    for (const char *const *other = option->other_names; other != NULL && *other != NULL; other += 2)
        nearest = strcmp(text, other[0]) == 0 ? other[1] : nearest;
    snprintf(why, why_size, "'%s' is unknown%s%s%s (expected ", dlq_quoted(text, quoted),
             nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
    add_words(option->words, why, why_size);
    size_t length = strlen(why);
    snprintf(why + length, why_size - length, ")");
    return false;
}

static bool read_range(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size)
{
    return dlq_range_parse(text, option->unit, lower_limit(option), upper_limit(option), field, why, why_size);
}

static const struct kind {
    size_t size; /* of the field */
    /* False: refused, with the reason in why; the field is unchanged. */
    bool (*read)(const struct dlq_option *option, const char *text, void *field, char *why, size_t why_size);
    const char *noun; /* for dlq_option_noun; null: that of the unit */
} kinds[] = {
    [DLQ_KIND_QUANTITY] = {sizeof(double), read_quantity, NULL},
    [DLQ_KIND_COUNT] = {sizeof(long), read_count, NULL},
    [DLQ_KIND_SEED] = {sizeof(uint64_t), read_seed, "whole number"},
    [DLQ_KIND_FLAG] = {sizeof(bool), read_flag, "yes or no"},
    [DLQ_KIND_TEXT] = {sizeof(const char *), read_text, "text"},
    [DLQ_KIND_CHOICE] = {sizeof(int), read_choice, "word"},
    [DLQ_KIND_RANGE] = {sizeof(struct dlq_range), read_range, NULL},
};

/* Reads the whole text as the option's value. False: refused. */
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
    char why[MOST_WHY]; /* not used: all texts were checked */
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
    if (option->kind == DLQ_KIND_TEXT && option->words != NULL)
        return "list";
    const char *noun = kinds[option->kind].noun;
    return noun != NULL ? noun : strchr(dlq_unit_kind(option->unit)->noun, ' ') + 1; /* without "a" */
}

void dlq_option_limits(const struct dlq_option *option, char least[DLQ_QUANTITY_TEXT], char most[DLQ_QUANTITY_TEXT])
{
    dlq_quantity_exact(lower_limit(option), option->unit, least);
    dlq_quantity_exact(upper_limit(option), option->unit, most);
}

void dlq_option_print(const struct dlq_option *option, const void *target, char *text, size_t size)
{
    char exact[DLQ_QUANTITY_TEXT] = "";
    union field field;
    const char *word = NULL;
    memcpy(&field, (const char *)target + option->offset, kinds[option->kind].size);
    if (option->kind == DLQ_KIND_RANGE) {
        dlq_range_exact(&field.range, option->unit, text, size);
        return;
    }
    if (option->kind == DLQ_KIND_SEED)
        snprintf(exact, sizeof exact, "%llu", (unsigned long long)field.seed);
    else if (option->kind == DLQ_KIND_FLAG)
        word = no_yes[field.flag];
    else if (option->kind == DLQ_KIND_TEXT)
        word = field.text != NULL ? field.text : "";
    else if (option->kind == DLQ_KIND_CHOICE)
        word = option->words[field.choice];
    else if (option->kind == DLQ_KIND_QUANTITY)
        dlq_quantity_exact(field.quantity, option->unit, exact);
    else {
        word = field.count < 0 ? option->words[-1 - field.count] : NULL;
        dlq_quantity_exact((double)field.count, option->unit, exact);
    }
    snprintf(text, size, "%s", word != NULL ? word : exact);
}

/* -- entries checked against rows -- */

enum { PLACE_TEXT = 1024, OWNERS_TEXT = 128 };

enum dlq_status dlq_option_check(const struct dlq_section *sections, size_t count, const struct dlq_foreign *foreign,
                                 struct dlq_entry *entry, struct dlq_error *error)
{
    union field field;
    char why[MOST_WHY], place[PLACE_TEXT], owners[OWNERS_TEXT] = "", in[DLQ_QUOTED], key[DLQ_QUOTED];
    const struct dlq_section *section = dlq_section_find(sections, count, entry->section);
    const struct dlq_option *option = section != NULL ? dlq_option_find(section, entry->key) : NULL;
    if (option != NULL && option_read(option, entry->value, &field, why, sizeof why))
        return DLQ_OK;
    dlq_quoted(entry->section, in);
    dlq_quoted(entry->key, key);
    if (section == NULL) {
        struct dlq_nearest nearest = {.name = place}; /* the section, without its part */
        snprintf(place, sizeof place, "%.*s", (int)strcspn(entry->section, "."), entry->section);
        for (size_t i = 0; i < count; i++)
            dlq_nearest_offer(&nearest, sections[i].name);
        if (nearest.best == NULL)
            snprintf(why, sizeof why, "unknown section");
        else if (strchr(entry->section, '.') != NULL && dlq_section_find(sections, count, nearest.best)->named)
            snprintf(why, sizeof why, "unknown section; parts are named as in [%s.read]", nearest.best);
        else if (strcmp(nearest.best, place) == 0 &&
                 dlq_option_find(dlq_section_find(sections, count, place), entry->key) != NULL)
            snprintf(why, sizeof why, "unknown section; did you mean '%s' in [%s]?", key, place);
        else
            snprintf(why, sizeof why, "unknown section; did you mean [%s]?", nearest.best);
    } else if (option == NULL) {
        struct dlq_nearest nearest = {.name = entry->key};
        for (size_t i = 0; i < section->count; i++)
            dlq_nearest_offer(&nearest, section->options[i].key);
        while (foreign->foreign != NULL && strcmp(foreign->foreign, entry->key) != 0)
            foreign++;
        const char *ours = foreign->foreign != NULL ? foreign->ours : entry->key, *convert = foreign->convert;
        size_t used = 0; /* owners becomes "[load] or [step]" */
        for (size_t i = 0; i < count && used < OWNERS_TEXT; i++)
            if (dlq_option_find(&sections[i], ours) != NULL)
                used += (size_t)snprintf(owners + used, OWNERS_TEXT - used, "%s[%s]", used == 0 ? "" : " or ",
                                         sections[i].name);
        if (foreign->foreign != NULL && dlq_option_find(section, foreign->ours) != NULL)
            snprintf(why, sizeof why, "%s is called '%s' here%s%s", key, foreign->ours, convert != NULL ? ": " : "",
                     convert != NULL ? convert : "");
        else if (foreign->foreign != NULL)
            snprintf(why, sizeof why, "%s is called '%s' here, in %s%s%s", key, foreign->ours, owners,
                     convert != NULL ? ": " : "", convert != NULL ? convert : "");
        else if (owners[0] != '\0')
            snprintf(why, sizeof why, "'%s' belongs to %s", key, owners);
        else if (nearest.best != NULL)
            snprintf(why, sizeof why, "unknown key '%s'; did you mean '%s'?", key, nearest.best);
        else
            snprintf(why, sizeof why, "unknown key '%s'", key);
    }
    entry->bad = true;
    return dlq_error_add(error, DLQ_INVALID, "%s: [%s] %s: %s", dlq_entry_place(entry, place, sizeof place), in, key,
                         why);
}
