"""Everybody there is, in the order of the table."""

from __future__ import annotations

from .by_dovetail import Dovetail
from .by_ecos import Ecos
from .by_fmpy import Container, Loop
from .by_libcosim import Libcosim
from .by_mastersim import MasterSim
from .by_omsimulator import OMSimulator
from .by_pyfmi import PyFMI
from .peer import Peer

PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        Dovetail(),
        Container(),
        MasterSim(),
        Ecos(),
        Libcosim(),
        OMSimulator(),
        PyFMI(),
        Loop(),
    )
}
