"""The bytes of a plan: header, sections, fields. docs/design/plan.md is the same in words.

Read in C by `native/plan_read.c`, which has the same fields in the same order.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, get_type_hints

from . import plan, section
from .plan import RunPlan
from .section import PlanSection

MAGIC = b"DOVEPLAN"
VERSION = 1
HEADER = struct.Struct("<8sIIQII")  # magic, version, sections, size, checksum, zero
SECTION = struct.Struct("<4sIQ")  # tag, flags, size of what follows
COUNT = struct.Struct("<Q")  # of elements, before each array
SKIPPABLE = 1  # a flag: who does not know the section may leave it out
SUMMED = 24  # bytes of the header that go into the checksum; behind it all from byte 32 on
WIDTH = 8  # everything begins at multiples of it

FORMS: dict[Any, str] = {  # by type of a field, as NumPy calls it; "text": names
    int: "<i8",
    float: "<f8",
    section.Whole: "<i4",
    section.References: "<u4",
    section.Reals: "<f8",
    tuple[str, ...]: "text",
}


@dataclass(frozen=True, slots=True)
class SectionLayout:
    """A section: its tag, where it stands in a plan, and its fields with the form of each."""

    tag: bytes
    name: str
    kind: type[PlanSection]
    required: bool = False
    skippable: bool = False

    def forms(self) -> list[tuple[str, str, bool]]:
        """Name, form, and whether it is an array, of each field in their order."""
        kind: Any = self.kind
        return _forms(kind)


@cache
def _forms(kind: type[Any]) -> list[tuple[str, str, bool]]:
    """Looked up once: a study writes a plan for each of thousands of runs."""
    hints = get_type_hints(kind)
    kinds = [(f.name, hints[f.name]) for f in fields(kind)]
    return [(name, FORMS[k], k not in (int, float)) for name, k in kinds]


SECTIONS = (
    SectionLayout(b"SIGN", "signals", plan.SignalSection, required=True),
    SectionLayout(b"MEMB", "members", plan.MemberSection, required=True),
    SectionLayout(b"WIRE", "wires", plan.WireSection, required=True),
    SectionLayout(b"GRID", "grid", plan.GridSection),
    SectionLayout(b"SCHM", "scheme", plan.SchemeSection),
    SectionLayout(b"RCRD", "recorded", plan.RecordSection),
    SectionLayout(b"CTRL", "controller", plan.ControllerSection),
    SectionLayout(b"XTRP", "extrapolation", plan.ExtrapolationSection),
    SectionLayout(b"SOLV", "solver", plan.SolverSection),
    SectionLayout(b"CONV", "convergence", plan.ConvergenceSection),
    SectionLayout(b"CYCL", "cycles", plan.CycleSection),
    SectionLayout(b"FIND", "finder", plan.FinderSection),
    SectionLayout(b"CUBE", "cubics", plan.CubicSection),
    SectionLayout(b"BOND", "bonds", plan.BondSection),
    SectionLayout(b"TUNE", "tuned", plan.TunedSection),
    SectionLayout(b"NAME", "names", plan.NameSection, required=True, skippable=True),
)
BY_TAG = {s.tag: s for s in SECTIONS}
assert [s.name for s in SECTIONS] == [f.name for f in fields(RunPlan)]
