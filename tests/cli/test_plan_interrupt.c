/* A plan that is interrupted: what was finished is told and saved. */
#include "command.h"

/* Interrupted between the moment in which there is something to tell and the end, which is looked for; `pause`: where
   to begin, and what was found. */
static bool interrupt(struct command *command, const char *options, const char *file, double *pause)
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
        if (status == 130 && (file != NULL ? command_has(command, file) : command->out[0] != '\0'))
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
    struct command *command = command_new();
    char text[64];
    double pause = 0.05;
    CHECK(command != NULL, "scratch directory");
    if (command == NULL)
        return;
    CHECK(interrupt(command, "", NULL, &pause), "no report");
    CHECK(strstr(command->out, "So far, without an answer\n") != NULL, "%s", command->out);
    CHECK_TEXT(command->err, "dlqueue: interrupted\n");
    CHECK(interrupt(command, "-o part", "part", &pause), "no report is saved");
    CHECK_TEXT(command->out, "");
    CHECK_TEXT(command->err, "dlqueue: what was finished is in part\ndlqueue: interrupted\n");
    command_file(command, "part", text, sizeof text);
    CHECK(strncmp(text, "dlqueue\npytorch", 15) == 0, "%s", text);
    CHECK(interrupt(command, "--csv -o part -q", "part", &pause), "no table is saved");
    CHECK_TEXT(command->err, "dlqueue: interrupted\n");
    command_file(command, "part", text, sizeof text);
    CHECK(strncmp(text, "loaders,prefetch,ranks,utilization,", 35) == 0, "%s", text);
    CHECK(interrupt(command, "--json", NULL, &pause), "no JSON");
    json_t *object = command_json(command);
    CHECK(json_is_true(json_object_get(object, "interrupted")) && json_is_null(json_object_get(object, "answer")),
          "%.300s", command->out);
    CHECK(json_array_size(json_object_get(object, "table")) > 0, "no candidates");
    json_decref(object);
    command_free(command);
}

static const struct test_case cases[] = {
    {"interruption", test_interrupt},
    {NULL, NULL},
};

const struct test_suite suite_plan_interrupt = {"plan_interrupt", cases};
