/* The words of which a plan's finding is made. */
#ifndef DLQ_STUDY_PLAN_WORDS_H
#define DLQ_STUDY_PLAN_WORDS_H

#include "study/plan/plan.h"

struct dlq_words {
    const struct dlq_plan_facts *facts;
    char *text;
    size_t size, used;
};

enum { DLQ_WORDS_FIGURE = 48 };

void dlq_words_say(struct dlq_words *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* These write into the buffer and return it. */
/* What is planned for: "95.6 %" or "2470 samples/s". */
const char *dlq_words_figure(const struct dlq_words *text, double value, char buffer[DLQ_WORDS_FIGURE]);
/* The target as it was given: "95 %", "97.5 %". */
const char *dlq_words_target(const struct dlq_words *text, char buffer[DLQ_WORDS_FIGURE]);
/* "14 loaders", "a prefetch of 4", "1 rank" */
const char *dlq_words_choice(const struct dlq_words *text, long value, char buffer[DLQ_WORDS_FIGURE]);
/* Three digits. */
const char *dlq_words_rate(double value, char buffer[DLQ_WORDS_FIGURE]);
/* "3,301" */
const char *dlq_words_count(long count, char buffer[DLQ_WORDS_FIGURE]);

#define FIGURE_OF(value) dlq_words_figure(text, (value), (char[DLQ_WORDS_FIGURE]){0})
#define TARGET dlq_words_target(text, (char[DLQ_WORDS_FIGURE]){0})
#define CHOICE(value) dlq_words_choice(text, (value), (char[DLQ_WORDS_FIGURE]){0})
#define COUNT(value) dlq_words_count((value), (char[DLQ_WORDS_FIGURE]){0})
#define RATE(value) dlq_words_rate((value), (char[DLQ_WORDS_FIGURE]){0})

/* Does one thing do it (a single loader, a prefetch), or several? */
bool dlq_words_singular(const struct dlq_words *text, long value);
/* "14 loaders keep the trainer 95.6 % busy" */
void dlq_words_reach(struct dlq_words *text, long value, double reached);
/* "82 GB of /dev/shm and the host has 64 GB" */
void dlq_words_lack(struct dlq_words *text, const struct dlq_host_use *use);
/* What dlq_plan.binds is: "loading", "delivery in order". */
const char *dlq_words_holder(const struct dlq_words *text);
/* Of the answer: what every step waits at the barrier is longer than what it waits for the slowest rank. */
bool dlq_words_fixed_barrier(const struct dlq_words *text);
/* Not met, but the target lies within the interval. */
bool dlq_words_straddles(const struct dlq_words *text, const struct dlq_candidate *candidate);

/* Why more do not help, and what would: ", as 12 cores per rank carry ...". */
void dlq_words_reason(struct dlq_words *text);

#endif
