#!/usr/bin/env python3
"""bench/table.py DIRECTORY [COMMAND]: how well `dlqueue fit --table` predicts rows that it was not given.

DIRECTORY holds tables (*.csv) as `fit --table` reads them, with counts in the first column and what was measured in the
second. Leave one out: each count from the others. First half: the counts above the middle from those below. Best: the
least count within 3 %, from all rows and from every second count, against the measured ones: within a step of the grid
of one that is within 3 % of the best. Wait shares are left out, so that rates alone predict rates.
"""
import glob
import json
import math
import os
import statistics
import subprocess
import sys

COMMAND = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(__file__), "../build/release/dlqueue")


def read(path):
    comments, rows = [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            cells = line.strip().split(",")
            if line.startswith("#"):
                comments.append(line)
            elif not rows:
                rows.append(cells[:2])
            else:
                rows.append([int(cells[0]), float(cells[1])])
    return os.path.basename(path), comments, rows[0], rows[1:]


def fit(table, rows, at=()):
    name, comments, header, _ = table
    text = "".join(comments) + ",".join(header) + "\n" + "".join(f"{n},{value!r}\n" for n, value in rows)
    line = [COMMAND, "fit", "--table", "-", "--json"] + (["--at", ",".join(map(str, at))] if at else [])
    ran = subprocess.run(line, input=text, capture_output=True, text=True, check=False)
    if ran.returncode == 3:
        return None
    if ran.returncode != 0:
        sys.exit(f"{name}: {ran.stderr}")
    return json.loads(ran.stdout)


def seconds(table, value):
    return value if table[2][1] == "seconds" else 1 / value


def predicted(table, rows, counts):
    """(count, error of the logs, inside) of the rows with these counts, by the other rows."""
    answer = fit(table, rows, sorted(counts))
    of = {row["loaders"]: row for row in answer["rows"]} if answer else {}
    for n, value in table[3]:
        if n in counts and n in of:
            row = of[n]
            yield n, abs(seconds(table, value) / seconds(table, row["value"]) - 1), row["low"] <= value <= row["high"]


def show(label, tables, results):
    errors = sorted(error for _, error, _ in results)
    if not errors:
        return
    print(
        f"{label:28} {tables:2} tables {len(errors):3} rows  inside {sum(r[2] for r in results) / len(errors):.3f}  "
        f"error median {100 * statistics.median(errors):.1f} %, 90 % {100 * errors[int(0.9 * (len(errors) - 1))]:.0f} %"
    )


def best_count(table, how):
    """Whether the best count is within a step of a good one, the speed lost there, whether `alike` holds a good one."""
    counts = sorted({n for n, _ in table[3]})
    mean = {n: math.exp(statistics.fmean(math.log(seconds(table, v)) for m, v in table[3] if m == n)) for n in counts}
    good = [i for i, n in enumerate(counts) if mean[n] <= 1.03 * min(mean.values())]
    kept = counts if how == "all" else sorted(set(counts[::2]) | {counts[-1]})
    if len([n for n in kept if n > 0]) < 3:
        return None
    answer = fit(table, [row for row in table[3] if row[0] in kept])
    if answer is None:
        return None
    at = min(range(len(counts)), key=lambda i: abs(math.log(max(counts[i], 0.5) / max(answer["best"]["value"], 0.5))))
    low, high = answer["best"]["alike"]
    return min(abs(at - i) for i in good) <= 1, mean[counts[at]] / min(mean.values()) - 1, any(
        low <= counts[i] <= high for i in good
    )


def main():
    tables = [read(path) for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.csv")))]
    out, zero, half, used, halved = [], [], [], 0, 0
    for table in tables:
        counts = sorted({n for n, _ in table[3]})
        if len(counts) < 3:
            continue
        used += 1
        for n in counts:
            rest = [row for row in table[3] if row[0] != n]
            (out if n > 0 else zero).extend(predicted(table, rest, {n}))
        above = [n for n in counts if n > 0]
        if len(above) >= 4:
            halved += 1
            end = above[max(3, (len(above) + 1) // 2) - 1]
            half.extend(predicted(table, [r for r in table[3] if r[0] <= end], {n for n in above if n > end}))
    show("leave one out", used, out)
    show("0 from the others", used, zero)
    show("first half predicts the rest", halved, half)
    for how in ("all", "every second"):
        found = [best_count(table, how) for table in tables if len({n for n, _ in table[3]}) >= 4]
        found = [one for one in found if one is not None]
        print(
            f"best count, {how:16} {len(found):2} tables  within a step {statistics.fmean(f[0] for f in found):.3f}  "
            f"lost {100 * statistics.fmean(f[1] for f in found):.1f} %  alike holds one "
            f"{statistics.fmean(f[2] for f in found):.3f}"
        )


if __name__ == "__main__":
    main()
