/* Log formats: the rows of the table of formats, the interface of readers, and functions that several readers call. */
#pragma once

#include "base/arena.h"
#include "base/lines.h"
#include "dlqueue/logs/trace.h"

#include <math.h>
#include <stdint.h>

/* Bytes: the longest line, the beginning of a log that probes see, the reason why a line is bad, all doubts. */
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

/* The times of a batch, or mean times of the iterations since the line before. As small as 136 bytes, since memory
   holds many. Times are in s; points in time are on one clock of the rank, from any origin. Unknown: NAN, -1.
   dlq_trace_add computes the times that a log leaves out: load = load_end - load_start, data = received - request, step
   = step_end - received or iter - data (at least 0), iter = step_end - step_end of the iteration before (for the first
   iteration of an epoch, and after a bad line: step_end - request). */
struct dlq_batch {
    double data, iter; /* per iteration: the wait for data, including reception of the batch; the whole iteration */
    double step;       /* per iteration: iter without data */
    double load;       /* of the batch on its worker */
    double dispatched, load_start, load_end, request, received, step_end;
    float use[DLQ_PROCESSOR_TIMES]; /* by enum dlq_processor_time */
    float rounding;                 /* standard deviation of the error of data, if recovered from rounded means */
    int32_t epoch, worker;
    int32_t index; /* of the last iteration, from 0: in its epoch, or in the run if epochs are unknown */
    int32_t count; /* number of iterations in the means data and iter, >= 1; 0: a load without its iteration */
};

struct dlq_record {
    long rank; /* -1: unknown */
    /* s, for quantiles: printed times of the last iteration, or medians printed without a mean; NAN: as in batch */
    double data_shown, iter_shown;
    struct dlq_batch batch;
};

/* Returns a record with count 1 and all other members unknown. */
struct dlq_record dlq_record_empty(void);

/* -- bytes of a log, uncompressed (input.c) -- */

struct dlq_input;

/* The caller keeps the stream open and closes it. Null: no memory. */
struct dlq_input *dlq_input_new(FILE *stream);
void dlq_input_free(struct dlq_input *input);
/* The first bytes, at most DLQ_LOG_HEAD, and a NUL; owned by `input`. Call it once, before dlq_input_read, which
   returns them again. */
const char *dlq_input_peek(struct dlq_input *input, size_t *length);
/* Reads `size` bytes, fewer at the end of the log or after a failure. Returns their number. */
size_t dlq_input_read(struct dlq_input *input, void *bytes, size_t size);
/* Why reading failed: "read error", "the compressed data are damaged", ...; null: no failure. */
const char *dlq_input_fault(const struct dlq_input *input);
/* Bytes read so far from the stream, compressed or not. */
long dlq_input_position(const struct dlq_input *input);

/* -- a log being read (log.c) -- */

/* Sums of wall-clock time and of printed times, s, for comparison: over intervals between lines with time stamps, or
   from a table of sums. An interval lies between two lines of one rank; neither the counter nor the clock falls. */
struct dlq_clock {
    long rows; /* intervals; 0: from a table of sums */
    double iterations;
    double passed;                  /* by the clock */
    double timed, waited, transfer; /* by the log: iterations, and the waits and transfers in them */
    double resolution;              /* of the clock */
    long validation_lines;          /* with or without times */
    long saves;                     /* lines about a saved checkpoint */
    /* Number of intervals that are far longer than their iterations, and sum of the excess: intervals with lines about
       validation alone, about checkpoints alone, and about neither or both. */
    struct dlq_outside {
        long count;
        double seconds;
    } validation, checkpoints, pauses;
};

