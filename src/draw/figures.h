/* Figures of results: a row says all that is written of one: its key in --json, its columns in --csv, its unit, its
   line in `dlqueue help output` and the manual, and where in the result it lies. */
#pragma once

#include "draw/json.h"

/* A JSON object that is built key by key; what failed on the way is known at the end. */
struct dlq_object {
    json_t *json;
    bool failed;
};

struct dlq_object dlq_object_new(void);
/* One that begins with "dlqueue": VERSION, "command": name. */
struct dlq_object dlq_object_of_command(const char *name);
/* Takes the reference of `value`; null is a failure. */
void dlq_object_put(struct dlq_object *object, const char *key, json_t *value);
void dlq_object_number(struct dlq_object *object, const char *key, double value);
void dlq_object_text(struct dlq_object *object, const char *key, const char *value);
/* An empty list under that key, and one more value in it, whose reference is taken; null is a failure. */
void dlq_object_list(struct dlq_object *object, const char *key);
void dlq_object_append(struct dlq_object *object, const char *key, json_t *value);
/* The object, or null where anything failed. */
json_t *dlq_object_end(struct dlq_object *object);

/* What lies at `at`, and what is written. */
enum dlq_figure_kind {
    DLQ_FIGURE_NUMBER,   /* double; NAN: null */
    DLQ_FIGURE_COUNT,    /* long */
    DLQ_FIGURE_SIZE,     /* size_t */
    DLQ_FIGURE_SEED,     /* uint64_t; from 2^63 on as text */
    DLQ_FIGURE_FLAG,     /* bool */
    DLQ_FIGURE_WORD,     /* const char *; null: null */
    DLQ_FIGURE_NAMED,    /* an enum: one of `names`; null: null */
    DLQ_FIGURE_LETTERS,  /* char[] */
    DLQ_FIGURE_COMPUTED, /* what `number` makes of the object */
    DLQ_FIGURE_ESTIMATE, /* struct dlq_estimate: an object; in CSV three columns */
    DLQ_FIGURE_OBJECT,   /* a struct with the figures `of` */
    DLQ_FIGURE_INLINE,   /* a struct whose figures are written into the enclosing object, and take its root; without a
                            headline, the help lists them with those of the enclosing object */
    DLQ_FIGURE_LIST,     /* of such structs */
    DLQ_FIGURE_TEXTS,    /* of char[stride] */
    DLQ_FIGURE_NUMBERS,  /* of double */
    DLQ_FIGURE_MAP,      /* of structs of `stride` bytes that begin with const char *name and double value: an object */
    DLQ_FIGURE_TOLD      /* written by hand: the row is for the help */
};

struct dlq_figures;

/* In the order in which rows are read. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct dlq_figure {
    const char *name;
    enum dlq_figure_kind kind;
    size_t at;
    const char *unit;   /* of numbers: "s", "1/s", "share", "bytes", ...; null: see the kind */
    const char *help;   /* a null pointer: the figure has its own headline, or shares the line of the row above */
    const char *absent; /* when the JSON value is null, in words; a null pointer: never */
    bool (*missing)(const void *object, const void *root); /* whether the value is missing; may be a null pointer */
    const struct dlq_figures *of;                          /* of OBJECT, INLINE, LIST */
    size_t count_at, stride;                               /* of lists: the size_t that counts; bytes of an element */
    const char *const *names;                              /* of NAMED */
    size_t last_listed; /* of NAMED: {names} in `help` is the list of names[1] to names[last_listed] */
    double (*number)(const void *object); /* of COMPUTED */
    bool by_pointer;                      /* `at` holds the address of what is meant */
    bool (*skip)(const void *element);    /* of LIST */
    bool alike;                           /* in the help it stands with the row above */
    bool omitted;                         /* missing, it has no key */
    bool by_first;                        /* of OBJECT: null where its first number is none */
    bool last;                            /* a column behind all others */
    const char *heading;                  /* of tables for people; null: not in them */
    int digits;
};

/* The figures of a struct; place, note: its headline in the help ("plan: answer, table[]"; null: it has none). */
struct dlq_figures {
    const char *place, *note;
    const struct dlq_figure *rows;
    size_t count;
};

#define DLQ_FIGURES(place, note, rows)                                                                                 \
    {                                                                                                                  \
        place, note, rows, sizeof(rows) / sizeof *(rows)                                                               \
    }

/* A row: DLQ_ROW("mean", NUMBER, offsetof(...), "s", "help", "absent", ...), the members in their order, then others by
   name. */
#define DLQ_ROW(called, of_kind, ...)                                                                                  \
    {                                                                                                                  \
        .name = (called), .kind = DLQ_FIGURE_##of_kind, __VA_ARGS__                                                    \
    }

/* A row of a list whose elements `member` of the struct holds or points to, as many as its member `count` says. */
#define DLQ_LIST_ROW(called, of_kind, type, member, count, ...)                                                        \
    DLQ_ROW(called, of_kind, offsetof(type, member), .count_at = offsetof(type, count),                                \
            .stride = sizeof *((const type *)NULL)->member, __VA_ARGS__)

/* A function for `missing`: whether the condition holds of `it`, which is the object or the root. */
#define DLQ_MISSING(name, which, type, condition)                                                                      \
    static bool name(const void *object, const void *root)                                                             \
    {                                                                                                                  \
        const type *it = which;                                                                                        \
        (void)object;                                                                                                  \
        (void)root;                                                                                                    \
        return condition;                                                                                              \
    }

/* The object; null: no memory. With a command's name it begins with "dlqueue": VERSION, "command": name. */
json_t *dlq_figures_json(const struct dlq_figures *figures, const void *object, const char *command);

/* A table with `lead` columns, then one for each plain figure, three for an estimate; null: no memory. */
struct dlq_table *dlq_figures_table(const struct dlq_figures *figures, const struct dlq_column *lead,
                                    size_t lead_count);
/* A row more, its lead columns empty; false: no memory. */
bool dlq_figures_row(struct dlq_table *table, const struct dlq_figures *figures, size_t lead_count, const void *object,
                     const void *root);

/* The opposite of dlq_figures_row for numbers, counts, flags, names and estimates: sets the object's members from the
   fields of a row, without its lead columns. An empty field: NAN. False: a field is not what its column holds. */
bool dlq_figures_read(const struct dlq_figures *figures, char *const *fields, void *object);

/* For the help: the line of the figures that begins at row *row, which moves on: names, kind and meaning; false: there
   are no more. */
struct dlq_figure_line {
    char names[120], kind[16], meaning[480];
};
bool dlq_figures_line(const struct dlq_figures *figures, size_t *row, struct dlq_figure_line *line);
