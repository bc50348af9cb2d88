"""What is said to somebody who changes a drawing."""

import pytest

import dovetail as dv


def tank():
    return dv.Dynamic(
        states={"level": 2.0},
        inputs={"inflow": 0.1},
        outputs=["level"],
        parameters={"area": dv.Variable("area", unit="m2", start=4.0, minimum=0.0), "valve": 0.05},
        units={"inflow": "m3/s"},
        derivatives=lambda t, x, u, p: [(u.inflow - p.valve * x.level**0.5) / p.area],
        output=lambda t, x, u, p: [x.level],
    )


def system():
    made = dv.System("tanks")
    made.add("upper", tank())
    made.add("lower", tank())
    made.connect("upper.level", "lower.inflow", convert=False)
    return made


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (
            lambda: system().set("upper.vavle", 1.0),
            "'upper.vavle' is not a parameter, start value or input of 'upper'. Did you mean "
            "'valve'?",
        ),
        (
            lambda: system().set("valve", 1.0),
            "'valve' names no part; write 'part.variable'. Did you mean 'upper.valve'?",
        ),
        (
            lambda: system().set("uper.valve", 1.0),
            "there is no part 'uper'. Did you mean 'upper'?",
        ),
        (
            lambda: system().set("upper.area", "3 m"),
            "'upper.area' has the unit 'm2', so it cannot be '3 m': 'm' is m but 'm2' is m2.",
        ),
        (
            lambda: system().set("upper.valve", "3 m"),
            "'upper.valve' has no unit, so it takes a plain number, not '3 m'.",
        ),
        (
            lambda: system().set("upper.area", -1.0),
            "'upper.area' is -1 m2, and its model declares at least 0 m2; to insist, use "
            "system.set('upper.area', ..., force=True), 'force: [area]' in a file, or "
            "--force.",
        ),
        (
            lambda: system().parts["upper"].values.update(area=3.0),
            "the values of 'upper' are for reading; write system.set('upper.area', ...).",
        ),
        (
            lambda: system().get("upper.level[2]"),
            "'upper.level[2]' is not a parameter, start value or input of 'upper'. Did you "
            "mean 'level'?",
        ),
        (lambda: system().remove("uper"), "there is no part 'uper'. Did you mean 'upper'?"),
        (lambda: system().rename("upper", "lower"), "there is a part 'lower' already."),
        (lambda: system().disconnect("upper.inflow"), "'upper.inflow' is not connected."),
        (
            lambda: system().disconnect("upper.level"),
            "'upper.level' is an output; name the input that it feeds: 'lower.inflow'.",
        ),
        (
            lambda: system().replace("upper", dv.Source(outputs=["y"], function=lambda t, p: [t])),
            "the model for 'upper' does not fit: 'upper.level' is not an output of 'upper'. "
            "It has: y.",
        ),
    ],
)
def test_a_change_that_cannot_be_made(action, message):
    with pytest.raises(dv.DrawingError) as caught:
        action()
    assert str(caught.value) == message
