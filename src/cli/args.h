/* The command line, parsed by one table of options. */
#pragma once

#include "base/arena.h"
#include "base/quantity.h"

#include <stdbool.h>

enum dlq_color_when { DLQ_COLOR_AUTO, DLQ_COLOR_ALWAYS, DLQ_COLOR_NEVER };

/* The values of --color in the order of enum dlq_color_when, ended by null. */
extern const char *const dlq_color_words[];

/* A setting given by `--set` or by an option that is short for it. */
struct dlq_override {
    char origin[24]; /* "--set #2", "--loaders": for messages */
    bool set;        /* given by `--set` */
    char *path;      /* "section.key" */
    const char *value;
};

/* An option as it was given. value null: it was given without a value; override null: the option is no setting. */
struct dlq_given {
    const struct dlq_arg *arg;
    const char *value;
    const struct dlq_override *override;
};

struct dlq_words {
    const char **words;
    size_t count;
};

/* A parsed command line. Operands and values point into argv, which must outlive it. */
struct dlq_args {
    const char **operands; /* the command's name first */
    size_t operand_count;
    struct dlq_override *overrides;
    size_t override_count;
    size_t set_count; /* overrides given by `--set` */
    const char *output;
    long threads;
    enum dlq_color_when color;
    bool json, csv, quiet, verbose, help, version, keep_scripts, no_title, no_explore, compare, open, all, ranks,
        follow, plot, summary, markdown, synchronize, no_advise;
    const char *format;                       /* of logs; null: detected by content */
    long follow_seconds;                      /* between two lines; 0: the command's default */
    long max_loaders;                         /* DataLoaders that `run` records at most */
    long skip_bad;                            /* malformed lines of logs that may be skipped */
    long every;                               /* iterations per line of a log; 0: not given */
    struct dlq_words patterns, columns, logs; /* logs: of --log, --after or --also */
    struct dlq_words parts;                   /* of --join */
    const char *part;                         /* "3/16"; null: the whole sweep */
    bool tornado;                             /* one parameter at a time */
    const char *steps, *loads;                /* "100/12s"; null: not given */
    const char *table, *at;                   /* name of a file; --at: "12,24"; null: not given */
    double from, until, speed, gate;          /* s, s, a factor, a share; NAN: not given */
    double strict_range;                      /* a factor; NAN: not given */
    bool waits, path;                         /* path: show the critical path */
    const char *against;                      /* "completion", "order"; null: not given */
    const char *animate, *chrome, *page;      /* names of files; null: not given */
    struct dlq_given *given;                  /* all options in order */
    size_t given_count;
    struct dlq_arena arena;
};

struct dlq_arg {
    const char *name;
    const char *value;  /* the name of the value in help; null: the option has no value */
    const char *path;   /* "section.key": the option is short for --set section.key=VALUE; null: it is not */
    const char *only;   /* the commands that have the option, separated by blanks; null: all */
    const char *others; /* names of the option in other programs, separated by blanks */
    const char *help;
    enum dlq_status (*store)(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                             struct dlq_error *error);
    size_t at;          /* the member of struct dlq_args that `store` sets */
    long least, most;   /* range of a count */
    enum dlq_unit unit; /* of a quantity; a factor is above 0 */
    char letter;        /* 0: none */
    bool names_file;    /* the value is the name of a file or directory, which must not be empty */
    bool may_lack;      /* the value may be left out, and is given as --name=value only */
    bool reads;         /* changes how logs are read: a further command for the same logs needs the option too */
};

/* Adds the value to a list of words. */
enum dlq_status dlq_store_list(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                               struct dlq_error *error);
/* Adds a pattern, or the patterns of FILE.ini, at most DLQ_PATTERNS_OF_FILE (cli/logs/pattern.c). */
enum { DLQ_PATTERNS_OF_FILE = 9 };
enum dlq_status dlq_store_pattern(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                                  struct dlq_error *error);

/* All rows, ended by a null name. */
extern const struct dlq_arg dlq_arg_rows[];

/* Parses argv, which ends with null like that of main. Options may come before and after operands; none come after `--`
   or after the program of `run`; `-` is an operand. Each mistake is a line of *error; args is filled even then (--help
   works) and must be freed. */
enum dlq_status dlq_args_parse(int argc, char *const argv[], struct dlq_args *args, struct dlq_error *error);
void dlq_args_free(struct dlq_args *args);

/* Writes "section.key" of the configuration key `name`, in which a dash may stand for an underscore. False: there is no
   such key. */
bool dlq_arg_key(const char *name, char *path, size_t size);
