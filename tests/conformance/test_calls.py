"""The order of calls: FMUs that insist on it find nothing to say, however a run ends."""

from __future__ import annotations

import pytest
from conformance.fleet import (
    ALGORITHMS,
    CONTROLLERS,
    alone,
    counts,
    is_clean,
    oscillator,
    pair,
    ring,
    run,
    walked,
)

import dovetail as dv

MODES = [(a, "fixed") for a in ALGORITHMS] + [("jacobi", "doubling"), ("newton", "doubling")]
FEW = [("jacobi", "fixed"), ("gauss_seidel_5", "fixed"), ("newton", "doubling")]
VERSIONS = [2, 3]


def grumpy(model):
    """Two of them, with all their types connected."""
    system = dv.System("grumpy")
    system.add("a", model, p=0.5, x=2.0, count=3, on=True, label="hello")
    system.add("b", model, k=0.7)
    for source, target in (("a", "b"), ("b", "a")):
        system.connect(f"{source}.y", f"{target}.u")
    for name in ("count", "on", "label"):
        system.connect(f"a.{name}_out", f"b.{name}")
    return system


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("algorithm", "controller"), MODES)
def test_grumpy_is_content(fmu, way, version, algorithm, controller):
    model = fmu("grumpy", version)
    options = {"algorithm": ALGORITHMS[algorithm], "controller": CONTROLLERS[controller]}
    run(grumpy(model), 1.0, **options)
    walked(grumpy(model), 0.5, **options)
    assert is_clean(model)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("algorithm", "controller"), MODES)
def test_strict_fmus_are_content(fmu, way, version, algorithm, controller):
    options = {"algorithm": ALGORITHMS[algorithm], "controller": CONTROLLERS[controller]}
    linear, body, spring, prey, predator = (
        fmu(name, version, strict=True) for name in ("linear", "body", "spring", "prey", "predator")
    )
    run(ring(linear), 1.0, **options)
    run(oscillator(body, spring), 1.0, **options)
    run(pair(prey, predator), 1.0, **options)
    assert is_clean(linear, body, spring, prey, predator)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(5, inputs="ramp"), dv.Iterative()])
def test_slopes_are_asked_and_given_in_order(fmu, way, version, algorithm):
    model = fmu(
        "linear", version, strict=True, **({"input_derivatives": 3} if version == 2 else {})
    )
    try:
        run(ring(model), 1.0, algorithm=algorithm)
    except dv.CapabilityError:
        assert version == 3  # FMI 3 takes derivatives of inputs in no other way than by clocks
    assert is_clean(model)


class Unlucky:
    """A source that fails after a while."""

    def __init__(self, at):
        self.at, self.table = at, dv.Table(time=[0.0, 9.0], columns={"h": [0.0, 9.0]})
        self.description = self.table.description

    def instantiate(self, name):
        inner, at = self.table.instantiate(name), self.at
        advance = inner.advance

        class Failing:
            def __getattr__(self, name):
                return getattr(inner, name)

            def advance(self, window, inputs):
                if window.stop > at:
                    raise ZeroDivisionError("out of luck")
                return advance(window, inputs)

        return Failing()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("algorithm", "controller"), FEW)
def test_after_a_failure_elsewhere_nothing_is_left(fmu, way, version, algorithm, controller):
    model = fmu("grumpy", version)
    system = grumpy(model)
    system.add("unlucky", Unlucky(0.45))
    options = {"algorithm": ALGORITHMS[algorithm], "controller": CONTROLLERS[controller]}
    with pytest.raises(dv.RunError, match="out of luck") as caught:
        run(system, 1.0, **options)
    assert caught.value.result is not None
    assert 0.3 < caught.value.result.time[-1] <= 0.46
    assert is_clean(model)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("algorithm", ["jacobi", "gauss_seidel_5"])
def test_left_in_the_middle_nothing_is_left(fmu, way, version, algorithm):
    model = fmu("grumpy", version)
    options = {"algorithm": ALGORITHMS[algorithm], "controller": dv.FixedStep(0.1)}
    with dv.Session(grumpy(model), stop=1.0, quiet=True, **options) as session:
        for step in session:
            if step.time > 0.3:
                break
    again = dv.Session(grumpy(model), stop=1.0, quiet=True, **options)
    with pytest.raises(KeyError), again:
        next(iter(again))
        raise KeyError("mine")
    assert is_clean(model)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_start_that_fails_leaves_nothing(fmu, way, version):
    good, bad = fmu("grumpy", version), fmu("liar", version, lie="token")
    system = alone(good)
    system.add("bad", bad)
    with pytest.raises(dv.PartFailed, match="'bad' failed while starting"):
        run(system)
    assert is_clean(good)
    assert counts(bad)["instances"] == 0


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("minimal", [False, True])
def test_steps_of_one_size_only(fmu, way, version, minimal):
    model = fmu("varying", version, strict=True, minimal=minimal)
    assert run(alone(model), 1.0).finished
    assert is_clean(model)


def needing_a_tool(xml):
    return xml.replace("<CoSimulation ", '<CoSimulation needsExecutionTool="true" ')


@pytest.mark.parametrize("version", VERSIONS)
def test_an_fmu_that_names_a_tool_is_tried(fmu, version):
    """Those of PythonFMU do: their tool is a Python interpreter, which they find themselves."""
    model = fmu("linear", version, edit=needing_a_tool)
    assert run(alone(model), 1.0).finished
    lost = fmu("linear", version, edit=needing_a_tool, lie="token")
    with pytest.raises(dv.PartFailed, match="it says that it needs the program it was exported"):
        run(alone(lost), 1.0)


def test_one_that_refuses_event_mode_says_the_way_out(fmu):
    with pytest.raises(dv.PartFailed, match=r"events=False\) runs it without event mode"):
        run(alone(fmu("ball", 3, lie="token")), 1.0)
