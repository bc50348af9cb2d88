"""Help that helps: every option in plain words, with units and defaults, and examples that run."""

from __future__ import annotations

import re
import shlex

import pytest
import typer

from dovetail.cli.main import app, main

GROUP = typer.main.get_command(app)
COMMANDS = list(GROUP.commands)  # type: ignore[attr-defined]
PARAMETERS = [
    (name, parameter)
    for name, command in [("dovetail", GROUP), *GROUP.commands.items()]  # type: ignore[attr-defined]
    for parameter in command.params
    if parameter.name != "help"
]


@pytest.mark.parametrize(("command", "parameter"), PARAMETERS, ids=lambda v: getattr(v, "name", v))
def test_every_option_is_explained_in_a_sentence(command: str, parameter: object) -> None:
    text = parameter.help  # type: ignore[attr-defined]
    assert len(text.split()) >= 4, "a word or two explain nothing"
    assert text[0].isupper() and text.endswith(".")


UNITS = {"T": "in s", "H": "in s", "SECONDS": "in seconds"}


@pytest.mark.parametrize(("command", "parameter"), PARAMETERS, ids=lambda v: getattr(v, "name", v))
def test_units_and_defaults_are_said(command: str, parameter: object) -> None:
    text, sort = parameter.help, parameter.metavar  # type: ignore[attr-defined]
    if sort in UNITS:
        assert UNITS[sort] in text
    optional = parameter.param_type_name == "option" and not parameter.is_flag  # type: ignore
    if optional and parameter.default is None and sort not in ("FILE", "DIR", "DATE", "[SHELL]"):  # type: ignore
        told = ("default", "Without it", "Also", "Look not only")
        assert any(word in text for word in told), "what happens without it?"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_examples_with_options_that_exist(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--help"]) == 0
    shown = capsys.readouterr().out.partition("Examples:\n")[2].strip().splitlines()
    command = GROUP.commands[name]  # type: ignore[attr-defined]
    known = {option for parameter in command.params for option in parameter.opts}
    assert shown
    for line in shown:
        words = shlex.split(line)
        assert words[:2] == ["dovetail", name]
        assert {word for word in words if word.startswith("-")} <= known


def test_commands_are_listed_by_what_a_newcomer_does_first(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    headings = re.findall(r"^(\w[\w ]+):$", out, re.MULTILINE)
    assert headings == [
        "Options",
        "To begin with",
        "Before a run",
        "A run and its result",
        "One model alone",
        "Across machines",
    ]
    places = [out.index(f"\n  {name} ") for name in ("demo", "check", "run", "plot", "validate")]
    assert places == sorted(places)
    for code in "0123":
        assert re.search(rf"\b{code} \w+", out.partition("Exit codes")[2])
