"""Strangers take what they can get over HTTP: nothing beyond the table, and whoever is known is served beside them."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import aiohttp

from drills.injection_goals import ANNA
from drills.own_house import KEY, SALON, NotingStore, OwnHouse, own_house
from drills.premises import PATHS, SECRETS_KEY
from drills.result import FULL, QUICK, SMOKE, Check, Effort, Result, exactly, within
from running import demo
from stand_ins.loopback import serving
from stand_ins.twilio.account import SID, TOKEN
from stand_ins.twilio.app import TwilioStandIn
from switchboard.contract.business.working_hours import WEEKDAYS
from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.model import CallPiece, Ended, Ending, ModelEvent, Prompt, TextPiece, ToolMessage, UserMessage
from switchboard.contract.policy import STRANGERS, STRANGERS_PART_OF_TEXTS, Thing
from switchboard.contract.store import Document, Query, Update
from switchboard.desk.limits.rate_limits import TEXTS_PER_HOUR

_WITHIN = PATHS.within(SALON)
_ALWAYS = [{"open": "00:00", "close": "24:00"}]
_LIMIT_S = 1_800.0
_ZONE = ZoneInfo("America/New_York")
_ORDER = re.compile(r"call ([a-z_]+) with (\{.*\})", re.S)
# How many visits of one address ask for bookings, and how many messages the busiest visitor sends.
_SIZES = {SMOKE: (4, 20), QUICK: (8, 100), FULL: (20, 300)}
_LOCKING = 25
_HANNAH, _OWNER = "+15185590123", "+15185598555"
_WITHHELD = ("anonymous", "+266696687", "Restricted", "+7378742833", "unavailable", "sip:anonymous@example.org")
# Half a minute, in all.
_LOOKS, _LOOK_AGAIN_S = 3_000, 0.01


class Executor:
    """A model that makes the one call that was asked for last, and then has nothing more to say."""

    name, dialect = "executor", "openai"

    def __init__(self) -> None:
        self.turns = 0
        self.calls = 0

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield that call once in a turn."""
        at = max((n for n, message in enumerate(prompt.messages) if isinstance(message, UserMessage)), default=0)
        heard = prompt.messages[at] if prompt.messages else None
        order = _ORDER.search(heard.text) if isinstance(heard, UserMessage) else None
        is_done = any(isinstance(message, ToolMessage) for message in prompt.messages[at:])
        self.turns += not is_done
        if order is not None and not is_done and prompt.tools:
            self.calls += 1
            yield CallPiece(0, f"call_{self.calls}", order[1], order[2])
            yield Ended(Ending.CALLS)
            return
        yield TextPiece("Is there anything else?")
        yield Ended(Ending.STOPPED)


