"""`dovetail studio`: draw, check, run and plot in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .completion.completers import files


def studio(
    target: Annotated[
        Path,
        typer.Argument(
            metavar="[FILE|FOLDER]",
            help="A system to open, or a folder of models; by default this folder.",
            autocompletion=files(".yaml", ".yml", ".ssp", ".msim", "/"),
        ),
    ] = Path(),
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="PORT", help="By default one that is free.")
    ] = 0,
    trust: Annotated[
        bool,
        typer.Option("--trust", help="Python models of the folder may run; else the page asks."),
    ] = False,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address.")
    ] = False,
) -> int:
    """Open a page to draw, check, run and plot systems.

    The page is served to this machine alone, under an address that holds a secret. Edits that were
    not saved are kept beside the file, and are there again if the studio is killed.
    """
    from ..studio.server.serving import serve

    serve(target, port=port, is_trusted=trust, opens_browser=not no_browser)
    return 0
