"""How a multi-model is to be run: times, steps, stabilisation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from ...algorithms import Jacobi
from ...controllers import Constraints, Controller, FixedStep
from ...controllers.step_limits import limit_text
from ...core.errors import InputError
from ...drawing.run_settings import RunSettings
from ..ssp.complaints import Complaints, Place
from .names import port_of

_ATTEMPTS = 5  # at most, to stabilise a step
_ALL_BUT_ZERO = 1e-100  # an absolute tolerance of nothing: equal values pass, others do not
_TIMES = (("startTime", "start_time"), ("endTime", "end_time"))


@dataclass(frozen=True, slots=True)
class RunReader:
    """Turns what a configuration says into run settings; `part_of` names parts and variables."""

    data: Mapping[str, Any]
    place: Place
    complaints: Complaints
    part_of: Callable[[str], str]  # {fmu}.instance.variable -> part.variable, or ValueError
    can_roll_back: bool

    def settings(self) -> RunSettings:
        """All of it but what is recorded."""
        start, stop = (self._number(*names) for names in _TIMES)
        try:
            return RunSettings(
                start=start,
                stop=stop,
                algorithm=self._coupling(),
                controller=self._windows(),
            )
        except InputError as error:
            self.complaints.problem(self.place, str(error))
            return RunSettings()

    def _coupling(self) -> Jacobi:
        if not self.data.get("stabalizationEnabled"):
            return Jacobi()
        if not self.can_roll_back:
            what = "stabalizationEnabled needs FMUs that can all get and set their state"
            self.complaints.problem(self.place, what)
            return Jacobi()
        attempts = self.data.get("convergenceAttempts")
        rtol = self._number("global_relative_tolerance")
        atol = self._number("global_absolute_tolerance")
        return Jacobi(
            max_iterations=attempts if isinstance(attempts, int) and attempts > 1 else _ATTEMPTS,
            on_limit="accept",
            rtol=rtol or 0.01,
            atol=atol or _ALL_BUT_ZERO,
        )

    def _windows(self) -> Controller | None:
        given = self.data.get("algorithm")
        if given is None:
            size = self._number("step_size")
            return None if size is None else FixedStep(size)
        if not isinstance(given, dict):
            self.complaints.problem(self.place, "'algorithm' must be a mapping")
            return None
        match given.get("type", "fixed-step"):
            case "fixed-step":
                size = self._checked("algorithm.size", given.get("size"))
                return None if size is None else FixedStep(size)
            case "var-step":
                return self._varied(given)
        what = f"the algorithm '{given.get('type')}' is not known; fixed-step and var-step are"
        self.complaints.unsupported(self.place, what)
        return None

    def _varied(self, given: Mapping[str, Any]) -> Constraints | None:
        sizes = given.get("size")
        if not isinstance(sizes, list) or len(sizes) != 2:
            what = "'algorithm.size' of var-step must be the least and the largest, [1e-6, 1]"
            self.complaints.problem(self.place, what)
            return None
        checked = [self._checked("algorithm.size", size) for size in sizes]
        first = self._checked("algorithm.initsize", given.get("initsize", max(map(float, sizes))))
        if None in checked or first is None:
            return None
        least, largest = sorted(float(size) for size in checked if size is not None)
        limits = given.get("constraints") or {}
        if not isinstance(limits, dict):
            self.complaints.problem(self.place, "'algorithm.constraints' must be a mapping")
            return None
        return Constraints(
            tuple(self._limits(limits)),
            first_size=min(max(first, least), largest),
            min_size=least,
            max_size=largest,
            rollback=self.can_roll_back,
        )

    def _limits(self, given: Mapping[str, Any]) -> Iterator[str]:
        for name, one in given.items():
            place = Place(self.place.file, path=f"algorithm.constraints.{name}")
            kind = one.get("type") if isinstance(one, dict) else None
            try:
                match kind:
                    case "boundeddifference":
                        yield self._limit("difference", one, ("abstol", "reltol", "safety"), place)
                    case "zerocrossing":
                        yield self._limit("crossing", one, ("abstol", "safety", "order"), place)
                    case "samplingrate":
                        yield self._sampling(one)
                    case "fmumaxstepsize":
                        what = "asks FMUs for their largest step, which FMI has no function for"
                        self.complaints.note(place, f"{what}: it limits nothing")
                    case _:
                        what = f"'{kind}' is no kind of constraint: zerocrossing, "
                        what += "boundeddifference, samplingrate and fmumaxstepsize are"
                        self.complaints.unsupported(place, what)
            except ValueError as error:
                self.complaints.problem(place, str(error))

    def _limit(
        self, word: str, given: Mapping[str, Any], options: tuple[str, ...], place: Place
    ) -> str:
        ports = given.get("ports")
        if not isinstance(ports, list) or not ports:
            raise ValueError("needs 'ports', a list of variables")
        most = 2 if word == "crossing" else len(ports)
        if len(ports) > most:
            raise ValueError(f"compares two ports, not {len(ports)}")
        signals = tuple(self.part_of(str(port)) for port in ports)
        found = {}
        for option in options:
            if (value := given.get(option)) is not None:
                found[{"abstol": "atol", "reltol": "rtol"}.get(option, option)] = _real(value)
        if given.get("skipDiscrete") is False and word == "difference":
            what = "skipDiscrete false: the first window after a sampling instant grows as if true"
            self.complaints.note(place, what)
        return limit_text(word, signals, found)

    def _sampling(self, given: Mapping[str, Any]) -> str:
        """Instants are whole multiples of a power of ten."""
        base, rate = given.get("base"), given.get("rate")
        if not isinstance(base, int) or not isinstance(rate, int) or rate < 1 or abs(base) > 30:
            raise ValueError("needs 'base', a power of ten, and 'rate', both whole numbers")
        offset = _real(given.get("startTime") or 0)
        unit = float(f"1e{base}")
        return limit_text("sampling", (), {"every": rate * unit, "offset": offset * unit})

    def _number(self, *names: str) -> float | None:
        found = next((n for n in names if self.data.get(n) is not None), None)
        return None if found is None else self._checked(found, self.data[found])

    def _checked(self, name: str, value: Any) -> float | None:
        try:
            return _real(value)
        except ValueError as error:
            self.complaints.problem(self.place, f"'{name}' {error}")
            return None


def _real(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError(f"must be a number, not {value!r}")
    return float(value)


def ports_of(given: Any) -> Iterator[str]:
    """The variables that the constraints of an algorithm look at."""
    limits = given.get("constraints") if isinstance(given, dict) else None
    for one in limits.values() if isinstance(limits, dict) else ():
        ports = one.get("ports") if isinstance(one, dict) else None
        for port in ports if isinstance(ports, list) else ():
            try:
                yield str(port_of(str(port)))
            except ValueError:
                continue  # reported where it is used
