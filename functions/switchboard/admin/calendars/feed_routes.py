"""Feeds of appointments over HTTP: `/businesses/{id}/calendar-feeds…` for owners, and the secret address itself."""

import asyncio
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint, EndpointGroup, endpoint
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.calendars.feed_text import REFRESHED, to_text
from switchboard.admin.calendars.feeds import CalendarFeeds
from switchboard.admin.calendars.models import FeedBody, FeedList, FeedMade, FeedRevoked
from switchboard.contract.ports import Clock
from switchboard.contract.store import StoreError

_NOT_HERE = "There is no calendar at this address; it may have been revoked. Ask whoever gave it to you for another."
# An address is a secret: it is in no index, in no other page's view, and in no shared cache.
_HEADERS = {
    "Cache-Control": f"private, max-age={int(REFRESHED.total_seconds())}",
    "X-Robots-Tag": "noindex, nofollow",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class CalendarFeedEndpoints(EndpointGroup):
    """Lists feeds, makes them, revokes them, and reads one."""

    _BASE, _SEE, _EDIT = "/businesses/{business_id}/calendar-feeds", Operation.SEE_KEYS, Operation.EDIT_KEYS

    def __init__(self, feeds: CalendarFeeds, clock: Clock, public_url: str = "") -> None:
        """Answer with what `feeds` do; without a public address, they are read where their owner has asked."""
        self._feeds, self._clock, self._public_url = feeds, clock, public_url

    @property
    def reading(self) -> Endpoint:
        """Where calendars read, below the prefix of the function `api`."""
        return Endpoint("GET", "/calendar/{business_id}/{token}.ics", None, self._read, str, media="text/calendar")

    @endpoint("GET", _BASE, _SEE, FeedList)
    async def _all(self, permit: Caller) -> Response:
        """List the addresses at which calendars read the appointments."""
        return json_answer({"feeds": [feed.to_json() for feed in await self._feeds.all(permit.business_id)]})

    @endpoint("POST", _BASE, _EDIT, FeedMade, 201, once="")
    async def _create(self, request: Request, permit: Caller, body: FeedBody) -> Response:
        """Make a secret address at which people's own calendars read the appointments; it is told this once."""
        feed_id, token, saved = await self._feeds.create(permit, body.sent())
        origin = self._public_url or f"{request.url.scheme}://{request.url.netloc}"
        url = f"{origin}/api/calendar/{quote(permit.business_id, safe='')}/{token}.ics"
        return saved_answer({"id": feed_id, "url": url, "revision": saved.revision}, saved, 201)

    @endpoint("DELETE", f"{_BASE}/{{feed_id}}", _EDIT, FeedRevoked, is_revisioned=True)
    async def _revoke(self, permit: Caller, feed_id: str, based_on: BasedOn) -> Response:
        """Revoke such an address."""
        saved = await self._feeds.revoke(permit, feed_id, based_on)
        return saved_answer({"revoked": True}, saved)

    async def _read(self, business_id: str, token: str) -> Response:
        """Read the appointments as a calendar; whoever has the address may."""
        try:
            appointments = await self._feeds.read(business_id, token)
        except StoreError:
            return PlainTextResponse(
                "Read it again in a minute.", 503, {"Retry-After": "60", "Cache-Control": "no-store"}
            )
        if appointments is None:
            return PlainTextResponse(_NOT_HERE, 404, {"Cache-Control": "no-store"})
        text = await asyncio.to_thread(to_text, appointments, self._clock.now())
        return Response(text, headers=_HEADERS, media_type="text/calendar; charset=utf-8")
