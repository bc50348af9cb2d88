"""Parts on the workers of a Dask cluster: `placement=dv.Cluster(client)`."""

from __future__ import annotations

import ipaddress
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..core.errors import OptionError, RunError
from ..core.options import check_number, worded
from ..hosts.placement import Elsewhere
from ..hosts.travel import opened, packed
from ..results.files.needs import need
from .access import Access
from .address import Address
from .cutting import Wires, grouped
from .offer import PartOffer
from .publication import Publication
from .remote_model import LONGEST, RemoteModel, loaded
from .sealed import OpenSeal
from .server import PartServer, ServerOptions
from .unreachable import Unreachable

if TYPE_CHECKING:
    from ..drawing.system import System

_STARTED, _IDLE = 120.0, 60.0  # seconds to start a server, and that one lives unused
_SERVERS: list[PartServer] = []  # of this process, where it is a worker
Started = tuple[str, int, str]  # host, port, certificate of its authority


class Cluster(Elsewhere):
    """Parts live on the workers of a Dask cluster, in processes of their own.

    Parts are shared out by what they cost and so that few wires join workers. Models travel
    through Dask, which the cluster trusts; files of FMUs must be where the workers see them under
    the same path. What is exchanged in a run goes straight to the workers.

    Args:
        client: A `dask.distributed.Client`, of whatever kind of cluster.
        costs: What parts cost, such as `result.statistics.seconds_by_part`; by default all the
            same.
        timeout: The longest that one call of a part may last, in s of waiting.
    """

    def __init__(
        self,
        client: Any,
        *,
        costs: Mapping[str, float] | None = None,
        timeout: float = LONGEST,
    ) -> None:
        if not (hasattr(client, "submit") and hasattr(client, "nthreads")):
            raise OptionError(f"Cluster takes a dask.distributed.Client, not {client!r}")
        check_number("timeout", timeout, above=0)
        for name, cost in (costs or {}).items():
            check_number(f"costs of '{name}'", cost, least=0)
        self._client, self._costs, self._timeout = client, dict(costs or {}), float(timeout)

    def __repr__(self) -> str:
        return f"Cluster({self._client!r})"

    def stand_ins(self, system: System, names: Sequence[str]) -> dict[str, RemoteModel]:
        """The same models, on workers."""
        workers = sorted(self._client.nthreads())
        if not workers:
            raise OptionError("the cluster has no workers; start some, or wait for them")
        usual = [c for c in self._costs.values() if c > 0]
        costs = {
            n: self._costs.get(n) or (sum(usual) / len(usual) if usual else 1.0) for n in names
        }
        groups = grouped(costs, wires_of(system, names), len(workers))
        token = secrets.token_urlsafe(32)
        asked = []
        for worker, group in zip(workers, groups, strict=False):
            models = [(name, packed(name, system.parts[name].adapted)) for name in group]
            place = {"workers": [worker], "allow_other_workers": False, "pure": False}
            asked.append(
                (
                    worker,
                    group,
                    self._client.submit(serve_here, _host(worker), models, token, **place),
                )
            )
        found: dict[str, RemoteModel] = {}
        for worker, group, future in asked:
            try:
                host, port, ca = future.result(_STARTED)
            except Exception as error:
                what = f"it cannot hold {', '.join(group)}: {type(error).__name__}: {error}"
                raise Unreachable(f"worker {worker}", what) from None
            access = Access(token=token, ca_text=ca or None)
            for name in group:
                model = RemoteModel(
                    Address(host, port, name),
                    access,
                    self._timeout,
                    title=f"worker {worker}",
                    stands_for=system.parts[name].model,
                )
                found[name] = loaded(model)
        return found


def wires_of(system: System, names: Sequence[str]) -> Wires:
    """How many numbers pass between two parts."""
    found: dict[tuple[str, str], float] = {}
    inside = set(names)
    for c in system.connections:
        ends = c.source.part, c.target.part
        if inside.issuperset(ends):
            pair = min(ends), max(ends)
            found[pair] = found.get(pair, 0.0) + c.target.variable.size
    return found


def serve_here(host: str, models: Sequence[tuple[str, bytes]], token: str) -> Started:
    """On a worker: a server for these parts, which ends when nobody uses it any more."""
    offers = {
        name: PartOffer(opened(data), Publication(name, linearization=True, state=True), OpenSeal())
        for name, data in models
    }
    address, ca = Address(host, 0), ""
    if address.is_loopback:
        access = Access(token=token)
    else:
        need("cryptography", "remote", "a cluster over a network takes it on each worker")
        from .authority import make_certificates

        with tempfile.TemporaryDirectory() as folder:
            make_certificates(Path(folder), [host])
            ca = (Path(folder) / "ca.pem").read_text()
            pem = Path(folder) / f"server-{host}.pem", Path(folder) / f"server-{host}-key.pem"
            access = Access(cert=str(pem[0]), key=str(pem[1]), token=token)
            return _kept(address, access, offers, ca)
    return _kept(address, access, offers, ca)


def _kept(address: Address, access: Access, offers: Mapping[str, PartOffer], ca: str) -> Started:
    _SERVERS[:] = [s for s in _SERVERS if s.is_open]
    options = ServerOptions(most=4096, idle=_IDLE)
    server = PartServer(address, access, offers, options, insecure=access.is_plain)
    _SERVERS.append(server)
    return server.address.host, server.address.port, ca


def _host(worker: str) -> str:
    """The machine of a worker, by its address."""
    host = urlsplit(worker).hostname or ""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        if not host:
            raise RunError(f"the address of the worker {worker} names no machine") from None
        return host


worded(Cluster)
