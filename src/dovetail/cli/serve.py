"""`dovetail serve`: the models of a folder, for others to use."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from time import strftime
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from .access_options import Ca, Cert, Key, TokenFile, access_of
from .completion.completers import files
from .streams import say

if TYPE_CHECKING:
    from ..machines.access import Access
    from ..machines.address import Address
    from ..machines.server import ServerOptions


def serve(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="FMUs, Python models and systems; publish.yaml in it says what is shown of them.",
            autocompletion=files("/"),
        ),
    ],
    port: Annotated[
        int,
        typer.Option(
            min=0, max=65535, metavar="PORT", help="Where to listen; 0 is one that is free."
        ),
    ] = 4850,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The name or number to listen at; by default all of this machine, and only "
            "127.0.0.1 with --insecure.",
        ),
    ] = None,
    cert: Cert = None,
    key: Key = None,
    ca: Ca = None,
    token_file: TokenFile = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Without TLS, for this machine only.")
    ] = False,
    users: Annotated[
        int,
        typer.Option(min=1, max=10_000, metavar="N", help="How many uses there may be at once."),
    ] = 64,
    timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", help="The longest that one call of a part may take, in seconds."
        ),
    ] = 3600.0,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory that each use may take, as '2 GB'; by default it has no limit.",
        ),
    ] = None,
    sandbox: Annotated[
        bool, typer.Option("--sandbox", help="Parts are kept from files, network and processes.")
    ] = False,
    alone: Annotated[
        bool,
        typer.Option("--alone", help="Parts do not step beside those of other machines."),
    ] = False,
) -> int:
    """Offer the models of a folder to other machines; each use has a process of its own.

    With --ca users show certificates of that authority, with --token-file they know a token. Who
    uses what is written to standard error. Ctrl-C ends the server and all uses.
    """
    # Over 60 lines: the options of the command.
    from ..hosts.placement import HostOptions
    from ..hosts.process import check_platform
    from ..machines.access import Access
    from ..machines.address import Address
    from ..machines.server import ServerOptions

    check_platform()
    access = Access(**access_of(ca, cert, key, token_file))
    address = Address(host or ("127.0.0.1" if insecure else "*"), port)
    access.check_dialled(address, insecure=insecure)
    limits = HostOptions(timeout=timeout, memory=memory, sandbox=sandbox)
    options = ServerOptions(users, limits, log, meets=not alone)
    return _served(folder, address, access, options, insecure=insecure)


def _served(
    folder: Path,
    address: Address,
    access: Access,
    options: ServerOptions,
    *,
    insecure: bool,
) -> int:
    from ..machines.sealed import Seal
    from ..machines.server import PartServer
    from ..serving import offers_in

    offers = offers_in(folder, Seal(access.key), log)
    with PartServer(address, access, offers, options, insecure=insecure) as server:
        signal.signal(signal.SIGTERM, ended)
        for name, offer in offers.items():
            text = offer.publication.text
            say(f"  {name}{f': {text}' if text else ''}")
        count = "1 part" if len(offers) == 1 else f"{len(offers)} parts"
        say(f"{count} of {folder} at {server.address.place}; Ctrl-C ends it", bold=True)
        sys.stdout.flush()
        try:
            server.wait()
        except KeyboardInterrupt:
            say("ended")
    return 0


def log(line: str) -> None:
    """A line with its time, on standard error."""
    print(f"{strftime('%Y-%m-%d %H:%M:%S')} {line}", file=sys.stderr, flush=True)


def ended(number: int, frame: FrameType | None) -> None:
    """A signal that ends as Ctrl-C does."""
    raise KeyboardInterrupt
