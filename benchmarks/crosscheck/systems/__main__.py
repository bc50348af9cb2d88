"""The table of systems in docs/crosscheck.md: each system of checkouts, run and compared."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import dovetail

from .files import found
from .outcome import AGREES, BY_LOOP, HEADER, judged, reason

PAGE = Path(__file__).resolve().parents[3] / "docs" / "crosscheck.md"
LACKING = (  # what is no system, or cannot be run by any importer
    *("but none for this machine", "there is no such file", "was not found", "cannot be compiled"),
    *("has no parts", "its root element is"),
)
NOT_KNOWN = "is not known"
BEGIN, END = "<!-- systems: begin -->", "<!-- systems: end -->"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkouts", type=Path, nargs="+", help="of repositories, or parts of them")
    parser.add_argument("--name", default="", help="of systems whose path contains this")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="keep rows, add, and replace")
    parser.add_argument("--write", action="store_true", help="the table into docs/crosscheck.md")
    arguments = parser.parse_args()
    files = [
        f for f in found([c.resolve() for c in arguments.checkouts]) if arguments.name in f.name
    ]
    if not files:
        parser.error("there is no system in these folders")
    kept = arguments.rows.read_text() if arguments.rows and arguments.rows.exists() else ""
    rows = [json.loads(line) for line in kept.splitlines()]
    for file in files:
        rows.append(judged(file, arguments.limit).cells())
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
        if arguments.rows:
            with arguments.rows.open("a") as kept_file:
                kept_file.write(json.dumps(rows[-1]) + "\n")
    rows = list({row[0]: row for row in rows}.values())  # later ones replace earlier ones
    text = f"{summary(rows)}\n\n{table(rows)}"
    print(text)
    if arguments.write:
        write(text)


def summary(rows: Sequence[Sequence[str]]) -> str:
    """How many there are of each verdict."""
    counts = Counter(row[HEADER.index("verdict")] for row in rows)
    words = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    systems = "1 system" if len(rows) == 1 else f"{len(rows)} systems"
    obtained = [row for row in rows if is_obtainable(row)]
    settled = sum(map(is_settled, obtained))
    share = f" ({100 * settled / len(obtained):.1f} %)" if obtained else ""
    return (
        f"Dovetail {dovetail.__version__}, {systems}: {words}. {len(obtained)} are systems whose "
        f"files are all there, with binaries for this machine; {settled} of these{share} agree, or "
        "it is known why not."
    )


def is_obtainable(row: Sequence[str]) -> bool:
    """Whether it is a system, with all its files, and binaries for this machine."""
    return not any(words in row[-1] for words in LACKING)


def is_settled(row: Sequence[str]) -> bool:
    """Whether it agrees, or what is known explains why it does not, or cannot run."""
    verdict, why = row[HEADER.index("verdict")], row[-1]
    known = reason(row[0]) or BY_LOOP in why
    return verdict == AGREES or (bool(known) and NOT_KNOWN not in why)


def table(rows: Sequence[Sequence[str]]) -> str:
    """The table for a page."""
    lines = [HEADER, ["---"] * len(HEADER), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in c)} |" for c in lines)


def write(text: str) -> None:
    """Put it between the two marks of the page."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")


if __name__ == "__main__":
    main()
