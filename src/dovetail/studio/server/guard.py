"""Who may speak to the studio: the page that was opened with its token, and nobody else.

Every request names this server as its host, so that no other name leads here (DNS rebinding). Those
that change something, and every WebSocket, come from a page of this server. The token of the
address becomes a cookie that scripts cannot read and other sites cannot send.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

OPEN = ("/", "/assets/", "/session")  # paths that need no cookie: the page itself, and the way in
_RULES = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self' {sockets}; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


class Guard:
    """An ASGI application around another one."""

    def __init__(self, app: App, port: int, token: str, hosts: Iterable[str]) -> None:
        self._app, self._token = app, token.encode()
        self.cookie = f"dovetail_studio_{port}"
        self.key = secrets.token_urlsafe(32)  # what the cookie holds; another one for each start
        self._hosts = {f"{name}:{port}".lower() for name in hosts}
        self._origins = {f"http://{host}" for host in self._hosts}
        sockets = " ".join(sorted(f"ws://{host}" for host in self._hosts))
        self._headers = [
            (b"content-security-policy", _RULES.format(sockets=sockets).encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"x-frame-options", b"DENY"),
            (b"referrer-policy", b"no-referrer"),
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"cross-origin-resource-policy", b"same-origin"),
            (b"cache-control", b"no-store"),
        ]

    def is_token(self, given: str) -> bool:
        """Whether this is the token of the address; takes as long for any."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or say why not."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if not refusal:
            await self._app(scope, receive, self._with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal})
        else:
            text = refusal.encode()
            size = str(len(text)).encode()
            plain = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", size)]
            await send({"type": "http.response.start", "status": 403,
                        "headers": [*plain, *self._headers]})  # fmt: skip
            await send({"type": "http.response.body", "body": text})

    def _refusal(self, scope: Scope) -> str:
        """Why not; empty if it may."""
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        host = [v.decode("latin-1").lower() for v in headers.get(b"host", [])]
        if len(host) != 1 or host[0] not in self._hosts:
            return "this server is known by another name"
        origin = [v.decode("latin-1").lower() for v in headers.get(b"origin", [])]
        is_plain = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if (origin or not is_plain) and not (len(origin) == 1 and origin[0] in self._origins):
            return "this comes from another page"
        path = scope["path"]
        is_open = scope["type"] == "http" and (path in OPEN or path.startswith("/assets/"))
        if not is_open and not self._is_known(headers.get(b"cookie", [])):
            return "open the studio by the address that it printed, with its token"
        return ""

    def _is_known(self, cookies: list[bytes]) -> bool:
        for line in cookies:
            try:
                found = SimpleCookie(line.decode("latin-1")).get(self.cookie)
            except CookieError:
                continue
            if found is not None and hmac.compare_digest(found.value.encode(), self.key.encode()):
                return True
        return False

    def _with_headers(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in self._headers}
                kept = [h for h in message.get("headers", []) if h[0].lower() not in own]
                message = {**message, "headers": [*kept, *self._headers]}
            await send(message)

        return sending
