/* The command line, taken apart by one table of option rows. */
#ifndef DLQ_CLI_ARGS_H
#define DLQ_CLI_ARGS_H

#include "base/arena.h"

#include <stdbool.h>

enum dlq_color_when { DLQ_COLOR_AUTO, DLQ_COLOR_ALWAYS, DLQ_COLOR_NEVER };

/* What --color takes, in the order of dlq_color_when, ended by null. */
extern const char *const dlq_color_words[];

/* A `--set`, or an option that is short for one. */
struct dlq_override {
    char origin[24]; /* "--set #2", "--loaders": for messages */
    char *path;
    const char *value;
};

/* An option that was given; value null: it takes none; override null: it is no setting. */
struct dlq_given {
    const struct dlq_arg *arg;
    const char *value;
    const struct dlq_override *override;
};

struct dlq_words {
    const char **words;
    size_t count;
};

/* Operands and values are those of argv, which must outlive this. */
struct dlq_args {
    const char **operands; /* the command's name first */
    size_t operand_count;
    struct dlq_override *overrides;
    size_t override_count;
    size_t set_count; /* how many of them were `--set` */
    const char *output;
    long threads;
    enum dlq_color_when color;
    bool json, csv, quiet, verbose, help, version, keep_scripts, no_title, no_explore, all, ranks, follow, plot,
        summary, markdown, synchronize, no_advise;
    const char *format;                       /* of logs; null: told by content */
    long follow_seconds;                      /* between lines; 0: as is usual */
    long max_loaders;                         /* that are recorded */
    long skip_bad;                            /* malformed lines of logs */
    long every;                               /* iterations of a line; 0: not given */
    struct dlq_words patterns, columns, logs; /* of --pattern; --column; --log, --after, --also */
    const char *steps, *loads;                /* stopwatches, "100/12s"; null: none */
    double from, until, speed;                /* s, and a factor; NAN: not given */
    bool waits, path;
    const char *animate, *chrome, *page; /* files; null: none */
    struct dlq_given *given;             /* all options, as they were given */
    size_t given_count;
    struct dlq_arena arena; /* owns all but what argv has */
};

/* `value` null: the option takes none. */
struct dlq_arg {
    const char *name;
    const char *value;  /* what its value is called in help */
    const char *path;   /* the option is short for --set PATH=VALUE */
    const char *only;   /* the commands that have it, separated by blanks; null: all */
    const char *others; /* what other programs call it, separated by blanks */
    const char *help;
    enum dlq_status (*take)(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                            struct dlq_error *error);
    size_t at;        /* what take fills, where it is the same for several */
    long least, most; /* of counts */
    char letter;      /* 0: none */
    bool may_lack;    /* its value, which is given by = alone */
    bool reads;       /* how logs are read: whoever reads them again needs it, too */
};

/* All rows, ended by a null name. */
extern const struct dlq_arg dlq_arg_rows[];

/* argv ends with null, as that of main does. Options may stand before and after operands; `--` ends them, and so does
   the program that a command runs; `-` is an operand. All mistakes are lines of *error; args is filled even then (a
   wish for help counts) and must be freed. */
enum dlq_status dlq_args_parse(int argc, char *const argv[], struct dlq_args *args, struct dlq_error *error);

/* The configuration key of that name (a dash for an underscore is fine), as "section.key"; false: none. */
bool dlq_arg_key(const char *name, char *path, size_t size);

void dlq_args_free(struct dlq_args *args);

/* Is `name` one of the words, separated by blanks? False for null words. */
bool dlq_word_among(const char *words, const char *name);

#endif
