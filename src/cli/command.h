/* Commands: their table, the state of a running command, and functions that they share: inputs, terminal, help. */
#pragma once

#include "args.h"
#include "dlqueue/model.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

/* One call of a command: its arguments, its output and its state. */
struct dlq_invocation {
    const struct dlq_command *commands; /* the table of commands */
    const struct dlq_command *command;
    const struct dlq_args *args;
    const char *const *operands; /* without the command's name */
    size_t operand_count;
    FILE *out;  /* where the result goes */
    bool color; /* whether the result may be colored */
    struct dlq_progress progress;
    struct dlq_run run; /* with threads, interruption and progress */
    bool introduced;    /* the extent and the bounds of the computation have been printed */
    bool partial;       /* interrupted after finished parts were written: an output file is kept */
    int child;          /* the wait status of the program that `run` ran: dlqueue ends with the same one */
    bool child_ended;   /* `child` is set */
    FILE *followed;     /* with --follow a copy of a log that cannot be read again; else null */
    struct dlq_error *error;
    struct dlq_call *call;
};

/* Objects that live until the command has ended; copies of an invocation share them. */
struct dlq_call {
    struct dlq_arena arena;
    struct dlq_kept *kept;
    const struct dlq_used_path *paths; /* files that are read or written and known so far */
};

/* Releases `object` when the command ends, the latest first. DLQ_FAILURE: no memory; `object` is released now. */
enum dlq_status dlq_keep(const struct dlq_invocation *invocation, void *object, void (*release)(void *object));
void dlq_call_end(struct dlq_call *call);
/* Defines a function for dlq_keep by `free_own`, which takes a pointer to the type of the object. */
#define DLQ_RELEASE(name, free_own)                                                                                    \
    static void name(void *object)                                                                                     \
    {                                                                                                                  \
        free_own(object);                                                                                              \
    }

/* The meaning of the operands of a command. */
enum dlq_operands {
    DLQ_OPERANDS_WORDS, /* names that are no files */
    DLQ_OPERANDS_CONFIGURATIONS,
    DLQ_OPERANDS_LOGS,   /* of one run */
    DLQ_OPERANDS_RUNS,   /* logs of a run before a change and of one after it */
    DLQ_OPERANDS_PROGRAM /* a program and its arguments */
};

/* The meaning of `--output`. */
enum dlq_target {
    DLQ_TARGET_FILE,      /* the file of the result, replaced as a whole */
    DLQ_TARGET_NEW_FILE,  /* the file of the result; an existing file is not replaced */
    DLQ_TARGET_DIRECTORY, /* the directory of the command's files */
    DLQ_TARGET_CHARTS,    /* with --plot the directory of the charts; else as DLQ_TARGET_FILE */
    DLQ_TARGET_BESIDE,    /* with --json the file of the result; else a second file that the command writes */
    DLQ_TARGET_PAGE,      /* a file that the command writes */
    DLQ_TARGET_TRACE,     /* a file that another program writes */
    DLQ_TARGET_PICTURES   /* with --json or --csv the file of the result; else the directory of the charts */
};

typedef enum dlq_status dlq_command_run(struct dlq_invocation *invocation);

struct dlq_example {
    const char *line, *comment;
};

struct dlq_command {
    const char *name, *arguments, *summary;
    struct dlq_example examples[7]; /* ended by a null line */
    const char *about;
    enum dlq_operands operands;
    size_t most_operands;
    enum dlq_target target;
    bool no_csv, no_json;
    bool rewrites;        /* the result is an equivalent configuration: --output may replace the one that was read */
    const char *keys[12]; /* the keys that --set accepts where no configuration is read; "plot.": all of [plot] */
    const char *refusal;  /* the end of the error for other keys */
    dlq_command_run *run;
};

/* The table of the program, ended by a null name (commands.c). The functions below get it as an argument: the
   table refers to all commands, and commands call these functions. */
extern const struct dlq_command dlq_commands[];
/* The command of that name; null: none. */
const struct dlq_command *dlq_command_find(const struct dlq_command *commands, const char *name);
/* Adds "unknown command" with the nearest name; returns DLQ_INVALID. */
enum dlq_status dlq_command_unknown(const struct dlq_command *commands, const char *name, struct dlq_error *error);
/* Whether the command has the option; command null: true. */
bool dlq_command_has(const struct dlq_command *command, const struct dlq_arg *arg);

/* The whole program except the set-up in main; returns the exit status. */
int dlq_command_main(int argc, char *const argv[], const struct dlq_command *commands);

dlq_command_run dlq_run_solve, dlq_run_sweep, dlq_run_plan, dlq_run_timeline, dlq_run_diagnose, dlq_run_fit,
    dlq_run_advise, dlq_run_compare, dlq_run_run, dlq_run_report, dlq_run_check, dlq_run_init, dlq_run_loaders,
    dlq_run_distributions, dlq_run_instances, dlq_run_help;