@dataclass
class Attack:
    """Who does it, over HTTP: visitors by the address that a proxy has written down, and services by their key."""

    own: OwnHouse
    http: aiohttp.ClientSession
    wishes: int = 0
    refused: list[str] = field(default_factory=list)

    async def post(self, path: str, body: dict[str, Any], address: str, token: str = "") -> tuple[int, Any]:
        """Return status and answer."""
        headers = {"X-Forwarded-For": f"6.6.6.6, {address}"} | ({"Authorization": f"Bearer {token}"} if token else {})
        async with self.http.post(f"{self.own.url}{path}", json=body, headers=headers) as answer:
            parsed = await answer.json() if "json" in answer.content_type else await answer.text()
            if answer.status == 429:
                self.refused.append(parsed["error"]["message"])
            return answer.status, parsed

    async def visit(self, address: str) -> str:
        """Begin a visit; return its token, or nothing where it was refused."""
        status, begun = await self.post("/portal/session", {"businessId": SALON}, address)
        return str(begun["token"]) if status == 200 else ""

    async def say(self, token: str, address: str, text: str) -> bool:
        """Send a message, and wait a minute whenever it was one too many; tell whether it was answered."""
        for _ in range(2):
            status, answer = await self.post("/portal/chat", {"text": text}, address, token)
            if status != 429:
                return status == 200
            if "Wait a moment" not in answer["error"]["message"]:
                return False
            self.own.clock.ahead += timedelta(seconds=60)
        return False

    async def ask(self, token: str, address: str, tool: str, **arguments: Any) -> bool:
        """Have the model of a visit make a call."""
        return await self.say(token, address, f"call {tool} with {json.dumps(arguments)}")

    def booking(self) -> dict[str, Any]:
        """Return arguments of an appointment that nobody else wants."""
        self.wishes += 1
        day = self.own.clock.now().astimezone(_ZONE) + timedelta(days=3 + self.wishes // 16)
        start = day.replace(hour=self.wishes % 16, minute=0)
        return {
            "service": "Haircut",
            "start_time": f"{start:%Y-%m-%dT%H:%M:00}",
            "customer_name": f"Name {self.wishes}",
        }

    async def execute(self, tool: str, arguments: dict[str, Any], session: str, **context: Any) -> dict[str, Any]:
        """Have a service execute a call of a phone conversation."""
        self.wishes += 1
        known = {"channel": "phone", "sessionId": session, "callId": f"c{self.wishes}", "turn": self.wishes}
        body = {"businessId": SALON, "name": tool, "args": arguments, "context": known | context}
        headers = {"Authorization": f"Bearer {KEY}"}
        async with self.http.post(f"{self.own.url}/tools/execute", json=body, headers=headers) as answer:
            return dict(await answer.json())


def drill(effort: Effort) -> Result:
    """Return the table."""
    return asyncio.run(within(_LIMIT_S, _drill(effort)))


async def _drill(effort: Effort) -> Result:
    model, twilio = Executor(), TwilioStandIn()

    async def prepare(store: NotingStore, url: str) -> None:
        changes = {"workingHours": dict.fromkeys(WEEKDAYS, _ALWAYS), "integrations.twilio.accountSid": SID}
        await store.commit([Update(_WITHIN.business, changes)])
        await demo.keep_twilio_token(store, PATHS, SECRETS_KEY, TOKEN)

    with serving(twilio.app) as url:
        settings = {"SWITCHBOARD_TWILIO_BASE_URL": url, "SWITCHBOARD_TRUSTED_PROXIES": "1"}
        async with own_house(model, prepare=prepare, **settings) as own, aiohttp.ClientSession() as http:
            # From the beginning of an hour, so that all of it falls into one window of every limit.
            now = own.clock.now()
            own.clock.ahead = now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1) - now
            attack = Attack(own, http)
            before = {document.id for document in await _stored(own, "bookings")}
            checks = [
                *await _one_address(attack, model, _SIZES[effort.size], before),
                *await _voices(attack),
                *await _numbers(attack, twilio),
                *await _one_number(attack),
                *await _whole_day(attack, before),
                *await _known(attack, twilio),
                *await _locking(attack),
            ]
    beyond = sum(check.is_met is False for check in checks)
    messages = sorted({re.sub(r"\d+", "n", message) for message in attack.refused})
    return Result(
        f"strangers: visits, calls and sessions of strangers; {model.turns:,} turns of the model",
        "0 beyond the table",
        f"{beyond} beyond the table",
        tuple(checks),
        tuple(f"Refused: {message}" for message in messages),
    )


