/* dlqueue-bench: how fast dlqueue is, each figure beside a yardstick that was measured in turns with it. */
#include "report.h"

#include <getopt.h>
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
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

struct arguments {
    struct bench_run run;
    bool csv;
    const char *only; /* a group's name; null: all */
};

static bool wanted(const struct arguments *arguments, const struct bench_group *group)
{
    return arguments->only == NULL || strcmp(arguments->only, group->name) == 0;
}

/* false: no memory */
static bool measure_row(const struct arguments *arguments, const struct bench_group *group, const struct bench_row *row,
                        struct bench_report *report)
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

static bool measure(const struct arguments *arguments, struct bench_report *report)
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

static int run(const struct arguments *arguments)
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

/* -1: go on; else the exit status. */
static int read_arguments(struct arguments *arguments, int argc, char **argv)
{
    enum { MOST_THREADS = 256 };
    static const struct option options[] = {
        {"quick", no_argument, NULL, 'q'},      {"csv", no_argument, NULL, 'c'},
        {"help", no_argument, NULL, 'h'},       {"threads", required_argument, NULL, 't'},
        {"only", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0},
    };
    char *rest = "";
    long threads = 1;
    bool known = false;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (option) {
        case 'q':
            arguments->run.quick = true;
            break;
        case 'c':
            arguments->csv = true;
            break;
        case 'o':
            arguments->only = optarg;
            break;
        case 't':
            threads = strtol(optarg, &rest, 10);
            break;
        case 'h':
            fputs(usage, stdout);
            for (size_t i = 0; bench_groups[i] != NULL; i++)
                printf("    %-10s %s\n", bench_groups[i]->name, bench_groups[i]->title);
            return 0;
        default:
            return 2;
        }
    for (size_t i = 0; bench_groups[i] != NULL; i++)
        known = known || wanted(arguments, bench_groups[i]);
    bool counted = *rest == '\0' && threads >= 1 && threads <= MOST_THREADS;
    if (!known || optind < argc || !counted) {
        fprintf(stderr, "dlqueue-bench: %s; --help lists groups and options\n",
                !counted ? "no such number of threads"
                : !known ? "no such group"
                         : "it takes options alone");
        return 2;
    }
    arguments->run.threads = (int)threads;
    return -1;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.run.interrupted = &interrupted};
    gsl_set_error_handler_off();
    signal(SIGPIPE, SIG_IGN); /* a yardstick that ended is a missing row */
    int status = read_arguments(&arguments, argc, argv);
    if (status >= 0)
        return status;
    catch_interruptions();
    return run(&arguments);
}
