#!/usr/bin/env python3
"""Yardstick: delivery in order as NumPy computes it, 1000 replications at once.

numpy_recursion.py LAW    exponential or lognormal (cv 1), mean 0.7 s, 8 loaders, a window of 16, steps of 0.1 s

Each line on standard input is a number of steps to simulate further; each answer is the number of batches that was.
At the end of the input the throughput goes to standard error.
"""
import math
import sys

import numpy

REPLICATIONS, LOADERS, WINDOW, LOAD, STEP = 1000, 8, 16, 0.7, 0.1
VARIANCE = math.log(2)  # of the logarithm, at a cv of 1

LAWS = {
    "exponential": lambda rng, shape: rng.exponential(LOAD, shape),
    "lognormal": lambda rng, shape: rng.lognormal(math.log(LOAD) - VARIANCE / 2, math.sqrt(VARIANCE), shape),
}


class Recursion:
    def __init__(self, law):
        self.draw = LAWS[law]
        self.rng = numpy.random.default_rng(1)
        self.done = numpy.zeros((LOADERS, REPLICATIONS))
        self.delivered = numpy.zeros((WINDOW, REPLICATIONS))
        self.step_end = numpy.zeros(REPLICATIONS)
        self.batch = 0

    def advance(self, steps):
        loads = self.draw(self.rng, (steps, REPLICATIONS))
        for load in loads:
            done = self.done[self.batch % LOADERS]
            delivered = self.delivered[self.batch % WINDOW]
            numpy.maximum(delivered, done, out=done)
            numpy.add(done, load, out=done)
            numpy.maximum(self.step_end, done, out=delivered)
            numpy.add(delivered, STEP, out=self.step_end)
            self.batch += 1
        return steps * REPLICATIONS


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in LAWS:
        sys.exit(__doc__)
    recursion = Recursion(sys.argv[1])
    for line in sys.stdin:
        print(recursion.advance(int(line)), flush=True)
    if recursion.batch > 0:
        print("throughput", float(numpy.mean(recursion.batch / recursion.step_end)), file=sys.stderr)


if __name__ == "__main__":
    main()
