"""What is known about a run, as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def facts_json(facts: Mapping[str, Any]) -> str:
    """Facts as JSON. A value of an odd type is written as text rather than costing the file."""
    return json.dumps(dict(facts), default=_told)


def _told(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)
