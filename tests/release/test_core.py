"""The core from its wheel, in an environment that holds nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path

from release.boxes import ROOT, bare, build, call, core_environment

MEGABYTE = 1e6


def test_the_core_is_light_and_runs_the_demo(tmp_path: Path) -> None:
    build(ROOT, tmp_path / "dist", "--wheel")
    [wheel] = (tmp_path / "dist").glob("*.whl")
    programs, sizes = core_environment(wheel, tmp_path / "core")
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        print(f"{size / MEGABYTE:8.1f} MB  {name}")
    print(f"{sum(sizes.values()) / MEGABYTE:8.1f} MB  in all, without byte code")
    assert not {"matplotlib", "pyarrow", "plotly", "pandas"} & set(sizes)
    assert sum(sizes.values()) < 250 * MEGABYTE
    here = bare(tmp_path, programs)
    said = call(programs / "dovetail", "demo", folder=tmp_path, environment=here).stdout
    assert "pip install 'dovetail[plot]'" in said
    assert (tmp_path / "dovetail-demo/demo.html").is_file()
    assert not (tmp_path / "dovetail-demo/demo.png").exists()
    words = ["run", "dovetail-demo/drive.yaml", "-q", "--stop", "0.1", "-o", "run.csv"]
    call(programs / "dovetail", *words, folder=tmp_path, environment=here)
    assert (tmp_path / "run.csv").read_text().startswith("time [s],")
    call(
        programs / "dovetail", "plot", "run.csv", "-o", "x.html", folder=tmp_path, environment=here
    )
    assert (tmp_path / "x.html").is_file()
    for words, way in (
        (["plot", "run.csv", "-o", "x.png"], "dovetail[plot]"),
        (["run", "dovetail-demo/drive.yaml", "-o", "x.parquet"], "dovetail[parquet]"),
    ):
        line = [programs / "dovetail", *words]
        done = subprocess.run(
            line, cwd=tmp_path, env=here, capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert f"which is not installed: pip install '{way}'" in done.stderr
        assert done.stderr.count("\n") == 1
