"""A system that cannot be exported, with every reason."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.errors import InputError
from ..core.obstacle import Obstacle


class ExportRefused(InputError):
    """A system or model that cannot be exported; `obstacles` has every reason."""

    def __init__(self, name: str, obstacles: Iterable[Obstacle]) -> None:
        super().__init__()
        self.name, self.obstacles = name, tuple(dict.fromkeys(obstacles))

    def __str__(self) -> str:
        lines = [f"{o}; {o.change}" if o.change else str(o) for o in self.obstacles]
        if len(lines) == 1:
            return f"'{self.name}' cannot be exported: {lines[0]}"
        listed = "\n".join(f"  - {line}" for line in lines)
        return f"'{self.name}' cannot be exported:\n{listed}"
