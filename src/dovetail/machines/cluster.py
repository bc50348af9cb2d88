"""Parts on the workers of a Dask cluster: `placement=dv.Cluster(client)`."""

from __future__ import annotations

import ipaddress
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..core.errors import CapabilityError, OptionError, RunError, Shortfall
from ..core.options import check_number, check_whole, worded
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
        restart: How often a part whose worker is lost goes on on another one, from the last window
            that was completed; all parts there must be able to serialize their states.
    """

    def __init__(
        self,
        client: Any,
        *,
        costs: Mapping[str, float] | None = None,
        timeout: float = LONGEST,
        restart: int = 0,
    ) -> None:
        check_whole("restart", restart, 0)
        if not (hasattr(client, "submit") and hasattr(client, "nthreads")):
            raise OptionError(f"Cluster takes a dask.distributed.Client, not {client!r}")
        check_number("timeout", timeout, above=0)
        for name, cost in (costs or {}).items():
            check_number(f"costs of '{name}'", cost, least=0)
        self._restart = restart
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
        self._check_serializable(system, names)
        token = secrets.token_urlsafe(32)
        asked = []
        for worker, group in zip(workers, groups, strict=False):
            models = [(name, packed(name, system.parts[name].adapted)) for name in group]
            asked.append((worker, models, self._submitted(worker, models, token)))
        found: dict[str, RemoteModel] = {}
        for worker, models, future in asked:
            started = _started(worker, models, future)
            for one in models:
                name = one[0]
                model = self._model(worker, started, name, token)
                revive = partial(self._elsewhere, worker, one, token)
                model = replace(model, stands_for=system.parts[name].model)
                found[name] = loaded(replace(model, restart=self._restart, revive=revive))
        return found

    def _check_serializable(self, system: System, names: Sequence[str]) -> None:
        """CapabilityError for parts that could not go on elsewhere, where they are to."""
        mute = [n for n in names if not system.parts[n].description.capabilities.can_serialize]
        if self._restart and mute:
            lacks, remedy = "cannot serialize its state", "leave restart= out"
            found = [Shortfall(name, lacks, remedy) for name in mute]
            raise CapabilityError("A cluster with restarts", found)

    def _submitted(self, worker: str, models: Sequence[tuple[str, bytes]], token: str) -> Any:
        """A server on a worker, on its way."""
        place = {"workers": [worker], "allow_other_workers": False, "pure": False}
        return self._client.submit(serve_here, _host(worker), models, token, **place)

    def _model(self, worker: str, started: Started, name: str, token: str) -> RemoteModel:
        """A part that is served there."""
        host, port, ca = started
        access = Access(token=token, ca_text=ca or None)
        where = Address(host, port, name)
        return RemoteModel(where, access, self._timeout, title=f"worker {worker}")

    def _elsewhere(self, lost: str, model: tuple[str, bytes], token: str) -> RemoteModel:
        """The same part on another worker; the one that was lost only if there is no other."""
        until = monotonic() + _STARTED
        while not (workers := sorted(self._client.nthreads())) and monotonic() < until:
            sleep(0.1)  # a new one may be on its way
        others = [w for w in workers if w != lost] or workers
        if not others:
            raise Unreachable(f"worker {lost}", f"no other is there for '{model[0]}'")
        worker = others[0]
        started = _started(worker, [model], self._submitted(worker, [model], token))
        return self._model(worker, started, model[0], token)


def _started(worker: str, models: Sequence[tuple[str, bytes]], future: Any) -> Started:
    """Where a server on a worker listens; Unreachable if there is none."""
    try:
        found: Started = future.result(_STARTED)
        return found
    except Exception as error:
        names = ", ".join(name for name, _ in models)
        what = f"it cannot hold {names}: {type(error).__name__}: {error}"
        raise Unreachable(f"worker {worker}", what) from None


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
