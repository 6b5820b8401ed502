#!/usr/bin/python3
"""The tables of doc/validation.md: what dlqueue computes beside what was measured, published or proven.

    bench/validation.py DIRECTORY [PAGE]

DIRECTORY holds the command. With PAGE the tables of that page are replaced, each below the comment that names it.
"""

import collections
import concurrent.futures
import csv
import functools
import itertools
import os
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench")]
import dlqueue  # noqa: E402
import predictions  # noqa: E402

SEEDS = 20
# What the post reports of 30 s, and the benchmark of its v1.0 results.
PUBLISHED = (
    ("blog-slow", "batches in 30 s", 98, lambda run: run.simulation.batches),
    ("blog-matched", "batches in 30 s", 275, lambda run: run.simulation.batches),
    ("blog-fast", "batches in 30 s", 295, lambda run: run.simulation.batches),
    ("cosmoflow-h100", "samples/s", 239, lambda run: run.simulation.samples_per_second),
)


lines = []  # of the table that is being made
pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())


def table(*columns):
    row(*columns)
    row(*("---" for _ in columns))


def row(*cells):
    lines.append("| %s |" % " | ".join(map(str, cells)))


def replays():
    table("runs", "number", "median error", "largest", "inside: recorded times", "inside: fitted laws", "reasons named")
    for group in ("cases", "indep", "blog", "unordered", "multirank", "lock"):
        paths = sorted((DATA / "torch" / group).glob("*.csv"))
        runs = [list(ranks) for _, ranks in itertools.groupby(paths, lambda path: path.stem.split("_rank")[0])]
        fits = list(pool.map(lambda ranks: dlqueue.fit(*ranks, quiet=True), runs))
        errors = [abs(fit.replay.error) for fit in fits]
        intervals = [[(each, fit.replay.measured) for fit in fits for each in [of(fit)] if each is not None]
                     for of in (lambda fit: fit.prediction.throughput, lambda fit: fit.predicted_run)]
        inside = ["%d of %d" % (sum(each.low <= x <= each.high for each, x in of), len(of)) for of in intervals]
        reasons = collections.Counter(reason.cause for fit in fits for reason in fit.replay.reasons)
        named = ", ".join("%s %d" % pair for pair in sorted(reasons.items())) or "none"
        row("`%s`" % group, len(fits), "%.2f %%" % (100 * statistics.median(errors)), "%.2f %%" % (100 * max(errors)),
            *inside, named)


def other_runs():
    table("from", "to", "measured", "predicted", "interval", "error", "inside", "cautions")
    runs = collections.defaultdict(list)
    for path in sorted((DATA / "torch2").glob("*.csv.gz")):
        match = predictions.NAME.match(path.name)
        runs[match["scenario"]].append((path, int(match["loaders"]), int(match["prefetch"])))
    pairs = [pair for of in runs.values() for pair in itertools.permutations(of, 2)]

    def fit_for(pair):
        (before, *_), (_, loaders, prefetch) = pair
        change = {"pipeline.loaders": loaders, "pipeline.prefetch": prefetch if loaders > 0 else None}
        return dlqueue.fit(before, quiet=True, **change)

    for ((before, *old), (after, *new)), fit in zip(pairs, pool.map(fit_for, pairs)):
        measured, rate = predictions.measured_rate(predictions.Run([str(after)], *new)), fit.prediction.throughput
        cells = ("refused", "", "", "")
        if rate is not None:
            cells = ("%.2f" % rate.value, "%.2f to %.2f" % (rate.low, rate.high))
            cells += ("%+.1f %%" % (100 * (rate.value / measured - 1)),)
            cells += ("yes" if rate.low <= measured <= rate.high else "no",)
        row(before.name.split("_")[0] + ", %d x %d" % tuple(old), "%d x %d" % tuple(new), "%.2f" % measured, *cells,
            ", ".join(caution.name for caution in fit.cautions))


def exact():
    table("loader", "systems x seeds", "mean deviation, in standard errors", "root mean square", "inside 95 %")
    found = collections.defaultdict(list)
    with open(DATA / "reference.csv", newline="") as file:
        lines = [line for line in csv.DictReader(file) if line["kind"] == "exact"]

    def deviation(line, seed):
        (load, s), (step, t) = line["load"].split(), line["step"].split()
        system = {"loader": line["loader"], "loaders": int(line["loaders"]), "prefetch": int(line["prefetch"]),
                  "load": {"distribution": load, "mean": float(s)}, "step": {"distribution": step, "mean": float(t)}}
        run = dlqueue.solve(quiet=True, seed=seed, simulate={"method": "simulate"}, **system).simulation.throughput
        return (run.value - float(line["throughput"])) / ((run.high - run.low) / 2)

    for line in lines:
        found[line["loader"]] += pool.map(functools.partial(deviation, line), range(1, SEEDS + 1))
    for loader, deviations in found.items():
        z = [1.96 * deviation for deviation in deviations]
        inside = sum(abs(deviation) <= 1 for deviation in deviations)
        row(loader, "%d x %d" % (len(z) // SEEDS, SEEDS), "%+.2f" % statistics.mean(z),
            "%.2f" % statistics.mean(x * x for x in z) ** 0.5, "%d of %d" % (inside, len(z)))


def published():
    table("configuration", "figure", "published", "computed", "interval")
    for name, figure, value, of in PUBLISHED:
        found = of(dlqueue.solve(ROOT / "configs" / (name + ".ini"), quiet=True))
        row("`configs/%s.ini`" % name, figure, value, "%.1f" % found.value, "%.1f to %.1f" % (found.low, found.high))


def main():
    os.environ["PATH"] = "%s:%s" % (os.path.abspath(sys.argv[1]), os.environ["PATH"])
    page = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    for make in (replays, other_runs, exact, published):
        make()
        if page is not None:
            below = r"(<!-- %s -->\n)(\n\|.*(\n\|.*)*\n)?" % make.__name__
            page.write_text(re.sub(below, lambda match: match[1] + "\n" + "\n".join(lines) + "\n", page.read_text()))
        else:
            print("\n".join(lines), end="\n\n")
        lines.clear()


if __name__ == "__main__":
    main()
