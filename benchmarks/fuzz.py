"""Damaged files of every kind that Dovetail reads, until something breaks.

    python benchmarks/fuzz.py [--count N] [--seconds S] [--first K] [--only TARGET ...]

Each input is made from a whole file by its number, always the same, and read in a process with
limits: ten seconds of computing, a gigabyte of memory. A finding is an exception that is none of
Dovetail's, a crash, a hang, or too much memory; each place is shown once, with the number that
`--only TARGET --first NUMBER --count 1` repeats. `--count` and `--seconds` are for all targets
together. Exit code 1 if there was any finding.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from fuzz.running import Finding, Plan, attack
from fuzz.targets import TARGETS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=list(TARGETS), choices=list(TARGETS))
    given = parser.parse_args()
    places, total = Counter[str](), 0
    share = -(-given.count // len(given.only)), given.seconds / len(given.only)
    for found in attack(Plan(tuple(given.only), given.first, *share)):
        if isinstance(found, Finding):
            places[found.place] += 1
            if places[found.place] == 1:
                print(f"--- {found.place}  (number {found.number})\n{found.what}", flush=True)
        else:
            target, inputs = found
            total += inputs
            print(f"{target:22} {inputs:9,} inputs", flush=True)
    print(f"{total:,} inputs, {sum(places.values())} findings in {len(places)} places")
    for place, count in places.most_common():
        print(f"{count:6}  {place}")
    return 1 if places else 0


if __name__ == "__main__":
    sys.exit(main())
