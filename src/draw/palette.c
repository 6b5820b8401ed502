#include "draw/palette.h"

#include <math.h>

/* Seven of the nine "muted" colors of Paul Tol's schemes (2021), without the two reds, which would pass for stalls. */
static const unsigned workers[] = {0x332288, 0x88ccee, 0x44aa99, 0x117733, 0xddcc77, 0xaa4499, 0x999933};
enum { WORKERS = sizeof workers / sizeof *workers };

/* With 0.55 the closest two of all fourteen are 12 units of CIELAB apart, and the lightest is 19 from white. */
static const double paler = 0.55;

unsigned dlq_palette_worker(long worker)
{
    if (worker < 0) /* unknown */
        return DLQ_PALETTE_OVERHEAD;
    unsigned color = workers[worker % WORKERS];
    return worker / WORKERS % 2 == 0 ? color : dlq_palette_blend(color, 0xffffff, paler);
}

/* Relative luminance of WCAG 2.1: 0 of black, 1 of white, 0.0722 of pure blue. */
static double luminance(unsigned color)
{
    static const double weights[] = {0.0722, 0.7152, 0.2126};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double part = (color >> 8 * i & 0xff) / 255.0;
        sum += weights[i] * (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

/* The contrast of two colors is (L + 0.05) / (L' + 0.05), the lighter one above. */
unsigned dlq_palette_ink(unsigned color)
{
    double light = luminance(color) + 0.05;
    return 1.05 / light > light / 0.05 ? 0xffffff : 0x000000;
}

unsigned dlq_palette_blend(unsigned color, unsigned under, double opacity)
{
    unsigned blend = 0;
    double share = opacity > 0 ? fmin(opacity, 1) : 0;
    for (unsigned shift = 0; shift < 24; shift += 8) {
        double upper = color >> shift & 0xff, lower = under >> shift & 0xff;
        blend |= (unsigned)lround(share * upper + (1 - share) * lower) << shift;
    }
    return blend;
}
