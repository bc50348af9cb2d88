"""FMI 1 is initialized in one call: its first inputs must be there before."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.fleet import is_clean, run

import dovetail as dv
from dovetail.fmi.calls.access import Channel
from dovetail.fmi.calls.fmi1 import Fmi1


@pytest.mark.parametrize("kind", ["co-simulation", "model exchange"])
def test_connected_inputs_are_set_before_an_fmi_1_fmu_initializes(fmu, monkeypatch, way, kind):
    calls = []
    wrapped = {Channel: "set", Fmi1: "ready"}
    for owner, name in wrapped.items():
        before = getattr(owner, name)

        def noted(self, *arguments, before=before, name=name):
            if name == "set" or self._pending is not None:
                calls.append(float(arguments[2][0]) if name == "set" else "initialized")
            return before(self, *arguments)

        monkeypatch.setattr(owner, name, noted)
    exchange = kind == "model exchange"
    model = fmu("linear", 1, strict=True, model_exchange=exchange, co_simulation=not exchange)
    system = dv.System("driven")
    system.add("wave", dv.Source(outputs=["u"], function=lambda t, p: [4.0 + np.sin(t)]))
    system.add("part", model)
    system.connect("wave.u", "part.u")
    result = run(system, stop=0.3, algorithm=dv.Jacobi())
    assert calls.count("initialized") == 1
    assert calls[calls.index("initialized") - 1] == 4.0
    assert len(result) == 4
    assert is_clean(model)


def test_without_connections_it_is_initialized_all_the_same(fmu):
    models, ends = [fmu("linear", version, strict=True) for version in (1, 2)], []
    for model in models:
        system = dv.System("alone")
        system.add("part", model, u=0.5, x=2.0)
        ends.append(run(system, stop=1.0).final["part.y"])
    assert ends[0] == ends[1] != 0
    assert is_clean(*models)
