"""All coupled problems with a tight monolithic reference, by the names of their drawings."""

from __future__ import annotations

from importlib import import_module

from truth.problem import PROBLEMS, TruthProblem, reference, true_errors

__all__ = ["PROBLEMS", "TruthProblem", "reference", "true_errors"]

_FILES = (  # each keeps its problems when it is read
    "mechanical contacts electrical thermal process hydraulic biology loops sampled eventful "
    "one_way"
)
for _name in _FILES.split():
    import_module(f"truth.{_name}")
