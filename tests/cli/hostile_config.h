/* Mistakes of a configuration: each is refused by `check` and by `sweep`, before anything is written. */
#ifndef TESTS_HOSTILE_CONFIG_H
#define TESTS_HOSTILE_CONFIG_H

#include "hostile.h"

#define PIPELINE "[pipeline]\nloaders = 2\n"
#define STEP "[step]\nmean = 10ms\n"
#define WORK "[load]\nmean = 20ms\n" STEP
/* Further settings begin on line 3 of a pipeline, on line 5 of a load, on line 7 behind a whole model. */
#define OF_PIPELINE(text) PIPELINE text "\n" WORK
#define OF_LOAD(text) PIPELINE "[load]\nmean = 20ms\n" text "\n" STEP
#define LAW(text) PIPELINE "[load]\n" text "\n" STEP
#define BEHIND(text) PIPELINE WORK text "\n"
#define DIGITS50 "99999999999999999999999999999999999999999999999999"

struct mistake {
    const char *text, *message;
};

static inline void check_mistakes(const struct mistake *rows, size_t count)
{
    COMMAND(command);
    for (size_t i = 0; i < count; i++) {
        command_write(command, "c.ini", rows[i].text);
        hostile_check(command, &(struct hostile){NULL, "dlqueue check c.ini", 2, rows[i].message});
        hostile_check(command, &(struct hostile){NULL, "dlqueue sweep c.ini", 2, rows[i].message});
    }
}

#define CHECK_MISTAKES(rows) check_mistakes(rows, sizeof rows / sizeof *rows)

#endif
