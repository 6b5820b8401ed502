/* Animated GIFs in fewer bytes: gifsicle packs what gnuplot draws, where it is installed. */
#include "draw/child.h"
#include "draw/gnuplot.h"

#include <errno.h>
#include <stdlib.h>

static const double timeout_seconds = 60;

/* What was packed takes the place of the whole, if it is a GIF and smaller. */
enum dlq_status dlq_gif_pack(struct dlq_image *image, const volatile sig_atomic_t *interrupted, struct dlq_error *error)
{
    static const char *const arguments[] = {"gifsicle", "--no-warnings", "-O3", NULL};
    struct dlq_child child;
    enum dlq_child_end end =
        dlq_child_run(&child, arguments, (const char *)image->bytes, image->size, timeout_seconds, interrupted);
    bool failed = end == DLQ_CHILD_LATE || end == DLQ_CHILD_TOO_MUCH ||
                  (end == DLQ_CHILD_ABSENT && (child.reason == ENOENT || child.reason == EACCES));
    if (end == DLQ_CHILD_EXITED && child.status == 0 && child.size < image->size &&
        dlq_picture_is_whole("gif", child.bytes, child.size)) {
        unsigned char *whole = image->bytes;
        image->bytes = child.bytes;
        image->size = child.size;
        child.bytes = whole;
    }
    free(child.bytes);
    if (end != DLQ_CHILD_EXITED && !failed)
        return dlq_child_explain(&child, end, arguments[0], "packing", timeout_seconds, error);
    return DLQ_OK;
}
