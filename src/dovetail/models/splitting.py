"""One model made into a system of several parts, each with its own states, steps and windows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..algorithms import Algorithm, GaussSeidel
from ..controllers import FixedStep
from ..description import Variable
from ..errors import ModelError, OptionError, did_you_mean
from ..given import check_number
from ..integrators import Integrator
from ..structure.operating import checked_values
from ..subsystem import Equations, Model
from ..system import System
from ..values import signals
from .nested import Nested
from .share import Share

Groups = Mapping[str, Sequence[str]] | Sequence[Sequence[str]] | Any


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
        from ..session import simulate

        options.setdefault("quiet", True)
        run = simulate(self, stop=stop, **options)
        tight = replace(self.whole, solver="radau", rtol=rtol, atol=1e-3 * rtol, step=None)
        system = System("whole")
        system.add("model", tight)
        sizes = np.diff(run.time)
        size = float(sizes[sizes > 0].min())
        reference = simulate(
            system,
            stop=stop,
            start=options.get("start", 0.0),
            controller=FixedStep(size),
            quiet=True,
        )
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
    evaluates the whole model, and keeps only what is its own.
    """
    if not hasattr(model, "instantiate"):
        raise OptionError(f"a model is needed to split, not {type(model).__name__}.")
    given = checked_values(model, values or {})
    states, pattern = _states(model, given, start)
    named = _named(groups, [v.name for v in states])
    if not isinstance(windows, Mapping | None):
        what = f'as in {{"{next(iter(named))}": 1e-3}}'
        raise OptionError(f"windows must be sizes by group, {what}, not {windows!r}.")
    chosen = dict(windows or {})
    for group, size in chosen.items():
        if group not in named:
            hint = did_you_mean(group, named)
            raise OptionError(f"windows names '{group}', which is no group.{hint}")
        check_number(f"the window of '{group}'", size, above=0)
    reads = _reads(named, [v.name for v in states], pattern)
    shares = {
        group: Share(
            model,
            tuple(own),
            reads[group],
            states,
            given,
            _of(solver, group, "rk45"),
            rtol,
            atol,
            _of(step, group, None),
        )
        for group, own in named.items()
    }
    whole = Share(model, tuple(v.name for v in states), (), states, given)
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
        parts.append((title, Nested(system, algorithm, FixedStep(size), names=renamed)))
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


def _states(
    model: Model, values: Mapping[str, Any], start: float
) -> tuple[tuple[Variable, ...], Any]:
    """The states with the values they start from, and which depends on which."""
    part: Any = model.instantiate("whole")
    kind = model.description.kind
    try:
        part.initialize(start, values)
        inputs = signals(model.description.inputs, values)
        part.outputs(inputs)
        part.begin()
        if not isinstance(part, Equations) or not part.states:
            raise ModelError(
                f"this {kind} cannot be split: it shows no states of its own; that needs a "
                "dv.Dynamic or a model-exchange FMU."
            )
        x = part.state()
        if part.crossings(start, x, inputs).size:
            raise ModelError(
                f"this {kind} cannot be split: it has events, which concern all of its states "
                "at once; use solver='mixed' instead."
            )
        states = tuple(replace(v, start=float(s)) for v, s in zip(part.states, x, strict=True))
        return states, part.pattern
    finally:
        part.close()


def _named(groups: Groups, states: Sequence[str]) -> dict[str, list[str]]:
    """Groups by name, each state in exactly one; an array's name stands for its elements."""
    groups = getattr(groups, "groups", groups)
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        what = 'as in {"fast": ["i"], "slow": ["T", "x"]}'
        raise OptionError(f"groups must be lists of states by name, {what}, not {groups!r}.")
    if not isinstance(groups, Mapping):
        groups = {f"block{k + 1}": block for k, block in enumerate(groups)}
    home: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    for group, listed in groups.items():
        if isinstance(listed, str) or not isinstance(listed, Iterable):
            raise OptionError(f"group '{group}' must be a list of states, not {listed!r}.")
        found[group] = []
        for state in listed:
            elements = [s for s in states if s == state or s.startswith(f"{state}[")]
            if not elements:
                hint = did_you_mean(str(state), states)
                raise OptionError(f"'{state}' is no state of the model.{hint}")
            for s in elements:
                if s in home:
                    raise OptionError(f"state '{s}' is in '{home[s]}' and in '{group}'.")
                home[s] = group
                found[group].append(s)
    left = [s for s in states if s not in home]
    if left:
        more = f" and {len(left) - 1} more" if len(left) > 1 else ""
        raise OptionError(f"'{left[0]}'{more} is in no group; every state needs one.")
    empty = [group for group, own in found.items() if not own]
    if empty:
        raise OptionError(f"group '{empty[0]}' has no states.")
    return found


def _reads(
    groups: Mapping[str, Sequence[str]], states: Sequence[str], pattern: Any
) -> dict[str, tuple[str, ...]]:
    """Which states of others each group reads; all of them where nobody told."""
    found = {}
    place = {s: k for k, s in enumerate(states)}
    rows = None if pattern is None else pattern.tocsr()
    for group, own in groups.items():
        mine = {place[s] for s in own}
        used = range(len(states)) if rows is None else np.unique(rows[sorted(mine)].indices)
        found[group] = tuple(states[int(k)] for k in used if int(k) not in mine)
    return found
