"""Twilio's webhooks: let in by size, signature and business, in that order, and answered once and in time.

Nothing of one is believed before it is let in, and nothing of its body is logged.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from switchboard.channels.http.answer import hung_up, malformed, rejected
from switchboard.channels.http.credentials import Rejected
from switchboard.channels.http.idempotency import Deliveries, delivery_key
from switchboard.channels.http.request_body import Malformed, path_as_sent, whole_body
from switchboard.channels.phone import twiml
from switchboard.channels.phone.call_state import call_path
from switchboard.channels.phone.phone_numbers import NO_SAFE_NUMBERS, Line, Lines, SafeNumbers, SigningKey, is_signed
from switchboard.contract.caller.outside_id import is_blank, outside_id
from switchboard.contract.context import Context, PhoneContext
from switchboard.contract.error import BusinessGone, ToolError, log_fields
from switchboard.contract.json import JsonObject
from switchboard.contract.observability.subject import concerns
from switchboard.contract.ports import BusinessPaths, Paths
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.waiting import Wait, current_wait, limited
from switchboard.contract.store import StoreError
from switchboard.conversation.record.deliveries import PATIENCE_S, TurnDelivery
from switchboard.conversation.speech.utterance import Utterance

_MOST_BYTES = 65_536
_MOST_FIELDS = 200
_MOST_DIGITS = 6
# Twilio waits 15 seconds in all, tries again included: so much of it may go by until it is known whether somebody else,
# who was asked the same before, has an answer or has died.
OTHERS_WITHIN_S = PATIENCE_S + 0.5
# One sentence for both: nobody who cannot sign is told which numbers there are.
_NOT_LET_IN = (
    "No business has this number, or the signature does not match: enter the number and its account's auth token with "
    "the business, and set SWITCHBOARD_PUBLIC_URL to the address Twilio calls."
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Webhook:
    """A request of Twilio's.

    Attributes:
        line: The business's number that it is about.
        fields: The form's fields; of a repeated one, the last.
        query: The address's query.
        key: The same for every delivery of the same request.
        delivery: Where it may begin a turn of a conversation: itself, for that one's record.
        leaving: What whoever answers leaves for the webhooks to come, where that is written with the answer.
        is_first: Whether nothing has come of its phone call before, on any instance, as far as anybody knows.
    """

    line: Line
    fields: dict[str, str]
    query: dict[str, str]
    key: str
    delivery: TurnDelivery | None = None
    leaving: JsonObject = field(default_factory=dict)
    is_first: bool = False

    @property
    def call_sid(self) -> str:
        """The phone call."""
        return self.fields.get("CallSid", "")

    @property
    def called(self) -> str:
        """The business's number."""
        return self.fields.get("To", "")

    def counted(self, name: str) -> int:
        """Return a whole number of the query; 0 where it holds none."""
        text = self.query.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0

    @property
    def says_something(self) -> bool:
        """Whether somebody has said or pressed something, which begins a turn."""
        return "waiting" not in self.query and not is_blank(self.utterance.words)

    @property
    def utterance(self) -> Utterance:
        """What was said or pressed."""
        text, keys = self.fields.get("SpeechResult", ""), self.fields.get("Digits", "")
        return Utterance(text, keys, confidence=self.confidence if text else None)

    @property
    def lasted_s(self) -> int | None:
        """How many seconds the call lasted, as Twilio says at its end; None where it does not."""
        text = self.fields.get("CallDuration", "")
        return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None

    @property
    def confidence(self) -> float | None:
        """How sure the recogniser was of what was said, from 0 to 1; None where nobody says."""
        try:
            confidence = float(self.fields.get("Confidence", ""))
        except ValueError:
            return None
        return confidence if 0 <= confidence <= 1 else None

    def context(self, caller_phone: str | None) -> PhoneContext:
        """Return what is known of the call; `caller_phone` is E.164 or None."""
        return PhoneContext(
            business_id=self.line.business_id,
            session_id=self.call_sid,
            interaction_id=self.call_sid,
            turn=0,
            call_sid=self.call_sid,
            caller_phone=caller_phone,
            called_phone=self.fields.get("To"),
            attestation=self.fields.get("StirVerstat"),
            is_withheld=caller_phone is None,
            applies_intents=True,
        )


@dataclass(frozen=True, slots=True)
class Form:
    """A request's form as anybody can send it: nothing of it is believed yet."""

    body: bytes
    pairs: list[tuple[str, str]]

    @property
    def fields(self) -> dict[str, str]:
        """Its fields; of a repeated one, the last."""
        return dict(self.pairs)

    @property
    def called(self) -> str:
        """The number that was called: the business's, also in what is told about a call later on."""
        return self.fields.get("To", "")


