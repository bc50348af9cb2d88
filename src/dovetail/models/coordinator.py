"""Coordinators as models: what finds the unknowns of a junction, drawn and placed as a part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from ..core.description import Capabilities, Description, Variable
from ..core.errors import ModelError, PartFailed
from ..core.model_page import ModelPage
from ..core.signals import Signals, Waveform
from ..core.values import Values, signals
from ..core.window import Window
from ..junctions.conversation import Conversation, Message
from ..junctions.sliding_function import SlidingFunction
from ..junctions.sliding_mode import SlidingMode
from ..junctions.solving import SingularJacobian, Solution
from ..subsystems.subsystem import Reached
from .functions import check_function
from .names import Named, access
from .no_states import NoStates
from .only_once import OnlyOnce
from .python_part import PythonPart
from .specification import described, laid_out

_SETTINGS = ("time_scale", "presolve", "probe")


@dataclass(frozen=True, eq=False)
class Coordinator(OnlyOnce, ModelPage):
    """Finds the unknowns z of a junction after each window, such that s(z) = 0.

    `law` is a `dv.SlidingMode`, or a function of (s, z, p) that returns the new unknowns: a vector,
    or None where it found none. s is called for as many z as it takes, `s.jacobian(z)` is ds/dz,
    `s.nominal` the usual size of each unknown. What s is made of, g and its derivatives up to the
    index less one, the run asks of the parts. A part made of it has no inputs and no outputs: a
    junction names it, `system.join(..., coordinator="name")`.
    """

    law: SlidingMode | Callable[..., Any] = SlidingMode()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    time_scale: float | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    vector: bool = False
    only_once: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.law, SlidingMode):
            if self.law.follows_states:
                why = "needs the states of the parts, which a part of its own is not shown"
                raise ModelError(f"rate='{self.law.rate}' {why}; use rate='decoupled'.")
            if self.parameters:
                raise ModelError("a dv.SlidingMode takes no parameters; its options are its own.")
        else:
            check_function("law", self.law, "s", "z", "p")
        for name in _SETTINGS:
            if name in self.parameters:
                raise ModelError(f"'{name}' is a parameter of every coordinator already.")
        _ = self.settings, self.description

    @cached_property
    def settings(self) -> SlidingMode:
        """What is known of it before anybody asks: mu, whether z is found at the start, probes."""
        law = self.law if isinstance(self.law, SlidingMode) else SlidingMode()
        return law if self.time_scale is None else replace(law, time_scale=self.time_scale)

    @cached_property
    def layout(self) -> tuple[Variable, ...]:
        """Its parameters, those that every coordinator has first."""
        text = "time in which ports come together, in s; 0: twice the window"
        scale = Variable(
            "time_scale", start=self.settings.time_scale or 0.0, minimum=0.0, description=text
        )
        (own,) = laid_out(self, "parameters")
        return (replace(scale, variability="fixed"), *own)

    @cached_property
    def description(self) -> Description:
        """The model seen from outside."""
        return described(
            self, outputs=(), parameters=self.layout, capabilities=_CAPABILITIES, states=0
        )

    def instantiate(self, name: str) -> CoordinatorPart:
        """A live part."""
        return CoordinatorPart(name, self)


_CAPABILITIES = Capabilities(
    can_restore=True, can_serialize=True, can_tell_derivatives=True, input_order=None
)
_NOTHING = Signals(np.zeros(0), np.zeros(0))


class CoordinatorPart(NoStates, PythonPart):
    """A coordinator at work. What it remembers from window to window, the run keeps."""

    def __init__(self, name: str, model: Coordinator) -> None:
        self.description = model.description
        self._name, self._model = name, model
        self._make_p = access("p", model.layout[1:], vector=model.vector)
        self._values: Values = {}
        self._settings, self.p = model.settings, cast("Named", None)
        self._conversation: Conversation | None = None
        self.t = 0.0

    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Take the values and enter initialization."""
        self.t, self._values = start, values
        self.tune({})
        (scale,) = signals(self._model.layout[:1], values).reals
        self._settings = replace(self._model.settings, time_scale=float(scale) or None)

    def tune(self, values: Values) -> None:
        """Go on with these parameters."""
        self._values = {**self._values, **values}
        given = signals(self._model.layout[1:], self._values)
        self.p = self._make_p(given.reals, given.discrete)

    def begin(self) -> None:
        """Nothing to leave."""

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """None."""
        return _NOTHING

    def values(self, time: float, state: Any, inputs: Signals) -> Signals:
        """None."""
        return _NOTHING

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Go along."""
        self.t = window.stop
        return Reached(window.stop, _NOTHING)

    def snapshot(self) -> Any:
        """A handle on the present state."""
        return self.t

    def restore(self, snapshot: Any) -> None:
        """Return to a state taken earlier."""
        self.t = snapshot

    def place(self, time: float, state: Any, signs: Any = (), crossed: Any = ()) -> None:
        """Stand there from now on."""
        self.t = time

    def settled(self, function: SlidingFunction) -> Solution:
        """The unknowns after the parts have moved."""
        law = self._model.law
        if isinstance(law, SlidingMode):
            return law.settled(function, function.start, function.kept)
        try:
            found = law(function, function.start.copy(), self.p)
        except (PartFailed, SingularJacobian):
            raise
        except Exception as error:
            raise self._failed(function, f"{type(error).__name__}: {error}") from error
        z = function.start if found is None else self._unknowns(function, found)
        return Solution(z, function(z), function.kept, found is not None)

    def coordinate(self, message: Message) -> Message:
        """One message of a conversation about the unknowns of one window."""
        match message:
            case ("settings",):
                s = self._settings
                return s.time_scale or 0.0, s.presolve, s.probe
            case ("begin", time, z, kept, nominal, s, trust):
                if self._conversation is not None:
                    self._conversation.leave()
                known = z, (s, trust), nominal, kept, time
                self._conversation = Conversation(
                    lambda ask: self.settled(SlidingFunction(ask, *known))
                )
                return self._heard(self._conversation.said())
            case ("values", _) | ("refused",) if self._conversation is not None:
                return self._heard(self._conversation.told(message))
        raise ValueError("nothing that a coordinator is told")

    def close(self) -> None:
        """Nobody waits any more."""
        if self._conversation is not None:
            self._conversation.leave()
            self._conversation = None

    def _heard(self, said: Message) -> Message:
        if said[0] != "ask":
            self._conversation = None
        return said

    def _unknowns(self, function: SlidingFunction, found: Any) -> Any:
        try:
            z = np.array(found, dtype=float).reshape(-1)
        except (TypeError, ValueError):
            z = np.zeros(0)
        if z.shape != function.start.shape:
            count = function.start.size
            what = f"law returned {found!r}, not {count} number{'s' * (count != 1)}"
            raise self._failed(function, what)
        if not np.isfinite(z).all():
            raise self._failed(function, "law returned NaN or Inf")
        return z

    def _failed(self, function: SlidingFunction, what: str) -> PartFailed:
        return PartFailed(self._name, "coordinating", function.time, what)
