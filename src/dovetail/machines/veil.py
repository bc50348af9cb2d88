"""What stands between a part and those who use it from outside: only what is published passes.

Inputs, outputs, values and matrices are cut to the published names on the way out, and filled up
with what the publisher chose on the way in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.description import Description, Variable
from ..core.signals import Discrete, Signals, Waveform
from ..core.values import Value, fitted, signals
from ..subsystems.subsystem import Linearization, Reached
from .publication import NotPublished, Publication, PublishedNames, published

_PLAIN_TYPES: Mapping[str, tuple[type, ...]] = {
    "integer": (int,),
    "enumeration": (int,),
    "boolean": (bool,),
    "clock": (bool,),
    "string": (str,),
    "binary": (bytes,),
}


class Veil:
    """Two sides of one part: `names.description` is the side that is shown."""

    def __init__(self, inner: Description, publication: Publication) -> None:
        self.names: PublishedNames = published(inner, publication)
        self.derivatives, self._inner = publication.derivatives, inner
        shown = self.names.description
        self._ins, self._ins_discrete = _places(inner.inputs, self.names.inputs)
        self._outs, self._outs_discrete = _places(inner.outputs, self.names.outputs)
        self._base = signals(inner.inputs, self.names.given)
        kinds = [v.kind for v in shown.inputs if not v.is_real for _ in range(v.size)]
        self._kinds = [_PLAIN_TYPES[k] for k in kinds]
        self._known = {v.name: v for v in (*shown.inputs, *shown.parameters)}
        self._ordered = list(self._known.values())

    @property
    def base(self) -> Signals:
        """Inputs of the model where nobody gives any."""
        return self._base

    @property
    def places(self) -> tuple[Any, Any]:
        """Where published inputs and outputs stand among the reals of the model."""
        return self._ins, self._outs

    @property
    def settable(self) -> list[Variable]:
        """What may be given a value, in the order that START counts in."""
        return self._ordered

    def values(self, given: Mapping[str, Any]) -> dict[str, Value]:
        """Values by inner names; NotPublished for names that are not published."""
        found = dict(self.names.given)
        found |= self._named(given)
        return found

    def tuned(self, given: Mapping[str, Any]) -> dict[str, Value]:
        """The same of parameters that change on the way."""
        return self._named(given)

    def inputs(self, given: Any) -> Signals:
        """Inputs as the part takes them; ValueError if they are none."""
        if not isinstance(given, Signals):
            raise ValueError("no inputs")
        rates = given.derivatives
        self._check(given.reals, 1, given.discrete)
        if rates is not None and (rates.dtype.kind != "f" or rates.shape != given.reals.shape):
            raise ValueError("not as many derivatives as inputs")
        if self.names.is_whole:
            return given
        reals, discrete = self._filled(given.reals, given.discrete)
        if rates is None:
            return Signals(reals, None, discrete)
        full = np.zeros(reals.size)
        full[self._ins] = rates
        return Signals(reals, full, discrete)

    def waveform(self, given: Any) -> Waveform:
        """Inputs over a window as the part takes them; ValueError if they are none."""
        if not isinstance(given, Waveform):
            raise ValueError("no inputs")
        self._check(given.coefficients, 2, given.discrete)
        if given.coefficients.shape[1] < 1:
            raise ValueError("a curve without values")
        if self.names.is_whole:
            return given
        full = np.zeros((self._base.reals.size, given.coefficients.shape[1]))
        full[:, 0] = self._base.reals
        full[self._ins] = given.coefficients
        return Waveform(full, self._filled(given.coefficients[:, 0], given.discrete)[1])

    def outputs(self, found: Signals) -> Signals:
        """What of these outputs is shown."""
        rates = found.derivatives if self.derivatives else None
        if self.names.is_whole:
            return Signals(found.reals, rates, found.discrete)
        discrete = tuple(found.discrete[k] for k in self._outs_discrete)
        shown = None if rates is None else rates[self._outs]
        return Signals(found.reals[self._outs], shown, discrete)

    def reached(self, found: Reached) -> Reached:
        """The same of the end of a step."""
        return replace(found, outputs=self.outputs(found.outputs))

    def linearization(self, found: Linearization) -> Linearization:
        """The same of a linearization: its columns and rows."""
        if self.names.is_whole:
            return found
        i, o = self._ins, self._outs
        B, C, D = found.B[:, i], found.C[o, :], found.D[np.ix_(o, i)]
        return replace(found, B=B, C=C, D=D, u=found.u[i], y=found.y[o])

    def _named(self, given: Mapping[str, Any]) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for name, value in given.items():
            if name not in self._known:
                raise NotPublished("a value is given to a variable that is not published")
            try:
                found[self.names.inner_names[name]] = fitted(self._known[name], value)
            except ValueError as error:
                raise NotPublished(f"'{name}' {error}") from None
        return found

    def _check(self, reals: Any, axes: int, discrete: tuple[Discrete, ...]) -> None:
        if reals.dtype.kind != "f" or reals.ndim != axes or reals.shape[0] != len(self._ins):
            raise ValueError("not as many inputs as there are")
        fits = len(discrete) == len(self._kinds) and all(
            type(v) in kinds for v, kinds in zip(discrete, self._kinds, strict=True)
        )
        if not fits:
            raise ValueError("discrete inputs of other kinds")

    def _filled(self, reals: Any, discrete: tuple[Discrete, ...]) -> tuple[Any, Any]:
        full, others = self._base.reals.copy(), list(self._base.discrete)
        full[self._ins] = reals
        for place, value in zip(self._ins_discrete, discrete, strict=True):
            others[place] = value
        return full, tuple(others)


def _places(variables: tuple[Variable, ...], wanted: tuple[str, ...]) -> tuple[Any, list[int]]:
    """Where the scalars of some variables are, among reals and among discrete values."""
    spans: dict[str, range] = {}
    counts = {True: 0, False: 0}
    for v in variables:
        begin = counts[v.is_real]
        counts[v.is_real] = begin + v.size
        spans[v.name] = range(begin, begin + v.size)
    real = {v.name: v.is_real for v in variables}
    reals = [k for name in wanted if real[name] for k in spans[name]]
    discrete = [k for name in wanted if not real[name] for k in spans[name]]
    return np.array(reals, dtype=int), discrete
