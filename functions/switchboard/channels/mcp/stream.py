"""What goes back to a client for one request: an answer, and before it questions to the human who sits there."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import TypeAlias

import orjson
from starlette.types import Receive, Scope, Send

from switchboard.channels.http.answer import json_answer
from switchboard.channels.mcp.elicitation import NAME, WITHDRAWN, Elicitations
from switchboard.channels.mcp.request_session import RequestSession
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

PLACE = "switchboard.place"
"""Where a request's scope says whose it is, for the handlers that the library calls: a `Place`."""
_STREAM_HEADERS = {"content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no"}
_Call: TypeAlias = Callable[[JsonObject], Awaitable[JsonObject]]


class Stream:
    """The answer to one request: a body, or the last event of a stream once something was put before it.

    Attributes:
        is_cancelled: Whether the request was cancelled, so that its stream ends without an answer.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send by `send`; `receive` says when the client has hung up."""
        self._scope, self._receive, self._send = scope, receive, send
        self._begun = self.is_cancelled = False

    async def put(self, request: JsonObject) -> None:
        """Send the client a request of ours."""
        await self._begin()
        await self._event(orjson.dumps(request), more=True)

    async def cancel(self) -> None:
        """Let the stream end without an answer, since the request was cancelled."""
        self.is_cancelled = True
        await self._begin()

    async def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            headers = [(name.encode(), value.encode()) for name, value in _STREAM_HEADERS.items()]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})

    async def gone(self) -> None:
        """Return once the client has hung up."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def end(self, answer: bytes, headers: Mapping[str, str]) -> None:
        """Send the answer, with these headers where none were sent yet."""
        if not self._begun:
            await json_answer(answer, headers=headers)(self._scope, self._receive, self._send)
        elif self.is_cancelled:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
        else:
            await self._event(answer, more=False)

    async def _event(self, data: bytes, *, more: bool) -> None:
        # JSON on one line: nothing in it can end the event.
        line = b"event: message\ndata: " + data + b"\n\n"
        await self._send({"type": "http.response.body", "body": line, "more_body": more})


@dataclass(frozen=True, slots=True)
class Asker:
    """Puts the questions of one request to the client's human, on the stream of its answer."""

    elicitations: Elicitations
    visit: RequestSession
    began: datetime
    stream: Stream

    def has_place(self) -> bool:
        """Tell whether a question can be put, which keeps a place for it."""
        return self.elicitations.reserve(self.visit)

    async def settled(
        self, result: JsonObject, call: _Call, params: JsonObject, request_id: str | int | None
    ) -> JsonObject:
        """Return what a call comes to, once its questions are answered; one that its client cancels is not told."""
        while result.get("resultType") == "input_required":
            question = result["inputRequests"][NAME]["params"]
            action = await self.elicitations.ask(
                self.visit, request_id, self.began, question, self.stream.put, self.stream.gone
            )
            if action == WITHDRAWN:
                await self.stream.cancel()
            answer = {"inputResponses": {NAME: {"action": action}}, "requestState": result["requestState"]}
            result = await call(params | answer)
        return result


@dataclass(frozen=True, slots=True)
class Place:
    """Whose a request is, and what puts its questions to their human, if any can."""

    visit: RequestSession
    asker: Asker | None = None
