"""What an SSP says, as plain data: one class for each thing in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

from ...core.description import Kind
from ...drawing.sketch import Box, Mark, Point
from ...subsystems.subsystem import Model
from ...units import Unit
from .complaints import Place

FMU = "application/x-fmu-sharedlibrary"
DEFINITION = "application/x-ssp-definition"
PACKAGE = "application/x-ssp-package"
VALUES = "application/x-ssp-parameter-set"
MAPPING = "application/x-ssp-parameter-mapping"
SIGNALS = "application/x-ssp-signal-dictionary"


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Units and enumerations of one file, by name."""

    units: Mapping[str, Unit] = field(default_factory=dict)
    enumerations: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sort:
    """The type of a connector or value, as its file names it."""

    name: str  # Real, Int8, ...
    kind: Kind
    unit: str | None = None  # as `dovetail.units` reads it
    enumeration: Mapping[str, int] | None = None
    shape: tuple[int | str | None, ...] = ()  # a name: the connector with the size
    interval: float | None = None  # of a clock
    unit_name: str | None = None  # as the file writes it


@dataclass(frozen=True, slots=True)
class Annotation:
    """Something that one tool wrote for itself."""

    type: str
    element: etree._Element
    place: Place


@dataclass(frozen=True, slots=True)
class Change:
    """A transformation: factor and offset of a real, or a table for other values."""

    name: str
    place: Place
    factor: float = 1.0
    offset: float = 0.0
    table: tuple[tuple[Any, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Connector:
    """A variable that an element shows to the outside."""

    name: str
    kind: str
    place: Place
    sort: Sort | None = None
    clocks: tuple[str, ...] = ()
    point: Point | None = None
    inner: Point | None = None  # seen from inside a system, if that differs
    label: str = ""


@dataclass(frozen=True, slots=True)
class Wire:
    """A connection. An end is the name of an element (None: the system) and of its connector."""

    start: tuple[str | None, str]
    end: tuple[str | None, str]
    place: Place
    convert: bool = True
    change: Change | None = None
    points: tuple[Point, ...] = ()
    table: tuple[tuple[Any, Any], ...] = ()  # of an annotation of ours


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value with its type."""

    name: str
    sort: Sort
    value: Any  # one, or a tuple in row-major order
    place: Place


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a parameter mapping."""

    source: str
    target: str
    place: Place
    convert: bool = True
    change: Change | None = None


@dataclass(frozen=True, slots=True)
class Binding:
    """Values for an element; without entries they go by their own names."""

    parameters: tuple[Parameter, ...]
    entries: tuple[Entry, ...] | None
    prefix: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """What components, systems and references have in common."""

    name: str
    place: Place
    connectors: Mapping[str, Connector] = field(default_factory=dict)
    bindings: tuple[Binding, ...] = ()
    box: Box | None = None
    label: str = ""
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Component(Element):
    """A part: an FMU, or whatever its type says, at a path."""

    type: str = FMU
    source: Path | None = None
    title: str = ""  # the source as it is written
    implementation: str = "any"
    model: Model | None = None  # where it comes from no file
    every: int = 1  # it steps once in so many windows


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference(Element):
    """A place where signals of a dictionary can be connected."""

    dictionary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group(Element):
    """A system: elements and connections between them."""

    elements: tuple[Element, ...] = ()
    wires: tuple[Wire, ...] = ()
    dictionaries: Mapping[str, Mapping[str, Sort]] = field(default_factory=dict)
    canvas: tuple[float, float, float, float] | None = None
    notes: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """An .ssd file: its root system and what is around it."""

    name: str
    version: str
    system: Group
    place: Place
    start: float | None = None
    stop: float | None = None
    annotations: tuple[Annotation, ...] = ()  # of the file, and of its default experiment
