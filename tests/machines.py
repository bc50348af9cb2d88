"""Part servers for tests: on 127.0.0.1, at a port that the system chooses."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dovetail as dv
from dovetail.hosts.placement import HostOptions
from dovetail.machines.access import Access
from dovetail.machines.address import Address
from dovetail.machines.offer import PartOffer
from dovetail.machines.publication import Publication
from dovetail.machines.sealed import Seal
from dovetail.machines.server import PartServer, ServerOptions

HERE = Address("127.0.0.1", 0)
SECRET = "the-rotor-gap"  # in names that are not published


def mass(**more: Any) -> Any:
    return dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        inputs={"force": 0.0, "wind": 0.25},
        outputs=["x", "v"],
        parameters={"m": 2.0},
        derivatives=lambda t, x, u, p: [x.v, (u.force + u.wind) / p.m],
        **more,
    )


def spring() -> Any:
    return dv.Algebraic(inputs=["x"], outputs=["force"], function=lambda t, u, p: [-8.0 * u.x])


def oscillator(body: Any, force: Any = None) -> dv.System:
    system = dv.System("oscillator")
    system.add("mass", body)
    system.add("spring", force or spring())
    system.connect("mass.x", "spring.x")
    system.connect("spring.force", "mass.force")
    return system


def run(system: dv.System, **more: Any) -> dv.Result:
    return dv.simulate(
        system, **{"stop": 1.0, "step": 0.05, "quiet": True, "verify": False, **more}
    )


def offered(model: Any, name: str = "part", seal: Seal | None = None, **more: Any) -> PartOffer:
    return PartOffer(model, Publication(name, **more), seal or Seal(None))


@contextmanager
def serving(
    *offers: PartOffer, access: Access = Access(), most: int = 64, **limits: Any
) -> Iterator[tuple[str, list[str]]]:
    """The address of a server, and the lines it logs."""
    said: list[str] = []
    options = ServerOptions(most, HostOptions(**limits), said.append)
    given = {offer.name: offer for offer in offers}
    with PartServer(HERE, access, given, options, insecure=access.is_plain) as server:
        yield server.address.place, said


def soon(true: Callable[[], Any]) -> bool:
    """Whether something becomes true, sooner or later."""
    wait = threading.Event()
    return any(true() or wait.wait(0.02) for _ in range(1000))


def certificates(folder: Path) -> Path:
    from dovetail.machines.authority import make_certificates

    make_certificates(folder)
    return folder


def server_access(folder: Path, *, users: bool = True, token: bool = False) -> Access:
    given = {"cert": str(folder / "server.pem"), "key": str(folder / "server-key.pem")}
    given |= {"ca": str(folder / "ca.pem")} if users else {}
    given |= {"token_file": str(folder / "token.txt")} if token else {}
    return Access(**given)


def user_options(folder: Path, *, cert: bool = True, token: bool = False) -> dict[str, str]:
    given = {"ca": str(folder / "ca.pem")}
    if cert:
        given |= {"cert": str(folder / "client.pem"), "key": str(folder / "client-key.pem")}
    return given | ({"token_file": str(folder / "token.txt")} if token else {})
