"""The drawing: models, connections, start values. Checked as it is drawn, never run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.renamed import warn_renamed
from ..core.values import Value
from ..subsystems.subsystem import Model
from . import editing
from .canvas import Canvas
from .fingerprint import drawing_digest
from .given_values import changed_part, value_of
from .junction import Junction
from .links import linked, links_text
from .looks import Looks

if TYPE_CHECKING:
    from ..check.report import Report
    from ..diagrams.diagram import Diagram


class System(Canvas):
    """A drawing: parts and the connections between them.

    Every step is checked at once and refused with a `DrawingError`; a refused step leaves the
    drawing as it was.
    """

    def add(
        self, name: str, model: Model, values: Mapping[str, Any] | None = None, **more: Any
    ) -> None:
        """Add a part; keywords (or `values`) set parameters and start values."""
        self._insist(*self.checked_part(name, model, {**(values or {}), **more}))

    def connect(
        self,
        source: str,
        target: str,
        *,
        gain: float = 1.0,
        offset: float = 0.0,
        convert: bool = True,
        table: Mapping[Any, Any] | None = None,
    ) -> None:
        """Feed an input or a tunable parameter from an output: input = gain * output + offset.

        Units convert by themselves; without `convert` numbers pass as they are, whatever the
        units say. `table` gives values of a discrete output another meaning, such as {1: 3};
        values that are not in it pass unchanged.
        """
        self._insist(*self.checked_connection(source, target, gain, offset, convert, table))

    def join(
        self,
        *ports: str,
        kind: str | None = None,
        level: str | None = None,
        coordinator: Any = None,
    ) -> Junction:
        """Let power ports meet: they share effort or flow, and the other one adds up to zero.

        Which is shared follows from the domain, unless `kind` says "effort" or "flow". Flows are
        compared as displacements where all ports give them, unless `level="flow"`. Without
        `coordinator` the way it is solved is chosen when it is run; `dv.SlidingMode(...)` and
        `dv.IteratedJunction(...)` insist on one.
        """
        return self._insist(*self.checked_junction(ports, kind, level, coordinator))

    def set(self, name: str, value: Any, *, force: bool = False) -> None:
        """Give a parameter, a state or an input the value that a run starts from.

        `name` is `part.variable`, or `part.array[2]` for one element. A real variable that has a
        unit also takes text with a unit: "3 kN", "20 degC". With None the value of the model
        holds again. A value beyond the limits that the model declares is refused; `force` takes
        it all the same.
        """
        self.put(changed_part(self, name, value, force=force))

    def get(self, name: str) -> Value | None:
        """The value that a run starts from: what was set, or else what the model says.

        None where a model keeps it to itself.
        """
        return value_of(self, name)

    def remove(self, name: str) -> None:
        """Take a part away, with its connections; its ports leave the junctions they are in.

        A junction with one port left is gone as well.
        """
        self._adopt(editing.without(self, name))

    def disconnect(self, name: str, other: str | None = None) -> None:
        """Take away what feeds an input, or the one connection between `name` and `other`.

        A port leaves its junction; with one port left the junction is gone.
        """
        self._adopt(editing.disconnected(self, name, other))

    def rename(self, old: str, new: str) -> None:
        """Give a part another name; its place, its values and its connections stay."""
        self._adopt(editing.renamed(self, old, new))

    def replace(self, name: str, model: Model) -> None:
        """Put another model in a part's place; its values, connections and junctions stay.

        The model may have more variables than the one before; it must have those that are
        connected or have been given a value. All that does not fit is listed at once.
        """
        self._adopt(editing.replaced(self, name, model))

    def exchange(self, name: str, model: Model) -> None:
        """The name of `replace` in version 0.1, until 0.3."""
        warn_renamed("System.exchange", "System.replace", stacklevel=2)
        self.replace(name, model)

    def group(self, parts: Iterable[str], name: str, **options: Any) -> None:
        """Make a nested system of some parts, in their place; all their wires stay.

        `options` are those of `dv.Nested`. Junctions with parts outside stand against it.
        """
        from ..models.groups import grouped

        self._adopt(grouped(self, list(parts), name, **options))

    def ungroup(self, name: str) -> None:
        """Take a nested or merged system apart: its parts come to its place, with their wires."""
        from ..models.groups import ungrouped

        self._adopt(ungrouped(self, name))

    @contextmanager
    def inside(self, *path: str) -> Iterator[System]:
        """The system inside of a group, to be changed: `with system.inside("car") as car: ...`.

        What was done is taken over at the end, unless there was an error. Wires from outside
        follow parts that are renamed; those to parts that are removed are gone.
        """
        from ..models.groups import looked_into, put_back

        inner = looked_into(self, path)
        yield inner
        self._adopt(put_back(self, path, inner))

    @property
    def looks(self) -> Looks:
        """How it looks on paper, to be changed: places, colours, notes."""
        return Looks(self)

    def links(self) -> str:
        """All wires as CSV: source, target, gain, offset, convert."""
        return links_text(self)

    def link(self, text: str, *, instead: bool = False) -> None:
        """Draw the wires of a CSV, as `links` gives it; `instead` of those that are there.

        Else a row takes the place of the wire that ends at its input, and others stay. All rows
        are drawn, or none.
        """
        self._adopt(linked(self, text, instead=instead))

    def check(
        self, algorithm: Any = None, controller: Any = None, span: tuple[float, float] | None = None
    ) -> Report:
        """Everything that is wrong or doubtful, what it can be run with, and what it should be.

        Without `algorithm`, `controller` and `span`, start and stop of a run, those of its
        `run_settings` are looked at. With a span also whether measured data last that long.
        """
        from ..check.checking import check

        asked = self.run_settings
        if span is None and asked.stop is not None:
            span = asked.start or 0.0, asked.stop
        ways = algorithm or asked.algorithm, controller or asked.controller
        return check(self, *ways, span=span)

    def save(self, path: str | Path) -> None:
        """Write the drawing and its run settings to a file; its suffix selects the format."""
        from ..formats import write

        write(self, path)

    def export(self, path: str | Path, **options: Any) -> Path:
        """Write the system as one FMU; `help(dv.export)` lists options."""
        from ..exporting import export

        return export(self, path, **options)

    def draw(self, path: str | Path | None = None) -> Diagram:
        """A block diagram: written to a .svg, .png or .pdf file, and returned.

        Notebooks show it, as they show the system itself.
        """
        from ..diagrams.diagram import Diagram

        diagram = Diagram(self)
        if path is not None:
            diagram.save(path)
        return diagram

    def fingerprint(self) -> str:
        """A hash of the drawing, to check whether a checkpoint belongs to it."""
        return drawing_digest(self._parts.values(), self.connections, self._junctions)

    def __repr__(self) -> str:
        counts = f"{len(self._parts)} parts, {len(self._connections)} connections"
        if self._junctions:
            counts += f", {len(self._junctions)} junctions"
        return f"System({self.name!r}: {counts})"

    def _repr_svg_(self) -> str:
        return self.draw()._repr_svg_()

    def _repr_html_(self) -> str:
        return self.draw()._repr_html_()
