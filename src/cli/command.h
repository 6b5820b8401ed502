/* Commands: one row each, what a running one is given, and what all of them read and tell. */
#ifndef DLQ_CLI_COMMAND_H
#define DLQ_CLI_COMMAND_H

#include "args.h"
#include "dlqueue/model.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

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
    bool introduced;    /* what is known at once of a long computation was told */
    bool part;          /* interrupted, and what was finished is written: it is kept */
    struct dlq_error *error;
    struct dlq_call *call;
    int left; /* by a program that was run, as of waitpid(): its status is that of this one */
    bool has_left;
    FILE *followed; /* what --follow has read of the log, where it cannot be read again; else null */
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
    DLQ_TARGET_TRACE,     /* a file that another program writes */
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
    bool runs;            /* its operands are the words of another program */
    bool rewrites;        /* the result may replace what was read: it means the same */
    const char *keys[11]; /* that --set takes beside logs; one that ends with a dot: all that begin so */
    const char *refusal;  /* what is said of others */
    dlq_command_run *run;
};

/* The table, ended by a null name. */
extern const struct dlq_command dlq_commands[];
const struct dlq_command *dlq_command_find(const char *name);
/* Whether the operands of that command are the words of another program; false where there is no such command. */
bool dlq_command_runs(const char *name);

/* Whether the command takes the option; null, before there is a command: any. */
bool dlq_command_takes(const struct dlq_command *command, const struct dlq_arg *arg);

/* The whole program but for what only main may do; returns the exit status. */
int dlq_command_main(int argc, char *const argv[]);

dlq_command_run dlq_run_solve, dlq_run_sweep, dlq_run_plan, dlq_run_timeline, dlq_run_diagnose, dlq_run_fit,
    dlq_run_advise, dlq_run_compare, dlq_run_run, dlq_run_report, dlq_run_check, dlq_run_init, dlq_run_loaders,
    dlq_run_distributions, dlq_run_instances, dlq_run_help;

/* "unknown command", with the nearest one; DLQ_INVALID. */
enum dlq_status dlq_command_unknown(const char *name, struct dlq_error *error);

/* -- what is read, and what must not be overwritten (inputs.c) -- */

/* The model of operand `index` ("-": standard input), or, where there are no operands, of the options alone; overrides
   applied, completed (null: nothing is to be), checked. All mistakes are lines of the session's error. The session owns
   it. */
enum dlq_status dlq_config_read(struct dlq_invocation *session, size_t index,
                                enum dlq_status (*complete)(struct dlq_model *model, struct dlq_error *error),
                                struct dlq_model **model);

/* Those of all operands, so that every mistake of every file is told before anything is computed. Several are to be
   simulated on common draws: the session's seed becomes that of the first. */
enum dlq_status dlq_configs_read(struct dlq_invocation *session, struct dlq_model ***models, size_t count);
/* For dlq_keep. */
void dlq_model_release(void *model);

/* The setting of that section and key as the model has it; false: there is none of that name. */
bool dlq_config_setting(const struct dlq_model *model, const char *section, const char *key,
                        struct dlq_setting *setting);

/* Opens a file for reading, never waiting for a pipe's writer; "-": standard input, where a terminal is told that it is
   read. what: "log". Error: "cannot read PATH: ...". */
enum dlq_status dlq_input_open(const struct dlq_invocation *session, const char *path, const char *what, FILE **stream);
void dlq_input_close(FILE *stream);
/* Whether both are one file, which devices and pipes never are. "-" is standard input. */
bool dlq_input_is_same(const char *one, const char *other);

/* A word for a shell, in quotes where it needs them. */
void dlq_config_write_word(FILE *stream, const char *word);

/* Writes " configs/resnet.ini --set load.cv=0.5", quoted for a shell: for commands to try next; many logs as " LOG...".
   With the options by which logs are read, without the overrides whose paths are among `except` (separated by blanks;
   null: with all). */
void dlq_config_write_arguments(FILE *stream, const struct dlq_invocation *session, const char *except);

/* Prints "next: dlqueue COMMAND ARGUMENTS EXTRA" to the session's output. */
void dlq_config_next(const struct dlq_invocation *session, const char *command, const char *except, const char *extra);

/* DLQ_INVALID where a file that is to be written is one that is read, by whatever name: a configuration, a log, or what
   standard input comes from; where two results have one name; or where standard input is to be read twice. to_file:
   --output is a file. */
enum dlq_status dlq_inputs_check(const struct dlq_invocation *session, bool to_file);
/* The same of a file that the command names itself, among all that the session has read or is to read. */
enum dlq_status dlq_inputs_check_product(const struct dlq_invocation *session, const char *path);

/* -- what is told beside the result, interrupts, the progress bar (terminal.c) -- */

/* A line for people on standard error, unless --quiet: "dlqueue: " and the text. */
void dlq_tell(const struct dlq_invocation *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Leaves signals alone that the parent has set to be ignored, as shells do for jobs in the background. */
void dlq_interrupt_install(void);

/* 0, or the signal that came. */
const volatile sig_atomic_t *dlq_interrupt_flag(void);
/* As if none had come; what comes at once with it, as from `timeout`, belongs to it. */
void dlq_interrupt_forget(void);

struct dlq_progress_bar {
    const struct dlq_progress *progress;
    bool *introduced; /* what is known at once was told */
    bool terminal, shown;
    long simulations;   /* begun, as far as was seen: the last one at `begun` */
    double begun, line; /* s; line: when the last one was written */
    struct timespec start;
    pthread_t thread;
    sem_t ended;
};

/* What is to be seen after so many seconds: after a moment what is to be simulated and its bounds; the bar, or, where
   standard error is no terminal, now and then a line. */
void dlq_progress_draw(struct dlq_progress_bar *bar, double seconds);

/* Begins to watch the session's progress; null where nobody wants to see it. */
struct dlq_progress_bar *dlq_progress_begin(struct dlq_invocation *session);
/* Erases the bar; null is fine. */
void dlq_progress_end(struct dlq_progress_bar *bar);

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
