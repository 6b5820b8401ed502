/* Stores the argument of --pattern: a pattern, or a file whose section [log] has a key for each pattern. */
#include "args.h"

#include "base/option.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The section [log] of --pattern FILE.ini. */
struct pattern_file {
    const char *texts[DLQ_PATTERNS_OF_FILE]; /* patterns, in the order of log_options; null: not given */
    const char *shows; /* "mean" makes data=TEXT the pattern data:mean=TEXT, so iter and step; null: no such word */
    long every;        /* as --every; 0: not given */
};

static const struct dlq_option log_options[] = {
    DLQ_TEXT_ROW("data", offsetof(struct pattern_file, texts[0]), ""),
    DLQ_TEXT_ROW("iter", offsetof(struct pattern_file, texts[1]), ""),
    DLQ_TEXT_ROW("step", offsetof(struct pattern_file, texts[2]), ""),
    DLQ_TEXT_ROW("load", offsetof(struct pattern_file, texts[3]), ""),
    DLQ_TEXT_ROW("clock", offsetof(struct pattern_file, texts[4]), ""),
    DLQ_TEXT_ROW("sum", offsetof(struct pattern_file, texts[5]), ""),
    DLQ_TEXT_ROW("count", offsetof(struct pattern_file, texts[6]), ""),
    DLQ_TEXT_ROW("epoch", offsetof(struct pattern_file, texts[7]), ""),
    DLQ_TEXT_ROW("rank", offsetof(struct pattern_file, texts[8]), ""),
    DLQ_TEXT_ROW("shows", offsetof(struct pattern_file, shows), ""),
    DLQ_COUNT_ROW("every", 1, 999999999, NULL, NULL, offsetof(struct pattern_file, every), ""),
};
static const struct dlq_section log_section = DLQ_SECTION("log", log_options, .help = "");
enum { WITH_SHOWS = 3, LONGEST_PATTERN = 400 }; /* WITH_SHOWS: the first rows, to whose patterns `shows` applies */

enum dlq_status dlq_store_pattern(struct dlq_args *args, const struct dlq_arg *arg, const char *value,
                                  struct dlq_error *error)
{
    static const struct dlq_foreign none = {NULL, NULL, NULL};
    size_t length = strlen(value);
    struct dlq_entries entries = {0};
    struct pattern_file file = {.every = 0};
    if (length <= 4 || strcmp(value + length - 4, ".ini") != 0)
        return dlq_store_list(args, arg, value, error);
    FILE *stream = fopen(value, "r");
    if (stream == NULL)
        return dlq_error_add(error, DLQ_INVALID, "--pattern: cannot open %s: %s", value, strerror(errno));
    enum dlq_status status = dlq_ini_read(&entries, value, stream, error);
    fclose(stream);
    for (size_t i = 0; i < entries.count && status != DLQ_FAILURE; i++)
        if (dlq_option_check(&log_section, 1, &none, &entries.rows[i], error) != DLQ_OK)
            status = DLQ_INVALID;
    if (status == DLQ_OK && entries.count == 0)
        status = dlq_error_add(error, DLQ_INVALID, "%s: no section [log] with patterns", value);
    if (status == DLQ_OK)
        dlq_options_apply(&log_section, "log", &entries, &file);
    for (size_t i = 0; status == DLQ_OK && i < DLQ_PATTERNS_OF_FILE; i++) {
        bool shows = i < WITH_SHOWS && file.shows != NULL;
        if (file.texts[i] == NULL)
            continue;
        char *text = dlq_arena_take(&args->arena, LONGEST_PATTERN, 1);
        if (text == NULL) {
            status = dlq_error_memory(error, args->arena.doing);
            break;
        }
        snprintf(text, LONGEST_PATTERN, "%s%s%s=%s", log_options[i].key, shows ? ":" : "", shows ? file.shows : "",
                 file.texts[i]);
        args->patterns.words[args->patterns.count++] = text;
    }
    args->every = file.every > 0 ? file.every : args->every;
    dlq_entries_free(&entries);
    return status;
}
