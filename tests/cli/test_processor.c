/* Answers do not depend on which code the C library chooses for the processor: with its fused multiply-adds turned off
   the command prints the same. The control shows that there is other code: GSL's gamma law calls libm. */
#include "cli/command.h"

#define WITHOUT_FMA "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2,-FMA_Usable,-AVX2_Usable"
#define QUICK " -q --threads 1 --set simulate.precision=0.05 --set simulate.replications=32"

static bool is_same(struct command *command, const char *arguments)
{
    FREED char *first = malloc(COMMAND_TEXT);
    bool same = false;
    CHECK_INT(command_run(command, "", arguments), 0);
    if (first != NULL) {
        memcpy(first, command->out, COMMAND_TEXT);
        CHECK_INT(command_run(command, WITHOUT_FMA, arguments), 0);
        same = strcmp(first, command->out) == 0;
    }
    return same;
}

static void without_fma(void)
{
    static const char *const rows[] = {
        "solve --loaders 8 --load 1.4s --step 104ms --cv 0.3 --set load.distribution=lognormal --batch-size 256",
        "solve --loaders 8 --step 104ms --batch-size 256 --set load.per=sample --set load.mean=5.4ms --set load.cv=0.3 "
        "--set load.distribution=lognormal --set load.uses=cpu --set host.cores=12 --set simulate.batches=2000",
        "solve --loaders 8 --step 47ms --batch-size 24 --set load.per=sample --set load.mean=5ms --set load.cv=0.5 "
        "--set load.distribution=lognormal --set pipeline.ranks=8",
        "solve --loaders 4 --step 100ms --load 0.4s --set load.distribution=weibull --set load.cv=0.6",
        "solve --loaders 4 --step 100ms --set load.distribution=normal --set load.mean=0.4s --set load.cv=0.5",
        "solve --loaders 5 --step 100ms --set load.distribution=pareto --set load.mean=0.4s --set load.alpha=2.3",
        "solve --loaders 4 --step 100ms --set load.distribution=hyperexponential --set load.mean=0.4s --set load.cv=2 "
        "--batch-size 100 --set load.per=sample --set load.probability=1%",
        "solve --loaders 2 --load 200ms --set load.distribution=exponential --set step.distribution=uniform "
        "--set step.min=50ms --set step.max=150ms --set pipeline.loader=tfdata",
        "plan --load 350ms --step 100ms --set load.distribution=lognormal --set load.cv=0.7 --at-most 8",
        "sweep --loaders 4 --load 400ms --step 100ms --cv 0.7 --set load.distribution=lognormal "
        "--set sweep.loaders=2,4 --set sweep.load=\"50ms..2s in 4 log\"",
    };
    static const char control[] = "solve --loaders 4 --step 100ms --set load.mean=0.4s --set load.distribution=gamma "
                                  "--set load.cv=2 --batch-size 100 --set load.per=sample "
                                  "--set load.probability=30% --json" QUICK;
    COMMAND(command);
    bool alike = is_same(command, control);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i += test_every(5)) {
        char arguments[1024];
        snprintf(arguments, sizeof arguments, "%s --json" QUICK, rows[i]);
        CHECK(is_same(command, arguments), "differs without FMA: %s", arguments);
    }
    CHECK(is_same(command, "fit '" TEST_DATA "/logs/probe_4_workers.csv' --json -q --threads 1"), "fit differs");
    CHECK(is_same(command, "diagnose '" TEST_DATA "/logs/timm-reference.log' --json -q"), "diagnose differs");
    if (alike)
        test_skip("libm computes the same with " WITHOUT_FMA);
}

TEST_SUITE(processor, CASE(without_fma));
