/* Files that are whole or not there: written beside the target, synced, renamed. */
#ifndef DLQ_DRAW_FILE_H
#define DLQ_DRAW_FILE_H

#include "dlqueue/error.h"

#include <stdbool.h>
#include <stdio.h>

/* A file being written. */
struct dlq_file {
    FILE *stream;
    char *path, *temporary; /* owned */
};

/* Creates "PATH.XXXXXX.tmp" beside path, mode 0666 less the umask. A target that is a device or pipe (/dev/full,
   /dev/stdout) is written directly; symbolic links are followed, but none that somebody else could have planted.
   SIGKILL leaves the temporary file behind. Where it `replaces` (a name that we made up), what has the name already is
   replaced, be it a link or a pipe. Error: "cannot write PATH: REASON" with what to do. */
enum dlq_status dlq_file_begin(struct dlq_file *file, const char *path, bool replaces, struct dlq_error *error);
/* Flushes, checks, syncs, renames. On failure the temporary file is gone and the old target intact. A device that took
   the name meanwhile is not replaced. */
enum dlq_status dlq_file_commit(struct dlq_file *file, struct dlq_error *error);
/* Why an earlier write to that descriptor failed, as another one finds it: a value of errno; 0: it is unknown. The file
   has the size that it had. */
int dlq_file_reason(int fd);
/* Removes the temporary file; safe after begin failed or commit. */
void dlq_file_abandon(struct dlq_file *file);

/* Creates the directory (with parents) if missing and checks that files can be created in it. */
enum dlq_status dlq_file_directory(const char *path, struct dlq_error *error);

/* The file name without directory and ending: "configs/resnet.ini" -> "resnet"; "-" -> "stdin", fit to be shown.
 * Allocated. */
char *dlq_file_stem(const char *path);

#endif
