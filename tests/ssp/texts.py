"""SSP files as text, as people write them."""

from __future__ import annotations

SPACES = " ".join(
    f'xmlns:{prefix}="http://ssp-standard.org/SSP1/SystemStructure{name}"'
    for prefix, name in (
        ("ssd", "Description"),
        ("ssc", "Common"),
        ("ssv", "ParameterValues"),
        ("ssm", "ParameterMapping"),
        ("ssb", "SignalDictionary"),
    )
)


def document(system: str, rest: str = "", version: str = "1.0") -> str:
    """A whole .ssd file around a system."""
    head = f'<ssd:SystemStructureDescription {SPACES} version="{version}" name="drawing">'
    return f"{head}\n{system}\n{rest}\n</ssd:SystemStructureDescription>\n"


def system(
    *elements: str,
    name: str = "root",
    connectors: str = "",
    bindings: str = "",
    wires: str = "",
    rest: str = "",
) -> str:
    """A system."""
    return (
        f'<ssd:System name="{name}">{_listed("Connectors", connectors)}'
        f"{_listed('ParameterBindings', bindings)}{_listed('Elements', ''.join(elements))}"
        f"{_listed('Connections', wires)}{rest}</ssd:System>"
    )


def component(
    name: str, fmu: str, connectors: str = "", bindings: str = "", rest: str = "", more: str = ""
) -> str:
    """A component."""
    return (
        f'<ssd:Component name="{name}" source="resources/{fmu}.fmu" {more}>'
        f"{_listed('Connectors', connectors)}{_listed('ParameterBindings', bindings)}{rest}"
        "</ssd:Component>"
    )


def connectors(*names: str, sort: str = "<ssc:Real/>") -> str:
    """Connectors, written as `u input`."""
    made = []
    for text in names:
        name, kind = text.rsplit(" ", 1)
        made.append(f'<ssd:Connector name="{name}" kind="{kind}">{sort}</ssd:Connector>')
    return "\n".join(made)


U_Y = connectors("u input", "y output")


def wire(start: str, end: str, inside: str = "", more: str = "") -> str:
    """A connection, written as `element/connector`, or `connector` for the system."""
    ends = []
    for side, text in (("start", start), ("end", end)):
        element, slash, connector = text.rpartition("/")
        ends.append(f'{side}Element="{element}"' if slash else "")
        ends.append(f'{side}Connector="{connector}"')
    return f"<ssd:Connection {' '.join(ends)} {more}>{inside}</ssd:Connection>"


def values(rest: str = "", version: str = "1.0", **given: str) -> str:
    """A parameter set; values are written as they are in XML: `<ssv:Real value="1"/>`."""
    made = "".join(
        f'<ssv:Parameter name="{name.replace("__", ".")}">{value}</ssv:Parameter>'
        for name, value in given.items()
    )
    return (
        f'<ssv:ParameterSet {SPACES} version="{version}" name="values">'
        f"<ssv:Parameters>{made}</ssv:Parameters>{rest}</ssv:ParameterSet>"
    )


def binding(given: str, mapping: str = "", more: str = "") -> str:
    """A parameter binding with its values inside."""
    return (
        f"<ssd:ParameterBinding {more}><ssd:ParameterValues>{given}</ssd:ParameterValues>"
        f"{mapping}</ssd:ParameterBinding>"
    )


def mapping(*entries: str) -> str:
    """A parameter mapping, inline; an entry is `source target`, then what is inside of it."""
    return f"<ssd:ParameterMapping>{bare_mapping(*entries)}</ssd:ParameterMapping>"


def bare_mapping(*entries: str) -> str:
    """The content of an .ssm file."""
    made = []
    for entry in entries:
        names, _, inside = entry.partition("|")
        source, target, *more = names.split()
        made.append(
            f'<ssm:MappingEntry source="{source}" target="{target}" {" ".join(more)}>{inside}'
            "</ssm:MappingEntry>"
        )
    return f'<ssm:ParameterMapping {SPACES} version="1.0">{"".join(made)}</ssm:ParameterMapping>'


def real(value: float, more: str = "") -> str:
    """A real value."""
    return f'<ssv:Real value="{value}" {more}/>'


def _listed(name: str, content: str) -> str:
    return f"<ssd:{name}>\n{content}\n</ssd:{name}>" if content else ""
