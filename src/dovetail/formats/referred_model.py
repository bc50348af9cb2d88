"""A model that remembers where it came from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from ..core.description import Description
from ..core.model_page import ModelPage
from ..core.obstacle import Obstacle
from ..models.compiled_membership import CompiledMembership
from ..runplan.making import MemberFacts
from ..subsystems.batch import BatchFactory, BatchRole
from ..subsystems.compiling import SupportsCompiling
from ..subsystems.notes import SupportsNotes, SupportsSpanNotes
from ..subsystems.repeatable import reason_of
from ..subsystems.subsystem import Adaptable, Model, Subsystem
from .reference import Reference


@dataclass(frozen=True, slots=True, eq=False)
class ReferredModel(ModelPage):
    """A model under its reference: the model itself, and the way to find it again.

    That is what a system needs in order to be saved. Pickled, it travels as its reference.
    """

    reference: Reference = field(compare=False)  # moving the file does not change the model
    model: Model

    @property
    def description(self) -> Description:
        """The model seen from outside."""
        return self.model.description

    @property
    def notes(self) -> Sequence[str]:
        """What the model has to say before a run."""
        return self.model.notes if isinstance(self.model, SupportsNotes) else ()

    def span_notes(self, start: float, stop: float) -> Sequence[tuple[str, bool]]:
        """What the model has to say of a run over this span."""
        model = self.model
        return model.span_notes(start, stop) if isinstance(model, SupportsSpanNotes) else ()

    @property
    def against_repeating(self) -> str:
        """Why a second instance may not run beside the first; empty if it may."""
        return reason_of(self.model)

    def tuned(self, names: Collection[str]) -> Model:
        """The model itself, with these parameters as inputs."""
        return cast(Adaptable, self.model).tuned(names)

    @property
    def batch_obstacles(self) -> tuple[Obstacle, ...]:
        """What stands against native windows for its parts."""
        if isinstance(self.model, CompiledMembership):
            return self.model.batch_obstacles
        return (Obstacle("is no FMU"),)

    @property
    def batch_factory(self) -> BatchFactory:
        """What makes batches of its parts, where nothing stands against it."""
        return cast(CompiledMembership, self.model).batch_factory

    @property
    def batch_role(self) -> BatchRole:
        """How its parts take part in them."""
        return cast(CompiledMembership, self.model).batch_role

    @property
    def member_facts(self) -> MemberFacts:
        """What a plan says of its parts."""
        return cast(CompiledMembership, self.model).member_facts

    @property
    def is_compiled(self) -> bool:
        """Whether there is nothing to compile, or it is done anyway."""
        return not isinstance(self.model, SupportsCompiling) or self.model.is_compiled

    def compiled(self) -> Model:
        """The model itself, compiled."""
        return cast(Model, cast(SupportsCompiling, self.model).compiled())

    def instantiate(self, name: str) -> Subsystem:
        """A live part."""
        return self.model.instantiate(name)

    def __reduce__(self) -> tuple[Any, ...]:
        from .loading import load

        return load, (str(self.reference),)


def plain_model(model: Any) -> Any:
    """A model itself, without the reference under which it was found."""
    return model.model if isinstance(model, ReferredModel) else model
