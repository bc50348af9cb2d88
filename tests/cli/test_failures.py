"""Whatever happens: a sentence and an exit code, never a bare traceback."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.calling import COARSE, Command
from hearing import hearing

import dovetail as dv


def buggy(*_: object, **__: object) -> None:
    raise KeyError("oops")


def test_a_bug_is_called_a_bug(dovetail: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dovetail.formats.read", buggy)
    answer = dovetail("run", "predation.yaml")
    assert answer.code == 1
    assert answer.err == (
        "dovetail: KeyError: 'oops'; this is a bug in Dovetail; run again with --debug to see "
        "where\n"
    )
    in_json = dovetail("run", "predation.yaml", "--json")
    assert in_json.code == 1
    assert "this is a bug in Dovetail" in in_json.json["error"]


@pytest.mark.parametrize("way", ["--debug run", "run --debug", "variable"])
def test_debugging_shows_where(
    dovetail: Command, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr("dovetail.formats.read", buggy)
    if way == "variable":
        monkeypatch.setenv("DOVETAIL_DEBUG", "1")
        way = "run"
    answer = dovetail(*way.split(), "predation.yaml")
    assert answer.code == 1
    assert "Traceback" in answer.err
    assert "in buggy" in answer.err
    assert answer.err.endswith("this is a bug in Dovetail\n")


def test_debugging_shows_where_a_part_failed(dovetail: Command) -> None:
    answer = dovetail("run", "shaft.yaml", "--debug", "--quiet")
    assert "Traceback" in answer.err
    assert "the shaft broke (models.py, line 22)" in answer.err
    assert answer.code == 1


def test_an_interrupted_run_keeps_its_results(folder: Path) -> None:
    words = ["run", "predation.yaml", "--stop", "1e5", "--step", "1e-3", "--output", "run.parquet"]
    line = [sys.executable, "-m", "dovetail.cli", *words]
    with hearing():
        run = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with run:
        rows = folder / "run.parquet.rows"
        deadline = time.monotonic() + 60
        while not rows.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        try:
            _, err = run.communicate(timeout=60)
        finally:
            run.kill()
    assert run.returncode == 1
    assert "interrupted at t = " in err
    assert "what was computed is kept" in err
    assert "Traceback" not in err
    result = dv.read(folder / "run.parquet")
    assert len(result) > 1
    assert not result.finished


def test_an_interrupt_before_the_run_is_told(
    dovetail: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dovetail.formats.read", interrupted)
    answer = dovetail("run", "predation.yaml")
    assert answer.code == 1
    assert answer.err == "dovetail: interrupted; nothing was computed\n"


def test_nobody_listening_is_no_drama(folder: Path) -> None:
    command = f"{shlex.quote(sys.executable)} -m dovetail.cli check predation.yaml | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_warnings_are_sentences(dovetail: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    import warnings

    def warn(*_: object, **__: object) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.warn("something is odd", stacklevel=1)
        raise dv.OptionError("and then it stopped")

    monkeypatch.setattr("dovetail.formats.read", warn)
    answer = dovetail("run", "predation.yaml")
    assert answer.err == "dovetail: note: something is odd\ndovetail: and then it stopped\n"


@pytest.mark.parametrize("words", [["runn"], ["run", "a", "b"], ["compare", "a"]], ids=" ".join)
def test_wrong_words_are_wrong_input(dovetail: Command, words: list[str]) -> None:
    answer = dovetail(*words)
    assert answer.code == 2
    assert answer.out == ""
    assert "--help'." in answer.err


def test_slips_on_the_command_line_are_one_sentence(dovetail: Command) -> None:
    for words, sentence in (
        (["rum"], "No such command 'rum'. Did you mean 'run'? Try 'dovetail --help'."),
        (
            ["run", "predation.yaml", "--stop", "soon"],
            "Invalid value for '--stop': it must be a number. Try 'dovetail run --help'.",
        ),
        (["demo", "now"], "There is an argument too many (now). Try 'dovetail demo --help'."),
    ):
        answer = dovetail(*words)
        assert (answer.code, answer.err) == (2, f"dovetail: {sentence}\n")


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_an_answer_that_cannot_be_written_is_told(folder: Path, more: list[str]) -> None:
    command = [sys.executable, "-m", "dovetail", "run", "predation.yaml", "--quiet", *more]
    command += ["--algorithm", "jacobi(20)"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == (1 if more else 0)  # who is quiet has nothing to write
    told = "dovetail: writing the answer: No space left on device\n" if more else ""
    assert done.stderr == told


def test_a_terminal_that_lacks_letters_shows_others(folder: Path) -> None:
    command = [sys.executable, "-m", "dovetail", "demo"]
    plain = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=plain, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"profile ??> controller" in done.stdout


_COMMAND = f"{shlex.quote(sys.executable)} -m dovetail"


def through_a_shell(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", script], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&- <&-"])
def test_streams_may_be_closed(folder: Path, closed: str) -> None:
    """Services and cron do that; it was called a bug."""
    ran = through_a_shell(folder, f"{_COMMAND} run predation.yaml --stop 1 -o a.csv {closed}")
    assert (ran.returncode, "bug" in ran.stderr) == (COARSE, False)
    assert (folder / "a.csv").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="a folder in use can be removed there")
def test_a_current_folder_that_is_gone_is_told(folder: Path) -> None:
    place = shlex.quote(str(folder / "predation.yaml"))
    script = f"mkdir gone && cd gone && rmdir ../gone && {_COMMAND} run {place} -o a.csv"
    ran = through_a_shell(folder, script)
    assert ran.returncode == 2
    assert "the current folder is gone; change into another one" in ran.stderr


def test_a_value_longer_than_the_name_of_a_file_can_be_is_a_value(dovetail: Command) -> None:
    value = "9" * 5000
    ran = dovetail("run", "predation.yaml", "--set", f"prey.alpha={value}")
    assert ran.code == 2
    assert "'prey.alpha'" in ran.err and "too long" not in ran.err
