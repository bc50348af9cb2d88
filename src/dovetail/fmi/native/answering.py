"""Parts that are no FMUs and answer native code as one for model exchange does."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from ...runplan.making import MemberFacts
from ...subsystems.live import Live


@runtime_checkable
class AnswersAsFmu(Protocol):
    """What native code knows such a part by; else it has what `SolvedMember` asks an FMU for."""

    def bind(self, member: Any) -> None:
        """Fill in what no plan can know: an instance and its functions."""


@runtime_checkable
class HasAnswering(Protocol):
    """A live part with such a form; None if it has none."""

    native_part: AnswersAsFmu | None


@runtime_checkable
class TellsFacts(Protocol):
    """A model that is no FMU, and knows what a plan says of its parts."""

    @property
    def member_facts(self) -> MemberFacts:
        """The kind of a member, its calls and references."""


def answering(live: Live) -> Any:
    """The part as native code knows it."""
    subsystem = live.subsystem
    found = subsystem.native_part if isinstance(subsystem, HasAnswering) else None
    return subsystem if found is None else found
