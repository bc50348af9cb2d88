"""One version, in one place."""

from __future__ import annotations

import tomllib

from release.boxes import ROOT


def test_the_version_is_written_once():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "version" in project["dynamic"]
    assert "version" not in project  # it is in src/dovetail/__init__.py
