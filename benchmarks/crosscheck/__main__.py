"""The table of docs/crosscheck.md: FMUs of the cross-check beside their references."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import dovetail

from .files import KINDS, cases
from .loose import loose
from .outcome import HEADER, Outcome, judged
from .page import Facts, section, write


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "checkouts", type=Path, nargs="*", help="of modelica/fmi-cross-check; any with --loose"
    )
    parser.add_argument("--loose", action="store_true", help="all FMUs that lie in them, by FMPy")
    parser.add_argument("--kind", choices=KINDS, help="co-simulation or model exchange only")
    parser.add_argument("--tool", default="", help="of exporting tools whose name contains this")
    parser.add_argument("--name", default="", help="of FMUs whose name contains this")
    parser.add_argument("--against", choices=["fmpy"], help="with the same step, for comparison")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds of CPU for each run")
    parser.add_argument("--markdown", action="store_true", help="the table as Markdown")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep what is found, and add")
    parser.add_argument("--write", metavar="MARK", help="what FILE has, into docs/crosscheck.md")
    arguments = parser.parse_args()
    for checkout in arguments.checkouts:
        if not checkout.is_dir():
            parser.error(f"{checkout} is no folder")
    kept = _kept(arguments.json)
    if arguments.write and not arguments.checkouts:
        write(arguments.write, section(list(kept.values())))
        return
    folders = [checkout.resolve() for checkout in arguments.checkouts]
    every = loose(folders) if arguments.loose else (c for f in folders for c in cases(f))
    chosen = [
        case
        for case in every
        if case.key not in kept
        and arguments.kind in (None, case.kind)
        and arguments.tool.lower() in f"{case.tool} {case.release}".lower()
        and arguments.name.lower() in case.name.lower()
    ]
    if not chosen and not kept:
        parser.error("no FMU for this platform was found")
    found = []
    for case in chosen:
        found.append(judged(case, arguments.limit, against=arguments.against))
        print(" | ".join(found[-1].cells()), file=sys.stderr, flush=True)
        if arguments.json:
            with arguments.json.open("a") as file:
                file.write(json.dumps(facts(found[-1])) + "\n")
    table = markdown(found) if arguments.markdown else plain(found)
    counts = Counter(one.verdict for one in found)
    print(table)
    if arguments.write:
        write(arguments.write, section([*kept.values(), *map(facts, found)]))
    print(f"\nDovetail {dovetail.__version__}, {len(found)} FMUs: ", end="")
    print(", ".join(f"{count} {word}" for word, count in counts.most_common()))


def _kept(path: Path | None) -> dict[str, Facts]:
    """What an earlier run found, by key."""
    lines = path.read_text().splitlines() if path is not None and path.exists() else []
    return {one["key"]: one for one in map(json.loads, lines)}


def facts(one: Outcome) -> dict[str, object]:
    """Everything about one FMU but the rows."""
    offs = {"off": one.off, "fmpy": one.peer_off, "apart": one.apart}
    return {
        "key": one.case.key,
        "tool": one.case.tool,
        "current": one.case.is_current,
        "step": one.how.step_of(one.case),
        "loaded": one.run.loaded,
        "verdict": one.verdict,
        "reason": one.reason,
        "why": one.how.why,
        "seconds": one.run.seconds,
        **{name: None if off is None else asdict(off) for name, off in offs.items()},
    }


def markdown(found: Sequence[Outcome]) -> str:
    """The table for a page."""
    lines = [HEADER, ["---"] * len(HEADER), *(one.cells() for one in found)]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in c)} |" for c in lines)


def plain(found: Sequence[Outcome]) -> str:
    """The table for a terminal."""
    lines = [HEADER, *(one.cells() for one in found)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEADER) - 1)]
    widths.append(0)  # reasons are as long as they are
    return "\n".join(
        "  ".join(f"{cell:{w}}" for cell, w in zip(line, widths, strict=True)) for line in lines
    )


if __name__ == "__main__":
    main()
