"""Models under a reference, as files and `dv.load` give them, are exported as they are."""

import shutil

import pytest

import dovetail as dv
from dovetail.cli.main import main

MODELS = """
import dovetail as dv

lag = dv.Dynamic(
    states={"x": 1.0},
    inputs={"u": 0.0},
    outputs=["x"],
    derivatives=lambda t, x, u, p: [u.u - x.x],
)


@dv.export_class
class Doubling:
    u: float = dv.field("input", start=3.0)
    y: float = dv.field("output", start=0.0)

    def do_step(self, current_time, step_size):
        self.y = 2.0 * self.u
        return True
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with models in a file, and a drawing that refers to one of them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models.py").write_text(MODELS, encoding="utf-8")
    drawing = "dovetail: 1\nparts:\n  lag: models.py:lag\nrun: {stop: 1, step: 0.1}\n"
    (tmp_path / "lag.yaml").write_text(drawing, encoding="utf-8")
    return tmp_path


def final(path, name):
    return dv.simulate(str(path), stop=1.0, step=0.1, quiet=True)[name][-1]


def moved(folder, name):
    """The FMU where its model's file is not."""
    away = folder / "away"
    away.mkdir()
    shutil.move(folder / name, away / name)
    (folder / "models.py").unlink()
    return away / name


def expected(folder):
    return dv.simulate(str(folder / "lag.yaml"), quiet=True)["lag.x"][-1]


def test_a_drawing_with_models_from_a_file_is_exported(folder):
    wanted = expected(folder)
    dv.export("lag.yaml", "lag.fmu")
    assert final(moved(folder, "lag.fmu"), "lag.lag.x") == wanted


@pytest.mark.parametrize("beside", [False, True])
def test_a_loaded_model_is_exported_with_all_of_its_code(folder, beside):
    wanted = expected(folder)
    dv.export(dv.load("models.py:lag"), "lag.fmu", step=0.1, beside=beside)
    assert final(moved(folder, "lag.fmu"), "lag.lag.x") == pytest.approx(wanted, rel=1e-6)


def test_the_command_exports_a_model_or_a_class_of_a_file(folder, capsys):
    words = ["export", "models.py:lag", "-o", "lag.fmu", "--step", "0.1", "--outputs", "*.x"]
    assert main(words) == 0
    assert main(["export", "models.py:Doubling", "-o", "doubling.fmu", "--fmi", "3"]) == 0
    assert capsys.readouterr().out.split() == ["lag.fmu", "doubling.fmu"]
    assert final(moved(folder, "doubling.fmu"), "doubling.y") == 6.0
