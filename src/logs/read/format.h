/* Log formats: what a row of the table of formats says, what a reader is given and returns, and what readers share. */
#pragma once

#include "base/arena.h"
#include "base/lines.h"
#include "dlqueue/logs/trace.h"

#include <math.h>
#include <stdint.h>

/* Bytes: the longest line, the beginning of a log that is shown to probes, the reason why a line is refused. */
enum { DLQ_LOG_LINE = 32768, DLQ_LOG_HEAD = 65536, DLQ_LOG_WHY = 256, DLQ_LOG_DOUBTS = 768 };

/* -- records: the form into which every format is read -- */

/* CPU times of a process. LOAD: during a load; WORKER: on a worker between two loads; RECEIVE: in the trainer while a
   batch is received; STEP: in the trainer during the step. CPU: the time that all threads of the process computed.
   DELAY: the time that the process was ready to run and had no core. */
enum dlq_processor_time {
    DLQ_LOAD_CPU,
    DLQ_LOAD_DELAY,
    DLQ_WORKER_CPU,
    DLQ_WORKER_DELAY,
    DLQ_RECEIVE_CPU,
    DLQ_RECEIVE_DELAY,
    DLQ_STEP_CPU,
    DLQ_STEP_DELAY,
    DLQ_PROCESSOR_TIMES
};

/* A batch, or the iterations since the line before, as kept in memory: 136 bytes. Times are in s; points in time are on
   one clock of the rank, from any origin. Unknown: NAN, -1. dlq_trace_add computes what a log leaves out:
   load = load_end - load_start, data = received - request, step = step_end - received or iter - data (at least 0),
   iter = step_end - step_end of the iteration before (of the first of an epoch, and after a bad line: - request). */
struct dlq_batch {
    double data, iter; /* per iteration: the wait for data, with receiving the batch; the whole iteration */
    double step;       /* per iteration, without data */
    double load;       /* of the batch on its worker */
    double dispatched, load_start, load_end, request, received, step_end;
    float use[DLQ_PROCESSOR_TIMES]; /* by enum dlq_processor_time */
    float rounding;                 /* s; standard deviation of the error of a data recovered from rounded means */
    int32_t epoch, worker;
    int32_t index; /* of the last iteration, from 0: in its epoch, or in the run where epochs are unknown */
    int32_t count; /* iterations that data and iter are the mean of, >= 1; 0: a load without its iteration */
};

struct dlq_record {
    long rank; /* -1: unknown */
    /* s, for quantiles: of the last iteration alone, or a median where no mean is shown; NAN: batch.data, batch.iter */
    double data_shown, iter_shown;
    struct dlq_batch batch;
};

/* A record with count 1 and all else unknown. */
struct dlq_record dlq_record_empty(void);

/* -- bytes of a log, uncompressed (input.c) -- */

struct dlq_input;

/* The caller keeps the stream open and closes it. Null: no memory. */
struct dlq_input *dlq_input_new(FILE *stream);
void dlq_input_free(struct dlq_input *input);
/* The first bytes, at most DLQ_LOG_HEAD, NUL-terminated, valid as long as the input. Call it once, before
   dlq_input_read, which returns these bytes again. */
const char *dlq_input_peek(struct dlq_input *input, size_t *length);
/* Reads `size` bytes; fewer at the end of the log, and where reading failed. */
size_t dlq_input_read(struct dlq_input *input, void *bytes, size_t size);
/* Why reading failed: "read error", "the compressed data are damaged", ...; null: no failure. */
const char *dlq_input_fault(const struct dlq_input *input);
/* Bytes read so far from the stream, compressed or not. */
long dlq_input_position(const struct dlq_input *input);

/* -- a log being read (log.c) -- */

/* The wall clock beside the times of a log: of lines with time stamps, from each line to the next of the same rank and
   count, and of a table of sums. s. */
