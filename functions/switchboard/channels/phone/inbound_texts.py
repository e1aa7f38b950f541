"""`/phone/text`: what people text to a business's number. STOP, START and HELP count; nobody reads anything else.

An answer is TwiML of messages. Each delivery counts once, and answers are counted, so that two machines that answer
each other soon fall silent.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.catalog.catalog import Catalog
from switchboard.channels.answer import malformed, rejected
from switchboard.channels.credentials import Rejected
from switchboard.channels.deliveries import Deliveries
from switchboard.channels.phone.opt_out_words import AGAIN, Wish, answer_to, is_answered_by_twilio, wish_in
from switchboard.channels.phone.punctual import in_time
from switchboard.channels.phone.reception import Reception
from switchboard.channels.phone.webhook import Door, Webhook, read_form
from switchboard.channels.request_body import Malformed
from switchboard.contract.business import Business
from switchboard.contract.error import ToolError
from switchboard.contract.ports import BusinessPaths, Clock, Paths

log = logging.getLogger(__name__)

# Twilio waits fifteen seconds.
ANSWERED_WITHIN_S = 8.0
SOURCE = "the caller's STOP"
"""What is noted of why a number gets no texts."""


class OptOuts(Protocol):
    """Who gets no texts of a business (`desk/opt_outs.py`)."""

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

    door: Door
    paths: Paths
    catalog: Catalog
    deliveries: Deliveries
    reception: Reception
    opt_outs: OptOuts
    clock: Clock


def routes(parts: TextParts) -> list[Route]:
    """Return the route, without the path prefix of the `phone` function."""
    return [Route("/text", _endpoint(parts), methods=["POST"])]


def _endpoint(parts: TextParts) -> Callable[[Request], Awaitable[Response]]:
    async def served(request: Request) -> Response:
        admitted: list[Webhook] = []
        refused: list[Response] = []

        async def work() -> str:
            try:
                webhook = await parts.door.admit(request, await read_form(request), "MessageSid")
            except Rejected as error:
                refused.append(await rejected(request, error))
                return ""
            except Malformed as error:
                refused.append(await malformed(request, error))
                return ""
            admitted.append(webhook)
            within = parts.paths.within(webhook.line.business_id)
            return await parts.deliveries.once(within, webhook.key, lambda: _answered(parts, webhook, within))

        said = await in_time(work(), ANSWERED_WITHIN_S, lambda: "")
        if refused:
            return refused[0]
        if said:
            return Response(said, media_type="text/xml")
        # Nothing is written down: Twilio notes the failure, and calls the fallback address where there is one.
        return Response(_message(_failed(admitted)), 200 if admitted else 503, media_type="text/xml")

    return served


async def _answered(parts: TextParts, webhook: Webhook, within: BusinessPaths) -> str:
    text, told = webhook.fields.get("Body", ""), webhook.fields.get("OptOutType", "")
    number = parts.reception.caller_number(webhook.fields.get("From"))
    wish = wish_in(text, told)
    if wish is None or number is None:
        return _message("")
    business = await _business(parts.catalog, webhook.line.business_id)
    if wish is Wish.STOP:
        await parts.opt_outs.stop(within, number, SOURCE)
    elif wish is Wish.START:
        await parts.opt_outs.start(within, number)
    log.info("a wish about texts", extra={"business": webhook.line.business_id, "wish": wish.value})
    if is_answered_by_twilio(text, told):
        return _message("")
    may = await parts.opt_outs.may_answer(business, within, number, parts.clock.now())
    return _message(answer_to(wish, business) if may else "")


async def _business(catalog: Catalog, business_id: str) -> Business:
    """Return a business as far as it can be read; what somebody wishes is kept without it."""
    try:
        async with asyncio.timeout(ANSWERED_WITHIN_S / 4):
            return await catalog.business(business_id) or Business(business_id)
    except (ToolError, TimeoutError):
        return Business(business_id)


def _failed(admitted: list[Webhook]) -> str:
    if not admitted:
        return ""
    webhook = admitted[0]
    text, told = webhook.fields.get("Body", ""), webhook.fields.get("OptOutType", "")
    # What Twilio keeps itself is kept there; and whoever has stopped there can be told nothing.
    is_ours = wish_in(text, told) is not None and not is_answered_by_twilio(text, told)
    return answer_to(AGAIN, Business("", name=webhook.called)) if is_ours else ""


def _message(text: str) -> str:
    from twilio.twiml.messaging_response import MessagingResponse  # type: ignore[import-untyped]

    response = MessagingResponse()
    if text:
        response.message(text)
    return str(response)
