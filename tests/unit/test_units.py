"""Units are read as Modelica and FMI write them, and convert exactly where they can."""

from __future__ import annotations

import pickle
from math import isclose, pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail import units
from dovetail.units import BASE, Conversion, Unit, UnitError, UnitMismatch, conversion, parse

READ = {
    "rad/s2": Unit.of(rad=1, s=-2),
    "kg/m3": Unit.of(kg=1, m=-3),
    "m.s-1": Unit.of(m=1, s=-1),
    "N.m": Unit.of(kg=1, m=2, s=-2),
    "N.m/rad": Unit.of(kg=1, m=2, s=-2, rad=-1),
    "W/(m2.K)": Unit.of(kg=1, s=-3, K=-1),
    "J/(kg.K)": Unit.of(m=2, s=-2, K=-1),
    "J/kg/K": Unit.of(m=2, s=-2, K=-1),
    "1/s": Unit.of(s=-1),
    "1": Unit(),
    "-": Unit(),
    "": Unit(),
    "p.u.": Unit(),
    "%": Unit(factor=0.01),
    "%/m": Unit.of(m=-1, factor=0.01),
    "degC": Unit.of(K=1, offset=273.15),
    "°C": Unit.of(K=1, offset=273.15),
    "K": Unit.of(K=1),
    "deg": Unit.of(rad=1, factor=pi / 180),
    "rev/min": Unit.of(rad=1, s=-1, factor=2 * pi / 60),
    "rpm": Unit.of(rad=1, s=-1, factor=2 * pi / 60),
    "1/min": Unit.of(s=-1, factor=1 / 60),
    "km/h": Unit.of(m=1, s=-1, factor=1 / 3.6),
    "bar": Unit.of(kg=1, m=-1, s=-2, factor=1e5),
    "Pa": Unit.of(kg=1, m=-1, s=-2),
    "kPa": Unit.of(kg=1, m=-1, s=-2, factor=1e3),
    "MPa": Unit.of(kg=1, m=-1, s=-2, factor=1e6),
    "mbar": Unit.of(kg=1, m=-1, s=-2, factor=1e2),
    "l/min": Unit.of(m=3, s=-1, factor=1 / 60000),
    "L/min": Unit.of(m=3, s=-1, factor=1 / 60000),
    "h": Unit.of(s=1, factor=3600),
    "min": Unit.of(s=1, factor=60),
    "d": Unit.of(s=1, factor=86400),
    "a": Unit.of(s=1, factor=31557600),
    "t": Unit.of(kg=1, factor=1000),
    "g": Unit.of(kg=1, factor=0.001),
    "Wh": Unit.of(kg=1, m=2, s=-2, factor=3600),
    "kWh": Unit.of(kg=1, m=2, s=-2, factor=3.6e6),
    "kW.h": Unit.of(kg=1, m=2, s=-2, factor=3.6e6),
    "V": Unit.of(kg=1, m=2, s=-3, A=-1),
    "Ohm": Unit.of(kg=1, m=2, s=-3, A=-2),
    "kΩ": Unit.of(kg=1, m=2, s=-3, A=-2, factor=1000),
    "Hz": Unit.of(rad=1, s=-1, factor=2 * pi),
    "F": Unit.of(kg=-1, m=-2, s=4, A=2),
    "H": Unit.of(kg=1, m=2, s=-2, A=-2),
    "T": Unit.of(kg=1, s=-2, A=-1),
    "Wb": Unit.of(kg=1, m=2, s=-2, A=-1),
    "lm": Unit.of(cd=1),
    "lx": Unit.of(cd=1, m=-2),
    "cd": Unit.of(cd=1),
    "mol": Unit.of(mol=1),
    "eV": Unit.of(kg=1, m=2, s=-2, factor=1.602176634e-19),
    "mm2": Unit.of(m=2, factor=1e-6),
    "um": Unit.of(m=1, factor=1e-6),
    "\u00b5m": Unit.of(m=1, factor=1e-6),
    "\u03bcm": Unit.of(m=1, factor=1e-6),
    "dam": Unit.of(m=1, factor=10),
    "m^2": Unit.of(m=2),
    "m**2": Unit.of(m=2),
    "m^(-2)": Unit.of(m=-2),
    "m\u00b2\u00b7s\u207b\u00b9": Unit.of(m=2, s=-1),
    "kg*m2/s2": Unit.of(kg=1, m=2, s=-2),
    "kg m/s2": Unit.of(kg=1, m=1, s=-2),
    " N . m ": Unit.of(kg=1, m=2, s=-2),
    "(N.m)/(rad/s)": Unit.of(kg=1, m=2, s=-1, rad=-1),
    "m2/100": Unit.of(m=2, factor=0.01),
    "1/(m.s2)": Unit.of(m=-1, s=-2),
    "1e3*kg": Unit.of(kg=1, factor=1e3),
    "10^3 kg": Unit.of(kg=1, factor=1e3),
    "inch": Unit.of(m=1, factor=0.0254),
    "in": Unit.of(m=1, factor=0.0254),
    "ft": Unit.of(m=1, factor=0.3048),
    "lbf": Unit.of(kg=1, m=1, s=-2, factor=4.4482216152605),
    "psi": Unit.of(kg=1, m=-1, s=-2, factor=6894.757293168362),
    "degF": Unit.of(K=1, factor=5 / 9, offset=45967 / 180),
    "degRk": Unit.of(K=1, factor=5 / 9),
    "W/(m2.degC)": Unit.of(kg=1, s=-3, K=-1),
    "var": Unit.of(kg=1, m=2, s=-3),
    "VA": Unit.of(kg=1, m=2, s=-3),
    "kNm": Unit.of(kg=1, m=2, s=-2, factor=1000),
}


