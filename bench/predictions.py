#!/usr/bin/python3
"""How well `dlqueue fit` predicts recorded runs from each other.

    bench/predictions.py DLQUEUE DIRECTORY               other numbers of workers, or another prefetch
    bench/predictions.py DLQUEUE DIRECTORY --own         each run by the configuration that fit makes of it
    bench/predictions.py DLQUEUE DIRECTORY --columns     mean loads, from data and iteration times alone
    bench/predictions.py DLQUEUE DIRECTORY --table       other runs, as the table of doc/validation.md
    bench/predictions.py DLQUEUE DIRECTORY --advice      whether `advise` names more workers where these gain

DIRECTORY holds traces SCENARIO_nN_pP[_sSEED][.rankR].csv[.gz], also in folders. Of each pair of runs of one scenario the
rate of the one is predicted from the other, with --set. Prints a line for each scenario, pairs with a run without workers
apart, and of all: pairs, share inside the interval, median error, median half-width, silent misses (outside, more than
5 % off and no caution), share with a caution of each name. Of mean loads a line stands for runs whose workers load for
less than half of the time, up to 80 % of it, or more. Of advice a line stands for each run of which a run of the same
scenario and prefetch has more workers: the largest gain of such a run, and the change that is advised. It checks nothing.
"""

import argparse
import collections
import csv
import glob
import gzip
import itertools
import json
import os
import re
import statistics
import subprocess
import tempfile

NAME = re.compile(
    r"(?P<run>(?P<scenario>.+?)_n(?P<loaders>\d+)(_p(?P<prefetch>\d+))?(_s\d+)?)(\.rank\d+)?\.csv(\.gz)?$")
NOTHING = {"value": None, "low": 0, "high": 0}

Run = collections.namedtuple("Run", "paths loaders prefetch")  # a path for each rank


