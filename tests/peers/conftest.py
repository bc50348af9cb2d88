"""The peers of benchmarks/peers, as tests see them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where test FMUs are put."""
    return tmp_path_factory.mktemp("fmus")
