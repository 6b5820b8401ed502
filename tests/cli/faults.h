/* Runs the command with one call of the C library failing (tests/faults/faults.c): whatever fails, each output is the
   old one or the new one, as a whole, and the failure is explained. */
#pragma once

#include "hostile.h"

/* DLQ_FAULTS is a library to preload, or a command of its own: a slow one, with sanitizers. */
#ifdef DLQ_FAULTS_LINKED
enum { FAULTS_SANITIZED = 1 };
#else
enum { FAULTS_SANITIZED = 0 };
#endif

enum { FAULTS_OUTPUTS = 6 };

#define FAULTS_GIF                                                                                                     \
    "printf "                                                                                                          \
    "'GIF89a\\001\\0\\001\\0\\200\\0\\0\\0\\0\\0\\377\\377\\377,\\0\\0\\0\\0\\001\\0\\001\\0\\0\\002\\002D\\001"       \
    "\\0;'"

/* What is run in the directory of the command: bin/gnuplot prints a PNG, gif/gnuplot a GIF; good.ini is there. */
struct faults_row {
    const char *line;                    /* arguments */
    const char *outputs[FAULTS_OUTPUTS]; /* ended by null */
};

struct fault {
    const char *kind;
    long at;
    int reason;
};

/* What an undisturbed run makes. */
struct faults_made {
    char out[COMMAND_TEXT];
    uint32_t sums[FAULTS_OUTPUTS];
};

static inline struct command *faults_new(void)
{
    struct command *command = command_new();
    command_write(command, "good.ini", HOSTILE_GOOD);
    CHECK_INT(hostile_run(command, "mkdir gif plots; touch gif/gnuplot; chmod 755 gif/*"), 0);
    command_fake_gnuplot(command);
    command_write(command, "gif/gnuplot", "#!/bin/sh\n" FAULTS_GIF "\n");
    return command;
}

/* -- one run -- */

/* How many calls of that kind the last run made; "fired" 1: one of them failed. -1: it ended without a report. */
static inline long faults_count(const struct command *command, const char *kind)
{
    char text[1024];
    command_file(command, ".report", text, sizeof text);
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
        if (strncmp(line, kind, strlen(kind)) == 0 && line[strlen(kind)] == ' ')
            return strtol(line + strlen(kind), NULL, 10);
    return -1;
}

static inline int faults_run(struct command *command, const struct faults_row *row, const struct fault *fault)
{
    char line[2048];
    snprintf(
        line, sizeof line, "rm -f .report; FAULTS='%s %ld %d .report' NO_COLOR=1 %s PATH=./%s:/nonexistent exec %s %s",
        fault->kind, fault->at, fault->reason, FAULTS_SANITIZED ? "" : "LD_PRELOAD=" DLQ_FAULTS,
        strstr(row->line, "--animate") != NULL ? "gif" : "bin", FAULTS_SANITIZED ? DLQ_FAULTS : DLQ_COMMAND, row->line);
    return hostile_run(command, line);
}

/* -- what it leaves -- */

static inline const char *faults_path(const struct command *command, const char *name, char path[512])
{
    snprintf(path, 512, "%s/%s", command->directory, name);
    return path;
}

/* Old outputs that say "old", or none and no directory for them. */
static inline void faults_prepare(const struct command *command, const struct faults_row *row, bool old)
{
    char path[512];
    for (size_t i = 0; i < FAULTS_OUTPUTS && row->outputs[i] != NULL; i++)
        unlink(faults_path(command, row->outputs[i], path));
    if (old)
        mkdir(faults_path(command, "plots", path), 0777);
    else
        rmdir(faults_path(command, "plots", path));
    for (size_t i = 0; i < FAULTS_OUTPUTS && row->outputs[i] != NULL && old; i++)
        command_write(command, row->outputs[i], "old");
}

static inline bool faults_undisturbed(struct command *command, const struct faults_row *row, const char *kind,
                                      struct faults_made *made, long *calls)
{
    static const struct fault none = {.kind = "none"};
    char path[512];
    faults_prepare(command, row, false);
    int status = faults_run(command, row, &none);
    CHECK(status == 0, "%s: %d %s", row->line, status, command->err);
    snprintf(made->out, sizeof made->out, "%s", command->out);
    for (size_t i = 0; i < FAULTS_OUTPUTS && row->outputs[i] != NULL; i++) {
        CHECK(command_has(command, row->outputs[i]), "%s: no %s", row->line, row->outputs[i]);
        made->sums[i] = hostile_sum(faults_path(command, row->outputs[i], path));
    }
    *calls = faults_count(command, kind);
    CHECK(*calls >= 0, "%s: no report of the calls", row->line);
    return status == 0 && *calls >= 0;
}

