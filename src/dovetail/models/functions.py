"""Calling user functions: what they return is checked, what they raise is named."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core.description import Variable
from ..core.errors import ModelError, PartFailed
from ..core.signals import Discrete, Signals, Vector
from ..core.values import fitted

_OURS = str(Path(__file__).parent)  # the folder of this package's models


def check_function(name: str, given: Any, *arguments: str) -> None:
    """Refuse what cannot be called with these arguments."""
    wanted = f"{name} must be a function of ({', '.join(arguments)})"
    if not callable(given):
        raise ModelError(f"{wanted}, not {given!r}.")
    try:
        found = inspect.signature(given)
    except (TypeError, ValueError):  # some compiled ones have no signature
        return
    try:
        found.bind(*arguments)
    except TypeError:
        raise ModelError(f"{wanted}, not of {found}.") from None


class CheckedFunction:
    """A user function of one part; its failures come out as `PartFailed`."""

    __slots__ = ("function", "part", "role")

    def __init__(self, part: str, role: str, function: Callable[..., Any]) -> None:
        self.part, self.role, self.function = part, role, function

    def __call__(self, t: float, *arguments: Any) -> Any:
        """What it returns."""
        try:
            return self.function(t, *arguments)
        except Exception as error:
            raise self._raised(t, error) from error

    def vector(self, size: int, what: str, t: float, *arguments: Any) -> Vector:
        """What it returns, as a vector of this size."""
        try:
            returned = self.function(t, *arguments)
        except Exception as error:
            raise self._raised(t, error) from error
        try:
            vector = np.asarray(returned, dtype=float)
            if vector.ndim != 1:
                vector = np.concatenate([np.ravel(v) for v in returned]).astype(float)
        except (TypeError, ValueError) as error:
            try:
                vector = np.concatenate([np.ravel(v) for v in returned]).astype(float)
            except (TypeError, ValueError):
                numbers = "1 number" if size == 1 else f"{size} numbers"
                what = f"it returned {_short(returned)}, not a list of {numbers}"
                raise self.failed(t, what) from error
        if vector.size != size:
            raise self.failed(t, _miscounted(vector.size, size, what))
        return vector

    def matrix(self, size: int, t: float, *arguments: Any) -> Any:
        """What it returns, as a square matrix of this size; sparse stays sparse."""
        returned = self(t, *arguments)
        if hasattr(returned, "tocsc"):
            matrix: Any = returned.tocsc()
        else:
            try:
                matrix = np.asarray(returned, dtype=float)
            except (TypeError, ValueError) as error:
                what = f"it returned {_short(returned)}, not a {size} by {size} matrix"
                raise self.failed(t, what) from error
        if matrix.shape != (size, size):
            shape = " by ".join(map(str, matrix.shape)) or "single number"
            raise self.failed(t, f"it returned a {shape} matrix for {size} states")
        return matrix

    def signals(
        self,
        variables: Sequence[Variable],
        plain: bool,
        t: float,
        *arguments: Any,
        what: str = "outputs",
    ) -> Signals:
        """What it returns, as the values of these variables; `plain`: all real scalars."""
        if plain:
            return Signals(self.vector(len(variables), "outputs", t, *arguments))
        returned = self(t, *arguments)
        if not isinstance(returned, Sequence | np.ndarray) or len(returned) != len(variables):
            if not isinstance(returned, Sequence | np.ndarray) or isinstance(returned, str):
                values = "1 value" if len(variables) == 1 else f"{len(variables)} values"
                raise self.failed(t, f"it returned {_short(returned)}, not a list of {values}")
            raise self.failed(t, _miscounted(len(returned), len(variables), what))
        reals: list[float] = []
        discrete: list[Discrete] = []
        for variable, value in zip(variables, returned, strict=True):
            self._collect(variable, value, t, reals, discrete)
        return Signals(np.array(reals, dtype=float), None, tuple(discrete))

    def _raised(self, t: float, error: Exception) -> PartFailed:
        """What it raised, as a failure of the part."""
        what = f"{type(error).__name__}: {error}{_place(error)}{_way_out(error)}"
        return self.failed(t, what)

    def failed(self, t: float, reason: str) -> PartFailed:
        """The error that says so."""
        return PartFailed(self.part, f"evaluating its {self.role}", t, reason)

    def _collect(
        self, variable: Variable, value: Any, t: float, reals: list[float], discrete: list[Any]
    ) -> None:
        if variable.is_real:
            try:
                flat = np.asarray(value, dtype=float).ravel()
            except (TypeError, ValueError) as error:
                what = f"'{variable.name}' must be a real value, not {_short(value)}"
                raise self.failed(t, what) from error
            if flat.size != variable.size:
                what = f"it returned {flat.size} values for '{variable.name}'"
                raise self.failed(t, f"{what}, which has {variable.size}")
            reals.extend(flat.tolist())
            return
        try:
            fit = fitted(variable, value)
        except ValueError as error:
            raise self.failed(t, f"'{variable.name}' {error}") from error
        discrete.extend(fit if isinstance(fit, tuple) else (fit,))


def _way_out(error: Exception) -> str:
    if isinstance(error, ValueError) and "read-only" in str(error):
        return "; what a function is given must stay as it is: change a copy"
    return ""


def _place(error: Exception) -> str:
    """Where in the user's own file it happened, not in ours nor in a library's."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [f for f in frames[1:] if not f.filename.startswith(_OURS)]
    if not theirs:
        return ""
    last = [f for f in theirs if f.filename == theirs[0].filename][-1]
    return f" ({Path(last.filename).name}, line {last.lineno})"


def _miscounted(found: int, wanted: int, what: str) -> str:
    values = "value" if found == 1 else "values"
    return f"it returned {found} {values} for {wanted} {what if wanted != 1 else what[:-1]}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else text[:57] + "..."
