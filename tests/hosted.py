"""Parts in hosts: a fixture under which tests about parts run a second time.

A test that asks for `hosted` has its parts in a host. `pytest -m hosted` runs all tests of
`FOLDERS` and `FILES` so, but those of `HERE_ONLY`, which say why they are about this process.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dovetail.hosts import LocalHost, homes, stand_in
from dovetail.hosts.host import Host
from dovetail.subsystems.subsystem import Model, Subsystem

FOLDERS = ("conformance", "contracts")
# of tests/unit: events, junctions, checkpoints, counters, and what steps back
_NAMED = """
    assembly carried_errors checkpoint coordination cut_windows energy_at_junctions event_rows
    events following held_switches hints interpolated_inputs junctions junctions_over_time
    kept_checkpoint many_windows master_counts nested relinearized session standing
    stop_does_not_matter tuning window_loop
"""
FILES = frozenset(_NAMED.split())
NATIVE = "how often native code of this process is called, or whether it is"
INSIDE = "looks into the live part, which is in the other process"
PATCHED = "replaces code that parts call, which is in the other process"
PLACED = "places parts itself"
NOTED = "its models note in lists of this process what they are asked"
_NATIVE = (
    "bonds",
    "control",
    "cubics",
    "decision",
    "events",
    "exchange",
    "exchange_sizes",
    "following",
    "hints",
    "steps",
    "table",
    "tunable",
    "windows",
)
HERE_ONLY = {  # by the file, and words in the name of the test; all of the file without words
    "test_hosted": (PLACED, ""),
    "test_cost": ("the time of native calls", ""),
    "test_algorithms": (NOTED, "every_genuine_advance"),
    "test_agreement": (NATIVE, "left_undecided"),
    "test_asking": (NATIVE, "in_one_call"),
    "test_carried_errors_of_fmus": (NATIVE, "native_windows_are_seen"),
    "test_changing_sizes": (INSIDE, "nominal_values_may_change"),
    "test_curves": (NATIVE, "past_is_handed"),
    "test_ended_from_inside": ("what ends this process", ""),
    "test_first_inputs": (PATCHED, "connected_inputs_are_set"),
    "test_full_disks": (NATIVE, "leave_windows_native"),
    "test_lifetimes": ("libraries, threads and memory of this process", ""),
    "test_misbehaving": (INSIDE, "a_warning_is_no_error"),
    "test_model_exchange": (INSIDE, "a_restored_part_goes_on"),
    "test_nested": (INSIDE, "keep_their_size"),
    "test_own_libraries": ("libraries in this process", ""),
    "test_relinearized": (PATCHED, "are_made_anew"),
    "test_reports": (INSIDE, "a_failure_to_read"),
    "test_rollback_check": (PATCHED, "found_out say_the_same looked_at_again"),
    "test_session": (NOTED, "closes_its_parts before_one_that_cannot shows_nothing"),
    "test_state_trial": (PATCHED, "tried_once_and_for_all"),
    "test_snapshots": ("counters of libraries in this process", ""),
    **{f"test_native_{name}": (NATIVE, "") for name in _NATIVE},
    "test_plan": (NATIVE, ""),
}
_HOSTS: list[Host] = []  # of the test that runs


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Parts that nobody placed live in one host together."""
    placed, host = homes._placed, Host("made", LocalHost())
    monkeypatch.setattr(homes, "_placed", lambda n, p, where: placed(n, p, where or LocalHost()))
    _HOSTS.append(host)
    yield
    _HOSTS.remove(host)
    host.close()


def made(model: Model, name: str) -> Subsystem:
    """A live part: here, or with `hosted` in a host."""
    return stand_in.hosted(name, model, _HOSTS[-1]) if _HOSTS else model.instantiate(name)


@pytest.fixture(autouse=True)
def _home(request: pytest.FixtureRequest) -> None:
    """With `-m hosted` each test has its parts in a host."""
    if getattr(request, "param", "") == "hosted":
        request.getfixturevalue("hosted")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests about parts, once more with hosts, where that was asked for."""
    asked = metafunc.config.option.markexpr
    if sys.platform != "linux" or "hosted" not in asked or "not hosted" in asked:
        return
    path = Path(str(metafunc.definition.path))
    known = path.parent.name in FOLDERS or path.stem.removeprefix("test_") in FILES
    _, words = HERE_ONLY.get(path.stem, ("", None))
    name = metafunc.function.__name__
    if known and (words is None or (words and not any(w in name for w in words.split()))):
        home = pytest.param("hosted", marks=pytest.mark.hosted)
        metafunc.parametrize("_home", [home], indirect=True)
