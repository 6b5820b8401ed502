/* The thresholds of the logs as tests link them: DLQ_CALIBRATION=NAME*FACTOR in the environment moves one of them. */
#include "logs/calibration.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* This definition has the symbol of the constant table of src/logs/calibration.c, but can be written to. */
#define VALUE(name, value, meaning, evidence, test) .name = (value),
struct dlq_calibration moved __asm__("dlq_calibration") = {DLQ_CALIBRATION(VALUE)};

#define MEMBER(name, value, meaning, evidence, test) {#name, offsetof(struct dlq_calibration, name)},
static const struct {
    const char *name;
    size_t offset;
} members[] = {DLQ_CALIBRATION(MEMBER)};

__attribute__((constructor)) static void move(void)
{
    const char *text = getenv("DLQ_CALIBRATION");
    size_t length = text != NULL ? strcspn(text, "*") : 0, i = 0;
    if (text == NULL)
        return;
    while (i < sizeof members / sizeof *members &&
           (strlen(members[i].name) != length || strncmp(members[i].name, text, length) != 0))
        i++;
    if (i == sizeof members / sizeof *members || text[length] == '\0') {
        fprintf(stderr, "DLQ_CALIBRATION: no threshold '%s'\n", text);
        exit(2);
    }
    *(double *)((char *)&moved + members[i].offset) *= strtod(text + length + 1, NULL);
}
