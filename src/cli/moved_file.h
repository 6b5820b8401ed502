/* Configurations that are written to another directory: what they call by a relative name has another one there. */
#ifndef DLQ_CLI_MOVED_FILE_H
#define DLQ_CLI_MOVED_FILE_H

#include "dlqueue/error.h"
#include "dlqueue/model.h"

/* Whether the setting names a file of measured times. */
bool dlq_setting_is_file(const struct dlq_setting *setting);

/* The value of such a setting as a configuration called `to` has to write it so that it means what it meant to the one
   called `from` (null or "-": the working directory). As it is where it is absolute, where both lie in one directory,
   and where `to` is no file of its own (null, "-", a device); else relative, or absolute where that is too long.
   DLQ_INVALID: no line of a configuration holds it; DLQ_FAILURE: a directory that can't be looked at. */
enum dlq_status dlq_moved_file(struct dlq_setting *setting, const char *from, const char *to, struct dlq_error *error);

#endif
