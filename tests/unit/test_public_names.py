"""What `dv.` offers: listed once, found whatever was imported, and old names for a while."""

import importlib
import json
import pkgutil
import re
import subprocess
import sys
import textwrap
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

import public_stub
import pytest

import dovetail as dv
from dovetail.core.renamed import RENAMED
from dovetail.formats.choices import from_text
from dovetail.formats.families import CONTROLLERS, COORDINATORS, ESTIMATORS
from dovetail.formats.ssp.own import NestedEntry

# Public functions to come, which no room may hide either.
PROMISED = {
    *("benchmark", "calibrate", "export", "parts", "plot", "sensitivity", "sweep", "verify"),
}


def python(code):
    """What a program prints, in a process of its own that shows warnings as errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_stub_is_the_table():
    found = public_stub.PATH.read_text(encoding="utf-8")
    assert found == public_stub.stub(), "run python tests/public_stub.py --write"


def test_no_name_is_listed_twice():
    names = [name for names in dv._HOMES.values() for name in names.split()] + dv._MODULES
    assert len(set(names)) == len(names)
    assert sorted(names) == dir(dv) == sorted([*dv.__all__, "open"])


def test_every_name_is_listed_where_it_is_exported():
    """What a room exports under its own name is what `dv.` gives."""
    for home, names in dv._HOMES.items():
        module = importlib.import_module(f"dovetail.{home}")
        for name in names.split():
            assert getattr(dv, name) is getattr(module, name)


def test_no_room_hides_a_public_name():
    """A submodule that is imported becomes an attribute of the package, under its own name."""
    rooms = {m.name for m in pkgutil.iter_modules(dv.__path__)}
    assert not rooms & (PROMISED | (set(dv.__all__) - set(dv._MODULES)))
    code = """
        import importlib, json, pkgutil
        import dovetail
        for found in pkgutil.walk_packages(dovetail.__path__, "dovetail."):
            if not found.name.rpartition(".")[2].startswith("_"):
                importlib.import_module(found.name)
        import dovetail as dv
        kinds = {name: type(getattr(dv, name)).__name__ for name in dv.__all__}
        system = dv.System("one")
        system.add("x", dv.Dynamic(states={"x": 1.0}, outputs=["x"],
                                   derivatives=lambda t, x, u, p: [-x.x]))
        system.check()
        run = dv.simulate(system, stop=1.0, quiet=True)
        assert dv.compare(run, run).within
        dv.merge(system), dv.analyze(system.parts["x"].model), dv.units.parse("m")
        assert all(callable(getattr(dv, name)) for name in ("load", "open", "read", "split"))
        print(json.dumps(kinds))
        """
    kinds = json.loads(python(code))
    assert {name for name, kind in kinds.items() if kind == "module"} == set(dv._MODULES)


def test_a_misspelt_name_is_answered_with_the_right_one():
    with pytest.raises(AttributeError, match=r"no 'GausSeidel'\. Did you mean 'GaussSeidel'\?"):
        _ = dv.GausSeidel


def test_other_cases_of_a_name_are_answered_too():
    with pytest.raises(AttributeError) as caught:
        _ = dv.FMU
    assert str(caught.value) == (
        "dovetail has no 'FMU'. Did you mean 'Fmu'? dv.load(\"x.fmu\") makes one."
    )
    with pytest.raises(AttributeError, match=r"Did you mean 'GaussSeidel'\?"):
        _ = dv.gaussseidel


def test_everything_can_be_imported_and_no_builtin_is_replaced():
    code = """
        import builtins
        from dovetail import *
        ours = {name: value for name, value in globals().items() if name[0] != "_"}
        taken = [name for name in ours if hasattr(builtins, name)]
        assert taken == [], taken
        assert callable(simulate) and callable(System) and open is builtins.open
        import dovetail
        assert dovetail.open is not open and "open" in dir(dovetail)
        """
    python(code)


def test_completion_shows_no_helpers():
    shown = dir(dv)
    assert not [name for name in shown if name.startswith("_")]
    assert not {"importlib", "builtins", "annotations", "Any"} & set(shown)
    assert {"simulate", "open", "Fmu", "System"} <= set(shown)


def test_help_begins_with_what_users_need_first():
    names = re.findall(r"^    dv\.(\w+) {2,}\S", dv.__doc__, flags=re.MULTILINE)
    assert len(names) == 10
    assert names[:5] == ["load", "Dynamic", "System", "open", "simulate"]
    assert set(names) <= set(dir(dv))
    lines = dv.__doc__.split("Ten lines that run:")[1].split("Names are loaded")[0]
    text = python("import dovetail as dv\n" + textwrap.dedent(lines))
    assert "mass.x" in text


def test_the_options_of_an_fmu_are_typed_and_explained():
    names = [f.name for f in fields(dv.Fmu)]
    assert re.findall(r"^        (\w+): ", dv.Fmu.__doc__, flags=re.MULTILINE) == names
    assert not [n for n, hint in get_type_hints(dv.Fmu).items() if hint is Any]


def test_an_fmu_is_what_load_makes(archive, tmp_path, monkeypatch):
    path = archive("linear")
    assert dv.Fmu(path, tolerance=1e-6) is not None
    assert repr(dv.Fmu(str(path), tolerance=1e-6)) == repr(dv.load(path, tolerance=1e-6))
    monkeypatch.chdir(path.parent)
    near = dv.Fmu(path.name)
    monkeypatch.chdir(tmp_path)
    assert near.path == str(path), "wherever the program goes afterwards"
    with pytest.raises(dv.OptionError, match=r"Fmu has no option 'kimd'\. Did you mean 'kind'\?"):
        dv.Fmu(str(path), kimd="co-simulation")
    with pytest.raises(dv.OptionError, match="an FMU must be the path of a file, not 3"):
        dv.Fmu(3)


# Old names -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_an_old_name_works_and_warns(old, new):
    message = rf"^dv\.{old} is dv\.{new} now; the old name goes with version 0\.3$"
    with pytest.warns(DeprecationWarning, match=message) as caught:
        assert getattr(dv, old) is getattr(dv, new)
    assert [w.filename for w in caught] == [__file__], "the warning names who used it"
    with pytest.warns(DeprecationWarning, match=message):
        found = {}
        exec(f"from dovetail import {old} as it", found)
    assert found["it"] is getattr(dv, new)
    assert old not in dv.__all__


def test_the_new_names_warn_of_nothing():
    python(f"from dovetail import {', '.join(set(RENAMED.values()))}")


def test_old_names_are_no_names_any_more():
    assert not set(RENAMED) & set(dv.__all__)
    assert set(RENAMED.values()) <= set(dv.__all__)
    assert not any(
        isinstance(getattr(dv, new), ModuleType) for new in set(RENAMED.values()) - {"timescales"}
    )


@pytest.mark.parametrize(
    "text", ["checked(0.1)", "Checked(0.1)", "dv.Checked(0.1)", "checked: 0.1"]
)
def test_an_old_name_on_the_command_line_works_and_warns(text):
    message = "^the controller 'checked' is 'error_check' now; the old name goes with version 0.3$"
    with pytest.warns(DeprecationWarning, match=message):
        assert from_text(CONTROLLERS, text) == dv.ErrorCheck(0.1)


@pytest.mark.parametrize("text", ["iterated", "Iterated(time_scale=2.0)", "iterated: {}"])
def test_an_old_coordinator_works_and_warns(text):
    with pytest.warns(DeprecationWarning, match="'iterated' is 'iterated_junction' now"):
        assert isinstance(from_text(COORDINATORS, text), dv.IteratedJunction)


def test_an_old_name_of_another_family_is_no_name():
    with pytest.raises(dv.OptionError, match="there is no controller 'iterated'"):
        from_text(CONTROLLERS, "iterated")
    with pytest.raises(dv.OptionError, match="no controller 'sampled'"):
        from_text(CONTROLLERS, "sampled(0.1)")


MODELS = """
import dovetail as dv
c = dv.Dynamic(states={"v": 1.0}, inputs=["i"], outputs=["v"],
               derivatives=lambda t, x, u, p: [u.i],
               ports={"pin": dv.Port("electrical", effort="v", flow="i")})
