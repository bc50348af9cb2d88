"""Solvers for x' = f(t, x): one file per method, all behind `run`."""

from __future__ import annotations

from math import inf
from typing import Any

from ..core.options import worded
from ..core.spelling import nearest
from ..core.statistics import Effort
from .auto import Auto
from .base import Arc, Follower, IntegrationFailed, Integrator, Problem, SupportsFollowing
from .cvode import Cvode, is_installed
from .fixed import FixedSize
from .flow import Flow
from .implicit import Bdf, Radau
from .mixed import Method, Mixed
from .rk45 import Rk45
from .running import Run

__all__ = [
    "Arc",
    "Auto",
    "Bdf",
    "Cvode",
    "Effort",
    "FixedSize",
    "Flow",
    "Follower",
    "IntegrationFailed",
    "Integrator",
    "Mixed",
    "Problem",
    "Radau",
    "Rk45",
    "follower",
    "is_installed",
    "named",
    "takes_one_size",
]

_ADAPTIVE: dict[str, type[Auto] | type[Rk45] | type[Radau] | type[Bdf] | type[Cvode]] = {
    "auto": Auto,
    "rk45": Rk45,
    "radau": Radau,
    "bdf": Bdf,
    "cvode": Cvode,
}
_FIXED = ("rk4", "heun", "midpoint", "semi_implicit", "euler")
_ELSEWHERE = {  # what others call them
    "ode45": "rk45", "dopri5": "rk45", "rkf45": "rk45", "runge-kutta": "rk4",
    "ode15s": "bdf", "lsoda": "auto", "vode": "bdf", "dassl": "bdf", "ode23s": "radau",
    "radau5": "radau", "sundials": "cvode",
}  # fmt: skip
_MIXED: dict[str, Method] = {
    "mixed": "heun",
    "mixed-euler": "euler",
    "mixed-midpoint": "midpoint",
    "mixed-ars3": "ars3",
}


def named(
    name: str, *, rtol: float = 1e-6, atol: float = 1e-9, step: float | None = None
) -> Integrator:
    """The integrator of this name.

    Adaptive: `auto`, which is `rk45`, and `radau` while equations are stiff; either of these, and
    `bdf` and `cvode` for stiff equations; `step` limits their step size. `cvode` is that of
    SUNDIALS and needs the package scikit-sundae.
    Fixed: `rk4`, `heun`, `midpoint`, `semi_implicit`, `euler`; they need a `step` and take no
    tolerances. So do `mixed` (of order 2), `mixed-euler`, `mixed-midpoint` and `mixed-ars3` (of
    order 3), which are implicit for the states that are too fast for the step.
    """
    if name in _ADAPTIVE:
        return _ADAPTIVE[name](rtol=rtol, atol=atol, max_size=inf if step is None else step)
    if name in _FIXED:
        if step is None:
            raise ValueError(f"solver '{name}' takes steps of one size: give it with step=...")
        return FixedSize(step, name)  # type: ignore[arg-type]
    if name in _MIXED:
        if step is None:
            raise ValueError(f"solver '{name}' takes steps of one size: give it with step=...")
        return Mixed(step, _MIXED[name])
    names = [*_ADAPTIVE, *_FIXED, *_MIXED]
    elsewhere = _ELSEWHERE.get(name.lower())
    near = elsewhere or nearest(name, names)
    hint = f" Did you mean '{near}'?" if near else ""
    raise ValueError(f"'{name}' is not a solver. There are {', '.join(names)}.{hint}")


def takes_one_size(name: str) -> bool:
    """Whether the solver of this name needs a given step."""
    return name in _FIXED or name in _MIXED


def follower(integrator: Integrator) -> Follower:
    """This integrator in the hands of one part."""
    if isinstance(integrator, SupportsFollowing):
        return integrator.follower()
    return integrator if isinstance(integrator, Run) else _Anew(integrator)


class _Anew:
    """Every run starts from nothing, as with methods of one step it may."""

    def __init__(self, integrator: Integrator) -> None:
        self._integrator = integrator

    def run(self, *where: Any, going_on: bool = False, **options: Any) -> Arc:
        """As the integrator does, which knows nothing of going on."""
        return self._integrator.run(*where, **options)

    def memory(self) -> None:
        """Nothing is kept."""

    def recall(self, memory: Any) -> None:
        """Nothing is kept."""


worded(Auto, Bdf, Cvode, FixedSize, Mixed, Radau, Rk45)