def read_rows(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def measured_rate(run):
    """Batches/s from the first request to the end of the last step, on average over the ranks."""
    begins, ends = [], []
    for path in run.paths:
        rows = read_rows(path)
        begins.append(min(float(row[name]) for row in rows[:1] for name in ("dispatched", "request") if row[name]))
        ends.append(max(float(row["step_end"]) for row in rows if row["step_end"]))
    return len(rows) / (statistics.mean(ends) - statistics.mean(begins))


def fit(program, paths, *options):
    done = subprocess.run([program, "fit", *paths, "--json", "--quiet", *options], stdout=subprocess.PIPE,
                          universal_newlines=True)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def outcome(truth, estimate, answer):
    names = [caution["name"] for caution in answer.get("cautions") or []]
    estimate = estimate or NOTHING
    return truth, estimate["value"], estimate["low"], estimate["high"], names


def predict(program, before, after):
    options = ["--set", "pipeline.loaders=%d" % after.loaders]
    if after.loaders > 0:
        options += ["--set", "pipeline.prefetch=%d" % after.prefetch]
    answer = fit(program, before.paths, *options)
    return outcome(measured_rate(after), (answer.get("prediction") or {}).get("throughput"), answer)


def predict_itself(program, run):
    answer = fit(program, run.paths)
    return outcome(measured_rate(run), answer.get("predicted_run"), answer)


def mean_load(program, run, directory):
    """The group of the run, and its outcome."""
    rows = read_rows(run.paths[0])
    load = statistics.mean(float(row["load_end"]) - float(row["load_start"]) for row in rows)
    busy = load / run.loaders / statistics.mean(float(row["iter_time"]) for row in rows)
    path = os.path.join(directory, "columns.csv")
    with open(path, "w", encoding="ascii") as file:
        file.write("data_time,iter_time\n")
        file.writelines("%s,%s\n" % (row["data_time"], row["iter_time"]) for row in rows)
    answer = fit(program, [path], "--loaders", str(run.loaders), "--prefetch", str(run.prefetch))
    law = answer.get("load")
    estimate = law and {"value": law["mean"], "low": 0 if law["only_bound"] else law["mean_low"],
                        "high": law["mean_high"]}
    group = "below 50 % busy" if busy < 0.5 else "50 to 80 % busy" if busy < 0.8 else "80 % busy and more"
    return group, outcome(load, estimate, answer)


def ask_advice(program, scenarios):
    counted = collections.Counter()
    for scenario, runs in sorted(scenarios.items()):
        for run in runs:
            more = [other for other in runs if other.loaders > run.loaders and other.prefetch == run.prefetch]
            if not more:
                continue
            done = subprocess.run([program, "advise", *run.paths, "--json", "--quiet"], stdout=subprocess.PIPE,
                                  universal_newlines=True)
            kind = json.loads(done.stdout)["change"]["kind"] if done.returncode in (0, 3) else "none"
            gain = max(measured_rate(other) for other in more) / measured_rate(run)
            group = "above 15 %" if gain > 1.15 else "below 5 %" if gain < 1.05 else "between"
            counted[group, "more workers" if kind == "loaders" else "other advice"] += 1
            print("%-10s %2d workers: at most %.2f times as fast with more; %s" % (scenario, run.loaders, gain, kind))
    for group, count in sorted(counted.items()):
        print("gains %s: %s %d" % (*group, count))


Summary = collections.namedtuple("Summary", "pairs predicted inside error width silent cautions")


def summary_of(outcomes):
    values = [outcome for outcome in outcomes if outcome[1] is not None]
    if not values:
        return Summary(len(outcomes), 0, *[float("nan")] * 3, 0, "")
    names = collections.Counter(name for outcome in values for name in outcome[4])
    return Summary(
        len(outcomes), len(values),
        statistics.mean(low <= rate <= high for rate, _, low, high, _ in values),
        statistics.median(abs(value / rate - 1) for rate, value, _, _, _ in values),
        statistics.median((high - low) / 2 / value for _, value, low, high, _ in values),
        sum(not cautions and abs(value / rate - 1) > 0.05 and not low <= rate <= high
            for rate, value, low, high, cautions in values),
        " ".join("%s %.2f" % (name, count / len(values)) for name, count in sorted(names.items())))


def line(name, outcomes):
    of = summary_of(outcomes)
    return "%-20s %4d pairs, %4d predicted, %.2f inside, error %5.1f %%, half-width %5.1f %%, silent %d  %s" % (
        name, of.pairs, of.predicted, of.inside, 100 * of.error, 100 * of.width, of.silent, of.cautions)


def table_row(name, outcomes):
    of = summary_of(outcomes)
    figures = ("%.2f" % of.inside, "%.1f %%" % (100 * of.error), "%.1f %%" % (100 * of.width))
    return "| %s | %d | %d | %s | %d |" % (
        name, of.pairs, of.predicted, " | ".join(figures if of.predicted else ["-"] * 3), of.silent)


def runs_of(directory):
    """The runs of each scenario."""
    found = {}
    for path in sorted(glob.glob(os.path.join(directory, "**", "*.csv*"), recursive=True)):
        match = NAME.match(os.path.basename(path))
        if match:
            key = os.path.join(os.path.dirname(path), match["run"])
            run = Run([], int(match["loaders"]), int(match["prefetch"] or 2))
            found.setdefault(key, (match["scenario"], run))[1].paths.append(path)
    scenarios = collections.defaultdict(list)
    for scenario, run in found.values():
        scenarios[scenario].append(run)
    return scenarios


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("directory")
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--columns", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--advice", action="store_true")
    asked = parser.parse_args()
    if asked.advice:
        return ask_advice(asked.program, runs_of(asked.directory))
    every, groups = [], collections.defaultdict(list)
    show = table_row if asked.table else line
    with tempfile.TemporaryDirectory() as directory:
        for scenario, runs in sorted(runs_of(asked.directory).items()):
            if asked.columns:
                for run in (run for run in runs if run.loaders > 0 and len(run.paths) == 1):
                    group, made = mean_load(asked.program, run, directory)
                    groups[group].append(made)
                    every.append(made)
                continue
            if asked.own:
                parts = {scenario: [predict_itself(asked.program, run) for run in runs]}
            else:
                parts = collections.defaultdict(list)
                for before, after in itertools.permutations(runs, 2):
                    name = scenario if before.loaders > 0 and after.loaders > 0 else scenario + ", 0 workers"
                    parts[name].append(predict(asked.program, before, after))
            for name, outcomes in parts.items():
                print(show(name, outcomes), flush=True)
                every += outcomes
    for group in sorted(groups):
        print(show(group, groups[group]))
    print(show("all", every))


if __name__ == "__main__":
    main()
