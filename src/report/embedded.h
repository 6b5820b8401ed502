/* Files that the program carries: templates of pictures and of configurations. Made by embed.cmake. */
#ifndef DLQ_REPORT_EMBEDDED_H
#define DLQ_REPORT_EMBEDDED_H

struct dlq_embedded {
    const char *name; /* of the file, without its ending */
    const unsigned char *text;
};

/* src/report/pictures/NAME.gp; ended by a null name. */
extern const struct dlq_embedded dlq_picture_templates[];
/* src/cli/init/NAME.ini; ended by a null name. */
extern const struct dlq_embedded dlq_init_templates[];

#endif
