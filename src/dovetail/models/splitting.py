"""One model made into a system of several parts, each with its own states, steps and windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..algorithms import Algorithm, GaussSeidel
from ..controllers import FixedStep
from ..core.description import Variable
from ..core.errors import OptionError, did_you_mean
from ..core.options import check_number
from ..core.values import signals
from ..drawing.system import System
from ..integrators import Integrator
from ..subsystems.subsystem import Equations, Model
from ..timescales.operating import checked_values, stateless
from .grouping import Groups, named, reads
from .nested import Nested
from .ownership import owners
from .share import Share


@dataclass(frozen=True)
class Deviation:
    """How far a split run is from that of the whole model, of each state's range there."""

    errors: Mapping[str, float]

    @property
    def worst(self) -> str:
        """The state that is farthest off."""
        return max(self.errors, key=lambda name: self.errors[name])

    @property
    def largest(self) -> float:
        """By how much of its range."""
        return self.errors[self.worst]

    def __str__(self) -> str:
        return f"at most {self.largest:.3g} of its range, in '{self.worst}'"


class Split(System):
    """The drawing of a model in parts; `whole` is the same model as one part."""

    def __init__(self, name: str, whole: Share, homes: Mapping[str, str]) -> None:
        super().__init__(name)
        self.whole = whole
        self.homes = homes  # state -> the variable that shows it

    def deviation(self, stop: float, *, rtol: float = 1e-9, **options: Any) -> Deviation:
        """Run it to `stop`, as `simulate` would with these options, and compare with the whole.

        The whole model is solved with Radau's method at `rtol`.
        """
        from ..run.session import Session

        options.setdefault("quiet", True)
        with Session(self, stop=stop, **options) as session:
            run = session.run()
        tight = replace(self.whole, solver="radau", rtol=rtol, atol=1e-3 * rtol, step=None)
        system = System("whole")
        system.add("model", tight)
        sizes = np.diff(run.time)
        size = float(np.median(sizes[sizes > 0]))  # events leave windows that are next to nothing
        times = {"stop": stop, "start": options.get("start", 0.0)}
        with Session(system, **times, controller=FixedStep(size), quiet=True) as session:
            reference = session.run()
        errors = {}
        for state, place in self.homes.items():
            exact = np.asarray(reference[f"model.{state}"])
            there = np.interp(run.time, reference.time, exact)
            span = float(exact.max() - exact.min()) or max(1.0, float(np.abs(exact).max()))
            errors[state] = float(np.abs(np.asarray(run[place]) - there).max()) / span
        return Deviation(errors)


def split(
    model: Model,
    groups: Groups,
    *,
    windows: Mapping[str, float] | None = None,
    solver: str | Integrator | Mapping[str, str | Integrator] = "rk45",
    rtol: float = 1e-6,
    atol: float = 1e-9,
    step: float | Mapping[str, float] | None = None,
    values: Mapping[str, Any] | None = None,
    start: float = 0.0,
    algorithm: Algorithm = GaussSeidel(inputs="ramp"),
    name: str = "split",
) -> Split:
    """The model as a system of one part per group, connected by the states they read.

    `groups`: names of parts with the states of each, such as `analysis.partition(step).groups`,
    or only the states. All parts start where the model starts. `windows`: groups that exchange
    more often than the system does; those of one size form a nested system that runs
    `algorithm` with windows of that size. `solver` and `step` may differ by group. Every part
    evaluates the whole model, and keeps only what is its own. Events of a `Dynamic` go to the
    part whose states they move; states that jump together belong into one group.
    """
    if not hasattr(model, "instantiate"):
        raise OptionError(f"a model is needed to split, not {type(model).__name__}.")
    given = checked_values(model, values or {})
    states, pattern, grouped, events = _looked_at(model, groups, given, start)
    if not isinstance(windows, Mapping | None):
        what = f'as in {{"{next(iter(grouped))}": 1e-3}}'
        raise OptionError(f"windows must be sizes by group, {what}, not {windows!r}.")
    chosen = dict(windows or {})
    for group, size in chosen.items():
        if group not in grouped:
            hint = did_you_mean(group, grouped)
            raise OptionError(f"windows names '{group}', which is not a group.{hint}")
        check_number(f"the window of '{group}'", size, above=0)
    read = reads(grouped, [v.name for v in states], pattern, events)
    shares = {
        group: Share(
            model,
            tuple(own),
            read[group],
            states,
            given,
            _of(solver, group, "rk45"),
            rtol,
            atol,
            _of(step, group, None),
            events[group],
        )
        for group, own in grouped.items()
    }
    every = tuple(sorted(k for numbers in events.values() for k in numbers))
    whole = Share(model, tuple(v.name for v in states), (), states, given, events=every)
    return _drawn(name, whole, shares, chosen, algorithm)


