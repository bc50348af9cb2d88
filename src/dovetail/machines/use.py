"""One use of a part that is offered: a host of its own, behind what is published."""
# Over 250 lines: every request that may come, and what it may tell.

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

from ..core import codec
from ..core.errors import DovetailError, InputError, PartFailed, RunError
from ..core.window import Window
from ..hosts.answers import answer, failure, value_of
from ..hosts.failed import HostFailed
from ..hosts.host import Host
from ..hosts.members import MEMBERS
from ..hosts.placement import HostOptions
from ..hosts.proxy import Hosted
from ..hosts.stand_in import hosted
from ..subsystems.foreign import SupportsForeignCode
from ..subsystems.subsystem import Linearization
from .lock_step_frames import windows_bytes
from .meeting import ALONE, Beside, Meeting
from .offer import PartOffer
from .publication import NotPublished
from .requests import FrameKind, called, keys_of, started

_ALWAYS = {
    *("late_outputs", "next_event", "switches", "event", "update", "ending", "tune", "effort"),
    "coordinate",
    *("snapshot", "restore", "checks_rollback", "doubt_rollback"),
}
_ANY_TIME = ("checks_rollback", "effort", "remarks", "log_messages", "reports")
_DOING: dict[int, str] = {  # what a part was asked for, where it is not said what it was doing
    FrameKind.START: "starting",
    FrameKind.BEGIN: "starting",
    FrameKind.OUTPUTS: "giving its outputs",
    FrameKind.ADVANCE: "advancing",
}
_MOST_KEPT = 256  # snapshots of one use
_MOST_AT_ONCE = 10_000  # inputs in one question
_LONGEST = 1000  # letters of a reason
Answer = tuple[int, bytes]


def _in_host(offer: PartOffer, options: HostOptions) -> tuple[Hosted, Callable[[], None]]:
    """The part in a process of its own, and how that is ended."""
    model = offer.model
    folders = model.folders() if isinstance(model, SupportsForeignCode) else ()
    host = Host(offer.name, options, tuple(folders) if options.sandbox else ())
    try:
        return hosted(offer.name, offer.model, host), host.close
    except BaseException:
        host.close()
        raise


