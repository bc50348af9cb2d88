"""Python models that run beside an exported system: each is an FMU of its own inside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...core.obstacle import Obstacle
from ...fmi.model import Fmu
from ..platforms import ExportPlatforms
from ..refusal import ExportRefused
from .writing import BesideOptions, write_beside


class BesideParts:
    """Makes them in a folder that is there until the export is written."""

    def __init__(self, folder: Path, python: str | None, platforms: ExportPlatforms) -> None:
        self._folder, self._python, self._platforms = folder, python, platforms
        self._needs = dict[str, str]()

    def made(self, model: Any, name: str) -> Fmu:
        """A model as an FMU, with its own names."""
        d = model.description
        for v in (*d.inputs, *d.outputs, *d.parameters):
            if v.shape:
                what = f"runs in Python, and '{v.name}' is an array, which FMUs beside have not"
                raise ExportRefused(name, [Obstacle(what, name, "give its elements names")])
        path = self._folder / f"{len(self._needs)}.fmu"
        needed = write_beside(
            model, path, name, BesideOptions(python=self._python), self._platforms
        )
        self._needs[name] = needed.needs
        return Fmu(str(path), kind="co-simulation")

    @property
    def needs(self) -> Mapping[str, str]:
        """What the Python of each part has to have, by part."""
        return self._needs
