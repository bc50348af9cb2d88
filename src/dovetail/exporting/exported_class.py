"""`@dv.export_class`: a class with typed fields and `do_step` as a model, and as an FMU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_type_hints, overload

from ..core.description import Capabilities, Description, Kind, Variability, Variable
from ..core.errors import ModelError
from ..core.model_page import ModelPage
from .exported_object import ExportedObject

Causality = Literal["input", "output", "parameter"]
_KINDS = {float: Kind.REAL, int: Kind.INTEGER, bool: Kind.BOOLEAN, str: Kind.STRING}


@dataclass(frozen=True, slots=True)
class ExportedField:
    """A field of an exported class that is a variable of the model."""

    causality: Causality
    start: Any = None
    unit: str | None = None
    description: str = ""
    minimum: float | None = None
    maximum: float | None = None
    nominal: float | None = None
    tunable: bool = False


def field(
    causality: Causality,
    start: Any = None,
    *,
    unit: str | None = None,
    description: str = "",
    minimum: float | None = None,
    maximum: float | None = None,
    nominal: float | None = None,
    tunable: bool = False,
) -> Any:
    """A variable of a class for `dv.export_class`; its type is the annotation of the field.

    Args:
        causality: "input", "output" or "parameter".
        start: Its start value; zero, false or empty if nothing is said.
        unit: Its unit, of a float.
        description: What it is.
        minimum: The least value that it may have.
        maximum: The greatest one.
        nominal: A usual one.
        tunable: A parameter that may be changed while the model runs.
    """
    if causality not in ("input", "output", "parameter"):
        raise ModelError(f"a field is an 'input', 'output' or 'parameter', not {causality!r}.")
    more = unit, description, minimum, maximum, nominal, tunable
    return ExportedField(causality, start, *more)


@dataclass(frozen=True, eq=False)
class ExportedClass(ModelPage):
    """A class as a model: each part and each instance of the FMU is an object of it.

    Calling it makes an object, as before. `export` writes an FMU.
    """

    made_from: type

    def __post_init__(self) -> None:
        if not callable(getattr(self.made_from, "do_step", None)):
            title = self.made_from.__name__
            raise ModelError(f"the class {title} needs do_step(self, current_time, step_size).")
        _ = self.description
        object.__setattr__(self, "__doc__", self.made_from.__doc__)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """An object of the class."""
        return self.made_from(*given, **named)

    @property
    def name(self) -> str:
        """That of the class."""
        return self.made_from.__name__

    @cached_property
    def fields(self) -> Mapping[str, ExportedField]:
        """Its variables, those of the classes it is made from first."""
        found = dict[str, ExportedField]()
        for cls in reversed(self.made_from.__mro__):
            found |= {n: f for n, f in vars(cls).items() if isinstance(f, ExportedField)}
        return found

    @cached_property
    def description(self) -> Description:
        """The model seen from outside."""
        hints = get_type_hints(self.made_from)
        groups: dict[str, list[Variable]] = {"input": [], "output": [], "parameter": []}
        for name, one in self.fields.items():
            groups[one.causality].append(_variable(self.name, name, one, hints.get(name)))
        inputs, outputs, parameters = map(tuple, groups.values())
        answers = hasattr(self.made_from, "update_outputs")
        return Description(
            inputs=inputs,
            outputs=outputs,
            parameters=parameters,
            feedthrough={} if answers else {v.name: frozenset() for v in outputs},
            capabilities=Capabilities(
                can_restore=True,
                can_serialize=True,
                can_linearize=hasattr(self.made_from, "jacobian"),
                can_evaluate_now=answers,
            ),
            kind="class",
            states=0 if hasattr(self.made_from, "jacobian") else None,
        )

    def instantiate(self, name: str) -> ExportedObject:
        """A live part."""
        return ExportedObject(name, self.description, self.made_from)

    def fingerprint(self) -> str:
        """What it is made of."""
        from ..drawing.fingerprint import digest

        methods = {n: m for n, m in vars(self.made_from).items() if callable(m)}
        return f"{self.name} {digest([*self.fields.items(), *methods.items()])}"

    def export(self, path: str | Path, *, fmi: Literal[2, 3] = 2, **more: Any) -> Path:
        """Write it as an FMU, as `dv.export` does."""
        from .whole_system import export

        return export(self, path, fmi=fmi, **more)


@overload
def export_class(cls: type) -> ExportedClass: ...
@overload
def export_class() -> Callable[[type], ExportedClass]: ...
def export_class(cls: type | None = None) -> ExportedClass | Callable[[type], ExportedClass]:
    """Make a model of a class: its fields are variables, `do_step` moves it over one step.

    What it is then can be added to a system like any model, and written as an FMU by
    `dv.export(Name, "name.fmu")`, which runs it in a Python of its own.

    The methods that count: `do_step(self, current_time, step_size)`, which returns False if it
    could not; and if they are there `setup_experiment(start_time)`, `enter_initialization_mode()`,
    `exit_initialization_mode()`, `update_outputs(time)` for outputs that follow inputs at once,
    `terminate()`, `jacobian(time)` with a row per output and a column per input, `get_state()` and
    `set_state(state)` where a copy of all attributes is not the state.
    """
    return ExportedClass if cls is None else ExportedClass(cls)


def _variable(title: str, name: str, one: ExportedField, kind: Any) -> Variable:
    if kind not in _KINDS:
        what = "no type" if kind is None else f"the type {getattr(kind, '__name__', kind)}"
        raise ModelError(
            f"the field '{name}' of the class {title} has {what}; write {name}: float, or int, "
            "bool or str."
        )
    variability: Variability = "continuous" if kind is float else "discrete"
    if one.causality == "parameter":
        variability = "tunable" if one.tunable else "fixed"
    start = one.start
    if start is not None and kind is float:
        start = float(start)
    if start is not None and type(start) is not kind:
        raise ModelError(f"the start value of '{name}' of the class {title} is no {kind.__name__}.")
    limits = {"minimum": one.minimum, "maximum": one.maximum, "nominal": one.nominal}
    more: dict[str, Any] = {"unit": one.unit, "description": one.description, **limits}
    return Variable(name, _KINDS[kind], start=start, variability=variability, **more)
