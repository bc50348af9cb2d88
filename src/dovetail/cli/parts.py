"""`dovetail parts`: what a server offers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from ..core.harmless import harmless_line
from .access_options import Ca, Cert, Key, TokenFile, access_of
from .streams import say


def parts(
    context: typer.Context,
    address: Annotated[
        str, typer.Argument(metavar="dovetail://HOST:PORT", help="The address of a server.")
    ],
    search: Annotated[
        str, typer.Argument(metavar="[TEXT]", help="What a name or a description contains.")
    ] = "",
    ca: Ca = None,
    cert: Cert = None,
    key: Key = None,
    token_file: TokenFile = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one object to standard output.")
    ] = False,
) -> int:
    """List the parts that a server offers, with the addresses that dv.load takes."""
    from ..machines.listing import parts as offered

    found = offered(address, search, **access_of(ca, cert, key, token_file))
    if as_json:
        rows: list[dict[str, Any]] = [asdict(p) for p in found]
        for row in rows:
            del row["options"]
        context.obj.append({"address": address, "parts": rows})
    if not found:
        say(f"nothing is offered there{f' that contains {search!r}' if search else ''}")
    for part in found:
        text = f": {part.description}" if part.description else ""
        counts = f"{part.inputs} inputs, {part.outputs} outputs, {part.parameters} parameters"
        say(harmless_line(f"{part.name}{text}"), bold=True)
        say(harmless_line(f"  {part.address}, {part.kind}, {counts}"))
    return 0
