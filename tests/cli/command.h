/* Runs the built command in a directory of its own, by a shell, and keeps what it wrote. */
#ifndef TESTS_COMMAND_H
#define TESTS_COMMAND_H

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

/* `before` stands before the command (environment, "echo ... |"); `arguments` may redirect. */
static inline int command_run(struct command *command, const char *before, const char *arguments)
{
    char line[4096];
    snprintf(line, sizeof line, "cd '%s' && { %s '%s' %s ; } >.stdout 2>.stderr </dev/null", command->directory, before,
             DLQ_COMMAND, arguments);
    int status = system(line);
    command->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    command_file(command, ".stdout", command->out, COMMAND_TEXT);
    command_file(command, ".stderr", command->err, COMMAND_TEXT);
    return command->status;
}

/* Standard output, or standard error, holds the text. */
#define SAYS(command, text) CHECK(strstr((command)->out, text) != NULL, "no '%s' in: %s", text, (command)->out)
#define COMPLAINS(command, text) CHECK(strstr((command)->err, text) != NULL, "no '%s' in: %s", text, (command)->err)

/* `before` stands before the command, `arguments` behind it. Rows of the same arguments are of one run. */
struct command_answer {
    const char *arguments, *text; /* of standard output, without a word on standard error */
};

static inline void command_check_answers(struct command *command, const char *before, const struct command_answer *rows,
                                         size_t count)
{
    char line[2048];
    for (size_t i = 0; i < count; i++) {
        bool again = i > 0 && strcmp(rows[i].arguments, rows[i - 1].arguments) == 0;
        snprintf(line, sizeof line, "%s%s", before, rows[i].arguments);
        CHECK(again || command_run(command, "", line) == 0, "dlqueue %s: %d %s", line, command->status, command->err);
        CHECK(strstr(command->out, rows[i].text) != NULL, "dlqueue %s: no '%s' in: %s", line, rows[i].text,
              command->out);
        CHECK(strstr(command->out, "nan") == NULL, "dlqueue %s says nan", line);
        CHECK(strchr(command->out, '\033') == NULL, "dlqueue %s: color into a file", line);
        CHECK_TEXT(command->err, "");
    }
}

struct command_refusal {
    const char *arguments;
    int status;
    const char *text; /* of standard error */
};

static inline void command_check_refusals(struct command *command, const char *before,
                                          const struct command_refusal *rows, size_t count)
{
    char line[2048];
    for (size_t i = 0; i < count; i++) {
        snprintf(line, sizeof line, "%s%s", before, rows[i].arguments);
        int status = command_run(command, "", line);
        CHECK(status == rows[i].status, "dlqueue %s: status %d, expected %d: %.300s", line, status, rows[i].status,
              command->err);
        CHECK(strstr(command->err, rows[i].text) != NULL, "dlqueue %s: '%.300s' lacks '%s'", line, command->err,
              rows[i].text);
        CHECK(strncmp(command->err, "dlqueue: ", 9) == 0, "dlqueue %s: %.300s", line, command->err);
        CHECK(status != 2 || command->out[0] == '\0', "dlqueue %s prints '%.300s'", line, command->out);
    }
}

/* One run, what it says and makes. A text of standard output; "!text": not there; "^text": its beginning; "~text": of
   standard error; "=text": all of standard error; "+name", "-name": a file that is there, or not; "@name: text": of a
   file, behind ":". Where nothing is told of standard error it is empty; what is refused prints nothing. A command that
   fails ends a line of several. */
struct command_case {
    const char *line; /* behind "dlqueue"; a whole line of a shell where it names dlqueue itself */
    int status;
    const char *texts[10];
};

static inline bool command_meets(struct command *command, const char *text)
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
    default:
        return strstr(command->out, text) != NULL;
    }
}

static inline void command_check(struct command *command, const struct command_case *row)
{
    char line[4096];
    bool whole = strstr(row->line, "dlqueue ") != NULL, told = false;
    snprintf(line, sizeof line, "PATH='%.*s':$PATH; set -e; cd '%s'; { %s%s ; } >.stdout 2>.stderr </dev/null",
             (int)(strrchr(DLQ_COMMAND, '/') - DLQ_COMMAND), DLQ_COMMAND, command->directory, whole ? "" : "dlqueue ",
             row->line);
    int status = system(line);
    command->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    command_file(command, ".stdout", command->out, COMMAND_TEXT);
    command_file(command, ".stderr", command->err, COMMAND_TEXT);
    CHECK(command->status == row->status, "%s: status %d, expected %d: %.300s", row->line, command->status, row->status,
          command->err);
    for (size_t i = 0; i < 10 && row->texts[i] != NULL; i++) {
        CHECK(command_meets(command, row->texts[i]), "%s: not '%s':\n%.2000s\n%.300s", row->line, row->texts[i],
              command->out, command->err);
        told = told || row->texts[i][0] == '~' || row->texts[i][0] == '=';
    }
    CHECK(told || command->err[0] == '\0', "%s: %s", row->line, command->err);
    CHECK(command->status != 2 || command->out[0] == '\0', "%s prints %.200s", row->line, command->out);
    CHECK(told || command->status != 2, "%s: refused without a word that is looked for", row->line);
}

static inline void command_check_all(struct command *command, const struct command_case *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        command_check(command, &rows[i]);
}

#define COMMAND_CASES(command, rows) command_check_all(command, rows, sizeof(rows) / sizeof *(rows))
/* A row of its own. */
#define COMMAND_CASE(command, ...) command_check(command, &(struct command_case){__VA_ARGS__})
#define COMMAND_ANSWERS(command, before, rows)                                                                         \
    command_check_answers(command, before, rows, sizeof(rows) / sizeof *(rows))
#define COMMAND_REFUSALS(command, before, rows)                                                                        \
    command_check_refusals(command, before, rows, sizeof(rows) / sizeof *(rows))

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

/* The number at "simulation.throughput.value"; NAN where there is none. */
static inline double command_number(const json_t *object, const char *path)
{
    char key[64];
    while (object != NULL && *path != '\0') {
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        object = json_object_get(object, key);
        path += length;
        path += *path == '.';
    }
    return json_is_number(object) ? json_number_value(object) : NAN;
}

#endif
