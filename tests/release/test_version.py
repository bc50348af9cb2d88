"""One version, in one place, with a page of the changelog."""

from __future__ import annotations

import re
import tomllib

from release.boxes import ROOT

import dovetail as dv


def test_the_version_is_written_once():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "version" in project["dynamic"]
    assert "version" not in project  # it is in src/dovetail/__init__.py


def test_the_changelog_knows_the_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## (\d\S*) - \d{4}-\d{2}-\d{2}$", text, re.M)
    assert released[0] == dv.__version__