"""
FILE = """
dovetail: 1
parts: {a: models.py:c, b: models.py:c}
junctions:
  - {ports: [a.pin, b.pin], coordinator: %s}
run: {stop: 0.2, algorithm: newton, controller: %s}
"""


def test_old_names_in_a_file_work_and_warn(tmp_path):
    (tmp_path / "models.py").write_text(MODELS)
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_text(FILE % ("{iterated: {time_scale: 0.5}}", "{checked: 0.1}"))
    new.write_text(FILE % ("{iterated_junction: {time_scale: 0.5}}", "{error_check: 0.1}"))
    with pytest.warns(DeprecationWarning) as caught:
        found = dv.open(old)
    assert {str(w.message).split(" now;")[0] for w in caught} == {
        "the controller 'checked' is 'error_check'",
        "the coordinator 'iterated' is 'iterated_junction'",
    }
    assert found.fingerprint() == dv.open(new).fingerprint()
    assert found.junctions[0].coordinator == dv.IteratedJunction(0.5)
    found.save(tmp_path / "again.yaml")
    assert "iterated_junction" in (tmp_path / "again.yaml").read_text()


def test_an_old_name_in_an_ssp_works_and_warns():
    with pytest.warns(DeprecationWarning, match="'checked' is 'error_check' now"):
        found = NestedEntry.model_validate({"controller": {"checked": 0.1}})
    assert found.controller == dv.ErrorCheck(0.1)


def test_a_mistake_beside_an_old_name_is_told_with_its_line(tmp_path):
    (tmp_path / "models.py").write_text(MODELS)
    path = tmp_path / "old.yaml"
    path.write_text(FILE % ("sliding_mode", "{checked: {sizes: 0.1}}"))
    with pytest.warns(DeprecationWarning), pytest.raises(dv.InputError, match="'sizes'") as caught:
        dv.open(path)
    assert "line 6" in str(caught.value) or ":6" in str(caught.value)


def test_the_command_line_tells_of_an_old_name(tmp_path):
    (tmp_path / "models.py").write_text(MODELS)
    path = tmp_path / "new.yaml"
    path.write_text(FILE % ("iterated_junction", "{error_check: 0.1}"))
    command = [sys.executable, "-m", "dovetail", "run", str(path), "--controller", "checked(0.1)"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "note: the controller 'checked' is 'error_check' now; the old name" in done.stderr


# The page for those who come from 0.1 -----------------------------------------------------------

PAGE = Path(__file__).parents[2] / "docs" / "migrating.md"


def test_the_page_lists_every_old_name():
    rows = re.findall(r"^\| `dv\.(\w+)` \| `dv\.(\w+)` \|", PAGE.read_text(), flags=re.MULTILINE)
    assert dict(rows) == RENAMED


def test_what_the_page_says_to_import_is_there():
    found = re.findall(r"`from dovetail\.extend import ([\w, ]+)`", PAGE.read_text())
    assert len(found) > 5
    assert {name for names in found for name in names.split(", ")} <= set(dv.extend.__all__)


def test_an_option_that_has_another_name_now_still_works_and_warns():
    with pytest.warns(DeprecationWarning, match="foretell= of Rollback is predict= now"):
        assert dv.Rollback(foretell=True) == dv.Rollback(predict=True)
    with pytest.warns(DeprecationWarning, match="foretell= of Rollback is predict= now"):
        found = from_text(ESTIMATORS, "rollback(foretell=true)")
    assert found == dv.Rollback(predict=True)
