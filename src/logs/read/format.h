/* Log formats: the row that says all of one, what its reader works with, and what several readers share. */
#ifndef DLQ_TRACE_FORMAT_H
#define DLQ_TRACE_FORMAT_H

#include "base/arena.h"
#include "base/lines.h"
#include "dlqueue/logs/trace.h"

#include <math.h>
#include <stdint.h>

enum { DLQ_LOG_LINE = 32768, DLQ_LOG_HEAD = 65536, DLQ_LOG_WHY = 256 };

/* -- records: what every format is read into -- */

/* What a process used of the processor while it loaded a batch; between the end of the load before and that of this
   one; while the trainer received it; in the step. CPU: time of all its threads. DELAY: time that it was ready to run
   and had no core. */
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

/* A batch, or the iterations since the last print, as it is kept: 136 bytes. Unknown: NAN, -1. Times in s, points in
   time on one clock of the rank, from any origin. Where a log shows running means or sums, data and iter are recovered
   for the iterations since the line before. What a log does not give is made from points in time when it is taken in:
   load = load_end - load_start, data = received - request, iter = step_end - the step_end before it (request of the
   first of an epoch, and behind a line that was skipped), step = step_end - received or iter - data (0 where rounding
   makes that negative). */
struct dlq_batch {
    double data, iter; /* per iteration: waiting for data, receiving included; the whole, data included */
    double step;       /* compute alone */
    double load;       /* on its worker */
    double dispatched, load_start, load_end, request, received, step_end;
    float use[DLQ_PROCESSOR_TIMES]; /* by enum dlq_processor_time */
    float rounding;                 /* of data, where it was recovered from rounded means: standard deviation, s */
    int32_t epoch, worker;
    int32_t index; /* in its epoch, or in the run where epochs are unknown, from 0; where count > 1 the last of them */
    int32_t count; /* iterations that data and iter are the mean of, >= 1; 0: an iteration is not what this is (a load
                      alone, which another log's iteration belongs to) */
};

struct dlq_record {
    long line; /* of the log, or number of the event; from 1 */
    long rank;
    double data_shown, iter_shown; /* of the last iteration alone, or a median where there is no mean: for quantiles;
                                      NAN: data and iter are */
    struct dlq_batch batch;
};

/* One of which nothing is known; count 1. */
struct dlq_record dlq_record_empty(void);

/* -- bytes of a log, unpacked where it is compressed by gzip (input.c) -- */

struct dlq_input;

/* Borrows the stream. Null: no memory. */
struct dlq_input *dlq_input_new(FILE *stream);
void dlq_input_free(struct dlq_input *input);
/* The first bytes, up to DLQ_LOG_HEAD, NUL-terminated, as long as the input lives. To be called once, before anything
   is read; they will be read again. */
const char *dlq_input_peek(struct dlq_input *input, size_t *length);
/* Up to size bytes; fewer only at the end, or where reading failed. */
size_t dlq_input_read(struct dlq_input *input, void *bytes, size_t size);
/* "read error", "the compressed data are damaged", ... ; null: none. */
const char *dlq_input_fault(const struct dlq_input *input);
/* Bytes of the stream itself, read so far. */
long dlq_input_position(const struct dlq_input *input);

/* -- a log being read (reader.c) -- */

/* What the logs of a trace have in common; all zero at first. */
struct dlq_shared {
    bool has_origin;
    int64_t origin;           /* from which a format of absolute times counts, so that doubles are exact enough */
    long workers;             /* that have logs of their own, so far */
    long world;               /* processes of the run, the most that a log names; 0: none does */
    bool persistent;          /* a log says that its workers live on from epoch to epoch */
    double cores;             /* that the processes may use, the most that a log names; 0: none does */
    unsigned found;           /* patterns that a line of any log has, by role */
    char unused[DLQ_LOG_WHY]; /* of a CSV without waits or iterations: columns whose names are not known; patterns that
                                 no line has; "" */
};

