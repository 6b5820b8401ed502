/* The driver of all targets. For libFuzzer, which has a main of its own: the target that FUZZ_TARGET in the environment
   names. For any compiler, replay TARGET DIRECTORY...: runs every file of the directories, in the order of their names;
   an input that a target refuses ends the program. */
#include "fuzz.h"

#include <ctype.h>
#include <dirent.h>
#include <gsl/gsl_errno.h>
#include <stdarg.h>

const char *fuzz_subject = "";

static const struct target *const targets[] = {&target_bounds, &target_config, &target_fit,
                                               &target_laws,   &target_logs,   &target_quantities,
                                               &target_solve,  &target_titles, NULL};
static const struct target *target;

/* -- what is wrong -- */

void fuzz_fail(const char *file, int line, const char *expected, const char *format, ...)
{
    va_list arguments;
    if (fuzz_subject[0] != '\0')
        fprintf(stderr, "%s\n", fuzz_subject);
    fprintf(stderr, "%s:%d: %s: ", file, line, expected);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

void fuzz_in(const char *file, int line, const char *names, bool maybe, long double low, long double high,
             const long double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(low <= values[i] && values[i] <= high) && !(maybe && isnan(values[i])))
            fuzz_fail(file, line, names, "%.17Lg (number %zu) is not in %.17Lg..%.17Lg", values[i], i + 1, low, high);
}

bool fuzz_good(const char *file, int line, enum dlq_status status, const struct dlq_error *error)
{
    bool printable = memchr(error->text, '\0', sizeof error->text) != NULL;
    for (const char *at = error->text; printable && *at != '\0'; at++)
        printable = *at == '\n' || (unsigned char)*at >= ' ';
    if ((status == DLQ_OK) != (error->count == 0) || !printable)
        fuzz_fail(file, line, "status and error", "status %d, %d errors: %.8191s", (int)status, error->count,
                  error->text);
    return status == DLQ_OK;
}

void fuzz_no_nan(const char *text)
{
    static const char *const words[] = {"nan", "inf"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (const char *at = text; (at = strstr(at, words[i])) != NULL; at++)
            EXPECT((at != text && isalpha((unsigned char)at[-1])) || isalpha((unsigned char)at[3]), "%.*s", 160,
                   at - text < 80 ? text : at - 80);
}

void fuzz_figures(const char *name, json_t *part)
{
    static const struct {
        const char *name;
        double least, most;
    } others[] = {
        {"utilization", 0, 1},      {"au", 0, 1},
        {"stalled_steps", 0, 1},    {"stalled", 0, 1},
        {"gain", -1, INFINITY},     {"error", -1, INFINITY},
        {"autocorrelation", -1, 1}, {"unexplained", -INFINITY, 1},
    };
    double least = 0, most = INFINITY;
    const char *key;
    size_t index;
    json_t *value, *low = json_object_get(part, "low"), *high = json_object_get(part, "high");
    if (json_is_string(part)) {
        EXPECT(json_string_length(part) > 0, "%s: an empty text", name);
        fuzz_no_nan(json_string_value(part));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].name, name) == 0)
            least = others[i].least, most = others[i].most;
    EXPECT(!json_is_number(part) || (json_number_value(part) >= least - 1e-9 && json_number_value(part) <= most + 1e-9),
           "%s: %.17g", name, json_number_value(part));
    if (json_is_number(low) && json_is_number(high)) {
        double middle = json_number_value(json_object_get(part, "value")), slack = 1e-9 * fabs(middle);
        EXPECT(json_number_value(low) <= middle + slack && middle <= json_number_value(high) + slack,
               "%s: %.17g in %.17g..%.17g", name, middle, json_number_value(low), json_number_value(high));
    }
    json_object_foreach(part, key, value) fuzz_figures(low != NULL ? name : key, value);
    json_array_foreach(part, index, value) fuzz_figures(name, value);
}

/* -- targets -- */

/* libFuzzer demands these names. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void begin(const char *name)
{
    for (size_t i = 0; name != NULL && targets[i] != NULL; i++)
        if (strcmp(targets[i]->name, name) == 0)
            target = targets[i];
    if (target == NULL) {
        fprintf(stderr, "fuzz: no target %s\n", name == NULL ? "in FUZZ_TARGET" : name);
        exit(2);
    }
    gsl_set_error_handler_off();
    if (target->begin != NULL)
        target->begin();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    begin(getenv("FUZZ_TARGET"));
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    if (size <= target->longest)
        target->run(&bytes);
    return 0;
}

#ifdef FUZZ_REPLAY

static int is_input(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void replay(const char *directory, const char *name)
{
    enum { MOST = 1 << 22 };
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *stream = fopen(path, "rb");
    unsigned char *bytes = malloc(MOST);
    EXPECT(stream != NULL && bytes != NULL, "cannot read %s", path);
    size_t size = fread(bytes, 1, MOST, stream);
    fclose(stream);
    /* Of its very size: a sanitizer sees what is read beyond it. */
    unsigned char *exact = size == 0 ? bytes : realloc(bytes, size);
    /* Before it runs: it may not come back. */
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

int main(int argc, char *argv[])
{
    begin(argv[1]);
    for (int i = 2; i < argc; i++) {
        struct dirent **inputs;
        int count = scandir(argv[i], &inputs, is_input, alphasort);
        if (count <= 0) {
            fprintf(stderr, "replay: %s: %s\n", argv[i], count < 0 ? "no such directory" : "no inputs");
            return 1;
        }
        for (int k = 0; k < count; k++) {
            replay(argv[i], inputs[k]->d_name);
            free(inputs[k]);
        }
        free(inputs);
        printf("%d inputs\n", count);
    }
    return argc > 2 ? 0 : 1;
}

#endif
