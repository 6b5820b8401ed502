/* Quantities, ranges, seeds and options of every kind.
   From text and from doubles: the first byte tells which. What is accepted lies where the headers promise, and reads
   back to the same bits once it is written. */
#include "base/option.h"
#include "fuzz.h"

enum { UNITS = DLQ_UNIT_NUMBER + 1, WHY = 256, RANGE_TEXT = DLQ_RANGE_LIST * DLQ_QUANTITY_TEXT };

/* -- quantities -- */

static bool is_signed(enum dlq_unit unit)
{
    return unit == DLQ_UNIT_FACTOR || unit == DLQ_UNIT_NUMBER;
}

static bool is_allowed(double value, enum dlq_unit unit)
{
    return isfinite(value) && (is_signed(unit) || value >= 0) &&
           (unit != DLQ_UNIT_COUNT || (value == floor(value) && value <= 9007199254740992.0));
}

static void check_quantity(double value, enum dlq_unit unit)
{
    EXPECT(is_allowed(value, unit) && (is_signed(unit) || !signbit(value)), "unit %d: %g", (int)unit, value);
}

static void read_back(double value, enum dlq_unit unit)
{
    char text[DLQ_QUANTITY_TEXT], why[WHY] = "";
    double back = NAN;
    dlq_quantity_exact(value, unit, text);
    bool good = dlq_quantity_parse(text, unit, &back, why, sizeof why);
    EXPECT(good && back == value, "unit %d: %.17g is written '%s', read %.17g: %s", (int)unit, value, text, back, why);
}

static void write_for_people(double value, enum dlq_unit unit)
{
    char readable[DLQ_QUANTITY_TEXT], fixed[DLQ_QUANTITY_TEXT];
    for (int digits = 1; digits < 18; digits += 4) {
        dlq_quantity_readable(value, unit, digits, readable);
        dlq_text_fixed(value, digits, fixed);
        ENDED(readable);
        ENDED(fixed);
        EXPECT(readable[0] != '\0' && fixed[0] != '\0', "%.17g is not written", value);
    }
}

static void try_quantity(const char *text, unsigned which)
{
    const enum dlq_unit unit = (enum dlq_unit)(which % UNITS);
    char why[WHY] = "";
    double value = NAN;
    if (!dlq_quantity_parse(text, unit, &value, why, sizeof why)) {
        EXPECT(isnan(value) && why[0] != '\0', "refused, but %g, why '%s'", value, why);
        return;
    }
    check_quantity(value, unit);
    read_back(value, unit);
    write_for_people(value, unit);
}

static void try_seed(const char *text, unsigned which)
{
    char why[WHY] = "", digits[32];
    uint64_t seed = 7;
    (void)which;
    if (!dlq_quantity_parse_seed(text, &seed, why, sizeof why))
        return;
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)seed);
    EXPECT(strcmp(digits, text + strspn(text, "0")) == 0 || seed == 0, "seed %s of '%s'", digits, text);
}

static void try_double(double value)
{
    for (int unit = 0; unit < UNITS; unit++) {
        write_for_people(value, (enum dlq_unit)unit);
        if (is_allowed(value, (enum dlq_unit)unit))
            read_back(value, (enum dlq_unit)unit);
    }
}

/* -- ranges -- */

