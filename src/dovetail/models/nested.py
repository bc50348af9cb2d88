"""A whole system as one part of another: several rates, several algorithms."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from .. import codec
from ..algorithms import Algorithm, GaussSeidel
from ..assembly import Assembly
from ..brief import brief
from ..checking import check, resolved, shortfalls
from ..controllers import Controller, FixedStep, bound
from ..description import Capabilities, Description, Variable
from ..errors import CapabilityError, DrawingError, ModelError, did_you_mean
from ..estimators.choice import Needs
from ..given import check_method
from ..initializations import Consistent
from ..leg import Position
from ..signals import Signals, Waveform
from ..standstill import Standstill
from ..stepping import Stepper
from ..subsystem import Reached
from ..system import System
from ..values import Values, signals
from ..window import Grid, Window
from .algebraic import STATELESS

_OUTSIDE = "outside"  # the inner part that plays what comes from the outer system


@dataclass(frozen=True, eq=False)
class Nested:
    """A system as a part: it runs its own windows inside each window of the outer system.

    Its inputs are the inner inputs that nothing feeds, its outputs all inner outputs, named
    `part.variable`; `names` renames and restricts them, outer name -> inner name. Inside a
    window the inner parts see the outer inputs as they move: interpolated where the outer
    algorithm interpolates. Without a controller, one inner window per outer window.
    Events inside stay inside: the outer system sees what they did at the end of its window. With
    `share_events` they end the outer window, for everybody.
    """

    system: System
    algorithm: Algorithm = GaussSeidel()
    controller: Controller | None = None
    names: dict[str, str] = field(default_factory=dict)
    share_events: bool = False
    rtol: float = 1e-5
    atol: float = 1e-6

    def __post_init__(self) -> None:
        if not isinstance(self.system, System):
            raise ModelError(f"only a dv.System can be nested, not {type(self.system).__name__}.")
        check_method("algorithm", self.algorithm, "step", "dv.GaussSeidel()")
        if self.controller is not None:
            check_method("controller", self.controller, "judge", "dv.FixedStep(0.01)")
        if _OUTSIDE in self.system.parts:
            raise ModelError(f"a nested system must not have a part named '{_OUTSIDE}'.")
        errors = [p for p in check(self.system, live=False).problems if not p.warning]
        if errors:
            raise DrawingError(errors, self.system.name)
        lacking = shortfalls(self.system, self.algorithm, self._inner_controller(1.0))
        if lacking:
            raise CapabilityError(f"{brief(self.algorithm)} in '{self.system.name}'", lacking)
        _ = self.description

    @cached_property
    def exposed(self) -> tuple[dict[str, tuple[str, Variable]], dict[str, tuple[str, Variable]]]:
        """Inputs and outputs: outer name -> inner name and variable."""
        s = self.system
        inputs = {
            f"{p.name}.{v.name}": v
            for p in s.parts.values()
            for v in p.description.inputs
            if not s.is_fed(p.name, v.name)
        }
        outputs = {f"{p.name}.{v.name}": v for p in s.parts.values() for v in p.description.outputs}
        renamed = self.names or {n: n for n in (*inputs, *outputs)}
        for outer, inner in renamed.items():
            if inner not in inputs and inner not in outputs:
                hint = did_you_mean(inner, (*inputs, *outputs))
                raise ModelError(f"names says '{outer}' is '{inner}', which is not there.{hint}")
        return (
            {outer: (n, inputs[n]) for outer, n in renamed.items() if n in inputs},
            {outer: (n, outputs[n]) for outer, n in renamed.items() if n in outputs},
        )

    @cached_property
    def description(self) -> Description:
        """The nested system seen from outside."""
        inputs, outputs = self.exposed
        parts = [p.description for p in self.system.parts.values()]
        inner = [d.capabilities for d in parts]
        parameters = tuple(
            replace(v, name=f"{p.name}.{v.name}", start=p.values.get(v.name, v.start))
            for p in self.system.parts.values()
            for v in p.description.parameters
        )
        return Description(
            inputs=tuple(
                replace(v, name=outer, start=self._start(inner_name, v))
                for outer, (inner_name, v) in inputs.items()
            ),
            outputs=tuple(replace(v, name=outer) for outer, (_, v) in outputs.items()),
            parameters=parameters,
            feedthrough=self._feedthrough(),
            capabilities=Capabilities(
                can_restore=all(c.can_restore for c in inner),
                can_serialize=all(c.can_serialize for c in inner),
                can_evaluate_now=all(c.can_evaluate_now for c in inner),
                can_return_early=self.share_events and any(c.can_return_early for c in inner),
                has_events=any(c.has_events for c in inner),
                knows_next_event=self.share_events and any(c.knows_next_event for c in inner),
                can_tell_slopes=self.algorithm.inputs == "hermite",
                input_order=None,
            ),
            kind=f"Nested '{self.system.name}'",
        )

    def instantiate(self, name: str) -> _Nested:
        """A live part."""
        return _Nested(self)

    def fingerprint(self) -> str:
        """A hash of the inner drawing and how it is run."""
        options = f"{self.algorithm} {self.controller} {self.names} {self.share_events}"
        return f"{self.system.fingerprint()} {options}"

    def _start(self, name: str, variable: Variable) -> Any:
        part, _, inner = name.partition(".")
        return self.system.parts[part].values.get(inner, variable.start)

    def _inner_controller(self, size: float) -> Controller:
        return self.controller or FixedStep(size)

    def _feedthrough(self) -> dict[str, frozenset[str]]:
        """Which outer inputs each outer output depends on at once, through all inner paths."""
        s, (inputs, outputs) = self.system, self.exposed
        outer = {inner: name for name, (inner, _) in inputs.items()}
        reach: dict[str, frozenset[str]] = {}

        def behind(name: str, busy: frozenset[str]) -> frozenset[str]:
            if name in reach:
                return reach[name]
            if name in busy:
                return frozenset()
            part, _, variable = name.partition(".")
            found: set[str] = set()
            for used in s.parts[part].description.depends(variable):
                for source in s.sources_of(part, used):
                    found |= behind(str(source.source), busy | {name})
                if f"{part}.{used}" in outer:
                    found.add(outer[f"{part}.{used}"])
            if not busy:
                reach[name] = frozenset(found)
            return frozenset(found)

        return {name: behind(inner, frozenset()) for name, (inner, _) in outputs.items()}


@dataclass(frozen=True, eq=False)
class _Outside:
    """The blueprint of the inner part that plays the outer inputs."""

    variables: tuple[Variable, ...]

    @property
    def description(self) -> Description:
        return Description(
            outputs=self.variables,
            feedthrough={v.name: frozenset() for v in self.variables},
            capabilities=STATELESS,
            kind="outside",
        )

    def instantiate(self, name: str) -> _Player:
        return _Player(self)


class _Player:
    """Plays the inputs of the outer window to the inner parts."""

    def __init__(self, model: _Outside) -> None:
        self.description = model.description
        self.wave = Waveform.hold(signals(model.variables, {}))
        self.origin = self.t = 0.0

    def play(self, wave: Waveform, origin: float) -> None:
        self.wave, self.origin = wave, origin

    def initialize(self, start: float, values: Values, *, slopes: bool = False) -> None:
        self.t = self.origin = start

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        return self.wave.at(self.t - self.origin)

    def begin(self) -> None:
        pass

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        self.t = window.stop
        return Reached(window.stop, self.outputs(inputs.at(0.0)))

    def close(self) -> None:
        pass

    def snapshot(self) -> Any:
        return self.t

    def restore(self, snapshot: Any) -> None:
        self.t = snapshot

    def dump(self) -> bytes:
        return codec.encode(self.t)

    def load(self, state: bytes) -> None:
        self.t = codec.decode(state)


class _Nested:
    """The inner system in motion."""

    def __init__(self, model: Nested) -> None:
        self.model, self.description = model, model.description
        inner = _with_outside(model)
        self.algorithm = resolved(model.algorithm, model.controller, model.rtol, model.atol)
        needs = Needs.of(self.algorithm, model._inner_controller(1.0))
        self.assembly = Assembly.of(inner, needs=needs)
        self.system = inner
        player = self.assembly.subsystems[0].subsystem
        assert isinstance(player, _Player)
        self.player = player
        slots = self.assembly.structure.layout.outputs
        self.reals, self.discrete = list[int](), list[int]()
        for name, variable in model.exposed[1].values():
            part, _, inner_name = name.partition(".")
            first = slots.place[part, inner_name]
            (self.reals if variable.is_real else self.discrete).extend(
                range(first, first + variable.size)
            )
        self.stepper: Stepper | None = None
        self.start = 0.0
        self.slopes = self.algorithm.inputs == "hermite"  # inside; then it tells them as well

    def initialize(self, start: float, values: Values, *, slopes: bool = False) -> None:
        given: dict[str, dict[str, Any]] = {n: dict(p.values) for n, p in self.system.parts.items()}
        for name, value in values.items():
            part, _, variable = name.partition(".")
            if name in self.model.exposed[0] or part not in given:
                continue
            given[part][variable] = value
        self.start = start
        self.assembly.initialize(start, given, slopes=self.slopes)

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        if order:
            raise NotImplementedError("a nested system tells no derivatives of its outputs")
        if self.stepper is None:
            self.player.play(_moving(inputs), self.start)
            return self._shown(self._position().outputs)
        self.player.play(_moving(inputs), self.player.t)
        stepper = self.stepper
        position = stepper.position
        jump = Standstill().event(self.assembly, position.time, position.outputs, position.z)
        stepper.position = replace(position, outputs=jump.outputs)
        return self._shown(jump.outputs)

    def begin(self) -> None:
        position = self._position()
        self.assembly.begin()
        size = 1.0 if self.model.controller is None else self.model.controller.first_size
        inner = self.model._inner_controller(size)
        controller = bound(inner, self.system, self.assembly.structure, self.algorithm)
        grid = Grid(self.start, size, self.start)
        self.stepper = Stepper(self.assembly, self.algorithm, controller, grid, position)
        self.stepper.open()
        self.stepper.position = Consistent().begun(self.assembly, self.stepper.position, size)

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        stepper = self.stepper
        assert stepper is not None
        self.player.play(inputs, window.start)
        self._see_inputs()
        size = window.size if self.model.controller is None else stepper.grid.size
        stepper.grid = Grid(window.start, size, window.stop)
        while stepper.position.time < window.stop:
            legs = stepper.advance()
            if legs[-1].event and self.model.share_events:
                return Reached(legs[-1].window.stop, self._shown(legs[-1].outputs), True)
        return Reached(window.stop, self._shown(stepper.position.outputs))

    def next_event(self) -> float:
        return self.assembly.next_event()

    def event(self, inputs: Signals) -> Signals:
        return self.outputs(inputs)

    def close(self) -> None:
        self.assembly.close()

    def snapshot(self) -> Any:
        assert self.stepper is not None
        s = self.stepper
        return s.position, s.grid, self.assembly.mark(), self.player.wave, self.player.origin

    def restore(self, snapshot: Any) -> None:
        assert self.stepper is not None
        position, grid, mark, wave, origin = snapshot
        self.stepper.position, self.stepper.grid = position, grid
        self.assembly.restore(mark)
        self.player.play(wave, origin)

    def dump(self) -> bytes:
        assert self.stepper is not None
        s = self.stepper
        parts = [(p.time, p.dump(), r.dump()) for p, r in self._pairs()]
        return codec.encode((s.position, s.grid, parts, self.player.wave, self.player.origin))

    def load(self, state: bytes) -> None:
        assert self.stepper is not None
        position, grid, parts, wave, origin = codec.decode(state)
        self.stepper.position, self.stepper.grid = position, grid
        for (p, r), (time, part, learned) in zip(self._pairs(), parts, strict=True):
            p.load(time, part)
            r.load(learned)
        self.player.play(wave, origin)

    def _pairs(self) -> list[tuple[Any, Any]]:
        return list(zip(self.assembly.subsystems, self.assembly.rehearsals, strict=True))

    def _position(self) -> Position:
        size = 1.0 if self.model.controller is None else self.model.controller.first_size
        return Consistent().position(self.assembly, self.start, size, slopes=self.slopes)

    def _see_inputs(self) -> None:
        """The inner run's idea of the outside at the window's start, before anything moves."""
        assert self.stepper is not None
        position = self.stepper.position
        span = self.assembly.outputs_of[0]
        seen = self.player.outputs(Signals(np.zeros(0)))
        reals, discrete = position.outputs.reals.copy(), list(position.outputs.discrete)
        reals[span.reals], discrete[span.discrete] = seen.reals, seen.discrete
        slopes = position.outputs.slopes
        if slopes is not None:
            slopes = slopes.copy()
            slopes[span.reals] = seen.slopes
        outputs = Signals(reals, slopes, tuple(discrete))
        self.stepper.position = replace(position, outputs=outputs)

    def _shown(self, outputs: Signals) -> Signals:
        discrete = tuple(outputs.discrete[k] for k in self.discrete)
        slopes = None if outputs.slopes is None else outputs.slopes[self.reals]
        return Signals(outputs.reals[self.reals], slopes, discrete)


def _moving(inputs: Signals) -> Waveform:
    """Inputs at an instant, with the slopes they have there if these are known."""
    if inputs.slopes is None or np.isnan(inputs.slopes).any():
        return Waveform.hold(inputs)
    return Waveform(np.column_stack([inputs.reals, inputs.slopes]), inputs.discrete)


def _with_outside(model: Nested) -> System:
    """The inner drawing with one more part that feeds what nothing else feeds."""
    inputs = model.exposed[0]
    variables = tuple(replace(v, name=n.replace(".", "/")) for n, (_, v) in inputs.items())
    system = System(model.system.name)
    system.add(_OUTSIDE, _Outside(variables))
    for p in model.system.parts.values():
        system.add(p.name, p.model, dict(p.values))
    for c in model.system.connections:
        if not c.junction:
            given = {"gain": c.gain, "offset": c.offset}
            system.connect(str(c.source), str(c.target), **given, convert=c.convert)
    for j in model.system.junctions:
        ports = [str(e) for e in j.ends]
        level = j.level if j.case != "wires" else None
        system.join(*ports, kind=j.common, level=level, coordinator=j.coordinator)
    for name, (inner, _) in inputs.items():
        system.connect(f"{_OUTSIDE}.{name.replace('.', '/')}", inner)
    return system
