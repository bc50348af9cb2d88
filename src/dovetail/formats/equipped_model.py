"""A model with a folder of its own to write into."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from ..core.description import Description
from ..core.errors import FileError
from ..core.model_page import ModelPage
from ..subsystems.notes import SupportsNotes, SupportsSpanNotes
from ..subsystems.repeatable import reason_of
from ..subsystems.subsystem import Adaptable, Model, Subsystem


@dataclass(frozen=True, slots=True, eq=False)
class EquippedModel(ModelPage):
    """A model that finds its folder when it becomes live; nothing is made before."""

    model: Model
    folder: str = field(compare=False)

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
        """The same with these parameters as inputs."""
        return replace(self, model=cast(Adaptable, self.model).tuned(names))

    def instantiate(self, name: str) -> Subsystem:
        """A live part."""
        try:
            Path(self.folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            what = f"the folder of part '{name}' cannot be made: {error.strerror}"
            raise FileError(self.folder, what) from error
        return self.model.instantiate(name)
