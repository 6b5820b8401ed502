/* Files that the program carries: templates of pictures, of configurations and of the page. Made by embed.cmake; each
   table ends with a null name. */
#pragma once

struct dlq_embedded {
    const char *name; /* of the file; of pictures and configurations without its ending */
    const unsigned char *text;
};

/* src/draw/NAME.gp: the style of all pictures, and a sentence in place of one. */
extern const struct dlq_embedded dlq_picture_style[];
/* src/report/pictures/NAME.gp and src/logs/report/NAME.gp. */
extern const struct dlq_embedded dlq_picture_templates[], dlq_log_templates[];
/* src/cli/init/NAME.ini. */
extern const struct dlq_embedded dlq_init_templates[];
/* share/report/page.html, page.css and page.js, and of each its SHA-256 as a content security policy has it: "page.js",
   "page.js.sha256". */
extern const struct dlq_embedded dlq_page_files[];
/* python/dlqueue_probe.py and python/sitecustomize.py. */
extern const struct dlq_embedded dlq_run_files[];