/* The place of that name among the outputs; FAULTS_OUTPUTS: it is none. */
static inline size_t faults_output(const struct faults_row *row, const char *name)
{
    size_t i = 0;
    while (i < FAULTS_OUTPUTS && (row->outputs[i] == NULL || strcmp(row->outputs[i], name) != 0))
        i++;
    return i;
}

/* What was known when a signal came is whole JSON that says so, or a whole page. */
static inline bool faults_says_interrupted(const char *path)
{
    static char page[1 << 20];
    if (strstr(path, ".html") != NULL) {
        FILE *stream = fopen(path, "r");
        size_t size = stream != NULL ? fread(page, 1, sizeof page - 1, stream) : 0;
        page[size] = '\0';
        if (stream != NULL)
            fclose(stream);
        return strstr(page, "Interrupted: this page holds") != NULL && strstr(page, "</html>") != NULL;
    }
    json_t *object = json_load_file(path, 0, NULL);
    bool says = json_is_true(json_object_get(object, "interrupted"));
    json_decref(object);
    return says;
}

/* Nothing but inputs and whole outputs lies there; the number of new ones. */
static inline int faults_look(const struct command *command, const struct faults_row *row,
                              const struct faults_made *made, const char *what)
{
    static const char *const directories[] = {".", "plots"};
    int fresh = 0;
    for (size_t d = 0; d < 2; d++) {
        struct dirent **entries;
        char path[512], name[300], text[8];
        int count = scandir(faults_path(command, directories[d], path), &entries, NULL, alphasort);
        for (int i = 0; i < count; i++) {
            snprintf(name, sizeof name, "%s%s", d == 0 ? "" : "plots/", entries[i]->d_name);
            size_t place = faults_output(row, name);
            bool input = entries[i]->d_name[0] == '.' || strstr(" good.ini bin gif plots ", name) != NULL;
            CHECK(input || place < FAULTS_OUTPUTS, "%s: leaves %s", what, name);
            CHECK(strstr(name, ".tmp") == NULL, "%s: leaves %s", what, name);
            if (place < FAULTS_OUTPUTS) {
                command_file(command, name, text, sizeof text);
                bool new = hostile_sum(faults_path(command, name, path)) == made->sums[place];
                CHECK(new || strcmp(text, "old") == 0 || faults_says_interrupted(path),
                      "%s: %s is neither old nor new, nor does it say that it was interrupted", what, name);
                fresh += new ? 1 : 0;
            }
            free(entries[i]);
        }
        if (count >= 0)
            free(entries);
    }
    return fresh;
}

static inline int faults_outputs(const struct faults_row *row)
{
    int count = 0;
    while (count < FAULTS_OUTPUTS && row->outputs[count] != NULL)
        count++;
    return count;
}

/* True: as if nothing had failed. */
static inline bool faults_survived(const struct command *command, const struct faults_row *row,
                                   const struct faults_made *made, int fresh)
{
    return command->status == 0 && fresh == faults_outputs(row) && strcmp(command->out, made->out) == 0;
}

/* -- a series -- */

struct faults_tally {
    long calls, injected, survived;
};

/* The next one after `at` of 1..calls: all of them up to `all`, then seeded steps so that about `sample` more are met;
   with scripts/test --long every one of up to `most`, else some hundred. */
static inline long faults_next(long at, long calls, long all, long sample, long most, uint64_t *state)
{
    enum { LONG_SAMPLE = 100 };
    if (test_long() && calls <= most)
        return at + 1;
    sample = test_long() ? LONG_SAMPLE : test_full() ? sample : (sample + 1) / 2;
    if (at < all || calls - all <= sample)
        return at + 1;
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    long step = 2 * ((calls - all) / sample);
    return at + 1 + (long)((*state >> 33) % (uint64_t)(step > 0 ? step : 1));
}

static inline void faults_tell(const char *kind, const struct faults_row *row, const struct faults_tally *tally)
{
    printf("  %s: dlqueue %s: %ld calls, %ld failed in turn, %ld survived\n", kind, row->line, tally->calls,
           tally->injected, tally->survived);
}
