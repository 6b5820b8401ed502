/* Files that have no name until they are whole: whatever ends the program leaves nothing of them. */
#ifndef DLQ_DRAW_UNNAMED_H
#define DLQ_DRAW_UNNAMED_H

/* A descriptor to write to, mode 0666 less the umask; -1 where the system or the file system of `directory` has no
   such files, or anything else is wrong: then one with a name tells what. */
int dlq_unnamed_open(const char *directory);

/* The first name, in the same file system; 0, or -1 with errno (EEXIST: it is taken). */
int dlq_unnamed_link(int fd, const char *name);

#endif
