/* Figures of results: one row has all about a figure: its key in --json, its columns in --csv, its unit, its line in
   `dlqueue help output` and the manual, and its offset in the result. */
#pragma once

#include "draw/json.h"

/* A JSON object that is built key by key; dlq_object_end reports failures of all calls. */
struct dlq_object {
    json_t *json;
    bool failed;
};

struct dlq_object dlq_object_new(void);
/* An object that begins with "dlqueue": VERSION, "command": name. */
struct dlq_object dlq_object_of_command(const char *name);
/* Adds a value and takes over the caller's reference to it; null is a failure. */
void dlq_object_put(struct dlq_object *object, const char *key, json_t *value);
void dlq_object_number(struct dlq_object *object, const char *key, double value);
void dlq_object_text(struct dlq_object *object, const char *key, const char *value);
/* Adds an empty list; appends a value to it and takes over the caller's reference to the value; null is a failure. */
void dlq_object_list(struct dlq_object *object, const char *key);
void dlq_object_append(struct dlq_object *object, const char *key, json_t *value);
/* Returns the object, which the caller owns; null: a call failed. */
json_t *dlq_object_end(struct dlq_object *object);

/* The type of the member at offset `at`, and the form in which it is written. */
enum dlq_figure_kind {
    DLQ_FIGURE_NUMBER,   /* double; NAN: JSON null */
    DLQ_FIGURE_COUNT,    /* long */
    DLQ_FIGURE_SIZE,     /* size_t */
    DLQ_FIGURE_SEED,     /* uint64_t; from 2^63 on as text */
    DLQ_FIGURE_FLAG,     /* bool */
    DLQ_FIGURE_WORD,     /* const char *; a null pointer: JSON null */
    DLQ_FIGURE_NAMED,    /* an enum, the index of its name in `names`; a null name: JSON null */
    DLQ_FIGURE_LETTERS,  /* char[] */
    DLQ_FIGURE_COMPUTED, /* any type, from which the function `number` computes a double */
    DLQ_FIGURE_ESTIMATE, /* struct dlq_estimate: an object; in CSV three columns */
    DLQ_FIGURE_OBJECT,   /* a struct with the figures `of` */
    DLQ_FIGURE_INLINE,   /* a struct whose figures are written into the enclosing object; if `of` has no headline, the
                            help lists them with the figures of the enclosing object */
    DLQ_FIGURE_LIST,     /* an array of structs with the figures `of` */
    DLQ_FIGURE_TEXTS,    /* an array of char[stride] */
    DLQ_FIGURE_NUMBERS,  /* an array of double */
    DLQ_FIGURE_MAP,      /* an array of structs of `stride` bytes that begin with const char *name and double value: an
                            object */
    DLQ_FIGURE_TOLD      /* no member: code of the command writes the figure, and the row is for the help alone */
};

struct dlq_figures;

/* Below, `object` is the struct that has the member, and `root` the whole answer of which `object` is a part. */

/* Members in the order of DLQ_ROW's arguments. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct dlq_figure {
    const char *name;
    enum dlq_figure_kind kind;
    size_t at;
    const char *unit;   /* of numbers: "s", "1/s", "share", "bytes", ...; null: see the kind */
    const char *help;   /* a null pointer: `of` has a headline, or the figure shares the line of the row above */
    const char *absent; /* help: when the JSON value is null; a null pointer: never */
    bool (*missing)(const void *object, const void *root); /* whether the value is missing; may be a null pointer */
    const struct dlq_figures *of;                          /* of OBJECT, INLINE, LIST */
    size_t count_at, stride;                               /* of lists: the size_t that counts; bytes of an element */
    const char *const *names;                              /* of NAMED */
    size_t last_listed; /* of NAMED: {names} in `help` is the list of names[1] to names[last_listed] */
    double (*number)(const void *object); /* of COMPUTED */
    bool by_pointer;                      /* the member at offset `at` is a pointer to the figure */
    bool (*skip)(const void *element);    /* of LIST: whether an element is left out; null: none */
    bool alike;                           /* the help lists the figure in the line of the row above */
    bool omitted;                         /* JSON has no key if the value is missing; tables never have a column */
    bool by_first;                        /* of OBJECT: null where its first member, a double, is not finite */
    bool last;                            /* the column is to the right of all columns that are not `last` */
    const char *heading;                  /* of the column in tables for people; null: the tables have no such column */
    int digits;                           /* significant, in these tables */
};

/* The figures of a struct. place: their headline in the help, "plan: answer, table[]"; null: none. note: a sentence
   below the headline; null: none. */
struct dlq_figures {
    const char *place, *note;
    const struct dlq_figure *rows;
    size_t count;
};

#define DLQ_FIGURES(place, note, rows)                                                                                 \
    {                                                                                                                  \
        place, note, rows, sizeof(rows) / sizeof *(rows)                                                               \
    }

/* A struct dlq_figure: DLQ_ROW("mean", NUMBER, offsetof(...), "s", "help", "absent", .alike = true): after the kind,
   first members in their order, then others by name. */
#define DLQ_ROW(called, of_kind, ...)                                                                                  \
    {                                                                                                                  \
        .name = (called), .kind = DLQ_FIGURE_##of_kind, __VA_ARGS__                                                    \
    }

/* A row for an array: `member` of the struct is the array or a pointer to it, `count` is its number of elements. */
#define DLQ_LIST_ROW(called, of_kind, type, member, count, ...)                                                        \
    DLQ_ROW(called, of_kind, offsetof(type, member), .count_at = offsetof(type, count),                                \
            .stride = sizeof *((const type *)NULL)->member, __VA_ARGS__)

/* Defines a function for `missing` by a condition on `it`, which is `object` or `root`. */
#define DLQ_MISSING(name, which, type, condition)                                                                      \
    static bool name(const void *object, const void *root)                                                             \
    {                                                                                                                  \
        const type *it = which;                                                                                        \
        (void)object;                                                                                                  \
        (void)root;                                                                                                    \
        return condition;                                                                                              \
    }

/* The figures of `object` as JSON, which the caller owns; null: no memory. With a command's name it begins with
   "dlqueue": VERSION, "command": name. */
json_t *dlq_figures_json(const struct dlq_figures *figures, const void *object, const char *command);

/* A table with `lead` columns, then one for each figure of the kinds up to COMPUTED and three for each ESTIMATE,
   without figures that are `omitted`. The caller frees it with dlq_table_free; null: no memory. */
struct dlq_table *dlq_figures_table(const struct dlq_figures *figures, const struct dlq_column *lead,
                                    size_t lead_count);
/* Adds a row with empty lead columns; false: no memory. */
bool dlq_figures_row(struct dlq_table *table, const struct dlq_figures *figures, size_t lead_count, const void *object,
                     const void *root);

/* The opposite of dlq_figures_row for numbers, counts, flags, names and estimates: sets the object's members from the
   fields of a row, without its lead columns. An empty field: NAN. False: a field does not suit its column. */
bool dlq_figures_read(const struct dlq_figures *figures, char *const *fields, void *object);

/* For the help: sets *line to the line that begins at row *row, and *row to that of the next line. False: no more. */
struct dlq_figure_line {
    char names[120], kind[16], meaning[480];
};
bool dlq_figures_line(const struct dlq_figures *figures, size_t *row, struct dlq_figure_line *line);
