"""Test FMUs as models, and both ways of calling them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import dovetail as dv
from dovetail.fmi.kernel import kernel

from .fleet import counting

Load = Callable[..., Any]


@pytest.fixture(scope="session")
def fmu(archive: Callable[..., Path]) -> Load:
    """A test FMU as a model."""

    @cache
    def loaded(path: Path) -> Any:
        return dv.load(path)

    def load(name: str, version: int, *, load: dict[str, Any] | None = None, **options: Any) -> Any:
        path = archive(name, version, **options)
        return counting(dv.load(path, **load) if load else loaded(path))

    return load


_SOUND: set[str] = set()  # folders of FMUs whose states were tried; each trial copies the process


@pytest.fixture(autouse=True)
def _findings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one test finds out about an FMU is not known in the next; but that it is sound."""
    from dovetail.fmi import model
    from dovetail.fmi.parts import part
    from dovetail.xml import cache as archives

    shutil.rmtree(archives.folder() / "findings", ignore_errors=True)  # what hosts found out

    usual, known, begun = part.flaw_of, part.was_tried, list[str]()

    def flaw_of(instance: Any) -> str:
        flaw = usual(instance)
        if not flaw:
            _SOUND.add(begun[-1])
        return flaw

    def was_tried(archive: Any) -> bool:
        return str(archive.directory) in _SOUND or known(archive)

    monkeypatch.setattr(model, "keep_against_rollback", lambda archive, found: None)
    monkeypatch.setattr(part, "keep_tried", lambda archive: begun.append(str(archive.directory)))
    monkeypatch.setattr(part, "flaw_of", flaw_of)
    monkeypatch.setattr(part, "was_tried", was_tried)


@contextmanager
def called_by(way: str) -> Iterator[None]:
    """Whether the native kernel is used."""
    before = os.environ.get("DOVETAIL_KERNEL")
    os.environ["DOVETAIL_KERNEL"] = "python" if way == "python" else ""
    kernel.cache_clear()
    try:
        if way == "native" and kernel() is None:
            pytest.skip("the native kernel is not built")
        yield
    finally:
        os.environ.pop("DOVETAIL_KERNEL")
        if before is not None:
            os.environ["DOVETAIL_KERNEL"] = before
        kernel.cache_clear()


@pytest.fixture(params=["native", "python"])
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Once with the native kernel, once without."""
    with called_by(request.param):
        yield request.param


@pytest.fixture
def both() -> Callable[[Callable[[], Any]], tuple[Any, Any]]:
    """What something gives with the native kernel, and without."""

    def compared(make: Callable[[], Any]) -> tuple[Any, Any]:
        found = []
        for name in ("native", "python"):
            with called_by(name):
                found.append(make())
        return found[0], found[1]

    return compared
