/* Commands: one row each, and what a running one is given. */
#ifndef DLQ_CLI_COMMAND_H
#define DLQ_CLI_COMMAND_H

#include "args.h"
#include "base/arena.h"
#include "dlqueue/error.h"
#include "dlqueue/simulate.h"

#include <stdbool.h>
#include <stdio.h>

/* One command as it was called, and what it runs with. */
struct dlq_invocation {
    const struct dlq_command *command;
    const struct dlq_args *args;
    const char *const *operands; /* without the command's name */
    size_t operand_count;
    FILE *out;  /* where the result goes */
    bool color; /* there */
    struct dlq_progress progress;
    struct dlq_run run; /* threads, interruption and progress are set */
    bool part;          /* interrupted, and what was finished is written: it is kept */
    struct dlq_error *error;
    struct dlq_call *call;
};

/* What is there until the command has answered: all sessions that are made of one share it. */
struct dlq_call {
    struct dlq_arena arena;
    struct dlq_kept *kept;
    const struct dlq_use *uses; /* of files, as far as they are known */
};

/* `object` is released once the command has answered, the last one first; at once where there is no memory. */
enum dlq_status dlq_keep(const struct dlq_invocation *session, void *object, void (*release)(void *object));
/* Releases all. */
void dlq_call_end(struct dlq_call *call);
/* A function for dlq_keep, of what has one of its own type. */
#define DLQ_RELEASE(name, free_own)                                                                                    \
    static void name(void *object)                                                                                     \
    {                                                                                                                  \
        free_own(object);                                                                                              \
    }

/* What `--output` names. */
enum dlq_target {
    DLQ_TARGET_FILE,      /* the result, replaced as a whole */
    DLQ_TARGET_NEW_FILE,  /* the same, but an existing file is not replaced */
    DLQ_TARGET_DIRECTORY, /* none of the dispatcher's business */
    DLQ_TARGET_CHARTS,    /* with --plot the directory of the charts; else as DLQ_TARGET_FILE */
    DLQ_TARGET_BESIDE,    /* with --json the result; else a file of the command's own, beside its report */
    DLQ_TARGET_PAGE,      /* a file of the command's own */
    DLQ_TARGET_PICTURES   /* with --json or --csv the result; else the directory of the charts */
};

typedef enum dlq_status dlq_command_run(struct dlq_invocation *session);

struct dlq_example {
    const char *line, *comment;
};

struct dlq_command {
    const char *name, *arguments, *summary;
    struct dlq_example examples[6]; /* ended by a null line */
    const char *about;
    size_t most_operands;
    enum dlq_target target;
    bool no_table;        /* for --csv */
    bool no_object;       /* for --json */
    bool rewrites;        /* the result may replace what was read: it means the same */
    const char *keys[11]; /* that --set takes beside logs, or how their paths begin */
    const char *refusal;  /* what is said of others */
    dlq_command_run *run;
};

/* The table, ended by a null name. */
extern const struct dlq_command dlq_commands[];
const struct dlq_command *dlq_command_find(const char *name);

/* Whether the command takes the option; null, before there is a command: any. */
bool dlq_command_takes(const struct dlq_command *command, const struct dlq_arg *arg);
/* What the option does there; null: in general. */
const char *dlq_command_option_help(const struct dlq_command *command, const struct dlq_arg *arg);

/* The whole program but for what only main may do; returns the exit status. */
int dlq_command_main(int argc, char *const argv[]);

dlq_command_run dlq_run_solve, dlq_run_sweep, dlq_run_plan, dlq_run_timeline, dlq_run_diagnose, dlq_run_fit,
    dlq_run_advise, dlq_run_compare, dlq_run_report, dlq_run_check, dlq_run_init, dlq_run_loaders,
    dlq_run_distributions, dlq_run_instances, dlq_run_help;

/* "unknown command", with the nearest one; DLQ_INVALID. */
enum dlq_status dlq_command_unknown(const char *name, struct dlq_error *error);

/* -- help (help.c); tables are ended by null -- */

struct dlq_exit_help {
    const char *status, *meaning;
};
extern const struct dlq_exit_help dlq_exit_rows[];
/* The program's own. */
extern const struct dlq_example dlq_help_examples[];
/* What else there is help about, beside commands. */
extern const char *const dlq_help_topics[];
/* Of one command, or, null, of the program. */
void dlq_help_write(FILE *stream, const struct dlq_command *command);

#endif