/* Facts about all logs of a trace; all zero before the first log. */
struct dlq_shared {
    bool has_origin;          /* `origin` is set */
    int64_t origin;           /* ns; formats with absolute times subtract it, so that doubles are exact enough */
    long workers;             /* worker processes with a log of their own, so far */
    long loaders;             /* that lines of text name; 0: none does; -1: no such number, or they disagree */
    long world;               /* processes of the run, the largest number in a log; 0: unknown */
    bool persistent;          /* a log says that workers persist over epochs */
    bool unordered;           /* a log says that batches are delivered in order of completion */
    struct dlq_log_host host; /* the largest numbers in a log */
    bool cuda, synchronized;  /* a log says that a GPU was used; that each step waited for the GPU */
    bool unit_unknown;        /* times may be in s or in ms */
    bool sampled;             /* a line shows one of the iterations since the line before */
    bool steps_unknown;       /* the counter does not rise by 1 from line to line, or is unknown */
    unsigned matched;         /* bit i: a line matched pattern i */
    long validation_lines;    /* ignored lines or rows of validation */
    struct dlq_clock clock;
    long repeated_headers; /* ignored lines that repeat a CSV header */
    struct dlq_read_as read_as;
    char doubts[DLQ_LOG_DOUBTS]; /* facts that the log does not give, one sentence per line */
    char unused[DLQ_LOG_WHY];    /* unknown columns of a CSV without waits or iterations; patterns that match no line */
};

struct dlq_log {
    const char *name;
    const struct dlq_format *format;
    struct dlq_arena *arena; /* released with the log */
    struct dlq_input *input; /* binary formats read these bytes; other formats read `lines` */
    struct dlq_lines *lines; /* over the input; a reader may write to lines->text, the current line */
    const char *head;        /* the first bytes, at most DLQ_LOG_HEAD, cut anywhere; a NUL follows */
    size_t head_length;
    const struct dlq_trace_options *options;
    long every;            /* --every: iterations in the mean of a line that does not give their number; >= 1 */
    long line_rank;        /* that launchers print at the start of the current line; -1: none (dlq_text_line) */
    long line;             /* number of the current line (dlq_log_line sets it) or event (the reader sets it) */
    char why[DLQ_LOG_WHY]; /* why the current line is bad */
    struct dlq_shared *shared;
    bool running;                     /* numbers with DLQ_SHOWS_WINDOW are DLQ_SHOWS_RUNNING in this log */
    long between;                     /* iterations between its first two lines (dlq_text_pace); 0: unknown */
    struct dlq_rank_windows *windows; /* by rank + 1 (windows.c); owned */
    size_t window_count;
    void *state; /* of the reader */
};

/* Result of reading the next line or event. */
enum dlq_read {
    DLQ_READ_RECORD,  /* *record is filled */
    DLQ_READ_OTHER,   /* a line of another kind, which the program prints too; counted */
    DLQ_READ_NOTHING, /* a line of this format without a record: a header, a comment, an event that is no iteration */
    DLQ_READ_BAD,     /* a malformed line of this format: log->why has the reason */
    DLQ_READ_END,     /* the log ended */
    DLQ_READ_FAILED   /* reading or an allocation failed: log->why has the reason; reading stops */
};

/* Returns any other result than DLQ_READ_RECORD from the calling function. */
#define TRY_READ(call)                                                                                                 \
    do {                                                                                                               \
        enum dlq_read try_read = (call);                                                                               \
        if (try_read != DLQ_READ_RECORD)                                                                               \
            return try_read;                                                                                           \
    } while (0)

