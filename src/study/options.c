/* Option rows of [plan] and [plot], and the list of all sections. */
#include "study/model.h"

#include <stdlib.h>
#include <string.h>

const char *const dlq_plan_of_words[] = {"utilization", "au", "samples_per_second", NULL};
const char *const dlq_plan_solve_words[] = {"loaders",   "prefetch", "ranks",    "cores",
                                            "bandwidth", "storage",  "instance", NULL};

#define AT(field) offsetof(struct dlq_plan_options, field)

static const struct dlq_option plan_options[] = {
    DLQ_QUANTITY_ROW("target", DLQ_UNIT_SHARE, 0, 1e12, "95%", AT(target),
                     "value to reach; a plain number if of = samples_per_second"),
    DLQ_WORD_ROW("of", dlq_plan_of_words, "utilization", AT(of), "the figure that the target is a value of"),
    DLQ_WORD_ROW("solve", dlq_plan_solve_words, "loaders", AT(solve),
                 "what to look for: the least loaders, prefetch, cores or bandwidth of a host, or bandwidth of the "
                 "storage; the most ranks; the cheapest instance"),
    DLQ_COUNT_ROW("at_most", 1, 65535, "128", NULL, AT(at_most),
                  "the largest count to consider; by default at least the configured one"),
};

const struct dlq_section dlq_plan_section =
    DLQ_SECTION("plan", plan_options, .help = "the target and what to change for it");

/* [plot] as it is written, before lists and sizes are parsed. */
struct plot {
    const char *directory, *format, *size;
};

static const char *const format_words[] = {"png", "svg", "pdf", NULL};

#define TEXT(key, words, standard, field, help)                                                                        \
    {                                                                                                                  \
        key, DLQ_KIND_TEXT, DLQ_UNIT_TIME, 0, 0, standard, words, help, offsetof(struct plot, field), NULL             \
    }

static const struct dlq_option plot_options[] = {
    TEXT("directory", NULL, "plots", directory, "directory of charts and tables"),
    TEXT("format", format_words, "png", format, "formats of charts, one or several"),
    TEXT("size", NULL, "1600x900", size, "width x height in pixels, each 320..8192; or 85mm or 170mm wide, for papers"),
};

const struct dlq_section dlq_plot_section = DLQ_SECTION("plot", plot_options, .help = "charts and their files");

/* Reads "png, pdf" as a set of bits: bit i for format_words[i], that is DLQ_PNG and so on. False: another word. */
static bool read_formats(const char *text, unsigned *formats)
{
    *formats = 0;
    for (const char *at = text;; at++) {
        at += strspn(at, " \t");
        size_t length = strcspn(at, ", \t");
        size_t i = 0;
        while (format_words[i] != NULL && !(length == 3 && strncmp(at, format_words[i], 3) == 0))
            i++;
        if (format_words[i] == NULL)
            return false;
        *formats |= 1U << i;
        at += length;
        at += strspn(at, " \t");
        if (*at == '\0')
            return true;
        if (*at != ',')
            return false;
    }
}

enum dlq_status dlq_plot_options_read(struct dlq_plot_options *options, const struct dlq_entries *entries,
                                      struct dlq_error *error)
{
    const struct dlq_reading reading = {entries, "plot", error};
    struct plot plot = {0};
    struct dlq_plot_options read = {0};
    enum dlq_status status = DLQ_OK;
    char sides[2][5] = {"", ""};
    int end = 0;
    dlq_options_apply(&dlq_plot_section, "plot", entries, &plot);
    read.directory = plot.directory;
    if (!read_formats(plot.format, &read.formats))
        status = dlq_reading_refuse(&reading, "format", "'%s' is not a list of png, svg, pdf", plot.format);
    /* 85mm and 170mm: one or both columns of a paper, at 300 pixels an inch. */
    bool column = strcmp(plot.size, "85mm") == 0;
    read.on_paper = column || strcmp(plot.size, "170mm") == 0;
    read.width = column ? 1004 : 2008;
    read.height = column ? 720 : 1180;
    if (!read.on_paper) {
        sscanf(plot.size, "%4[0-9]x%4[0-9]%n", sides[0], sides[1], &end);
        read.width = (int)strtol(sides[0], NULL, 10);
        read.height = (int)strtol(sides[1], NULL, 10);
    }
    if (!read.on_paper && (end == 0 || plot.size[end] != '\0' || read.width < 320 || read.width > 8192 ||
                           read.height < 320 || read.height > 8192))
        status = dlq_reading_refuse(
            &reading, "size", "'%s' is not a size such as 1600x900, each side 320..8192, or 85mm or 170mm", plot.size);
    if (status == DLQ_OK)
        *options = read;
    return status;
}

size_t dlq_sections(struct dlq_section sections[DLQ_SECTIONS])
{
    const struct dlq_section *const all[DLQ_SECTIONS] = {
        &dlq_pipeline_section, &dlq_overheads_section, &dlq_load_section,  &dlq_step_section,
        &dlq_host_section,     &dlq_storage_section,   &dlq_cache_section, &dlq_slowdown_section,
        &dlq_simulate_section, &dlq_sweep_section,     &dlq_plan_section,  &dlq_plot_section,
    };
    for (size_t i = 0; i < DLQ_SECTIONS; i++)
        sections[i] = *all[i];
    return DLQ_SECTIONS;
}
