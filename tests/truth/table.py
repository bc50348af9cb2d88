"""What a campaign has shown, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dovetail.verification.estimate import ACCEPTED

BAD, GOOD = 0.05, 1e-3  # of a range
FLOOR = 1e-7  # where solvers inside parts, at 1e-9, leave a mark of their own
WITHIN, BELOW = 3.0, 0.2

Runs = Sequence[dict[str, Any]]


def report(runs: Runs) -> str:
    """The threshold from one half of the problems, and what it does on the other."""
    names = sorted({r["problem"] for r in runs})
    fitted = fit([r for r in runs if r["problem"] in names[::2]])
    rest = [r for r in runs if r["problem"] in names[1::2]]
    single = [r for r in runs if _single(r)]
    groups = [
        ("the half it was fitted on", [r for r in runs if r["problem"] in names[::2]]),
        ("**the other half**", rest),
        ("all, one pass", single),
        ("all, iterated", [r for r in runs if not _single(r) and "windows" not in _kind(r)]),
        ("all, windows that follow an error", [r for r in runs if "windows" in _kind(r)]),
        ("**all**", list(runs)),
    ]
    head = (
        f"{len(names)} problems, {len(runs)} runs, {_failed(runs)} of them without a result. "
        f"Threshold fitted on one half: {100 * fitted:.2g} % (in use: {100 * ACCEPTED:.3g} %).\n\n"
        "| problems | off by more than 5 %: trusted | right within 0.1 %: doubted | estimated | "
        "within a factor of 3 | below a fifth | work of the second run |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n"
    )
    return head + "\n".join(_row(title, found) for title, found in groups)


def fit(runs: Runs) -> float:
    """The threshold half way, by ratio, between what bad and good runs were estimated at."""
    known = [r for r in runs if r.get("estimate") is not None]
    bad = [r["estimate"] for r in known if r["true"] > BAD]
    good = [r["estimate"] for r in known if r["true"] < GOOD]
    low = float(np.quantile(good, 0.98)) if good else GOOD
    high = float(np.quantile(bad, 0.01)) if bad else BAD
    return float(np.clip(np.sqrt(low * high), GOOD, BAD))


def ratios(runs: Iterable[dict[str, Any]]) -> np.ndarray:
    """Estimated by true errors; what is off by its range or more is off by that."""
    known = (r for r in runs if r.get("estimate") is not None and r["true"] > FLOOR)
    return np.array([min(r["estimate"], 1.0) / min(r["true"], 1.0) for r in known])


def _row(title: str, runs: Runs) -> str:
    ended = [r for r in runs if "true" in r]
    bad = [r for r in ended if r["true"] > BAD]
    good = [r for r in ended if r["true"] < GOOD]
    trusted = sum(r["status"] == "trusted" for r in bad)
    doubted = sum(r["status"] == "doubtful" for r in good)
    found = ratios(ended)
    near = _share((found > 1 / WITHIN) & (found < WITHIN))
    work = [r["companion"] / r["evaluations"] for r in ended if r.get("companion")]
    share = f"{np.median(work):.2g}" if work else ""
    return (
        f"| {title} | {trusted} of {len(bad)} | {doubted} of {len(good)} | {len(found)} | "
        f"{near} | {_share(found < BELOW)} | {share} |"
    )


def _share(which: np.ndarray) -> str:
    return f"{np.mean(which):.1%}" if len(which) else ""


def defaults(runs: Runs) -> str:
    """Runs with nothing said, worst first."""
    found = [r for r in runs if r["algorithm"] == "nothing said"]
    ended = sorted((r for r in found if "true" in r), key=lambda r: -r["true"])
    right = sum(r["true"] <= GOOD for r in ended)
    if right == len(found):
        return f"All {right} are right within 0.1 %."
    lines = [
        f"{right} of {len(found)} are right within 0.1 %. The others:\n",
        "| problem | true error | estimated | verdict |",
        "| --- | --- | --- | --- |",
    ]
    for r in ended:
        if r["true"] > GOOD:
            told = "" if r["estimate"] is None else f"{100 * r['estimate']:.2g} %"
            lines.append(f"| {r['problem']} | {100 * r['true']:.2g} % | {told} | {r['status']} |")
    lines += [
        f"| {r['problem']} | no result | | {r['failure'][:80]} |" for r in found if "failure" in r
    ]
    return "\n".join(lines)


def _failed(runs: Runs) -> int:
    return sum("failure" in r for r in runs)


def _kind(run: dict[str, Any]) -> str:
    follows = ("step doubling", "defect", "nothing said")
    return "windows" if run["algorithm"].startswith(follows) else ""


def _single(run: dict[str, Any]) -> bool:
    return run["algorithm"] in (
        "Jacobi",
        "Gauss-Seidel",
        "Jacobi, extrapolated",
        "Gauss-Seidel, extrapolated",
    )
