"""An instance of an FMU that is reset for another run, rather than made anew.

All that does not depend on values is worked out once: which variables are set, by which calls, and
which are read back. What `FmuPart` does for one run is done here for one after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...core.errors import PartFailed
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
        self._part = part
        self._first = _Group(part, [v for v in model.settable if v.name in given])
        self._inputs = _Group(part, [v for v in model.inputs if v.name in given])
        read_back = [v for v in model.settable if v.name in given and is_read_back(model, v)]
        self._read_back = _Group(part, read_back)
        self._given: Values = {}
        self._categories = [n for n in FAILURES if n in model.fmu.log_categories]

    def initialize(self, start: float, values: Values) -> None:
        """Back to where it was made, with these values, and into initialization."""
        part, instance, tolerance = self._part, self._part.instance, self._part.model.tolerance
        self._given = values
        part.begin_anew(start, values)
        try:
            instance.reset()
            if self._categories:
                instance.listen(self._categories)
            instance.set_up(start, tolerance)
            self._first.give(values)
            instance.enter_initialization(start, tolerance)
            self._inputs.give(values)
        except CallFailed as error:
            raise part.failure("starting anew", error) from error
        except Unfit as error:
            raise PartFailed(part.name, "starting anew", start, str(error)) from error

    def begin(self) -> None:
        """Leave initialization, and see whether the values that were given have been taken."""
        try:
            self._part.instance.exit_initialization()
        except CallFailed as error:
            raise self._part.failure("starting anew", error) from error
        if not self._read_back.has(self._given):
            check_given(self._part, self._given)


class _Group:
    """Some variables that are set and read together."""

    def __init__(self, part: CoSimulation, variables: Sequence[FmuVariable]) -> None:
        known = {v.name: v for v in (*part.description.inputs, *part.description.parameters)}
        self._variables, self._part = [known[v.name] for v in variables], part
        self._channels: list[Channel]
        self._channels, self._sizes = part._channels(variables)

    def give(self, values: Values) -> None:
        """Set them."""
        if self._variables:
            given = signals(self._variables, values)
            self._part._hand(self._channels, given.reals, given.discrete)

    def has(self, values: Values) -> bool:
        """Whether they are what was given, to the bit; False also where one cannot be read."""
        if not self._variables:
            return True
        reals, discrete = np.zeros(self._sizes[0]), [False] * self._sizes[1]
        given, pointer = signals(self._variables, values), self._part.instance.pointer or 0
        try:
            for channel in self._channels:
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
