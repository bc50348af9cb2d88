"""Work against precision: every algorithm with every controller it goes together with.

    python benchmarks/work_precision.py              print the table
    python benchmarks/work_precision.py --write      put it and the picture into docs/

Work is the number of advances of all parts, precision the largest error of the left mass over the
run, relative to its largest excursion. Counts only, no seconds: they are the same everywhere.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import dovetail as dv

sys.path.insert(0, str(Path(__file__).parent))
import choosing

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "work-precision.png"
STOP = 2.0
BONDS = ("left.force * right.speed",)
GOAL = 5e-3  # the error that the table compares at


@dataclass(frozen=True)
class Curve:
    """What one combination costs for what it delivers."""

    algorithm: str
    controller: str
    work: tuple[int, ...]
    errors: tuple[float, ...]

    def work_for(self, error: float) -> float | None:
        """Advances for this error, between the points on logarithmic scales."""
        pairs = sorted(zip(self.errors, self.work, strict=True))
        errors, work = np.array(pairs).T
        if not errors[0] <= error <= errors[-1]:
            return None
        return float(np.exp(np.interp(np.log(error), np.log(errors), np.log(work))))


def algorithms() -> dict[str, Any]:
    """One of each kind, with the options that matter."""
    tight = {"rtol": 1e-7, "atol": 1e-9}
    return {
        "Jacobi()": dv.Jacobi(),
        "GaussSeidel()": dv.GaussSeidel(),
        "Jacobi(extrapolation=1)": dv.Jacobi(extrapolation=1),
        "GaussSeidel(extrapolation=1)": dv.GaussSeidel(extrapolation=1),
        "GaussSeidel(extrapolation=2)": dv.GaussSeidel(extrapolation=2),
        "GaussSeidel(50)": dv.GaussSeidel(50, **tight),
        'GaussSeidel(50, inputs="ramp")': dv.GaussSeidel(50, inputs="ramp", **tight),
        'Jacobi(50, inputs="ramp")': dv.Jacobi(50, inputs="ramp", **tight),
        "Iterative()": dv.Iterative(**tight),
        'Newton(inputs="ramp")': dv.Newton(inputs="ramp", **tight),
    }


def controllers(iterates: bool) -> dict[str, list[Any]]:
    """Each from coarse to fine."""
    sizes = {"first_size": 1e-3}
    found: dict[str, list[Any]] = {
        "FixedStep": [dv.FixedStep(h) for h in (0.08, 0.04, 0.02, 0.01)],
        "StepDoubling": [dv.StepDoubling(t, t, **sizes) for t in (1e-2, 1e-3, 1e-4)],
    }
    if not iterates:
        steps = (2e-1, 6e-2, 2e-2)
        found["InputDefect"] = [dv.InputDefect(t, t, **sizes) for t in steps]
        found["Energy"] = [dv.Energy(t, 1e-3 * t, bonds=BONDS, **sizes) for t in steps]
    return found


@cache
def curves() -> tuple[Curve, ...]:
    """Everything that can be combined."""
    return tuple(_curves())


def _curves() -> Iterator[Curve]:
    for title, algorithm in algorithms().items():
        for name, steps in controllers(algorithm.repeats).items():
            points = [point(algorithm, controller) for controller in steps]
            work, errors = zip(*points, strict=True)
            yield Curve(title, name, work, errors)


def point(algorithm: Any, controller: Any) -> tuple[int, float]:
    """Advances and error of one run."""
    result = choosing.run(choosing.two_masses(), STOP, algorithm, controller)
    exact = choosing.exact_two_masses(result.time)
    error = np.abs(result["left.x"] - exact).max() / np.abs(exact).max()
    return result.statistics.evaluations, float(error)


def table() -> Iterator[str]:
    """Advances for an error of half a per cent."""
    names = ("FixedStep", "StepDoubling", "InputDefect", "Energy")
    yield "| algorithm | " + " | ".join(f"`{n}`" for n in names) + " |"
    yield "| --- |" + " ---: |" * len(names)
    known = {(c.algorithm, c.controller): c for c in curves()}
    for title in algorithms():
        cells = [_cell(known.get((title, name))) for name in names]
        yield f"| `{title}` | {' | '.join(cells)} |"


def _cell(curve: Curve | None) -> str:
    if curve is None:
        return ""
    work = curve.work_for(GOAL)
    if work is None:
        return "more" if min(curve.errors) > GOAL else "fewer than " + str(min(curve.work))
    return f"{round(work, -1 if work < 1000 else -2):.0f}"


def picture(path: Path) -> None:
    """All curves, a panel for each controller."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    names = ("FixedStep", "StepDoubling", "InputDefect", "Energy")
    figure, axes = plt.subplots(2, 2, figsize=(10, 8), sharex=True, sharey=True)
    colors = dict(zip(algorithms(), plt.get_cmap("tab10").colors, strict=True))  # type: ignore[attr-defined]
    for ax, name in zip(axes.flat, names, strict=True):
        for c in curves():
            if c.controller == name:
                ax.loglog(
                    c.work,
                    c.errors,
                    "o-",
                    ms=3,
                    lw=1.2,
                    color=colors[c.algorithm],
                    label=c.algorithm,
                )
        ax.set_title(name, fontsize=10)
        ax.grid(alpha=0.3)
    for ax in axes[-1]:
        ax.set_xlabel("advances of all parts")
    for ax in axes[:, 0]:
        ax.set_ylabel("relative error")
    axes[0, 0].set_ylim(1e-6, 2)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=3, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--write", action="store_true", help="put table and picture into docs/")
    arguments = parser.parse_args()
    found = "\n".join(table())
    print(found)
    if arguments.write:
        page = choosing.PAGE
        page.write_text(choosing.written(page.read_text(), {"precision": found}))
        picture(PICTURE)


if __name__ == "__main__":
    main()
