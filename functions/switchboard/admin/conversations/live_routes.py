"""The owners' event stream of running conversations: it ends before a function's time does, and the next goes on."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Final, Literal

from fastapi import Query
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from switchboard.admin.access.access import Access, Permit
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.models import AnswerBody, QueryParameters, Whole
from switchboard.admin.api.serving import Caller
from switchboard.admin.conversations.live import ConversationWatch
from switchboard.contract import policy
from switchboard.contract.deadline import reads_within
from switchboard.contract.error import ErrorType, ToolError, log_fields
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.store import StoreError

log = logging.getLogger(__name__)

LOOK_S: Final = 3.0
"""How often a stream looks, which is also how often it shows that it is open."""
LASTS_S: Final = 45.0
"""How long one lasts: less than the shortest time that a function may have."""
MOST_STREAMS: Final = 5
"""How many there may be of a business on one instance."""
_UNAVAILABLE = 503
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class StreamQuery(QueryParameters):
    """How long a stream lasts."""

    lasts: Annotated[int, Whole(0, int(LASTS_S))] | None = Field(
        default=None, description="Seconds; 0 looks once, and where nobody says it lasts as long as it can."
    )


class StreamedEvent(AnswerBody):
    """Something that happened in a running conversation, or the end of the stream."""

    event: Literal["begun", "turn", "call", "ended", "end"]
    id: str | SkipJsonSchema[None] = Field(default=None, description="Where the next stream goes on: `Last-Event-ID`.")
    data: str = Field(description="JSON, with the same `key` whenever it is told; of the end, its `reason`.")


class LiveEndpoints(EndpointGroup):
    """`/admin/businesses/{business_id}/interactions-live`."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        clock: Clock,
        access: Access,
        refusals: type[Exception],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Stream what stands in `store` to whom `access` lets in.

        It is asked anew at every look, and raises `refusals`, whose `status` says why; `sleep` waits for the next.
        """
        self._store, self._paths, self._clock, self._access, self._sleep = store, paths, clock, access, sleep
        self._refusals = refusals
        self._open: Counter[str] = Counter()

    @endpoint(
        "GET",
        "/businesses/{business_id}/interactions-live",
        Operation.SEE_CONVERSATIONS,
        StreamedEvent,
        media="text/event-stream",
    )
    async def _stream(self, permit: Caller, request: Request, query: Annotated[StreamQuery, Query()]) -> Response:
        """Stream what happens in running conversations, as server-sent events."""
        if self._open[permit.business_id] >= MOST_STREAMS:
            words = f"{MOST_STREAMS} streams of this business are open already; close one, or come back in a minute."
            raise ToolError(ErrorType.RATE_LIMIT, words, retryable=True)
        last_id = request.headers.get("last-event-id", "")
        calls = ConversationWatch(self._store, self._paths.within(permit.business_id), self._clock, last_id)

        async def authorise() -> Permit:
            return await self._access.authorise(request, permit.business_id, Operation.SEE_CONVERSATIONS)

        lasts_s = LASTS_S if query.lasts is None else min(query.lasts, LASTS_S)
        return _CountedStream(self._lines(calls, authorise, lasts_s), self._open, permit.business_id)

    async def _lines(
        self, calls: ConversationWatch, authorise: Callable[[], Awaitable[Permit]], lasts_s: float
    ) -> AsyncIterator[bytes]:
        ends_at = self._clock.monotonic() + lasts_s
        yield b"retry: 1000\n\n"
        while True:
            try:
                # Before anything is told: whoever may not see it any more is told nothing.
                permit = await authorise()
                with reads_within(policy.OWNERS_READ_S):
                    events = await calls.look(may_see_personal=permit.may(Operation.SEE_PERSONAL_VALUES))
            except self._refusals as error:
                # Where nobody can tell right now, nothing is told until somebody can.
                if getattr(error, "status", 0) != _UNAVAILABLE:
                    yield b'event: end\ndata: {"reason": "access"}\n\n'
                    return
                events = []
            except StoreError as error:
                log.warning("running conversations cannot be read", extra=log_fields(error))
                events = []
            for event in events:
                yield event.line()
            yield b": looked\n\n"
            if self._clock.monotonic() + LOOK_S > ends_at:
                break
            await self._sleep(LOOK_S)
        # Behind it the next one goes on, also where nothing has happened in this one.
        at = b"id: %b\n" % calls.reached.encode() if calls.reached else b""
        yield b'event: end\n%bdata: {"reason": "time"}\n\n' % at


class _CountedStream(StreamingResponse):
    """Counts among the open streams of its business until it has ended, or whoever reads it is gone."""

    def __init__(self, lines: AsyncIterator[bytes], counts: Counter[str], business_id: str) -> None:
        super().__init__(lines, headers=_HEADERS, media_type="text/event-stream")
        self._counts, self._business_id = counts, business_id
        counts[business_id] += 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._counts[self._business_id] -= 1