struct dlq_clock {
    long rows; /* from a line to the next, without those where the count or the clock falls back */
    double iterations;
    double passed, timed, waited, transfer; /* by the clock; by the log: iterations, and of these waits and transfers */
    double resolution;                      /* of the clock */
    long validation_lines;                  /* with times or without */
    long saves;                             /* lines that tell of a saved checkpoint */
    /* Rows that take far longer than their iterations, and by how much; with lines between that tell of validation
       alone, of checkpoints alone, or of neither or both */
    struct dlq_outside {
        long count;
        double seconds;
    } validation, checkpoints, pauses;
};

/* What the logs of a trace have in common; all zero before the first log. */
struct dlq_shared {
    bool has_origin;
    int64_t origin;           /* ns; formats with absolute times subtract it, so that doubles are exact enough */
    long workers;             /* worker processes with a log of their own, so far */
    long world;               /* processes of the run, the most that a log names; 0: unknown */
    bool persistent;          /* a log says that workers live on from epoch to epoch */
    bool unordered;           /* a log says that batches are delivered as they are completed */
    struct dlq_log_host host; /* the most that a log names */
    bool cuda, synchronized;  /* a log says that the GPU was used; that each step waited for the GPU */
    bool unit_untold;         /* times may be in s or in ms */
    bool uncounted;           /* the numbers of lines do not rise by 1, or are unknown */
    unsigned found;           /* bit i: some line had the number of pattern i */
    long validation_lines;    /* lines or rows of validation, left out */
    struct dlq_clock clock;
    long repeated; /* headers that came again */
    struct dlq_read_as read_as;
    char doubts[DLQ_LOG_DOUBTS]; /* what the log does not tell, a sentence a line */
    char unused[DLQ_LOG_WHY]; /* unknown columns of a CSV without waits or iterations; patterns that no line had; "" */
};

struct dlq_log {
    const char *name;
    const struct dlq_format *format;
    struct dlq_arena *arena; /* released with the log */
    struct dlq_input *input; /* a format reads these bytes or, more often, lines */
    struct dlq_lines *lines; /* over the input; a reader may write to lines->text, the current line */
    const char *head;        /* the first bytes, at most DLQ_LOG_HEAD, cut anywhere; a NUL follows */
    size_t head_length;
    const struct dlq_trace_options *options;
    long every;            /* --every: iterations that a line is the mean of, if the line does not say; >= 1 */
    long line;             /* number of the current line (dlq_log_line sets it) or event (the reader sets it) */
    char why[DLQ_LOG_WHY]; /* why the current line is refused */
    struct dlq_shared *shared;
    bool running;                     /* DLQ_SHOWS_WINDOW is DLQ_SHOWS_RUNNING in this log */
    long between;                     /* iterations between its first two lines (dlq_text_pace); 0: unknown */
    struct dlq_rank_windows *windows; /* by rank + 1 (windows.c); owned */
    size_t window_count;
    void *state; /* of the reader */
};

/* What a reader found in the next line or event. */
enum dlq_read {
    DLQ_READ_RECORD,  /* *record is filled */
    DLQ_READ_OTHER,   /* a line of another kind, which the program prints too; counted */
    DLQ_READ_NOTHING, /* a line of this format without a record: a header, a comment, an event that is no iteration */
    DLQ_READ_BAD,     /* a wrong line of this format: log->why says what is wrong */
    DLQ_READ_END,     /* the log ended */
    DLQ_READ_FAILED   /* reading or an allocation failed: log->why says so; reading stops */
};

/* Returns from the function what is not DLQ_READ_RECORD. */
#define TRY_READ(call)                                                                                                 \
    do {                                                                                                               \
        enum dlq_read try_read = (call);                                                                               \
        if (try_read != DLQ_READ_RECORD)                                                                               \
            return try_read;                                                                                           \
    } while (0)

