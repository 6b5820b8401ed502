/* A directory of a test's own, and streams kept in memory. */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SCRATCH_PATH = 1024 };

struct scratch {
    char path[64];
};

static inline struct scratch scratch_new(void)
{
    struct scratch scratch = {"/tmp/dlq-test-XXXXXX"};
    CHECK(mkdtemp(scratch.path) != NULL, "no directory of its own");
    return scratch;
}

/* "SCRATCH/NAME" in a buffer of the caller's. */
static inline const char *scratch_path(const struct scratch *scratch, const char *name, char path[SCRATCH_PATH])
{
    snprintf(path, SCRATCH_PATH, "%s/%s", scratch->path, name);
    return path;
}

/* Runs commands of a shell in the directory. */
static inline void scratch_shell(const struct scratch *scratch, const char *commands)
{
    char line[3 * SCRATCH_PATH];
    snprintf(line, sizeof line, "cd '%s' && %s", scratch->path, commands);
    CHECK(system(line) == 0, "%s", line);
}

static inline void scratch_end(struct scratch *scratch)
{
    scratch_shell(scratch, "rm -rf \"$PWD\"");
}

/* A directory until the end of the block. */
#define SCRATCH(name) struct scratch name __attribute__((cleanup(scratch_end))) = scratch_new()

static inline void scratch_write(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");
    CHECK(stream != NULL && fputs(text, stream) >= 0 && fclose(stream) == 0, "write %s", path);
}

/* The file's text, cut to the buffer; "(none)" where there is no file. */
static inline const char *scratch_read(const char *path, char *text, size_t size)
{
    FILE *stream = fopen(path, "r");
    if (stream == NULL)
        return "(none)";
    text[fread(text, 1, size - 1, stream)] = '\0';
    fclose(stream);
    return text;
}

/* Entries of a directory without "." and ".."; -1: none such. */
static inline int scratch_entries(const char *path)
{
    DIR *directory = opendir(path);
    if (directory == NULL)
        return -1;
    int count = -2;
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count;
}