@pytest.mark.parametrize(("text", "unit"), READ.items(), ids=READ)
def test_units_are_read(text: str, unit: Unit) -> None:
    read = parse(text)
    assert read.exponents == unit.exponents
    assert isclose(read.factor, unit.factor, rel_tol=1e-15)
    assert read.offset == unit.offset
    assert read.name == text


@pytest.mark.parametrize(
    ("text", "told"),
    {
        "J/kg.K": "a product after '/' needs parentheses, as in 'J/(kg.K)'",
        "kg/m s": "needs parentheses",
        "Mpa": "'Mpa' is not a known unit. Did you mean 'MPa'?",
        "KG": "Did you mean 'kg'?",
        "sec": "Did you mean 's'?",
        "kilo": "'kilo' is not a known unit",
        "N/foobar": "'foobar' is not a known unit",
        "m^(1/2)": "exponents must be whole",
        "m2.5": "exponents must be whole",
        "km999": "at most 99",
        "Qm20": "too large or too small",
        "qm20": "too large or too small",
        "m/": "a unit should follow, but there it ends",
        "(m": "')' should follow, but there it ends",
        "m)": "but ')' follows",
        "kg(m)": "a multiplication sign or the end should follow",
        "m//s": "a unit should follow, but '/' follows",
        "N-m": "'-m' is no part of a unit",
        "0*m": "zero",
    }.items(),
)
def test_what_cannot_be_read_is_told_with_a_way_out(text: str, told: str) -> None:
    with pytest.raises(UnitError) as caught:
        parse(text)
    assert caught.value.text == text
    assert str(caught.value).startswith(f"the unit '{text}' cannot be read: ")
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("source", "target", "factor", "offset"),
    [
        ("m", "m", 1.0, 0.0),
        ("degC", "degC", 1.0, 0.0),
        ("degC", "K", 1.0, 273.15),
        ("K", "degC", 1.0, -273.15),
        ("degF", "degC", 5 / 9, -160 / 9),
        ("degC", "degF", 1.8, 32.0),
        ("m/s", "km/h", 3.6, 0.0),
        ("m3", "mm3", 1e9, 0.0),
        ("bar", "mbar", 1000.0, 0.0),
        ("kWh", "MJ", 3.6, 0.0),
        ("kg/s", "g/min", 60000.0, 0.0),
        ("rpm", "rad/s", 2 * pi / 60, 0.0),
        ("N.m", "J", 1.0, 0.0),
        ("%", "1", 0.01, 0.0),
        (None, "m", 1.0, 0.0),
        ("m", None, 1.0, 0.0),
        ("", "m", 1.0, 0.0),
    ],
)
def test_conversions_are_exact(
    source: str | None, target: str | None, factor: float, offset: float
) -> None:
    assert conversion(source, target) == Conversion(factor, offset)


def test_a_conversion_converts() -> None:
    assert conversion("degC", "K")(20.0) == 293.15


def test_offsets_do_not_count_for_differences() -> None:
    assert conversion("degC", "K", relative=True) == Conversion(1.0, 0.0)
    assert conversion("degF", "K", relative=True) == Conversion(5 / 9, 0.0)


def test_different_dimensions_are_told_apart() -> None:
    with pytest.raises(UnitMismatch) as caught:
        conversion("N", "m")
    assert str(caught.value) == "'N' is kg.m/s2 but 'm' is m"
    assert isinstance(caught.value, UnitError)
    assert (caught.value.source, caught.value.target) == (parse("N"), parse("m"))
    with pytest.raises(UnitMismatch, match=r"'0\.5\*kg' is kg but '1' is 1"):
        conversion(Unit.of(kg=1, factor=0.5), "1")


@pytest.mark.parametrize(
    ("angular", "plain"),
    [
        ("rad", "1"),
        ("rad/s", "1/s"),
        ("Hz", "1/s"),
        ("kHz", "1/ms"),
        ("rpm", "1/min"),
        ("rev", "1"),
        ("N.m.s/rad", "N.m.s"),
        ("V/Hz", "V.s"),
    ],
)
def test_a_radian_or_a_turn_may_be_left_away(angular: str, plain: str) -> None:
    assert conversion(angular, plain) == Conversion(1.0, 0.0)
    assert conversion(plain, angular) == Conversion(1.0, 0.0)


