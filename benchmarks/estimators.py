"""What estimates cost: one evaluation, one matrix function, one window.

    python benchmarks/estimators.py

Promised: an evaluation of ten estimated parts in at most 5 microseconds beside the matrix product;
the phi-functions of 200 states in less than 50 milliseconds on an idle machine, and not again while
neither linearization nor window size change.
"""

from __future__ import annotations

import sys
from pathlib import Path
from timeit import repeat

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import problems
from costarica_cases import Estimable

import dovetail as dv
from dovetail.core.window import Window
from dovetail.estimators.laplace import published_tensors
from dovetail.estimators.tensors import exact_tensors


def least(action, number):
    """Seconds of one call: the least of several rounds, others use this machine too."""
    return min(repeat(action, number=number, repeat=7)) / number


def ring(count):
    system = dv.System("ring")
    for k in range(count):
        system.add(f"p{k}", Estimable(problems.Species(-0.1, 0.1, 1.0)))
    for k in range(count):
        system.connect(f"p{k}.x", f"p{(k + 1) % count}.u")
    return system


def evaluation(count):
    """Seconds of asking all parts, and of the matrix product in it."""
    with dv.Session(ring(count), stop=1.0, algorithm=dv.Ifosmondi(), quiet=True) as session:
        assembly, position = session.assembly, session._stepper.position
        attempt = assembly.attempt(
            Window.between(0.0, 0.1), position.outputs, position.coordination
        )
        proposal = attempt.proposal(attempt.inputs(position.outputs), "hermite")
        draft, parts = attempt.draft(), tuple(range(count))
        attempt.ask(parts, proposal, draft)
        (together,) = attempt.together.values()
        a = proposal.coefficients.ravel()
        return (
            least(lambda: attempt.ask(parts, proposal, draft), 2000),
            least(lambda: together._matrix @ a, 2000),
        )


def window(count, algorithm):
    """Seconds of a whole window of estimated parts, by part."""
    with dv.Session(
        ring(count), stop=1e3, algorithm=algorithm, controller=dv.FixedStep(0.1), quiet=True
    ) as session:
        session.advance()
        return least(session.advance, 20) / count


def tensors(states):
    """Seconds of the exact tensors, and of those of the article."""
    rng = np.random.default_rng(1)
    A = rng.normal(size=(states, states)) / np.sqrt(states)
    part = problems.Linear(
        ("u",), ("y",), A=A, B=np.ones((states, 1)), C=np.ones((1, states)), D=0, x=(0.0,) * states
    )
    lin = part.instantiate("part").linearize()
    exact = least(lambda: exact_tensors(lin, 1.0, 4), 1 if states > 50 else 20)
    if states > 50:
        begin = least(lambda: published_tensors(lin, 1.0, 4, 14), 1) if states <= 100 else np.nan
    else:
        begin = least(lambda: published_tensors(lin, 1.0, 4, 14), 5)
    return exact, begin


def main() -> None:
    print("an evaluation of all parts, in microseconds")
    print("  parts   all of it   product in it   per part")
    for count in (2, 10, 100, 1000):
        whole, product = evaluation(count)
        print(
            f"  {count:5}   {whole * 1e6:9.1f}   {product * 1e6:13.1f}   {whole * 1e6 / count:8.2f}"
        )
    print("tensors, in milliseconds")
    print("  states     exact   published")
    for states in (1, 10, 50, 100, 200):
        exact, published = tensors(states)
        print(f"  {states:6}   {exact * 1e3:7.2f}   {published * 1e3:9.1f}")
    print("a window, in microseconds per part")
    for algorithm in (dv.Missiles(), dv.Ifosmondi(), dv.Missiles(inputs="hold")):
        name = f"{type(algorithm).__name__} ({algorithm.inputs})"
        print(f"  {name:20}", *(f"{window(n, algorithm) * 1e6:8.0f}" for n in (2, 10, 50)))


if __name__ == "__main__":
    main()
