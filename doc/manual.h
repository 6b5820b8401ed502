/* What the templates of the manual may name. */
#pragma once

#include <stdio.h>

/* dlqueue(1) */
void manual_synopsis(FILE *stream);
void manual_examples(FILE *stream);
void manual_commands(FILE *stream);
void manual_options(FILE *stream);
void manual_command_options(FILE *stream);
void manual_formats(FILE *stream);
void manual_output(FILE *stream);
void manual_exits(FILE *stream);

/* dlqueue.ini(5) */
void manual_sections(FILE *stream);
void manual_loaders(FILE *stream);
void manual_distributions(FILE *stream);

/* The completion: lists of words, and arms of a `case` that print some. @ini and @files stand for files of these kinds,
   @keys for the keys of a configuration. */
void completion_commands(FILE *stream);
void completion_options(FILE *stream);
void completion_values(FILE *stream);
void completion_operands(FILE *stream);
void completion_keys(FILE *stream);
void completion_named(FILE *stream);
void completion_key_values(FILE *stream);
