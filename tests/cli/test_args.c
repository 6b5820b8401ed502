#include "cli/args.h"
#include "harness.h"

enum { MOST_WORDS = 12 };

static enum dlq_status parse(const char *const words[MOST_WORDS], struct dlq_args *args, struct dlq_error *error)
{
    int count = 0;
    while (count < MOST_WORDS && words[count] != NULL)
        count++;
    *error = (struct dlq_error){0};
    return dlq_args_parse(count, (char *const *)words, args, error);
}

/* Options before, between and after operands, in all spellings; behind -- all are operands; overrides in order. */
static void test_good(void)
{
    static const struct {
        const char *words[MOST_WORDS];
        const char *last; /* operand */
        bool json, quiet;
        const char *overrides; /* "origin path value;..." */
    } rows[] = {
        {{"dlqueue", "--json", "-o", "out", "solve", "a.ini"}, "a.ini", true, false, ""},
        {{"dlqueue", "solve", "a.ini", "--json", "--output", "out"}, "a.ini", true, false, ""},
        {{"dlqueue", "solve", "--output=out", "a.ini", "--json"}, "a.ini", true, false, ""},
        {{"dlqueue", "-oout", "solve", "--json", "--", "a.ini"}, "a.ini", true, false, ""},
        {{"dlqueue", "solve", "-o", "out", "-", "--", "--json", "-q"}, "-q", false, false, ""},
        {{"dlqueue", "solve", "-qvo", "out", "-h"}, "solve", false, true, ""},
        {{"dlqueue", "solve", "--loaders", "7", "--set", "load.read.mean=a=b", "--seed", "-1",
          "--set=step.mean=", "--batch-size=3", "-oout"},
         "solve",
         false,
         false,
         "--loaders pipeline.loaders 7;--set #1 load.read.mean a=b;--seed simulate.seed -1;--set #2 step.mean ;"
         "--batch-size pipeline.batch_size 3;"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_args args;
        struct dlq_error error;
        char text[400] = "";
        CHECK_INT(parse(rows[i].words, &args, &error), DLQ_OK);
        CHECK_TEXT(args.operands[0], "solve");
        CHECK_TEXT(args.operands[args.operand_count - 1], rows[i].last);
        CHECK_TEXT(args.output, "out");
        CHECK(args.json == rows[i].json && !args.csv && args.quiet == rows[i].quiet, "row %zu", i);
        CHECK(args.help == rows[i].quiet && args.verbose == rows[i].quiet, "row %zu: a cluster of letters", i);
        CHECK(args.threads >= 1 && args.threads <= 256, "threads %ld", args.threads);
        for (size_t k = 0; k < args.override_count; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s %s %s;", args.overrides[k].origin,
                     args.overrides[k].path, args.overrides[k].value);
        CHECK_TEXT(text, rows[i].overrides);
        dlq_args_free(&args);
    }
}

static void test_mistakes(void)
{
    static const struct {
        const char *words[MOST_WORDS];
        const char *says;
    } cases[] = {
        {{"dlqueue", "--lodaers", "3"}, "did you mean --loaders?"},
        {{"dlqueue", "--num-workers", "3"}, "here it is --loaders"},
        {{"dlqueue", "--prefetch_factor=3"}, "here it is --prefetch"},
        {{"dlqueue", "--price=3"}, "write --set host.price=VALUE"},
        {{"dlqueue", "--epoch-batches"}, "write --set pipeline.epoch_batches=VALUE"},
        {{"dlqueue", "--xyzzyxyzzy"}, "unknown option --xyzzyxyzzy"},
        {{"dlqueue", "-x"}, "unknown option -x"},
        {{"dlqueue", "--load"}, "--load needs a value: --load TIME"},
        {{"dlqueue", "-o"}, "--output needs a value"},
        {{"dlqueue", "--output="}, "the name is empty"},
        {{"dlqueue", "--json=yes"}, "--json takes no value"},
        {{"dlqueue", "--threads", "0"}, "'0' is not a whole number from 1 to 256"},
        {{"dlqueue", "--threads", "257"}, "'257' is not"},
        {{"dlqueue", "--threads", "-2"}, "'-2' is not"},
        {{"dlqueue", "--threads", "2.5"}, "'2.5' is not"},
        {{"dlqueue", "--threads", ""}, "'' is not"},
        {{"dlqueue", "--threads", "99999999999999999999"}, "from 1 to 256"},
        {{"dlqueue", "--color", "blue"}, "'blue' is not one of auto, always, never"},
        {{"dlqueue", "--set", "a.b=1", "--set", "loaders"}, "--set #2: 'loaders' is not section.key=value"},
        {{"dlqueue", "--set", "=1"}, "--set #1: '=1' is not"},
        {{"dlqueue", "--json", "--csv"}, "--json and --csv exclude each other"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dlq_args args;
        struct dlq_error error;
        CHECK_INT(parse(cases[i].words, &args, &error), DLQ_INVALID);
        CHECK_INT(error.count, 1);
        CHECK(strstr(error.text, cases[i].says) != NULL, "case %zu: '%s' lacks '%s'", i, error.text, cases[i].says);
        dlq_args_free(&args);
    }
}

static void test_all_mistakes(void)
{
    static const char *const line[MOST_WORDS] = {"dlqueue", "solve", "--nonsense", "--threads", "x", "--help", "-Z"};
    struct dlq_args args;
    struct dlq_error error;
    CHECK_INT(parse(line, &args, &error), DLQ_INVALID);
    CHECK_INT(error.count, 3);
    CHECK(args.help, "help is seen among mistakes");
    dlq_args_free(&args);
}

static void test_rows(void)
{
    const struct dlq_arg *rows = dlq_arg_rows;
    for (size_t i = 0; rows[i].name != NULL; i++) {
        CHECK(rows[i].store != NULL && rows[i].help != NULL, "row %s is complete", rows[i].name);
        CHECK(rows[i].path == NULL || rows[i].value != NULL, "--%s is short for a key and takes its value",
              rows[i].name);
        for (size_t k = 0; k < i; k++) {
            CHECK(strcmp(rows[i].name, rows[k].name) != 0, "--%s stands twice", rows[i].name);
            CHECK(rows[i].letter == 0 || rows[i].letter != rows[k].letter, "-%c stands twice", rows[i].letter);
        }
    }
}

TEST_SUITE(args, CASE(test_good), CASE(test_mistakes), CASE(test_all_mistakes), CASE(test_rows));
