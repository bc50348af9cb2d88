"""One use of a part on another machine, as its stand-in here asks it."""
# Over 250 lines: every request of one use, with what is asked ahead.

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from ..core.description import Description
from ..core.errors import DovetailError, PartFailed, RunError
from ..core.signals import Signals
from ..core.statistics import Effort
from ..hosts.answers import value_of
from ..hosts.failed import HostFailed
from ..hosts.frames import Ended, Garbled, TooLate
from ..hosts.life import Death, HostDied
from ..hosts.waiting import Waited
from ..subsystems.subsystem import Linearization, Reached
from .access import alert
from .asked_link import AskedLink
from .described import description_of, members_of
from .lock_step_frames import WINDOWS, Stepped, stepped_of
from .requests import FrameKind, call_bytes, key_bytes, start_bytes
from .unreachable import said

_LAST_WORDS = 5.0  # seconds for them
_CLOSED = ("closed", "ended", "broken pipe", "connection reset by peer")
_AHEAD = "linearize"  # what follows a step, where it has followed the last one
_PLACED = {"snapshot": FrameKind.SNAPSHOT, "restore": FrameKind.RESTORE}


class RemoteUse:
    """A part on another machine under its name here; it is asked as one in a host is."""

    def __init__(self, part: str, offered: str, asked: AskedLink, place: str = "") -> None:
        self.part, self.name = part, asked.wire.peer
        self.place = place  # where it can be dialled by others; empty if it dials out
        self.failure: HostFailed | None = None
        self.waited: Waited | None = None
        self._asked, self._keys = asked, 0
        asked.wire.late = self._late
        self._dropped: list[int] = []
        self.restarts = 0  # elsewhere, after its machine was lost
        self._owed = 0  # answers that say only that something was done
        self._waiting = self._wanted = False  # an answer that was asked for ahead, and whether to
        self._death: Death | None = None
        found = asked.plain(FrameKind.OPEN, {"part": offered})
        self.description, self.fingerprint, self.members = opened(found)
        self.answers_many = isinstance(found, dict) and found.get("many") is True
        self.meets = isinstance(found, dict) and found.get("meets") is True
        d = self.description
        self._ordered = [*d.inputs, *d.parameters]
        self._sizes = [
            sum(v.size for v in d.outputs if v.is_real is real) for real in (True, False)
        ]
        self._inputs = sum(v.size for v in d.inputs if v.is_real)

    def ask(self, method: str, *given: Any) -> Any:
        """What the part answers; HostDied if it does not."""
        _, *more = given
        if method == "start":
            start, values, rates = more
            return self._value(FrameKind.START, start_bytes(self._ordered, start, values, rates))
        if method in _PLACED:
            return self._placed(_PLACED[method], key_bytes(more[0]))
        name, *rest = more
        found = self._asked_ahead(name, rest)
        if not self._fits(name, rest, found):
            raise self._died(Garbled())
        return found

    def _placed(self, kind: FrameKind, payload: bytes) -> None:
        """What has no answer but that it was done: seen to before the next one is believed."""
        self._unread()
        self.tell(kind, payload)
        self._owed += 1

    def _asked_ahead(self, name: str, given: list[Any]) -> Any:
        """A call; what was wanted behind the last step is asked for behind this one as well."""
        if name == _AHEAD and self._waiting:
            self._waiting, self._wanted = False, True
            return self.hear()
        self._unread()
        self.tell(*call_bytes(name, tuple(given)))
        if name == "advance" and self._wanted:
            number = self._asked.count
            self.tell(*call_bytes(_AHEAD, ()))
            self._waiting, self._wanted = True, False
            return self._heard(value_of, number)
        self._wanted = self._wanted or name == _AHEAD
        return self.hear()

    def _unread(self) -> None:
        """An answer that was asked for ahead, and is not wanted."""
        if self._waiting:
            self._waiting = False
            with suppress(RunError, DovetailError, ArithmeticError, ValueError, RuntimeError):
                self.hear()

    def key(self) -> int:
        """A key for a new snapshot."""
        self._keys += 1
        return self._keys

    def drop(self, number: int, key: int) -> None:
        """A snapshot is needed no more."""
        self._dropped.append(key)

    def commit(self) -> None:
        """A window is completed."""

    def farewell(self, number: int) -> dict[str, Any]:
        """Close the part; what it says afterwards."""
        found: Any = {}
        if self._death is None:
            self._asked.timeout = _LAST_WORDS
            try:
                found = self._value(FrameKind.CLOSE, b"")
            except (Exception, KeyboardInterrupt):
                found = {}
            self._asked.wire.close()
            self._death = self._death or Death("its connection was closed")
        if not isinstance(found, dict):
            return {}
        kinds: dict[str, Any] = {"effort": Effort, "remarks": list | tuple}
        return {n: v for n, v in found.items() if n in kinds and isinstance(v, kinds[n])}

    def tell(self, kind: int, payload: bytes) -> None:
        """Ask, and hear the answer later; HostDied if it is gone."""
        if self._death is not None:
            raise HostDied(self._death)
        dropped, self._dropped = self._dropped, []
        try:
            if dropped:
                self._asked.tell(FrameKind.DROP, key_bytes(*dropped))
            self._asked.tell(kind, payload)
        except (Ended, TooLate) as error:
            raise self._died(error) from None

    def hear(self) -> Any:
        """The value that it answers to what it was told."""
        return self._heard(value_of)

    def stepped(self, count: int, width: int) -> Stepped:
        """What it answers to windows in lock step."""

        def read(kind: int, data: bytes) -> Stepped:
            if kind != WINDOWS:
                return Stepped(0, np.empty((0, width)), 0.0, _error_of(kind, data))
            try:
                return stepped_of(data, count, width)
            except ValueError as error:
                raise Garbled from error

        found: Stepped = self._heard(read)
        return found

    @property
    def patience(self) -> float:
        """The longest that it is waited for, in s."""
        return self._asked.timeout or 600.0

    def hurry(self, seconds: float) -> None:
        """It is not waited for any longer than this."""
        self._asked.timeout = min(self.patience, seconds)

    def forsake(self, reason: str) -> None:
        """It stands where nobody knows: nothing is asked of it any more."""
        self._death = self._death or Death(reason)
        self._asked.wire.close()

    def _value(self, kind: int, payload: bytes) -> Any:
        self._unread()
        self.tell(kind, payload)
        return self.hear()

    def _heard(self, read: Callable[[int, bytes], Any], number: int | None = None) -> Any:
        try:
            while self._owed:
                self._owed -= 1
                owed, done = self._asked.next()
                value_of(owed - FrameKind.ANSWER, done)
            answered, data = self._asked.hear(number)
            return read(answered - FrameKind.ANSWER, data)
        except (Ended, TooLate, Garbled) as error:
            raise self._died(error) from None
        except PartFailed as failed:
            failed.part = self.part
            raise
        except KeyboardInterrupt as pressed:
            if pressed.args:  # of the other side: not the user here
                raise RunError(said(pressed)) from None
            raise

    def _fits(self, method: str, given: list[Any], found: Any) -> bool:
        """Whether an answer is what it should be."""
        match method:
            case "outputs" | "event":
                return self._are_outputs(found)
            case "outputs_at":
                whole = isinstance(found, list) and len(found) == len(given[0])
                return whole and all(map(self._are_outputs, found))
            case "late_outputs":
                return found is None or self._are_outputs(found)
            case "advance":
                if not isinstance(found, Reached) or not self._are_outputs(found.outputs):
                    return False
                return bool(given[0].start <= found.time <= given[0].stop)
            case "linearize" | "relinearize":
                return isinstance(found, Linearization) and self._is_linear(found)
            case "next_event":
                return isinstance(found, float | int)
            case "coordinate":
                return isinstance(found, tuple) and bool(found)
            case "dump":
                return isinstance(found, bytes)
        return True

    def _are_outputs(self, found: Any) -> bool:
        if not isinstance(found, Signals) or found.reals.shape != (self._sizes[0],):
            return False
        rates = found.derivatives
        fits = rates is None or rates.shape == found.reals.shape
        return fits and len(found.discrete) == self._sizes[1]

    def _is_linear(self, found: Linearization) -> bool:
        n, m, k = found.x.size, self._inputs, self._sizes[0]
        wanted = {
            "A": (n, n),
            "B": (n, m),
            "C": (k, n),
            "D": (k, m),
            "dx": (n,),
            "u": (m,),
            "y": (k,),
        }
        return all(np.shape(getattr(found, name)) == shape for name, shape in wanted.items())

    def _late(self, seconds: float) -> None:
        if self.waited is not None:
            self.waited(f"'{self.part}'", self.name, seconds)

    def _died(self, error: Exception) -> HostDied:
        self._asked.wire.close()
        match error:
            case TooLate():
                reason = f"it did not answer within {self._asked.timeout or 60.0:g} s"
            case Garbled():
                reason = "it answered with what is no answer"
            case _:
                why = alert(str(error))
                reason = "the connection to it was lost"
                reason += "" if why in _CLOSED else f" ({said(why)})"
        self._death = Death(f"{reason}, at {self.name}")
        return HostDied(self._death)


def _error_of(kind: int, data: bytes) -> BaseException:
    """The failure that an answer is; Garbled if it is none."""
    try:
        value_of(kind, data)
    except Garbled:
        raise
    except Exception as error:
        return error
    raise Garbled


def opened(found: Any) -> tuple[Description, str, list[str]]:
    """Description, fingerprint and members; Garbled if they are none."""
    try:
        fingerprint = found.get("fingerprint", "")
        if not isinstance(fingerprint, str):
            raise ValueError("no fingerprint")
        members = members_of(found.get("members", []))
        return description_of(found["description"]), fingerprint, members
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Garbled from error
