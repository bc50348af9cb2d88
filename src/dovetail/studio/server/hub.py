"""All pages of one studio: each sees what another does, and what runs bring."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from ...core.errors import DovetailError
from ...formats.allowance import one_reading
from ..desk import Desk
from ..folder import WorkFolder
from ..library import TrustNeeded
from ..questions import QUESTIONS
from ..runs import StudioRun
from ..save_question import SaveQuestion
from ..told import problems_of
from .page import Page

_TICK = 0.1  # s between two looks at what is new
_OUTSIDE = 20  # ticks between two looks at the file
_LONGEST = 1000  # letters of a sentence about an error of our own

log = logging.getLogger("dovetail.studio")


class Hub:
    """Pages, the desk behind them, and what is new for whom."""

    def __init__(self, folder: WorkFolder, *, is_trusted: bool) -> None:
        self.pages: set[Page] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="studio")
        self._shown = ""  # the drawing and its check, as it was sent last
        self._outside = False
        self.desk = Desk(folder, is_trusted=is_trusted, told=self._news)

    async def begin(self) -> None:
        """Take up work in this loop."""
        self._loop = asyncio.get_running_loop()
        await self.show()
        self._ticking = asyncio.create_task(self._tick())

    async def end(self) -> None:
        """End runs and threads."""
        self._ticking.cancel()
        await self._in_thread(self.desk.close)
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def join(self, page: Page) -> None:
        """A page that was opened."""
        self.pages.add(page)
        page.send(self._shown)
        page.send(json.dumps({"pages": len(self.pages)}))
        for run in self.desk.runs.listed():
            page.news(run["number"])
        self._count()

    def leave(self, page: Page) -> None:
        """A page that was closed."""
        self.pages.discard(page)
        self._count()

    async def answered(self, page: Page, message: Any) -> dict[str, Any] | bytes:
        """The answer to one request; whatever goes wrong becomes one."""
        number = message.get("id") if isinstance(message, dict) else None
        number = number if isinstance(number, int | str) else None
        try:
            what, given = message["ask"], message.get("with", {})
            if not isinstance(what, str) or not isinstance(given, dict):
                raise TypeError
        except (TypeError, KeyError, AttributeError):
            return refusal(number, "this is no request: {'id': ..., 'ask': ..., 'with': {...}}")
        try:
            return await self._asked(page, number, what, given)
        except TypeError as error:
            if what not in ("watch", "rows", *QUESTIONS):
                log.exception("the request %r failed", what)
            return refusal(
                number, f"the request {what!r} is not made like this: {error}"[:_LONGEST]
            )
        except SaveQuestion as question:
            return {"id": number, "kind": "question", "about": question.about,
                    "problems": [{"where": "", "what": str(question)}]}  # fmt: skip
        except TrustNeeded as error:
            return {**refusal(number, str(error)), "kind": "trust"}
        except DovetailError as error:
            found = [{"where": where, "what": text} for where, text in problems_of(error)]
            return {"id": number, "kind": "refused", "problems": found}
        except Exception as error:
            log.exception("the request %r failed", what)
            text = f"the studio met an error of its own: {type(error).__name__}: {error}"
            return refusal(number, text[:_LONGEST])

    async def show(self) -> None:
        """Send the drawing to all pages."""
        shown = await self._in_thread(self.desk.shown)
        self._shown = json.dumps({"shown": shown})
        for page in self.pages:
            page.show(self._shown)

    async def _asked(
        self, page: Page, number: Any, what: str, given: dict[str, Any]
    ) -> dict[str, Any] | bytes:
        match what:
            case "watch":
                page.watch(self.desk.runs, **given)
                return {"id": number, "answer": None}
            case "rows":
                rows = partial(page.rows, self.desk.runs, number, **given)
                found: bytes = await self._in_thread(rows)
                return found
            case _ if what in QUESTIONS:
                answer = await self._in_thread(partial(QUESTIONS[what], self.desk, **given))
                return {"id": number, "answer": answer}
        answer, changed = await self._in_thread(lambda: self._ask(what, given))
        if changed:
            self._outside = False
            await self.show()
        return {"id": number, "answer": answer}

    def _ask(self, what: str, given: dict[str, Any]) -> tuple[Any, bool]:
        with one_reading():
            return self.desk.ask(what, given)

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _news(self, run: StudioRun) -> None:
        """From any thread: there is something new about a run."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._spread, run.number)

    def _spread(self, number: int) -> None:
        for page in self.pages:
            page.news(number)

    def _count(self) -> None:
        for page in self.pages:
            page.send(json.dumps({"pages": len(self.pages)}))

    async def _tick(self) -> None:
        """Send what runs brought, to each page as fast as it takes it; watch the file."""
        count = 0
        while True:
            await asyncio.sleep(_TICK)
            for page in list(self.pages):
                page.send_news(self.desk.runs)
            count += 1
            if count % _OUTSIDE == 0 and not self._outside and self.pages:
                try:
                    self._outside = await self._in_thread(self.desk.document.changed_outside)
                except OSError:
                    continue
                if self._outside:
                    for page in self.pages:
                        page.send(json.dumps({"outside": True}))


def refusal(number: Any, text: str) -> dict[str, Any]:
    """The answer to a request that cannot be met."""
    return {"id": number, "kind": "refused", "problems": [{"where": "", "what": text}]}
