"""What is attacked: a row for each reader. To add one, add a row to `TARGETS`."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import dovetail as dv
from dovetail.drawing.run_settings import RunSettings
from dovetail.fmi.archive.archive import Archive
from dovetail.fmi.archive.recipe import recipe
from dovetail.fmi.calls.log import Log
from dovetail.fmi.description import describe, read, rules
from dovetail.fmi.kernel import NativeMember, kernel
from dovetail.fmi.native.kernel_batch import batch_of
from dovetail.formats.companions import Companions
from dovetail.runplan import printing, reading
from fuzz import corpus, mutation, plans

Mutation = Callable[[Random, bytes, Sequence[bytes]], bytes]


@dataclass(frozen=True, slots=True)
class Target:
    """A reader: whole files to begin with, how they are damaged, and what is done with them.

    The damaged file is called `file`, in a folder with `beside`. `attempt` may raise errors of
    Dovetail, and nothing else.
    """

    file: str
    seeds: Callable[[], Sequence[bytes]]
    damage: Mutation
    attempt: Callable[[Path], Any]
    beside: Callable[[], dict[str, bytes]] = dict


def _describe(path: Path) -> None:
    archive = Archive.open(path.parent)
    found = read(archive)
    describe.lines(found, archive, everything=True)
    rules.check(found, archive)
    with contextlib.suppress(dv.DovetailError):  # some are links to another program
        _ = dv.Fmu(str(path.parent)).description


def _fmu(path: Path) -> None:
    _ = dv.Fmu(str(path)).description


def _system(path: Path) -> None:
    system = dv.open(path, unsupported="warn")
    system.fingerprint()


def _values(path: Path) -> None:
    _system(path.with_name("x.ssd"))


def _table(path: Path) -> None:
    for attempt in (dv.load, _result):
        try:
            attempt(path)
        except dv.DovetailError as error:
            str(error)


def _result(path: Path) -> None:
    result = dv.read(path)
    repr(result), str(result.verdict), result.statistics, result.changes, result.units
    _ = result.final
    for name in result:
        result[name]
    for _ in result.table.batches(4):
        pass


def _resume(path: Path) -> None:
    draw, algorithm, controller = corpus.RUNS[path.name.removeprefix("checkpoint-")]
    options = {"algorithm": algorithm, "controller": controller, "quiet": True}
    with dv.Session(draw(), stop=0.5, resume=path, **options) as session:
        for count, _ in enumerate(session):
            if count > 200:
                break
        str(session.result.verdict)


def _terminals(path: Path) -> None:
    _describe(path.parent)


def _groups(path: Path) -> None:
    _system(path.with_name("OspSystemStructure.xml"))


def _recipe(path: Path) -> None:
    archive = Archive.open(path.parents[1])
    found = read(archive)
    recipe(archive, found, found.interfaces[0])


def _companions(path: Path) -> None:
    beside = Companions(path.with_name("a.fmu"))
    _ = beside.options, beside.proposed_stop(RunSettings())


def _log(path: Path) -> None:
    """Numbers, a text and a pointer to nothing, whatever the format asks for."""
    log, message = Log("part", 2), path.read_bytes().split(b"\0")[0]
    logger = kernel().dt_logger2
    arguments = (ctypes.c_long(7), ctypes.c_char_p(b"text"), ctypes.c_void_p(16))
    numbers = (ctypes.c_double(1.5), ctypes.c_double(-2e300))
    logger(ctypes.c_void_p(log.environment), b"part", 0, b"c", message, *arguments, *numbers)
    log.take()
    log.close()


def _plan(path: Path) -> None:
    """By both readers: what Python cannot read the kernel does not take, names aside."""
    block, refused = path.read_bytes(), ""
    try:
        count = reading.read(block).members.kind.size
    except dv.InputError as error:
        refused, count = str(error), 6
    with contextlib.suppress(dv.InputError):
        printing.lines(block)
    batch = batch_of(kernel(), block, (NativeMember * count)())
    kernel().dt_batch_free(batch)
    assert not refused or "NAME" in refused, refused


def _neighbours() -> dict[str, bytes]:
    fmu = corpus.zipped({"modelDescription.xml": corpus.PLAIN_FMU})
    return {
        "linear.fmu": fmu,
        "road.csv": corpus.ROAD,
        "models.py": corpus.MODELS,
        "inner.yaml": corpus.INNER,
        "values.ssv": corpus.SSV,
        "x.ssd": corpus.SSD,
    }


def _described() -> dict[str, bytes]:
    return {"modelDescription.xml": corpus.PLAIN_FMU}


def _grouped() -> dict[str, bytes]:
    return _neighbours() | {"linear_OspModelDescription.xml": corpus.OSP_GROUPS}


def _multi() -> dict[str, bytes]:
    return _neighbours() | {"mm.json": corpus.MAESTRO}


def _reference() -> dict[str, bytes]:
    return {"a_ref.csv": corpus.ROAD}


def _streamed() -> dict[str, bytes]:
    return {"r.parquet.rows": corpus.streams()[0]}


def _bonded() -> dict[str, bytes]:
    return _neighbours() | {"OspSystemStructure.xml": corpus.OSP_BONDS}


def _sources() -> dict[str, bytes]:
    sources = {"sources/all.c": b"int a;"}
    return _described() | sources


def _results(suffix: str, damage: Mutation) -> Target:
    return Target(f"r{suffix}", lambda: corpus.results(suffix), damage, _result)


def _checkpoint(name: str) -> Target:
    def seeds() -> list[bytes]:
        return [corpus.checkpoint(name)]

    return Target(f"checkpoint-{name}", seeds, mutation.damaged_checkpoint, _resume)


_TEXT, _BYTES, _JSON = mutation.damaged_text, mutation.damaged_bytes, mutation.damaged_json
TARGETS: dict[str, Target] = {
    "description": Target("modelDescription.xml", corpus.descriptions, _TEXT, _describe),
    "fmu": Target("a.fmu", corpus.fmus, mutation.damaged_archive, _fmu),
    "ssp": Target("a.ssp", corpus.ssps, mutation.damaged_archive, _system),
    "ssd": Target("a.ssd", lambda: [corpus.SSD], _TEXT, _system, _neighbours),
    "ssv": Target("values.ssv", lambda: [corpus.SSV], _TEXT, _values, _neighbours),
    "terminals": Target(
        "terminalsAndIcons/terminalsAndIcons.xml",
        lambda: [corpus.TERMINALS],
        _TEXT,
        _terminals,
        _described,
    ),
    "sources": Target(
        "sources/buildDescription.xml", lambda: [corpus.BUILD], _TEXT, _recipe, _sources
    ),
    "osp": Target("OspSystemStructure.xml", lambda: [corpus.OSP], _TEXT, _system, _neighbours),
    "osp bonds": Target("Osp.xml", lambda: [corpus.OSP_BONDS], _TEXT, _system, _grouped),
    "osp groups": Target(
        "linear_OspModelDescription.xml", lambda: [corpus.OSP_GROUPS], _TEXT, _groups, _bonded
    ),
    "maestro": Target("mm.json", lambda: [corpus.MAESTRO], _JSON, _system, _neighbours),
    "cofmupy": Target("c.json", lambda: [corpus.COFMUPY], _JSON, _system, _neighbours),
    "maestro run": Target("a.coe.json", lambda: [corpus.MAESTRO_RUN], _JSON, _system, _multi),
    "check options": Target(
        "a_ref.opt", lambda: [corpus.CHECK_OPTIONS], _TEXT, _companions, _reference
    ),
    "msim": Target("a.msim", lambda: [corpus.MSIM], _TEXT, _system, _neighbours),
    "yaml": Target("a.yaml", lambda: [corpus.YAML], _TEXT, _system, _neighbours),
    "csv": Target("a.csv", lambda: corpus.TEXTS, _TEXT, _table),
    "tsv": Target("a.tsv", lambda: corpus.TEXTS, _TEXT, _table),
    "txt": Target("a.txt", lambda: corpus.TEXTS, _TEXT, _table),
    "measured parquet": Target(
        "a.parquet", lambda: corpus.results(".parquet")[1:], _BYTES, dv.load
    ),
    "excel": Target("a.xlsx", lambda: corpus.results(".xlsx"), mutation.damaged_archive, _table),
    "parquet": _results(".parquet", _BYTES),
    "arrow": _results(".arrow", _BYTES),
    "hdf5": _results(".h5", _BYTES),
    "mat": _results(".mat", _BYTES),
    "json": _results(".json", mutation.damaged_json),
    "text": _results(".csv", _TEXT),
    "stream": Target("r.parquet.rows", corpus.streams, _BYTES, _result),
    "tail": Target("r.parquet.tail", corpus.tails, _BYTES, _result, _streamed),
    **{f"checkpoint {name}": _checkpoint(name) for name in corpus.RUNS},
    "plan": Target("x.plan", plans.blocks, plans.damaged_plan, _plan),
    "log": Target("format", lambda: corpus.FORMATS, _TEXT, _log),
}


def made(name: str, number: int) -> bytes:
    """The input of this number: always the same."""
    target, chance = TARGETS[name], Random(f"{name}/{number}")
    seeds = target.seeds()
    return target.damage(chance, chance.choice(seeds), seeds)
