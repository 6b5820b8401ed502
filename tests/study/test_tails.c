/* Laws with a tail to begin with, from loads that the trainer waited for. */
#include "study/fit/fit.h"

#include "dist/likelihood.h"
#include "harness.h"

#include <stdlib.h>

enum { LINKS = 400, LOADERS = 4 };

/* Every k-th load was waited for, and took times[k modulo n]; the others ended within the bound. */
static struct dlq_links made(const double *times, size_t n, size_t exact)
{
    struct dlq_links links = {.links = calloc(LINKS, sizeof *links.links), .count = LINKS, .counted = LINKS};
    for (size_t i = 0; i < LINKS; i++) {
        bool is_exact = i < exact;
        links.links[i] = (struct dlq_link){
            .ready = 1, .done = 1 + (is_exact ? times[i % n] : 0.3), .first = true, .exact = is_exact, .counts = true};
    }
    links.exact = links.clear = exact;
    links.mean_step = 0.1;
    return links;
}

/* What is told apart, for how many laws, and what they begin with. */
static void starts(void)
{
    static const struct {
        const char *what;
        double times[5];
        size_t n, exact, count;
        double usual, slow, share; /* of the last constant tail */
    } cases[] = {
        {"all slow, usual loads hidden", {5.44, 5.44, 5.45, 5.44, 5.43}, 5, 20, 2, 0.128, 5.44, 0.05},
        {"two groups", {0.2, 0.21, 0.19, 0.2, 5}, 5, 100, 4, 0.2, 5, 0.05},
        {"no gap, so all or none", {0.2, 0.25, 0.3, 0.35, 0.4}, 5, 100, 2, 0.128, 0.3, 0.25},
        {"more than may be a tail", {3, 3, 3, 3, 3}, 5, 400, 2, 0.128, 3, 0.4},
        {"too few", {5, 5, 5, 5, 5}, 5, 3, 0, 0, 0, 0},
        {"too few above the gap", {0.2, 0.2, 0.2, 0.2, 5}, 5, 15, 2, 0.1, 0.2, 15.0 / LINKS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dlq_links links = made(cases[i].times, cases[i].n, cases[i].exact);
        struct dlq_fitted laws[DLQ_TAIL_STARTS];
        struct dlq_arena arena = {.doing = "testing"};
        size_t count = 77;
        CHECK_INT(dlq_tail_starts(&arena, &links, LOADERS, laws, &count), DLQ_OK);
        dlq_arena_end(&arena);
        CHECK(count == cases[i].count, "%s: %zu laws", cases[i].what, count);
        for (size_t k = 0; k < count; k++) {
            CHECK(laws[k].has_tail && laws[k].free_parameters == (k % 2 == 0 ? 4 : 5), "%s: law %zu", cases[i].what, k);
            CHECK(laws[k].tail.mean > laws[k].dist.mean * 0.99, "%s: %g on %g", cases[i].what, laws[k].tail.mean,
                  laws[k].dist.mean);
        }
        if (count > 0) {
            const struct dlq_fitted *last = &laws[count - 2];
            CHECK_REL(last->dist.mean, cases[i].usual, 1e-9);
            CHECK_REL(last->dist.mean + last->tail.mean, cases[i].slow, 1e-9);
            CHECK_REL(last->tail_probability, cases[i].share, 1e-9);
            CHECK_TEXT(last->tail.family->name, "constant");
            CHECK_TEXT(laws[count - 1].tail.family->name, "lognormal");
        }
        free(links.links);
    }
}

static void laws_that_are_none(void)
{
    static const double probabilities[] = {0, -0.1, 0.6, NAN}, means[] = {-1, 0, NAN};
    struct dlq_fitted law = {.parameters = dlq_no_parameters, .tail_parameters = dlq_no_parameters};
    law.family = dlq_family_find("lognormal");
    law.tail_family = dlq_family_find("constant");
    law.parameters.mean = 0.1;
    law.parameters.cv = 0.2;
    law.tail_parameters.mean = 2;
    law.tail_probability = 0.5;
    CHECK(dlq_tail_make(&law), "a law");
    CHECK_REL(law.tail.mean, 2, 1e-12);
    for (size_t i = 0; i < sizeof probabilities / sizeof *probabilities; i++) {
        law.tail_probability = probabilities[i];
        CHECK(!dlq_tail_make(&law), "probability %g", probabilities[i]);
    }
    law.tail_probability = 0.1;
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
        law.parameters.mean = means[i];
        CHECK(!dlq_tail_make(&law), "mean %g", means[i]);
    }
}

static const struct test_case tests[] = {
    {"starts", starts},
    {"laws_that_are_none", laws_that_are_none},
    {NULL, NULL},
};
const struct test_suite suite_tails = {"tails", tests};
