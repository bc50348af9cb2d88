"""One instance of an FMU: the life and the calls that all versions have in common."""
# Over 250 lines: one life, from the first call to the last.

from __future__ import annotations

import ctypes as c
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from weakref import WeakSet

import numpy as np

from ...core.errors import RunError
from ...core.signals import Vector
from .abi.types import DISCARD, ERROR, FATAL, OK, STATUS, WARNING
from .library import Library
from .loading import give_back
from .log import Log

_SHOWN, _LONGEST = 3, 500  # log messages in an error, and letters of each
MISSING = "is not exported by the binary"


class CallFailed(RunError):
    """A function of an FMU did not return OK. `outcome` says what it did instead."""

    def __init__(
        self, function: str, status: int, messages: Sequence[str], outcome: str = ""
    ) -> None:
        super().__init__()
        self.function, self.status, self.messages = function, status, tuple(messages)
        label = STATUS[status] if 0 <= status < len(STATUS) else str(status)
        self.outcome = outcome or f"returned {label}"

    def __str__(self) -> str:
        logged = [m for m in self.messages if not m.startswith("[OK")][-_SHOWN:]
        logged = [m if len(m) <= _LONGEST else f"{m[:_LONGEST]}..." for m in logged]
        log = f": {' | '.join(logged)}" if logged else " nothing about it"
        hint = "; a smaller window may help" if self.status == DISCARD else ""
        return f"{self.function} {self.outcome}{hint}; the FMU logged{log}"


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """How a step ended: where, and whether the FMU asks to stop."""

    time: float
    early: bool = False
    terminate: bool = False
    event: bool = False


class Snapshot:
    """A saved state of an instance; freed with its last reference."""

    __slots__ = ("_instance", "pointer", "time")

    def __init__(self, instance: Instance, pointer: int) -> None:
        self._instance, self.pointer, self.time = instance, pointer, instance.time
        instance.states[pointer] = self.time

    def __del__(self) -> None:
        self._instance.free_state(self.pointer)


_ALIVE: dict[str, WeakSet[Instance]] = {}  # instances by library


