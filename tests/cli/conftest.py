"""Ways to call the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli.calling import MODELS, PREDATION, Answer, Command

from dovetail.cli.main import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DOVETAIL_DEBUG", raising=False)
    (tmp_path / "models.py").write_text(MODELS)
    (tmp_path / "predation.yaml").write_text(PREDATION)
    (tmp_path / "shaft.yaml").write_text(
        "{dovetail: 1, parts: {shaft: models.py:shaft}, run: {stop: 1, step: 0.1}}"
    )
    return tmp_path


@pytest.fixture
def dovetail(folder: Path, capfd: pytest.CaptureFixture[str]) -> Command:
    """Call the command line in this process."""

    def call(*words: str) -> Answer:
        capfd.readouterr()
        code = main(words)
        out, err = capfd.readouterr()
        return Answer(code, out, err)

    return call


@pytest.fixture
def process(folder: Path) -> Command:
    """Call the command line in a process of its own."""

    def call(*words: str, **options: Any) -> Answer:
        line = [sys.executable, "-m", "dovetail.cli", *words]
        done = subprocess.run(line, capture_output=True, text=True, check=False, **options)
        return Answer(done.returncode, done.stdout, done.stderr)

    return call
