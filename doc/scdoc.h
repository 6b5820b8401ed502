/* Text of the tables as scdoc source. */
#pragma once

#include <stdio.h>

/* Text that is to be read as it is. */
void scdoc_plain(FILE *stream, const char *text);
/* Prose of the tables: what stands in backquotes, and words such as --plot, become bold. */
void scdoc_prose(FILE *stream, const char *text);
/* "[CONFIG...]": the words underlined, brackets and dots plain. */
void scdoc_arguments(FILE *stream, const char *text);
/* A row of a definition list: the name in bold, plain text beside it or null, prose below. */
void scdoc_row(FILE *stream, const char *name, const char *beside, const char *prose);
/* Pairs of a command line and what it is for, ended by null, as a definition list. */
struct dlq_example;
void scdoc_examples(FILE *stream, const struct dlq_example *example);
