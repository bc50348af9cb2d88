"""What only Dovetail knows, in annotations of an SSP: YAML, as in system files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from ...core.description import Port
from ...core.errors import FileError
from ...drawing.run_settings import RunSettings
from ...drawing.system import System
from ...models import Nested, merge
from ...subsystems.subsystem import Model
from ..layout import LookEntry
from ..problems import sentences
from ..schema import (
    AlgorithmChoice,
    ConnectionEntry,
    ControllerChoice,
    Entry,
    JunctionEntry,
    MergeEntry,
    Plain,
    PlotEntry,
    PortEntry,
    Positive,
    RunEntry,
    as_connection,
    as_junction,
    as_plot,
)
from ..yaml_text import tree_of
from .complaints import Complaints
from .document import Annotation

TYPE = "dovetail"


class NestedEntry(Entry):
    """How a system inside another runs its own windows."""

    algorithm: AlgorithmChoice | None = None
    controller: ControllerChoice | None = None
    rtol: Positive | None = None
    atol: Positive | None = None
    share_events: bool | None = None


class OwnEntry(Entry):
    """The annotation of an element."""

    # of an FMU or a table, as dv.load takes them
    options: dict[str, Any] = Field(default_factory=dict)
    force: list[str] = Field(default_factory=list)  # values that may lie beyond declared limits
    ports: dict[str, PortEntry] = Field(default_factory=dict)
    connections: list[Annotated[ConnectionEntry, BeforeValidator(as_connection)]] = Field(
        default_factory=list
    )
    junctions: list[Annotated[JunctionEntry, BeforeValidator(as_junction)]] = Field(
        default_factory=list
    )
    nested: bool | NestedEntry = False  # the system is one part, and not flattened
    merge: bool | MergeEntry = False
    names: dict[str, str] = Field(default_factory=dict)
    name: str | None = None  # of the system inside, where it is not that of the part
    table: list[Annotated[tuple[Plain, Plain], Field(strict=False)]] = Field(default_factory=list)
    look: LookEntry = LookEntry()
    plots: list[Annotated[PlotEntry, BeforeValidator(as_plot)]] = Field(default_factory=list)

    @property
    def is_part(self) -> bool:
        """Whether a system stays one part."""
        return self.nested is not False or self.merge is not False

    def fmu_options(self) -> dict[str, Any]:
        """The options of an FMU."""
        ports = {n: Port(**p.model_dump()) for n, p in self.ports.items()}
        return {**self.options, "ports": ports} if ports else dict(self.options)

    def as_part(self, inner: System) -> Model:
        """A system as the part that it stays."""
        if self.merge is not False:
            return merge(inner, **self.merging())
        return Nested(inner, **self.nesting())

    def merging(self) -> dict[str, Any]:
        """The options of dv.merge."""
        options = self.merge.model_dump(exclude_none=True) if isinstance(self.merge, Entry) else {}
        return {**options, "names": self.names} if self.names else options

    def nesting(self) -> dict[str, Any]:
        """The options of dv.Nested."""
        options: dict[str, Any] = {"names": self.names} if self.names else {}
        if isinstance(self.nested, NestedEntry):
            fields = self.nested.model_fields_set
            options |= {n: getattr(self.nested, n) for n in fields}
        return options


NOTHING = OwnEntry()


def own_of(annotations: Sequence[Annotation], complaints: Complaints) -> OwnEntry:
    """Our annotation of an element, if there is one."""
    found = _parsed(annotations, OwnEntry, complaints)
    return found if isinstance(found, OwnEntry) else NOTHING


def run_of(annotations: Sequence[Annotation], complaints: Complaints) -> RunSettings:
    """How it is to be run, as our annotation of the default experiment says."""
    found = _parsed(annotations, RunEntry, complaints)
    return found.settings() if isinstance(found, RunEntry) else RunSettings()


def _parsed(
    annotations: Sequence[Annotation], model: type[BaseModel], complaints: Complaints
) -> BaseModel | None:
    for a in annotations:
        if a.type != TYPE:
            continue
        try:
            text = "".join(str(item) for item in a.element.itertext())
            return model.model_validate(tree_of(text, str(a.place)).data or {})
        except FileError as error:
            complaints.problem(a.place, error.what)
        except ValidationError as error:
            for _, sentence in sentences(error, model):
                complaints.problem(a.place, sentence)
    return None
