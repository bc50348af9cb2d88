"""A value that somebody changed during a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Change:
    """When a value was changed by hand, and how; `before` is None where nobody had said it."""

    time: float
    name: str
    before: Any
    after: Any
