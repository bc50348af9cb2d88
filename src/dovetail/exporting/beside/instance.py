"""An instance of an FMU that runs beside its importer: its values, where it stands, its states."""
# Over 250 lines: one class, a short method for each thing that an FMU is asked.

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any, Literal

import numpy as np

from ...core import codec
from ...core.errors import InputError
from ...core.signals import Signals, Waveform
from ...core.window import Window
from ...subsystems.subsystem import SupportsLateOutputs
from .live import BesideLive, blank, gathered, spread, whole, with_tolerance
from .variables import BesideVariable, Role, elements, variables_of

_NEAR = 1e-9  # of a step: as exact as importers are about their time
_MOVED = "changes its value while the FMU runs, and is not tunable"
Stage = Literal["made", "starting", "running", "ended"]
Elements = dict[str, list[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Where an instance stands: all that a state of the FMU is."""

    stage: Stage
    start: float
    time: float
    tolerance: float
    values: Elements  # of parameters and start values
    inputs: Elements
    outputs: Signals
    is_seen: bool  # the inputs, by the model


class BesideInstance:
    """One instance. Errors are exceptions whose sentence the importer gets."""

    def __init__(self, model: Any, name: str) -> None:
        self._model, self._name = model, name
        self._described = model.description
        self._variables = variables_of(model)
        self._live: BesideLive | None = None
        self._every: list[BesideLive] = []
        self._kept: dict[int, tuple[Standing, BesideLive | None, Any]] = {}
        d = self._described
        self._stands = Standing(
            "made", 0.0, 0.0, nan,
            {v.name: elements(v) for v in d.parameters},
            {v.name: elements(v) for v in d.inputs},
            blank(d.outputs), False,
        )  # fmt: skip
        self._fresh = _copied(self._stands)

    # its life ---------------------------------------------------------------------------------

    def set_up(self, start: float, tolerance: float) -> None:
        """Where it starts, and how exact the importer wants it; NaN if it does not say."""
        self._stands = replace(self._stands, start=start, time=start, tolerance=tolerance)

    def enter(self) -> None:
        """Initialization begins."""
        self._stands = replace(self._stands, stage="starting")
        self._ready()

    def leave(self) -> None:
        """Initialization is over."""
        live = self._ready()
        outputs = live.part.outputs(self._inputs)
        live.part.begin()
        part = live.part
        found = part.late_outputs() if isinstance(part, SupportsLateOutputs) else None
        outputs = outputs if found is None else found
        self._stands = replace(self._stands, stage="running", outputs=outputs, is_seen=True)

    def step(self, time: float, size: float) -> tuple[float, bool]:
        """Go on by a step; where it ended, and whether the model asks to end there."""
        live, now = self._ready(), self._stands
        if abs(time - now.time) > _NEAR * max(size, abs(time), 1e-3):
            raise InputError(
                f"a step from {time:g} s is asked for, but it stands at {now.time:g} s"
            )
        inputs = self._inputs
        if not now.is_seen and (self._has_events or size == 0):
            now = replace(now, outputs=live.part.outputs(inputs))
        if size == 0:
            self._stands = replace(now, is_seen=True)
            return now.time, False
        reached = live.part.advance(Window(time, size, time + size), Waveform.hold(inputs))
        self._stands = replace(now, time=reached.time, outputs=reached.outputs, is_seen=True)
        return reached.time, reached.ending

    def terminate(self) -> None:
        """No more steps; values can still be read."""
        self._stands = replace(self._stands, stage="ended")

    def reset(self) -> None:
        """As new; states that were kept stay."""
        self._live = None
        self._stands = _copied(self._fresh)

    def close(self) -> None:
        """Close all parts."""
        for live in self._every:
            live.part.close()

    # values -----------------------------------------------------------------------------------

    def set(self, references: list[int], values: list[Any]) -> None:
        """Set variables."""
        tuned, now = dict[str, list[Any]](), self._stands
        for reference, value in zip(references, values, strict=True):
            v = self._variable(reference)
            group = now.inputs if v.role == Role.INPUT else now.values
            known = group.get(v.variable.name)
            if known is None or v.role in (Role.TIME, Role.RATE) or self._is_only_read(v):
                raise InputError(f"'{v.name}' of '{self._name}' cannot be set")
            changed = [*known]
            changed[v.element] = value
            whole(v.variable, changed)
            if v.role != Role.INPUT and now.stage not in ("made", "starting"):
                if not v.variable.is_tunable:
                    raise InputError(f"'{v.name}' of '{self._name}' {_MOVED}")
                tuned[v.variable.name] = changed
            elif v.role != Role.INPUT:
                self._live = None  # made anew with this value
            group[v.variable.name] = changed
        if tuned and self._live is not None:
            known_ = {v.name: v for v in self._described.parameters}
            self._live.tune({n: whole(known_[n], found) for n, found in tuned.items()})
        self._stands = replace(now, is_seen=False)

    def get(self, references: list[int]) -> list[Any]:
        """The values of variables."""
        chosen = [self._variable(reference) for reference in references]
        if self._stands.stage == "starting" and any(v.role == Role.OUTPUT for v in chosen):
            outputs = self._ready().part.outputs(self._inputs)
            self._stands = replace(self._stands, outputs=outputs, is_seen=True)
        return [self._value(v) for v in chosen]

    def derive(self, unknowns: list[int], knowns: list[int], seeds: list[float]) -> list[float]:
        """Directional derivatives, where it stands, with the inputs that were set."""
        found = self._linearization()
        x, u = np.zeros(found.x.size), np.zeros(found.u.size)
        places = self._places(Role.INPUT)
        for reference, seed in zip(knowns, seeds, strict=True):
            v = self._variable(reference)
            if v.role == Role.INPUT and v.variable.is_real:
                u[places[v.reference]] = seed
            elif self._is_state(v):
                x[v.place] = seed
            else:
                raise InputError(f"there are no derivatives by '{v.name}'")
        rates, outputs = found.A @ x + found.B @ u, found.C @ x + found.D @ u
        places = self._places(Role.OUTPUT)
        answer = []
        for reference in unknowns:
            v = self._variable(reference)
            if v.role == Role.RATE:
                answer.append(float(rates[v.place]))
            elif v.reference in places:
                answer.append(float(outputs[places[v.reference]]))
            else:
                raise InputError(f"there are no derivatives of '{v.name}'")
        return answer

    # states -----------------------------------------------------------------------------------

    def keep(self, key: int) -> None:
        """Keep where it stands under a key."""
        live = self._live
        kept = (
            live.part.snapshot() if live is not None and self._stands.stage == "running" else None
        )
        self._kept[key] = _copied(self._stands), live, kept

    def restore(self, key: int) -> None:
        """Back to where it stood."""
        stands, live, kept = self._kept[key]
        self._stands, self._live = _copied(stands), live
        if kept is not None and live is not None:
            live.part.restore(kept)

    def drop(self, key: int) -> None:
        """It is needed no more."""
        self._kept.pop(key, None)

    def dump(self, key: int) -> bytes:
        """What was kept, as bytes."""
        stands, live, kept = self._kept[key]
        state = b""
        if kept is not None and live is not None:
            now = live.part.snapshot() if live is self._live else None
            live.part.restore(kept)
            state = live.part.dump()
            if now is not None:
                live.part.restore(now)
        numbers = stands.start, stands.time, stands.tolerance, stands.is_seen
        outputs = stands.outputs.reals, stands.outputs.discrete
        return codec.encode((stands.stage, numbers, stands.values, stands.inputs, outputs, state))

    def load(self, key: int, data: bytes) -> None:
        """Keep what was dumped, by this or another instance."""
        stage, numbers, values, inputs, outputs, state = codec.decode(data)
        start, time, tolerance, seen = numbers
        given = values, inputs, Signals(outputs[0], None, tuple(outputs[1])), seen
        stands = Standing(stage, start, time, tolerance, *given)
        live = kept = None
        if state:
            live = self._made(stands)
            live.part.outputs(gathered(self._described.inputs, stands.inputs))
            live.part.begin()
            live.part.load(state)
            kept = live.part.snapshot()
        self._kept[key] = stands, live, kept

    # ------------------------------------------------------------------------------------------

    def _ready(self) -> BesideLive:
        if self._live is None:
            self._live = self._made(self._stands)
        return self._live

    def _made(self, stands: Standing) -> BesideLive:
        model = with_tolerance(self._model, stands.tolerance)
        known = {v.name: v for v in self._described.parameters}
        values = {n: whole(known[n], found) for n, found in stands.values.items()}
        made = BesideLive(model, self._name, stands.start, values)
        self._every.append(made)
        return made

    @property
    def _inputs(self) -> Signals:
        return gathered(self._described.inputs, self._stands.inputs)

    @property
    def _has_events(self) -> bool:
        return bool(self._described.capabilities.has_events)

    def _variable(self, reference: int) -> BesideVariable:
        if reference >= len(self._variables):
            raise InputError(f"'{self._name}' has no variable with the value reference {reference}")
        return self._variables[reference]

    def _is_only_read(self, v: BesideVariable) -> bool:
        return v.role == Role.OUTPUT and not v.starts

    def _is_state(self, v: BesideVariable) -> bool:
        return v.role == Role.STATE or (v.role == Role.OUTPUT and v.starts)

    def _value(self, v: BesideVariable) -> Any:
        now = self._stands
        if v.role == Role.TIME:
            return now.time
        if v.role == Role.INPUT:
            return now.inputs[v.variable.name][v.element]
        before = now.stage in ("made", "starting")
        if v.role == Role.OUTPUT and not (v.starts and now.stage == "made"):
            return spread(self._described.outputs, now.outputs)[v.variable.name][v.element]
        if v.role == Role.RATE:
            if now.stage == "made":
                return 0.0
            equations = self._ready().equations
            return float(equations.rates(now.time, equations.state(), self._inputs)[v.place])
        if v.role == Role.STATE and not before:
            return float(self._ready().equations.state()[v.place])
        return now.values[v.variable.name][v.element]

    def _linearization(self) -> Any:
        if not self._described.capabilities.can_linearize or self._has_events:
            raise InputError(f"'{self._name}' has no directional derivatives")
        part = self._ready().part
        part.outputs(self._inputs)  # it stands with these inputs
        return part.linearize()

    def _places(self, role: Role) -> dict[int, int]:
        chosen = [v for v in self._variables if v.role == role and v.variable.is_real]
        return {v.reference: k for k, v in enumerate(chosen)}


def _copied(stands: Standing) -> Standing:
    """With values of its own."""
    assert isnan(stands.tolerance) or stands.tolerance > 0
    values, inputs = ({n: [*v] for n, v in g.items()} for g in (stands.values, stands.inputs))
    return replace(stands, values=values, inputs=inputs)
