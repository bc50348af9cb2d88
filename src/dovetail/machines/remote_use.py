"""One use of a part on another machine, as its stand-in here asks it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ..core.description import Description
from ..core.errors import PartFailed, RunError
from ..core.signals import Signals
from ..core.statistics import Effort
from ..hosts.answers import value_of
from ..hosts.failed import HostFailed
from ..hosts.frames import Ended, Garbled, TooLate
from ..hosts.life import Death, HostDied
from ..subsystems.subsystem import Linearization, Reached
from .access import alert
from .described import description_of, members_of
from .greeting import json_of
from .requests import FrameKind, call_bytes, key_bytes, start_bytes
from .unreachable import said
from .wire import FrameLink

_LAST_WORDS = 5.0  # seconds for them
_PLACED = {"snapshot": FrameKind.SNAPSHOT, "restore": FrameKind.RESTORE}


class Asked:
    """A connection on which one asks, and the other answers."""

    def __init__(self, wire: FrameLink, timeout: float | None) -> None:
        self.wire, self.timeout, self._count = wire, timeout, 0

    def plain(self, kind: FrameKind, given: Any) -> Any:
        """Ask in plain JSON, and be answered so; what went wrong there is raised."""
        answered, data = self.ask(kind, json.dumps(given).encode())
        if answered == FrameKind.PLAIN:
            return json_of(data)
        value_of(answered - FrameKind.ANSWER, data)
        raise Garbled

    def ask(self, kind: int, payload: bytes) -> tuple[int, bytes]:
        """One request, and its answer."""
        self._count += 1
        self.wire.send(kind, self._count, payload)
        return self.wire.answer(self._count, self.timeout)

    def tell(self, kind: int, payload: bytes) -> None:
        """A request that has no answer."""
        self._count += 1
        self.wire.send(kind, self._count, payload)


class RemoteUse:
    """A part on another machine under its name here; it is asked as one in a host is."""

    def __init__(self, part: str, offered: str, asked: Asked) -> None:
        self.part, self.name = part, asked.wire.peer
        self.failure: HostFailed | None = None
        self._asked, self._keys = asked, 0
        self._dropped: list[int] = []
        self._death: Death | None = None
        found = asked.plain(FrameKind.OPEN, {"part": offered})
        self.description, self.fingerprint, self.members = opened(found)
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
            return self._value(_PLACED[method], key_bytes(more[0]))
        name, *rest = more
        found = self._value(*call_bytes(name, tuple(rest)))
        if not self._fits(name, rest, found):
            raise self._died(Garbled())
        return found

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

    def _value(self, kind: int, payload: bytes) -> Any:
        if self._death is not None:
            raise HostDied(self._death)
        dropped, self._dropped = self._dropped, []
        try:
            if dropped:
                self._asked.tell(FrameKind.DROP, key_bytes(*dropped))
            answered, data = self._asked.ask(kind, payload)
            return value_of(answered - FrameKind.ANSWER, data)
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
                reason += "" if why in ("closed", "ended") else f" ({said(why)})"
        self._death = Death(f"{reason}, at {self.name}")
        return HostDied(self._death)


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