struct dlq_log {
    const char *name;
    const struct dlq_format *format;
    struct dlq_arena *arena; /* of this log */
    struct dlq_input *input; /* bytes, unpacked; a format reads these or, more often, lines */
    struct dlq_lines *lines; /* over the input; lines->text is the line at hand, which may be written to */
    const char *head;        /* the first bytes, at most DLQ_LOG_HEAD, cut anywhere; a NUL follows */
    size_t head_length;
    const struct dlq_trace_options *options;
    long every;            /* iterations that a line is the mean of, where it does not say; >= 1 */
    long line;             /* of what is at hand: a line's number, an event's; set by dlq_log_line or the format */
    char why[DLQ_LOG_WHY]; /* what is wrong with it */
    struct dlq_shared *shared;
    struct dlq_rank_windows *windows; /* by rank + 1 (windows.c); owned */
    size_t window_count;
    void *state; /* the format's own */
};

enum dlq_taken {
    DLQ_TAKEN_RECORD,  /* *record is filled */
    DLQ_TAKEN_OTHER,   /* not of this format: what else a program prints; counted */
    DLQ_TAKEN_NOTHING, /* of this format, without a record: a header, a comment, an event that is no iteration */
    DLQ_TAKEN_BAD,     /* of this format, and wrong: `why` says in what */
    DLQ_TAKEN_END,
    DLQ_TAKEN_FAILED /* reading failed, or memory: `why` says so; the log ends */
};

/* The next line for a format of lines: DLQ_TAKEN_RECORD where log->lines->text is there; else what to return. */
enum dlq_taken dlq_log_line(struct dlq_log *log);
/* Every time of a log passes here, under its own name or as what is made of it: whether it is within DLQ_TIME_MOST,
   also below 0 (points in time); else `why` says so. NAN is fine. */
