#!/usr/bin/env python3
"""bench/phases.py [RUNS] [COMMAND]: phases, drifts, epoch starts and pauses that `dlqueue diagnose` finds in made logs.

First rows: logs in which nothing changes, RUNS (400) of each kind: independent waits of heavy tails, and loaders that
take turns with loads of several laws. All that is found is a false alarm; of loads in bursts (autocorrelation 0.9) one
is told apart. Then: loaders whose loads take longer in a part of the run: how often both changes are found, and
how far their places are off. Last rows: waits that get shorter little by little: how often that is found, and how far
the mean iteration of what lasts is off from that of the last tenth, as a root mean square.
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 400
COMMAND = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(__file__), "../build/release/dlqueue")
STEP = 0.15

WAITS = {
    "5 % of 10 s": lambda r: 0.001 + (10 if r.random() < 0.05 else 0),
    "2 % of 10 s": lambda r: 0.001 + (10 if r.random() < 0.02 else 0),
    "0.5 % of 20 s": lambda r: 0.001 + (20 if r.random() < 0.005 else 0),
    "10 % of 10 s": lambda r: 0.001 + (10 if r.random() < 0.1 else 0),
    "exponential": lambda r: r.expovariate(5),
    "lognormal, s 1.5": lambda r: r.lognormvariate(-2, 1.5),
    "Pareto, 1.5": lambda r: 0.1 * (1 - r.random()) ** (-1 / 1.5),
    "normal": lambda r: max(0, r.gauss(0.2, 0.02)),
}
LOADS = {
    "constant": lambda r, state: 1,
    "lognormal, s 0.8": lambda r, state: r.lognormvariate(-0.32, 0.8),
    "exponential": lambda r, state: r.expovariate(1),
    "2 % ten times": lambda r, state: (10 if r.random() < 0.02 else 1) / 1.18,
    "Pareto, 2.5": lambda r, state: 0.6 * (1 - r.random()) ** (-1 / 2.5),
    "bursts": lambda r, state: math.exp(0.5 * burst(r, state) - 0.125),
}


def burst(r, state):
    state[0] = 0.9 * state[0] + math.sqrt(1 - 0.81) * r.gauss(0, 1)
    return state[0]


def run_of(r, n, loaders, rho, law, factor=lambda i: 1):
    """Waits and iterations of loaders that take turns, prefetch 2; rho: mean load over a turn of steps."""
    done, given, now, rows, state = [0] * loaders, [0] * 2 * loaders, 0, [], [0]
    for i in range(n):
        load = rho * loaders * STEP * law(r, state) * factor(i)
        done[i % loaders] = max(done[i % loaders], given[i % (2 * loaders)]) + load
        got = max(now, done[i % loaders]) + 4e-4
        given[i % (2 * loaders)] = got
        end = got + STEP * (1 + 0.02 * r.gauss(0, 1))
        rows.append((got - now, end - now))
        now = end
    return rows


def diagnose(logs):
    """What is found in each of the logs, which are lists of waits and iterations."""
    with tempfile.TemporaryDirectory() as directory:
        names = [f"{directory}/{chr(97 + k % 26)}{chr(97 + k // 26)}.csv" for k in range(len(logs))]
        for name, rows in zip(names, logs):
            with open(name, "w", encoding="utf-8") as log:
                log.write("data_time,iter_time\n" + "".join(f"{a:.6g},{b:.6g}\n" for a, b in rows))
        line = [COMMAND, "diagnose", "--json", "-q"] + names
        found = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    return found["logs"] if len(logs) > 1 else [found]


def many(make):
    for first in range(0, RUNS, 50):
        yield from diagnose([make(k) for k in range(first, min(first + 50, RUNS))])


def false_alarms(name, make):
    phases = drifts = starts = pauses = 0
    for found in many(make):
        drift = found["change"]["since"] == 0
        drifts += drift
        phases += len(found["phases"]) > 0 and not drift
        starts += found["epoch_starts"]["count"] > 1
        pauses += found["pauses"]["count"] > 0
    print(f"{name:44} {100 * phases / RUNS:7.2f} {100 * drifts / RUNS:7.2f} {100 * starts / RUNS:7.2f} "
          f"{100 * pauses / RUNS:7.2f}", flush=True)


def independent(law, n, seed):
    r = random.Random(seed)
    waits = [law(r) for _ in range(n)]
    return [(wait, wait + 0.3 * r.lognormvariate(0, 0.05)) for wait in waits]


def slow_part(n, times, seed):
    r = random.Random(seed)
    begin = int(n * (0.2 + 0.3 * r.random()))
    end = begin + int(n * (0.15 + 0.2 * r.random()))
    law = lambda r, _: r.lognormvariate(-0.045, 0.3)
    return [begin + 1, end + 1], run_of(r, n, 4, 0.87, law, lambda i: times if begin <= i < end else 1)


ENDS = {
    "late": lambda t: 1 + 1.5 * math.exp(-4 * t),
    "in the middle": lambda t: 1 + max(0, 1 - 2 * t),
    "not": lambda t: 3 - 2 * t,
}


def fading(n, level, cv, seed):
    r = random.Random(seed)
    s = math.sqrt(math.log(1 + cv * cv))
    return [(wait, wait + 1e-3) for wait in (level(i / n) * r.lognormvariate(-s * s / 2, s) for i in range(n))]


def main():
    print(f"{'false alarms, % of ' + str(RUNS) + ' logs each':44} {'phases':>7} {'drift':>7} {'starts':>7} {'pauses':>7}")
    for name, law in WAITS.items():
        for n in (100, 400, 1000, 2000):
            false_alarms(f"waits {name}, {n}", lambda k, law=law, n=n: independent(law, n, 7 * k + n))
    for name, law in LOADS.items():
        for loaders in (4, 8):
            for n in (100, 400, 1000, 2000):
                false_alarms(f"{loaders} loaders, {name}, {n}",
                             lambda k, law=law, n=n, loaders=loaders: run_of(
                                 random.Random(7 * k + n), n, loaders, (0.6, 0.9, 1.3, 2.5)[k % 4], law))
    print(f"\n{'loads take longer in a part':44} {'found':>7} {'off by':>7}")
    for n in (400, 1000, 2000):
        for times in (1.5, 2, 4):
            places = [slow_part(n, times, k)[0] for k in range(RUNS)]
            exact, off = 0, 0
            for place, found in zip(places, many(lambda k, n=n, times=times: slow_part(n, times, k)[1])):
                begins = [phase["from"] for phase in found["phases"]][1:]
                if len(begins) == 2:
                    exact += 1
                    off += sum(abs(a - b) for a, b in zip(begins, place)) / 2
            print(f"{f'{times} times as long, {n}':44} {100 * exact / RUNS:7.1f} {off / max(exact, 1):7.1f}", flush=True)
    print(f"\n{'waits get shorter':44} {'found':>7} {'off, %':>7}")
    for end, level in ENDS.items():
        for n in (300, 1000, 3000):
            for cv in (0.3, 1):
                last = sum(level(i / n) for i in range(n - n // 10, n)) / (n // 10) + 1e-3
                made = list(many(lambda k, n=n, level=level, cv=cv: fading(n, level, cv, 7 * k + n)))
                off = [one["phases"][-1]["iteration_mean"] / last - 1 for one in made if one["change"]["since"] == 0]
                rms = math.sqrt(sum(x * x for x in off) / max(len(off), 1))
                print(f"{f'end {end}, cv {cv}, {n}':44} {100 * len(off) / RUNS:7.1f} {100 * rms:7.1f}", flush=True)


main()
