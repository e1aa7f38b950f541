"""`/phone/text`: what people text to a business's number. STOP, START and HELP count; nobody reads anything else.

An answer is TwiML of messages. Each delivery counts once, and answers are counted, so that two machines that answer
each other soon fall silent.
"""

import asyncio
import logging
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.catalog.offer.catalog import Catalog
from switchboard.channels.http.idempotency import Deliveries
from switchboard.channels.phone.opt_out_words import AGAIN, OptOut, answer_to, is_answered_by_twilio, wish_in
from switchboard.channels.phone.reception import CallerDirectory
from switchboard.channels.phone.timeout import Flights, in_time
from switchboard.channels.phone.webhook import Webhook, WebhookAuth, WebhookVisit
from switchboard.contract.business.business import Business
from switchboard.contract.error import ToolError
from switchboard.contract.ports import BusinessPaths, Clock, Paths

log = logging.getLogger(__name__)

# Twilio waits fifteen seconds.
ANSWERED_WITHIN_S = 8.0
_REMEMBERED = 5_000
SOURCE = "the caller's STOP"
"""What is noted of why a number gets no texts."""


class OptOutRegistry(Protocol):
    """Who gets no texts of a business (`desk/messaging/opt_outs.py`)."""

    async def stop(self, paths: BusinessPaths, number: str, source: str) -> None:
        """Text a number no more.

        Raises:
            StoreError: It could not be written down.
        """

    async def start(self, paths: BusinessPaths, number: str) -> None:
        """Text it again.

        Raises:
            StoreError: It could not be written down.
        """

    async def may_answer(self, business: Business, paths: BusinessPaths, number: str, now: datetime) -> bool:
        """Count an answer to a number; tell whether it is not one too many. Never raises."""


@dataclass(frozen=True, slots=True)
class TextParts:
    """What the webhook works with."""

    door: WebhookAuth
    paths: Paths
    catalog: Catalog
    deliveries: Deliveries
    reception: CallerDirectory
    opt_outs: OptOutRegistry
    clock: Clock


def routes(parts: TextParts) -> list[Route]:
    """Return the route, without the path prefix of the `phone` function."""
    return [Route("/text", _Texts(parts).served, methods=["POST"])]


class _Texts:
    """Answers what is texted to every business."""

    def __init__(self, parts: TextParts) -> None:
        self._parts, self._flights = parts, Flights()
        # As they were last read, and what was kept of late: for answers that fail.
        self._known: LRUCache[str, Business] = LRUCache(_REMEMBERED)
        self._kept: LRUCache[str, OptOut] = LRUCache(_REMEMBERED)

    async def served(self, request: Request) -> Response:
        """Answer a text, or say that it is not let in."""
        visit = WebhookVisit(self._parts.door, request, "MessageSid")

        async def work() -> str:
            webhook = await visit.admitted()
            if webhook is None:
                return ""
            # What takes longer than Twilio waits is still done.
            return await self._flights.join((webhook.line.business_id, webhook.key), lambda: self._once(webhook))

        said = await in_time(work(), ANSWERED_WITHIN_S, lambda: self._late(visit.webhook))
        if visit.refused is not None:
            return visit.refused
        # Where nobody can say who asks, Twilio notes the failure, and calls the fallback address where there is one.
        return Response(said, 503 if visit.webhook is None else 200, media_type="text/xml")

    async def _once(self, webhook: Webhook) -> str:
        within = self._parts.paths.within(webhook.line.business_id)
        return await self._parts.deliveries.once(within, webhook.key, lambda: self._answered(webhook, within))

    async def _answered(self, webhook: Webhook, within: BusinessPaths) -> str:
        parts, (wish, is_quiet) = self._parts, _read(webhook)
        number = parts.reception.caller_number(webhook.fields.get("From"))
        if wish is None or number is None:
            return _message("")
        business = await self._business(webhook)
        if wish is OptOut.STOP:
            await parts.opt_outs.stop(within, number, SOURCE)
        elif wish is OptOut.START:
            await parts.opt_outs.start(within, number)
        if wish is not OptOut.HELP:
            self._kept[webhook.key] = wish
        log.info("a wish about texts", extra={"business": webhook.line.business_id, "wish": wish.value})
        if is_quiet:
            return _message("")
        may = await parts.opt_outs.may_answer(business, within, number, parts.clock.now())
        return _message(answer_to(wish, business) if may else "")

    def _late(self, webhook: Webhook | None) -> str:
        """Return what answers in time: what was kept by then, or that it did not work."""
        wish, is_quiet = _read(webhook) if webhook is not None else (None, True)
        # What Twilio keeps itself is kept there; and whoever has stopped there can be told nothing.
        if webhook is None or wish is None or is_quiet:
            return _message("")
        return _message(answer_to(self._kept.get(webhook.key, AGAIN), self._as_known(webhook)))

    async def _business(self, webhook: Webhook) -> Business:
        """Return a business as far as it can be read; what somebody wishes is kept without it."""
        id = webhook.line.business_id
        try:
            async with asyncio.timeout(ANSWERED_WITHIN_S / 4):
                found = await self._parts.catalog.business(id)
        except (ToolError, TimeoutError):
            found = None
        if found is None:
            return self._as_known(webhook)
        self._known[id] = found
        return found

    def _as_known(self, webhook: Webhook) -> Business:
        id, called = webhook.line.business_id, webhook.called
        known = self._known.get(id) or self._parts.door.safe_numbers.behind(called) or Business(id)
        return known if known.name else replace(known, id=id, name=called)


def _read(webhook: Webhook) -> tuple[OptOut | None, bool]:
    """Return what a text wishes, and whether Twilio has answered it."""
    text, told = webhook.fields.get("Body", ""), webhook.fields.get("OptOutType", "")
    return wish_in(text, told), is_answered_by_twilio(text, told)


def _message(text: str) -> str:
    from twilio.twiml.messaging_response import MessagingResponse  # type: ignore[import-untyped]

    response = MessagingResponse()
    if text:
        response.message(text)
    return str(response)
