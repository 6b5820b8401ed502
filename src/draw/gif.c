/* Animated GIFs in fewer bytes: gifsicle packs what gnuplot draws, where it is installed. */
#include "draw/child.h"
#include "draw/gnuplot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const double timeout_seconds = 60;

/* Takes what was packed in the place of the whole, if it is a GIF and smaller. */
static enum dlq_status take(struct dlq_child *child, enum dlq_child_end end, struct dlq_image *image,
                            struct dlq_error *error)
{
    if (end == DLQ_CHILD_INTERRUPTED)
        return dlq_error_add(error, DLQ_INTERRUPTED, "interrupted while gifsicle was packing");
    if (end == DLQ_CHILD_NO_MEMORY)
        return dlq_error_memory(error, "packing a GIF");
    if (end == DLQ_CHILD_BROKEN)
        return dlq_error_add(error, DLQ_FAILURE, "cannot talk to gifsicle: %s", strerror(child->reason));
    if (end == DLQ_CHILD_EXITED && child->status == 0 && child->size < image->size &&
        dlq_picture_is_whole("gif", child->bytes, child->size)) {
        unsigned char *whole = image->bytes;
        image->bytes = child->bytes;
        image->size = child->size;
        child->bytes = whole;
    }
    return DLQ_OK;
}

enum dlq_status dlq_gif_pack(struct dlq_image *image, const volatile sig_atomic_t *interrupted, struct dlq_error *error)
{
    static const char *const arguments[] = {"gifsicle", "--no-warnings", "-O3", NULL};
    struct dlq_child *child = malloc(sizeof *child);
    if (child == NULL)
        return dlq_error_memory(error, "packing a GIF");
    enum dlq_status status = DLQ_OK;
    int reason = dlq_child_start(child, arguments, (const char *)image->bytes, image->size);
    if (reason == 0) {
        status = take(child, dlq_child_converse(child, timeout_seconds, interrupted), image, error);
        free(child->bytes);
    } else if (reason == ENOMEM) {
        status = dlq_error_memory(error, "starting gifsicle");
    } else if (reason != ENOENT && reason != EACCES) {
        status = dlq_error_add(error, DLQ_FAILURE, "cannot start gifsicle: %s", strerror(reason));
    }
    free(child);
    return status;
}
