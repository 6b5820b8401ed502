/* Configurations: entries (settings as they were written) and typed option rows, which say everything about an option.
   Files, --set, check and help use the same rows. */
#pragma once

#include "base/arena.h"
#include "base/quantity.h"

#include <stdio.h>

/* -- entries -- */

/* One setting as it was written. struct dlq_entries owns the strings. */
struct dlq_entry {
    char *section; /* "load.read" */
    char *key;
    char *value;  /* trimmed, comment removed */
    char *origin; /* file name, "--set #2", "--loaders" */
    long line;    /* 0: the origin has no lines */
    bool bad;     /* the value was refused, and the error was reported: ignore the entry */
};

/* In the order in which they were added. The last entry of a section and key counts. */
struct dlq_entries {
    struct dlq_entry *rows;
    size_t count, capacity;
    struct dlq_arena texts;
};

/* Reads a whole configuration (at most 1 MiB) and adds its entries. Every malformed line, repeated key, NUL byte, lone
   carriage return, ... is one line of *error ("NAME:12: ..."), and reading goes on. DLQ_INVALID: there were such lines,
   and the other entries were added; DLQ_FAILURE: reading failed. Comments start with ; or #, at the start of a line or
   after a blank. Sections and keys are in lower case. */
enum dlq_status dlq_ini_read(struct dlq_entries *entries, const char *name, FILE *stream, struct dlq_error *error);

/* Whether the text may be a PART of [load.PART]. */
bool dlq_is_part_name(const char *text);
/* Adds an entry with copies of the texts; null: no memory. */
struct dlq_entry *dlq_entries_add(struct dlq_entries *entries, const char *section, const char *key, const char *value,
                                  const char *origin, long line);
/* The last entry of this section and key, which counts; null: none. */
const struct dlq_entry *dlq_entries_find(const struct dlq_entries *entries, const char *section, const char *key);
/* Writes "configs/a.ini:12" or "--set #2". Returns `text`. */
const char *dlq_entry_place(const struct dlq_entry *entry, char *text, size_t size);

/* A section that is being read. */
struct dlq_reading {
    const struct dlq_entries *entries;
    const char *name; /* "load.read" */
    struct dlq_error *error;
};

bool dlq_reading_has(const struct dlq_reading *reading, const char *key);
/* Adds the error "my.ini:12: [load] mean: why", with the place of the key's entry, else of the first entry of its
   section, else of the configuration. If the formatted text itself begins with "mean = " or "mean: ", the key is not
   repeated. Returns DLQ_INVALID. */
