"""Files that are dropped onto the page: limited, and looked into before they are kept."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ...core.errors import DovetailError, FileError, OptionError
from ...core.file_kinds import TABLES
from ...formats.ssp.package import home_of
from .hub import Hub

MOST = 512 * 2**20  # bytes of one file
SUFFIXES = (".fmu", ".ssp", ".yaml", ".yml", ".msim", ".py", *TABLES)


async def received(request: Request, hub: Hub) -> Response:
    """Keep one file in the folder, under `?name=`, if it is what its name says."""
    desk, name = hub.desk, request.query_params.get("name", "")
    try:
        path = desk.folder.inside(Path(name).name)
        _check_name(path, hub)
        beside = path.with_name(f".{path.stem}.upload{path.suffix}")
        try:
            await _written(request, beside)
            await asyncio.get_running_loop().run_in_executor(None, _examined, beside, hub)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except DovetailError as error:
        return JSONResponse({"problem": str(error)}, 400)
    except OSError as error:
        return JSONResponse({"problem": f"{name} cannot be kept: {error.strerror}"}, 400)
    return JSONResponse({"name": desk.folder.name_of(path)})


def _check_name(path: Path, hub: Hub) -> None:
    if path.suffix.lower() not in SUFFIXES:
        raise FileError(path.name, "is nothing that can be used here", "drop FMUs, tables, systems")
    if path.suffix == ".py" and not hub.desk.document.is_trusted:
        raise OptionError("Python files are taken only into a folder that you trust")
    if path.exists():
        raise FileError(path.name, "is there already", "rename one of them")


async def _written(request: Request, place: Path) -> None:
    size = 0
    place.unlink(missing_ok=True)  # as a link, it might lead anywhere
    with place.open("xb") as file:
        async for chunk in request.stream():
            size += len(chunk)
            if size > MOST:
                raise FileError(place.name, f"is larger than {MOST // 2**20} MB")
            file.write(chunk)


def _examined(place: Path, hub: Hub) -> None:
    """Read it with the code that reads files of strangers; nothing in it is run."""
    suffix = place.suffix.lower()
    library: Any = hub.desk.library
    if suffix == ".fmu" or suffix in TABLES:
        _ = library.model(place.name).description
    elif suffix == ".ssp":
        home_of(place)
