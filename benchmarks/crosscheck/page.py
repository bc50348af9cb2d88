"""The tables of docs/crosscheck.md, from what the runs have found."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dovetail

from .measure import CLOSE

PAGE = Path(__file__).resolve().parents[2] / "docs" / "crosscheck.md"
Facts = dict[str, Any]
_LACKING = (  # why an FMU cannot be run here by any importer
    *("only a link to another program", "but none for this machine", "needs the program"),
    *("needs Python", "it needs: lib", "install the library", "no shared library"),
    *("it has no binary for this machine", "only a pointer of Git LFS", "the file is empty"),
)


def is_obtainable(one: Facts) -> bool:
    """Whether it has a binary for this machine, and the libraries that it needs."""
    return not any(words in one["reason"] for words in _LACKING)


def is_settled(one: Facts) -> bool:
    """Whether it agrees, or FMPy gives the same, or what is known about it explains it."""
    ran = _measured(one) is not None
    known = _deviation(one["apart"]) <= CLOSE or bool(one["why"])
    return bool(one["verdict"] == "agrees" or (ran and known))


def section(rows: Sequence[Facts]) -> str:
    """Counts, a table by tool, and all that do not agree."""
    settled = [one for one in rows if is_obtainable(one) and is_settled(one)]
    obtained = sum(map(is_obtainable, rows))
    counts = Counter(one["verdict"] for one in rows)
    words = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    share = f"{100 * len(settled) / obtained:.0f} %" if obtained else "none"
    text = (
        f"Dovetail {dovetail.__version__}, {len(rows)} FMUs: {words}. {obtained} have a binary for "
        f"this machine and what it needs; {len(settled)} of these ({share}) agree or are explained."
    )
    return f"{text}\n\n{_by_tool(rows)}\n\n{_others(rows)}"


def write(mark: str, text: str) -> None:
    """Put it between the two marks of the page."""
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    before, _, rest = PAGE.read_text().partition(begin)
    _, _, after = rest.partition(end)
    PAGE.write_text(f"{before}{begin}\n{text}\n{end}{after}")


def _by_tool(rows: Sequence[Facts]) -> str:
    tools = defaultdict(list)
    for one in rows:
        tools[one["tool"]].append(one)
    lines = [["from", "FMUs", "agree", "farthest of those", "FMPy's there"], ["---"] * 5]
    for tool, found in tools.items():
        agree = [one for one in found if one["verdict"] == "agrees"]
        worst = max(agree, key=lambda one: _deviation(_measured(one)), default=None)
        far = "" if worst is None else _percent(_measured(worst))
        peer = "" if worst is None else _percent(worst["fmpy"])
        lines.append([tool, str(len(found)), str(len(agree)), far, peer])
    return _table(lines)


def _others(rows: Sequence[Facts]) -> str:
    lines = [["FMU", "verdict", "off by", "FMPy", "from FMPy", "why"], ["---"] * 6]
    lost = [one["key"] for one in rows if not is_obtainable(one)]
    for one in rows:
        if one["verdict"] != "agrees" and is_obtainable(one):
            far = [_percent(one[key]) for key in ("off", "fmpy", "apart")]
            lines.append([one["key"], one["verdict"], *far, _placeless(one["reason"])])
    told = [_table(lines)] if len(lines) > 2 else []
    if lost:
        told.append(
            f"Without a binary for this machine, or without what it needs: {', '.join(lost)}."
        )
    return "\n\n".join(told)


def _placeless(text: str) -> str:
    """Without the folders of a machine, and in one line."""
    return re.sub(r"(?<![\w.])/[^\s:']*/", "", " ".join(text.split()))


def _measured(one: Facts) -> Facts | None:
    found: Facts | None = one["off"] or one["apart"]
    return found


def _deviation(off: Facts | None) -> float:
    return float("inf") if off is None else float(off["deviation"])


def _percent(off: Facts | None) -> str:
    return "" if off is None else f"{100 * off['deviation']:.2g} %"


def _table(lines: Sequence[Sequence[str]]) -> str:
    cells = (" | ".join(cell.replace("|", "/") for cell in line) for line in lines)
    return "\n".join(f"| {line} |" for line in cells)
