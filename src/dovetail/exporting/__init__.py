"""Systems as FMUs that run without Python."""

from __future__ import annotations

from .refusal import ExportRefused
from .whole_system import export

__all__ = ["ExportRefused", "export"]
