"""Systems and Python models as FMUs."""

from __future__ import annotations

from .exported_class import ExportedClass, export_class, field
from .refusal import ExportRefused
from .whole_system import export

__all__ = ["ExportRefused", "ExportedClass", "export", "export_class", "field"]
