/* Files embedded in the program: templates of pictures and configurations, the files of the page, Python sources. Made
   by embed.cmake; each table ends with a null name. */
#pragma once

struct dlq_embedded {
    const char *name; /* of the file; without its ending for pictures and configurations */
    const unsigned char *text;
};

/* src/draw/NAME.gp: the style of all pictures, and the template of a sentence that replaces a picture. */
extern const struct dlq_embedded dlq_picture_style[];
/* src/report/pictures/NAME.gp and src/logs/report/NAME.gp. */
extern const struct dlq_embedded dlq_picture_templates[], dlq_log_templates[];
/* src/cli/init/NAME.ini. */
extern const struct dlq_embedded dlq_init_templates[];
/* share/report/page.html, page.css and page.js, each with its SHA-256 for a content security policy: "page.js",
   "page.js.sha256". */
extern const struct dlq_embedded dlq_page_files[];
/* python/dlqueue_probe.py and python/sitecustomize.py. */
extern const struct dlq_embedded dlq_run_files[];