bool dlq_log_time(const char *name, double seconds, char why[DLQ_LOG_WHY]);
/* "why", printf-checked; always DLQ_TAKEN_BAD. */
enum dlq_taken dlq_log_bad(struct dlq_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Always DLQ_TAKEN_FAILED. */
enum dlq_taken dlq_log_no_memory(struct dlq_log *log);

/* -- formats (formats/formats.c has the rows) -- */

/* What may be shown of a time. */
enum dlq_shows {
    DLQ_SHOWS_SINGLE,  /* that of this iteration */
    DLQ_SHOWS_WINDOW,  /* the mean of the last few, or of those since the line before */
    DLQ_SHOWS_RUNNING, /* the mean since the epoch's start, or the run's */
    DLQ_SHOWS_MEDIAN,  /* of the last few */
    DLQ_SHOWS_NOTHING
};
enum dlq_of { DLQ_OF_DATA, DLQ_OF_ITER, DLQ_OF };

/* How a program counts and measures. */
struct dlq_line_rules {
    bool zero_based; /* the counter is i of the i-th iteration from 0; else i + 1 (unless a 0 says otherwise) */
    bool run_long;   /* the counter may go on through epochs, starting anew only where it falls; so does one without */
    bool unchecked;  /* data is not of the same iterations, or ranks, as iter: it may come out longer */
    bool unlike;     /* single data is not of the same iterations as single iter */
    long usual;      /* iterations between lines, for a first line that does not say: a run resumed, a log without its
                        beginning; 0: a first line is of all iterations before it */
    bool paced;      /* all lines are `usual` apart, the first as well */
    long window;  /* the window holds that many, fewer at the epoch's start: there it is a running mean; 0: unknown */
    long warm_up; /* iterations at the start that iter's running mean leaves out */
};

/* "LABEL FRONT (INNER)"; of JSON a key, any of a kind. */
struct dlq_label {
    const char *text;
    double unit; /* s */
    enum dlq_of of;
    enum dlq_shows front, inner; /* inner DLQ_SHOWS_NOTHING: nothing is looked for in parentheses */
    bool optional;
};

/* One look of a line. `place` follows the marker: %e epoch, %n counter, %t a total (numbers may have blanks before
   them); a blank: one or more blanks; ~: none or more; anything else: itself. Of JSON the marker is the
   key of the counter. */
struct dlq_line_form {
    const char *marker, *place;
};

enum { DLQ_FORMS = 5, DLQ_LABELS = 5, DLQ_ASIDES = 5 };

/* How logs are read. One reader may serve several formats, whose rows hold what tells these apart. */
struct dlq_log_reader {
    /* How sure it is that log->format is that of log->head, with nothing else known: 0 not this one; the highest
       counts, the first row among equals. Null: it has to be told. */
    int (*probe)(const struct dlq_log *log);
    enum dlq_taken (*next)(struct dlq_log *log, struct dlq_record *record);
    size_t state;                       /* bytes of log->state, all zero at first */
    void (*begin)(struct dlq_log *log); /* may be null, as may be: */
    void (*end)(struct dlq_log *log);   /* releases what the state owns */
};

enum { DLQ_FORMAT_NAMES = 4 };

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct dlq_format {
    const char *name, *written_by, *meaning;
    const char *other_names[DLQ_FORMAT_NAMES]; /* what people call it too; up to null */
    /* What its times are; not told: of single iterations. */
    enum dlq_numbers numbers;
    bool waits_for_all; /* data is the longest of all ranks' */
    bool looks_ahead;   /* the wait of an iteration is that of the batch after it */
    bool persistent;    /* the workers of who writes it live on from epoch to epoch, unless told not to */
    bool joins;         /* records of one rank and index belong together, in several logs too: what one does not know
                           is filled in from the other */
    bool binary;        /* not made of lines */
    bool untold;        /* whether a line is of one iteration or the mean of several, it may not say */
    const struct dlq_log_reader *reader;
    /* For dlq_text_reader and dlq_json_reader: how a line is known, where its numbers stand and what they are. */
    struct dlq_line_form forms[DLQ_FORMS]; /* up to one without marker */
    struct dlq_label labels[DLQ_LABELS];   /* up to one without text; a line has one at least */
    const char *asides[DLQ_ASIDES];        /* in lines of the format that are no training: up to null */
    struct dlq_line_rules rules;
    bool weak; /* other programs print such markers too: a line without any of the labels is not of this format */
};

/* Row 0, 1, ...; null: no more. */
const struct dlq_format *dlq_format_at(size_t index);
/* By content; of those of that name (null: of all) the one that it speaks for, or the first of that name. Null: none.
 */
const struct dlq_format *dlq_format_find(const char *name, const char *head, size_t length);
/* The nearest name, or null where none is near. */
const char *dlq_format_nearest(const char *name);

/* -- numbers in lines (number.c) -- */

/* Reads [+-]digits[.digits][e[+-]digits] at *text and moves *text behind it; the same bits as strtod of the C locale.
   `comma`: a decimal comma will do, too. Nothing else that strtod takes is a number: no blanks, nan, inf, hexadecimal.
   false: none is there (or one of over 1023 characters), *text stays. Beyond the range of double: infinite, or 0. */
bool dlq_number_read(const char **text, bool comma, double *value);
/* The same without a sign or a decimal comma; *rounding, which may be null: half a unit of the last digit. Null: none
   there; else what follows. */
const char *dlq_number_time(const char *text, double *value, double *rounding);
/* Digits up to what fits INT32_MAX; more are INT32_MAX + 1. Null: no digit. */
const char *dlq_number_whole(const char *text, long *value);

/* -- windows: which iterations a printed line is of, and their means (windows.c) -- */

struct dlq_printed_line {
    long rank, epoch; /* -1: the line does not say */
    long counter;     /* as printed */
    struct dlq_printed {
        double shown[DLQ_SHOWS_NOTHING]; /* s; NAN: nothing of the kind */
        double rounding;                 /* half a unit of the last digit printed */
    } of[DLQ_OF];
};

struct dlq_printed_line dlq_printed_nothing(void);
/* The record that a line makes, after those before it, which may be of several ranks. */
enum dlq_taken dlq_windows_take(struct dlq_log *log, const struct dlq_line_rules *rules,
                                const struct dlq_printed_line *line, struct dlq_record *record);

/* -- lines of text (formats/text.c) -- */

extern const struct dlq_log_reader dlq_text_reader;
/* For readers of their own that begin with such a line. */
int dlq_text_probe(const struct dlq_log *log);
/* The record of a line that is at hand, trimmed. */
enum dlq_taken dlq_text_take(struct dlq_log *log, const char *text, long rank, struct dlq_record *record);
/* The next line as people see it: what follows the last carriage return, without the codes of colors, and without a
   rank before it ("[rank3]: ", "3: "), which goes to *rank (-1: none; null: it stays). A line that is too long goes as
   other text, unless `marker` is in its beginning. */
enum dlq_taken dlq_text_line(struct dlq_log *log, const char *marker, char **text, long *rank);
/* Calls `is` with each line of the log's head, trimmed, until one is. */
bool dlq_text_any_line(const struct dlq_log *log, bool (*is)(char *text, void *with), void *with);
/* Where `word` stands with no letter, digit or _ before it; null: nowhere. */
const char *dlq_text_find(const char *text, const char *word);

/* -- lines as the user tells (formats/pattern.c) -- */

/* The format for them; null: a line of *error, DLQ_INVALID, for each that is none. */
const struct dlq_format *dlq_patterns_format(const struct dlq_trace_options *options, struct dlq_error *error);
/* DLQ_INVALID likewise; what they name is looked for in the log. (formats/csv.c) */
enum dlq_status dlq_columns_check(const struct dlq_trace_options *options, struct dlq_error *error);

/* -- JSON values of a log, one after the other, in memory that does not grow with it (json_values.c). What lies within
   a value is looked at no further than its end needs. -- */

enum { DLQ_KEY_SIZE = 64 };

/* Begins with input, most, and line and lines 1. */
struct dlq_json_values {
    struct dlq_input *input;
    char *bytes; /* to be freed: room for a capacity and a NUL; grows with the longest value, up to `most` */
    size_t capacity, most;
    const char *text; /* the value read last, as it stands in the log; not NUL-terminated; until the next call */
    size_t length;
    long line; /* where it begins, from 1 */
    bool begun, ended, no_memory;
    bool broken;       /* the log is cut, or goes on with what should not be there: no value follows */
    size_t begin, end; /* what is buffered and not yet read */
    size_t counted;    /* bytes of the buffer whose ends of lines are in lines */
    long lines;
};

enum dlq_value {
    DLQ_VALUE_WHOLE,
    DLQ_VALUE_TOO_LONG, /* passed over, however long */
    DLQ_VALUE_CUT       /* the log ends within it */
};

struct json_t; /* of Jansson */
enum dlq_key { DLQ_KEY_NAME, DLQ_KEY_CLOSE, DLQ_KEY_WRONG };

/* The next byte that is no white space; -1: none. */
int dlq_json_peek(struct dlq_json_values *values);
/* Takes that byte if it is this one. */
bool dlq_json_take(struct dlq_json_values *values, char byte);
/* The value at hand, whatever its kind: brackets are counted, not matched. Empty where there is none. */
enum dlq_value dlq_json_next(struct dlq_json_values *values);
/* Of an object whose brace is taken: the next key, without its quotes, cut to fit; its value is then at hand. */
enum dlq_key dlq_json_key(struct dlq_json_values *values, char key[DLQ_KEY_SIZE]);
/* The value at hand as an object, the caller's to release; `what` it should be, for messages. `prepare` sees the text
   first and may write to it; what it returns is returned, unless it is RECORD. */
enum dlq_taken dlq_json_parse(struct dlq_json_values *values, struct dlq_log *log, const char *what,
                              enum dlq_taken (*prepare)(struct dlq_log *log, char *text), struct json_t **object);
/* Python writes numbers that are none, losses of a run gone astray, as NaN, Infinity and -Infinity, which JSON has not:
   they become empty texts of the same length. Returns how many commas there are outside of texts. */
long dlq_json_mend(char *text);
/* What to return where a log is not as it has to be here: sets log->line and log->why, and `broken`. */
enum dlq_taken dlq_json_wrong(struct dlq_json_values *values, struct dlq_log *log, const char *wanted);

#endif
