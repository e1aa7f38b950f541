"""What stands between us and another server: it notes what passes, and can lose a request or an answer on the way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar
from urllib.parse import parse_qs

import aiohttp
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from yarl import URL

from stand_ins import faults
from stand_ins.faults import Fault, dropped
from stand_ins.loopback import serving

REQUEST_LOST, ANSWER_LOST, ANSWER_LATE = "request-lost", "answer-lost", "answer-late"
_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
# Of one connection only, or counted anew.
_HOPS = frozenset({"host", "connection", "keep-alive", "transfer-encoding", "content-length", "accept-encoding"})


class Losses(faults.Faults):
    """What is to be lost, and the journal; a fault's method is an HTTP method and a path."""

    modes: ClassVar[tuple[str, ...]] = (REQUEST_LOST, ANSWER_LOST, ANSWER_LATE)


@dataclass
class Passage:
    """Passes requests on as they are, and answers as they come.

    Attributes:
        target: Where to, without a slash at the end; may be set later.
        paths: What is called otherwise there, by the path that we call.
        losses: What goes wrong on the way, and what has passed; a line's `answer` is the body.
    """

    target: str = ""
    paths: Mapping[str, str] = field(default_factory=dict)
    losses: Losses = field(default_factory=Losses)

    @contextmanager
    def open(self) -> Iterator[str]:
        """Give the URL at which requests enter."""
        with serving(Starlette(routes=[Route("/{path:path}", self._passed, methods=_METHODS)])) as url:
            yield url

    @property
    def asked(self) -> list[str]:
        """Method and path of what has passed, in order."""
        return [line["method"] for line in self.losses.journal]

    async def _passed(self, request: Request) -> Response:
        body = await request.body()
        line: dict[str, Any] = {"method": f"{request.method} {request.url.path}"}
        to = parse_qs(body.decode("latin-1")).get("To", [None])[0]
        return await self.losses.answered(line, partial(self._answer, request, body, line), to)

    async def _answer(self, request: Request, body: bytes, line: dict[str, Any], fault: Fault | None) -> Response:
        mode = fault.mode if fault else ""
        if mode == REQUEST_LOST:
            return dropped(request)
        answer = await self._asked(request, body)
        line["answer"] = bytes(answer.body)
        if mode == ANSWER_LOST:
            return dropped(request)
        if fault is not None and mode == ANSWER_LATE:
            await asyncio.sleep(fault.seconds)
        return answer

    async def _asked(self, request: Request, body: bytes) -> Response:
        path = request.scope["raw_path"].decode("ascii")
        query = request.scope["query_string"].decode("ascii")
        address = URL(f"{self.target}{self.paths.get(path, path)}{'?' if query else ''}{query}", encoded=True)
        headers = {name: value for name, value in request.headers.items() if name not in _HOPS}
        async with (
            aiohttp.ClientSession(skip_auto_headers=("Content-Type", "Accept-Encoding")) as http,
            http.request(request.method, address, data=body or None, headers=headers, allow_redirects=False) as answer,
        ):
            content = await answer.read()
            by_name = {name: value for name, value in answer.headers.items() if name.lower() not in _HOPS}
            return Response(content, answer.status, by_name)
