/* dlqueue-bench: how fast dlqueue is, each figure beside a yardstick that was measured in turns with it. */
#include "arguments.h"
#include "groups.h"
#include "report.h"
#include "turns.h"

#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: dlqueue-bench [--quick] [--only GROUP] [--csv] [--threads N]\n\n"
    "Measures dlqueue and yardsticks in turns. Prints median and range of the time that a unit of work takes (a batch\n"
    "of one point and rank, a draw, a run), and the ratio: the yardstick's time over dlqueue's.\n\n"
    "  --quick      shorter turns, without the longest rows\n"
    "  --csv        seconds and bytes, for programs\n"
    "  --threads N  of dlqueue (default 1); the yardsticks have one\n"
    "  --only GROUP one of\n";

/* Signal handlers can be told nothing else. */
static volatile sig_atomic_t interrupted;

static void take_note(int signal_number)
{
    interrupted = signal_number;
}

/* The first interruption ends the row under way, which tidies up; the second ends the program. Calls that wait return,
   so that children hear of it. */
static void catch_interruptions(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action = {0};
        if (sigaction(numbers[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN)
            continue;
        action = (struct sigaction){.sa_handler = take_note, .sa_flags = (int)SA_RESETHAND};
        sigemptyset(&action.sa_mask);
        sigaction(numbers[i], &action, NULL);
    }
}

static void print_help(FILE *stream)
{
    fputs(usage, stream);
    for (size_t i = 0; bench_groups[i] != NULL; i++)
        fprintf(stream, "    %-10s %s\n", bench_groups[i]->name, bench_groups[i]->title);
}

static bool wanted(const struct bench_arguments *arguments, const struct bench_group *group)
{
    return arguments->only == NULL || strcmp(arguments->only, group->name) == 0;
}

static bool any_wanted(const struct bench_arguments *arguments)
{
    for (size_t i = 0; bench_groups[i] != NULL; i++)
        if (wanted(arguments, bench_groups[i]))
            return true;
    return false;
}

/* false: no memory */
static bool measure_row(const struct bench_arguments *arguments, const struct bench_group *group,
                        const struct bench_row *row, struct bench_report *report)
{
    struct dlq_error error = {.status = DLQ_OK};
    struct bench_comparison comparison;
    fprintf(stderr, "dlqueue-bench: %s: %s (%s)\n", group->name, row->name,
            row->yardstick.name != NULL ? row->yardstick.name : "alone");
    enum dlq_status status = (group->memory ? bench_compare_memory : bench_compare)(
        &row->subject, &row->yardstick, &arguments->run, &comparison, &error);
    if (interrupted != 0)
        return true;
    if (status != DLQ_OK)
        fprintf(stderr, "dlqueue-bench: not available: %s\n", error.text);
    return bench_report_add(report, group, row, &comparison, error.text);
}

static bool measure(const struct bench_arguments *arguments, struct bench_report *report)
{
    for (size_t i = 0; bench_groups[i] != NULL; i++) {
        const struct bench_group *group = bench_groups[i];
        for (size_t k = 0; interrupted == 0 && wanted(arguments, group) && k < group->count; k++)
            if (!(arguments->run.quick && group->rows[k].long_only) &&
                !measure_row(arguments, group, &group->rows[k], report))
                return false;
    }
    return true;
}

static int run(const struct bench_arguments *arguments)
{
    struct bench_report *report = bench_report_new(arguments->csv);
    bool measured = report != NULL && measure(arguments, report);
    if (measured)
        bench_report_write(report, stdout);
    else
        fputs("dlqueue-bench: out of memory\n", stderr);
    bench_report_free(report);
    if (interrupted != 0)
        fputs("dlqueue-bench: interrupted; the rows before are above\n", stderr);
    if (!measured || fflush(stdout) != 0)
        return 1;
    return interrupted != 0 ? 128 + interrupted : 0;
}

int main(int argc, char **argv)
{
    struct dlq_error error = {.status = DLQ_OK};
    struct bench_arguments arguments;
    gsl_set_error_handler_off();
    signal(SIGPIPE, SIG_IGN); /* a yardstick that ended is a missing row */
    if (!bench_arguments_read(&arguments, argc, argv, &error)) {
        fprintf(stderr, "dlqueue-bench: %s\n", error.text);
        return 2;
    }
    if (arguments.help) {
        print_help(stdout);
        return 0;
    }
    if (!any_wanted(&arguments)) {
        fprintf(stderr, "dlqueue-bench: no group '%s'\n", arguments.only);
        return 2;
    }
    catch_interruptions();
    arguments.run.interrupted = &interrupted;
    return run(&arguments);
}
