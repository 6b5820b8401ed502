#include "draw/gnuplot.h"

#include "draw/child.h"
#include "draw/picture.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { MESSAGE = 512, MESSAGE_LINES = 3 };

static bool is_blank(char c)
{
    return isspace((unsigned char)c) || c == '^';
}

/* Cuts the last line with something in it off text and returns it, or null; gnuplot's carets are nothing. */
static char *last_line(char *text)
{
    size_t end = strlen(text);
    while (end > 0 && is_blank(text[end - 1]))
        end--;
    if (end == 0)
        return NULL;
    text[end] = '\0';
    char *line = strrchr(text, '\n');
    if (line == NULL)
        return text;
    *line++ = '\0';
    while (is_blank(*line))
        line++;
    return line;
}

/* The last lines of standard error as one: ": gnuplot> plot x; undefined variable: x". */
static void own_words(char *tail, char message[MESSAGE])
{
    const char *lines[MESSAGE_LINES];
    int count = 0;
    while (count < MESSAGE_LINES && (lines[count] = last_line(tail)) != NULL) {
        bool whole = lines[count] == tail;
        count++;
        if (whole)
            break;
    }
    size_t used = 0;
    message[0] = '\0';
    for (int i = count - 1; i >= 0 && used < MESSAGE; i--)
        used += (size_t)snprintf(message + used, MESSAGE - used, "%s%s", i == count - 1 ? ": " : "; ", lines[i]);
}

static enum dlq_status explain_exit(struct dlq_child *child, struct dlq_error *error)
{
    char message[MESSAGE];
    own_words(child->tail, message);
    if (WIFSIGNALED(child->status))
        return dlq_error_add(error, DLQ_FAILURE, "gnuplot was killed by signal %d%s", WTERMSIG(child->status), message);
    return dlq_error_add(error, DLQ_FAILURE, "gnuplot failed with exit status %d%s", WEXITSTATUS(child->status),
                         message);
}

static enum dlq_status explain_end(const struct dlq_child *child, enum dlq_child_end end, double timeout_seconds,
                                   struct dlq_error *error)
{
    switch (end) {
    case DLQ_CHILD_INTERRUPTED:
        return dlq_error_add(error, DLQ_INTERRUPTED, "interrupted while gnuplot was drawing");
    case DLQ_CHILD_LATE:
        return dlq_error_add(error, DLQ_FAILURE, "gnuplot did not finish within %g s and was stopped", timeout_seconds);
    case DLQ_CHILD_TOO_MUCH:
        return dlq_error_add(error, DLQ_FAILURE, "gnuplot printed more than %d MiB and was stopped",
                             DLQ_CHILD_MOST_OUTPUT >> 20);
    case DLQ_CHILD_NO_MEMORY:
        return dlq_error_memory(error, "reading gnuplot's picture");
    default:
        return dlq_error_add(error, DLQ_FAILURE, "cannot talk to gnuplot: %s", strerror(child->reason));
    }
}

static enum dlq_status explain_start(int reason, struct dlq_error *error)
{
    if (reason == ENOENT)
        return dlq_error_add(error, DLQ_FAILURE, "gnuplot not found; install it: apt-get install gnuplot-nox");
    if (reason == ENOMEM)
        return dlq_error_memory(error, "starting gnuplot");
    return dlq_error_add(error, DLQ_FAILURE, "cannot start gnuplot: %s", strerror(reason));
}

/* An exit status of 0 is no proof of a picture: gnuplot has it after many a failed write. */
static enum dlq_status check_picture(struct dlq_child *child, const char *format, struct dlq_error *error)
{
    if (dlq_picture_is_whole(format, child->bytes, child->size))
        return DLQ_OK;
    char message[MESSAGE];
    own_words(child->tail, message);
    return dlq_error_add(error, DLQ_FAILURE, "gnuplot printed %zu bytes that are not a whole %s picture%s", child->size,
                         format, message);
}

/* Letters of no width are all that gnuplot shows where fontconfig knows no font: cairo's terminals draw none and
   say nothing, those of libgd say so. */
#define NO_FONT "Couldn't find font"
static const char probe[] = "\nif (exists(\"GPVAL_TERM_HCHAR\") && GPVAL_TERM_HCHAR < GPVAL_TERM_SCALE) "
                            "printerr \"" NO_FONT "\"\n";

/* With the question for a font behind it; null: no memory. */
static char *probing(const char *script)
{
    size_t size = strlen(script) + sizeof probe;
    char *text = malloc(size);
    if (text != NULL)
        snprintf(text, size, "%s%s", script, probe);
    return text;
}

enum dlq_status dlq_gnuplot_run(const char *script, const char *format, double timeout_seconds,
                                const volatile sig_atomic_t *interrupted, struct dlq_image *image,
                                struct dlq_error *error)
{
    static const char *const arguments[] = {"gnuplot", "-d", "-", NULL};
    if (!dlq_picture_is_known(format))
        return dlq_error_add(error, DLQ_INVALID, "'%s' is not a picture format (png, svg, pdf, gif)", format);
    enum dlq_status status;
    char *text = probing(script);
    struct dlq_child *child = malloc(sizeof *child);
    if (text == NULL || child == NULL) {
        status = dlq_error_memory(error, "starting gnuplot");
        goto cleanup;
    }
    int reason = dlq_child_start(child, arguments, text, strlen(text));
    if (reason != 0) {
        status = explain_start(reason, error);
        goto cleanup;
    }
    enum dlq_child_end end = dlq_child_converse(child, timeout_seconds, interrupted);
    if (end != DLQ_CHILD_EXITED)
        status = explain_end(child, end, timeout_seconds, error);
    else if (child->status != 0)
        status = explain_exit(child, error);
    else
        status = check_picture(child, format, error);
    if (status == DLQ_OK) {
        *image = (struct dlq_image){child->bytes, child->size, strstr(child->tail, NO_FONT) != NULL};
        child->bytes = NULL;
    }
    free(child->bytes);
cleanup:
    free(text);
    free(child);
    return status;
}