async def _one_address(attack: Attack, model: Executor, size: tuple[int, int], before: set[str]) -> list[Check]:
    """Book, enter events, leave messages and talk, from one address."""
    visits, messages = size
    address, outcomes = "198.51.100.1", []
    for number in range(visits):
        token = await attack.visit(address)
        for _ in range(5):
            await attack.ask(token, address, "book_appointment", **attack.booking())
        if number == 0:
            outcomes.append(
                _most("open bookings of one visit", Thing.OPEN_BOOKINGS, "visit", await _made(attack, before))
            )
    outcomes.append(_most("open bookings of one address", Thing.OPEN_BOOKINGS, "address", await _made(attack, before)))
    address = "198.51.100.2"
    token = await attack.visit(address)
    for number in range(6):
        start = attack.booking()["start_time"]
        await attack.ask(
            token, address, "create_event", title=f"Event {number}", start_time=start, duration_minutes=480
        )
        await attack.ask(token, address, "take_message", caller_name="Anna", message=f"Call me, {number}.")
    left = len([d for d in await _stored(attack.own, "outbox") if d.data.get("kind") == "message"])
    outcomes.append(
        exactly(
            "events of visitors who are not verified",
            0,
            sum("Event" in d.data["service"] for d in await _stored(attack.own, "bookings")),
        )
    )
    outcomes.append(_most("messages to the business of one visit", Thing.OWNER_MESSAGES, "visit", left))
    address = "2001:db8:7:7::1"
    token, turns = await attack.visit(address), model.turns
    for number in range(messages):
        # Of one household, which has 2^64 addresses.
        await attack.say(token, f"2001:db8:7:7::{number + 1:x}", f"Hello {number} " + "so much to say " * 200)
    outcomes.append(_most("answers of the model to one visit", Thing.MODEL_TURNS, "visit", model.turns - turns))
    return outcomes


async def _voices(attack: Attack) -> list[Check]:
    """Open voice sessions, and have calls executed that no model has asked for."""
    address = "198.51.100.3"
    token = await attack.visit(address)
    opened = [(await attack.post("/browser_voice/session", {}, address, token))[0] for _ in range(93)].count(200)
    call = {"type": "function_call", "call_id": "c1", "name": "get_working_hours", "arguments": "{}"}
    tried = [
        (await attack.post("/browser_voice/execute", {"turn": turn, "calls": [call]}, address, token))[0]
        for turn in (1, 2, 999)
    ]
    return [
        _most("voice sessions of one visit", Thing.VOICE_SESSIONS, "visit", opened),
        exactly("calls executed without a session of a live model", 0, len(tried) - tried.count(403)),
    ]


async def _numbers(attack: Attack, twilio: TwilioStandIn) -> list[Check]:
    """Have the business text numbers that nobody vouches for, and book under one of them."""
    for number in range(60):
        phone = f"+1518{556 + number % 40}{1000 + number}"
        await attack.execute("send_sms", {"message": f"Hello {number}"}, f"texts-{number}", callerPhone=phone)
    texts = [text for text in twilio.account.texts.values() if text["to"].startswith("+1518")]
    strangers = [text for text in texts if "Hello" in text["body"]]
    made = 0
    for number in range(6):
        forged = {"callerPhone": ANNA, "attestation": "TN-Validation-Failed"}
        answer = await attack.execute("book_appointment", attack.booking(), f"forged-{number}", **forged)
        made += answer["ok"]
    share = int(TEXTS_PER_HOUR * STRANGERS_PART_OF_TEXTS)
    named = hidden = long = 0
    for number in range(6):
        shown, wish = {"callerPhone": f"+1518557{2000 + number}"}, attack.booking() | {"customer_phone": _HANNAH}
        named += (await attack.execute("book_appointment", wish, f"named-{number}", **shown))["ok"]
        wish = attack.booking() | {"duration_minutes": 480}
        long += (await attack.execute("book_appointment", wish, f"long-{number}", **shown))["ok"]
    for number in range((STRANGERS[Thing.OPEN_BOOKINGS].withheld or 0) + 3):
        sign = {"callerPhone": _WITHHELD[number % len(_WITHHELD)]}
        hidden += (await attack.execute("book_appointment", attack.booking(), f"hidden-{number}", **sign))["ok"]
    return [
        Check("texts to strangers in an hour", f"≤ {share}", str(len(strangers)), 0 < len(strangers) <= share),
        _most("open bookings of a forged number", Thing.OPEN_BOOKINGS, "number", made),
        _most("open bookings for a number that forged calls name", Thing.OPEN_BOOKINGS, "number", named),
        _most("open bookings of withheld numbers", Thing.OPEN_BOOKINGS, "withheld", hidden),
        exactly("haircuts of eight hours", 0, long),
    ]


