"""What the documentation shows is what happens."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from docs.both_sides import compare
from docs.pages import ROOT, Block, blocks, name_of, pages, prose
from fmus.build import build

FILES = {"python", "yaml", "csv", "toml"}
GIVEN = {
    "docs/files.md": ("predation/models.py", "predation/predation.yaml", "quarter_car/road.csv")
}
BUILT = {  # test FMUs that a page speaks of, of FMI 2
    "docs/export.md": ("body", "spring"),
    "docs/from-fmpy.md": ("vanderpol", "linear", "body", "spring"),
    "docs/from-omsimulator.md": ("vanderpol", "body", "spring"),
    "docs/from-pyfmi.md": ("vanderpol", "linear", "body", "spring"),
}
WITH_CODE = [p for p in pages() if any(b.language in {"python", "console"} for b in blocks(p))]


@pytest.mark.parametrize("page", WITH_CODE, ids=name_of)
def test_every_example_runs_and_prints_what_the_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = ModuleType("__docs__")  # dataclasses and pickle look for the module of a class
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for given in GIVEN.get(name_of(page), ()):  # files of the examples that a page speaks of
        shutil.copy(ROOT / "examples" / given, tmp_path)
    for name in BUILT.get(name_of(page), ()):
        build(name, 2, tmp_path).rename(tmp_path / f"{name}.fmu")
    seen: dict[str, dict[str, Any]] = {}
    printed: str | None = None
    for block in blocks(page):
        if block.language == "text" and block.follows and printed is not None:
            _check(printed, block, page)
        printed = None
        if block.exempt:
            continue
        if block.title is not None and block.language in FILES:
            _write(tmp_path / block.title, block.text)
        elif block.language == "python":
            printed = _execute(block, page, vars(module))
        elif block.language == "console":
            _type_in(block, page, tmp_path)
        seen[block.heading] = dict(vars(module))
    compare(name_of(page), seen)


def _execute(block: Block, page: Path, names: dict) -> str:
    """Run a block in the names of its page; what it printed."""
    source = "\n" * (block.line - 1) + block.text  # so that errors show the line of the page
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(source, str(page), "exec", dont_inherit=True), names)
    return printed.getvalue()


def _type_in(block: Block, page: Path, folder: Path) -> None:
    """Type the commands of a block into a shell, and compare what comes back."""
    here = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "MPLBACKEND": "agg",
    }
    for command, expected in _commands(block):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        where = f"{name_of(page)}, line {block.line}: $ {command}"
        assert done.returncode == 0, f"{where}\n{done.stdout}"
        if expected:
            assert _matches(done.stdout, expected), f"{where}\n{done.stdout}"


def _commands(block: Block) -> list[tuple[str, str]]:
    """Each command after a dollar, and the lines under it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    assert found, f"a console block without a command in line {block.line}"
    return [(command, "\n".join(lines).strip("\n")) for command, lines in found]


def _check(printed: str, block: Block, page: Path) -> None:
    where = f"{name_of(page)}, line {block.line}"
    assert _matches(printed, block.text), f"{where} shows\n{block.text}\nbut it is\n{printed}"


def _matches(printed: str, shown: str) -> bool:
    """Whether a page shows what was printed.

    A line of dots stands for any number of lines, dots at the end of a line for its rest.
    """
    pattern = ""
    for line in shown.strip("\n").splitlines():
        known, dots, rest = line.rstrip().rpartition("...")
        if not dots or rest:
            pattern += re.escape(line.rstrip()) + "\n"
        else:
            pattern += (re.escape(known) + "[^\n]*\n") if known else "(?:[^\n]*\n)*?"
    text = "".join(line.rstrip() + "\n" for line in printed.strip("\n").splitlines())
    return re.fullmatch(pattern, text) is not None


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_drawing_in_yaml_has_the_right_shape(page, tmp_path):
    from dovetail.formats.schema import DrawingEntry
    from dovetail.formats.yaml_text import read_text

    for block in blocks(page):
        if block.language == "yaml" and block.text.startswith("dovetail:"):
            (tmp_path / "system.yaml").write_text(block.text, encoding="utf-8")
            DrawingEntry.model_validate(read_text(tmp_path / "system.yaml").data)


# what the README promises --------------------------------------------------------------------


def test_readme_couples_two_models_in_ten_lines():
    first = next(b for b in blocks(ROOT / "README.md") if b.language == "python")
    lines = [line for line in first.text.splitlines() if line.strip()]
    assert len(lines) == 10
    assert lines[0] == "import dovetail as dv"
    assert first.text.count("dv.Dynamic(") + first.text.count("dv.Algebraic(") == 2
    assert "dv.simulate(" in lines[-1]
    assert max(map(len, lines)) <= 96, "GitHub would cut it"


def test_readme_names_both_commands_and_shows_a_picture():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in text
    assert "make test" in text
    [picture] = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    assert (ROOT / picture).stat().st_size < 150_000


# what belongs together -----------------------------------------------------------------------


@pytest.mark.parametrize("page", [*pages(), ROOT / "CONTRIBUTING.md"], ids=name_of)
def test_internal_links_lead_somewhere(page):
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = page if not path else (page.parent / path).resolve()
        if not file.exists() or (anchor and file.suffix == ".md" and not _has(file, anchor)):
            broken.append(target)
    assert not broken


def _has(page: Path, anchor: str) -> bool:
    if anchor.startswith("dovetail"):  # made by mkdocstrings; the strict build looks after them
        return True
    headings = re.findall(r"^#+ (.+)$", prose(page), re.M)
    explicit = re.findall(r"\{ *#([\w-]+) *\}", page.read_text(encoding="utf-8"))
    return anchor in {_slug(h) for h in headings} | set(explicit)


def _slug(heading: str) -> str:
    text = re.sub(r"[^\w\s-]", "", heading.lower()).strip()
    return re.sub(r"[-\s]+", "-", text)


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_pages_have_no_dead_weight(page):
    """One title, no exclamation marks, no emojis, nothing of the machine it was written on."""
    text = prose(page)
    assert len(re.findall(r"^# ", text, re.M)) == 1
    assert "!" not in re.sub(r"!\[|<!--", "", text)
    assert not re.search(r"[\U0001f000-\U0001faff\u2600-\u27bf]", text)
    assert not re.search(r"/(work|root|tmp|home)/", page.read_text(encoding="utf-8"))


def test_every_public_name_is_in_the_reference():
    import dovetail as dv

    reference = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^::: dovetail\.(\w+)", reference, re.M))
    assert listed >= set(dv.__all__), f"missing: {sorted(set(dv.__all__) - listed)}"


def test_every_exception_is_explained():
    import dovetail as dv

    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    errors = [n for n in dv.__all__ if isinstance(getattr(dv, n), type)]
    errors = [n for n in errors if issubclass(getattr(dv, n), BaseException)]
    assert not [n for n in errors if f"`{n}`" not in text and f"\n## {n}\n" not in text]


def test_every_algorithm_and_controller_has_a_row_in_choosing():
    import dovetail as dv
    from dovetail import algorithms, controllers, rootfinders

    text = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    named = [
        n
        for home, verb in ((algorithms, "step"), (controllers, "judge"), (rootfinders, "solve"))
        for n in home.__all__
        if hasattr(getattr(home, n), "__dataclass_fields__") and hasattr(getattr(home, n), verb)
    ]
    assert len(named) > 8
    assert hasattr(dv, "GaussSeidel")
    assert not [n for n in named if f"`{n}" not in text and f".{n}(" not in text]
