"""The rules of SSP 1.0 and 2.0 as data: which elements and attributes there are, and where.

Children stand in the order of their element; a mark says how often: `!` once, `?` at most once,
`+` and `*` any number. Attributes have a type behind a colon, and `!` if they must be there.
What begins with `2/` came with SSP 2.0. `a=b` is an element a with the rules of b.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

NAMESPACES = {
    prefix: f"http://ssp-standard.org/SSP1/SystemStructure{name}"
    for prefix, name in (
        ("ssd", "Description"),
        ("ssc", "Common"),
        ("ssv", "ParameterValues"),
        ("ssm", "ParameterMapping"),
        ("ssb", "SignalDictionary"),
    )
}
FLOATS = ("Real", "Float64", "Float32")
WHOLES = (
    "Integer", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64",
)  # fmt: skip
OLD_TYPES = ("Real", "Integer", "Boolean", "String", "Enumeration", "Binary")  # of SSP 1.0
TYPES = (*FLOATS, *WHOLES, "Boolean", "String", "Enumeration", "Binary", "Clock")
CHANGES = (
    "LinearTransformation",
    "BooleanMappingTransformation",
    "IntegerMappingTransformation",
    "EnumerationMappingTransformation",
)
LONG = {"+", "*"}

_BASE = "id description"
_META = f"{_BASE} author fileversion copyright license generationTool generationDateAndTime"
_BOX = "x1:real! y1:real! x2:real! y2:real!"
_MORE = "2/ssc:MetaData* 2/ssc:Signature*"
_ELEMENT = f"ssd:Connectors? ssd:ElementGeometry? ssd:ParameterBindings? {_MORE}"
_KINDS = "input|output|parameter|calculatedParameter|structuralParameter|constant|local|inout"
_TICKS = "constant|fixed|tunable|changing|countdown|triggered"
_CHOICE = " ".join(f"ssc:{name}?" for name in CHANGES)


def _typed(space: str) -> str:
    names = ((n if n in OLD_TYPES else f"2/{n}") for n in TYPES)
    found = (f"2/{space}:{n[2:]}?" if n[:2] == "2/" else f"{space}:{n}?" for n in names)
    return " ".join(found)


_TEXT: dict[str, tuple[str, str]] = {
    "ssd:SystemStructureDescription": (
        f"version! name! {_META}",
        f"ssd:System! ssd:Enumerations? ssd:Units? ssd:DefaultExperiment? {_MORE} ssd:Annotations?",
    ),
    "ssd:System": (
        f"name! {_BASE}",
        f"{_ELEMENT} ssd:Elements? ssd:Connections? ssd:SignalDictionaries? ssd:SystemGeometry? "
        "ssd:GraphicalElements? ssd:Annotations?",
    ),
    "ssd:Component": (
        f"name! {_BASE} type source implementation:any|ModelExchange|CoSimulation|"
        "ScheduledExecution",
        f"{_ELEMENT} ssd:Annotations?",
    ),
    "ssd:SignalDictionaryReference": (
        f"name! {_BASE} dictionary!",
        f"{_ELEMENT} ssd:Annotations?",
    ),
    "ssd:Connectors": ("", "ssd:Connector+"),
    "ssd:Connector": (
        f"name! {_BASE} kind:{_KINDS}|unspecified!",
        f"{_typed('ssc')} 2/ssc:Dimension* 2/ssd:Clock* ssd:ConnectorGeometry? ssd:Annotations?",
    ),
    "ssd:Clock": ("name!", ""),
    "ssd:ConnectorGeometry": (
        "x:real! y:real! 2/systemInnerX:real 2/systemInnerY:real",
        "",
    ),
    "ssd:ElementGeometry": (
        f"{_BOX} rotation:real iconSource iconRotation:real iconFlip:flag "
        "iconFixedAspectRatio:flag",
        "",
    ),
    "ssd:Elements": ("", "ssd:Component|ssd:SignalDictionaryReference|ssd:System*"),
    "ssd:Connections": ("", "ssd:Connection+"),
    "ssd:Connection": (
        f"{_BASE} startElement startConnector! 2/startIndices:wholes endElement endConnector! "
        "2/endIndices:wholes suppressUnitConversion:flag",
        f"{_CHOICE} ssd:ConnectionGeometry? ssd:Annotations?",
    ),
    "ssd:ConnectionGeometry": ("pointsX:reals! pointsY:reals!", ""),
    "ssd:SignalDictionaries": ("", "ssd:SignalDictionary+"),
    "ssd:SignalDictionary": (f"name! {_BASE} type source", "ssb:SignalDictionary?"),
    "ssd:SystemGeometry": (_BOX, ""),
    "ssd:GraphicalElements": ("", "ssd:Note*"),
    "ssd:Note": (f"{_BOX} text!", ""),
    "ssd:ParameterBindings": ("", "ssd:ParameterBinding+"),
    "ssd:ParameterBinding": (
        f"{_BASE} type source sourceBase:SSD|component prefix",
        f"ssd:ParameterValues? ssd:ParameterMapping? {_MORE} ssd:Annotations?",
    ),
    "ssd:ParameterValues": ("", "ssv:ParameterSet?"),
    "ssd:ParameterMapping": (
        f"{_BASE} type source sourceBase:SSD|component",
        f"ssm:ParameterMapping? {_MORE}",
    ),
    "ssd:DefaultExperiment": ("startTime:real stopTime:real", "ssd:Annotations?"),
    "ssc:Dimension": ("size:whole sizeConnector", ""),
    "ssc:LinearTransformation": ("factor:real offset:real", ""),
    "ssc:BooleanMappingTransformation": ("", "ssc:MapEntry=booleans+"),
    "ssc:IntegerMappingTransformation": ("", "ssc:MapEntry=integers+"),
    "ssc:EnumerationMappingTransformation": ("", "ssc:MapEntry=names+"),
    "booleans": ("source:flag! target:flag!", ""),
    "integers": ("source:whole! target:whole!", ""),
    "names": ("source! target!", ""),
    "ssc:Enumeration": ("name", ""),
    "ssc:Binary": ("mime-type", ""),
    "ssc:Clock": (
        f"intervalVariability:{_TICKS} intervalDecimal:real shiftDecimal:real "
        "supportsFraction:flag resolution:whole intervalCounter:whole shiftCounter:whole "
        "priority:whole",
        "",
    ),
    "definition": (f"name! {_BASE}", "ssc:Item+ ssc:Annotations?"),
    "ssc:Item": ("name! value:whole!", ""),
    "ssc:Unit": (f"name! {_BASE}", "ssc:BaseUnit! ssc:Annotations?"),
    "ssc:BaseUnit": (
        "kg:whole m:whole s:whole A:whole K:whole mol:whole cd:whole rad:whole factor:real "
        "offset:real",
        "",
    ),
    "ssv:ParameterSet": (
        f"version! name! {_META}",
        f"ssv:Parameters! ssv:Enumerations? ssv:Units? {_MORE} ssv:Annotations?",
    ),
    "ssv:Parameters": ("", "ssv:Parameter*"),
    "ssv:Parameter": (
        f"name! {_BASE}",
        f"{_typed('ssv').replace(' 2/ssv:Clock?', '')} 2/ssc:Dimension* ssv:Annotations?",
    ),
    **{f"ssv:{name}": ("value:reals! unit", "") for name in FLOATS},
    **{f"ssv:{name}": ("value:wholes!", "") for name in WHOLES},
    "ssv:Boolean": ("value:flags!", ""),
    "ssv:String": ("value", "2/ssv:Value*"),
    "ssv:Enumeration": ("value name", "2/ssv:Value*"),
    "ssv:Binary": ("value mime-type", "2/ssv:Value*"),
    "ssv:Value": ("value!", ""),
    "ssm:ParameterMapping": (
        f"version! {_META}",
        f"ssm:MappingEntry* {_MORE} ssm:Annotations?",
    ),
    "ssm:MappingEntry": (
        f"{_BASE} source! target! suppressUnitConversion:flag",
        f"{_CHOICE} ssm:Annotations?",
    ),
    "ssb:SignalDictionary": (
        f"version! {_META}",
        f"ssb:DictionaryEntry* ssb:Enumerations? ssb:Units? {_MORE} ssb:Annotations?",
    ),
    "ssb:DictionaryEntry": (f"name! {_BASE}", f"{_typed('ssc')} 2/ssc:Dimension* ssb:Annotations?"),
    **{f"ssc:{name}": ("unit", "") for name in FLOATS},
    **{f"ssc:{name}": ("", "") for name in (*WHOLES, "Boolean", "String")},
    **{f"{s}:Enumerations": ("", "ssc:Enumeration=definition+") for s in ("ssd", "ssv", "ssb")},
    **{f"{s}:Units": ("", "ssc:Unit+") for s in ("ssd", "ssv", "ssb")},
    **{f"{s}:Annotations": ("", "ssc:Annotation+") for s in NAMESPACES},
}
OPAQUE = ("ssc:Annotation", "ssc:MetaData", "ssc:Signature")  # whatever is in them is let be


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute that an element may have: its type, and since when."""

    type: str = "text"
    required: bool = False
    new: bool = False


@dataclass(frozen=True, slots=True)
class Child:
    """Where an element may stand among others, how often, and whose rules it has."""

    position: int
    count: str
    rules: str
    new: bool = False

    @property
    def required(self) -> bool:
        """Whether there must be one."""
        return self.count in "!+"


@dataclass(frozen=True, slots=True)
class Rules:
    """What one element may have."""

    attributes: dict[str, Attribute]
    children: dict[str, Child]


@cache
def rules_of(name: str) -> Rules | None:
    """The rules of an element; None where anything goes."""
    if name in OPAQUE:
        return None
    attributes, children = _TEXT[name]
    return Rules(dict(map(_attribute, attributes.split())), _children(children))


def _attribute(text: str) -> tuple[str, Attribute]:
    name, _, type_ = text.removeprefix("2/").removesuffix("!").partition(":")
    return name, Attribute(type_ or "text", text.endswith("!"), text.startswith("2/"))


def _children(text: str) -> dict[str, Child]:
    found: dict[str, Child] = {}
    for position, entry in enumerate(text.split()):
        for one in entry.removeprefix("2/")[:-1].split("|"):
            name, _, rules = one.partition("=")
            found[name] = Child(position, entry[-1], rules or name, entry.startswith("2/"))
    return found
