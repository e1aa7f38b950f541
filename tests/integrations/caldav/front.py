"""What stands between the client and Radicale: passes everything on, unless something is to go wrong."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx2 as httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from stand_ins.faults import dropped

METHODS = ["GET", "PUT", "DELETE", "PROPFIND", "REPORT", "MKCALENDAR", "OPTIONS"]
_PASSED_ON = ("authorization", "content-type", "depth", "if-match", "if-none-match")
_PASSED_BACK = ("content-type", "etag", "location", "dav")


@dataclass
class Wrong:
    """What goes wrong with the next requests of some methods.

    Attributes:
        methods: Which.
        answer: What is answered instead of asking; None where the line drops once it is done.
        times: With how many requests; None for all.
        then: What goes wrong from then on.
    """

    methods: tuple[str, ...]
    answer: Response | None
    times: int | None = None
    then: "Wrong | None" = None


class Silence(Response):
    """No answer, until nobody waits for it any more."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass


@dataclass
class Front:
    """The way to Radicale.

    Attributes:
        url: Where that is.
        wrong: What goes wrong.
        changed: What becomes of its answers, by method: other servers answer otherwise.
        asked: What was asked: method, path, and the headers that were sent.
    """

    url: str
    wrong: list[Wrong] = field(default_factory=list)
    changed: dict[str, Callable[[Response], Response]] = field(default_factory=dict)
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)

    @property
    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{path:path}", self._answer, methods=METHODS)])

    def methods(self) -> list[str]:
        """Return what was asked, by method."""
        return [method for method, _, _ in self.asked]

    async def _answer(self, request: Request) -> Response:
        method = request.method
        self.asked.append((method, request.url.path, dict(request.headers)))
        wrong = self._due(method)
        if wrong is not None and wrong.answer is not None:
            return wrong.answer
        answer = await self._passed_on(request)
        if wrong is None:
            return self.changed.get(method, lambda it: it)(answer)
        gone = dropped(request)
        # The server learns of it in the loop's next round.
        await asyncio.sleep(0)
        return gone

    def _due(self, method: str) -> Wrong | None:
        for wrong in self.wrong:
            if method in wrong.methods and wrong.times != 0:
                if wrong.times is not None:
                    wrong.times -= 1
                self.wrong += [wrong.then] if wrong.then else []
                return wrong
        return None

    async def _passed_on(self, request: Request) -> Response:
        headers = {name: request.headers[name] for name in _PASSED_ON if name in request.headers}
        path = request.scope["raw_path"].decode()
        async with httpx.AsyncClient(timeout=300, verify=False) as client:
            found = await client.request(request.method, self.url + path, headers=headers, content=await request.body())
        back = {name: found.headers[name] for name in _PASSED_BACK if name in found.headers}
        return Response(found.content, found.status_code, back)


def without_etag(answer: Response) -> Response:
    """Return an answer as servers give it that change what they are sent (RFC 4791 5.3.4)."""
    if "etag" in answer.headers:
        del answer.headers["etag"]
    return answer


def with_etag_of_packed(answer: Response) -> Response:
    """Return an answer with the version that a packing web server makes of it."""
    if "etag" in answer.headers:
        answer.headers["etag"] = "W/" + re.sub('"$', '-gzip"', answer.headers["etag"])
    return answer
