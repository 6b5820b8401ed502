/* The chart of a timeline: who did what when. */
#ifndef DLQ_REPORT_TIMELINE_PICTURES_H
#define DLQ_REPORT_TIMELINE_PICTURES_H

#include "report/pictures/pictures.h"
#include "report/timeline_answer.h"

/* Every span of the chart, made from the record. */
struct dlq_timeline_drawing;

/* A row per loader, the queue, the trainer; rank by rank where these are few, else the trainers alone of the ranks
   that hold the others up most. Borrows the answer. */
enum dlq_status dlq_timeline_drawing_new(const struct dlq_timeline_answer *answer,
                                         struct dlq_timeline_drawing **drawing, struct dlq_error *error);
void dlq_timeline_drawing_free(struct dlq_timeline_drawing *drawing);
/* Pixels that it needs at that width, or `usual` where that is enough. */
int dlq_timeline_drawing_height(const struct dlq_timeline_drawing *drawing, int width, int usual);

/* `subject`: struct dlq_timeline_drawing. */
enum dlq_status dlq_picture_timeline(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                     struct dlq_error *error);
/* Waits and their rhythm. `subject`: struct dlq_timeline_answer. */
enum dlq_status dlq_picture_rhythm(const void *subject, const struct dlq_canvas *canvas, FILE *script,
                                   struct dlq_error *error);

#endif
