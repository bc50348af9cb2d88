"""How the script of HTML pages comes into the package where Dovetail is installed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from release.boxes import ROOT
from release.test_kernel_build import hook

__all__ = ["hook"]

LOCK = ROOT / "web" / "package-lock.json"
VERSION = json.loads(LOCK.read_text())["packages"]["node_modules/uplot"]["version"]


def npm(folder: Path, script: str) -> str:
    """A program in the place of npm."""
    program = folder / "npm"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return str(program)


BRINGS = f"""
[ "$1" = ci ] && [ -f package-lock.json ] || exit 3
mkdir -p node_modules/uplot/dist && cd node_modules/uplot
echo script > dist/uPlot.iife.min.js; echo style > dist/uPlot.min.css; echo licence > LICENSE
echo '{{"version": "{VERSION}"}}' > package.json
"""


def test_the_script_is_fetched_once(hook: Any, tmp_path: Path, monkeypatch: Any) -> None:
    program = npm(tmp_path, BRINGS)
    monkeypatch.setattr(hook.shutil, "which", lambda name: program)
    assert hook.fetch(ROOT / "web", tmp_path / "web") == ""
    assert (tmp_path / "web" / "uPlot.iife.min.js").read_text() == "script\n"
    monkeypatch.setattr(hook.shutil, "which", lambda name: None)
    assert hook.fetch(ROOT / "web", tmp_path / "web") == "", "it is there already"
    (tmp_path / "web" / "package.json").write_text('{"version": "0.1"}')
    assert hook.fetch(ROOT / "web", tmp_path / "web") == "npm was not found", "another version"


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("echo 'npm error code ENOTFOUND' >&2; exit 1", "npm failed: npm error code ENOTFOUND"),
        ("exit 1", "npm failed: it said nothing"),
    ],
)
def test_what_npm_says_is_told(
    hook: Any, tmp_path: Path, monkeypatch: Any, script: str, problem: str
) -> None:
    program = npm(tmp_path, script)
    monkeypatch.setattr(hook.shutil, "which", lambda name: program)
    assert hook.fetch(ROOT / "web", tmp_path / "web") == problem
    assert not (tmp_path / "web").exists()


def test_an_installation_without_npm_says_what_is_missing_and_goes_on(hook: Any) -> None:
    said: list[str] = []

    class App:
        def display_warning(self, text: str) -> None:
            said.append(text)

    class Hook:
        root, app = ROOT / "nowhere", App()

    kept = hook.fetch, hook.build_page
    hook.fetch = lambda source, target: "npm was not found"
    hook.build_page = lambda source, bench, target: "npm was not found"
    try:
        data: dict[str, Any] = {"artifacts": []}
        hook.KernelHook._pages(Hook(), data)
    finally:
        hook.fetch, hook.build_page = kept
    assert data == {"artifacts": []}
    assert said == [
        "uPlot was not brought in (npm was not found); plots become .png, .svg and .pdf files, "
        "but no HTML pages. Install Node.js with npm, and reinstall.",
        "the page of the studio was not built (npm was not found); `dovetail studio` is not "
        "there, and all else is. Install Node.js 20.19 or newer with npm, and reinstall.",
    ]


def test_the_page_of_the_studio_is_built_again_only_when_its_sources_changed(
    hook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "source"
    (source / "src").mkdir(parents=True)
    (source / "src" / "main.tsx").write_text("1")
    target = tmp_path / "page"
    target.mkdir()
    (target / hook.MADE_FROM).write_text(hook.sources_of(source))
    monkeypatch.setattr(hook.shutil, "which", lambda name: None)
    assert hook.build_page(source, tmp_path / "bench", target) == "", "as in an sdist"
    (source / "node_modules").mkdir()
    (source / "node_modules" / "x.js").write_text("2")
    assert hook.build_page(source, tmp_path / "bench", target) == ""
    (source / "src" / "main.tsx").write_text("3")
    assert hook.build_page(source, tmp_path / "bench", target) == "npm was not found"


def test_the_lock_of_the_studio_pins_a_hash_of_every_package_and_names_no_place() -> None:
    lock = ROOT / "web" / "studio" / "package-lock.json"
    packages = json.loads(lock.read_text())["packages"]
    assert all(p["integrity"].startswith("sha512-") for name, p in packages.items() if name)
    assert not any("resolved" in p for p in packages.values())
    wanted = json.loads((ROOT / "web" / "studio" / "package.json").read_text())
    pinned = {**wanted["dependencies"], **wanted["devDependencies"], **wanted["overrides"]}
    assert all(version[0].isdigit() for version in pinned.values()), "one version, no range"


def test_the_lock_pins_a_hash_and_names_no_place() -> None:
    packages = json.loads(LOCK.read_text())["packages"]
    assert set(packages) == {"", "node_modules/uplot"}
    assert packages["node_modules/uplot"]["integrity"].startswith("sha512-")
    assert "resolved" not in packages["node_modules/uplot"]
    assert "http" not in LOCK.read_text()


def test_what_is_fetched_is_not_in_the_repository() -> None:
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert {"src/dovetail/results/pictures/web/", "src/dovetail/studio/page/"} <= set(ignored)


def test_the_notice_is_the_licence_of_the_script() -> None:
    licence = ROOT / "src" / "dovetail" / "results" / "pictures" / "web" / "LICENSE"
    assert licence.read_text().strip() in (ROOT / "THIRD_PARTY.md").read_text()
