"""Test FMUs, and SSPs made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fmus.build import build


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Archives are extracted into a folder of this run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOVETAIL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The path of a test FMU."""
    folder = tmp_path_factory.mktemp("fmus")

    @cache
    def made(name: str, version: int = 2, **options: Any) -> Path:
        return build(name, version, folder, **options)

    return made


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
