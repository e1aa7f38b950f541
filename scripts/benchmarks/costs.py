"""What calls cost at Firestore: documents read, written and deleted, by what is typically done, and per 1,000 of it."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import os
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from twilio.request_validator import RequestValidator

from benchmarks.billed_store import Bill, BilledStore
from benchmarks.figure import Effort, Figure, Line
from benchmarks.patience import patience
from running import demo
from switchboard.app.container import Container, build
from switchboard.app.settings import read_configuration
from switchboard.contract import policy
from switchboard.pipeline.execution.deadline import outlived
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

PUBLIC_URL = "http://127.0.0.1:8080"
KEY, TOKEN = "sb_bench", "bench-token"
CALLER, CALLED = "+15185550161", "+15185550100"
PRICES = {"one region (us-central1)": (0.03, 0.09, 0.01), "several regions (nam5)": (0.06, 0.18, 0.02)}
"""US dollars for 100,000 reads, writes and deletes, as looked up in November 2026; look them up for your region."""
_THOUSAND, _PRICED = 1_000, 100_000
_SETTLED_WITHIN_S = 10.0
# So far ahead nobody has booked anything, whatever day it is today.
_WEEKS_AHEAD = 6
_HUNG_UP = {"CallStatus": "completed", "CallDuration": "180"}
_numbers = itertools.count(1)


@dataclass
class Premises:
    """One instance in this process, whose store keeps the bill."""

    store: BilledStore
    house: Container
    noted: dict[str, Bill] = field(default_factory=dict)
    cpu_ms: dict[str, float] = field(default_factory=dict)

    async def bill(self, what: str, work: Callable[[], Awaitable[Any]]) -> None:
        """Note what some work costs, down to what it leaves to be done behind it."""
        before, began_s = self.store.bill, time.process_time()
        await work()
        await _settled()
        self.noted[what], self.cpu_ms[what] = self.store.bill - before, (time.process_time() - began_s) * 1_000

    async def listing(self, session: str = "") -> None:
        """List the offered tools."""
        query = {"businessId": demo.SALON, "channel": "phone"} | ({"sessionId": session} if session else {})
        await self._ask("GET", "/tools/definitions", query=urlencode(query), headers=_BEARER)

    async def execute(self, session: str, name: str, **args: Any) -> None:
        """Execute a tool that must succeed."""
        turn = next(_numbers)
        context = {"channel": "phone", "sessionId": session, "turn": turn, "callId": f"c{turn}", "callerPhone": CALLER}
        context |= {"attestation": "TN-Validation-Passed-A"}
        body = {"businessId": demo.SALON, "name": name, "args": args, "context": context}
        answer = json.loads(await self._ask("POST", "/tools/execute", json.dumps(body).encode(), _BEARER))
        assert answer["ok"], answer

    async def chat(self, session: str, text: str) -> None:
        """Take a turn in the portal."""
        body = {"businessId": demo.SALON, "sessionId": session, "text": text}
        await self._ask("POST", "/portal/chat", json.dumps(body).encode(), _BEARER)

    async def phone(self, call_sid: str, path: str, **more: str) -> None:
        """Send a webhook of a phone call, signed."""
        fields = {"CallSid": call_sid, "AccountSid": "AC1", "From": CALLER, "To": CALLED, "CallStatus": "in-progress"}
        fields |= more
        headers = {
            "x-twilio-signature": RequestValidator(TOKEN).compute_signature(f"{PUBLIC_URL}{path}", fields),
            "i-twilio-idempotency-token": str(uuid.uuid4()),
            "content-type": "application/x-www-form-urlencoded",
        }
        answer = await self._ask("POST", path, urlencode(fields).encode(), headers)
        assert path.endswith("status") or b"<Response" in answer, answer

    async def _ask(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] = {}, query: str = ""
    ) -> bytes:
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(b"host", b"127.0.0.1:8080"), *((k.encode(), v.encode()) for k, v in headers.items())],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8080),
        }
        sent: list[dict[str, Any]] = []
        waiting = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive() -> dict[str, Any]:
            # Behind its body a request only ends; an answer that streams listens for that.
            return next(waiting, None) or await asyncio.Future()

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self.house.app(scope, receive, send)
        answer = b"".join(message.get("body", b"") for message in sent[1:])
        assert sent[0]["status"] < 300, (path, sent[0]["status"], answer)
        return answer


_BEARER = {"authorization": f"Bearer {KEY}"}


async def _settled() -> None:
    """Wait until nothing goes on behind the last answer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_SETTLED_WITHIN_S):
            await outlived()
            while others := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(others)


def measure(effort: Effort) -> Figure:
    """Return the figure."""
    noted, _ = bills_and_cpu()
    lines = [Line(what, str(bill), yardstick=_of_a_thousand(bill)) for what, bill in noted.items()]
    prices = ", ".join(
        f"{place}: ${reads:g}, ${writes:g}, ${deletes:g}" for place, (reads, writes, deletes) in PRICES.items()
    )
    return Figure(
        "costs: documents that Firestore bills, one instance, demo-salon",
        f"1,000 of it in {' / in '.join(PRICES)}",
        tuple(lines),
        (
            f"By prices for {_PRICED:,} reads, writes, deletes: {prices}.",
            "Every document that expires is deleted later, which is billed as one more delete.",
            f"What an instance knows is read again after {policy.DEFINITION_TTL_S:g} s, however many ask.",
        ),
    )


@contextmanager
def _remembering() -> Iterator[None]:
    """Let nothing be read anew meanwhile: on a slow machine, that would be billed to whatever is done just then."""
    kept_s = policy.DEFINITION_TTL_S, policy.CREDENTIAL_TTL_S
    policy.DEFINITION_TTL_S = policy.CREDENTIAL_TTL_S = 3_600.0
    try:
        yield
    finally:
        policy.DEFINITION_TTL_S, policy.CREDENTIAL_TTL_S = kept_s


