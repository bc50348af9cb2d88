"""What became of a part whose process ended, hung or answered nonsense."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.description import Description
from ..core.errors import PartFailed
from ..core.harmless import harmless_line
from ..core.signals import Signals, Waveform
from ..core.window import Window

_INPUTS, _LINES, _LONG = 6, 3, 200  # in the sentence: all are among the attributes


class HostFailed(PartFailed):
    """The process of a part ended, took too long, or gave an answer that is none.

    `host` names it, `window` is the one that was being stepped over, if one was, `inputs` the last
    inputs that the part was given, by name; `exit_code` or `signal` how the process ended; `lines`
    the last that its parts logged or wrote to standard error.
    """

    def __init__(
        self,
        part: str,
        doing: str,
        time: float,
        reason: str,
        *,
        host: str = "",
        window: Window | None = None,
        inputs: Mapping[str, Any] | None = None,
        exit_code: int | None = None,
        signal: str | None = None,
        lines: Sequence[str] = (),
    ) -> None:
        super().__init__(part, doing, time, reason)
        self.host, self.window, self.inputs = host, window, dict(inputs or {})
        self.exit_code, self.signal, self.lines = exit_code, signal, tuple(lines)

    def __str__(self) -> str:
        found = super().__str__()
        if self.window is not None:
            begin, end = self.clock.at(self.window.start), self.clock.at(self.window.stop)
            found += f", in the window from {begin} to {end}"
        if self.inputs:
            shown = [f"{name} = {_brief(v)}" for name, v in self.inputs.items()]
            more = f" and {len(shown) - _INPUTS} more" if len(shown) > _INPUTS else ""
            found += f", with the inputs {', '.join(shown[:_INPUTS])}{more}"
        if self.lines:
            last = [harmless_line(line)[:_LONG] for line in self.lines[-_LINES:]]
            found += f"; it said last: {' | '.join(last)}"
        return found


def _brief(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else repr(value)[:40]


def named_inputs(description: Description, inputs: Signals | Waveform | None) -> dict[str, Any]:
    """Inputs by name."""
    if inputs is None:
        return {}
    reals = inputs.reals if isinstance(inputs, Signals) else inputs.coefficients[:, 0]
    values, others = iter(reals.tolist()), iter(inputs.discrete)
    return {
        scalar: next(values if v.is_real else others)
        for v in description.inputs
        for scalar in v.scalars()
    }
