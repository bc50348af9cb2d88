"""How the run and a coordinator that is a part talk: it asks for s(z) until it has its unknowns.

Messages are tuples of a word and numbers, so that they pass between processes and machines. To
the part: `settings`, `begin`, `values`, `refused`. From it: `ask`, `found`, `singular`, `refused`.
"""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..core.errors import PartFailed
from ..core.signals import Vector
from .sliding_function import Ask, MeasuredPoint, SlidingFunction
from .solving import SingularJacobian, Solution
from .surface import Surface

Message = tuple[Any, ...]
_MOST = 10_000  # questions in one window
_DOING = "coordinating"


@runtime_checkable
class SupportsCoordination(Protocol):
    """A part that finds the unknowns of junctions, message by message."""

    def coordinate(self, message: Message) -> Message:
        """What it has to say to this."""


@runtime_checkable
class SupportsSettling(Protocol):
    """The same where it lives in this process: it can call the run by itself."""

    def settled(self, function: SlidingFunction) -> Solution:
        """The unknowns after the parts have moved."""


def settled_by(
    part: SupportsCoordination, name: str, surface: Surface, z: Vector, jacobian: Vector | None
) -> Solution:
    """What a coordinator finds; both ways ask the same of the surface, so the bits are the same."""
    known, nominal, time = surface.many([z])[0], surface.group.nominal, surface.now.time
    if isinstance(part, SupportsSettling):
        function = SlidingFunction(surface.many, z, known, nominal, jacobian, time)
        return part.settled(function)
    refused: PartFailed | None = None
    said = part.coordinate(("begin", float(time), z, jacobian, nominal, *known))
    for _ in range(_MOST):
        match said:
            case ("ask", [*places]) if places and all(_is(p, z.shape) for p in places):
                try:
                    told: Message = ("values", [tuple(each) for each in surface.many(places)])
                except PartFailed as failed:
                    told, refused = ("refused",), failed
                said = part.coordinate(told)
            case ("found", at, s, J, converged) if (
                _is(at, z.shape) and _is(s, z.shape) and (J is None or _is(J, 2 * z.shape))
            ):
                return Solution(at, s, J, bool(converged))
            case ("singular",):
                raise SingularJacobian
            case ("refused",) if refused is not None:
                raise refused
            case _:
                raise PartFailed(name, _DOING, time, "it answered with what is no answer")
    raise PartFailed(name, _DOING, time, f"it asked more than {_MOST} times in one window")


def _is(value: Any, shape: tuple[int, ...]) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == float and value.shape == shape


class Conversation:
    """A law at work in a thread: it rests while its question is answered elsewhere."""

    def __init__(self, law: Callable[[Ask], Solution]) -> None:
        self._said, self._told = SimpleQueue[Message](), SimpleQueue[Message]()
        self._refused: PartFailed | None = None
        Thread(target=self._run, args=(law,), daemon=True).start()

    def said(self) -> Message:
        """Its next question, or what it found; what it raised is raised."""
        found = self._said.get()
        if found[0] == "raised":
            raise found[1]
        return found

    def told(self, message: Message) -> Message:
        """What it says to an answer."""
        self._told.put(message)
        return self.said()

    def leave(self) -> None:
        """Nobody waits for what it finds."""
        self._told.put(("left",))

    def _ask(self, places: list[Vector]) -> list[MeasuredPoint]:
        self._said.put(("ask", places))
        match self._told.get():
            case ("values", [*values]) if len(values) == len(places):
                return [(s, trust) for s, trust in values]
            case ("refused",):
                self._refused = PartFailed("", _DOING, 0.0, "a part cannot follow")
                raise self._refused
        raise _Left

    def _run(self, law: Callable[[Ask], Solution]) -> None:
        try:
            found = law(self._ask)
            self._said.put(("found", found.z, found.s, found.jacobian, found.converged))
        except _Left:
            pass
        except SingularJacobian:
            self._said.put(("singular",))
        except BaseException as error:
            mine = error is not self._refused
            self._said.put(("raised", error) if mine else ("refused",))


class _Left(BaseException):
    """Nobody waits: laws must not take it for a failure of their own."""
