/* Runs the built command in a directory of its own, by a shell, and keeps what it wrote. */
#pragma once

#include "harness.h"

#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMMAND_TEXT = 400000 };

struct command {
    char directory[64];
    int status;      /* exit status; 128 + signal where it was killed */
    json_t *objects; /* of command_json */
    char out[COMMAND_TEXT], err[COMMAND_TEXT];
};

static inline struct command *command_new(void)
{
    struct command *command = calloc(1, sizeof *command);
    if (command != NULL)
        snprintf(command->directory, sizeof command->directory, "/tmp/dlq-test-XXXXXX");
    if (command == NULL || mkdtemp(command->directory) == NULL)
        test_skip("there is no scratch directory");
    command->objects = json_array();
    return command;
}

static inline void command_free(struct command *command)
{
    char line[128];
    snprintf(line, sizeof line, "rm -rf '%s'", command->directory);
    CHECK(system(line) == 0, "%s", line);
    json_decref(command->objects);
    free(command);
}

static inline void command_end(struct command **command)
{
    command_free(*command);
}

/* One that is gone at the end of the block. */
#define COMMAND_OF(command, made) struct command *command __attribute__((cleanup(command_end))) = (made)
#define COMMAND(command) COMMAND_OF(command, command_new())

/* The text of a file of the directory; "" where there is none. */
static inline void command_file(const struct command *command, const char *name, char *text, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", command->directory, name);
    FILE *stream = fopen(path, "r");
    size_t length = stream != NULL ? fread(text, 1, size - 1, stream) : 0;
    text[length] = '\0';
    if (stream != NULL)
        fclose(stream);
}

static inline bool command_has(const struct command *command, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", command->directory, name);
    return access(path, F_OK) == 0;
}

static inline void command_write(const struct command *command, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", command->directory, name);
    FILE *stream = fopen(path, "w");
    CHECK(stream != NULL && fputs(text, stream) >= 0 && fclose(stream) == 0, "write %s", path);
}

/* A picture that a shell prints without starting a program. */
#define COMMAND_PNG "printf '\\211PNG\\r\\n\\032\\n\\0\\0\\0\\0IEND\\256B\\140\\202'"

/* bin/gnuplot, which prints that whatever it is asked to draw. */
static inline void command_fake_gnuplot(const struct command *command)
{
    char path[512];
    snprintf(path, sizeof path, "%s/bin", command->directory);
    CHECK(mkdir(path, 0777) == 0, "no %s", path);
    command_write(command, "bin/gnuplot", "#!/bin/sh\n" COMMAND_PNG "\n");
    snprintf(path, sizeof path, "%s/bin/gnuplot", command->directory);
    CHECK(chmod(path, 0755) == 0, "no %s", path);
}

/* Which lines tell of progress depends on how busy the machine is. */
static inline void command_drop_progress(char *text)
{
    while (*text != '\0') {
        char *next = text + strcspn(text, "\n");
        next += *next == '\n';
        const char *done = strstr(text, " % done");
        if (strncmp(text, "dlqueue: simulating", 19) == 0 || (done != NULL && done < next))
            memmove(text, next, strlen(next) + 1);
        else
            text = next;
    }
}

/* What a process that ended has left. */
static inline int command_ended(struct command *command, int status)
{
    command->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    command_file(command, ".stdout", command->out, COMMAND_TEXT);
    command_file(command, ".stderr", command->err, COMMAND_TEXT);
    command_drop_progress(command->err);
    return command->status;
}

/* `before` stands before the command (environment, "echo ... |"); `arguments` may redirect. */
static inline int command_run(struct command *command, const char *before, const char *arguments)
{
    char line[4096];
    snprintf(line, sizeof line, "cd '%s' && { %s '%s' %s ; } >.stdout 2>.stderr </dev/null", command->directory, before,
             DLQ_COMMAND, arguments);
    return command_ended(command, system(line));
}

/* Standard output, or standard error, holds the text. */
#define SAYS(command, text) CHECK(strstr((command)->out, text) != NULL, "no '%s' in: %s", text, (command)->out)
#define COMPLAINS(command, text) CHECK(strstr((command)->err, text) != NULL, "no '%s' in: %s", text, (command)->err)

/* The member at "ranks.0.steps"; null: there is none. */
static inline const json_t *command_at(const json_t *object, const char *path)
{
    char key[64];
    for (; object != NULL && *path != '\0'; path += strcspn(path, "."), path += *path == '.') {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(path, "."), path);
        object = json_is_array(object) ? json_array_get(object, strtoul(key, NULL, 10)) : json_object_get(object, key);
    }
    return object;
}

