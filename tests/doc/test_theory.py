"""doc/theory.md: each equation stands in its last table, in the code by its number, and has a test: test_theory.py ROOT"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
page = (root / "doc/theory.md").read_text(encoding="utf-8")
wrong = []


def check(holds, *what):
    if not holds:
        wrong.append(" ".join(map(str, what)))


tags = [int(number) for number in re.findall(r"\\tag\{(\d+)\}", page)]
check(tags == list(range(1, len(tags) + 1)) and tags, "not numbered in order:", tags)
rows = re.findall(r"^\| (\d+) \| `(\w+)` \| `(src/[\w/.]+)` \| `(\w+)\.(\w+)` \| (.+) \|$", page, re.M)
check([int(row[0]) for row in rows] == tags, "the table has other equations:", [row[0] for row in rows])
for number, function, path, floor, suite, case in rows:
    source, test = root / path, root / "tests" / floor / ("test_%s.c" % suite)
    check(source.exists() and test.exists(), number, "no such file:", source, test)
    if source.exists() and test.exists():
        text = source.read_text(encoding="utf-8")
        check(re.search(r"^[^\s/*#].*\b%s\([^;]*\{" % function, text, re.M), number, path, "has no function", function)
        check(re.search(r"\(theory\s+%s\)" % number, text), number, "is not cited in", path)
        cases = '{"%s",' % case, "CASE(%s)" % case.replace(" ", "_")
        check(any(row in test.read_text(encoding="utf-8") for row in cases), number, test.name, "has no case", case)
for source in sorted((root / "src").rglob("*.[ch]")):
    for number in re.findall(r"\(theory\s+(\d+)\)", source.read_text(encoding="utf-8")):
        check(int(number) in tags, source.relative_to(root), "cites", number)
print("\n".join(wrong) or "%d equations" % len(tags))
sys.exit(1 if wrong else 0)
