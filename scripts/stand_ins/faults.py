"""What goes wrong on demand, and what was asked: the controls that stand-ins have and vendors have not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

_REMEMBERED = 5_000

Act = Callable[[], Awaitable[Response]]


@dataclass
class Fault:
    """What happens to the next requests to a method (`*`: any), to a number (None: any); `times` None never ends."""

    method: str
    mode: str
    times: int | None = 1
    seconds: float = 10.0
    to: str | None = None


class SaysNo(Exception):
    """A request is refused, in its vendor's words."""

    def answer(self) -> Response:
        """Return the response."""
        raise NotImplementedError


async def refused(request: Request, error: Exception) -> Response:
    """Answer a request that was refused."""
    assert isinstance(error, SaysNo)
    return error.answer()


class NoSuchFault(Exception):
    """A fault was set that is none; the text tells what is one."""


@dataclass
class Faults:
    """The faults that are set, and the journal of requests. Secrets of a request stand in neither.

    Attributes:
        modes: What can go wrong at this vendor.
        kind: What a fault there is.
    """

    modes: ClassVar[tuple[str, ...]] = ()
    kind: ClassVar[type[Fault]] = Fault

    waiting: list[Fault] = field(default_factory=list)
    journal: list[dict[str, Any]] = field(default_factory=list)

    def add(self, body: Mapping[str, Any]) -> None:
        """Set one fault.

        Raises:
            NoSuchFault: It is none that can be.
        """
        method, mode, times = body.get("method", "*"), body.get("mode"), body.get("times", 1)
        if mode not in self.modes or not isinstance(method, str) or not (times is None or isinstance(times, int)):
            raise NoSuchFault(f"a fault is {{method, mode, times}}; modes are {', '.join(self.modes)}")
        seconds = {"seconds": float(body["seconds"])} if "seconds" in body else {}
        self.waiting.append(self.kind(method, mode, times, to=body.get("to"), **seconds))

    async def answered(
        self, line: dict[str, Any], answer: Callable[[Fault | None], Awaitable[Response]], to: str | None = None
    ) -> Response:
        """Answer a request, which `line` describes, with the fault that is due, and write it down."""
        self.journal[:] = [*self.journal[-_REMEMBERED:], line]
        fault = self._due(line["method"], to)
        line["fault"] = fault.mode if fault else None
        try:
            found = await answer(fault)
        except SaysNo as no:
            found = no.answer()
        line["status"] = found.status_code
        return found

    def set(self, body: Mapping[str, Any]) -> None:
        """Set one fault; one that is none is refused in the vendor's words, where it has words for it."""
        self.add(body)

    @property
    def controls(self) -> list[Route]:
        """Where faults are set and taken away, and what was asked is told and forgotten."""
        return [
            Route("/_stand_in/faults", self._controlled, methods=["POST", "DELETE"]),
            Route("/_stand_in/requests", self._told, methods=["GET", "DELETE"]),
        ]

    async def _controlled(self, request: Request) -> JSONResponse:
        if request.method == "DELETE":
            self.waiting.clear()
        else:
            self.set(await request.json())
        return JSONResponse({"ok": True})

    async def _told(self, request: Request) -> JSONResponse:
        if request.method == "DELETE":
            self.journal.clear()
        return JSONResponse({"requests": self.journal})

    def _due(self, name: str, to: str | None) -> Fault | None:
        for fault in self.waiting:
            if fault.method in ("*", name) and fault.to in (None, to):
                if fault.times is not None:
                    fault.times -= 1
                    if fault.times <= 0:
                        self.waiting.remove(fault)
                return fault
        return None


def dropped(request: Request) -> Response:
    """Break the request's connection, and return what stands for its answer in the journal."""
    request.scope["extensions"]["stand_in.drop"]()
    # Nobody reads it any more.
    return Response(status_code=499)
