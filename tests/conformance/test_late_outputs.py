"""Some tools work outputs out only when an FMU leaves initialization: those count."""

from __future__ import annotations

import pytest

import dovetail as dv

VERSIONS = [2, 3]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kernel", ["native", "python"])
def test_the_first_row_is_what_the_fmu_tells_after_initialization(
    archive, version, kernel, monkeypatch
):
    """Amesim's FMUs tell zeros before. `y` is -1 then, and equal to `x` from there on."""
    if kernel == "python":
        monkeypatch.setenv("DOVETAIL_KERNEL", "python")
    system = dv.System("late")
    system.add("fmu", dv.load(archive("shy", version)), x=3.0)
    result = dv.simulate(system, stop=1.0, controller=dv.FixedStep(0.5), quiet=True)
    assert result["fmu.y"].tolist() == [3.0, 3.5, 4.0]


@pytest.mark.parametrize("version", VERSIONS)
def test_parts_behind_it_hear_of_that_before_the_first_window(archive, version):
    """One that can be asked at once answers anew; one that steps gets it with its first step."""
    system = dv.System("late")
    system.add("fmu", dv.load(archive("shy", version)), x=3.0)
    system.add(
        "gain", dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [2 * u.a])
    )
    system.add("next", dv.load(archive("shy", version)))
    system.connect("fmu.y", "gain.a")
    system.connect("gain.b", "next.u")
    options = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.5), "quiet": True}
    result = dv.simulate(system, stop=0.5, **options)
    assert result["gain.b"].tolist() == [6.0, 6.0]  # held over a window
    assert result["next.y"].tolist() == [0.0, 0.5 * (1 + 6)]


def test_a_group_passes_it_on(archive):
    inner = dv.System("inner")
    inner.add("fmu", dv.load(archive("shy", 2)), x=3.0)
    system = dv.System("outer")
    system.add("group", dv.Nested(inner))
    result = dv.simulate(system, stop=0.5, controller=dv.FixedStep(0.5), quiet=True)
    assert result["group.fmu.y"].tolist() == [3.0, 3.5]