class Instance:
    """One live instance. Subclasses name the calls of each version.

    After Fatal nothing is called any more, in no instance of the library; after Error only
    what frees it or brings it back to a saved state.
    """

    version: ClassVar[int]
    prefix: ClassVar[str]
    state_word: ClassVar[str] = "FMUstate"

    def __init__(self, name: str, library: Library) -> None:
        self.name, self.library = name, library
        self.log = Log(name, self.version)
        self.pointer: int | None = None
        self.running = False  # between the end of initialization and terminate
        self.failed = OK
        self.end_failed = ""  # what became of the last call, if it failed
        self.time = 0.0  # where it stands, as far as it was stepped from here
        self.states: dict[int, float] = {}  # saved and not given back yet, and where that was
        self._borrows = True  # its library
        self._heard: tuple[Sequence[str], Any] | None = None  # categories of messages

    def check(self, status: int, function: str) -> None:
        """Raise unless a call went well; a warning is no error."""
        if status in (OK, WARNING):
            return
        self.note_failure(status)
        raise CallFailed(function, status, self.log.take())

    def note_failure(self, status: int) -> None:
        """Remember a failure that was met elsewhere."""
        self.failed = max(self.failed, status if status in (ERROR, FATAL) else OK)
        if status == FATAL:  # it speaks for all of them
            for other in _ALIVE.get(str(self.library.path), ()):
                other.failed = FATAL

    def made(self, pointer: int | None, function: str) -> None:
        """Take over a pointer from the FMU, if it is one."""
        if not pointer:
            raise CallFailed(function, ERROR, self.log.take(), "made no instance")
        self.pointer = pointer
        _ALIVE.setdefault(str(self.library.path), WeakSet()).add(self)

    def call(self, suffix: str, *arguments: Any) -> None:
        """Call a function by the part of its name behind the prefix."""
        name = self.prefix + suffix
        function = getattr(self.library, name)
        if function is None:
            raise CallFailed(name, ERROR, (), MISSING)
        self.check(function(self.pointer, *arguments), name)

    # the life of an instance; each version says how ----------------------------------------------

    def instantiate(self, token: str, resources: str | None, *, logging: bool) -> None:
        """Make it live."""
        raise NotImplementedError

    def listen(self, categories: Sequence[str]) -> None:
        """Ask for the messages of these categories; an FMU that refuses just stays silent."""
        function = getattr(self.library, self.prefix + "SetDebugLogging")
        if categories and function is not None and self.version > 1:
            if self._heard is None or self._heard[0] != categories:
                made = (c.c_char_p * len(categories))(*(name.encode() for name in categories))
                self._heard = categories, made
            function(self.pointer, 1, len(categories), c.addressof(self._heard[1]))

    def set_up(self, start: float, tolerance: float | None) -> None:
        """Say what will be run, where a version says it before start values are set."""

    def enter_initialization(self, start: float, tolerance: float | None) -> None:
        """Begin the search for consistent start values."""
        raise NotImplementedError

    def ready(self) -> None:
        """Inputs are set, and values are to be read: FMI 1 initializes only now."""

    def exit_initialization(self) -> None:
        """End it; from here on the instance steps."""
        raise NotImplementedError

    def step(self, time: float, size: float) -> StepOutcome:
        """Step from `time` by `size`.

        It is told whether it may have to go back to before `time`: whether a state from there is
        kept. To where the step begins it may have to go back in any case.
        """
        earlier = time - 1e-9 * size
        back = any(kept < earlier for kept in self.states.values())
        stepped = self.do_step(time, size, going_back=back)
        self.time = stepped.time
        return stepped

    def do_step(self, time: float, size: float, *, going_back: bool) -> StepOutcome:
        """The call; `going_back`: to before `time`."""
        raise NotImplementedError

    def close(self) -> None:
        """Terminate and free, as far as the standard allows after what happened."""
        if self.pointer is not None:
            try:
                if self.running and self.failed == OK:
                    self.call(self.terminate_word)
            except CallFailed as error:
                self.end_failed = str(error)  # it goes anyway
            for state in tuple(self.states):
                self.free_state(state)
            if self.failed != FATAL:
                getattr(self.library, self.prefix + self.free_word)(self.pointer)
            self.pointer, self.running = None, False
        self.log.close()
        if self._borrows:
            self._borrows = False
            give_back(self.library.loaded, cleanly=self.failed != FATAL)

    def reset(self) -> None:
        """Back to where it was when it was made, for another run."""
        if self.running:
            self.call(self.terminate_word)
        for state in tuple(self.states):
            self.free_state(state)
        self.call(self.reset_word)
        self.running, self.time = False, 0.0

    terminate_word: ClassVar[str] = "Terminate"
    reset_word: ClassVar[str] = "Reset"
    free_word: ClassVar[str] = "FreeInstance"

    # states ---------------------------------------------------------------------------------------

    def snapshot(self) -> Any:
        """The present state, to be given to `restore`."""
        state = c.c_void_p()
        self.call(f"Get{self.state_word}", c.byref(state))
        return Snapshot(self, state.value or 0)

    def restore(self, snapshot: Any) -> None:
        """Back to a state taken earlier."""
        self.call(f"Set{self.state_word}", snapshot.pointer)
        self.time = snapshot.time
        if self.failed == ERROR:
            self.failed = OK  # the standard's way out of an error

    def free_state(self, pointer: int) -> None:
        """Free a state, while the instance still exists."""
        known = pointer in self.states
        self.states.pop(pointer, None)
        function = getattr(self.library, f"{self.prefix}Free{self.state_word}")
        if known and self.pointer is not None and self.failed != FATAL and pointer and function:
            function(self.pointer, c.byref(c.c_void_p(pointer)))

    def dump(self) -> bytes:
        """The present state as bytes."""
        state, size = self.snapshot(), c.c_size_t()
        self.call(f"Serialized{self.state_word}Size", state.pointer, c.byref(size))
        buffer = c.create_string_buffer(max(size.value, 1))
        self.call(f"Serialize{self.state_word}", state.pointer, c.addressof(buffer), size.value)
        return buffer.raw[: size.value]

    def load(self, data: bytes) -> None:
        """Take over a state that was dumped."""
        state, buffer = c.c_void_p(), c.create_string_buffer(data, max(len(data), 1))
        where = c.addressof(buffer)
        self.call(f"{self.deserialize_word}{self.state_word}", where, len(data), c.byref(state))
        self.restore(Snapshot(self, state.value or 0))

    deserialize_word: ClassVar[str] = "DeSerialize"

    # derivatives ----------------------------------------------------------------------------------

    def directional(self, unknowns: Any, knowns: Any, seed: Vector, *, size: int) -> Vector:
        """d unknowns / d knowns times the seed, where the last step ended; so many values."""
        raise NotImplementedError

    def set_input_derivatives(self, references: Any, order: int, values: Vector) -> None:
        """Time derivatives of inputs at the start of the next step."""
        orders = np.full(len(references), order, dtype=np.int32)
        v, r = np.ascontiguousarray(values), references
        arguments = r.ctypes.data, len(r), orders.ctypes.data, v.ctypes.data
        self.call("SetRealInputDerivatives", *arguments)

    def output_derivatives(self, references: Any, order: int = 1) -> Vector:
        """Time derivatives of outputs at the end of the last step."""
        orders, values = np.full(len(references), order, np.int32), np.zeros(len(references))
        arguments = (references.ctypes.data, len(references), orders.ctypes.data)
        self.call("GetRealOutputDerivatives", *arguments, values.ctypes.data)
        return values
