"""SSPs on the command line."""

import json
import warnings

import pytest
from ssp.texts import binding, component, connectors, document, real, system, values, wire

from dovetail.cli.main import main

TEXT = document(
    system(
        component("a", "linear", connectors("u input", "y output"), binding(values(a=real(-2)))),
        component("b", "linear", connectors("u input", "y output")),
        wires=wire("a/y", "b/u", '<ssc:LinearTransformation factor="2"/>'),
        rest="<ssd:Magic/>",
    ),
    '<ssd:DefaultExperiment stopTime="0.5"/>',
)
CLEAN = TEXT.replace("<ssd:Magic/>", "")


def called(*arguments, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        code = main([str(a) for a in arguments])
    return code, *capsys.readouterr()


def test_run_check_and_describe_take_an_ssd(folder, capsys):
    path = folder(CLEAN, "linear")
    code, out, _ = called("run", path, "--step", "0.1", "--json", capsys=capsys)
    assert code == 3  # five windows without iteration are doubtful
    assert json.loads(out)["stop"] == 0.5
    code, out, _ = called("check", path, capsys=capsys)
    assert code == 0
    assert "System 'drawing': fits together." in out
    code, out, _ = called("describe", path, capsys=capsys)
    assert code == 0
    assert "a  FMI 2.0 co-simulation, 1 input, 1 output; a = -2.0" in out
    assert "a.y -> b.u  x 2" in out


@pytest.mark.parametrize("command", ["run", "check", "describe"])
def test_what_is_not_supported_on_request(folder, capsys, command):
    path = folder(TEXT, "linear")
    code, _, err = called(command, path, capsys=capsys)
    assert code == 2
    assert "holds an element 'ssd:Magic'" in err
    assert "--unsupported warn" in err
    code, _, err = called(command, path, "--unsupported", "warn", capsys=capsys)
    assert code == 0
    assert "note: " in err and "holds an element 'ssd:Magic'" in err
    code, _, err = called(command, path, "--unsupported", "maybe", capsys=capsys)
    assert code == 2
    assert "unsupported must be 'error' or 'warn', not 'maybe'" in err


def test_no_stop_time(folder, capsys):
    text = CLEAN.replace('stopTime="0.5"', "")
    code, _, err = called("run", folder(text, "linear"), capsys=capsys)
    assert code == 2
    assert 'no stop time: give --stop, or write <DefaultExperiment stopTime="...">' in err
