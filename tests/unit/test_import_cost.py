"""Loading is quick because little is loaded; counted in modules, not in seconds."""

import json
import subprocess
import sys
import textwrap

import pytest

HEAVY = (
    "scipy",
    "pyarrow",
    "matplotlib",
    "pydantic",
    "typer",
    "rich",
    "pandas",
    "xarray",
    "lxml",
    "h5py",
    "yaml",
    "fmpy",
)


def loaded(code):
    """Top-level packages in memory after some code, and how many modules it added."""
    script = textwrap.dedent(
        """
        import sys
        before = set(sys.modules)
        {}
        import json
        added = set(sys.modules) - before
        print(json.dumps([sorted({{m.split(".")[0] for m in sys.modules}}), len(added)]))
        """
    ).format(textwrap.dedent(code).strip())
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    packages, count = json.loads(done.stdout.splitlines()[-1])
    return set(packages), count


def test_importing_the_package_loads_next_to_nothing():
    packages, count = loaded("import dovetail")
    assert not packages & {*HEAVY, "numpy"}
    assert count < 60, "mostly of the standard library"


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("import dovetail as dv; dv.Dynamic, dv.Algebraic, dv.Discrete, dv.Source", set()),
        ("import dovetail as dv; dv.System", set()),
        ("import dovetail as dv; dv.GaussSeidel, dv.FixedStep, dv.Session", set()),
        ("import dovetail as dv; dv.File, dv.Parquet, dv.read, dv.compare", set()),
        ("import dovetail as dv; dv.errors if hasattr(dv, 'errors') else None", set()),
    ],
    ids=["models", "drawing", "running", "results", "nothing"],
)
def test_names_bring_only_what_they_need(code, allowed):
    packages, _ = loaded(code)
    assert packages & set(HEAVY) <= allowed


def test_a_whole_run_in_memory_needs_numpy_only():
    packages, _ = loaded(
        """
        import dovetail as dv
        system = dv.System("s")
        tank = dv.Dynamic(states={"x": 1.0}, inputs=["u"], outputs=["x"],
                          derivatives=lambda t, x, u, p: [u.u - x.x])
        system.add("a", tank)
        system.add("b", tank)
        system.connect("a.x", "b.u")
        system.connect("b.x", "a.u")
        system.check()
        dv.simulate(system, stop=1.0, quiet=True)["a.x"]
        """
    )
    assert packages & set(HEAVY) <= set()


def test_every_public_name_can_be_loaded():
    code = """
        import json
        import dovetail as dv
        for name in dv.__all__:
            getattr(dv, name)
        assert set(dv.__all__) <= set(dir(dv))
        """
    loaded(code)
