/* What is interrupted tells and saves what was finished. */
#include "command.h"

/* Interrupted between the moment in which there is something to tell and the end, which is looked for; `pause`: where
   to begin, and what was found. */
static bool interrupt(struct command *command, const char *options, const char *file, const char *told, double *pause)
{
    char line[600];
    double early = 0, late = INFINITY;
    for (int tries = 0; tries < 30; tries++) {
        snprintf(line, sizeof line,
                 "plan --load 400ms --step 100ms --cv 0.5 --set pipeline.ranks=60 --target 99.9%% --at-most 1000 "
                 "--set simulate.precision=1e-9 --set simulate.batches=1e6 %s & sleep %g; kill -INT $!; wait $!",
                 options, *pause);
        int status = command_run(command, "rm -f part; env --default-signal=INT", line);
        /* At first it may not listen yet. */
        CHECK(status == 130 || status == 0, "%s: status %d (%s)", options, status, command->err);
        if (status == 130 && (file != NULL ? command_has(command, file) : strstr(command->out, told) != NULL))
            return true;
        if (status == 0)
            late = *pause;
        else
            early = *pause;
        if (early >= late) /* the machine has become slower */
            late = INFINITY;
        *pause = isinf(late) ? 1.5 * *pause : (early + late) / 2;
    }
    return false;
}

static void test_interrupt(void)
{
    COMMAND(command);
    char text[64];
    double pause = 0.05;
    CHECK(interrupt(command, "", NULL, "So far", &pause), "no report");
    SAYS(command, "So far, without an answer\n");
    SAYS(command, "\n  Best so far: ");
    CHECK_TEXT(command->err, "dlqueue: interrupted\n");
    CHECK(interrupt(command, "-o part", "part", NULL, &pause), "no report is saved");
    CHECK_TEXT(command->out, "");
    CHECK_TEXT(command->err, "dlqueue: what was finished is in part\ndlqueue: interrupted\n");
    command_file(command, "part", text, sizeof text);
    CHECK(strncmp(text, "dlqueue\npytorch", 15) == 0, "%s", text);
    CHECK(interrupt(command, "--csv -o part -q", "part", NULL, &pause), "no table is saved");
    CHECK_TEXT(command->err, "dlqueue: interrupted\n");
    command_file(command, "part", text, sizeof text);
    CHECK(strncmp(text, "loaders,prefetch,ranks,utilization,", 35) == 0, "%s", text);
    CHECK(interrupt(command, "--json", NULL, "{", &pause), "no JSON");
    json_t *object = command_object(command);
    CHECK(json_is_true(json_object_get(object, "interrupted")) && json_is_null(json_object_get(object, "answer")),
          "%.300s", command->out);
    CHECK(json_array_size(json_object_get(object, "table")) > 0, "no candidates");
}

/* What is known at once of what takes for ever: the bounds, and models that were solved before. */
static void test_at_once(void)
{
    static const struct {
        const char *line;
        const char *known[3];
    } rows[] = {
        {"solve long.ini",
         {"Bounds ", "\n    upper    the smallest ", "Interrupted before the first runs were simulated"}},
        {"solve long.ini --json", {"\"simulation\": null", "\"verdict\": null", "\"interrupted\": true"}},
        {"solve long.ini --csv", {"name,loader,", "\nlong,pytorch,8,", ",,,,,,,,"}},
        {"solve short.ini long.ini short.ini",
         {"\nshort  pytorch", "\nlong   pytorch", "Interrupted: there is no verdict yet"}},
        {"solve short.ini long.ini --json", {"\"models\": [", "\"interrupted\": false", "\"interrupted\": true"}},
        {"plan long.ini --set pipeline.ranks=16000",
         {"long\npytorch", "\n    upper    the smallest ", "Interrupted before the first candidates were"}},
    };
    COMMAND(command);
    static const char *const times = "[load]\nmean = 400ms\ndistribution = exponential\n[step]\nmean = 100ms\n";
    char line[600];
    snprintf(line, sizeof line, "[pipeline]\nloaders = 8\nranks = 100\n%s[simulate]\nbatches = 1e9\n", times);
    command_write(command, "long.ini", line);
    command_write(command, "short.ini", "[pipeline]\nloaders = 8\n[load]\nmean = 4ms\n[step]\nmean = 1ms\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t known = 0;
        /* At first it may not listen yet, or not have come so far: each try waits longer. */
        for (int tries = 1; tries <= 30 && known < 3; tries++) {
            snprintf(line, sizeof line, "%s & sleep %g; kill -INT $!; wait $!", rows[i].line, 0.3 * tries);
            CHECK_INT(command_run(command, "env --default-signal=INT", line), 130);
            for (known = 0; known < 3 && strstr(command->out, rows[i].known[known]) != NULL; known++)
                ;
        }
        CHECK(known == 3, "%zu: no '%s' in %s", i, rows[i].known[known % 3], command->out);
        const char *last = strstr(command->err, "dlqueue: interrupted\n"); /* of many ranks a few may be told of */
        CHECK(last != NULL && strchr(last, '\n')[1] == '\0', "%zu: %s", i, command->err);
    }
}

static const struct test_case cases[] = {
    {"at once", test_at_once},
    {"interruption", test_interrupt},
    {NULL, NULL},
};

const struct test_suite suite_interrupted = {"interrupted", cases};