/* Reads a line. DLQ_READ_RECORD: log->lines->text is the line; anything else: what the reader returns. */
enum dlq_read dlq_log_line(struct dlq_log *log);
/* Readers check every time with it. False: |seconds| is over DLQ_TIME_MOST, as `why` says of `name`. NAN is valid. */
bool dlq_log_time(const char *name, double seconds, char why[DLQ_LOG_WHY]);
/* Fills log->why; always DLQ_READ_BAD. */
enum dlq_read dlq_log_bad(struct dlq_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a sentence to log->shared->doubts. */
void dlq_log_doubt(struct dlq_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A data time that is longer than its iteration, in s; always DLQ_READ_BAD. */
enum dlq_read dlq_log_exceeds(struct dlq_log *log, double data, double iter);
/* Fills log->why; always DLQ_READ_FAILED. */
enum dlq_read dlq_log_no_memory(struct dlq_log *log);

/* -- formats (formats/formats.c has the rows) -- */

/* Of which iterations a printed time is. */
enum dlq_shows {
    DLQ_SHOWS_SINGLE,  /* the last iteration alone */
    DLQ_SHOWS_WINDOW,  /* the mean of the last few iterations, or of those since the line before */
    DLQ_SHOWS_RUNNING, /* the mean since the start of the epoch or of the run */
    DLQ_SHOWS_MEDIAN,  /* the median of the last few iterations */
    DLQ_SHOWS_NOTHING
};
/* Which time is printed: the wait for data, or the whole iteration. */
enum dlq_printed_time { DLQ_PRINTED_DATA, DLQ_PRINTED_ITER, DLQ_PRINTED_TIMES };

/* How a program counts iterations and measures times. */
struct dlq_line_rules {
    bool zero_based;      /* the i-th iteration, from 0, has the number i; else i + 1 (a printed 0 also tells) */
    bool run_long;        /* the counter may go on from epoch to epoch: it starts anew only where it falls */
    bool data_may_exceed; /* data is of other iterations or ranks than iter, and may be longer */
    bool single_differs;  /* a single data is of another iteration than a single iter */
    long interval;        /* iterations between lines, assumed for the first line of a resumed run where dlq_log.between
                             is unknown or the mean is running; 0: such a first line is of all iterations before it */
    long window;  /* iterations of DLQ_SHOWS_WINDOW, fewer at the start of an epoch; 0: those since the line before */
    long warm_up; /* iterations at the start that the running mean of iter leaves out */
};

/* A time in a line: "TEXT FRONT (INNER)"; in a JSON object the key TEXT. */
struct dlq_label {
    const char *text;
    double unit; /* s */
    enum dlq_printed_time time;
    enum dlq_shows front, inner; /* inner DLQ_SHOWS_NOTHING: no parentheses follow */
    bool optional;
};

/* How a line begins. `place` follows the marker: %e is the epoch, %n the counter, %t a total (each after any blanks); a
   blank is one or more blanks; ~ is any blanks; other characters stand for themselves. In a JSON object the marker is
   the key of the counter. */
struct dlq_line_form {
    const char *marker, *place;
};

enum { DLQ_FORMS = 5, DLQ_LABELS = 5, DLQ_IGNORED = 5 };

/* How logs are read. Several formats may have one reader, which finds their differences in log->format. */
struct dlq_log_reader {
    /* How sure the reader is that log->head is of log->format: 0 (no) to 100. The highest number wins, then the first
       row. Nothing else of the log is known yet. Null: --pattern describes such logs. */
    int (*probe)(const struct dlq_log *log);
    enum dlq_read (*next)(struct dlq_log *log, struct dlq_record *record);
    /* Returns the records that are left at the end of the log, one by one, then DLQ_READ_END. Null: none are. */
    enum dlq_read (*drain)(struct dlq_log *log, struct dlq_record *record);
    size_t state;                        /* bytes of log->state, which are all zero at first */
    void (*start)(struct dlq_log *log);  /* before the first `next`; may be null */
    void (*finish)(struct dlq_log *log); /* after the last: releases what the state owns; may be null */
};

enum { DLQ_FORMAT_NAMES = 4 };

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct dlq_format {
    const char *name, *written_by, *meaning;
    const char *other_names[DLQ_FORMAT_NAMES]; /* that --format accepts; up to null */
    enum dlq_numbers numbers;                  /* what its times are; 0: of single iterations */
    bool waits_for_all;                        /* data is the longest of all ranks */
    bool looks_ahead;                          /* the wait of an iteration is for the batch after it */
    bool persistent;                           /* workers live on from epoch to epoch, unless the user says otherwise */
    bool joins;         /* a batch may have several records, also in several logs: those of one rank and index are
                           joined */
    bool binary;        /* not made of lines */
    bool named_columns; /* --column may name its columns */
    bool untold;        /* a line may be the mean of several iterations without saying so */
    bool recognized;    /* by the words of the log (formats/generic.c): lines that lack a time are of another kind */
    const struct dlq_log_reader *reader;
    /* For dlq_text_reader and dlq_json_reader: how a line begins and which times it has. */
    struct dlq_line_form forms[DLQ_FORMS]; /* up to one without a marker */
    struct dlq_label labels[DLQ_LABELS];   /* up to one without a text; a line has at least one */
    const char *ignored[DLQ_IGNORED];      /* texts in lines that are not of training; up to null */
    struct dlq_line_rules rules;
    bool weak; /* other programs print such markers too: a line without a label is not of this format */
};

/* Row `index` of the table; null: after the last row. */
const struct dlq_format *dlq_format_at(size_t index);
/* The row, among those called `name` (null: among all), whose probe is surest of this head; with a name the first row
   of that name if no probe is. Null: none. */
const struct dlq_format *dlq_format_find(const char *name, const char *head, size_t length);

/* -- numbers in lines (number.c) -- */

/* Reads [+-]digits[.digits][e[+-]digits] at *text, to the bits of strtod in the C locale, and moves *text behind the
   number. `comma`: "1,5" is 1.5, too. Beyond the range of double: infinite, or 0. False, and *text stays: no number, or
   one of over 1023 characters; blanks, nan, inf and hexadecimal digits are none. */
bool dlq_number_read(const char **text, bool comma, double *value);
/* Reads a number without a sign and returns what follows; null: no number. *rounding (or null): half a unit of its last
   digit. */
const char *dlq_number_time(const char *text, double *value, double *rounding);
/* Reads digits and returns what follows; null: no digit. A number above INT32_MAX becomes INT32_MAX + 1. */
const char *dlq_number_whole(const char *text, long *value);

/* -- windows: which iterations a printed line is of, and their means (windows.c) -- */

struct dlq_printed_line {
    long rank, epoch; /* -1: the line does not say */
    long counter;     /* as printed */
    struct dlq_printed {
        double shown[DLQ_SHOWS_NOTHING]; /* s, by enum dlq_shows; NAN: not printed */
        double rounding;                 /* s; half a unit of the last digit printed */
    } times[DLQ_PRINTED_TIMES];
};

/* A line with all unknown. */
struct dlq_printed_line dlq_printed_nothing(void);
/* Makes the record of a line. Call it line by line in the order of the log; ranks may alternate. */
enum dlq_read dlq_windows_record(struct dlq_log *log, const struct dlq_line_rules *rules,
                                 const struct dlq_printed_line *line, struct dlq_record *record);

/* -- lines of text (formats/text.c) -- */

extern const struct dlq_log_reader dlq_text_reader;
/* The probe and the record of a line for readers whose format has rows of forms and labels, and other lines besides. */
int dlq_text_probe(const struct dlq_log *log);
enum dlq_read dlq_text_record(struct dlq_log *log, const char *text, long rank, struct dlq_record *record);
/* Reads a line as a terminal shows it: what follows the last carriage return, without color codes. A rank before the
   line ("[rank3]: ", "3: ") is removed and stored in *rank (-1: none); with a null `rank` it stays. A line that is too
   long is of another kind unless its beginning has `marker`. */
enum dlq_read dlq_text_line(struct dlq_log *log, const char *marker, char **text, long *rank);
/* Calls `matches` with each line of log->head, as dlq_text_line returns them, until it is true. */
bool dlq_text_any_line(const struct dlq_log *log, bool (*matches)(char *text, void *with), void *with);
/* Sets log->between, and returns the number of the first line that has one (0: none has). The iteration of a line:
   number(text, with); below 0: the line has none. */
double dlq_text_pace(struct dlq_log *log, double (*number)(const struct dlq_log *log, char *text, const void *with),
                     const void *with);
/* The number of a line of a format with forms. */
double dlq_text_counter(const struct dlq_log *log, char *text, const void *unused);
/* Whether a line is of validation: val, valid, validation, eval, evaluation, evaluating or test is a word of its
   beginning, and none begins with "train". */
bool dlq_text_is_validation(const char *text);
/* Whether the first 200 bytes of a line tell of a checkpoint that is saved: "Saving checkpoint at 10 epochs", "Save
   weights to DIRECTORY". */
bool dlq_text_is_save(const char *text);
/* Finds `word` with no letter, digit or _ before it; null: it is not in the text. */
const char *dlq_text_find(const char *text, const char *word);

/* -- what the user says about a log -- */

/* The name of the format that --pattern describes (formats/pattern.c); null: a pattern is wrong, as a line of *error
   says. */
const char *dlq_patterns_format(const struct dlq_trace_options *options, struct dlq_error *error);
/* Checks the text of each --column (formats/csv.c); DLQ_INVALID: a line of *error for each that is wrong. */
enum dlq_status dlq_columns_check(const struct dlq_trace_options *options, struct dlq_error *error);

/* -- JSON values of a log, one after the other, in memory that does not grow with the log (json_values.c) -- */

enum { DLQ_KEY_SIZE = 64 };

/* Initialize input, most, and line and lines with 1; all else is zero. */
struct dlq_json_values {
    struct dlq_input *input;
    char *bytes; /* free it; grows with the longest value, up to `most` bytes and a NUL */
    size_t capacity, most;
    const char *text; /* the last value, as it is in the log, without a NUL; valid until the next call */
    size_t length;
    long line; /* where the last value begins, from 1 */
    bool started, ended, no_memory;
    bool broken;       /* an unexpected byte, or a log that is cut off: no value follows */
    size_t start, end; /* the bytes not yet read */
    size_t counted;    /* bytes whose newlines are counted in `lines` */
    long lines;
};

enum dlq_value {
    DLQ_VALUE_WHOLE,
    DLQ_VALUE_TOO_LONG, /* over `most` bytes; skipped */
    DLQ_VALUE_CUT       /* the log ends within the value */
};

struct json_t; /* of Jansson */
enum dlq_key { DLQ_KEY_NAME, DLQ_KEY_CLOSE, DLQ_KEY_WRONG };

/* The next byte that is not white space, which stays unread; -1: the end. */
int dlq_json_peek(struct dlq_json_values *values);
/* Reads that byte if it is `byte`. */
bool dlq_json_accept(struct dlq_json_values *values, char byte);
/* Reads a value of any kind: brackets are counted, not matched. The text is empty where no value is. */
enum dlq_value dlq_json_next(struct dlq_json_values *values);
/* Within an object, after its {: reads a key, without its quotes and cut to fit, and its colon. */
enum dlq_key dlq_json_key(struct dlq_json_values *values, char key[DLQ_KEY_SIZE]);
/* Reads a value as an object, which the caller releases; messages call the value `what`. `prepare` may change the text
   first; if it does not return DLQ_READ_RECORD, its result is returned and nothing is parsed. */
enum dlq_read dlq_json_parse(struct dlq_json_values *values, struct dlq_log *log, const char *what,
                             enum dlq_read (*prepare)(struct dlq_log *log, char *text), struct json_t **object);
/* Replaces NaN, Infinity and -Infinity, which Python writes and JSON does not have, by empty strings of the same
   length. Returns the number of commas outside of strings. */
long dlq_json_mend(char *text);
/* What a reader returns where the log does not continue with `wanted`: sets log->line, log->why and `broken`. */
enum dlq_read dlq_json_wrong(struct dlq_json_values *values, struct dlq_log *log, const char *wanted);
