"""Rows that go to disk as they come, and become Parquet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .file import File

if TYPE_CHECKING:
    from ..files import Format


@dataclass(frozen=True, slots=True)
class Parquet(File):
    """Writes every row to disk at once; at the end the file becomes Parquet, whatever its name."""

    def form(self) -> Format:
        """Parquet, with its library at hand."""
        from ..files import FORMATS

        form = FORMATS[".parquet"]
        form.load()
        return form
