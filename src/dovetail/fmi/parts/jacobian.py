"""Jacobians of a model-exchange FMU: its own derivatives or differences, by colour."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.signals import Vector
from ...integrators.colouring import coloured
from ..calls.abi.types import ERROR
from ..calls.exchange import derivative_arguments
from ..calls.instance import MISSING, CallFailed
from .jacobian_pattern import JacobianPattern, total_size

if TYPE_CHECKING:
    from ..description import FmuVariable
    from ..model import Fmu
    from .evaluation import Evaluation

_WORDS = {False: "GetDirectionalDerivative", True: "GetAdjointDerivative"}
_FEW = 50  # states up to which a full matrix is as good as a sparse one
_MOVE = 6e-6  # by which a state is moved, of its size: rounding and truncation in balance


class Jacobian(JacobianPattern):
    """df/dx of one instance, a sparse matrix with the entries that the description lists.

    Directional derivatives give a group of columns per call, adjoint ones a group of rows: the
    fewer calls are made. Differences are the last resort.
    """

    def __init__(self, model: Fmu, evaluation: Evaluation) -> None:
        super().__init__(model, evaluation.states)
        self._evaluation = evaluation
        self._by_columns = model.interface.provides_directional_derivatives
        self._by_rows = model.interface.provides_adjoint_derivatives
        self.is_exact = bool(
            evaluation.states and self._complete and (self._by_columns or self._by_rows)
        )
        self.nominal: Vector = np.ones(evaluation.states)

    @cached_property
    def groups(self) -> list[tuple[Any, Any, Any]]:
        """For each colour: its columns, or rows, and where its entries are found and belong."""
        pattern = self._full
        columns = coloured(pattern) if self._by_columns or not self.is_exact else None
        rows = coloured(pattern.T.tocsc()) if self._by_rows and self.is_exact else None
        self._adjoint = rows is not None and (columns is None or len(rows) < len(columns))
        colours = rows if self._adjoint else columns
        lines, found_in = pattern.indices, self._owners
        if not self._adjoint:
            lines, found_in = found_in, lines
        assert colours is not None
        entries = []
        for colour in colours:
            places = np.flatnonzero(np.isin(lines, colour))
            entries.append((colour, found_in[places], places))
        return entries

    @property
    def pays(self) -> bool:
        """Whether it is better than what an integrator finds by itself."""
        return self.is_exact or len(self.groups) < self._evaluation.states

    def full(self, time: float, state: Vector) -> Any:
        """df/dx there as an integrator likes it: a full matrix where that is small."""
        if self._evaluation.states > _FEW:
            return self.at(time, state)
        derived = self._derived(time, state) if self.is_exact else self._moved(time, state)
        matrix = self._matrix
        for (colour, found_in, _), into in zip(self.groups, self.spots, strict=True):
            matrix[into] = derived(colour)[found_in]
        return matrix if self.is_exact else matrix / self._moves(state)

    def at(self, time: float, state: Vector) -> Any:
        """df/dx there."""
        from scipy.sparse import csc_array

        pattern = self._full
        data = np.zeros(pattern.nnz)
        derived = self._derived(time, state) if self.is_exact else self._moved(time, state)
        for colour, found_in, places in self.groups:
            data[places] = derived(colour)[found_in]
        if not self.is_exact:
            data /= self._moves(state)[self._owners]
        return csc_array((data, pattern.indices, pattern.indptr), shape=pattern.shape)

    def linear(
        self, time: float, state: Vector, inputs: Sequence[FmuVariable], outputs: Sequence[Any]
    ) -> Vector:
        """The matrix of all derivatives of rates and outputs by states and inputs, exact."""
        self._evaluation.stand(time, state)
        instance = self._evaluation.instance
        unknowns, knowns = [*self._rates, *outputs], [*self._states, *inputs]
        n, m = (total_size(self._model, group) for group in (unknowns, knowns))
        adjoint = self._by_rows and (n < m or not self._by_columns)
        seed, result = (np.zeros(size) for size in ((n, m) if adjoint else (m, n)))
        u, k = (
            np.array([v.reference for v in group], dtype=np.uint32) for group in (unknowns, knowns)
        )
        arguments = derivative_arguments(instance, u, k, seed, result)
        lines = np.zeros((seed.size, result.size))
        for line in range(seed.size):
            seed[:] = 0.0
            seed[line] = 1.0
            instance.call(_WORDS[adjoint], *arguments)
            lines[line] = result
        return lines if adjoint else lines.T

    def along(
        self, seed: Vector, inputs: Sequence[FmuVariable], outputs: Sequence[FmuVariable]
    ) -> Vector:
        """How these outputs change along rates of all states and of these inputs, exact."""
        if not outputs:
            return np.zeros(0)
        instance, knowns = self._evaluation.instance, [*self._states, *inputs]
        u, k = (
            np.array([v.reference for v in group], dtype=np.uint32) for group in (outputs, knowns)
        )
        result = np.zeros(total_size(self._model, outputs))
        if self._by_columns:
            arguments = derivative_arguments(instance, u, k, seed, result)
            instance.call(_WORDS[False], *arguments)
            return result
        line, row = np.zeros(seed.size), np.zeros(result.size)
        arguments = derivative_arguments(instance, u, k, row, line)
        for i in range(result.size):
            row[:] = 0.0
            row[i] = 1.0
            instance.call(_WORDS[True], *arguments)
            result[i] = line @ seed
        return result

    @cached_property
    def spots(self) -> list[Any]:
        """For each colour: rows and columns of its entries."""
        rows, columns = self._full.indices, self._owners
        return [(rows[places], columns[places]) for _, _, places in self.groups]

    @cached_property
    def _matrix(self) -> Vector:
        return np.zeros((self._evaluation.states,) * 2)

    def _derived(self, time: float, state: Vector) -> Callable[[Any], Vector]:
        """What the FMU gives for a colour."""
        self._evaluation.stand(time, state)
        _ = self.groups  # which way
        return self._function

    @cached_property
    def _function(self) -> Callable[[Any], Vector]:
        instance, seed, result = self._evaluation.instance, self._seed, self._result
        name = self.function_name
        function = getattr(instance.library, name)
        if function is None:
            raise CallFailed(name, ERROR, (), MISSING)
        pointer, arguments = instance.pointer, self._arguments

        def derived(colour: Any) -> Vector:
            seed[colour] = 1.0
            status = function(pointer, *arguments)
            seed[colour] = 0.0
            if status:
                instance.check(status, name)
            return result

        return derived

    def _moved(self, time: float, state: Vector) -> Callable[[Any], Vector]:
        """Central differences along a colour, not yet divided."""
        moves = self._moves(state)

        def column(columns: Any) -> Vector:
            up, down = state.copy(), state.copy()
            up[columns] += 0.5 * moves[columns]
            down[columns] -= 0.5 * moves[columns]
            above = self._evaluation.rates(time, up).copy()
            return above - self._evaluation.rates(time, down)

        return column

    def _moves(self, state: Vector) -> Vector:
        wanted = 2 * _MOVE * np.maximum(np.abs(state), 1e-3 * self.nominal)
        exact: Vector = (state + 0.5 * wanted) - (state - 0.5 * wanted)
        return exact

    @property
    def function_name(self) -> str:
        """What the FMU's function for derivatives is called, one way or the other."""
        _ = self.groups  # which way
        return self._evaluation.instance.prefix + _WORDS[self._adjoint]

    @cached_property
    def references(self) -> tuple[Any, Any]:
        """Value references of rates and states."""
        rates, states = (
            np.array([v.reference for v in group], dtype=np.uint32)
            for group in (self._rates, self._states)
        )
        return rates, states

    @cached_property
    def _arguments(self) -> Any:
        unknowns, knowns = self.references
        instance = self._evaluation.instance
        return derivative_arguments(instance, unknowns, knowns, self._seed, self._result)

    @cached_property
    def _seed(self) -> Vector:
        return np.zeros(self._evaluation.states)

    @cached_property
    def _result(self) -> Vector:
        return np.zeros(self._evaluation.states)
