/* The templates of pictures, embedded. */
#ifndef DLQ_REPORT_PICTURES_TEMPLATE_H
#define DLQ_REPORT_PICTURES_TEMPLATE_H

struct dlq_picture_template {
    const char *name;
    const unsigned char *text;
};

extern const struct dlq_picture_template dlq_picture_templates[]; /* ended by a null name */

#endif
