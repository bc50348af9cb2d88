"""`dovetail describe` and `dovetail run` of an FMU."""

from __future__ import annotations

import pytest

from dovetail.cli.main import main


@pytest.mark.parametrize("version", [1, 2, 3])
def test_describe_tells_what_it_is(archive, capsys, version):
    assert main(["describe", str(archive("linear", version))]) == 0
    told = capsys.readouterr().out
    assert f"linear: FMI {version}.0, co-simulation" in told
    assert "x' = a x + b u + drive" in told
    assert "runs on this machine" in told
    assert "cannot be run" not in told


@pytest.mark.parametrize("version", [2, 3])
def test_model_exchange_is_described_checked_validated_and_run(archive, capsys, version, tmp_path):
    path = str(archive("ball", version, co_simulation=False))
    assert main(["describe", path]) == 0
    told = capsys.readouterr().out
    assert "equations without a solver: 2 states, 1 event indicator" in told
    assert "solved here by cvode" in told
    assert main(["validate", path]) == 0
    assert "loaded, initialised and stepped to t = 3 s" in capsys.readouterr().out
    assert main(["check", path]) == 0
    assert "fits together" in capsys.readouterr().out
    output = tmp_path / "run.csv"
    assert main(["run", path, "--stop", "1", "--step", "0.1", "--output", str(output)]) == 0
    assert "ball" in output.read_text().splitlines()[0]


def test_the_kind_is_chosen_on_the_command_line(archive, capsys):
    path = str(archive("vanderpol", 2))
    run = ["run", path, "--stop", "1", "--step", "0.5", "--json"]
    for kind in ("model exchange", "co-simulation"):
        assert main([*run, "--kind", kind]) == 0
        assert '"windows": 2' in capsys.readouterr().out.replace('": ', '": ')
    assert main([*run, "--kind", "scheduled"]) == 2
    assert "kind must be" in capsys.readouterr().err
    assert main([*run, "--merge", "--kind", "model exchange"]) == 0
    told = capsys.readouterr()
    assert ".x1" in told.out
