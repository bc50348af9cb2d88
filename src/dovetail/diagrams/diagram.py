"""A diagram of a system: shown by notebooks, written to files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..core.errors import FileError
from ..core.whole_file import whole_file
from ..drawing.system import System
from .arranging import arranged
from .charting import chart_of
from .painting import painted
from .paper import arranged_on_paper
from .scene import Scene
from .svg import svg_of

SUFFIXES = (".svg", ".png", ".pdf")


@dataclass(frozen=True, eq=False)
class Diagram:
    """A system as a picture. A notebook shows it; `save` writes it, `svg` is its text.

    Parts are boxes, inputs at their left side, outputs at their right. Parts that depend on each
    other have one colour. Where the file of a system said where its parts are, they are there.
    """

    system: System

    @cached_property
    def scene(self) -> Scene:
        """Its shapes."""
        chart = chart_of(self.system)
        return painted(chart, arranged_on_paper(chart, self.system.sketch) or arranged(chart))

    @cached_property
    def svg(self) -> str:
        """Its text as SVG."""
        return svg_of(self.scene)

    def save(self, path: str | Path) -> None:
        """Write it to a file: .svg, or .png or .pdf."""
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix not in SUFFIXES:
            known = ", ".join(SUFFIXES)
            raise FileError(path, "is no diagram by its name", f"use one of {known}")
        try:
            with whole_file(path) as place:
                if suffix == ".svg":
                    place.write_text(self.svg, encoding="utf-8")
                else:
                    from .raster import save_raster

                    save_raster(self.scene, place)
        except OSError as error:
            why = error.strerror or str(error)
            raise FileError(path, f"cannot be written: {why}") from error

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return f"<div style='max-width:100%;overflow-x:auto'>{self.svg}</div>"

    def __repr__(self) -> str:
        return f"Diagram of {self.system!r}"
