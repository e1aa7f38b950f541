"""How long an owner waits for each page, and what it reads, when there are many businesses, tools and conversations.

Every page is drawn as Streamlit draws it, and asks a real server over the emulator what it always asks.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import setting_up
from benchmarks.billed_store import BilledStore
from benchmarks.figure import Effort, Figure, Line, Skipped
from benchmarks.pages_store import PATHS, RARE, SOUGHT, Scale, furnish
from command_line import Problem
from running import demo, emulator, listening
from running.serving import Serving
from switchboard.admin.maintenance.retrying_store import RetryingStore
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.state.firestore.store import FirestoreStore

LIMIT_MS = 1_000
WHOLE, QUICK = Scale(200, 2_000, 100_000, 20_000), Scale(5, 40, 400, 80)
_OPENED_EACH_ROUND = 4
_READY_WITHIN_S = 60.0
_DRAWN_WITHIN_S = 60.0


@dataclass
class Counter:
    """Stands before the house: when a page's first request came and its last answer went, and what failed."""

    app: Any
    began: list[float] = field(default_factory=list)
    ended: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on."""
        if scope["type"] != "http" or scope["path"] == "/healthz":
            await self.app(scope, receive, send)
            return

        async def noting(message: Any) -> None:
            if message["type"] == "http.response.start" and message["status"] >= 400:
                self.failed.append(f"{message['status']} {scope['path']}")
            await send(message)

        self.began.append(time.perf_counter())
        try:
            await self.app(scope, receive, noting)
        finally:
            self.ended.append(time.perf_counter())

    def wait(self) -> None:
        """Wait until every request is noted as ended: a page may have its answer a moment before that."""
        gives_up = time.monotonic() + _DRAWN_WITHIN_S
        while len(self.ended) < len(self.began):
            if time.monotonic() > gives_up:
                raise Problem("a request of a page that is drawn does not end")
            time.sleep(0.001)

    def clear(self) -> None:
        """Begin anew."""
        self.wait()
        self.began, self.ended, self.failed = [], [], []


@dataclass(frozen=True)
class Look:
    """One look of an owner.

    Attributes:
        what: What is looked at.
        path: The page's.
        act: What is done on the opened page, which alone is measured then; None measures the opening.
        is_first: Whether it is what only an instance's first look at a business has to do: no target holds for it.
    """

    what: str
    path: str
    act: Callable[[Any], None] | None = None
    is_first: bool = False


def _period(key: str, label: str) -> Callable[[Any], None]:
    return lambda app: next(one for one in app.get("segmented_control") if one.key == key).set_value(label)


def _words(key: str, text: str) -> Callable[[Any], None]:
    return lambda app: app.text_input(key=key).set_value(text)


def _open_first(app: Any) -> None:
    next(button for button in app.button if button.label == "Open").click()


LOOKS = (
    Look("overview, the first look at 7 days", "overview", is_first=True),
    Look("overview, 7 days", "overview"),
    Look("overview, the first look at 30 days", "overview", _period("period", "30 days"), is_first=True),
    Look("overview, 30 days", "overview", _period("period", "30 days")),
    Look("health, the first look", "health", is_first=True),
    Look("health", "health"),
    Look("calls", "calls"),
    Look("calls, all", "calls", _period("call_period", "All")),
    Look("calls, searched", "calls", _words("call_text", RARE)),
    Look("calls, one opened", "calls", _open_first),
    Look("appointments, today", "appointments"),
    Look("appointments, tomorrow", "appointments", _period("when", "Tomorrow")),
    Look("appointments, of a person by name", "appointments", _words("appointments_text", SOUGHT)),
    Look("messages, to do", "messages"),
    Look("messages, all", "messages", _period("messages_shown", "All")),
    Look("customers", "customers"),
    Look("customers, found by a number", "customers", _words("customers_text", "(518) 555-0042")),
    Look("customers, one opened", "customers", _open_first),
    Look("knowledge", "knowledge"),
    Look("business", "business"),
    Look("agents", "agents"),
    Look("tools", "tools"),
    Look("your tools", "own_tools"),
    Look("what if", "what_if"),
    Look("playground", "playground"),
    Look("month", "costs"),
    Look("changes", "audit"),
)


def measure(effort: Effort) -> Figure:
    """Return the figure.

    Raises:
        Skipped: There is no emulator.
    """
    if not emulator.named_host() and not emulator.find():
        raise Skipped(emulator.why_missing())
    # The pages are a package beside scripts/.
    sys.path.append(str(setting_up.ROOT))
    project, scale = f"demo-bench-{uuid.uuid4().hex[:8]}", QUICK if effort.quick else WHOLE
    with emulator.running(java_options=emulator.MUCH_STORED) as host:
        try:
            began = time.perf_counter()
            token = asyncio.run(_furnish(project, host, scale))
            written_s = time.perf_counter() - began
            with _served(project, host, token) as premises:
                lines = [_line(premises, look, effort) for look in LOOKS]
        finally:
            emulator.clear(host, project)
    notes = (
        f"The salon is looked at: {scale.of_the_busiest:,} of the conversations, {scale.tools_of_the_busiest} tools,"
        f" all {scale.appointments:,} appointments.",
        "From a page's first request to its last answer, through HTTP, with the page's own work in between.",
        "Reads as Firestore bills them. The emulator reads a whole collection for every query, and of a search by name"
        " every beginning of every word of it; Firestore reads an index.",
        f"Written in {written_s:.0f} s.",
    )
    title = f"pages: {scale.businesses} businesses, {scale.tools:,} tools, {scale.interactions:,} conversations"
    return Figure(title, "", tuple(lines), notes)


async def _furnish(project: str, host: str, scale: Scale) -> str:
    """Write everything and return what opens the salon."""
    store, now = FirestoreStore(project, emulator_host=host), datetime.now(UTC)
    try:
        await demo.furnish(RetryingStore(store), PATHS, now)
        tokens = await demo.make_owner_tokens(RetryingStore(store), PATHS, None)
        await furnish(project, host, scale, now)
        # An emulator that has just taken so much does not answer at once.
        await RetryingStore(store).warm()
    finally:
        await store.close()
    return tokens[demo.SALON]


@dataclass
class _Premises:
    store: BilledStore
    counter: Counter
    ready: threading.Event = field(default_factory=threading.Event)
    stop: Callable[[], object] = lambda: None

    async def serve(self, token: str) -> None:
        """Serve until told to stop, and have the pages know where."""
        listener = listening.listen(0, "--port")
        house = build(read_configuration({}), self.store)
        self.counter.app = house.app
        serving, loop = Serving(self.counter, listener), asyncio.get_running_loop()
        await serving.begin()
        self.stop = lambda: loop.call_soon_threadsafe(serving.stop)
        os.environ["SWITCHBOARD_URL"] = f"http://{listening.HOST}:{listener.getsockname()[1]}"
        os.environ["SWITCHBOARD_API_KEYS"] = json.dumps({demo.SALON: token})
        self.ready.set()
        await serving.ended()
        await house.close()


@contextmanager
def _served(project: str, host: str, token: str) -> Iterator[_Premises]:
    premises = _Premises(BilledStore(FirestoreStore(project, emulator_host=host)), Counter(None))
    thread = threading.Thread(target=lambda: asyncio.run(premises.serve(token)))
    thread.start()
    try:
        while not premises.ready.wait(0.1):
            if not thread.is_alive():
                raise emulator.EmulatorFailed("the server that the pages are to ask ended before it was ready")
        yield premises
    finally:
        premises.stop()
        thread.join(_READY_WITHIN_S)


def _line(premises: _Premises, look: Look, effort: Effort) -> Line:
    seen = [
        _seen(premises, look) for _ in range(1 if look.is_first or effort.quick else effort.rounds * _OPENED_EACH_ROUND)
    ]
    waited = sorted(one.waited_ms for one in seen)
    p95 = waited[-(-len(waited) * 95 // 100) - 1]
    failed = [words for one in seen for words in one.failed]
    text = f"{max(one.requests for one in seen)} requests, {max(one.reads for one in seen)} reads"
    text += f", p50 {statistics.median(waited):.0f} ms, p95 {p95:.0f} ms"
    text += f"; {len(failed)} failed, such as {failed[0]}" if failed else ""
    if look.is_first:
        return Line(look.what, text)
    return Line(look.what, text, target=f"≤ {LIMIT_MS:,} ms", met=p95 <= LIMIT_MS and not failed)


@dataclass(frozen=True)
class _Seen:
    waited_ms: float
    requests: int
    reads: int
    failed: list[str]


def _seen(premises: _Premises, look: Look) -> _Seen:
    from streamlit.testing.v1 import AppTest

    app = AppTest.from_function(_script, args=(look.path,), default_timeout=_DRAWN_WITHIN_S)
    counter = premises.counter
    if look.act is not None:
        counter.clear()
        app.run()
        if counter.failed:
            return _Seen(0.0, len(counter.began), 0, counter.failed)
        look.act(app)
    counter.clear()
    before = premises.store.bill.reads
    app.run()
    if app.exception:
        raise Problem(f"the page of {look.what!r} cannot be drawn: {app.exception[0].value}")
    if not counter.began:
        return _Seen(0.0, 0, 0, [*counter.failed, "the page asked nothing"])
    counter.wait()
    waited = max(counter.ended) - min(counter.began)
    return _Seen(waited * 1e3, len(counter.began), premises.store.bill.reads - before, counter.failed)


def _script(path: str) -> None:
    from admin_ui.shell import frame

    frame.draw(path)
