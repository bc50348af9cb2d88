"""Whole runs of FMUs that are reset between them, each in one native call."""

from __future__ import annotations

import ctypes as c
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.signals import Signals
from ...core.values import Values
from ...subsystems.whole_runs import Made, RunOutline
from ..calls.abi.types import WARNING
from ..calls.access import Channel
from ..kernel import NativeMember, NativeStretch, fields_of, kernel
from ..parts.restart import FmuRestart, GivenValues

if TYPE_CHECKING:
    from .batch import FmuBatch

_ENDS: tuple[Made, ...] = ("made", "out of the ordinary", "not so")
_LOOSE = ("String", "Binary")  # the FMU is shown where these are


class NativeAccess(c.Structure):
    """Variables that are set or read by one call; the same order as `dt_access` in again.c."""

    _fields_ = (
        *fields_of("function refs", c.c_void_p),
        *fields_of("n_refs n", c.c_size_t),
        *fields_of("values given", c.c_void_p),
        ("bytes", c.c_int64),
    )


class NativeRestart(c.Structure):
    """How a member begins anew; the same order as `dt_restart` in again.c."""

    _fields_ = (
        *fields_of("terminate reset listen set_up enter leave", c.c_void_p),
        *fields_of("categories log first inputs kept", c.c_void_p),
        ("tolerance", c.c_double),
        *fields_of("n_categories n_first n_inputs n_kept", c.c_int32),
        *fields_of("knows_tolerance running status padding", c.c_int32),
    )


class NativeRuns(c.Structure):
    """Runs that differ in values; the same order as `dt_runs` in again.c."""

    _fields_ = (
        *fields_of("batch memory restarts fresh turns blank", c.c_void_p),
        *fields_of("tried stretches lines", c.c_void_p),
        ("start", c.c_double),
        *fields_of("n_turns n_stretches windows evaluations held", c.c_int64),
    )


class NativeWholeRuns:
    """Runs of one batch whose members are reset, for an outline; made by `whole_runs`."""

    def __init__(
        self, batch: FmuBatch, outline: RunOutline, restarts: Sequence[FmuRestart], memory: Any
    ) -> None:
        self.windows = self.evaluations = 0
        self._batch, self._restarts = batch, restarts
        self._instances = [restart.part.instance for restart in restarts]
        self._last: list[Values | None] = [None] * len(restarts)
        self._members = (NativeRestart * len(restarts))()
        self._kept = [_Kept(restart.read_back) for restart in restarts]
        stretches = (NativeStretch * len(outline.stretches))()
        width = outline.lines.strides[0] // outline.lines.itemsize
        for native, s in zip(stretches, outline.stretches, strict=True):
            first = s.first
            ends = first.start, first.size, first.stop
            native.start, native.size, native.stop = ends
            native.line, native.count, native.width = s.line, s.count, width
        turns = np.array(outline.turns, dtype=np.int32)
        blank = np.array(outline.blank, dtype=np.float64)
        tried = np.zeros(outline.memory.inputs.size + 1)
        fresh = (NativeMember * len(restarts)).from_buffer_copy(batch.bound)
        self._alive: list[Any] = [stretches, turns, blank, tried, fresh, outline, memory]
        for native, restart, kept in zip(self._members, restarts, self._kept, strict=True):
            self._bind(native, restart, kept)
        self._runs = NativeRuns(
            batch.handle,
            c.addressof(memory),
            c.addressof(self._members),
            c.addressof(fresh),
            turns.ctypes.data,
            blank.ctypes.data,
            tried.ctypes.data,
            c.addressof(stretches),
            outline.lines.ctypes.data,
            outline.start,
            turns.size,
            len(outline.stretches),
            0,
            0,
            int(outline.held),
        )
        self._where, self._again = c.byref(self._runs), batch.kernel.dt_again

    def run(self, values: Mapping[str, Values], held: Signals | None) -> Made:
        """The run with these values; `held`: of inputs that nothing feeds, where they are new."""
        if held is not None:
            self._batch.hold(held)
        for k, restart in enumerate(self._restarts):
            given = values.get(restart.part.name, {})
            if given is not self._last[k]:
                self._last[k] = given
                restart.first.put(given)
                restart.inputs.put(given)
                self._kept[k].put(given)
        found: Made = _ENDS[self._again(self._where)]
        if found != "made":
            self._take_note()
        self.windows, self.evaluations = self._runs.windows, self._runs.evaluations
        return found

    def _take_note(self) -> None:
        """What instances have come to, for those who go on with them or end them."""
        for native, instance in zip(self._members, self._instances, strict=True):
            instance.running = bool(native.running)
            if native.status > WARNING or native.status < 0:
                instance.note_failure(native.status)
        self._batch.note_failure()

    def _bind(self, native: Any, restart: FmuRestart, kept: _Kept) -> None:
        part, instance = restart.part, restart.part.instance
        library, prefix = instance.library, instance.prefix
        native.terminate = library.address(prefix + instance.terminate_word)
        native.reset = library.address(prefix + instance.reset_word)
        enter = "InitializeSlave" if instance.version == 1 else "EnterInitializationMode"
        native.enter = library.address(prefix + enter)
        if instance.version > 1:
            native.listen = library.address(prefix + "SetDebugLogging")
            native.leave = library.address(prefix + "ExitInitializationMode")
        if instance.version == 2:
            native.set_up = library.address(prefix + "SetupExperiment")
        names = [name.encode() for name in restart.categories]
        categories = (c.c_char_p * len(names))(*names)
        self._alive.append(categories)
        native.categories, native.n_categories = c.addressof(categories), len(names)
        native.log = instance.log.environment
        tolerance = part.model.tolerance
        native.tolerance, native.knows_tolerance = tolerance or 0.0, tolerance is not None
        native.running = instance.running
        native.first, native.n_first = self._accesses(library, restart.first)
        native.inputs, native.n_inputs = self._accesses(library, restart.inputs)
        native.kept, native.n_kept = self._accesses(library, restart.read_back, kept)

    def _accesses(
        self, library: Any, group: GivenValues, kept: _Kept | None = None
    ) -> tuple[int, int]:
        """Where the calls are that set these variables, or read them; and how many."""
        made = (NativeAccess * len(group.channels))()
        self._alive.append(made)
        for k, (native, channel) in enumerate(zip(made, group.channels, strict=True)):
            native.refs, native.n_refs, native.values, native.n = channel.shown
            name = channel.setter if kept is None else channel.getter
            native.function = library.address(name)
            if kept is not None:
                native.given, native.bytes = kept.where(k)
        return c.addressof(made), len(made)


