#!/usr/bin/env python3
"""bench/short_runs.py [COMMAND [SEEDS]]: whether intervals of short runs hold what long runs find.

256 ranks whose storage and cores bind, which a sweep simulates in short runs (doc/theory.md, "Short runs"): the mean of
SEEDS (60) throughputs and how many of their intervals hold that of 16 runs of 6,000 batches. Then the same with runs
that start together, of as many batches, after 4 K^2 and K^2 batches of warm-up.
"""
import csv
import os
import statistics
import subprocess
import sys
import tempfile

COMMAND = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else
                          os.path.join(os.path.dirname(__file__), "../build/release/dlqueue"))
SEEDS = int(sys.argv[2]) if len(sys.argv) > 2 else 60
CLUSTER = """[pipeline]
loaders = 8
ranks = 256
batch_size = 256
[load.read]
per = sample
uses = storage
bytes = 110KB
stream_rate = 200MB/s
[load.decode]
per = sample
uses = cpu
distribution = lognormal
mean = 15ms
cv = 0.5
[step]
mean = 200ms
[host]
ranks_per_host = 8
cores = 96
bandwidth = 12GB/s
[storage]
bandwidth = 100GB/s
[sweep]
loaders = 8
"""


def throughput(folder, seed, **simulate):
    options = [f"--set=simulate.{key}={value}" for key, value in simulate.items()]
    subprocess.run([COMMAND, "sweep", "cluster.ini", "-q", "-o", ".", "--seed", str(seed)] + options, cwd=folder,
                   check=True, capture_output=True)
    with open(os.path.join(folder, "cluster-sweep.csv"), encoding="utf-8") as table:
        row = next(csv.DictReader(table))
    return [float(row[name]) for name in ("throughput", "throughput_low", "throughput_high")]


def compare(folder, what, truth, **simulate):
    found = [throughput(folder, seed, **simulate) for seed in range(1, SEEDS + 1)]
    mean = statistics.mean(value for value, _, _ in found)
    half = statistics.mean((high - low) / 2 for _, low, high in found)
    held = sum(low <= truth <= high for _, low, high in found)
    print(f"{what}: mean {mean:.4f} ({100 * (mean / truth - 1):+.2f} %), intervals of +-{half:.4f}, "
          f"{held} of {SEEDS} hold it", flush=True)


with tempfile.TemporaryDirectory() as home:
    with open(os.path.join(home, "cluster.ini"), "w", encoding="utf-8") as config:
        config.write(CLUSTER)
    exact, least, most = throughput(home, 1, batches=6000, warmup=4000, replications=16, precision=0)
    print(f"long runs: {exact:.4f} ({least:.4f} to {most:.4f}) batches/s")
    compare(home, "loads under way, 2 K^2 batches of warm-up", exact)
    for windows in (4, 1):
        compare(home, f"together, {windows} K^2", exact, batches=160, warmup=windows * 256)
