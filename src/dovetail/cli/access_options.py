"""Options of commands that talk to other machines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .completion.completers import files

_PEM = files(".pem", ".crt")

Ca = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Certificate of the authority that the other side is believed by (PEM).",
        autocompletion=_PEM,
    ),
]
Cert = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Certificate to be shown (PEM).", autocompletion=_PEM),
]
Key = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The key of that certificate (PEM).", autocompletion=_PEM),
]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A file with a token that both sides know; it never travels.",
        autocompletion=files(".txt"),
    ),
]


def access_of(
    ca: Path | None, cert: Path | None, key: Path | None, token_file: Path | None
) -> dict[str, str]:
    """Those that were given, as texts."""
    given = {"ca": ca, "cert": cert, "key": key, "token_file": token_file}
    return {name: str(path) for name, path in given.items() if path is not None}