static void try_range(const char *text, unsigned which)
{
    static const struct {
        double minimum, maximum;
    } limits[] = {{0, 4096}, {1e-9, 1e9}, {-INFINITY, INFINITY}, {0, 1}, {1, 65535}}, *limit;
    static char written[RANGE_TEXT];
    const enum dlq_unit unit = (enum dlq_unit)(which % UNITS);
    char why[WHY] = "";
    struct dlq_range range = {0}, back = {0};
    limit = &limits[which / UNITS % (sizeof limits / sizeof *limits)];
    if (!dlq_range_parse(text, unit, limit->minimum, limit->maximum, &range, why, sizeof why)) {
        EXPECT(range.count == 0 && why[0] != '\0', "refused, but %zu points, why '%s'", range.count, why);
        return;
    }
    dlq_range_exact(&range, unit, written, sizeof written);
    bool good = dlq_range_parse(written, unit, limit->minimum, limit->maximum, &back, why, sizeof why);
    EXPECT(good && back.count == range.count, "'%s': %zu of %zu points: %s", written, back.count, range.count, why);
    IN(1, DLQ_RANGE_POINTS, range.count);
    double previous = -INFINITY;
    for (size_t i = 0; i < range.count; i++) {
        double value = dlq_range_value(&range, i), again = dlq_range_value(&back, i);
        EXPECT(value > previous && value == again, "'%s': point %zu: %.17g after %.17g, or %.17g", written, i, value,
               previous, again);
        IN(limit->minimum, limit->maximum, value);
        check_quantity(value, unit);
        previous = value;
    }
    double slack = range.step > 0 ? 1e-9 * range.step : 0;
    EXPECT(dlq_range_value(&range, 0) == range.low, "begins at %.17g", range.low);
    EXPECT(range.step > 0 || previous == range.high, "ends at %.17g, not %.17g", previous, range.high);
    EXPECT(previous <= range.high + slack && !(previous + range.step < range.high - range.step),
           "ends at %.17g for %.17g", previous, range.high);
}

/* -- option rows -- */

struct fields {
    double quantity;
    long count;
    uint64_t seed;
    bool flag;
    const char *text;
    int choice;
    struct dlq_range range;
};

static const char *const words[] = {"auto", "unbounded", "pytorch", NULL};

#define ROW(KIND, UNIT, MOST, WORDS, FIELD)                                                                            \
    {                                                                                                                  \
        .key = #FIELD, .kind = DLQ_KIND_##KIND, .unit = DLQ_UNIT_##UNIT, .minimum = 0, .maximum = MOST,                \
        .words = WORDS, .help = "", .offset = offsetof(struct fields, FIELD)                                           \
    }

static const struct dlq_option rows[] = {
    ROW(QUANTITY, SHARE, 1, NULL, quantity), ROW(COUNT, COUNT, 1e10, words, count),
    ROW(SEED, COUNT, 0, NULL, seed),         ROW(FLAG, COUNT, 0, NULL, flag),
    ROW(TEXT, COUNT, 0, NULL, text),         ROW(CHOICE, COUNT, 0, words, choice),
    ROW(RANGE, COUNT, 4096, NULL, range),
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct dlq_section section = {.name = "all", .help = "", .options = rows, .count = ROWS};

/* Writes the field as text; false: the text was refused. */
static bool apply(const struct dlq_option *row, const char *value, char *text, size_t size)
{
    struct dlq_entries entries = {0};
    struct dlq_error error = {0};
    struct fields fields = {0};
    struct dlq_entry *entry = dlq_entries_add(&entries, "all", row->key, value, "input", 1);
    EXPECT(entry != NULL, "no memory");
    bool good = GOOD(dlq_option_check(&section, 1, NULL, entry, &error), &error);
    if (good) {
        dlq_options_apply(&section, "all", &entries, &fields);
        dlq_option_print(row, &fields, text, size);
    }
    dlq_entries_free(&entries);
    return good;
}

static void try_option(const char *value, unsigned which)
{
    static char once[RANGE_TEXT], twice[RANGE_TEXT];
    const struct dlq_option *row = &rows[which % ROWS];
    if (!apply(row, value, once, sizeof once))
        return;
    EXPECT(apply(row, once, twice, sizeof twice), "%s: '%s' is refused", row->key, once);
    EXPECT(strcmp(once, twice) == 0, "%s: '%s', then '%s'", row->key, once, twice);
}

static void run(struct bytes *bytes)
{
    static void (*const ways[])(const char *text, unsigned which) = {try_quantity, try_range, try_option, try_seed};
    unsigned how = bytes_next(bytes) % 5, which = bytes_next(bytes);
    if (how == 4) {
        try_double(bytes_double(bytes));
        return;
    }
    char *text = bytes_text(bytes);
    ways[how](text, which);
    free(text);
}

const struct target target_quantities = {.name = "quantities", .longest = 256, .run = run};
