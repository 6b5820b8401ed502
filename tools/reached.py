"""Finds which suites enter the function of each mutant: no test can notice a mutant in a function that never runs.

In a copy of the source each of these functions starts with a call of dlq_reached, which sets a byte of a file. Every
process of a suite maps the file, so that the bytes of a killed process are kept. dlq_reached uses system calls alone,
as some tests make library calls fail.
"""

SOURCE = """#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void dlq_reached(int number);

void dlq_reached(int number)
{
    static char *marks;
    char *found = __atomic_load_n(&marks, __ATOMIC_RELAXED);
    if (found == NULL) {
        long fd = syscall(SYS_openat, AT_FDCWD, "%s", O_RDWR);
        long map = fd < 0 ? -1 : syscall(SYS_mmap, NULL, %dL, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
        if (fd >= 0)
            syscall(SYS_close, fd);
        if (map == -1)
            return;
        found = (char *)map;
        __atomic_store_n(&marks, found, __ATOMIC_RELAXED);
    }
    found[number] = 1;
}
"""


class Probes:
    """A context in which the copy of the source has the calls."""

    def __init__(self, tree, mutants, file):
        self.tree, self.file, self.size = tree, file, len(mutants) + 1
        self.kept = {}
        # A mistake in a table is in no function: counts as reached by every suite.
        self.everywhere = [mutant.number for mutant in mutants if self.function(mutant) is None]
        self.functions = {mutant.number: (mutant.file, self.function(mutant)) for mutant in mutants}

    def function(self, mutant):
        """The line with the opening brace of the mutant's function; None: the mutant is in a table or macro."""
        lines = (self.tree / mutant.file).read_text(encoding="utf-8").split("\n")
        for line in range(mutant.line, -1, -1):
            if lines[line].startswith("{"):
                return line
            if lines[line].startswith("}") or lines[line].startswith("#define"):
                return None
        return None

    def __enter__(self):
        for number, (name, line) in self.functions.items():
            if line is not None:
                path = self.tree / name
                text = path.read_text(encoding="utf-8")
                self.kept.setdefault(path, text)
                lines = text.split("\n")
                lines[line] = "{ extern void dlq_reached(int); dlq_reached(%d); %s" % (number, lines[line][1:])
                path.write_text("\n".join(lines), encoding="utf-8")
        self.source = self.tree / "src" / "base" / "reached.c"
        self.source.write_text(SOURCE % (self.file, self.size), encoding="utf-8")
        return self

    def __exit__(self, *_):
        for path, text in self.kept.items():
            path.write_text(text, encoding="utf-8")
        self.source.unlink()

    def clear(self):
        self.file.write_bytes(bytes(self.size))

    def reached(self):
        marks = self.file.read_bytes()
        return [number for number in self.functions if marks[number] or number in self.everywhere]
