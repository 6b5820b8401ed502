/* Quantities, ranges, seeds and options of every kind.
   From text and from doubles: the first byte tells which. What is accepted lies where the headers promise, and reads
   back to the same bits once it is written. */
#include "base/option.h"
#include "bytes.h"

enum { UNITS = DLQ_UNIT_NUMBER + 1, WHY = 256, RANGE_TEXT = DLQ_RANGE_LIST * DLQ_QUANTITY_TEXT };

static void check_quantity(double value, enum dlq_unit unit)
{
    bool is_signed = unit == DLQ_UNIT_FACTOR || unit == DLQ_UNIT_NUMBER;
    EXPECT(isfinite(value), "unit %d: %g", (int)unit, value);
    EXPECT(is_signed || (value >= 0 && !signbit(value)), "unit %d: %g", (int)unit, value);
    EXPECT(unit != DLQ_UNIT_COUNT || (value == floor(value) && value <= 9007199254740992.0), "count %g", value);
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
    char text[DLQ_QUANTITY_TEXT];
    for (int digits = 1; digits < 18; digits += 4) {
        dlq_quantity_readable(value, unit, digits, text);
        EXPECT(text[0] != '\0' && memchr(text, '\0', sizeof text) != NULL, "%.17g readable", value);
        dlq_quantity_fixed(value, digits, text);
        EXPECT(text[0] != '\0' && memchr(text, '\0', sizeof text) != NULL, "%.17g fixed", value);
    }
}

static void try_quantity(const char *text, enum dlq_unit unit)
{
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

static void try_seed(const char *text)
{
    char why[WHY] = "";
    uint64_t seed = 7;
    if (dlq_quantity_parse_seed(text, &seed, why, sizeof why)) {
        char digits[32];
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)seed);
        EXPECT(strcmp(digits, text + strspn(text, "0")) == 0 || seed == 0, "seed %s of '%s'", digits, text);
    }
}

struct limits {
    double minimum, maximum;
};

static const struct limits all_limits[] = {{0, 4096}, {1e-9, 1e9}, {-INFINITY, INFINITY}, {0, 1}, {1, 65535}};
enum { LIMITS = sizeof all_limits / sizeof *all_limits };

static void check_range(const struct dlq_range *range, enum dlq_unit unit, const struct limits *limits)
{
    double previous = -INFINITY;
    EXPECT(range->count >= 1 && range->count <= DLQ_RANGE_POINTS, "%zu points", range->count);
    for (size_t i = 0; i < range->count; i++) {
        double value = dlq_range_value(range, i);
        EXPECT(value > previous && value >= limits->minimum && value <= limits->maximum, "point %zu: %.17g", i, value);
        check_quantity(value, unit);
        previous = value;
    }
    double slack = range->step > 0 ? 1e-9 * range->step : 0;
    EXPECT(dlq_range_value(range, 0) == range->low, "begins at %.17g", range->low);
    EXPECT(range->step > 0 || previous == range->high, "ends at %.17g, not %.17g", previous, range->high);
    EXPECT(previous <= range->high + slack && !(previous + range->step < range->high - range->step),
           "ends at %.17g for %.17g", previous, range->high);
}

static void try_range(const char *text, enum dlq_unit unit, const struct limits *limits)
{
    static char written[RANGE_TEXT];
    char why[WHY] = "";
    struct dlq_range range = {0}, back = {0};
    if (!dlq_range_parse(text, unit, limits->minimum, limits->maximum, &range, why, sizeof why)) {
        EXPECT(range.count == 0 && why[0] != '\0', "refused, but %zu points, why '%s'", range.count, why);
        return;
    }
    check_range(&range, unit, limits);
    dlq_range_exact(&range, unit, written, sizeof written);
    bool good = dlq_range_parse(written, unit, limits->minimum, limits->maximum, &back, why, sizeof why);
    EXPECT(good && back.count == range.count, "'%s': %zu of %zu points: %s", written, back.count, range.count, why);
    for (size_t i = 0; i < range.count; i++)
        EXPECT(dlq_range_value(&back, i) == dlq_range_value(&range, i), "'%s': point %zu is %.17g, not %.17g", written,
               i, dlq_range_value(&back, i), dlq_range_value(&range, i));
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

#define ROW(key_, kind_, unit_, most_, words_, field)                                                                  \
    {                                                                                                                  \
        .key = key_, .kind = kind_, .unit = unit_, .minimum = 0, .maximum = most_, .words = words_, .help = "",        \
        .offset = offsetof(struct fields, field)                                                                       \
    }

static const struct dlq_option rows[] = {
    ROW("quantity", DLQ_KIND_QUANTITY, DLQ_UNIT_SHARE, 1, NULL, quantity),
    ROW("count", DLQ_KIND_COUNT, DLQ_UNIT_COUNT, 1e10, words, count),
    ROW("seed", DLQ_KIND_SEED, DLQ_UNIT_COUNT, 0, NULL, seed),
    ROW("flag", DLQ_KIND_FLAG, DLQ_UNIT_COUNT, 0, NULL, flag),
    ROW("text", DLQ_KIND_TEXT, DLQ_UNIT_COUNT, 0, NULL, text),
    ROW("choice", DLQ_KIND_CHOICE, DLQ_UNIT_COUNT, 0, words, choice),
    ROW("range", DLQ_KIND_RANGE, DLQ_UNIT_COUNT, 4096, NULL, range),
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
    bool good = entry != NULL && dlq_option_check(&section, 1, NULL, entry, &error) == DLQ_OK;
    EXPECT(good == (error.count == 0), "%d errors", error.count);
    if (good) {
        dlq_options_apply(&section, "all", &entries, &fields);
        dlq_option_print(row, &fields, text, size);
    }
    dlq_entries_free(&entries);
    return good;
}

static void try_option(const char *value, const struct dlq_option *row)
{
    static char once[RANGE_TEXT], twice[RANGE_TEXT];
    if (!apply(row, value, once, sizeof once))
        return;
    EXPECT(apply(row, once, twice, sizeof twice), "%s: '%s' is refused", row->key, once);
    EXPECT(strcmp(once, twice) == 0, "%s: '%s', then '%s'", row->key, once, twice);
}

/* -- doubles -- */

static void try_double(double value)
{
    for (int unit = 0; unit < UNITS; unit++) {
        bool negative = unit != DLQ_UNIT_FACTOR && unit != DLQ_UNIT_NUMBER && value < 0;
        bool no_count = unit == DLQ_UNIT_COUNT && !(value == floor(value) && value <= 9007199254740992.0);
        write_for_people(value, (enum dlq_unit)unit);
        if (isfinite(value) && !negative && !no_count)
            read_back(value, (enum dlq_unit)unit);
    }
}

void target_begin(void)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LONGEST = 256 };
    struct bytes bytes = {data, size};
    unsigned how = bytes_next(&bytes), which = bytes_next(&bytes);
    if (size > LONGEST)
        return 0;
    if (how % 5 == 4) {
        try_double(bytes_double(&bytes));
        return 0;
    }
    char *text = bytes_text(&bytes);
    if (how % 5 == 0)
        try_quantity(text, (enum dlq_unit)(which % UNITS));
    else if (how % 5 == 1)
        try_range(text, (enum dlq_unit)(which % UNITS), &all_limits[which / UNITS % LIMITS]);
    else if (how % 5 == 2)
        try_option(text, &rows[which % ROWS]);
    else
        try_seed(text);
    free(text);
    return 0;
}
