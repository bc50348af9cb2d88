"""SSPs made of test FMUs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path, archive: Callable[..., Path]) -> Callable[..., Path]:
    """A folder as an SSP has it: FMUs in resources/, and the .ssd that is given."""

    def made(text: str, *fmus: str, name: str = "SystemStructure.ssd", **files: str) -> Path:
        resources = tmp_path / "resources"
        resources.mkdir(exist_ok=True)
        for fmu in fmus:
            model, _, version = fmu.partition("-")
            target = resources / f"{model}.fmu"
            if not target.exists():
                target.symlink_to(archive(model, int(version or 2)))
        for file, content in files.items():
            (tmp_path / file.replace("__", ".")).write_text(content)
        path = tmp_path / name
        path.write_text(text)
        return path

    return made
