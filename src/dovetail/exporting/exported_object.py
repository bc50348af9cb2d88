"""An object of an exported class in motion."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from ..core import codec
from ..core.description import Description, Variable
from ..core.errors import DovetailError, PartFailed
from ..core.signals import Signals, Waveform
from ..core.values import Values, fitted, signals
from ..core.window import Window
from ..subsystems.subsystem import Linearization, Reached


class ExportedObject:
    """A part that is an object of `made_from`."""

    def __init__(self, name: str, description: Description, made_from: type) -> None:
        self.description, self._name, self._made_from = description, name, made_from
        self._time = 0.0
        self._object: Any = None

    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Make the object, and hand it its values."""
        d, self._time = self.description, start
        self._object = self._asked("being made", self._made_from)
        for v in (*d.parameters, *d.inputs, *d.outputs):
            one = signals([v], values if v in d.parameters else {})
            self._put(v, one.reals[0] if v.is_real else one.discrete[0])
        self._call("setup_experiment", start)
        self._call("enter_initialization_mode")

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """Its output fields, updated if it can."""
        if order:
            raise NotImplementedError("a class gives no derivatives of its outputs")
        self._take(inputs)
        self._call("update_outputs", self._time)
        return self._shown()

    def begin(self) -> None:
        """Leave initialization."""
        self._call("exit_initialization_mode")

    def late_outputs(self) -> Signals | None:
        """Its outputs may be set where initialization ends."""
        return self._shown()

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """One `do_step`."""
        self._take(inputs.at(0.0))
        done = self._call("do_step", window.start, window.size)
        if done is False:
            raise PartFailed(self._name, "doing its step", window.start, "do_step returned False")
        self._time = window.stop
        self._call("update_outputs", window.stop)
        return Reached(window.stop, self._shown())

    def tune(self, values: Values) -> None:
        """Go on with these parameters."""
        for v in self.description.parameters:
            if v.name in values:
                self._put(v, values[v.name])

    def linearize(self) -> Linearization:
        """dy/du as the class gives it; states stay its own affair."""
        d = self.description
        u = np.array([getattr(self._object, v.name) for v in d.inputs if v.is_real], dtype=float)
        y = self._shown().reals
        D = np.asarray(self._call("jacobian", self._time), dtype=float)
        if D.shape != (y.size, u.size):
            what = f"jacobian gave a matrix of shape {D.shape}, not {(y.size, u.size)}"
            raise PartFailed(self._name, "giving its derivatives", self._time, what)
        none = np.zeros(0)
        shapes = np.zeros((0, 0)), np.zeros((0, u.size)), np.zeros((y.size, 0))
        return Linearization(*shapes, D, none, none, u, y)

    def snapshot(self) -> Any:
        """A copy of its attributes, or what get_state gives."""
        if hasattr(self._object, "get_state"):
            return self._time, deepcopy(self._call("get_state"))
        try:
            return self._time, deepcopy(vars(self._object))
        except Exception as error:
            what = f"{type(error).__name__}: {error}; give it get_state and set_state"
            raise PartFailed(self._name, "keeping its state", self._time, what) from error

    def restore(self, snapshot: Any) -> None:
        """Back to it."""
        self._time, state = snapshot
        if hasattr(self._object, "get_state"):
            self._call("set_state", deepcopy(state))
        else:
            vars(self._object).clear()
            vars(self._object).update(deepcopy(state))

    def dump(self) -> bytes:
        """The same as bytes."""
        try:
            return codec.encode(self.snapshot())
        except TypeError as error:
            what = f"{error}; give it get_state and set_state, of plain values"
            raise PartFailed(self._name, "serializing its state", self._time, what) from error

    def load(self, state: bytes) -> None:
        """Go on from a dump."""
        self.restore(codec.decode(state))

    def close(self) -> None:
        """Tell it that it is over."""
        if self._object is not None:
            self._call("terminate")
            self._object = None

    def _take(self, inputs: Signals) -> None:
        reals, discrete = iter(inputs.reals.tolist()), iter(inputs.discrete)
        for v in self.description.inputs:
            self._put(v, next(reals if v.is_real else discrete))

    def _put(self, v: Variable, value: Any) -> None:
        setattr(self._object, v.name, float(value) if v.is_real else value)

    def _shown(self) -> Signals:
        reals, discrete = list[float](), list[Any]()
        for v in self.description.outputs:
            value = getattr(self._object, v.name)
            try:
                one = signals([v], {v.name: fitted(v, value)})
            except ValueError as error:
                what = f"its output '{v.name}' {error}"
                raise PartFailed(self._name, "giving its outputs", self._time, what) from None
            reals += one.reals.tolist()
            discrete += one.discrete
        return Signals(np.array(reals, dtype=float), None, tuple(discrete))

    def _call(self, method: str, *given: Any) -> Any:
        found = getattr(self._object, method, None)
        return None if found is None else self._asked(f"in {method}", found, *given)

    def _asked(self, doing: str, function: Any, *given: Any) -> Any:
        try:
            return function(*given)
        except DovetailError:
            raise
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise PartFailed(self._name, doing, self._time, what) from error
