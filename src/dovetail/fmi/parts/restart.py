"""An instance of an FMU that is reset for another run, rather than made anew.

All that does not depend on values is worked out once: which variables are set, by which calls, and
which are read back. What `FmuPart` does for one run is done here for one after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...core.errors import PartFailed
from ...core.signals import Signals
from ...core.values import Values, signals
from ..archive.findings import against_reset
from ..calls.access import Channel, Unfit
from ..calls.binding import shares_nothing
from ..calls.instance import CallFailed
from .part import FAILURES
from .read_back import Unreadable, believe, check_given, is_read_back

if TYPE_CHECKING:
    from ..description import FmuVariable
    from ..model import Fmu
    from .cosimulation import CoSimulation


class FmuRestart:
    """A part that is in use, and begins again with other values of the same variables."""

    def __init__(self, part: CoSimulation, given: Sequence[str]) -> None:
        model = part.model
        self.part = part
        self.first = GivenValues(part, [v for v in model.settable if v.name in given])
        self.inputs = GivenValues(part, [v for v in model.inputs if v.name in given])
        read_back = [v for v in model.settable if v.name in given and is_read_back(model, v)]
        self.read_back = GivenValues(part, read_back)
        self._given: Values = {}
        self.categories = [n for n in FAILURES if n in model.fmu.log_categories]

    def initialize(self, start: float, values: Values) -> None:
        """Back to where it was made, with these values, and into initialization."""
        part, instance, tolerance = self.part, self.part.instance, self.part.model.tolerance
        self._given = values
        part.begin_anew(start, values)
        try:
            instance.reset()
            if self.categories:
                instance.listen(self.categories)
            instance.set_up(start, tolerance)
            self.first.give(values)
            instance.enter_initialization(start, tolerance)
            self.inputs.give(values)
        except CallFailed as error:
            raise part.failure("starting anew", error) from error
        except Unfit as error:
            raise PartFailed(part.name, "starting anew", start, str(error)) from error

    def begin(self) -> None:
        """Leave initialization, and see whether the values that were given have been taken."""
        try:
            self.part.instance.exit_initialization()
        except CallFailed as error:
            raise self.part.failure("starting anew", error) from error
        if not self.read_back.has(self._given):
            check_given(self.part, self._given)


class GivenValues:
    """Some variables that are set and read together."""

    def __init__(self, part: CoSimulation, variables: Sequence[FmuVariable]) -> None:
        known = {v.name: v for v in (*part.description.inputs, *part.description.parameters)}
        self._variables, self._part = [known[v.name] for v in variables], part
        self.channels: list[Channel]
        self.channels, self._sizes = part._channels(variables)
        plain = all(v.is_real and not v.shape for v in self._variables)
        self._scalars = [v.name for v in self._variables] if plain else []

    def signals(self, values: Values) -> Signals:
        """What these values are of them."""
        if self._scalars:
            return Signals(np.array([values[name] for name in self._scalars]))
        return signals(self._variables, values)

    def put(self, values: Values) -> None:
        """Show them to the FMU, which native code asks to take them."""
        if self._variables:
            given = self.signals(values)
            for channel in self.channels:
                channel.fill(given.reals, given.discrete)

    def give(self, values: Values) -> None:
        """Set them."""
        if self._variables:
            given = self.signals(values)
            self._part._hand(self.channels, given.reals, given.discrete)

    def has(self, values: Values) -> bool:
        """Whether they are what was given, to the bit; False also where one cannot be read."""
        if not self._variables:
            return True
        reals, discrete = np.zeros(self._sizes[0]), [False] * self._sizes[1]
        given, pointer = self.signals(values), self._part.instance.pointer or 0
        try:
            for channel in self.channels:
                channel.get(pointer, believe, reals, discrete)
        except Unreadable:
            return False
        return bool(np.array_equal(reals, given.reals)) and tuple(discrete) == given.discrete


def against_restart(model: Fmu) -> str:
    """Why instances of an FMU are made anew for each run; empty if a reset may be tried."""
    if model.is_exchange or model.is_scheduled or model.may_stop_early or model.follows_curves:
        return "it does more than step"
    if model.structural or model.reported or model.tunes or model.logging:
        return "it is asked for more than values at the ends of windows"
    if model.interface.needs_tool or shares_nothing(model):
        return "one instance may leave something to the next"
    return against_reset(model.archive)
