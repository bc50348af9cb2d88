"""A little give between parts that meet, as it is put there where nothing solves junctions.

For users who want to compare: `docs/junctions.md` shows it, tests and benchmarks measure with it.
"""

from __future__ import annotations

from typing import Any

from ..core.description import DOMAINS, Port
from ..core.errors import OptionError, did_you_mean
from ..core.options import check_number
from .dynamic import Dynamic


def compliance(
    domain: str,
    stiffness: float,
    damping: float = 0.0,
    *,
    ports: int = 2,
    takes: str | None = None,
    gap: float = 0.0,
) -> Dynamic:
    """A stiff element with ports `a`, `b`, ... that gives what the parts it joins want.

    For comparison with junctions: an element that gives way adds an error of its own, and a stiff
    one needs short windows. It takes the variable that ports of the domain share, and pushes
    with stiffness times the integral of the difference and damping times the difference: a
    spring and a dashpot, or an inductor beside a resistor. If `takes` names the other one, what
    its ports take adds up: a small volume, or a capacitor. `gap` is where the integral starts.
    """
    if domain not in DOMAINS:
        raise OptionError(f"unknown domain {domain!r}.{did_you_mean(domain, DOMAINS)}")
    d = DOMAINS[domain]
    check_number("stiffness", stiffness, least=0)
    check_number("damping", damping, least=0)
    check_number("gap", gap)
    if not stiffness and not damping:
        raise OptionError("a compliance needs a stiffness or a damping; with neither it is nothing")
    taken = takes or d.common
    if taken not in ("effort", "flow"):
        raise OptionError(f"takes must be 'effort' or 'flow', not {takes!r}")
    if not 2 <= ports <= len(_NAMES):
        raise OptionError(f"ports must be 2 to {len(_NAMES)}, not {ports!r}")
    compares = taken == d.common
    if compares and ports != 2:
        raise OptionError(f"an element that takes the {taken}s compares two ports, not {ports!r}")
    signs = (1.0, -1.0) if compares else (1.0,) * ports
    names = _NAMES[:ports]
    units = (d.flow, d.effort) if taken == "flow" else (d.effort, d.flow)

    def difference(u: Any) -> float:
        return float(sum(sign * value for sign, value in zip(signs, u, strict=True)))

    def output(t: float, x: Any, u: Any, p: Any) -> list[float]:
        push = stiffness * x[0] + damping * difference(u)
        return [sign * push for sign in signs]

    effort, flow = ("out", "in") if taken == "flow" else ("in", "out")
    return Dynamic(
        states={"stretch": gap},
        inputs={f"in_{n}": 0.0 for n in names},
        outputs=[f"out_{n}" for n in names],
        derivatives=lambda t, x, u, p: [difference(u)],
        output=output,
        feedthrough=damping > 0,
        units={f"in_{n}": units[0] for n in names} | {f"out_{n}": units[1] for n in names},
        ports={n: Port(domain, effort=f"{effort}_{n}", flow=f"{flow}_{n}") for n in names},
        vector=True,
    )


_NAMES = ("a", "b", "c", "d", "e", "f", "g", "h")
