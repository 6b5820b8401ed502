#!/usr/bin/python3
"""How well `dlqueue fit` predicts recorded runs from each other.

    bench/predictions.py DLQUEUE DIRECTORY

DIRECTORY holds traces SCENARIO_nN_pP[_sSEED].csv[.gz], also in folders. Each pair of runs of one scenario with other
numbers of workers or another prefetch is a prediction: from the one, with --set, of the other's rate. Prints a line for
each scenario, and of all: pairs, share inside the interval, median error, median half-width, share with a caution of
each name. It checks nothing.
"""

import collections
import csv
import glob
import gzip
import json
import os
import re
import statistics
import subprocess
import sys

NAME = re.compile(r"(?P<scenario>.+?)_n(?P<loaders>\d+)(_p(?P<prefetch>\d+))?(_s\d+)?\.csv(\.gz)?$")


def measured_rate(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    begin = min(float(row[name]) for row in rows[:1] for name in ("dispatched", "request") if row[name])
    return len(rows) / (max(float(row["step_end"]) for row in rows if row["step_end"]) - begin)


def predict(program, path, loaders, prefetch):
    command = [program, "fit", path, "--json", "--quiet", "--set", "pipeline.loaders=%d" % loaders]
    if loaders > 0:
        command += ["--set", "pipeline.prefetch=%d" % prefetch]
    done = subprocess.run(command, stdout=subprocess.PIPE, universal_newlines=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def line(name, outcomes):
    values = [outcome for outcome in outcomes if outcome[1] is not None]
    if not values:
        return "%-20s %4d pairs, none predicted" % (name, len(outcomes))
    inside = statistics.mean(low <= rate <= high for rate, _, low, high, _ in values)
    error = statistics.median(abs(value / rate - 1) for rate, value, _, _, _ in values)
    width = statistics.median((high - low) / 2 / value for _, value, low, high, _ in values)
    names = collections.Counter(name for outcome in values for name in outcome[4])
    cautions = " ".join("%s %.2f" % (name, count / len(values)) for name, count in sorted(names.items()))
    return "%-20s %4d pairs, %.2f inside, error %5.1f %%, half-width %5.1f %%  %s" % (
        name, len(values), inside, 100 * error, 100 * width, cautions)


def main():
    program, directory = sys.argv[1:]
    runs = collections.defaultdict(list)
    for path in sorted(glob.glob(os.path.join(directory, "**", "*.csv*"), recursive=True)):
        match = NAME.match(os.path.basename(path))
        if match:
            runs[match["scenario"]].append((path, int(match["loaders"]), int(match["prefetch"] or 2)))
    every = []
    for scenario, of in sorted(runs.items()):
        outcomes = []
        for before, *_ in of:
            for after, loaders, prefetch in of:
                if before == after:
                    continue
                answer = predict(program, before, loaders, prefetch) or {}
                rate = (answer.get("prediction") or {}).get("throughput") or {"value": None, "low": 0, "high": 0}
                names = [caution["name"] for caution in answer.get("cautions") or []]
                outcomes.append((measured_rate(after), rate["value"], rate["low"], rate["high"], names))
        print(line(scenario, outcomes), flush=True)
        every += outcomes
    print(line("all", every))


if __name__ == "__main__":
    main()