class Use:
    """One part in use. Requests come in, answers go out; nothing unpublished in either."""

    def __init__(self, offer: PartOffer, options: HostOptions, beside: Beside = ALONE) -> None:
        self._offer, self._veil, self._stage = offer, offer.veil, "made"
        self._part: Any
        self._part, self._end = _in_host(offer, options)
        self._kept: dict[int, Any] = {}
        self._meeting: Meeting | None = None
        if beside.meets and not options.sandbox:  # which lets no connection through
            self._meeting = Meeting(self._part, self._veil, beside.tickets, tls=beside.tls)
        self._matrices: Linearization | None = None
        shown = offer.publication
        allowed = set(_ALWAYS)
        allowed |= {"linearize"} if shown.linearization else set()
        allowed |= {"relinearize"} if shown.linearization and self._veil.names.is_whole else set()
        allowed |= {"dump", "load"} if shown.state else set()
        allowed |= {"remarks", "log_messages"} if self._tells else set()
        allowed |= {"reports"} if self._tells and self._veil.names.is_whole else set()
        there = set(dir(type(self._part)))
        self.members = [m for m in MEMBERS if m in allowed and m in there]

    def opened(self) -> dict[str, Any]:
        """What the other side needs to know."""
        meets = self._meeting is not None
        return self._offer.described() | {"members": self.members, "meets": meets, "many": True}

    def close(self) -> None:
        """End it."""
        if self._meeting is not None:
            self._meeting.close()
        self._end()

    def answer(self, kind: int, data: bytes) -> Answer:
        """The answer to one request: a value, or an error that tells no more than it may."""
        try:
            if kind == FrameKind.WINDOWS:
                return self._windows(data)
            return answer(self._asked(kind, data))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return failure(self._said(error, kind))

    def last_words(self) -> dict[str, Any]:
        """What there is to say when it is closed."""
        self._part.close()
        return {m: getattr(self._part, m) for m in ("remarks", "effort") if m in self.members}

    def _windows(self, data: bytes) -> Answer:
        """Windows beside other parts; what went wrong in one tells no more than it may."""
        if self._stage != "begun" or self._meeting is None:
            raise NotPublished("it was not begun, or has no neighbours")
        done, outputs, seconds, failed, *more = self._meeting.windows(data)
        if failed is not None:
            try:
                value_of(*failed)
            except Exception as error:
                failed = failure(self._said(self._named(error), FrameKind.ADVANCE))
        return windows_bytes((done, outputs, seconds, failed, *more))

    def _named(self, error: Exception) -> Exception:
        """The failure of this part, where its code raised something."""
        if isinstance(error, DovetailError):
            return error
        return PartFailed(self._offer.name, "advancing", 0.0, f"{type(error).__name__}: {error}")

    @property
    def _tells(self) -> bool:
        return self._offer.publication.messages

    def _asked(self, kind: int, data: bytes) -> Any:
        if kind == FrameKind.START:
            start, given, rates = started(self._veil.settable, data)
            values = self._veil.values(given)
            self._reach("made", "started")
            wanted = rates and self._veil.derivatives
            return self._part.initialize(start, values, derivatives=wanted)
        if kind in (FrameKind.INVITE, FrameKind.MEET):
            return self._met(kind, codec.decode(data))
        if kind in (FrameKind.SNAPSHOT, FrameKind.RESTORE, FrameKind.DROP):
            return self._keep(kind, keys_of(data))
        method, handed = called(kind, data)
        if method == "begin" and not handed:
            self._reach("started", "begun")
            return self._part.begin()
        if self._stage == "made" and method not in _ANY_TIME:
            raise NotPublished("it was not started")
        if method == "outputs" and len(handed) == 2:
            return self._outputs(*handed)
        if method == "outputs_at" and len(handed) == 2:
            return self._outputs_at(*handed)
        if method == "advance" and len(handed) == 2:
            return self._advance(*handed)
        if method not in self.members:
            raise NotPublished("it cannot do what was asked, or that is not published")
        return _CALLS[method](self, *handed)

    def _met(self, kind: int, given: Any) -> Any:
        if self._meeting is None:
            raise NotPublished("it steps beside no other parts")
        if kind == FrameKind.INVITE:
            return self._meeting.invite(given)
        return self._meeting.meet(given)

    def _outputs(self, inputs: Any, order: Any) -> Any:
        if type(order) is not int or not 0 <= order <= 16:
            raise ValueError("no order")
        if order and not self._veil.derivatives:
            raise NotPublished("its derivatives are not published")
        return self._veil.outputs(self._part.outputs(self._veil.inputs(inputs), order))

    def _outputs_at(self, inputs: Any, order: Any) -> Any:
        if not isinstance(inputs, list) or not 0 < len(inputs) <= _MOST_AT_ONCE:
            raise ValueError("no inputs")
        if type(order) is not int or not 0 <= order <= 16:
            raise ValueError("no order")
        if order and not self._veil.derivatives:
            raise NotPublished("its derivatives are not published")
        given = [self._veil.inputs(each) for each in inputs]
        return [self._veil.outputs(found) for found in self._part.outputs_at(given, order)]

    def _advance(self, window: Any, inputs: Any) -> Any:
        times = isinstance(window, Window) and (window.start, window.size, window.stop)
        if not times or not all(map(isfinite, times)) or not window.stop > window.start:
            raise ValueError("no window")
        if self._stage != "begun":
            raise NotPublished("it was not begun")
        return self._veil.reached(self._part.advance(window, self._veil.waveform(inputs)))

    def _keep(self, kind: int, keys: list[int]) -> None:
        if "snapshot" not in self.members:
            raise NotPublished("it cannot roll back")
        for key in keys:
            if kind == FrameKind.DROP:
                self._kept.pop(key, None)
            elif kind == FrameKind.RESTORE and key not in self._kept:
                raise NotPublished("there is no such snapshot")
            elif kind == FrameKind.RESTORE:
                self._part.restore(self._kept[key])
            elif len(self._kept) >= _MOST_KEPT:
                raise NotPublished(f"more than {_MOST_KEPT} snapshots are kept at once")
            else:
                self._kept[key] = self._part.snapshot()

    def _reach(self, before: str, after: str) -> None:
        if self._stage != before:
            raise NotPublished(f"it is {self._stage}, so it cannot be {after}")
        self._stage = after

    def _said(self, error: BaseException, kind: int) -> BaseException:
        """An error as it may leave: with the model's own words only where that is published."""
        doing = _DOING.get(kind, "answering")
        if isinstance(error, HostFailed):
            last = f"; it said last: {' | '.join(error.lines[-3:])}" if error.lines else ""
            reason = error.reason + (last if self._tells else "")
            return PartFailed(error.part, error.doing, error.time, reason)
        if isinstance(error, PartFailed) and error.learned:
            error.learned = {"elsewhere": True}  # what it is about is a folder of this machine
        if self._tells or isinstance(error, NotPublished):
            return error
        withheld = "what it said is not published"
        if isinstance(error, PartFailed):
            return PartFailed(self._offer.name, doing, error.time, withheld)
        if isinstance(error, InputError):
            return InputError(withheld)
        return RunError(withheld) if isinstance(error, DovetailError) else RuntimeError(withheld)

    # members ----------------------------------------------------------------------------------

    def _event(self, inputs: Any) -> Any:
        return self._veil.outputs(self._part.event(self._veil.inputs(inputs)))

    def _late(self) -> Any:
        found = self._part.late_outputs()
        return None if found is None else self._veil.outputs(found)

    def _tune(self, values: Any) -> None:
        if not isinstance(values, dict):
            raise ValueError("no values")
        self._part.tune(self._veil.tuned(values))

    def _coordinate(self, message: Any) -> Any:
        if not isinstance(message, tuple) or not message or not isinstance(message[0], str):
            raise ValueError("nothing that a coordinator is told")
        return self._part.coordinate(message)

    def _doubt(self, found: Any) -> None:
        if not isinstance(found, str) or len(found) > _LONGEST:
            raise ValueError("no reason")
        self._part.doubt_rollback(found)

    def _relinearize(self, known: Any) -> Any:
        if not isinstance(known, Linearization):
            raise ValueError("no linearization")
        return self._part.relinearize(known)

    def _dump(self) -> bytes:
        return self._offer.seal.closed(self._part.dump(), self._offer.fingerprint)

    def _load(self, state: Any) -> None:
        if not isinstance(state, bytes):
            raise ValueError("no state")
        self._part.load(self._offer.seal.opened(state, self._offer.fingerprint))


_CALLS: dict[str, Callable[..., Any]] = {
    "event": Use._event,
    "late_outputs": Use._late,
    "tune": Use._tune,
    "coordinate": Use._coordinate,
    "doubt_rollback": Use._doubt,
    "relinearize": Use._relinearize,
    "dump": Use._dump,
    "load": Use._load,
    "switches": lambda use, inputs: use._part.switches(use._veil.inputs(inputs)),
    "linearize": lambda use: use._veil.linearization(use._part.linearize()),
    "update": lambda use: use._part.update(),
    "next_event": lambda use: use._part.next_event(),
    **{
        name: (lambda use, name=name: getattr(use._part, name))
        for name in ("ending", "checks_rollback", "remarks", "log_messages", "reports", "effort")
    },
}
