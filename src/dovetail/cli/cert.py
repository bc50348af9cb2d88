"""`dovetail cert`: a small authority, and certificates that it signs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .completion.completers import files
from .streams import say


def cert(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="Where certificates and keys are, or will be.",
            autocompletion=files("/"),
        ),
    ],
    host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A certificate for a server of this name or number, again for more; in a new "
            "folder by default for this machine.",
        ),
    ] = None,
    user: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A certificate for a user, again for more; in a new folder by default for one.",
        ),
    ] = None,
    days: Annotated[
        int, typer.Option(min=1, max=3650, metavar="N", help="How long certificates are valid.")
    ] = 825,
) -> int:
    """Make certificates for part servers and their users, for a lab without an authority.

    In a new folder: an authority, a certificate for a server on this machine and one for a user,
    and a token. Later, with --host and --user, the same authority signs more.
    """
    from ..machines.authority import make_certificates

    for path in make_certificates(folder, host or (), user or (), days):
        secret = path.name.endswith("-key.pem") or path.suffix == ".txt"
        say(f"{path}{'  (a secret)' if secret else ''}")
    return 0
