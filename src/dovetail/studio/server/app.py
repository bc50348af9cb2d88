"""The application: the page's files, the way in, uploads, and the talk with pages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from ..folder import WorkFolder
from .downloads import rows_as_csv
from .guard import Guard
from .hub import Hub, refusal
from .page import Page
from .uploads import received

_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css",
          ".svg": "image/svg+xml", ".txt": "text/plain", ".woff2": "font/woff2"}  # fmt: skip
_BESIDE = ("advice", "story", "difference", "servers")
_MOST_BYTES = 2**20  # of a message from a page


def application(
    folder: WorkFolder, site: Path, token: str, port: int, hosts: list[str], *, is_trusted: bool
) -> tuple[Guard, Hub]:
    """The application behind its guard; `site` is where the page's files are."""
    hub = Hub(folder, is_trusted=is_trusted)
    guard: Guard

    @asynccontextmanager
    async def living(app: Starlette) -> AsyncIterator[None]:
        await hub.begin()
        try:
            yield
        finally:
            await hub.end()

    async def file(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        place = site / ("assets" if "name" in request.path_params else "") / name
        kind = _KINDS.get(place.suffix)
        if kind is None or "/" in name or not place.is_file():
            return PlainTextResponse("there is no such file", 404)
        return FileResponse(place, media_type=kind)

    async def session(request: Request) -> Response:
        data = b""
        async for chunk in request.stream():
            data += chunk
            if len(data) > 1000:
                return PlainTextResponse("this is no token", 403)
        if not guard.is_token(data.decode("utf-8", "replace").strip()):
            return PlainTextResponse("this is not the token of this studio", 403)
        answer = Response(status_code=204)
        answer.set_cookie(guard.cookie, guard.key, httponly=True, samesite="strict", path="/")
        return answer

    async def upload(request: Request) -> Response:
        return await received(request, hub)

    async def rows(request: Request) -> Response:
        return await rows_as_csv(request, hub)

    async def talk(socket: WebSocket) -> None:
        await socket.accept()
        await _talk(socket, hub)

    routes = [
        Route("/", file),
        Route("/assets/{name}", file),
        Route("/session", session, methods=["POST"]),
        Route("/rows", rows),
        Route("/upload", upload, methods=["POST"]),
        WebSocketRoute("/talk", talk),
    ]
    guard = Guard(Starlette(routes=routes, lifespan=living), port, token, hosts)
    return guard, hub


async def _talk(socket: WebSocket, hub: Hub) -> None:
    """Hear what a page asks and send what it should know, until it is closed."""
    page = Page()
    await hub.join(page)
    sending = asyncio.create_task(_send(socket, page))
    asked = set[asyncio.Task[None]]()
    try:
        while not page.is_lost:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                break
            await _heard(message, page, hub, asked)
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        hub.leave(page)
        sending.cancel()
        for task in asked:
            task.cancel()


async def _heard(message: Any, page: Page, hub: Hub, asked: set[asyncio.Task[None]]) -> None:
    text = message.get("text")
    try:
        if text is None or len(text) > _MOST_BYTES:
            raise ValueError
        found = json.loads(text)
    except (ValueError, RecursionError):
        page.send(json.dumps(refusal(None, "this is no request in JSON")))
        await asyncio.sleep(0)
        return
    if isinstance(found, dict) and "seen" in found:
        if isinstance(found["seen"], int):
            page.seen(found["seen"])
        return
    if isinstance(found, dict) and found.get("ask") in _BESIDE:  # takes its time: beside others
        task = asyncio.create_task(_answer(page, hub, found))
        asked.add(task)
        task.add_done_callback(asked.discard)
        return
    await _answer(page, hub, found)


async def _answer(page: Page, hub: Hub, found: Any) -> None:
    answer = await hub.answered(page, found)
    page.send(answer if isinstance(answer, bytes) else json.dumps(answer))


async def _send(socket: WebSocket, page: Page) -> None:
    with suppress(WebSocketDisconnect, RuntimeError, OSError):
        while True:
            message = await page.next()
            if isinstance(message, bytes):
                await socket.send_bytes(message)
            else:
                await socket.send_text(message)