/* -- inputs, and the check that no output overwrites one (inputs.c) -- */

/* Reads the model of operand `index` ("-": standard input) or, without operands, of the options alone; applies
   overrides, calls `complete` if it is not null, and checks. Each mistake is a line of the error. The call owns the
   model. */
enum dlq_status dlq_config_read(struct dlq_invocation *invocation, size_t index,
                                enum dlq_status (*complete)(struct dlq_model *model, struct dlq_error *error),
                                struct dlq_model **model);
/* Reads the models of `count` operands and reports the mistakes of all. Several models are to be simulated on common
   draws, so all get the seed of the first. */
enum dlq_status dlq_configs_read(struct dlq_invocation *invocation, struct dlq_model ***models, size_t count);
/* For dlq_keep. */
void dlq_model_release(void *model);
/* The model's setting of that section and key; false: no such key. */
bool dlq_config_setting(const struct dlq_model *model, const char *section, const char *key,
                        struct dlq_setting *setting);

/* Opens a file for reading without waiting for the writer of a pipe; "-": standard input, with a hint if that is a
   terminal. what: "log", "table" or "configuration". The error for a missing configuration says how to write one. */
enum dlq_status dlq_input_open(const struct dlq_invocation *invocation, const char *path, const char *what,
                               FILE **stream);
void dlq_input_close(FILE *stream);
/* Whether both paths are the same regular file. "-" is standard input. */
bool dlq_input_is_same(const char *one, const char *other);

/* Writes a word in quotes if a shell needs them. */
void dlq_config_write_word(FILE *stream, const char *word);
/* Writes the operands and options for a further command: " configs/resnet.ini --set load.cv=0.5"; " LOG..." for many
   logs. Leaves out overrides of the keys and sections in `except`, which are separated by blanks; null: none. */
void dlq_config_write_arguments(FILE *stream, const struct dlq_invocation *invocation, const char *except);
/* Prints "next: dlqueue COMMAND ARGUMENTS EXTRA" to the invocation's output. */
void dlq_config_next(const struct dlq_invocation *invocation, const char *command, const char *except,
                     const char *extra);

/* DLQ_INVALID if a file is both read and written under any name, two results have one name, or standard input is
   to be read twice. to_file: --output names a file. */
enum dlq_status dlq_inputs_check(const struct dlq_invocation *invocation, bool to_file);
/* Checks in the same way a further file that the command writes. */
enum dlq_status dlq_inputs_check_product(const struct dlq_invocation *invocation, const char *path);

/* -- messages, interrupts, the progress bar (terminal.c) -- */

/* Prints "dlqueue: " and the text as a line on standard error, unless --quiet. */
void dlq_message(const struct dlq_invocation *invocation, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Catches SIGINT, SIGTERM and SIGHUP, except those that the parent ignores, as shells do for background jobs. */
void dlq_interrupt_install(void);
/* 0, or the number of the signal that was caught. */
const volatile sig_atomic_t *dlq_interrupt_flag(void);
/* Clears the flag. Further signals of the same keystroke do not set it again. */
void dlq_interrupt_forget(void);

struct dlq_progress_bar {
    const struct dlq_progress *progress;
    bool *introduced;      /* of the invocation */
    bool terminal;         /* standard error is a terminal: draw a bar, else write lines */
    bool shown;            /* a bar is on the terminal */
    long simulations;      /* how many have started */
    double started;        /* when the latest of them started, s after `start` */
    double line;           /* when the latest line was written, s after `start` */
    struct timespec start; /* of the computation */
    pthread_t thread;
    sem_t ended;
};

/* Draws the state `seconds` after the start: first the extent of the simulation with its bounds, then the bar; if
   standard error is no terminal, a line every ten seconds. */
void dlq_progress_draw(struct dlq_progress_bar *bar, double seconds);
/* Whether `fd` is a terminal that understands escape sequences, and NO_COLOR is not set. */
bool dlq_terminal_escapes(int fd);
/* Whether the environment asks for ASCII: LC_ALL, LC_CTYPE or LANG, the first that is set, is C or POSIX. */
bool dlq_terminal_is_ascii(void);
/* Starts a thread that draws the invocation's progress; null with --quiet. */
struct dlq_progress_bar *dlq_progress_begin(struct dlq_invocation *invocation);
/* Erases the bar and ends its thread; null is allowed. */
void dlq_progress_end(struct dlq_progress_bar *bar);

/* -- help (help.c); tables end with null -- */

struct dlq_exit_help {
    const char *status, *meaning;
};
extern const struct dlq_exit_help dlq_exit_rows[];
/* Examples of the program as a whole. */
extern const struct dlq_example dlq_help_examples[];
/* Topics of help other than commands. */
extern const char *const dlq_help_topics[];
/* Help for a command of the table; null: for the program. */
void dlq_help_write(FILE *stream, const struct dlq_command *commands, const struct dlq_command *command);
