/* Files that are written completely or not at all: a temporary file beside the target is written, synced, renamed. */
#pragma once

#include "dlqueue/error.h"

#include <stdbool.h>
#include <stdio.h>

struct dlq_file {
    FILE *stream;
    char *path, *temporary; /* owned */
};

/* Creates "PATH.XXXXXX.tmp" beside path, mode 0666 less the umask, and opens file->stream. A target that is a device or
   pipe (/dev/full, /dev/stdout) is written directly. Follows symbolic links, except those of other users in shared
   directories; but if `replaces` (for a name that the program chose), replaces a link or pipe of that name. SIGKILL
   leaves the temporary file behind. Error: "cannot write PATH: REASON" with advice. */
enum dlq_status dlq_file_begin(struct dlq_file *file, const char *path, bool replaces, struct dlq_error *error);
/* Flushes, checks, syncs, renames, closes. On failure the temporary file is removed and the old target unchanged. Does
   not replace a device that was created meanwhile. */
enum dlq_status dlq_file_commit(struct dlq_file *file, struct dlq_error *error);
/* Finds out why an earlier write to the descriptor failed, by another write. Returns an errno; 0: unknown. The size of
   the file does not change. */
int dlq_file_reason(int fd);
/* Closes and removes the temporary file; harmless after commit, or after begin failed. */
void dlq_file_abandon(struct dlq_file *file);

/* Creates the directory, with its parents, if missing, and checks that files can be created there. */
enum dlq_status dlq_file_directory(const char *path, struct dlq_error *error);

/* The file name without directory and ending, cleaned for messages: "configs/resnet.ini" -> "resnet"; "-" -> "stdin".
   The caller frees the name; null: no memory. */
char *dlq_file_stem(const char *path);
