#!/usr/bin/env python3
"""fuzz_cover.py CONTROL MOST: chooses few inputs that together cover most edges, and prints at most MOST names.

CONTROL is the control file of libFuzzer's -set_cover_merge=1: the names of the inputs and the features that each input
reaches; eight features are counts of one edge. Chooses one input after the other: the one that adds the most edges (of
equals the smallest), until no input adds an edge.
"""
import os
import sys


def read(path):
    with open(path, encoding="utf-8") as control:
        lines = control.read().split("\n")
    count = int(lines[0])
    names = lines[2 : 2 + count]
    edges = {}
    for line in lines[2 + count :]:
        words = line.split()
        if words and words[0] == "FT":
            edges[names[int(words[1])]] = {int(word) // 8 for word in words[2:]}
    return edges


def main():
    edges = read(sys.argv[1])
    every = set().union(*edges.values())
    covered = set()
    for _ in range(int(sys.argv[2])):
        best = max(edges, key=lambda name: (len(edges[name] - covered), -os.path.getsize(name)))
        if not edges[best] - covered:
            break
        covered |= edges[best]
        print(best)
    print(f"{len(covered)} of {len(every)} edges", file=sys.stderr)


main()
