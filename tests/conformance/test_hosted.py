"""A sample of the tests about parts, once more with all parts in hosts: the same bits.

`pytest -m hosted` runs all of them so.
"""

from __future__ import annotations

import sys

import numpy as np
import pytest

import dovetail as dv
from dovetail.hosts.proxy import Hosted

from . import (
    test_events,
    test_late_outputs,
    test_linearization,
    test_misbehaving,
    test_model_exchange,
    test_values,
)

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")
pytestmark = [LINUX, pytest.mark.usefixtures("hosted")]

KEPT = {
    test_events: "bounces_at_the_right_times cannot_go_back clock",
    test_late_outputs: "test_",
    test_linearization: "test_",
    test_misbehaving: "test_error_is_overcome no_number",
    test_model_exchange: "event",
    test_values: "test_",
}
for _module, _words in KEPT.items():
    for _name, _test in vars(_module).items():
        if _name.startswith("test_") and any(word in _name for word in _words.split()):
            globals()[f"{_name}_hosted"] = _test


def test_parts_are_in_hosts_here(fmu):
    system = dv.System("s")
    system.add("it", fmu("linear", 2))
    with dv.Session(system, stop=1.0, quiet=True) as session:
        assert isinstance(session.assembly.subsystems[0].subsystem, Hosted)


@pytest.mark.parametrize(
    ("version", "algorithm"),
    [(n, dv.Jacobi()) for n in (1, 2, 3)] + [(n, dv.GaussSeidel(20)) for n in (2, 3)],
)
def test_the_bits_are_those_of_one_process(archive, version, algorithm):
    found = []
    for placement in ({"*": dv.LocalHost()}, {"*": None}):
        system = dv.System("s")
        for name in ("a", "b"):
            system.add(name, dv.load(archive("linear", version)))
        system.connect("a.y", "b.u", gain=0.5)
        system.connect("b.y", "a.u")
        ways = {"algorithm": algorithm, "step": 0.1, "quiet": True, "verify": False}
        found.append(dv.simulate(system, stop=1.0, placement=placement, **ways))
    for name in found[0].names:
        assert np.array_equal(found[0][name], found[1][name])
