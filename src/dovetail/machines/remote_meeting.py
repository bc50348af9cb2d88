"""Parts on other machines that step side by side: how they meet, and what they did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..core import codec
from ..core.errors import DovetailError
from ..core.signals import Vector
from ..hosts.life import HostDied
from ..subsystems.batch import WindowRange
from .lock_step_frames import Past, Stepped, stretch_bytes
from .remote_use import RemoteUse
from .requests import FrameKind
from .unreachable import said

_WIRES = ("target", "source", "gain", "offset", "own")
_MOMENT = 1.0  # seconds, after Ctrl-C


class CannotMeet(Exception):
    """Parts do not reach each other; the sentence says which, and why.

    `known`: that was clear before anybody tried.
    """

    def __init__(self, what: str, *, known: bool = False) -> None:
        super().__init__(what)
        self.known = known


@dataclass(frozen=True, slots=True)
class BesidePlan:
    """What passes between a part and another one, by its number."""

    other: int
    reads: Any  # outputs of this part that go there
    gives: Any  # where among the known values here its outputs go
    early: bool


@dataclass(frozen=True, slots=True)
class PartPlan:
    """What a part is told: how its inputs are made of known values, and who is beside it."""

    known: Any  # which outputs of all it knows
    target: Any
    source: Any
    gain: Any
    offset: Any
    plain: tuple[bool, bool]  # inputs at a window's start, and at its end, are known values
    own: tuple[Any, Any]
    beside: tuple[BesidePlan, ...]
    columns: int = 1  # of curves through the past
    order: int = -1  # the highest power of time that the part follows; -1: any


def meet(uses: Sequence[RemoteUse], plans: Sequence[PartPlan], shape: str) -> None:
    """Let all of them dial each other; CannotMeet if some do not reach each other."""
    for use in uses:
        if not use.meets:
            raise CannotMeet(
                f"part '{use.part}' is where parts do not step beside others", known=True
            )
    dialled: list[list[int]] = [[] for _ in uses]  # who is dialled by whom
    for i, plan in enumerate(plans):
        for one in plan.beside:
            if one.other > i:
                a, b = _ways(uses, i, one.other)
                dialled[b].append(a)
    for use, who in zip(uses, dialled, strict=True):
        use.tell(FrameKind.INVITE, codec.encode({"tickets": len(who)}))
    tickets, certificates = dict[tuple[int, int], str](), list[str]()
    for i, (found, who) in enumerate(zip(_all(uses, "be dialled"), dialled, strict=True)):
        try:
            drawn, certificate = list(found["tickets"]), found["certificate"]
        except (KeyError, TypeError):
            raise CannotMeet(f"part '{uses[i].part}' answered with what is no answer") from None
        if not all(isinstance(t, str) for t in (*drawn, certificate)) or len(drawn) != len(who):
            raise CannotMeet(f"part '{uses[i].part}' answered with what is no answer")
        certificates.append(certificate)
        tickets |= {(a, i): ticket for a, ticket in zip(who, drawn, strict=True)}
    for i, (use, plan) in enumerate(zip(uses, plans, strict=True)):
        use.tell(FrameKind.MEET, _told(i, plan, shape, uses, tickets, certificates))
    _all(uses, "meet the others")


def step(
    uses: Sequence[RemoteUse],
    stretch: WindowRange,
    size: float,
    values: Sequence[tuple[Vector, Vector, Past | None]],
    widths: Sequence[int],
) -> tuple[list[Stepped | HostDied], bool]:
    """Windows side by side: what each did, or how it was lost; and whether Ctrl-C was pressed.

    `values`: for each, inputs that nothing feeds, outputs of others where they start, and, where
    inputs are extrapolated, what they were before. After Ctrl-C they have a moment to come to the
    end of these windows.
    """
    found: list[Stepped | HostDied] = []
    asked: list[HostDied | None] = []
    for use, given in zip(uses, values, strict=True):
        try:
            use.tell(FrameKind.WINDOWS, stretch_bytes(stretch, size, *given))
            asked.append(None)
        except HostDied as died:
            asked.append(died)
    pressed = False
    for use, gone, width in zip(uses, asked, widths, strict=True):
        lost = gone
        while lost is None:
            try:
                found.append(use.stepped(stretch.count, width))
                break
            except HostDied as died:
                lost = died
            except KeyboardInterrupt:
                pressed = True
                for other in uses:
                    other.hurry(_MOMENT)
        if lost is not None:
            found.append(lost)
    return found, pressed


def _ways(uses: Sequence[RemoteUse], i: int, j: int) -> tuple[int, int]:
    """Who of two dials, and who is dialled."""
    if uses[i].place and uses[j].place:
        return j, i
    if uses[j].place:
        return i, j
    if uses[i].place:
        return j, i
    what = f"parts '{uses[i].part}' and '{uses[j].part}' both dial out"
    raise CannotMeet(f"{what}, so neither can dial the other", known=True)


def _told(
    i: int,
    plan: PartPlan,
    shape: str,
    uses: Sequence[RemoteUse],
    tickets: dict[tuple[int, int], str],
    certificates: Sequence[str],
) -> bytes:
    """MEET, as part `i` is told."""
    beside = []
    for one in sorted(plan.beside, key=lambda b: (min(i, b.other), max(i, b.other))):
        j = one.other
        dials = (i, j) in tickets
        found: dict[str, Any] = {"dial": uses[j].place if dials else ""}
        found |= {"ticket": tickets[(i, j) if dials else (j, i)], "certificate": certificates[j]}
        beside.append(found | {"reads": one.reads, "gives": one.gives, "early": one.early})
    wires: dict[str, Any] = {n: getattr(plan, n) for n in _WIRES} | {"plain": list(plan.plain)}
    if shape == "curve":
        wires |= {"columns": plan.columns, "order": plan.order}
    known = {"known": len(plan.known), "shape": shape, "patience": float(uses[i].patience)}
    return codec.encode({**wires, **known, "neighbours": beside})


def _all(uses: Sequence[RemoteUse], what: str) -> list[Any]:
    """All their answers; what went wrong with the first of them, when all have answered."""
    found: list[Any] = []
    wrong = ""
    for use in uses:
        try:
            found.append(use.hear())
        except (DovetailError, HostDied) as error:
            wrong = wrong or f"part '{use.part}' cannot {what}: {said(error)}"
    if wrong:
        raise CannotMeet(wrong)
    return found
