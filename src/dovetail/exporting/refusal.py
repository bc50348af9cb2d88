"""A system that cannot be exported, with every reason."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.errors import InputError
from ..core.obstacle import Obstacle


class ExportRefused(InputError):
    """A system or model that cannot be exported; `obstacles` has every reason.

    `beside`: parts that could be, with `beside=True`.
    """

    def __init__(
        self, name: str, obstacles: Iterable[Obstacle], beside: Iterable[str] = ()
    ) -> None:
        super().__init__()
        self.name, self.obstacles = name, tuple(dict.fromkeys(obstacles))
        self.beside = tuple(beside)

    def __str__(self) -> str:
        lines = [f"{o}; {o.change}" if o.change else str(o) for o in self.obstacles]
        if self.beside:
            parts = ", ".join(f"'{part}'" for part in self.beside)
            lines.append(f"with beside=True a Python that the FMU starts runs {parts}")
        if len(lines) == 1:
            return f"'{self.name}' cannot be exported: {lines[0]}"
        listed = "\n".join(f"  - {line}" for line in lines)
        return f"'{self.name}' cannot be exported:\n{listed}"