class _Kept:
    """What values are to be that are read back, channel by channel."""

    def __init__(self, group: GivenValues) -> None:
        self._group = group
        self._wanted: list[Any] = [
            np.zeros(channel.shown[3]) if channel.is_real else bytearray(channel.room)
            for channel in group.channels
        ]

    def where(self, k: int) -> tuple[int, int]:
        """Where they are, and how many bytes; none of doubles."""
        wanted = self._wanted[k]
        if isinstance(wanted, bytearray):
            return c.addressof(c.c_char.from_buffer(wanted)) if wanted else 0, len(wanted)
        return wanted.ctypes.data, 0

    def put(self, values: Values) -> None:
        """They are these."""
        if not self._wanted:
            return
        given = self._group.signals(values)
        for wanted, channel in zip(self._wanted, self._group.channels, strict=True):
            if channel.is_real:
                wanted[:] = given.reals[channel.places]
            else:
                wanted[:] = channel.raw(given.discrete)


def whole_runs(
    batch: FmuBatch, outline: RunOutline, restarts: Sequence[Any], memory: Any
) -> NativeWholeRuns | None:
    """Such runs of a batch that was renewed; None where one of its members is shown its values in
    another way."""
    if not _is_known() or not all(isinstance(restart, FmuRestart) for restart in restarts):
        return None
    given = [channel for r in restarts for channel in (*r.first.channels, *r.inputs.channels)]
    if any(_is_loose(channel) for channel in given) or not outline.stretches:
        return None
    return NativeWholeRuns(batch, outline, restarts, memory)


@cache
def _is_known() -> bool:
    """Whether Python and the kernel mean the same structures."""
    sizes = [c.sizeof(kind) for kind in (NativeAccess, NativeRestart, NativeRuns)]
    known: int = kernel().dt_again_layout()
    if known != sum(size * 1000**k for k, size in enumerate(sizes)):
        raise ImportError("the native kernel belongs to another version; reinstall Dovetail")
    return True


def _is_loose(channel: Channel) -> bool:
    """Whether what the FMU is shown is not as plain as the numbers that it means."""
    return channel.kind in (*_LOOSE, "Float32") or channel.factors is not None
