"""Units as people write them: what is meant is suggested."""

import pytest

from dovetail.core.spelling import nearest
from dovetail.units import UNCHANGED, UnitError, conversion


@pytest.mark.parametrize(
    ("source", "target", "hint"),
    [
        ("C", "K", "'C' is the coulomb: write 'degC' if that is what you mean"),
        ("degC", "C", "'C' is the coulomb: write 'degC' if that is what you mean"),
        ("W/(m2.C)", "W/(m2.K)", "'C' is the coulomb: write 'W/(m2.K)' if"),
        ("deg C", "K", "'deg C' is a degree of angle times a coulomb: write 'degC' if"),
        ("F", "degC", "'F' is the farad: write 'degF' if"),
        ("mm/S", "m/s", "'S' is the siemens: write 'mm/s' if"),
        ("H", "s", "'H' is the henry: write 'h' if"),
        ("g", "m/s2", "'g' is the gram: write 'gn' if"),
    ],
)
def test_a_symbol_that_stands_for_something_else_is_explained(source, target, hint):
    with pytest.raises(UnitError) as caught:
        conversion(source, target)
    assert f"; {hint}" in str(caught.value)


@pytest.mark.parametrize(("source", "target"), [("C", "m"), ("m", "s"), ("A", "K")])
def test_what_nobody_means_is_not_suggested(source, target):
    with pytest.raises(UnitError) as caught:
        conversion(source, target)
    assert "if that is what you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("hr", "h"),
        ("hours", "h"),
        ("sec", "s"),
        ("secs", "s"),
        ("minutes", "min"),
        ("kmh", "km/h"),
        ("Kmh", "km/h"),
        ("RPM", "rpm"),
        ("U", "rev"),
        ("Celsius", "degC"),
        ("degK", "K"),
        ("lpm", "l/min"),
        ("cc", "cm3"),
        ("amps", "A"),
        ("meters", "m"),
        ("KW", "kW"),
    ],
)
def test_a_word_for_a_unit_suggests_it(written, meant):
    with pytest.raises(UnitError, match=f"'{written}' is not a known unit. Did you mean '{meant}'"):
        conversion(written, "1")


def test_brackets_around_a_unit_are_taken_off_by_the_reader_of_the_message():
    with pytest.raises(UnitError, match=r"'\[m\]' is no part of a unit; write 'm'"):
        conversion("[m]", "m")


@pytest.mark.parametrize(("a", "b"), [("rpm", "rev/min"), ("Nm", "N.m"), ("Nm", "N*m")])
def test_two_ways_to_write_a_unit_are_one(a, b):
    assert conversion(a, b) == UNCHANGED


RUN = ("start", "stop", "step", "algorithm", "controller", "estimators", "rtol", "atol", "record")


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("setp", "step"),
        ("stpe", "step"),
        ("spte", "step"),
        ("stpo", "stop"),
        ("sotp", "stop"),
        ("rotl", "rtol"),
        ("STEP", "step"),
        ("algoritm", "algorithm"),
        ("colour", None),
    ],
)
def test_letters_that_changed_places_lead_to_the_right_word(slip, meant):
    assert nearest(slip, RUN) == meant


def test_a_name_in_capitals_is_found_though_no_letter_is_the_same():
    assert nearest("KP", ["Ti", "Td", "kp"]) == "kp"


def test_among_many_names_the_nearest_is_found():
    """FMUs have that many variables, so slips are counted only where it may matter."""
    names = [f"plant.body[{k}].frame.r" for k in range(20_000)]
    assert nearest("plant.body[7777].fraem.r", names) == "plant.body[7777].frame.r"