async def read_form(request: Request) -> Form:
    """Return what a request says.

    Raises:
        Malformed: The body is too long or cannot be read.
    """
    body = await whole_body(request, _MOST_BYTES)
    try:
        return Form(body, parse_qsl(body.decode("utf-8", "replace"), True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise Malformed("body", f"The form has more than {_MOST_FIELDS} fields.", 413) from None


class WebhookAuth:
    """Lets Twilio's requests in."""

    def __init__(
        self, lines: Lines, public_url: str, function: str = "phone", safe_numbers: SafeNumbers = NO_SAFE_NUMBERS
    ) -> None:
        """Check signatures over `public_url`, which is what Twilio was told to call, and the function's own path."""
        self._lines, self._public_url, self._prefix = lines, public_url.rstrip("/"), f"/{function}"
        self.safe_numbers = safe_numbers

    async def admit(self, request: Request, form: Form, named: str = "CallSid") -> Webhook:
        """Return a request that Twilio sent; `named` is the field that says what it is about.

        Raises:
            Rejected: 403, it did not, or for a number that is nobody's.
            Malformed: It names no call, or no message.
            StoreError: Nobody can say whether it did.
        """
        fields = form.fields
        fields |= {name: outside_id(fields[name]) for name in ("CallSid", named) if name in fields}
        parameters: dict[str, list[str]] = {}
        for name, value in form.pairs:
            parameters.setdefault(name, []).append(value)
        url = self.url(request.url.path, request.url.query)
        # Twilio signs the address as its console has it, where a number may be written %2B1…; a proxy may decode it.
        urls = dict.fromkeys((self.url(path_as_sent(request), request.url.query), url))
        signature = request.headers.get("x-twilio-signature")
        settings = request.headers.get("x-twilio-webhooks-signature-settings")

        def proves(key: SigningKey) -> bool:
            return any(is_signed(key, one, parameters, signature, settings) for one in urls)

        line = await self._lines.proven(form.called, fields.get("AccountSid", ""), proves)
        if line is None:
            raise Rejected(403, _NOT_LET_IN)
        concerns(line.business_id, fields.get("CallSid", ""))
        if not fields.get(named):
            raise Malformed(named, f"{named} is required.")
        query = dict(parse_qsl(request.url.query, keep_blank_values=True))
        return Webhook(line, fields, query, delivery_key(signature or "", url, form.body))

    def url(self, path: str, query: str = "") -> str:
        """Return the public address of a path of this function; it may come with or without its own name in front."""
        path = path if path.startswith(f"{self._prefix}/") else self._prefix + path
        return f"{self._public_url}{path}{'?' + query if query else ''}"


class WebhookVisit:
    """A request at the door; what became of it is known also where the work behind the door fails or takes too long.

    Attributes:
        called: The number that was called, as far as was read; nobody may have called it.
        webhook: The request, once it is let in.
        refused: What answers it where it is not.
    """

    def __init__(self, door: WebhookAuth, request: Request, named: str = "CallSid") -> None:
        """Come to a door; `named` is the field that says what the request is about."""
        self._door, self._request, self._named = door, request, named
        self.called = ""
        self.webhook: Webhook | None = None
        self.refused: Response | None = None

    async def admitted(self) -> Webhook | None:
        """Return the request, or None where it is refused: that is an answer, and no failure.

        Raises:
            StoreError: Nobody can say whether Twilio asks.
        """
        try:
            form = await read_form(self._request)
            self.called = form.called
            self.webhook = await self._door.admit(self._request, form, self._named)
        except Rejected as error:
            self.refused = await rejected(self._request, error)
        except Malformed as error:
            self.refused = await malformed(self._request, error)
        except ClientDisconnect as error:
            # Anybody can send half a body: that is no failure of ours.
            self.refused = await hung_up(self._request, error)
        return self.webhook


async def in_time(work: Awaitable[str], within_s: float, otherwise: Callable[[], str]) -> str:
    """Return what the work returns; what `otherwise` does when it fails or takes too long.

    Time in which it waits for another instance that is at the same is not counted, up to `OTHERS_WITHIN_S`.
    """
    with limited() as wait:
        task = asyncio.ensure_future(work)
    began = time.monotonic()
    try:
        while not task.done():
            left_s = within_s + min(wait.waited_s, OTHERS_WITHIN_S) - (time.monotonic() - began)
            if left_s <= 0:
                break
            await asyncio.wait({task}, timeout=left_s)
    finally:
        if not task.done():
            task.cancel()
    if not task.done() or task.cancelled():
        log.error("a webhook took too long")
        return otherwise()
    error = task.exception()
    if error is None:
        return task.result()
    if isinstance(error, BusinessGone):
        log.info("a call to a business that was taken away")
        return twiml.gone()
    if isinstance(error, StoreError | ToolError):
        log.error("a webhook failed", extra=log_fields(error))
    else:
        log.error("a webhook failed unexpectedly", exc_info=error)
    return otherwise()


class Kept(StrEnum):
    """Where it is kept what a webhook was answered, so that one that comes again is answered the same."""

    APART = "apart"
    """In a document of its own."""
    WITH_ITS_CALL = "with its call"
    """In the document that its phone call's webhooks leave things in for each other, with what it leaves."""
    WITH_ITS_TURN = "with its turn"
    """In the record of the conversation, where it begins a turn; apart where it begins none."""
    NOWHERE = "nowhere"
    """It may be answered again: what it does comes to the same, and so does what it is answered."""


class Webhooks:
    """Answers Twilio: what it may ask, each delivery once, and in time whatever fails."""

    def __init__(
        self,
        door: WebhookAuth,
        paths: Paths,
        deliveries: Deliveries,
        named: str = "CallSid",
        unknown_status: int = 200,
    ) -> None:
        """Let in by `door`.

        Args:
            door: Says whose requests are let in.
            paths: Where things are in the store.
            deliveries: Keeps answers.
            named: The field that says what a request is about.
            unknown_status: With which is answered where nobody can say whether Twilio asks.
        """
        self._door, self._paths, self._deliveries = door, paths, deliveries
        self._named, self._unknown_status = named, unknown_status
        self._flights: dict[tuple[str, str], tuple[asyncio.Task[str], Wait]] = {}

    async def answer(
        self,
        request: Request,
        work: Callable[[Webhook], Coroutine[Any, Any, str]],
        otherwise: Callable[[WebhookVisit], str],
        within_s: float,
        check: Callable[[Webhook], Awaitable[Response | None]] | None = None,
        kept: Kept = Kept.APART,
    ) -> Response:
        """Return a document, or that a request is not let in.

        Args:
            request: Twilio's, as far as anybody can tell.
            work: Makes the document. It goes on when time is up, and who asks for the same meanwhile waits for it, with
                a store or without one.
            otherwise: Makes what stands in its place when it fails or is late.
            within_s: How long Twilio is kept waiting.
            check: Says what refuses a request that was let in; None where nothing does.
            kept: Where it is kept what it is answered.
        """
        visit = WebhookVisit(self._door, request, self._named)

        async def document() -> str:
            webhook = await visit.admitted()
            if webhook is None:
                return ""
            visit.refused = await check(webhook) if check is not None else None
            return await self._joined(webhook, work, kept) if visit.refused is None else ""

        text = await in_time(document(), within_s, lambda: otherwise(visit))
        status = self._unknown_status if visit.webhook is None else 200
        return visit.refused or Response(text, status, media_type="text/xml")

    async def _joined(self, webhook: Webhook, work: Callable[[Webhook], Coroutine[Any, Any, str]], kept: Kept) -> str:
        key = (webhook.line.business_id, webhook.key)
        flight = self._flights.get(key)
        if flight is None:
            with limited() as wait:
                task = asyncio.create_task(self._once(webhook, work, kept))
            flight = self._flights[key] = task, wait
            task.add_done_callback(lambda _: self._flights.pop(key, None))
        else:
            current_wait().join(flight[1])
        # Shielded: one who hangs up must not take the answer away from the others.
        return await asyncio.shield(flight[0])

    async def _once(self, webhook: Webhook, work: Callable[[Webhook], Coroutine[Any, Any, str]], kept: Kept) -> str:
        within = self._paths.within(webhook.line.business_id)
        if kept is Kept.NOWHERE:
            return await work(webhook)
        if kept is Kept.WITH_ITS_CALL:

            async def beginning(is_new: bool) -> tuple[str, JsonObject]:
                return await work(replace(webhook, is_first=is_new)), webhook.leaving

            path = call_path(within, webhook.call_sid)
            return await self._deliveries.once_beside(path, webhook.key, beginning)
        if kept is Kept.APART or not webhook.says_something:
            return await self._deliveries.once(within, webhook.key, lambda: work(webhook))
        delivery = self._deliveries.turn(within, webhook.key)
        answer = None
        try:
            answer = await work(replace(webhook, delivery=delivery))
        finally:
            await delivery.settle(answer)
        return answer


class CallerDirectory(Protocol):
    """Knows callers."""

    def caller_number(self, text: str | None) -> str | None:
        """Return the caller's number in E.164 as the phone network signalled it, None where it did not."""

    async def turned_away(self, paths: BusinessPaths, context: Context, now: datetime, *, is_new: bool = False) -> bool:
        """Tell whether this caller gets no conversation: blocked for a while, or flagged. Never raises.

        Where `is_new` says that the call has just begun, nothing is asked about the call itself.
        """
