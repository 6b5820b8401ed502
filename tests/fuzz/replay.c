/* replay DIRECTORY...: runs every file of the directories through the target, in the order of their names. For any
   compiler; an input that a target refuses ends the program. */
#include "target.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the files, without those that begin with a dot; -1: the directory can't be read. */
static long list(const char *directory, char ***names)
{
    DIR *stream = opendir(directory);
    long count = 0;
    if (stream == NULL)
        return -1;
    for (struct dirent *entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
        if (entry->d_name[0] == '.')
            continue;
        char **longer = realloc(*names, ((size_t)count + 1) * sizeof *longer);
        char *name = strdup(entry->d_name);
        if (longer == NULL || name == NULL)
            abort();
        *names = longer;
        longer[count++] = name;
    }
    closedir(stream);
    if (count > 0)
        qsort(*names, (size_t)count, sizeof **names, compare);
    return count;
}

static int run(const char *directory, const char *name)
{
    enum { MOST = 1 << 22 };
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *stream = fopen(path, "rb");
    unsigned char *bytes = malloc(MOST);
    if (stream == NULL || bytes == NULL) {
        fprintf(stderr, "replay: cannot read %s\n", path);
        exit(1);
    }
    size_t size = fread(bytes, 1, MOST, stream);
    fclose(stream);
    /* Of its very size: a sanitizer sees what is read beyond it. */
    unsigned char *exact = size == 0 ? bytes : realloc(bytes, size);
    /* Before it runs: it may not come back. */
    printf("%s\n", path);
    fflush(stdout);
    int result = exact == NULL ? 1 : LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return result;
}

int main(int argc, char *argv[])
{
    long inputs = 0;
    target_begin();
    for (int i = 1; i < argc; i++) {
        char **names = NULL;
        long count = list(argv[i], &names);
        if (count <= 0) {
            fprintf(stderr, "replay: %s: %s\n", argv[i], count < 0 ? "no such directory" : "no inputs");
            return 1;
        }
        for (long k = 0; k < count; k++) {
            if (run(argv[i], names[k]) != 0)
                return 1;
            free(names[k]);
        }
        free(names);
        inputs += count;
    }
    printf("%ld inputs\n", inputs);
    return inputs > 0 ? 0 : 1;
}
