"""Who lives where in one run: what the placement says, and what parts themselves need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from ..core.errors import CapabilityError, OptionError, Shortfall
from ..drawing.alike import answers
from ..drawing.part import Part
from ..results.patterns import matching
from ..subsystems.foreign import SupportsForeignCode, runs_foreign_code
from ..subsystems.subsystem import Model, Subsystem
from .host import Host, PartsHost
from .placement import HostOptions, Isolated, LocalHost, Place, Placement
from .process import can_isolate, check_platform
from .proxy import Hosted
from .sandbox import check_sandbox
from .stand_in import hosted
from .waiting import Waited


@dataclass(frozen=True, slots=True)
class Residence:
    """The host of one part by name, and why it is there, if nobody asked for it."""

    host: str
    options: HostOptions
    why: str = ""
    folders: tuple[Path, ...] = ()  # with what its code needs


def residences(parts: Mapping[str, Part], placement: Placement | None) -> dict[str, Residence]:
    """The parts that live in hosts."""
    found = dict[str, Residence]()
    for name, part in parts.items():
        options = _placed(name, part, placement)
        if options is not None:
            host = options.group if isinstance(options, LocalHost) else name
            folders = _folders(part) if options.sandbox else ()
            found[name] = Residence(host, options, folders=folders)
    if isinstance(placement, Mapping):
        _check_patterns(placement, parts)
    if found:
        check_platform()
        _check_options(r.options for r in found.values())
    for name, why in _on_their_own(parts, found):
        found[name] = Residence(name, Isolated(), why)
    lacking = [
        Shortfall(name, "cannot serialize its state", "leave restart= out for it")
        for name, residence in found.items()
        if residence.options.restart and not parts[name].description.capabilities.can_serialize
    ]
    if lacking:
        raise CapabilityError("A host with restarts", lacking)
    return found


def notes_of(found: Mapping[str, Residence]) -> list[str]:
    """What to say of parts that were placed by themselves."""
    return [f"'{n}' runs in a process of its own: it {r.why}" for n, r in found.items() if r.why]


@dataclass(slots=True, eq=False)
class Homes:
    """The hosts of one run, each started when its first part is made."""

    residences: Mapping[str, Residence] = field(default_factory=dict)
    hosts: dict[str, Host] = field(default_factory=dict)

    def make(self, name: str, model: Model) -> Subsystem:
        """Make a part live where it belongs."""
        residence = self.residences.get(name)
        if residence is None:
            return model.instantiate(name)
        if not self.hosts:  # all at once: they start side by side
            for r in self.residences.values():
                beside = (o.folders for o in self.residences.values() if o.host == r.host)
                folders = tuple(dict.fromkeys(chain.from_iterable(beside)))
                self.hosts.setdefault(r.host, Host(r.host, r.options, folders))
            for host in self.hosts.values():
                host.start()
        return hosted(name, model, self.hosts[residence.host])

    @property
    def restarts(self) -> dict[str, int]:
        """How often hosts were started again, by name."""
        return {name: host.restarts for name, host in self.hosts.items() if host.restarts}

    def close(self) -> None:
        """End the hosts that are still there."""
        for host in self.hosts.values():
            host.close()


def committed(parts: Iterable[Subsystem]) -> None:
    """A window was completed: hosts that may be started again begin there."""
    seen = set[PartsHost]()
    for part in parts:
        if isinstance(part, Hosted) and part.host not in seen:
            seen.add(part.host)
            part.committed()


def tell_waiting(parts: Iterable[Subsystem], waited: Waited | None) -> None:
    """Who is told of parts elsewhere that take long to answer."""
    for part in parts:
        if isinstance(part, Hosted):
            part.host.waited = waited


def _placed(name: str, part: Part, placement: Placement | None) -> HostOptions | None:
    """The host that the placement says; the first pattern that fits counts."""
    if isinstance(placement, Mapping):
        found = next((h for pattern, h in placement.items() if matching(pattern, [name])), None)
        return found if isinstance(found, HostOptions) else None
    if not isinstance(placement, HostOptions):
        return None  # here, or elsewhere
    if isinstance(placement, Isolated) and not runs_foreign_code(part.adapted):
        return None
    return placement


def _folders(part: Part) -> tuple[Path, ...]:
    model = part.adapted
    return tuple(model.folders()) if isinstance(model, SupportsForeignCode) else ()


def _check_options(given: Iterable[HostOptions]) -> None:
    for options in given:
        if options.directory is not None and not Path(options.directory).is_dir():
            raise OptionError(
                f"directory='{options.directory}' of a host is no folder; make it before the run"
            )
        if options.sandbox:
            check_sandbox()


def _check_patterns(placement: Mapping[str, Place | None], parts: Mapping[str, Part]) -> None:
    for pattern in placement:
        if not matching(pattern, parts):
            known = ", ".join(f"'{name}'" for name in list(parts)[:6])
            raise OptionError(
                f"placement= names '{pattern}', but no part is called so; there are {known}"
            )


def _on_their_own(
    parts: Mapping[str, Part], found: Mapping[str, Residence]
) -> list[tuple[str, str]]:
    """Parts that cannot live here, and why; those that cannot live twice, but for the first."""
    if not can_isolate():
        return []
    here, apart = dict[str, str](), list[tuple[str, str]]()
    foreign = answers(
        (part.adapted for part in parts.values()),
        lambda m: (
            (m.against_sharing(), m.against_company())
            if isinstance(m, SupportsForeignCode)
            else ("", "")
        ),
    )
    for name, (why, library) in zip(parts, foreign, strict=True):
        if name in found:
            continue
        if why:
            apart.append((name, why))
        elif library:
            first = here.setdefault(library, name)
            if first != name:
                once = f"can be instantiated only once in a process, and '{first}' is there already"
                apart.append((name, once))
    return apart
