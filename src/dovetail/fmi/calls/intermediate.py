"""Inputs that an FMU of FMI 3 asks for inside a step, and what it shows there."""

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.signals import Waveform
from ..kernel import address, kernel
from .abi import fmi3 as abi
from .abi.types import WARNING, worst

if TYPE_CHECKING:
    from ..description import FmuInterface, FmuVariable
    from ..parts.reporting import Reporter
    from .instance import Instance


def can_follow(interface: FmuInterface, inputs: Sequence[FmuVariable]) -> bool:
    """Whether all real inputs can be asked for inside a step, so that they may follow curves."""
    reals = [v for v in inputs if v.type in ("Float64", "Float32")]
    return (
        interface.provides_intermediate_update
        and bool(reals)
        and all(
            v.type == "Float64"
            and v.variability == "continuous"
            and v.intermediate_update
            and not v.clocks
            for v in reals
        )
    )


class InputFollower:
    """Answers an instance that asks for its inputs inside a step, from their curves.

    With the native kernel the answer is given there; without it, or where values inside steps
    are kept, by a Python callback. An FMU whose inputs are held is left with what it has.
    """

    def __init__(
        self, instance: Instance, references: Any, size: int, reporter: Reporter | None = None
    ) -> None:
        self._instance, self.references, self._size = instance, references, size
        self._reporter, self._native = reporter, reporter is None and kernel() is not None
        shown = () if reporter is None else reporter.references
        self.required = np.unique(np.append(references, shown)).astype(np.uint32)
        self._values = np.zeros(size)
        self._course: tuple[Waveform, float] | None = None
        self._status = 0
        self._coefficients = np.zeros((0, 1))
        self.callback: Any = (
            c.cast(address("dt_intermediate"), abi.IntermediateUpdate)
            if self._native
            else abi.IntermediateUpdate(self._asked)
        )

    def bind(self) -> None:
        """The instance is there."""
        library, references = self._instance.library, self.references
        if self._native:
            kernel().dt_follow(
                self._instance.log.environment,
                library.address("fmi3SetFloat64"),
                self._instance.pointer,
                references.ctypes.data,
                references.size,
                self._values.ctypes.data,
                self._size,
            )

    def along(self, inputs: Waveform, start: float) -> None:
        """What the inputs do in the step that comes."""
        self._course, self._status = (inputs, start), 0
        if self._reporter is not None:
            self._reporter.begin()
        if self._native:
            self._coefficients = np.ascontiguousarray(inputs.coefficients)
            where, columns = self._coefficients.ctypes.data, self._coefficients.shape[1]
            kernel().dt_course(self._instance.log.environment, where, columns, start)

    def end(self, start: float, reached: float) -> None:
        """A step ended; raise if the FMU refused what it had asked for."""
        if self._native:
            self._status = kernel().dt_followed(self._instance.log.environment)
        if self._status > WARNING:
            self._instance.check(self._status, "fmi3SetFloat64 inside a step")
        if self._reporter is not None:
            self._reporter.end(start, reached)

    def _asked(
        self,
        environment: Any,
        time: float,
        wanted: bool,
        readable: bool,
        finished: bool,
        can_return: bool,
        requested: Any,
        when: Any,
    ) -> None:
        if requested:
            requested[0] = False
        if readable and finished and self._reporter is not None:
            self._reporter.read(time)
        if not (wanted and self._size) or self._course is None or self._course[0].order == 0:
            return
        inputs, start = self._course
        self._values[:] = inputs.reals(time - start)
        refs, values = self.references, self._values
        arguments = refs.ctypes.data, refs.size, values.ctypes.data, values.size
        set_reals = self._instance.library.fmi3SetFloat64
        self._status = worst(self._status, set_reals(self._instance.pointer, *arguments))
