#!/usr/bin/env python3
"""bench/advice.py COUNT [SEED [COMMAND [ITERATIONS...]]]: how often `dlqueue advise` is right about the number of loaders.

Makes COUNT logs of data and iteration times (CSV) of runs whose truth is known: N = 2, 4 or 8 loaders in order,
prefetch 2, a step of 100 or 200 ms with a cv of 0.02, loads of eight laws whose mean over N steps is 0.5, 0.8, 1.2 or
2.5, and 50 to 400 iterations. The truth is the least number of loaders that keeps the step busy for 95 % of the time
with the same loads, over 60,000 batches. Prints a line for all logs of at least 200 iterations, one for each law, and
one for the shorter logs: how many want more loaders, and of these, how many get a number, a number whose range holds the
truth, a lower bound that is true, or no number. Last, how many answers shuffled windows of one run get.
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

LAWS = [("constant", 0), ("lognormal", 0.3), ("lognormal", 1), ("exponential", 1), ("slow", 0.02), ("slow", 0.05),
        ("pareto", 2.5), ("correlated", 0.5)]
PREFETCH, MOST = 2, 512


def loads(law, shape, mean, count, rng):
    """Load times of a mean. slow: that share takes ten times as long; correlated: AR(1) of 0.9, in logarithms."""
    if law == "constant":
        return [mean] * count
    if law == "exponential":
        return [rng.expovariate(1 / mean) for _ in range(count)]
    if law == "slow":
        base = mean / (1 + 9 * shape)
        return [(10 * base if rng.random() < shape else base) * (1 + 0.05 * rng.gauss(0, 1)) for _ in range(count)]
    if law == "pareto":
        return [mean * (shape - 1) / shape * (1 - rng.random()) ** (-1 / shape) for _ in range(count)]
    variance, made, last = math.log(1 + shape * shape), [], 0.0
    for _ in range(count):
        last = 0.9 * last + math.sqrt(0.19) * rng.gauss(0, 1) if law == "correlated" else rng.gauss(0, 1)
        made.append(mean * math.exp(math.sqrt(variance) * last - variance / 2))
    return made


def run(times, loaders, steps):
    """Waits and iterations: N loaders that take turns, a window of N x PREFETCH, delivery in order, 0.4 ms each."""
    window, taken, done, free = loaders * PREFETCH, [], [], 0.0
    waits, iterations = [], []
    for i, load in enumerate(times):
        start = taken[i - window] if i >= window else 0.0
        if i >= loaders and done[i - loaders] > start:
            start = done[i - loaders]
        done.append(start + load)
        taken.append(max(free, done[i]) + 0.0004)
        waits.append(taken[i] - free)
        iterations.append(taken[i] + steps[i] - free)
        free = taken[i] + steps[i]
    return waits, iterations


def truth_of(law, shape, mean, step, known={}):
    key = (law, shape, mean, step)
    if key not in known:
        count, low, high = 60000, 1, MOST
        times, steps = loads(law, shape, mean, count, random.Random(99)), [step] * count
        while low < high:
            middle = (low + high) // 2
            busy = count * step / sum(run(times, middle, steps)[1])
            low, high = (low, middle) if busy >= 0.95 else (middle + 1, high)
        known[key] = low
    return known[key]


def ask(command, text, loaders):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as log:
        log.write(text)
        log.flush()
        ran = subprocess.run([command, "advise", log.name, "--loaders", str(loaders), "--threads", "1", "--json", "-q"],
                             capture_output=True, text=True, check=False)
    return json.loads(ran.stdout)


def score(row, answer):
    """What the answer says of the number of loaders."""
    change = answer["change"]
    named = change["kind"] == "loaders" and change["loaders"] is not None
    low, high = (change["recommended"] or {}).get("low"), (change["recommended"] or {}).get("high")
    least = change.get("at_least")
    row.update(kind=change["kind"], named=change["loaders"] if named else None, low=low, high=high, at_least=least)
    row["wants"] = row["truth"] > row["loaders"]
    row["inside"] = named and low is not None and low <= row["truth"] <= high
    row["bare"] = named and low is None
    row["bound_true"] = least is not None and row["truth"] >= least
    return row


def share(part, of):
    return f"{part:4d} ({100 * part / of:3.0f} %)" if of > 0 else "   0        "


def show(label, rows):
    want = [row for row in rows if row["wants"]]
    named = [row for row in want if row["named"] is not None and not row["bare"]]
    bare = [row for row in want if row["bare"]]
    bound = [row for row in want if row["named"] is None and row["at_least"] is not None]
    silent = [row for row in want if row["named"] is None and row["at_least"] is None]
    spread = sorted(row["high"] / row["low"] for row in named)
    lower = [row for row in bound if row["bound_true"]]
    slack = sorted(row["truth"] / row["at_least"] for row in bound)
    print(f"{label:28} want {len(want):4d} of {len(rows):4d}; named {share(len(named), len(want))}, inside "
          f"{share(sum(row['inside'] for row in named), len(named))}, high/low {spread[len(spread) // 2] if spread else 0:.1f};"
          f" bare {share(len(bare), len(want))}, true {share(sum(row['named'] <= row['truth'] for row in bare), len(bare))};"
          f" at least {share(len(bound), len(want))}, true {share(len(lower), len(bound))}, truth/bound "
          f"{slack[len(slack) // 2] if slack else 0:.1f}; no number {share(len(silent), len(want))}"
          f" {dict((k, sum(r['kind'] == k for r in silent)) for k in sorted({r['kind'] for r in silent}))}")
    wrong = [row for row in rows if not row["wants"] and (row["named"] is not None or row["at_least"] is not None)]
    print(f"{'':28} of {len(rows) - len(want)} that want none, {len(wrong)} get a number")


def shuffles(command, seed):
    """Answers for eight orders of the same 26 windows, as timm prints them."""
    rng, answers = random.Random(seed), set()
    lines = [(1.15, 0.9) if i % 26 < 8 else (0.254, 0.004) for i in range(26)]
    for _ in range(8):
        rng.shuffle(lines)
        text, sums = "", [0.0, 0.0]
        for i, (time, data) in enumerate(lines):
            sums = [sums[0] + time, sums[1] + data]
            text += (f"Train: 0 [{50 * i:4d}/1251 ({4 * i:3d}%)]  Loss: 6.93 (6.93)  Time: {time:.3f}s, {256 / time:7.2f}/s  "
                     f"({sums[0] / (i + 1):.3f}s, {256 * (i + 1) / sums[0]:7.2f}/s)  LR: 1.000e-05  "
                     f"Data: {data:.3f} ({sums[1] / (i + 1):.3f})\n")
        answers.add(ask(command, text, 8)["change"]["text"])
    print("answers of 8 shuffles:", *sorted(answers), sep="\n  ")


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    here = os.path.dirname(__file__)
    command = sys.argv[3] if len(sys.argv) > 3 else os.path.join(here, "../build/release/dlqueue")
    lengths = [int(word) for word in sys.argv[4:]] or [50, 100, 200, 200, 400, 400]
    rng, rows = random.Random(seed), []
    for k in range(count):
        (law, shape), loaders, n = rng.choice(LAWS), rng.choice([2, 4, 8]), rng.choice(lengths)
        load, step = rng.choice([0.5, 0.8, 1.2, 2.5]), rng.choice([0.1, 0.2])
        mean, own = load * loaders * step, random.Random(seed * 1000000 + k)
        steps = [step * math.exp(0.02 * own.gauss(0, 1)) for _ in range(n)]
        waits, iterations = run(loads(law, shape, mean, n, own), loaders, steps)
        text = "data_time,iter_time\n" + "".join(f"{w:.4f},{i:.4f}\n" for w, i in zip(waits, iterations))
        row = {"law": f"{law} {shape}", "loaders": loaders, "n": n, "load": load, "step": step,
               "truth": truth_of(law, shape, mean, step)}
        rows.append(score(row, ask(command, text, loaders)))
    longer = [row for row in rows if row["n"] >= 200]
    show("200 iterations or more", longer)
    for law in sorted({row["law"] for row in longer}):
        show("  " + law, [row for row in longer if row["law"] == law])
    show("fewer", [row for row in rows if row["n"] < 200])
    shuffles(command, seed)


main()
