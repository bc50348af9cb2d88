"""What parts made from an FMU have in common, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from ...core.description import Description
from ...core.errors import PartFailed
from ...core.signals import Discrete, Signals
from ...core.values import Values, signals
from ..archive.findings import (
    found_in_trial,
    keep_most_derivatives,
    keep_tried,
    most_derivatives,
    news,
    was_tried,
)
from ..calls.abi.types import FATAL
from ..calls.access import Channel, Unfit, channels
from ..calls.fmi3 import Fmi3
from ..calls.instance import CallFailed, Instance
from ..kernel import MAX_COLUMNS
from .occupancy import claim, release
from .read_back import check_given
from .rollback_trial import flaw_of

if TYPE_CHECKING:
    from ..description import FmuVariable
    from ..model import Fmu

_WARNINGS = 5  # of a part, where logging is off
FAILURES = ("logStatusDiscard", "logStatusError", "logStatusFatal")  # categories of the standard
_P = ParamSpec("_P")
_R = TypeVar("_R")
_S = TypeVar("_S", bound="FmuPart")


def named(
    doing: str,
) -> Callable[[Callable[Concatenate[_S, _P], _R]], Callable[Concatenate[_S, _P], _R]]:
    """A failed call comes out under the name of the part."""

    def wrap(method: Callable[Concatenate[_S, _P], _R]) -> Callable[Concatenate[_S, _P], _R]:
        @wraps(method)
        def wrapped(self: _S, /, *arguments: _P.args, **named: _P.kwargs) -> _R:
            if self.broken is not None:
                raise self.broken
            try:
                return method(self, *arguments, **named)
            except CallFailed as error:
                raise self.failure(doing, error) from error
            except Unfit as error:
                raise PartFailed(self.name, doing, self._time, str(error)) from error

        return wrapped

    return wrap


class FmuPart:
    """One instance of an FMU: its start, its variables, its failures, its end."""

    def __init__(self, name: str, model: Fmu, instance: Instance) -> None:
        self.name, self.model, self.instance = name, model, instance
        self.description: Description = model.description
        self._inputs, self._in_sizes = self._channels(model.inputs)
        self._outputs, self._out_sizes = self._channels(model.outputs)
        self._claimed, self._time = False, 0.0
        self.refused = 0  # the order of input derivatives that it did not take
        self.refused_until = 0.0  # the end of that window, and half of one more
        self._start_values: Values = {}
        self.remarks: list[str] = []  # what a user should know of how it ran
        self.broken: PartFailed | None = None  # what ended it: nothing is called any more
        found = self.description.capabilities.against_rollback
        self.saves = model.interface.can_get_and_set_state and not found

    def close(self) -> None:
        """Terminate and free the instance."""
        self.instance.close()
        if self.instance.end_failed:
            self.remarks.append(f"failed while terminating: {self.instance.end_failed}")
            self.instance.end_failed = ""
        if self._claimed:
            release(self.instance.library.loaded.origin)
            self._claimed = False

    @property
    def log_messages(self) -> list[tuple[str, str]]:
        """Its messages, if they were asked for; else its warnings, each once and the first few."""
        messages = self.instance.log.take()
        if not self.model.logging:
            messages = list(dict.fromkeys(m for m in messages if m.startswith("[Warning")))
            more = len(messages) - _WARNINGS
            if more > 0:
                messages[_WARNINGS:] = [
                    f"and {more} warnings more; dv.load(..., logging=True) lists all"
                ]
        return [("", line) for line in messages]

    def real_references(self) -> tuple[Any, Any]:
        """Value references of real inputs and outputs, for the kernel."""
        none = np.zeros(0, dtype=np.uint32)
        found = [
            next((c.references for c in channels if c.kind == "Float64"), none)
            for channels in (self._inputs, self._outputs)
        ]
        return found[0], found[1]

    def failure(self, doing: str, error: CallFailed, time: float | None = None) -> PartFailed:
        """A failed call as a failure of this part; after Fatal it is the last one."""
        at = self._time if time is None else time
        found = PartFailed(self.name, doing, at, str(error))
        if self.refused and at <= self.refused_until and error.status != FATAL:
            keep_most_derivatives(self.model.archive, self.refused - 1)
            again = f"a further run gives it no input derivatives of order {self.refused}"
            found = PartFailed(self.name, doing, at, f"{error}; {again}, which it refuses")
            found.learned = news(self.model.archive, derivatives=self.refused - 1)
        if error.status == FATAL:
            self.broken = found
        return found

    def try_state(self) -> None:
        """Before its state is saved for the first time: whether its library survives that."""
        archive = self.model.archive
        if not self.saves or self.model.interface.needs_tool:
            return
        if was_tried(archive):
            flaw = found_in_trial(archive)  # by another instance, since this one is there
        else:
            keep_tried(archive)
            flaw = flaw_of(self.instance)
        if not flaw:
            return
        self.model.doubt_rollback(flaw)
        reason = f"{flaw}; a further run does not ask it to"
        found = PartFailed(self.name, "saving its state", self._time, reason)
        found.learned = news(archive, rollback=flaw)
        raise found

    def note_refusal(self, order: int, until: float) -> None:
        """It does not take derivatives of inputs of this order, though it says so."""
        self.refused, self.refused_until = order, until
        self._say_refusal(order)

    def _say_refusal(self, order: int) -> None:
        follow = "are held" if order == 1 else f"follow derivatives up to order {order - 1}"
        self.remarks.append(
            f"refuses input derivatives of order {order}, which it says it takes: its inputs "
            f"{follow} over a window"
        )

    @property
    def _takes_derivatives(self) -> bool:
        return self.model.interface.can_interpolate_inputs and not self.model.is_exchange

    @cached_property
    def most_derivatives(self) -> int:
        """The highest order of input derivatives that it is given."""
        known = most_derivatives(self.model.archive)
        return MAX_COLUMNS - 1 if known is None else known

    def _memory(self) -> Any:
        """What it knows besides what the FMU's own state holds; part of every snapshot."""
        return None

    def _remember(self, memory: Any) -> None:
        """Know again what it knew then."""

    def _begin_life(self, start: float, values: Values) -> None:
        """Instantiate, set what was given, enter initialization."""
        self._time, self._start_values = start, values
        self.instance.time = start
        model, instance = self.model, self.instance
        claim(model, instance.library.loaded.origin)
        if (most := self.most_derivatives) < MAX_COLUMNS - 1 and self._takes_derivatives:
            self._say_refusal(most + 1)  # it was seen in an earlier run
        self._claimed = True
        self._instantiate()
        known = model.fmu.log_categories
        if not isinstance(model.logging, bool):
            instance.listen(model.logging)
        elif not model.logging:
            instance.listen([name for name in FAILURES if name in known])
        if model.structural and isinstance(instance, Fmi3):
            chosen = [v for v in model.fmu.variables if v.name in model.structural]
            instance.configure(lambda: self._set(chosen, model.structural_values))
        instance.set_up(start, model.tolerance)  # first: some FMUs forget then what was set
        self._give(model.settable, values)
        instance.enter_initialization(start, model.tolerance)
        self._give(model.inputs, values)

    def _leave_initialization(self) -> None:
        """Leave it, and see whether the values that were given have been taken."""
        self.instance.exit_initialization()
        check_given(self, self._start_values)

    def _instantiate(self) -> None:
        model = self.model
        self.instance.instantiate(model.token, model.resources, logging=model.logging is True)

    def _channels(
        self,
        variables: Sequence[FmuVariable],
        clocks: tuple[str, ...] = (),
        wanted: Callable[[FmuVariable], bool] = lambda v: True,
    ) -> tuple[list[Channel], tuple[int, int]]:
        """One channel per FMI type, in the order of the signals; of the wanted ones only."""
        return channels(self.instance, variables, self.model.size_of, clocks, wanted)

    def _set(self, variables: Sequence[FmuVariable], values: Sequence[Signals]) -> None:
        """Set variables once, before initialization."""
        made, _ = self._channels(variables)
        given = Signals.join(values)
        self._hand(made, given.reals, given.discrete)

    def _give(self, variables: Sequence[FmuVariable], values: Values) -> None:
        """Set those of some variables that were given a value."""
        given = [v for v in variables if v.name in values]
        self._set(given, [self.given_signal(v, values) for v in given])

    def given_signal(self, variable: FmuVariable, values: Values) -> Signals:
        """A value that was given for one variable."""
        return signal_of(self.description, variable.name, values)

    def give_parameters(self, values: Values) -> None:
        """Set parameters, wherever the FMU stands."""
        self._give(self.model.settable, values)

    def _hand(self, channels: Sequence[Channel], reals: Any, discrete: Sequence[Discrete]) -> None:
        for channel in channels:
            channel.set(self.instance.pointer or 0, self.instance.check, reals, discrete)

    def _got(self) -> Signals:
        """The outputs, as they are."""
        self.instance.ready()
        reals, discrete = np.zeros(self._out_sizes[0]), [False] * self._out_sizes[1]
        for channel in self._outputs:
            channel.get(self.instance.pointer or 0, self.instance.check, reals, discrete)
        return Signals(reals, None, tuple(discrete))


def signal_of(description: Description, name: str, values: Mapping[str, Any]) -> Signals:
    """A value that was given for one variable."""
    known = (*description.parameters, *description.inputs)
    return signals([next(v for v in known if v.name == name)], values)