async def _whole_day(attack: Attack, before: set[str]) -> list[Check]:
    """Book with a new number for each call, until all strangers have what they may have in a day."""
    share = STRANGERS[Thing.BOOKINGS].business or 0
    for number in range(share + 5):
        shown = {"callerPhone": f"+1518558{3000 + number}"}
        await attack.execute("book_appointment", attack.booking(), f"day-{number}", **shown)
    made = await _made(attack, before)
    verified = {"callerVerified": True, "callerId": "c-known"}
    known = [(await attack.execute("book_appointment", attack.booking(), "sure", **verified))["ok"] for _ in range(5)]
    return [
        _most("bookings of all strangers in a day", Thing.BOOKINGS, "business", made),
        exactly("bookings of a verified caller behind them, of 5", 5, sum(known)),
    ]


async def _one_number(attack: Attack) -> list[Check]:
    """Use up a number's actions in forged calls, and be its owner, whose call has begun before."""
    mine = {"callerPhone": _OWNER, "attestation": "TN-Validation-Passed-B"}
    floor = STRANGERS[Thing.ACTIONS].assured_call

    async def acted(session: str, **who: str) -> bool:
        answer = await attack.execute("verify_caller", {"name": f"Anna {attack.wishes}"}, session, **who)
        return bool(answer["ok"] or answer["error"]["type"] != "RATE_LIMIT")

    for number in range(25):
        for _ in range(floor + 2):
            await acted(f"taking-{number}", callerPhone=_OWNER)
    return [
        exactly(
            f"actions of a number's owner behind them, of {floor}",
            floor,
            sum([await acted("owner", **mine) for _ in range(floor)]),
        )
    ]


async def _known(attack: Attack, twilio: TwilioStandIn) -> list[Check]:
    """Be somebody the business knows, beside all of that."""
    attested = {"callerPhone": ANNA, "attestation": VOUCHED_FOR}
    booked = [(await attack.execute("book_appointment", attack.booking(), "known", **attested))["ok"] for _ in range(5)]
    text = await attack.execute("send_sms", {"message": "See you on Friday."}, "known-text", **attested)
    await attack.own.store.commit([Update(_WITHIN.business, {"ai.callerVerification": "code"})])
    attack.own.house.catalog.forget(SALON)
    await attack.execute("verify_caller", {}, "known-code", **attested)
    code = await attack.execute("send_verification_code", {}, "known-code", **attested)
    for _ in range(_LOOKS):
        # Whoever asks for a code is answered before it is sent.
        codes = [one for one in twilio.account.texts.values() if one["to"] == ANNA and re.search(r"\d{6}", one["body"])]
        if codes:
            break
        await asyncio.sleep(_LOOK_AGAIN_S)
    return [
        exactly("bookings of a caller whom the carrier vouches for, of 5", 5, sum(booked)),
        exactly("texts of that caller, of 1", 1, int(text["ok"])),
        exactly("codes to the number on file, of 1", 1, len(codes) if code["ok"] else 0),
    ]


async def _locking(attack: Attack) -> list[Check]:
    """Use up what all visitors have together, from a few addresses, and come from another one."""
    share = STRANGERS[Thing.VISITS]
    allowed = share.address or 0
    begun = [bool(await attack.visit(f"203.0.113.{n}")) for n in range(_LOCKING) for _ in range(allowed + 2)]
    newcomers = [bool(await attack.visit(f"192.0.2.{n}")) for n in range(10)]
    return [
        Check(
            f"visits of {_LOCKING} addresses",
            f"≤ {_LOCKING * allowed}",
            str(sum(begun)),
            sum(begun) <= _LOCKING * allowed,
        ),
        exactly("visits of 10 other addresses behind them", 10, sum(newcomers)),
    ]


def _most(what: str, thing: Thing, scope: str, seen: int) -> Check:
    """Return the row of what strangers got: something, and no more than the table says."""
    allowed = getattr(STRANGERS[thing], scope)
    return Check(what, f"≤ {allowed}", str(seen), 0 < seen <= allowed)


async def _made(attack: Attack, before: set[str]) -> int:
    return sum(d.id not in before for d in await _stored(attack.own, "bookings"))


async def _stored(own: OwnHouse, collection: str) -> list[Document]:
    return await own.store.query(Query(_WITHIN.collection(collection)))