/* Reads a line. DLQ_READ_RECORD: log->lines->text is the line. The reader returns any other result to its caller. */
enum dlq_read dlq_log_line(struct dlq_log *log);
/* Readers check every time with it. False: |seconds| is over DLQ_TIME_MOST, as `why` says. NAN is valid. */
bool dlq_log_time(const char *name, double seconds, char why[DLQ_LOG_WHY]);
/* Fills log->why; returns DLQ_READ_BAD. */
enum dlq_read dlq_log_bad(struct dlq_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a sentence to log->shared->doubts, if that does not have it. */
void dlq_log_doubt(struct dlq_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says in log->why that a data time is longer than its iteration, both in s; returns DLQ_READ_BAD. */
enum dlq_read dlq_log_exceeds(struct dlq_log *log, double data, double iter);
/* Fills log->why; returns DLQ_READ_FAILED. */
enum dlq_read dlq_log_no_memory(struct dlq_log *log);

/* -- formats (formats/formats.c has the rows) -- */

/* Which iterations a printed time covers. */
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
    bool zero_based;      /* the counter of the first iteration is 0; else 1, unless the log has a 0 */
    bool run_long;        /* the counter may go on from epoch to epoch: it restarts only where it falls */
    bool data_may_exceed; /* data covers other iterations or ranks than iter, and may be longer */
    bool single_differs;  /* a single data is of another iteration than a single iter */
    long interval;        /* iterations between lines, assumed for the first line of a resumed run if dlq_log.between is
                             unknown or the mean is running; 0: such a line covers all iterations before it */
    long window;  /* iterations in a DLQ_SHOWS_WINDOW, fewer at the start of an epoch; 0: since the line before */
    long warm_up; /* iterations at the start that the running mean of iter leaves out */
};

/* A time in a line: "TEXT FRONT (INNER)", where FRONT and INNER are numbers; in a JSON object the key TEXT. */
struct dlq_label {
    const char *text;
    double unit; /* s */
    enum dlq_printed_time time;
    enum dlq_shows front, inner; /* inner DLQ_SHOWS_NOTHING: no parentheses follow */
    bool optional;               /* lines without this label are complete */
};

/* How a line begins. `place` follows the marker: %e is the epoch, %n the counter, %t a total (after blanks); a blank
   matches one or more blanks, ~ any number, other characters themselves. For JSON, the marker is the counter's key. */
struct dlq_line_form {
    const char *marker, *place;
};

enum { DLQ_FORMS = 5, DLQ_LABELS = 5, DLQ_IGNORED = 5 };

/* Functions that read a log. Formats may share a reader, which reads their differences from log->format. */
struct dlq_log_reader {
    /* Score that log->head is of log->format: 0 (no) to 100 (certain). The format with the highest score is chosen,
       among equals the first row. Of *log only format, head and head_length are set. Null: chosen by options alone. */
    int (*probe)(const struct dlq_log *log);
    /* Reads the next line or event. */
    enum dlq_read (*next)(struct dlq_log *log, struct dlq_record *record);
    /* After the end of the log: returns pending records, one by one, then DLQ_READ_END. Null: the reader has none. */
    enum dlq_read (*drain)(struct dlq_log *log, struct dlq_record *record);
    size_t state;                        /* bytes of log->state, which are all zero at first */
    void (*start)(struct dlq_log *log);  /* called before the first `next`; may be null */
    void (*finish)(struct dlq_log *log); /* called last; releases members of the state; may be null */
};

enum { DLQ_FORMAT_NAMES = 4 };

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct dlq_format {
    const char *name, *written_by, *meaning;   /* texts of `dlqueue help formats` */
    const char *other_names[DLQ_FORMAT_NAMES]; /* further names that --format accepts; ends with null */
    enum dlq_numbers numbers;                  /* which iterations its times cover */
    bool waits_for_all;                        /* data is the longest of all ranks */
    bool looks_ahead;                          /* the wait of an iteration is for the batch of the next iteration */
    bool persistent;                           /* workers persist over epochs, unless the user says otherwise */
    bool joins;          /* a batch may have records in several logs; dlq_trace_join merges them by rank and index */
    bool binary;         /* not made of lines */
    bool named_columns;  /* --column may name its columns */
    bool unmarked_means; /* a line may be the mean of several iterations and does not say so */
    bool recognized;     /* chosen by the words of the log (formats/generic.c): lines without a time are other lines */
    const struct dlq_log_reader *reader;
    /* For dlq_text_reader and dlq_json_reader: how a line begins and which times it has. */
    struct dlq_line_form forms[DLQ_FORMS]; /* ends with a row without a marker */
    struct dlq_label labels[DLQ_LABELS];   /* ends with a row without a text; a line has at least one label */
    const char *ignored[DLQ_IGNORED];      /* texts in lines that are not of training; ends with null */
    struct dlq_line_rules rules;
    bool weak; /* other programs print such markers too: a line without a label is not of this format */
};

/* Row `index` of the table; null: there are fewer rows. */
const struct dlq_format *dlq_format_at(size_t index);
/* Of the rows called `name` (null: of all with a positive score), the row with the highest score; null: none. */
const struct dlq_format *dlq_format_find(const char *name, const char *head, size_t length);

/* -- numbers in lines (number.c) -- */

/* Reads [+-]digits[.digits][e[+-]digits] at *text, to the bits of strtod in the C locale, and moves *text behind the
   number. `comma`: "1,5" is 1.5, too. Beyond the range of double: infinite, or 0. False, and *text is unchanged: no
   number, or a number of over 1023 characters. Leading blanks, nan, inf and hexadecimal digits are no numbers. */
bool dlq_number_read(const char **text, bool comma, double *value);
/* Reads an unsigned number; returns the text behind it, or null. *rounding (or null): half a unit of its last digit. */
const char *dlq_number_time(const char *text, double *value, double *rounding);
/* Reads digits and returns the text behind them; null: no digit. A number above INT32_MAX becomes INT32_MAX + 1. */
const char *dlq_number_whole(const char *text, long *value);

/* -- windows: which iterations a printed line covers, and their means (windows.c) -- */

struct dlq_printed_line {
    long rank, epoch; /* -1: not printed */
    long counter;     /* as printed */
    struct dlq_printed {
        double shown[DLQ_SHOWS_NOTHING]; /* s, by enum dlq_shows; NAN: not printed */
        double rounding;                 /* s; half a unit of the last digit printed */
    } times[DLQ_PRINTED_TIMES];
};

/* Returns a line without any number. */
struct dlq_printed_line dlq_printed_nothing(void);
/* Makes the record of a line. Call it for each line, in the order of the log; ranks may alternate. */
enum dlq_read dlq_windows_record(struct dlq_log *log, const struct dlq_line_rules *rules,
                                 const struct dlq_printed_line *line, struct dlq_record *record);

/* -- lines of text (formats/text.c) -- */

extern const struct dlq_log_reader dlq_text_reader;
/* The probe and the record of a line, for other readers whose formats have forms and labels. */
int dlq_text_probe(const struct dlq_log *log);
enum dlq_read dlq_text_record(struct dlq_log *log, const char *text, long rank, struct dlq_record *record);
/* Reads a line as a terminal shows it, without color codes. Moves a rank before the line ("[rank3]: ", "3: ") to *rank
   (-1: none), unless `rank` is null; it holds for what is drawn over this line, too. A line that is too long is
   DLQ_READ_OTHER unless its beginning contains `marker`. */
enum dlq_read dlq_text_line(struct dlq_log *log, const char *marker, char **text, long *rank);
/* Calls `matches` for each line of log->head, as dlq_text_line returns it, until one returns true; returns whether. */
bool dlq_text_any_line(const struct dlq_log *log, bool (*matches)(char *text, void *context), void *context);
/* Finds the first line whose counter is above a positive counter of the line before. Sets log->between to the rise (0:
   no such line), and returns the counter of the line before. number: the counter of a line; below 0: none. */
double dlq_text_pace(struct dlq_log *log, double (*number)(const struct dlq_log *log, char *text, const void *context),
                     const void *context);
/* The counter of a line of a format with forms; -1: none. For dlq_text_pace. */
double dlq_text_counter(const struct dlq_log *log, char *text, const void *unused);
/* Whether the first 90 bytes of a line have a word such as val or testing, and none that begins with "train". */
bool dlq_text_is_validation(const char *text);
/* Whether the first 200 bytes of a line say that a checkpoint is saved: "Saving model", "Save weights to DIRECTORY". */
bool dlq_text_is_save(const char *text);
/* Finds `word` with no letter, digit or _ before it; null: not found. */
const char *dlq_text_find(const char *text, const char *word);

/* -- options that describe a log -- */

/* The name of the format for --pattern (formats/pattern.c). Null: *error has a line for each wrong pattern. */
const char *dlq_patterns_format(const struct dlq_trace_options *options, struct dlq_error *error);
/* In a log of JSON objects, --column names keys: sets log->options to the patterns of these keys
   (formats/generic_csv.c). False: no memory. */
bool dlq_patterns_of_keys(struct dlq_log *log);
/* Checks the text of each --column (formats/csv.c). DLQ_INVALID: *error has a line for each wrong one. */
enum dlq_status dlq_columns_check(const struct dlq_trace_options *options, struct dlq_error *error);

/* -- JSON values of a log, one after the other, in memory that does not grow with the log (json_values.c) -- */

enum { DLQ_KEY_SIZE = 64 };

/* Initialize `input` and `most`, `line` and `lines` with 1, other members with zero. */
struct dlq_json_values {
    struct dlq_input *input;
    char *bytes;           /* buffer that grows with the longest value, up to `most` bytes and a NUL; caller frees it */
    size_t capacity, most; /* of the buffer */
    const char *text;      /* the last value, as it is in the log, without a NUL; valid until the next call */
    size_t length;         /* of text */
    long line;             /* number of the line where the last value begins, from 1 */
    bool started, ended, no_memory; /* bytes were read; no more can be read; an allocation failed */
    bool broken;                    /* an unexpected byte, or a log that is cut off: no value follows */
    size_t start, end;              /* unread bytes of the buffer */
    size_t counted;                 /* bytes of the buffer whose newlines are counted in `lines` */
    long lines;
};

enum dlq_value {
    DLQ_VALUE_WHOLE,
    DLQ_VALUE_TOO_LONG, /* over `most` bytes; skipped */
    DLQ_VALUE_CUT       /* the log ends within the value */
};

struct json_t; /* of Jansson */
/* A key and its colon; the } of the object; something else. */
enum dlq_key { DLQ_KEY_NAME, DLQ_KEY_CLOSE, DLQ_KEY_WRONG };

/* Skips white space. Returns the next byte, which stays unread; -1: the end. */
int dlq_json_peek(struct dlq_json_values *values);
/* Skips white space, and reads the next byte if it is `byte`. Returns whether it is. */
bool dlq_json_accept(struct dlq_json_values *values, char byte);
/* Reads a value of any kind: brackets are counted, not matched. The text is empty if no value follows. */
enum dlq_value dlq_json_next(struct dlq_json_values *values);
/* Within an object, after its {: reads a comma, if any, a key, without its quotes and cut to fit, and its colon. */
enum dlq_key dlq_json_key(struct dlq_json_values *values, char key[DLQ_KEY_SIZE]);
/* Reads a value as an object, which the caller releases; messages call the value `what`. `prepare` may change the text
   before it is parsed; any result but DLQ_READ_RECORD is returned, without parsing. */
enum dlq_read dlq_json_parse(struct dlq_json_values *values, struct dlq_log *log, const char *what,
                             enum dlq_read (*prepare)(struct dlq_log *log, char *text), struct json_t **object);
/* Replaces NaN and +-Infinity of Python by equally long empty strings. Returns the number of commas outside strings. */
long dlq_json_mend(char *text);
/* Sets log->line, log->why and `broken`: `wanted` does not follow. Returns DLQ_READ_BAD or DLQ_READ_FAILED. */
enum dlq_read dlq_json_wrong(struct dlq_json_values *values, struct dlq_log *log, const char *wanted);
