"""Error against work, as pictures for docs/work-precision.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("agg")
from matplotlib import pyplot as plt
from matplotlib.lines import Line2D

from .problems import PROBLEMS, Problem
from .study import Curve

FAMILIES = {
    "Jacobi": "tab:blue",
    "GaussSeidel": "tab:green",
    "Iterative": "tab:orange",
    "Newton": "tab:red",
    "Ifosmondi": "tab:purple",
    "Missiles": "tab:brown",
}
SHAPES = {"held": ":", "extrapolated": "-.", "ramps": "--", "cubics": "-"}
PEERS = ("o", "s", "^", "v", "D", "P", "X")
CONTROLLERS = plt.get_cmap("tab10").colors  # type: ignore[attr-defined]
AXES = {"work": "advances of all parts", "seconds": "process time [s]"}


def shape(title: str) -> str:
    """What inputs do over a window."""
    if "extrapolation" in title:
        return "extrapolated"
    if "hermite" in title or title.startswith("Ifosmondi"):
        return "cubics"
    if title.startswith("Missiles"):
        return "ramps" if "ramp" in title else "cubics"
    if title.startswith("Iterative"):
        return "held" if "hold" in title else "ramps"
    return "ramps" if "ramp" in title else "held"


def algorithms(
    problem: Problem, curves: Sequence[Curve], peers: Sequence[Curve], path: Path
) -> None:
    """Every algorithm with fixed windows; peers where they can run the problem."""
    figure, axes = plt.subplots(1, 2, figsize=(11, 5), sharey=True)
    for ax, what in zip(axes, AXES, strict=True):
        for curve in curves:
            if not curve.points:
                continue
            family = curve.title.split("(")[0]
            estimated = ", " in curve.title and ")," in curve.title
            ax.loglog(
                [getattr(p, what) for p in curve.points],
                [p.error for p in curve.points],
                SHAPES[shape(curve.title)],
                color=FAMILIES[family],
                marker="s" if estimated else ".",
                ms=4,
                lw=1.1,
                mfc="white" if estimated else None,
            )
        for curve, marker in zip(peers, PEERS, strict=False):
            x = [getattr(p, what) for p in curve.points]
            y = [p.error for p in curve.points]
            ax.loglog(x, y, "-", color="0.45", marker=marker, ms=5, lw=0.6, mfc="none", zorder=1)
        ax.set_xlabel(AXES[what])
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("relative error")
    figure.suptitle(problem.title, fontsize=12)
    handles = [Line2D([], [], color=c, lw=2, label=name) for name, c in FAMILIES.items()]
    handles += [Line2D([], [], color="k", ls=s, label=name) for name, s in SHAPES.items()]
    handles.append(Line2D([], [], color="k", marker="s", ls="", mfc="white", label="estimated"))
    handles += [
        Line2D([], [], color="0.45", marker=m, mfc="none", lw=0.6, label=c.title)
        for c, m in zip(peers, PEERS, strict=False)
    ]
    figure.legend(handles=handles, loc="lower center", ncol=6, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.12 if len(handles) > 12 else 0.09, 1, 1))
    figure.savefig(path, dpi=100)
    plt.close(figure)


def controllers(found: Mapping[str, Mapping[str, Sequence[Curve]]], path: Path) -> None:
    """Every controller, a panel for each problem."""
    figure, axes = plt.subplots(2, 3, figsize=(12, 7.5))
    names = list(dict.fromkeys(name for ladders in found.values() for name in ladders))
    colors = dict(zip(names, CONTROLLERS, strict=False))
    for ax, (problem, ladders) in zip(axes.flat, found.items(), strict=False):
        for name, curves in ladders.items():
            for curve, style in zip(curves, ("-", "--"), strict=False):
                x, y = [p.work for p in curve.points], [p.error for p in curve.points]
                ax.loglog(x, y, style, color=colors[name], marker=".", ms=4, lw=1.1)
        ax.set_title(PROBLEMS[problem].title, fontsize=10)
        ax.set_xlabel(AXES["work"], fontsize=8)
        ax.grid(alpha=0.3)
    for ax in axes[:, 0]:
        ax.set_ylabel("relative error")
    handles: list[Any] = [Line2D([], [], color=c, lw=2, label=n) for n, c in colors.items()]
    handles.append(Line2D([], [], color="k", ls="-", label="GaussSeidel(extrapolation=1)"))
    handles.append(Line2D([], [], color="k", ls="--", label='Newton(inputs="ramp")'))
    axes.flat[-1].axis("off")
    axes.flat[-1].legend(handles=handles, loc="center", fontsize=9, frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    plt.close(figure)
