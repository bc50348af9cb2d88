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


def test_describe_tells_why_it_cannot_be_run(archive, capsys):
    assert main(["describe", str(archive("vanderpol", 2, co_simulation=False))]) == 0
    assert "It cannot be run: the FMU offers model exchange" in capsys.readouterr().out
