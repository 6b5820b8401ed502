#include "harness.h"

#include "out/chart_place.h"

static const struct dlq_box plot = {100, 50, 1100, 650};
static struct dlq_places places;

static void test_lines(void)
{
    static const struct {
        double x, y, to_x, to_y;
        bool taken;
    } cases[] = {{100, 50, 1100, 650, true},  {0, 0, 50, 50, false},       {-1e9, 350, 1e9, 350, true},
                 {600, -1e6, 600, 1e6, true}, {600, 700, 600, 1e9, false}, {600, 350, 600, 350, true},
                 {99, 0, 99, 700, false},     {0, 400, 2000, -2e5, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dlq_places_clear(&places, plot);
        dlq_places_line(&places, cases[i].x, cases[i].y, cases[i].to_x, cases[i].to_y, DLQ_TAKEN_DATA);
        dlq_places_sum(&places);
        CHECK((dlq_places_count(&places, plot) > 0) == cases[i].taken, "case %zu: %d cells", i,
              dlq_places_count(&places, plot));
    }
}

static void test_count(void)
{
    dlq_places_clear(&places, plot);
    dlq_places_box(&places, (struct dlq_box){101, 51, 149, 69}, DLQ_TAKEN_TEXT); /* cells of 5 x 5 pixels */
    dlq_places_box(&places, (struct dlq_box){-50, -50, -10, -10}, DLQ_TAKEN_TEXT);
    dlq_places_sum(&places);
    CHECK_INT(dlq_places_count(&places, plot), 40);
    CHECK_INT(dlq_places_count(&places, (struct dlq_box){101, 51, 109, 59}), 4);
    CHECK_INT(dlq_places_count(&places, (struct dlq_box){151, 51, 1000, 600}), 0);
}

static void test_corners(void)
{
    /* Lines that leave one corner free, and the corner that must be chosen. */
    static const struct {
        double from_x, from_y, to_x, to_y;
        bool right, bottom;
    } cases[] = {
        {110, 640, 1090, 300, false, false}, {110, 640, 600, 60, true, true}, {110, 60, 1090, 640, false, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dlq_box box = {0};
        dlq_places_clear(&places, plot);
        for (int k = 0; k < 30; k++)
            dlq_places_line(&places, cases[i].from_x, cases[i].from_y - k, cases[i].to_x, cases[i].to_y - k,
                            DLQ_TAKEN_DATA);
        if (i == 2) /* top right is taken too */
            dlq_places_box(&places, (struct dlq_box){800, 60, 1090, 200}, DLQ_TAKEN_TEXT);
        dlq_places_sum(&places);
        CHECK(dlq_places_corner(&places, 200, 120, 15, &box), "case %zu: no place", i);
        CHECK_INT(dlq_places_count(&places, box), 0);
        CHECK_INT(box.left + box.right > plot.left + plot.right, cases[i].right);
        CHECK_INT(box.top + box.bottom > plot.top + plot.bottom, cases[i].bottom);
        CHECK_REL(box.right - box.left, 200, 1e-9);
    }
}

static void test_full(void)
{
    struct dlq_box box = {1, 2, 3, 4};
    dlq_places_clear(&places, plot);
    for (int x = 100; x < 1100; x += 40)
        dlq_places_line(&places, x, 50, x, 650, DLQ_TAKEN_DATA);
    dlq_places_sum(&places);
    CHECK(!dlq_places_corner(&places, 200, 120, 15, &box), "a place where there is none");
    CHECK(!dlq_places_near(&places, 200, 120, 15, 600, 300, 100, &box), "a place where there is none");
    CHECK(!dlq_places_near(&places, 2000, 1200, 15, 600, 300, 100, &box), "larger than the plot");
    CHECK_REL(box.bottom, 4, 0);
}

/* The box lies on the side of the line where the arrow need not cross it. */
static void test_near(void)
{
    dlq_places_clear(&places, plot);
    dlq_places_line(&places, 100, 300, 1100, 300, DLQ_TAKEN_DATA);
    dlq_places_sum(&places);
    for (int y = 240; y <= 360; y += 120) {
        struct dlq_box box = {0};
        double x = 0, near_y = 0;
        CHECK(dlq_places_near(&places, 260, 60, 8, 600, y, 120, &box), "no place");
        dlq_box_nearest(&box, 600, y, &x, &near_y);
        CHECK_REL(hypot(x - 600, near_y - y), 120, 0.1);
        CHECK_INT(near_y < 300, y < 300);
        CHECK(box.left >= plot.left + 8 && box.right <= plot.right - 8, "outside: %g .. %g", box.left, box.right);
    }
    CHECK_REL(dlq_places_crossed(&places, 600, 100, 600, 200), 0, 0);
    CHECK(dlq_places_crossed(&places, 600, 200, 600, 400) > 0, "a crossing that is not seen");
}

static void test_spread(void)
{
    static const struct {
        double given[4], want[4];
    } cases[] = {{{10, 40, 70, 95}, {10, 40, 70, 95}},
                 {{10, 11, 12, 13}, {10, 30, 50, 70}},
                 {{96, 97, 98, 99}, {40, 60, 80, 100}},
                 {{-5, 0, 50, 120}, {0, 20, 50, 100}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double at[4];
        memcpy(at, cases[i].given, sizeof at);
        dlq_spread(at, 4, 20, 0, 100);
        for (size_t k = 0; k < 4; k++)
            CHECK_REL(at[k], cases[i].want[k], 1e-12);
    }
    dlq_spread(NULL, 0, 20, 0, 100);
}

static const struct test_case cases[] = {
    {"lines", test_lines},
    {"counting", test_count},
    {"corners", test_corners},
    {"a full plot", test_full},
    {"near a point", test_near},
    {"spreading labels", test_spread},
    {NULL, NULL},
};
const struct test_suite suite_chart_place = {"chart_place", cases};