enum dlq_status dlq_reading_refuse(const struct dlq_reading *reading, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether entries->rows[index] belongs to [name] or [name.PART] and is the first entry of its section. */
bool dlq_entries_begin(const struct dlq_entries *entries, size_t index, const char *name);
/* Whether a value of this section, not of its parts, was refused. */
bool dlq_entries_are_bad(const struct dlq_entries *entries, const char *section);
void dlq_entries_free(struct dlq_entries *entries);

/* -- rows -- */

/* The type of the target field at `offset`. */
enum dlq_kind {
    DLQ_KIND_QUANTITY, /* double, in the base unit of `unit` */
    DLQ_KIND_COUNT,    /* long; `words` may add names for -1, -2, ... such as "unbounded" */
    DLQ_KIND_SEED,     /* uint64_t */
    DLQ_KIND_FLAG,     /* bool: yes, no */
    DLQ_KIND_TEXT,     /* const char *, owned by the entries */
    DLQ_KIND_CHOICE,   /* int: index into `words` */
    DLQ_KIND_RANGE     /* struct dlq_range, values in `unit` */
};

struct dlq_option {
    const char *key;
    enum dlq_kind kind;
    enum dlq_unit unit;
    double minimum, maximum;  /* inclusive; both 0: no limits but the unit's */
    const char *standard;     /* the default as text; null: 0, or NAN for a quantity */
    const char *const *words; /* null-terminated; for a text: the words of a list, which the text's reader checks */
    const char *help;         /* one line; says how the default is computed, if it is */
    size_t offset;
    const char *const *other_names; /* pairs of another name and the word that it means, then null; null: none */
};

/* Rows by kind; `offset`: offsetof the field in its struct. */
#define DLQ_OPTION_ROW(key, kind, unit, minimum, maximum, standard, words, offset, help)                               \
    {                                                                                                                  \
        key, DLQ_KIND_##kind, unit, minimum, maximum, standard, words, help, offset, NULL                              \
    }
#define DLQ_QUANTITY_ROW(key, unit, minimum, maximum, standard, offset, help)                                          \
    DLQ_OPTION_ROW(key, QUANTITY, unit, minimum, maximum, standard, NULL, offset, help)
#define DLQ_COUNT_ROW(key, minimum, maximum, standard, words, offset, help)                                            \
    DLQ_OPTION_ROW(key, COUNT, DLQ_UNIT_COUNT, minimum, maximum, standard, words, offset, help)
#define DLQ_WORD_ROW(key, words, standard, offset, help)                                                               \
    DLQ_OPTION_ROW(key, CHOICE, DLQ_UNIT_TIME, 0, 0, standard, words, offset, help)
#define DLQ_NAMED_ROW(key, words, other_names, offset, help)                                                           \
    {                                                                                                                  \
        key, DLQ_KIND_CHOICE, DLQ_UNIT_TIME, 0, 0, NULL, words, help, offset, other_names                              \
    }
#define DLQ_TEXT_ROW(key, offset, help) DLQ_OPTION_ROW(key, TEXT, DLQ_UNIT_TIME, 0, 0, NULL, NULL, offset, help)
#define DLQ_FLAG_ROW(key, standard, offset, help)                                                                      \
    DLQ_OPTION_ROW(key, FLAG, DLQ_UNIT_TIME, 0, 0, standard, NULL, offset, help)

/* A section of the configuration and its rows. named: [NAME.PART] are sections, too, each with a struct of its own.
   optional: the section has an effect only if it is written. */
struct dlq_section {
    const char *name;
    const char *help;
    const struct dlq_option *options;
    size_t count;
    bool named, optional;
};

/* A struct dlq_section: DLQ_SECTION("host", host_options, .help = "each host") */
#define DLQ_SECTION(title, rows, ...)                                                                                  \
    {                                                                                                                  \
        .name = title, .options = rows, .count = sizeof(rows) / sizeof *(rows), __VA_ARGS__                            \
    }

/* Keys by their names in other tools. convert: how our value follows from theirs; null: it is the same, or its unit
   says it. The last row has nulls. */
struct dlq_foreign {
    const char *foreign, *ours, *convert;
};

/* The section for "load", or for "load.read" if [load] is named; null: unknown. */
const struct dlq_section *dlq_section_find(const struct dlq_section *sections, size_t count, const char *name);
const struct dlq_option *dlq_option_find(const struct dlq_section *section, const char *key);

/* Checks section, key and value of an entry against the rows. DLQ_INVALID: refused; the entry becomes bad, and an error
   "PLACE: [section] key: reason" suggests the nearest known name, or our name for a foreign key. */
enum dlq_status dlq_option_check(const struct dlq_section *sections, size_t count, const struct dlq_foreign *foreign,
                                 struct dlq_entry *entry, struct dlq_error *error);

/* Fills the struct of a section ("load", "load.read") with defaults and then with entries that are not bad. All entries
   must have been checked. */
void dlq_options_apply(const struct dlq_section *section, const char *name, const struct dlq_entries *entries,
                       void *target);

/* What a user writes as value: "time", "word", "list", "yes or no". */
const char *dlq_option_noun(const struct dlq_option *option);
/* The limits as texts; "": none. */
void dlq_option_limits(const struct dlq_option *option, char least[DLQ_QUANTITY_TEXT], char most[DLQ_QUANTITY_TEXT]);

/* Writes the field's value as a text that reads back to the same value; "": none. */
void dlq_option_print(const struct dlq_option *option, const void *target, char *text, size_t size);

/* The search for a "did you mean": `best` is the candidate nearest to `name` by edit distance (a transposition is one
   edit), null if none is near. Starts as {.name = name}. */
struct dlq_nearest {
    const char *name, *best;
    size_t edits;
};
void dlq_nearest_offer(struct dlq_nearest *nearest, const char *candidate);
/* The nearest of the names, whose list ends with null; null: none is near. */
const char *dlq_nearest(const char *name, const char *const *names);