def _drawn(
    name: str,
    whole: Share,
    shares: Mapping[str, Share],
    windows: Mapping[str, float],
    algorithm: Algorithm,
) -> Split:
    """The outer system, with the groups of each inner window size in a nested one."""
    inner: dict[float, list[str]] = {}
    for group, size in windows.items():
        inner.setdefault(size, []).append(group)
    seen: dict[str, str] = {}  # state -> the output that shows it in the outer system
    feeds: list[tuple[str, str]] = []  # state -> input of the outer system
    parts: list[tuple[str, Model]] = []
    for group, share in shares.items():
        if group not in windows:
            parts.append((group, share))
            seen.update({s: f"{group}.{s}" for s in share.own})
            feeds += [(s, f"{group}.{s}") for s in share.read]
    for size, members in inner.items():
        title = "_".join(members)
        system = System(title)
        own = {s: member for member in members for s in shares[member].own}
        for member in members:
            system.add(member, shares[member])
        for member in members:
            for s in shares[member].read:
                if s in own:
                    system.connect(f"{own[s]}.{s}", f"{member}.{s}")
        renamed = _renamed(members, shares, own)
        jumps = any(shares[member].events for member in members)
        nested = Nested(system, algorithm, FixedStep(size), names=renamed, share_events=jumps)
        parts.append((title, nested))
        seen.update({s: f"{title}.{s}" for s in own})
        for outer, place in renamed.items():
            variable = place.partition(".")[2]
            if variable not in own and variable in whole.places:
                feeds.append((variable, f"{title}.{outer}"))
    drawing = Split(name, whole, seen)
    for part, model in parts:
        drawing.add(part, model)
    for state, target in feeds:
        drawing.connect(seen[state], target)
    return drawing


def _renamed(
    members: Sequence[str], shares: Mapping[str, Share], own: Mapping[str, str]
) -> dict[str, str]:
    """Outer names: states by their own, inputs too unless two members take one."""
    names = {s: f"{member}.{s}" for s, member in own.items()}
    for member in members:
        for v in shares[member].description.inputs:
            if v.name in own:
                continue
            outer = v.name if v.name not in names else f"{member}/{v.name}"
            names[outer] = f"{member}.{v.name}"
    return names


def _of(option: Any, group: str, otherwise: Any) -> Any:
    return option.get(group, otherwise) if isinstance(option, Mapping) else option


def _looked_at(
    model: Model, groups: Groups, values: Mapping[str, Any], start: float
) -> tuple[tuple[Variable, ...], Any, dict[str, list[str]], dict[str, tuple[int, ...]]]:
    """The states with the values they start from, which depends on which, groups, and events."""
    part: Any = model.instantiate("whole")
    kind = model.description.kind
    try:
        part.initialize(start, values)
        inputs = signals(model.description.inputs, values)
        part.outputs(inputs)
        part.begin()
        if not isinstance(part, Equations) or not part.states:
            raise stateless(part, kind, "split")
        x = part.state()
        states = tuple(replace(v, start=float(s)) for v, s in zip(part.states, x, strict=True))
        names = [v.name for v in states]
        grouped = named(groups, names)
        events = owners(part, kind, start, x, inputs, grouped, names)
        return states, part.pattern, grouped, events
    finally:
        part.close()
