/* Names of files: their parts, and what stands behind them. */
#ifndef DLQ_DRAW_PATHS_H
#define DLQ_DRAW_PATHS_H

#include <stdbool.h>

/* The last part of path, behind the last slash. */
const char *dlq_path_name(const char *path);
/* No control characters, in UTF-8 or of one byte: they would spoil messages and listings. */
bool dlq_path_is_printable(const char *path);
/* Leaves errno as it was. */
bool dlq_path_is_directory(const char *path);

/* Beside the values of errno: on the way lies a symbolic link of somebody else in a sticky directory, which anybody
   could have planted there. */
enum { DLQ_PATH_PLANTED = -2 };

/* Replaces *path, in allocated memory, by the same without symbolic links, as far as it exists and stops at /proc,
   where links name open files rather than paths; where not `last`, a link at its end stays. Returns 0, an errno or
   DLQ_PATH_PLANTED. */
int dlq_path_follow(char **path, bool last);

/* Where a file is written that was named by path: behind all links, so that a file written beside the target and
   renamed leaves the links in place; or, where the file `replaces` what has its name, with that link in its way.
   *target is allocated; *direct: it is no regular file (or one that /proc stands for) and must be opened itself (which
   a directory refuses). A target that does not exist yet is fine. Returns 0, an errno (EINVAL: not printable) or
   DLQ_PATH_PLANTED. */
int dlq_path_resolve(const char *path, bool replaces, char **target, bool *direct);

#endif
