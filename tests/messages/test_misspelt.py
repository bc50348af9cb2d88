"""Options of classes that are misspelt, missing or too many: one sentence, with a suggestion."""

import inspect
from dataclasses import is_dataclass, replace

import pytest

import dovetail as dv


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: dv.GaussSeidel(extrapolatoin=1),
            "GaussSeidel has no option 'extrapolatoin'. Did you mean 'extrapolation'?",
        ),
        (
            lambda: dv.FixedStep(0.1, dt=0.2),
            "FixedStep has no option 'dt'. It has size, min_size.",
        ),
        (dv.FixedStep, "FixedStep needs size"),
        (lambda: dv.FixedStep(0.1, 2, 3), "FixedStep takes 2 options at most: size, min_size"),
        (lambda: dv.FixedStep(0.1, size=0.2), "FixedStep is given size twice"),
        (
            lambda: dv.Dynamic({"x": 1.0}),
            "Dynamic takes its options by name: states=..., derivatives=..., inputs=...",
        ),
        (
            lambda: dv.Source(output=["y"], function=lambda t, p: [1.0]),
            "Source has no option 'output'. Did you mean 'outputs'?",
        ),
        (lambda: dv.Dynamic(states={"x": 1.0}), "Dynamic needs derivatives"),
        (
            lambda: dv.rootfinders.Anderson(dept=3),
            "Anderson has no option 'dept'. Did you mean 'depth'?",
        ),
        (
            lambda: dv.Port("electrical", "v", "i", displacment="q"),
            "Port has no option 'displacment'. Did you mean 'displacement'?",
        ),
    ],
)
def test_an_option_that_is_not_there(call, message):
    with pytest.raises(dv.OptionError) as refused:
        call()
    assert str(refused.value) == message


def test_every_public_class_with_options_says_so():
    """Whatever is exported and made by calling it."""
    made_by_the_program = {"Merged", "Comparison", "Verdict", "Statistics", "Analysis"}
    made_by_the_program.add("ExportedClass")  # by dv.export_class
    silent = []
    for name in dv.__all__:
        cls = getattr(dv, name)
        if not (inspect.isclass(cls) and is_dataclass(cls)) or name in made_by_the_program:
            continue
        try:
            cls(no_such_option=1)
        except dv.InputError:
            continue
        except TypeError:
            silent.append(name)
    assert silent == []


def test_what_is_wrong_inside_stays_what_it_is():
    class Odd:
        def __iter__(self):
            raise TypeError("inside")

    with pytest.raises(TypeError, match="inside"):
        dv.Source(outputs=["y"], function=lambda t, p: [1.0], jumps=Odd())
    assert replace(dv.GaussSeidel(), max_iterations=3).max_iterations == 3
    assert "max_iterations" in str(inspect.signature(dv.GaussSeidel))
