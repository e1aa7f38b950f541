"""A CalDAV server that others wrote, Radicale, behind a door at which things go wrong on demand."""

from __future__ import annotations

import asyncio
import base64
import binascii
import importlib.util
import os
import secrets
import sys
import tempfile
import time
import urllib.request
import weakref
from dataclasses import dataclass
from functools import partial
from typing import Any

import aiohttp
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from yarl import URL

import child_process
import setting_up
from command_line import Problem
from running import listening
from stand_ins import faults
from stand_ins.faults import Act, dropped

USER = "salon"
CALENDAR = f"/{USER}/appointments/"
MODES = ("401", "403", "429", "503", "500", "507", "accept-then-drop", "slow")
_READY_WITHIN_S = 30.0
_PASSED_ON = ("content-type", "depth", "if-match", "if-none-match")
_PASSED_BACK = ("content-type", "etag", "location", "dav")
_METHODS = ["GET", "PUT", "DELETE", "PROPFIND", "REPORT", "OPTIONS"]
_MAKE = (
    b'<C:mkcalendar xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop><displayname>Appointments'
    b"</displayname></prop></set></C:mkcalendar>"
)


class NotInstalled(Exception):
    """Radicale is not there; the text tells how to have it."""


@dataclass
class Fault(faults.Fault):
    """What happens to the next requests to a method; `seconds` are those of Retry-After, or of a slow answer."""

    seconds: float = 5.0


class Faults(faults.Faults):
    """The faults that are set, and the journal of requests. Secrets of a request stand in neither."""

    modes, kind = MODES, Fault

    async def answer(self, request: Request, act: Act) -> Response:
        """Answer a request as the server does, or as a fault wants it, and write it down."""
        line: dict[str, Any] = {"method": _named(request), "http": request.method, "path": request.url.path}
        return await self.answered(line, partial(_answered, request, act))


class CaldavServer:
    """One account with one calendar, kept by a process of its own that ends with this object, or with the program.

    Attributes:
        app: Serves it.
        faults: What goes wrong there, and what was asked.
    """

    def __init__(self) -> None:
        """Begin with an empty calendar and without a password that would let anybody in.

        Raises:
            NotInstalled: There is no Radicale.
            Problem: It does not start.
        """
        if importlib.util.find_spec("radicale") is None:
            raise NotInstalled("Radicale is not installed: pip install -r tests/requirements.txt")
        self._folder = tempfile.TemporaryDirectory(prefix="switchboard-caldav-")
        self._address = f"{listening.HOST}:{listening.require_free(0, 'port')}"
        settings = {
            "server-hosts": self._address,
            "auth-type": "http_x_remote_user",
            "rights-type": "owner_only",
            "storage-filesystem-folder": self._folder.name,
            "web-type": "none",
            "logging-level": "critical",
        }
        command = (sys.executable, "-m", "radicale", *(f"--{name}={value}" for name, value in settings.items()))
        process = child_process.start(command, {**os.environ, "RADICALE_CONFIG": ""}, setting_up.ROOT)
        weakref.finalize(self, process.stop)
        self._passwords: set[str] = set()
        self.faults = Faults()
        self.app = Starlette(routes=[Route("/{path:path}", self._asked, methods=_METHODS)])
        self._begin(process)

    def password(self) -> str:
        """Return a new password that lets its holder in until all are taken away."""
        made = secrets.token_urlsafe(12)
        self._passwords.add(made)
        return made

    def revoke_all(self) -> None:
        """Let nobody in by a password that was given so far."""
        self._passwords.clear()

    def objects(self) -> list[str]:
        """Return every event that stands in the calendar, as iCalendar text."""
        listed = self._called("GET").decode().replace("\r\n ", "").replace("\r\n", "\n")
        return [part.split("END:VEVENT")[0] for part in listed.split("BEGIN:VEVENT\n")[1:]]

    def _begin(self, process: child_process.ChildProcess) -> None:
        deadline = time.monotonic() + _READY_WITHIN_S
        while True:
            try:
                self._called("MKCALENDAR", _MAKE)
                return
            except OSError:
                if time.monotonic() > deadline or process.guard.poll() is not None:
                    raise Problem(f"Radicale does not start; the end of what it said:\n{process.tail()}") from None
            time.sleep(0.05)

    def _called(self, method: str, body: bytes | None = None) -> bytes:
        """Ask the server beside the door, where nothing goes wrong."""
        request = urllib.request.Request(
            f"http://{self._address}{CALENDAR}", body, {"X-Remote-User": USER}, method=method
        )
        with urllib.request.urlopen(request, timeout=_READY_WITHIN_S) as answer:
            return bytes(answer.read())

    async def _asked(self, request: Request) -> Response:
        body = await request.body()
        return await self.faults.answer(request, partial(self._act, request, body))

    async def _act(self, request: Request, body: bytes) -> Response:
        if not self._may_enter(request.headers.get("authorization", "")):
            return Response(status_code=401, headers={"WWW-Authenticate": 'Basic realm="Radicale"'})
        headers = {name: request.headers[name] for name in _PASSED_ON if name in request.headers}
        url = URL(f"http://{self._address}{request.scope['raw_path'].decode()}", encoded=True)
        headers |= {"X-Remote-User": USER}
        async with (
            aiohttp.ClientSession() as http,
            http.request(request.method, url, data=body, headers=headers) as got,
        ):
            by_name = {name: got.headers[name] for name in _PASSED_BACK if name in got.headers}
            return Response(await got.read(), got.status, by_name)

    def _may_enter(self, shown: str) -> bool:
        scheme, _, encoded = shown.partition(" ")
        try:
            user, _, password = base64.b64decode(encoded, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return False
        return scheme == "Basic" and user == USER and password in self._passwords


def _named(request: Request) -> str:
    """Return what a request is, as a fault names it: to make an entry and to change it are two things."""
    if request.method == "PUT":
        return "create" if "if-none-match" in request.headers else "update"
    return request.method.lower()


async def _answered(request: Request, act: Act, fault: faults.Fault | None) -> Response:
    if fault is None:
        return await act()
    if fault.mode in ("429", "503"):
        return Response(status_code=int(fault.mode), headers={"Retry-After": f"{max(0.0, fault.seconds):g}"})
    if fault.mode == "slow":
        await asyncio.sleep(fault.seconds)
        return await act()
    if fault.mode != "accept-then-drop":
        return Response(status_code=int(fault.mode))
    await act()
    answer = dropped(request)
    # The server learns of it in the loop's next round.
    await asyncio.sleep(0)
    return answer
