"""What values and derivatives at a window's end do to each other, around a component."""

from __future__ import annotations

import numpy as np

from ..assembly.attempt import Attempt
from ..assembly.draft import Proposal
from ..core.signals import Signals, Vector, Waveform
from ..rootfinders.elimination import Sparse, minus_one
from ..topology.component import Component
from ..topology.routing import Index


def hermite_jacobian(
    attempt: Attempt, component: Component, begin: Signals, proposal: Proposal, moves: Vector
) -> Vector | Sparse:
    """dr/dv for cubics: values are moved by their share of `moves`, derivatives by that per size.

    Unknowns are the values, then the derivatives times size; either changes both. Sparse where
    that pays.
    """
    c, n, size = component, component.targets.size, attempt.window.size
    changes = _changes(attempt, c, begin, proposal, (moves, moves / size))
    wires, columns, places = c.pattern
    terms = [
        c.gains[wires] * unit * changes[moved][seen][places] / moves[columns]
        for moved in (0, 1)
        for seen, unit in ((0, 1.0), (1, size))
    ]
    return minus_one(
        2 * n, c.elimination_with_derivatives, c.pattern_with_derivatives, np.concatenate(terms)
    )


def _changes(
    attempt: Attempt,
    component: Component,
    begin: Signals,
    proposal: Proposal,
    steps: tuple[Vector, Vector],
) -> list[tuple[Vector, Vector]]:
    """Of values and derivatives, by moves of values, then of derivatives; laid out as `pattern`."""
    found: tuple[list[Signals], list[Signals]] = [], []
    asked = []
    for i, (share, local) in zip(component.parts, component.rows, strict=True):
        if share.start < share.stop:
            sizes = steps[0][share], steps[1][share]
            asked.append((i, proposal.of(i), _directions(attempt, begin, i, local, sizes)))
    for answers in attempt.sensitivities(asked):
        found[0].extend(answers[::2])
        found[1].extend(answers[1::2])
    return [
        (
            np.concatenate([np.zeros(0), *(s.reals for s in signals)]),
            np.concatenate([np.zeros(0), *(_known(s.derivatives) for s in signals)]),
        )
        for signals in found
    ]


def _directions(
    attempt: Attempt, begin: Signals, part: int, local: Index, steps: tuple[Vector, Vector]
) -> list[Waveform]:
    """Cubics that end with one value moved, then with its derivative moved, input by input."""
    start = begin[attempt.input_spans[part]]
    assert start.derivatives is not None
    count, inputs = local.size, start.reals.size
    ends = np.zeros(
        (2, count, 2, inputs)
    )  # of values and derivatives; moves of values and of derivatives
    for order in (0, 1):
        ends[order, np.arange(count), order, local] = steps[order]
    still = np.tile(np.where(np.isnan(start.derivatives), np.nan, 0.0), 2 * count)
    flat = ends.reshape(2, -1)
    beginning = Signals(np.zeros(still.size), still)
    curves = Waveform.hermite(beginning, Signals(flat[0], flat[1]), attempt.window.size)
    each = curves.coefficients.reshape(2 * count, inputs, -1)
    return [Waveform(coefficients) for coefficients in each]


def _known(derivatives: Vector | None) -> Vector:
    assert derivatives is not None, "a part that was asked for derivatives gives none"
    return derivatives
