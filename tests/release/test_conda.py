"""The recipe for conda-forge wants what pyproject.toml wants."""

from __future__ import annotations

import re
import tomllib

import yaml
from release.boxes import ROOT

import dovetail as dv

RECIPE = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAMED = {"matplotlib": "matplotlib-base"}  # what conda-forge calls it


def parsed(lines: list[str]) -> dict[str, str]:
    """Least versions by name."""
    found = {}
    for line in lines:
        match = re.fullmatch(r"([\w-]+) ?>=([\w.]+)", line)
        assert match, line
        found[NAMED.get(match[1], match[1])] = match[2]
    return found


def test_the_recipe_is_of_this_version_and_license() -> None:
    assert RECIPE["schema_version"] == 1
    assert RECIPE["context"]["version"] == dv.__version__
    assert RECIPE["package"]["name"] == PROJECT["name"]
    assert RECIPE["about"]["license"] == PROJECT["license"]
    assert RECIPE["about"]["license_file"] == PROJECT["license-files"]
    assert RECIPE["about"]["summary"] == PROJECT["description"]
    [script] = PROJECT["scripts"].items()
    assert RECIPE["build"]["python"]["entry_points"] == [" = ".join(script)]


def test_the_recipe_needs_what_the_core_needs() -> None:
    python = {"python": PROJECT["requires-python"].removeprefix(">=")}
    assert parsed(RECIPE["requirements"]["run"]) == python | parsed(PROJECT["dependencies"])


def test_the_recipe_constrains_what_the_extras_bring() -> None:
    extras = PROJECT["optional-dependencies"]
    [everything] = extras["all"]
    wanted = everything.removeprefix("dovetail[").removesuffix("]").split(",")
    lines = [line for extra in wanted for line in extras[extra]]
    assert parsed(RECIPE["requirements"]["run_constraints"]) == parsed(lines)