/* NAN where there is no number. */
static inline double command_number(const json_t *object, const char *path)
{
    const json_t *number = command_at(object, path);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

static inline const char *command_text(const json_t *object, const char *path)
{
    return json_string_value(command_at(object, path));
}

/* One run, what it says and makes. A text of standard output; "!text": not there; "^text": its beginning; "~text": of
   standard error; "=text": all of standard error; "+name", "-name": a file that is there, or not; "@name: text": of a
   file, behind ":"; "#path 2.385", "#path 2..3", "#path null": a number of JSON, to 1e-9 of it; "?2": the exit status,
   0 if none is told. Where nothing is told of standard error it is empty; what is refused prints nothing. A command
   that fails ends a line of several. */
struct command_case {
    const char *line; /* behind "dlqueue"; a whole line of a shell where it names dlqueue itself */
    const char *texts[20];
};

static inline bool command_meets_number(const struct command *command, const char *text)
{
    char path[128];
    const char *value = text + strcspn(text, " ") + 1, *dots = strstr(value, "..");
    json_t *object = json_loads(command->out, 0, NULL);
    snprintf(path, sizeof path, "%.*s", (int)(value - text) - 1, text);
    double number = command_number(object, path), low = strtod(value, NULL);
    double high = dots != NULL ? strtod(dots + 2, NULL) : low;
    bool met = strcmp(value, "null") == 0 ? json_is_null(command_at(object, path))
                                          : number >= low - 1e-9 * fabs(low) && number <= high + 1e-9 * fabs(high);
    json_decref(object);
    return met;
}

static inline bool command_meets(const struct command *command, const char *text)
{
    static char file[COMMAND_TEXT];
    char name[256];
    const char *colon = strstr(text, ": ");
    switch (text[0]) {
    case '!':
        return strstr(command->out, text + 1) == NULL;
    case '^':
        return strstr(command->out, text + 1) == command->out;
    case '~':
        return strstr(command->err, text + 1) != NULL;
    case '=':
        return strcmp(command->err, text + 1) == 0;
    case '+':
        return command_has(command, text + 1);
    case '-':
        return !command_has(command, text + 1);
    case '@':
        snprintf(name, sizeof name, "%.*s", (int)(colon - text - 1), text + 1);
        command_file(command, name, file, sizeof file);
        return strstr(file, colon + 2) != NULL;
    case '?':
        return command->status == text[1] - '0';
    case '#':
        return command_meets_number(command, text + 1);
    default:
        return strstr(command->out, text) != NULL;
    }
}

/* `before` stands before the line. */
static inline void command_check(struct command *command, const char *before, const struct command_case *row)
{
    char line[4096];
    bool whole = strstr(row->line, "dlqueue ") != NULL, told = false;
    snprintf(line, sizeof line, "PATH='%.*s':$PATH; set -e; cd '%s'; { %s%s%s ; } >.stdout 2>.stderr </dev/null",
             (int)(strrchr(DLQ_COMMAND, '/') - DLQ_COMMAND), DLQ_COMMAND, command->directory, whole ? "" : "dlqueue ",
             before, row->line);
    command_ended(command, system(line));
    const char *out = command->out, *err = command->err;
    CHECK(command->status == 0 || (row->texts[0] != NULL && row->texts[0][0] == '?'), "%s%s: status %d: %.300s", before,
          row->line, command->status, err);
    for (size_t i = 0; i < sizeof row->texts / sizeof *row->texts && row->texts[i] != NULL; i++) {
        CHECK(command_meets(command, row->texts[i]), "%s%s: status %d, not '%s':\n%.2000s\n%.300s", before, row->line,
              command->status, row->texts[i], out, err);
        told = told || row->texts[i][0] == '~' || row->texts[i][0] == '=';
    }
    CHECK(told || err[0] == '\0', "%s%s: %s", before, row->line, err);
    CHECK(command->status != 2 || (told && out[0] == '\0'), "%s%s prints %.200s, or is refused without a word", before,
          row->line, out);
    CHECK(command->status == 0 || command->status > 2 || err[0] == '\0' || strncmp(err, "dlqueue: ", 9) == 0 ||
              strncmp(err, "usage: ", 7) == 0,
          "%s%s: %.300s", before, row->line, err);
    CHECK(strchr(out, '\033') == NULL || strstr(row->line, "--color always") != NULL, "%s%s: color into a file", before,
          row->line);
    CHECK(strstr(out, " nan") == NULL && strstr(out, ",nan") == NULL, "%s%s says nan", before, row->line);
}

static inline void command_check_all(struct command *command, const char *before, const struct command_case *rows,
                                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        command_check(command, before, &rows[i]);
}

#define COMMAND_CASES(command, before, rows) command_check_all(command, before, rows, sizeof(rows) / sizeof *(rows))
/* A test of a table, in a new directory, or in that of the command `made`. */
#define COMMAND_TEST(test, rows) COMMAND_TEST_OF(test, command_new(), rows)
#define COMMAND_TEST_OF(test, made, rows)                                                                              \
    static void test(void)                                                                                             \
    {                                                                                                                  \
        COMMAND_OF(command, made);                                                                                     \
        COMMAND_CASES(command, "", rows);                                                                              \
    }
/* A row of its own. */
#define COMMAND_CASE(command, ...) command_check(command, "", &(struct command_case){__VA_ARGS__})

/* Standard output as a JSON object of the caller's; null (and a failed check) where it is none. */
static inline json_t *command_json(const struct command *command)
{
    json_error_t error;
    json_t *object = json_loads(command->out, 0, &error);
    CHECK(object != NULL, "JSON: %s in '%.200s'", error.text, command->out);
    return object;
}

/* The same, released with the command. */
static inline json_t *command_object(const struct command *command)
{
    json_t *object = command_json(command);
    json_array_append_new(command->objects, object);
    return object;
}

/* What it answers to that with status 0. */
static inline json_t *command_ask(struct command *command, const char *arguments)
{
    CHECK(command_run(command, "", arguments) == 0, "dlqueue %s: %d %s", arguments, command->status, command->err);
    return command_object(command);
}

/* The first keys of an object, in order, ended by null; `whole`: there are no more. */
static inline void command_keys(const json_t *object, const char *const *keys, bool whole, const char *of)
{
    void *at = json_object_iter((json_t *)object);
    for (size_t i = 0; keys[i] != NULL; i++) {
        CHECK(at != NULL && strcmp(json_object_iter_key(at), keys[i]) == 0, "%s: key %zu is '%s', expected '%s'", of, i,
              at != NULL ? json_object_iter_key(at) : "(none)", keys[i]);
        at = at != NULL ? json_object_iter_next((json_t *)object, at) : NULL;
    }
    CHECK(!whole || at == NULL, "%s: more keys than expected", of);
}
