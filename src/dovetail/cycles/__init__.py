"""Cycles of a Jacobian: how small a step must be so that no state upsets itself through others.

Pure mathematics of sparse matrices; nothing here knows of parts or systems. The letters: J is the
Jacobian, its graph has an edge from i to j where J_ij is not zero, and an edge costs
-log|J_ij|, so that the step a cycle of L edges allows at `alpha` is
exp((cost + log(alpha)) / L), a mean with a small bonus for short cycles.
"""

from __future__ import annotations

from .bounds import Bounds, Rule, Scales
from .digraph import Digraph
from .enumeration import TooManyCycles, simple_cycles
from .indices import separability, separability_term, stiffness
from .probes import PROBES, CycleProbe, ProbedCycle, probed_cycles

__all__ = [
    "PROBES",
    "Bounds",
    "CycleProbe",
    "Digraph",
    "ProbedCycle",
    "Rule",
    "Scales",
    "TooManyCycles",
    "probed_cycles",
    "separability",
    "separability_term",
    "simple_cycles",
    "stiffness",
]
