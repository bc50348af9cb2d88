"""The door for extensions."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import is_typeddict

import pytest

import dovetail as dv
from dovetail import extend

DOCS = Path(__file__).parents[2] / "docs"
TYPES = {"Branch", "Decision", "Discrete", "Jacobian", "Residual", "Shape", "Values", "Vector"}


@pytest.mark.parametrize("name", extend.__all__)
def test_every_name_is_there_and_explained(name):
    found = getattr(extend, name)
    if name in TYPES:
        assert f"`{name}`" in extend.__doc__, "types are explained in the docstring of the door"
        return
    assert isinstance(found, type) or inspect.isfunction(found)
    own = vars(found).get("__doc__") if isinstance(found, type) else found.__doc__
    assert own and not own.startswith(f"{name}("), "a docstring of its own"
    assert found.__name__ == name


@pytest.mark.parametrize("name", [n for n in extend.__all__ if n not in TYPES])
def test_every_method_of_a_protocol_is_explained(name):
    found = getattr(extend, name)
    if not getattr(found, "_is_protocol", False) or is_typeddict(found):
        return
    for method, what in vars(found).items():
        if not method.startswith("_") and (callable(what) or isinstance(what, property)):
            assert what.__doc__, f"{name}.{method}"


def test_no_name_is_listed_twice_and_none_is_left_out():
    assert len(set(extend.__all__)) == len(extend.__all__)
    public = {n for n in vars(extend) if not n.startswith("_")}
    assert public == set(extend.__all__)


def test_it_holds_imports_and_nothing_else():
    tree = ast.parse(Path(extend.__file__).read_text(encoding="utf-8"))
    kinds = [type(node) for node in tree.body[1:-1]]
    assert set(kinds) == {ast.ImportFrom}
    assert isinstance(tree.body[-1], ast.Assign)


def test_every_protocol_that_a_part_may_satisfy_is_in_it():
    """A new optional protocol of parts, controllers or recorders joins the door."""
    from dovetail.controllers import base as controllers
    from dovetail.results.recorders import base as recorders
    from dovetail.subsystems import subsystem

    for home in (subsystem, controllers, recorders):
        protocols = {
            n
            for n, found in vars(home).items()
            if getattr(found, "_is_protocol", False) and found.__module__ == home.__name__
        }
        assert protocols <= set(extend.__all__)


def test_it_is_reached_from_the_package_as_well():
    assert dv.extend is extend


def test_it_needs_no_library_that_a_run_does_not_need():
    code = "import sys, dovetail.extend; print(*{m.split('.')[0] for m in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"scipy", "pyarrow", "matplotlib", "pandas", "pydantic", "typer", "lxml", "yaml"}
    assert not set(done.stdout.split()) & heavy


# The page that explains it ----------------------------------------------------------------------


def imports_of(page):
    """Modules and names that the Python blocks of a page import from Dovetail."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for block in re.findall(r"```python[^\n]*\n(.*?)```", text, flags=re.DOTALL):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.Import):
                yield from ((a.name, a.asname) for a in node.names if "dovetail" in a.name)
            elif isinstance(node, ast.ImportFrom) and "dovetail" in str(node.module):
                yield from ((node.module, a.name) for a in node.names)


def test_the_page_on_extensions_goes_through_the_door_only():
    found = list(imports_of("extending.md"))
    assert ("dovetail", "dv") in found
    for module, name in found:
        assert (module, name) == ("dovetail", "dv") or module == "dovetail.extend"
        assert module == "dovetail" or name in extend.__all__


KINDS = ("An algorithm", "A part", "A root finder", "A controller", "An estimator", "A recorder")


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_has_a_section_for_each_kind_of_extension(kind):
    text = (DOCS / "extending.md").read_text(encoding="utf-8")
    (section,) = [s for s in re.split(r"^## ", text, flags=re.MULTILINE) if s.startswith(kind)]
    assert "```python" in section and "```text" in section