@pytest.mark.parametrize(
    ("angular", "plain"), [("deg", "1"), ("rpm", "1/s"), ("Hz", "1/min"), ("rad/s", "1/min")]
)
def test_an_angle_that_could_mean_two_things_is_refused(angular: str, plain: str) -> None:
    for source, target in ((angular, plain), (plain, angular)):
        with pytest.raises(UnitMismatch, match="in radians or in turns is not known"):
            conversion(source, target)


@pytest.mark.parametrize(("source", "target"), [("rad", "rad2"), ("rad", "m"), ("Hz", "1/m")])
def test_other_differences_in_angle_are_refused(source: str, target: str) -> None:
    with pytest.raises(UnitMismatch) as caught:
        conversion(source, target)
    assert "radians or in turns" not in str(caught.value)


def test_a_hertz_is_a_turn_per_second() -> None:
    assert conversion("Hz", "rad/s") == Conversion(2 * pi, 0.0)
    assert conversion("rpm", "Hz") == Conversion(1 / 60, 0.0)


def test_a_models_own_definition_comes_first() -> None:
    own = {"deg": Unit.of("deg", rad=1, factor=0.5), "foo": Unit.of("foo", m=1, factor=7.0)}
    assert units.find("deg", own) == own["deg"]
    assert conversion(units.find("foo", own), "m") == Conversion(7.0, 0.0)
    assert units.find("m", own) == parse("m")
    assert units.find(None, own) is None
    assert units.find("", own) is None


def test_a_model_may_call_one_per_second_a_hertz() -> None:
    plain = Unit.of("Hz", s=-1)
    assert conversion(plain, "rad/s") == Conversion(2 * pi, 0.0)
    assert conversion("rad/s", plain) == Conversion(1 / (2 * pi), 0.0)
    assert conversion(plain, "Hz") == Conversion(1.0, 0.0)
    assert conversion(plain, "1/s") == Conversion(1.0, 0.0)
    assert conversion(Unit.of("my own", s=-1), "rad/s") == Conversion(1.0, 0.0)


def test_definitions_that_agree_to_nine_digits_pass_values_unchanged() -> None:
    own = Unit.of("rpm", rad=1, s=-1, factor=0.1047197551)
    assert conversion(own, "rpm") == Conversion(1.0, 0.0)


def test_a_base_unit_must_be_one() -> None:
    with pytest.raises(UnitError, match="'lb' is not one of kg, m, s"):
        Unit.of("stone", lb=14)
    with pytest.raises(UnitError, match="factor is zero"):
        Unit.of("nothing", m=1, factor=0.0)


def test_errors_survive_pickling() -> None:
    for error in (UnitError("x", "because"), UnitMismatch(parse("N"), parse("m"))):
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == str(error)


exponents = st.tuples(*[st.integers(-4, 4)] * len(BASE))
factors = st.floats(1e-9, 1e9)
offsets = st.floats(-1e3, 1e3)
anything = st.builds(Unit, exponents, factors, offsets)
without_offset = st.builds(Unit, exponents, factors)
symbols = st.sampled_from(["m", "kg", "ms", "bar", "kWh", "rpm", "ft", "Ohm", "cd", "mol", "%"])


@given(anything)
def test_a_printed_unit_reads_as_itself(unit: Unit) -> None:
    assert parse(str(unit)) == unit


@given(exponents, factors, offsets, factors, offsets, st.floats(-1e6, 1e6))
def test_there_and_back_again(
    powers: units.Exponents, f: float, o: float, g: float, p: float, value: float
) -> None:
    a, b = Unit(powers, f, o), Unit(powers, g, p)
    there, back = conversion(a, b), conversion(b, a)
    lost = 1e-9 * (abs(value) + (abs(o) + abs(p)) / f)  # nine digits count as the same
    assert abs(back(there(value)) - value) <= lost


@given(exponents, factors, offsets)
def test_a_unit_into_itself_changes_nothing(powers: units.Exponents, f: float, o: float) -> None:
    assert conversion(Unit(powers, f, o), Unit(powers, f, o)) == Conversion(1.0, 0.0)


@given(without_offset, without_offset)
def test_products_and_quotients_undo_each_other(a: Unit, b: Unit) -> None:
    again = a * b / b
    assert again.exponents == a.exponents
    assert isclose(again.factor, a.factor, rel_tol=1e-14)


@given(st.lists(st.tuples(symbols, st.integers(-3, 3)), min_size=1, max_size=4))
def test_texts_multiply_as_units_do(parts: list[tuple[str, int]]) -> None:
    product = Unit()
    for symbol, power in parts:
        product = product * parse(symbol) ** power
    for sign, power_sign in ((".", ""), ("*", "^"), (" ", "**")):
        read = parse(sign.join(f"{s}{power_sign}{p}" for s, p in parts))
        assert read.exponents == product.exponents
        assert isclose(read.factor, product.factor, rel_tol=1e-14)


@given(symbols, st.sampled_from(["1", "s", "m2"]), symbols)
def test_division_goes_from_left_to_right(a: str, b: str, c: str) -> None:
    assert parse(f"{a}/{b}/{c}") == parse(a) / parse(b) / parse(c)
