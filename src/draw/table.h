/* Tables: rows of numbers and texts under described columns, written as aligned text or as CSV. */
#pragma once

#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>

enum dlq_column_kind {
    DLQ_COLUMN_NUMBER, /* aligned on the decimal point */
    DLQ_COLUMN_TIME,   /* seconds; text output picks one unit for the column and puts it into the heading */
    DLQ_COLUMN_SIZE,   /* bytes; text output as of DLQ_COLUMN_TIME */
    DLQ_COLUMN_SHARE,  /* 0..1; text output in per cent */
    DLQ_COLUMN_COUNT,  /* whole, thousands separated */
    DLQ_COLUMN_FLAG,   /* 0 or 1; in text "no" and "yes", in CSV "false" and "true" */
    DLQ_COLUMN_TEXT
};

struct dlq_column {
    const char *name;    /* for CSV and JSON */
    const char *heading; /* for people; null: the column is left out of the text */
    enum dlq_column_kind kind;
    int digits; /* significant, in text */
};

struct dlq_cell {
    double number;    /* NAN: none, or the cell has a text */
    const char *text; /* null: none, or the cell has a number */
};

struct dlq_table_row {
    struct dlq_table_row *next;
    struct dlq_cell cells[];
};

/* The arena owns columns, rows and texts. */
struct dlq_table {
    struct dlq_arena arena;
    struct dlq_column *columns;
    size_t column_count;
    struct dlq_table_row *first, *last;
    size_t rows;
};

/* Copies the columns with their names and headings. Null: no memory. */
struct dlq_table *dlq_table_new(const struct dlq_column *columns, size_t count);
/* Adds a row of empty cells; false: no memory. */
bool dlq_table_row(struct dlq_table *table);
/* Set a cell of the last row. The text is copied; false: no memory. */
void dlq_table_number(struct dlq_table *table, size_t column, double value);
bool dlq_table_text(struct dlq_table *table, size_t column, const char *text);
/* Adds a row with these first cells; false: no memory. */
bool dlq_table_add(struct dlq_table *table, size_t count, const struct dlq_cell *cells);
#define DLQ_TABLE_ADD(table, ...)                                                                                      \
    dlq_table_add(table, sizeof(struct dlq_cell[]){__VA_ARGS__} / sizeof(struct dlq_cell),                             \
                  (const struct dlq_cell[]){__VA_ARGS__})

/* Writes aligned text with headings. On a terminal that is too narrow the columns are divided among several tables,
   each of which begins with the first column. mark_row (from 0; -1: none) ends in "<" and `mark`. False: no memory, and
   nothing was written. */
bool dlq_table_write(const struct dlq_table *table, FILE *stream, int indent, long mark_row, const char *mark);
/* Writes CSV (RFC 4180) with a header of names; numbers have at most 15 significant digits, missing cells are empty. */
void dlq_table_write_csv(const struct dlq_table *table, FILE *stream);
void dlq_table_free(struct dlq_table *table);
/* Returns the table if `whole`, that is if no row was lost; else frees the table and returns null. */
struct dlq_table *dlq_table_whole(struct dlq_table *table, bool whole);
