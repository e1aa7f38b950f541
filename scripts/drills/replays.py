"""Webhooks that come twice, all at once, later, changed or forged: one effect each, and the same answer again."""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import time
import uuid
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from twilio.request_validator import RequestValidator

from drills.own_house import KEY, PLUMBER, SALON, SALON_NUMBER, TWILIO_TOKEN, NotingStore, OwnHouse, own_house
from drills.premises import PATHS, SECRETS_KEY
from drills.result import FULL, QUICK, SMOKE, Check, Effort, Result, exactly, within
from stand_ins.vapi.asking import call_in, message_of
from switchboard.contract.model import CallPiece, Ended, Ending, ModelEvent, Prompt, TextPiece, ToolMessage
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets

_LIMIT_S = 600.0
_TIMES = {SMOKE: (3, 8), QUICK: (15, 20), FULL: (200, 20)}
SECRET = "callback-secret-of-the-drill"
_VAPI = "/api/tools/take_message/execute"


class _TakesMessages:
    """A model that takes a message in every turn: a webhook that counts twice leaves two."""

    name, dialect = "takes-messages", "openai"

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        if isinstance(prompt.messages[-1], ToolMessage):
            yield TextPiece("Thank you, I have passed it on.")
            yield Ended(Ending.STOPPED)
            return
        words = json.dumps({"caller_name": "Ana", "message": f"Please call back ({uuid.uuid4().hex})"})
        yield CallPiece(0, "call_1", "take_message", words)
        yield Ended(Ending.CALLS)


@dataclass
class _Seen:
    """What a kind of deliveries came to."""

    bodies: list[set[str]] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    @property
    def differing(self) -> int:
        """How many deliveries were not answered with one and the same body."""
        return sum(len(bodies) != 1 for bodies in self.bodies)


