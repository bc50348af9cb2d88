"""What all tests share: test FMUs, built once, and a cache of their own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fmus.build import build
from hearing import hearing

pytest_plugins = ["hosted"]  # parts in hosts, with -m hosted


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Archives are extracted into a folder of this run, never into that of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOVETAIL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _heard() -> Iterator[None]:
    """Ctrl-C is heard by what tests start, also where the tests run in the background."""
    with hearing():
        yield


@pytest.fixture(autouse=True)
def _notes() -> None:
    """Notes that are said once in a process are said once in each test."""
    announcer = sys.modules.get("dovetail.run.announcer")
    if announcer is not None:
        announcer.forget_notes()


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The path of a test FMU."""
    folder = tmp_path_factory.mktemp("fmus")

    @cache
    def made(name: str, version: int = 2, **options: Any) -> Path:
        return build(name, version, folder, **options)

    return made
