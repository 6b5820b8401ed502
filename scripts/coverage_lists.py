#!/usr/bin/env python3
# scripts/coverage_lists.py JSON DIRECTORY LINES BRANCHES: what gcovr counted: a table by floor, and two lists in
# DIRECTORY, most first. Status 1 below so many percent of the lines or branches, and where nothing was counted.
import json
import sys


def ranges(numbers):
    """[1, 2, 3, 7] -> [(1, 3), (7, 7)]"""
    found = []
    for number in numbers:
        if found and found[-1][1] + 1 == number:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


class File:
    def __init__(self, entry):
        self.name = entry["file"]
        self.floor = self.name.split("/")[1]
        lines = [line for line in entry["lines"] if not line.get("gcovr/noncode")]
        self.lines = len(lines)
        self.missed = sorted(line["line_number"] for line in lines if line["count"] == 0)
        self.branches = sum(len(line["branches"]) for line in lines)
        # line number -> (branches never taken, all branches)
        self.untaken = {}
        for line in lines:
            untaken = sum(branch["count"] == 0 for branch in line["branches"])
            if untaken > 0:
                self.untaken[line["line_number"]] = (untaken, len(line["branches"]))

    def count_untaken(self):
        return sum(untaken for untaken, _ in self.untaken.values())

    def source(self):
        with open(self.name, encoding="utf-8") as source:
            return [""] + source.read().splitlines()


def percent(part, whole):
    return 100.0 if whole == 0 else 100.0 * part / whole


def row(name, files):
    lines, branches = sum(f.lines for f in files), sum(f.branches for f in files)
    missed, untaken = sum(len(f.missed) for f in files), sum(f.count_untaken() for f in files)
    shares = percent(lines - missed, lines), percent(branches - untaken, branches)
    print(f"{name:<10}{lines:>7}{missed:>8}{shares[0]:>8.1f} %{branches:>10}{untaken:>8}{shares[1]:>8.1f} %")
    return shares


def table(files):
    print(f"{'floor':<10}{'lines':>7}{'not run':>8}{'run':>8}  {'branches':>10}{'untaken':>8}{'taken':>8}")
    for floor in sorted({f.floor for f in files}):
        row(floor, [f for f in files if f.floor == floor])
    return row("src", files)


def list_lines(files, out):
    for f in sorted(files, key=lambda f: (-len(f.missed), f.name)):
        if f.missed:
            print(f"{f.name}: {len(f.missed)} of {f.lines} lines", file=out)
            source = f.source()
            for first, last in ranges(f.missed):
                for number in range(first, last + 1):
                    print(f"  {number:>4} {source[number]}", file=out)


def list_branches(files, out):
    for f in sorted(files, key=lambda f: (-f.count_untaken(), f.name)):
        if f.untaken:
            print(f"{f.name}: {f.count_untaken()} of {f.branches} branches", file=out)
            source = f.source()
            for number, (untaken, branches) in sorted(f.untaken.items()):
                where = "line not run" if number in f.missed else f"{untaken} of {branches}"
                print(f"  {number:>4} {where:<13} {source[number].strip()}", file=out)


def main(path, directory, least_lines, least_branches):
    with open(path, encoding="utf-8") as text:
        files = [File(entry) for entry in json.load(text)["files"]]
    if not any(f.lines for f in files):
        sys.exit("nothing was counted")
    with open(f"{directory}/lines.txt", "w", encoding="utf-8") as out:
        list_lines(files, out)
    with open(f"{directory}/branches.txt", "w", encoding="utf-8") as out:
        list_branches(files, out)
    lines, branches = table(files)
    if lines < float(least_lines) or branches < float(least_branches):
        print(f"below {least_lines} % of the lines or {least_branches} % of the branches")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
