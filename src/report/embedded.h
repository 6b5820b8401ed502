/* Files that the program carries: templates of pictures, of configurations and of the page. Made by embed.cmake. */
#ifndef DLQ_REPORT_EMBEDDED_H
#define DLQ_REPORT_EMBEDDED_H

struct dlq_embedded {
    const char *name; /* of the file; of pictures and configurations without its ending */
    const unsigned char *text;
};

/* src/report/pictures/NAME.gp; ended by a null name. */
extern const struct dlq_embedded dlq_picture_templates[];
/* src/cli/init/NAME.ini; ended by a null name. */
extern const struct dlq_embedded dlq_init_templates[];
/* share/report/page.html, page.css and page.js, and of each its SHA-256 as a content security policy has it: "page.js",
   "page.js.sha256"; ended by a null name. */
extern const struct dlq_embedded dlq_page_files[];

#endif
