/* Configuration text: INI by inih over the bounded line reader, kept as entries that know where they stand. */
#ifndef DLQ_BASE_INI_H
#define DLQ_BASE_INI_H

#include "dlqueue/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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
};

/* Reads a whole configuration (at most 1 MiB) and adds its entries. Every malformed line, repeated key, NUL, lone CR,
   junk after a section head ... is one line of *error ("NAME:12: ..."), and reading goes on; status DLQ_INVALID then,
   DLQ_FAILURE where reading itself failed. Entries that were understood are added all the same. Comments begin with
   ; or #, at the start of a line or after a blank. Sections and keys are exact, lower case. */
enum dlq_status dlq_ini_read(struct dlq_entries *entries, const char *name, FILE *stream, struct dlq_error *error);

/* Adds one (copies all); null on lack of memory. */
struct dlq_entry *dlq_entries_add(struct dlq_entries *entries, const char *section, const char *key, const char *value,
                                  const char *origin, long line);
/* Removes the last one; there must be one. */
void dlq_entries_drop(struct dlq_entries *entries);
/* The one that counts, or null. */
const struct dlq_entry *dlq_entries_find(const struct dlq_entries *entries, const char *section, const char *key);
/* "configs/a.ini:12" or "--set #2" into text. */
const char *dlq_entry_place(const struct dlq_entry *entry, char *text, size_t size);
void dlq_entries_free(struct dlq_entries *entries);

#endif