class _Senders:
    """Twilio and Vapi, who send what they have sent before."""

    def __init__(self, http: aiohttp.ClientSession, own: OwnHouse) -> None:
        self._http, self._own = http, own

    async def post(self, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
        """Deliver something; return status and body."""
        async with self._http.post(self._own.url + path, data=body, headers=headers) as answer:
            return answer.status, await answer.text()

    async def times(self, path: str, body: bytes, headers: Mapping[str, str], times: int, seen: _Seen) -> None:
        """Deliver the same thing so often, nine of ten at once and the rest afterwards."""
        at_once = max(1, times * 9 // 10)
        answers = await asyncio.gather(*(self.post(path, body, headers) for _ in range(at_once)))
        answers += [await self.post(path, body, headers) for _ in range(times - at_once)]
        seen.bodies.append({text for _, text in answers})
        seen.statuses.update(status for status, _ in answers)

    def twilio(self, path: str, **fields: str) -> tuple[bytes, dict[str, str]]:
        """Return a form as Twilio signs it."""
        known = {
            "AccountSid": "AC1",
            "From": caller_of(fields.get("CallSid", "")),
            "To": SALON_NUMBER,
            "CallStatus": "in-progress",
            **fields,
        }
        signature = RequestValidator(TWILIO_TOKEN).compute_signature(self._own.url + path, known)
        form = aiohttp.FormData(known)()
        headers = {"X-Twilio-Signature": signature, "Content-Type": "application/x-www-form-urlencoded"}
        return bytes(form._value), headers


def drill(effort: Effort) -> Result:
    """Return the table."""
    return asyncio.run(within(_LIMIT_S, _drill(*_TIMES[effort.size])))


async def _drill(calls: int, times: int) -> Result:
    async def prepare(store: NotingStore, url: str) -> None:
        secrets = SealedSecrets(store, PATHS, LocalKeyKeeper.from_text(SECRETS_KEY))
        await secrets.keep(SALON, "vapi", "callbackSecret", SECRET)

    async with own_house(_TakesMessages(), prepare=prepare) as own, aiohttp.ClientSession() as http:
        senders = _Senders(http, own)
        phone, phone_made = await _counted(own, _phone(senders, calls, times))
        vapi, vapi_made = await _counted(own, _vapi(senders, calls, times))
        refused, refused_made = await _counted(own, _forged(senders))
        late, late_made = await _counted(own, _repeated_otherwise(senders))
    failed = sum(count for seen in (phone, vapi) for status, count in seen.statuses.items() if status != 200)
    wrong = [name for name, (status, allowed) in refused.items() if status not in allowed]
    checks = (
        exactly("row 1: messages of as many spoken turns", calls, phone_made),
        exactly("row 1: messages of as many callbacks of Vapi's", calls, vapi_made),
        exactly("row 1: turns that were answered in several ways", 0, phone.differing),
        exactly("row 1: callbacks that were answered in several ways", 0, vapi.differing),
        exactly("deliveries answered with anything but 200", 0, failed),
        Check(
            "row 2: one call id, other arguments", "a no, no effect", late, late == "a no, no effect" and not late_made
        ),
        exactly("rows 30, 31: forged and old requests let in", 0, len(wrong)),
        exactly("rows 30, 31: messages left by them", 0, refused_made),
    )
    notes = [f"Let in: {name} ({refused[name][0]})." for name in wrong]
    tried = ", ".join(f"{name} {status}" for name, (status, _) in refused.items())
    return Result(
        f"replays: {calls} turns of Twilio's and {calls} callbacks of Vapi's, {times} times each",
        f"{2 * calls} effects, no forgery let in",
        f"{phone_made + vapi_made} effects, {len(wrong)} let in",
        checks,
        (*notes, f"Forged: {tried}."),
    )


async def _counted(own: OwnHouse, work: Any) -> tuple[Any, int]:
    """Do something; return what it gives, and how many messages there are more."""
    before = await own.messages(SALON)
    answer = await work
    return answer, await own.messages(SALON) - before


async def _phone(senders: _Senders, calls: int, times: int) -> _Seen:
    seen = _Seen()
    for _ in range(calls):
        call = {"CallSid": f"CA{uuid.uuid4().hex}"}
        await senders.times("/phone/incoming", *senders.twilio("/phone/incoming", **call), 2, seen)
        path = "/phone/turn"
        await senders.times(path, *senders.twilio(path, **call, SpeechResult="Take a message."), times, seen)
    return seen


async def _vapi(senders: _Senders, calls: int, times: int) -> _Seen:
    seen = _Seen()
    for number in range(calls):
        body = json.dumps(asked(f"call-{number}", f"Call number {number} back")).encode()
        await senders.times(_VAPI, body, signed(body), times, seen)
    return seen


def caller_of(id: str) -> str:
    """Return who calls: somebody else in each call, since one number leaves only so many messages."""
    return f"+1518556{zlib.crc32(id.encode()) % 10_000:04}"


def asked(id: str, message: str) -> dict[str, Any]:
    variables = {
        "call.id": f"vapi-{id}",
        "customer.number": caller_of(id),
        "phoneNumber.number": SALON_NUMBER,
        "transport.callSid": f"CA-{id}",
    }
    call = call_in("text", id, "take_message", {"caller_name": "Ana", "message": message})
    return message_of([call], variables)


def signed(body: bytes, *, ago_s: float = 0.0, secret: str = SECRET) -> dict[str, str]:
    stamp = str(int((time.time() - ago_s) * 1000))
    digest = hmac.digest(secret.encode(), stamp.encode() + b"." + body, "sha256")
    return {"X-Timestamp": stamp, "X-Signature": digest.hex(), "Content-Type": "application/json"}


async def _forged(senders: _Senders) -> dict[str, tuple[int, tuple[int, ...]]]:
    """Send what nobody signed, or not so; return each one's status and what it may be."""
    no = (401, 403)
    form, form_headers = senders.twilio("/phone/turn", CallSid="CAforged", SpeechResult="Take a message.")
    body = json.dumps(asked("forged", "Forged")).encode()
    good = signed(body)
    flipped = base64.b64encode(bytes(reversed(base64.b64decode(form_headers["X-Twilio-Signature"])))).decode()
    attempts = {
        "Twilio unsigned": ("/phone/turn", form, {"Content-Type": form_headers["Content-Type"]}),
        "Twilio other signature": ("/phone/turn", form, {**form_headers, "X-Twilio-Signature": flipped}),
        "Twilio other body": ("/phone/turn", form + b"&Digits=1", form_headers),
        "Twilio other path": ("/phone/incoming", form, form_headers),
        "Twilio other query": ("/phone/turn?attempt=2", form, form_headers),
        "Twilio non-ASCII": ("/phone/turn", form, {**form_headers, "X-Twilio-Signature": "\u00fcber"}),
        "Vapi unsigned": (_VAPI, body, {"Content-Type": "application/json"}),
        "Vapi other body": (_VAPI, body.replace(b"Forged", b"Fooled"), good),
        "Vapi other secret": (_VAPI, body, signed(body, secret="x" * 32)),
        "Vapi 6 minutes old": (_VAPI, body, signed(body, ago_s=360)),
        "Vapi of the future": (_VAPI, body, signed(body, ago_s=-360)),
        "Vapi other time": (_VAPI, body, {**good, "X-Timestamp": str(int(time.time() * 1000) + 1)}),
        "Vapi non-ASCII": (_VAPI, body, {**good, "X-Signature": "\u00fcber"}),
        "Vapi no time": (_VAPI, body, {**good, "X-Timestamp": "soon"}),
        "Vapi another business": (f"{_VAPI}?business={PLUMBER}", body, good),
        "another's key": (f"{_VAPI}?business={PLUMBER}", body, {"Authorization": f"Bearer {KEY}"}),
        "unknown key": (_VAPI, body, {"Authorization": "Bearer sb_nobody"}),
    }
    return {name: ((await senders.post(*sent))[0], no) for name, sent in attempts.items()}


async def _repeated_otherwise(senders: _Senders) -> str:
    """Send the id of a call that was answered, with other arguments; return what came of it."""
    body = json.dumps(asked("call-0", "Something else altogether")).encode()
    status, text = await senders.post(_VAPI, body, signed(body))
    is_no = status == 200 and '"taken"' not in text and "Something else" not in text
    return "a no, no effect" if is_no else f"{status} {text[:80]}"
