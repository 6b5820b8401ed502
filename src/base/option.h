/* Configurations: entries as they were written, and typed option rows, which say everything about an option: files,
   --set, check and help all use them. */
#ifndef DLQ_BASE_OPTION_H
#define DLQ_BASE_OPTION_H

#include "base/arena.h"
#include "base/quantity.h"

#include <stdio.h>

/* -- entries: INI by inih over the bounded line reader, which know where they stand -- */

/* One setting as it was written. Strings are owned by the entries. */
struct dlq_entry {
    char *section; /* "load.read" */
    char *key;
    char *value;  /* trimmed, comment removed */
    char *origin; /* file name, "--set #2", "--loaders" */
    long line;    /* 0 where the origin has no lines */
    bool bad;     /* its value was refused: reported already, treat as absent without complaint */
};

/* In the order in which they were added; a later entry of the same section and key counts. */
struct dlq_entries {
    struct dlq_entry *rows;
    size_t count, capacity;
    struct dlq_arena texts;
};

/* Reads a whole configuration (at most 1 MiB) and adds its entries. Every malformed line, repeated key, NUL, lone CR,
   junk after a section head ... is one line of *error ("NAME:12: ..."), and reading goes on; status DLQ_INVALID then,
   DLQ_FAILURE where reading itself failed. Entries that were understood are added all the same. Comments begin with
   ; or #, at the start of a line or after a blank. Sections and keys are exact, lower case. */
enum dlq_status dlq_ini_read(struct dlq_entries *entries, const char *name, FILE *stream, struct dlq_error *error);

/* "read" of [load.read]: a name as a file may have it. */
bool dlq_is_part_name(const char *text);
/* Adds one (copies all); null on lack of memory. */
struct dlq_entry *dlq_entries_add(struct dlq_entries *entries, const char *section, const char *key, const char *value,
                                  const char *origin, long line);
/* The one that counts, or null. */
const struct dlq_entry *dlq_entries_find(const struct dlq_entries *entries, const char *section, const char *key);
/* "configs/a.ini:12" or "--set #2" into text. */
const char *dlq_entry_place(const struct dlq_entry *entry, char *text, size_t size);
/* Adds "my.ini:12: [load] mean: why": where the key stands, else where its section begins, else the configuration.
   Always DLQ_INVALID. */
enum dlq_status dlq_entries_refuse(const struct dlq_entries *entries, const char *section, const char *key,
                                   const char *why, struct dlq_error *error);
/* Does entry `at` begin [name] or [name.PART]: is it the first of its section? */
bool dlq_entries_begin(const struct dlq_entries *entries, size_t at, const char *name);
/* Was a value of exactly this section refused? */
bool dlq_entries_are_bad(const struct dlq_entries *entries, const char *section);
void dlq_entries_free(struct dlq_entries *entries);

/* -- rows -- */

/* What the target field at `offset` is. */
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
    double minimum, maximum;  /* allowed, both included; both 0: no limits beyond the unit's */
    const char *standard;     /* the default as text; null: none, the field is left at zero, or NAN for a quantity */
    const char *const *words; /* null-terminated; of a text: what a list in it may hold, checked by its reader */
    const char *help;         /* one line; where the default is computed, it says how */
    size_t offset;
};

/* Rows by kind; `at`: offsetof the target. */
#define DLQ_QUANTITY_ROW(key, unit, minimum, maximum, standard, at, help)                                              \
    {                                                                                                                  \
        key, DLQ_KIND_QUANTITY, unit, minimum, maximum, standard, NULL, help, at                                       \
    }
#define DLQ_COUNT_ROW(key, minimum, maximum, standard, words, at, help)                                                \
    {                                                                                                                  \
        key, DLQ_KIND_COUNT, DLQ_UNIT_COUNT, minimum, maximum, standard, words, help, at                               \
    }
#define DLQ_WORD_ROW(key, words, standard, at, help)                                                                   \
    {                                                                                                                  \
        key, DLQ_KIND_CHOICE, DLQ_UNIT_TIME, 0, 0, standard, words, help, at                                           \
    }
#define DLQ_TEXT_ROW(key, at, help)                                                                                    \
    {                                                                                                                  \
        key, DLQ_KIND_TEXT, DLQ_UNIT_TIME, 0, 0, NULL, NULL, help, at                                                  \
    }
#define DLQ_FLAG_ROW(key, standard, at, help)                                                                          \
    {                                                                                                                  \
        key, DLQ_KIND_FLAG, DLQ_UNIT_TIME, 0, 0, standard, NULL, help, at                                              \
    }

/* A section of the configuration and its rows. named: also [NAME.SOMETHING], one struct each. optional: what it says is
   there only where it is written. */
struct dlq_section {
    const char *name;
    const char *help;
    const struct dlq_option *options;
    size_t count;
    bool named, optional;
};

/* DLQ_SECTION("host", host_options, .help = "each host") */
#define DLQ_SECTION(title, rows, ...)                                                                                  \
    {                                                                                                                  \
        .name = title, .options = rows, .count = sizeof(rows) / sizeof *(rows), __VA_ARGS__                            \
    }

/* What other tools call it: foreign name -> our key. Rows end with nulls. */
struct dlq_foreign {
    const char *foreign, *ours;
};

/* The section for "load" or "load.read" (also where the latter is only a prefix match of a named section), or null. */
const struct dlq_section *dlq_section_find(const struct dlq_section *sections, size_t count, const char *name);
const struct dlq_option *dlq_option_find(const struct dlq_section *section, const char *key);

/* Checks one entry against the rows: section, key and value. On failure marks it bad and adds a line to error, as
   "PLACE: [section] key: reason", with the nearest known name where a name is unknown, or ours for a foreign one. */
enum dlq_status dlq_option_check(const struct dlq_section *sections, size_t count, const struct dlq_foreign *foreign,
                                 struct dlq_entry *entry, struct dlq_error *error);

/* Fills the struct of a section ("load", "load.read") from defaults, then from entries that are not bad. All texts
   were checked before. */
void dlq_options_apply(const struct dlq_section *section, const char *name, const struct dlq_entries *entries,
                       void *target);

/* What is written for it, without an article: "time", "word", "list", "yes or no". */
const char *dlq_option_noun(const struct dlq_option *option);
/* Its limits as they are written; "" for none. */
void dlq_option_limits(const struct dlq_option *option, char least[DLQ_QUANTITY_TEXT], char most[DLQ_QUANTITY_TEXT]);

/* The field's value as configuration text that reads back to the same value; "" for none. */
void dlq_option_print(const struct dlq_option *option, const void *target, char *text, size_t size);

/* For "did you mean": the nearest name so far by edit distance (a transposition counts once), null where none is near.
   Begin with {.name = name} and offer candidates. */
struct dlq_nearest {
    const char *name, *best;
    size_t edits;
};
void dlq_nearest_offer(struct dlq_nearest *nearest, const char *candidate);
/* The nearest of null-terminated names. */
const char *dlq_nearest(const char *name, const char *const *names);

#endif
