#include "harness.h"

#include "draw/gnuplot.h"

enum { DISTINCT = 14 };

static void test_workers(void)
{
    static const unsigned colors[] = {0x332288, 0x88ccee, 0x44aa99, 0x117733, 0xddcc77, 0xaa4499, 0x999933};
    for (long i = 0; i < 7; i++) {
        CHECK_INT(dlq_palette_worker(i), colors[i]);
        CHECK_INT(dlq_palette_worker(i + 7), dlq_palette_pale(colors[i], 0.55));
        CHECK_INT(dlq_palette_worker(i + DISTINCT), colors[i]);
        CHECK_INT(dlq_palette_worker(i + 5 * DISTINCT + 7), dlq_palette_worker(i + 7));
    }
    CHECK_INT(dlq_palette_worker(-1), DLQ_PALETTE_OVERHEAD);
    CHECK_INT(dlq_palette_worker(2147483647), dlq_palette_worker(2147483647 % DISTINCT));
}

static double linear(unsigned color, unsigned shift)
{
    double part = (color >> shift & 0xff) / 255.0;
    return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

static double luminance(unsigned color)
{
    return 0.2126 * linear(color, 16) + 0.7152 * linear(color, 8) + 0.0722 * linear(color, 0);
}

static void test_ink(void)
{
    CHECK_INT(dlq_palette_ink(0x767676), 0); /* these two are on either side of equal contrast (4.58) */
    CHECK_INT(dlq_palette_ink(0x747474), 0xffffff);
    for (unsigned color = 0; color <= 0xffffff; color += 0x010a3d) {
        double ink = luminance(dlq_palette_ink(color)), light = luminance(color);
        double contrast = (fmax(ink, light) + 0.05) / (fmin(ink, light) + 0.05);
        CHECK(contrast >= 4.5, "%06x: contrast %g", color, contrast);
    }
}

static void test_pale(void)
{
    CHECK_INT(dlq_palette_pale(0x112233, 1), 0x112233);
    CHECK_INT(dlq_palette_pale(0x112233, 0), 0xffffff);
    CHECK_INT(dlq_palette_pale(0x0000ff, 0.2), 0xccccff);
}

TEST_SUITE(palette, CASE(test_workers), CASE(test_ink), CASE(test_pale));
