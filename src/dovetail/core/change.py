"""A value that was changed by hand during a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Change:
    """When a value was changed by hand, and how; `before` is None where it had not been set."""

    time: float
    name: str
    before: Any
    after: Any