def bills_and_cpu() -> tuple[dict[str, Bill], dict[str, float]]:
    """Return what each thing costs, and the milliseconds of a processor that it took here, over a store in memory."""
    with patience(), _remembering():
        premises = asyncio.run(_measure())
    return premises.noted, premises.cpu_ms


def _of_a_thousand(bill: Bill) -> str:
    counts = (bill.reads, bill.writes, bill.deletes)
    sums = (
        sum(count * price for count, price in zip(counts, prices, strict=True)) / _PRICED * _THOUSAND
        for prices in PRICES.values()
    )
    return " / ".join(f"${each:.4f}" for each in sums)


async def _measure() -> Premises:
    store, paths = BilledStore(MemoryStore()), FirestorePaths()
    secrets_key = base64.b64encode(os.urandom(32)).decode()
    environ = {"SWITCHBOARD_SECRETS_KEY": secrets_key, "SWITCHBOARD_PUBLIC_URL": PUBLIC_URL}
    await demo.furnish(store, paths, datetime.now(UTC))
    await demo.make_keys(store, paths, KEY)
    await demo.keep_twilio_token(store, paths, secrets_key, TOKEN)
    premises = Premises(store, build(read_configuration(environ), store))
    try:
        await _services(premises)
        await _conversations(premises)
        premises.noted |= await _cold(store, environ)
    finally:
        await premises.house.close()
    return premises


async def _services(premises: Premises) -> None:
    day, bill = _open_day(), premises.bill
    await bill("listing, by an instance that has just begun", premises.listing)
    await bill("listing, warm", premises.listing)
    await premises.execute("begun", "search_knowledge", query="parking")
    # Of another day: what is read of one day serves whoever asks within a second, and is billed below.
    await premises.execute("begun", "check_availability", date=_open_day(weeks=1), service="Haircut")
    await _settled()
    await bill("first call of a session (retrieval)", lambda: premises.execute("s1", "search_knowledge", query="cards"))
    await bill("retrieval: search_knowledge", lambda: premises.execute("s1", "search_knowledge", query="deposits"))
    free = {"date": day, "service": "Beard trim"}
    await bill("retrieval: check_availability", lambda: premises.execute("s1", "check_availability", **free))
    wish = {"service": "Haircut", "start_time": f"{day}T16:00:00", "customer_name": "Anna Whitfield"}
    await bill("action: book_appointment", lambda: premises.execute("s1", "book_appointment", **wish))
    words = {"message": "Please call me about the colour.", "caller_name": "Anna Whitfield"}
    await bill("action: take_message", lambda: premises.execute("s1", "take_message", **words))


async def _cold(store: BilledStore, environ: Mapping[str, str]) -> dict[str, Bill]:
    """Bill look-ups of a business that others have served, at instances that have not."""
    noted: dict[str, Bill] = {}
    for what, is_warm in (
        ("a look-up, by an instance that has just begun", False),
        ("a look-up, of a business that its instance has not met", True),
    ):
        premises = Premises(store, build(read_configuration(environ), store))
        if is_warm:
            await premises.house.catalog.definitions.current()
            await _settled()
        session = f"cold-{next(_numbers)}"
        await premises.bill(what, lambda: premises.execute(session, "get_working_hours", date=_open_day()))  # noqa: B023
        noted |= premises.noted
        await premises.house.close()
    return noted


async def _conversations(premises: Premises) -> None:
    bill, day = premises.bill, date.fromisoformat(_open_day())
    texts = ("What is your cancellation policy?", f"Are you free on {day:%B} {day.day} at ten?", "Do you take cards?")
    await bill("portal: first message, with a look-up", lambda: premises.chat("p1", texts[0]))
    await bill("portal: another message, with a look-up", lambda: premises.chat("p1", texts[1]))
    first, sid = f"CA{uuid.uuid4().hex}", f"CA{uuid.uuid4().hex}"
    ringing = {"CallStatus": "ringing"}
    # Whose the number is, and what its requests are signed with, is known from then on.
    await bill(
        "phone, its number's first call here: comes in", lambda: premises.phone(first, "/phone/incoming", **ringing)
    )
    await premises.phone(first, "/phone/status", **_HUNG_UP)
    await _settled()
    before = premises.store.bill
    await bill("phone: a call comes in", lambda: premises.phone(sid, "/phone/incoming", **ringing))
    spoken = [{"SpeechResult": text, "Confidence": "0.9"} for text in texts]
    await bill("phone: a turn, with a look-up", lambda: premises.phone(sid, "/phone/turn", **spoken[0]))
    await bill("phone: another turn, with a look-up", lambda: premises.phone(sid, "/phone/turn", **spoken[1]))
    await bill("phone: a third turn, with a look-up", lambda: premises.phone(sid, "/phone/turn", **spoken[2]))
    await bill("phone: the call is over", lambda: premises.phone(sid, "/phone/status", **_HUNG_UP))
    whole = "phone: the whole call, of three turns"
    premises.noted[whole] = premises.store.bill - before
    premises.cpu_ms[whole] = sum(ms for what, ms in premises.cpu_ms.items() if what.startswith("phone: "))


def _open_day(weeks: int = 0) -> str:
    """Return a Tuesday to come, on which the salon is open, or one that is some weeks later."""
    today = datetime.now(UTC).date()
    return (today + timedelta(days=(1 - today.weekday()) % 7, weeks=_WEEKS_AHEAD + weeks)).isoformat()
