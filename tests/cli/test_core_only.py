"""What runs with the core alone: matplotlib, pyarrow and all other extras are not there.

They are blocked in a process of its own, so that it is quick; tests/release tries a real one.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = {  # what an extra brings, as it is imported
    "matplotlib": "matplotlib",
    "pyarrow": "pyarrow",
    "pandas": "pandas",
    "xarray": "xarray",
    "h5py": "h5py",
    "openpyxl": "openpyxl",
    "cloudpickle": "cloudpickle",
    "starlette": "starlette",
    "uvicorn": "uvicorn",
    "websockets": "websockets",
    "scikit-sundae": "sksundae",
    "cryptography": "cryptography",
}
BLOCK = f"import sys\nfor name in {sorted(MODULES.values())}: sys.modules[name] = None\n"
COMMAND = BLOCK + "from dovetail.cli.main import main\nsys.exit(main(sys.argv[1:]))\n"


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-c", COMMAND, *words]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)


def script(folder: Path, text: str) -> str:
    line = [sys.executable, "-c", BLOCK + text]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the demo has run, and its system once more into a file."""
    folder = tmp_path_factory.mktemp("core")
    done = run(folder, "demo")
    assert done.returncode == 0, done.stderr
    (folder / "said").write_text(done.stdout, encoding="utf-8")
    done = run(folder, "run", "dovetail-demo/drive.yaml", "-q", "--stop", "0.2", "-o", "run.csv")
    assert done.returncode == 0, done.stderr
    return folder


def test_every_library_of_an_extra_is_blocked_here() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    [everything] = extras["all"]
    wanted = everything.removeprefix("dovetail[").removesuffix("]").split(",")
    names = {line.partition(">")[0] for extra in wanted for line in extras[extra]}
    assert names == set(MODULES)


def test_the_demo_runs_explains_and_tells_how_to_get_the_picture(demo: Path) -> None:
    said = (demo / "said").read_text(encoding="utf-8")
    assert "What happened" in said
    assert "(a picture, demo.png, needs matplotlib: pip install 'dovetail[plot]')" in said
    assert "dovetail-demo/demo.html" in said
    assert not (demo / "dovetail-demo/demo.png").exists()
    assert "machine.belt, loose" in (demo / "dovetail-demo/demo.html").read_text()


def test_results_become_text_and_pages(demo: Path) -> None:
    done = run(demo, "plot", "run.csv", "machine.*", "-o", "page.html")
    assert (done.returncode, done.stderr) == (0, "")
    assert "machine.speed" in (demo / "page.html").read_text()
    done = run(demo, "compare", "run.csv", "run.csv")
    assert done.returncode == 0, done.stderr
    text = "import dovetail as dv; r = dv.read('run.csv'); print(len(r), r['motor.current'].dtype)"
    assert script(demo, text).split()[1] == "float64"


SENTENCES = [
    ("plot run.csv", "matplotlib", "dovetail[plot]'; an .html page needs nothing else"),
    ("plot run.csv -o a.svg", "matplotlib", "dovetail[plot]'; an .html page needs nothing else"),
    ("run dovetail-demo/drive.yaml -o a.parquet", "pyarrow", "dovetail[parquet]'"),
    ("run dovetail-demo/drive.yaml -o a.arrow", "pyarrow", "dovetail[parquet]'"),
    ("run dovetail-demo/drive.yaml -o a.h5", "h5py", "dovetail[hdf5]'"),
    ("run dovetail-demo/drive.yaml -o a.xlsx", "openpyxl", "dovetail[excel]'"),
    ("studio dovetail-demo", "starlette", "dovetail[studio]'"),
]


def test_what_needs_an_extra_is_one_sentence_and_wrong_input(demo: Path) -> None:
    lines = [words.split() for words, _, _ in SENTENCES]
    program = BLOCK + (
        f"from dovetail.cli.main import main\nprint([main(words) for words in {lines}])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=demo, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{[2] * len(lines)}\n"
    wanted = [
        f"dovetail: this needs {library}, which is not installed: pip install '{way}"
        for _, library, way in SENTENCES
    ]
    assert done.stderr.splitlines() == wanted


def test_a_parquet_file_cannot_be_read_and_a_recorder_refuses_before_the_run(demo: Path) -> None:
    (demo / "other.parquet").write_bytes(b"PAR1 and so on")
    said = script(
        demo,
        "import dovetail as dv\n"
        "system = dv.System('s')\n"
        "system.add('a', dv.Dynamic(states={'x': 1.0}, outputs=['x'],"
        " derivatives=lambda t, x, u, p: [-x.x]))\n"
        "def tried(call):\n"
        "    try: call()\n"
        "    except dv.DovetailError as error: print(error)\n"
        "tried(lambda: dv.read('other.parquet'))\n"
        "tried(lambda: dv.load('other.parquet'))\n"
        "tried(lambda: dv.simulate(system, stop=1, quiet=True, recorder=dv.Parquet('b.parquet')))\n"
        "tried(lambda: dv.simulate(system, stop=1, quiet=True).plot())\n"
        "tried(lambda: dv.simulate(system, stop=1, quiet=True).to_pandas())\n",
    ).splitlines()
    assert ["pip install 'dovetail[parquet]'" in line for line in said[:3]] == [True] * 3
    assert "pip install 'dovetail[plot]'" in said[3]
    assert "pip install 'dovetail[tables]'" in said[4]
    assert len(said) == 5
    assert not list(demo.glob("b.parquet*"))


def test_measured_tables_are_read_and_played(demo: Path) -> None:
    (demo / "road.csv").write_text("time [s],height [cm],on\n0,1.5,true\n1,2.5,false\n2,1,false\n")
    said = script(
        demo,
        "import dovetail as dv\n"
        "system = dv.System('s')\n"
        "system.add('road', dv.load('road.csv'))\n"
        "result = dv.simulate(system, stop=2, quiet=True, controller=dv.FixedStep(0.5))\n"
        "print(result['road.height'].tolist()[:3], result.units['road.height'])\n",
    )
    assert said == "[1.5, 2.0, 2.5] cm\n"


def test_rows_that_a_killed_process_left_are_read(demo: Path) -> None:
    """Streamed to disk row by row; killed in the middle, without a chance to close anything."""
    program = BLOCK + (
        "import os, signal, dovetail as dv\n"
        "def derivatives(t, x, u, p):\n"
        "    if t > 0.505: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return [-x.x]\n"
        "system = dv.System('mortal')\n"
        "system.add('a', dv.Dynamic(states={'x': 1.0}, outputs=['x'], derivatives=derivatives))\n"
        "dv.simulate(system, stop=1, quiet=True, controller=dv.FixedStep(0.01),"
        " recorder=dv.File('dead.csv'))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=demo, check=False)
    assert done.returncode != 0
    assert not (demo / "dead.csv").exists()
    said = script(
        demo,
        "import dovetail as dv\n"
        "left = dv.read('dead.csv')\n"
        "print(len(left), round(left.time[-1], 9), left.finished)\n"
        "left.save('rescued.csv')\n"
        "again = dv.read('rescued.csv')\n"
        "print((again['a.x'] == left['a.x']).all(), len(again) == len(left))\n",
    )
    assert said == "51 0.5 False\nTrue True\n"
