"""`dovetail host`: parts that dial out to a master."""

from __future__ import annotations

import signal
import threading
from typing import Annotated

import typer

from .access_options import Ca, Cert, Key, TokenFile, access_of
from .completion.completers import files
from .serve import ended, log


def host(
    connect: Annotated[
        str,
        typer.Option(
            metavar="dovetail://HOST:PORT",
            help="The address at which a master waits for parts; it has no default.",
        ),
    ],
    part: Annotated[
        list[str],
        typer.Option(
            metavar="FILE",
            help="An FMU, a system, or a model in a Python file (models.py:prey); again for more.",
            autocompletion=files(".fmu", ".yaml", ".ssp", ".py"),
        ),
    ],
    ca: Ca = None,
    cert: Cert = None,
    key: Key = None,
    token_file: TokenFile = None,
    once: Annotated[
        bool, typer.Option("--once", help="End when each part was used in one run.")
    ] = False,
    timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", help="The longest that one call of a part may take, in seconds."
        ),
    ] = 3600.0,
    sandbox: Annotated[
        bool, typer.Option("--sandbox", help="Parts are kept from files, network and processes.")
    ] = False,
) -> int:
    """Offer parts to a master that waits for them: no port is opened on this side.

    The master loads each with listen=True. What publish.yaml beside a model says holds here too.
    It dials again after each run, and while the master is not there, until Ctrl-C ends it.
    """
    # Over 60 lines: the options of the command.
    from ..hosts.placement import HostOptions
    from ..hosts.process import check_platform
    from ..machines.access import Access
    from ..machines.address import Address
    from ..machines.outbound import OutboundPart
    from ..machines.sealed import Seal
    from ..serving import offer_of

    check_platform()
    access = Access(**access_of(ca, cert, key, token_file))
    master = Address.parse(connect, part=False)
    access.dialling(master)  # what is wrong with files is said now
    seal, limits = Seal(access.key), HostOptions(timeout=timeout, sandbox=sandbox)
    parts = [OutboundPart(offer_of(p, seal), master, access, limits, log) for p in part]
    signal.signal(signal.SIGTERM, ended)
    threads = [threading.Thread(target=lambda p=p: p.serve(once=once), daemon=True) for p in parts]
    for thread in threads:
        thread.start()
    try:
        while any(thread.is_alive() for thread in threads):
            for thread in threads:
                thread.join(0.2)
    except KeyboardInterrupt:
        for outbound in parts:
            outbound.end()
        for thread in threads:
            thread.join(5.0)
    return 0
