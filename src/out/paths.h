/* Names of files: their parts, and what stands behind them. */
#ifndef DLQ_OUT_PATHS_H
#define DLQ_OUT_PATHS_H

#include <stdbool.h>

/* The last part of path, behind the last slash. */
const char *dlq_path_name(const char *path);
/* No control characters: they would spoil messages and listings. */
bool dlq_path_is_printable(const char *path);
/* Leaves errno as it was. */
bool dlq_path_is_directory(const char *path);

/* Follows symbolic links of the last part, so that a file written beside the target and renamed leaves the link in
   place. *target is allocated; *direct: it is no regular file (or one that /proc stands for) and must be opened itself
   (which a directory refuses). A target that does not exist yet is fine. Returns 0 or an errno (EINVAL: not printable).
 */
int dlq_path_resolve(const char *path, char **target, bool *direct);

#endif
