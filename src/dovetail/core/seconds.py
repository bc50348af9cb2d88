"""Times as messages show them."""

from __future__ import annotations


class Seconds:
    """Time as messages show it; `dovetail.core.calendar` knows units and dates as well."""

    def at(self, time: float) -> str:
        """`t = 1.5 s`."""
        return f"t = {time:g} s"

    def lasting(self, time: float) -> str:
        """`1.5 s`."""
        return f"{time:g} s"
