"""A CalDAV server that others wrote, Radicale, behind a door at which things go wrong on demand."""

from __future__ import annotations

import asyncio
import base64
import binascii
import io
import logging
import secrets
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stand_ins import faults
from stand_ins.faults import Act, dropped

USER = "salon"
CALENDAR = f"/{USER}/appointments/"
MODES = ("401", "403", "429", "503", "500", "507", "accept-then-drop", "slow")
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
    """One account with one calendar.

    Attributes:
        app: Serves it.
        faults: What goes wrong there, and what was asked.
    """

    def __init__(self) -> None:
        """Begin with an empty calendar and without a password that would let anybody in.

        Raises:
            NotInstalled: There is no Radicale.
        """
        try:
            from radicale import Application, config
        except ImportError:
            raise NotInstalled("Radicale is not installed: pip install -r tests/requirements.txt") from None
        # It tells of every folder that it makes.
        logging.getLogger("radicale").setLevel(logging.CRITICAL)
        self._folder = tempfile.TemporaryDirectory(prefix="switchboard-caldav-")
        settings = config.load()
        settings.update(
            {
                "auth": {"type": "http_x_remote_user"},
                "rights": {"type": "owner_only"},
                "storage": {"filesystem_folder": self._folder.name, "_filesystem_fsync": "False"},
                "web": {"type": "none"},
                "logging": {"level": "critical"},
            },
            "stand-in",
            privileged=True,
        )
        self._serve = Application(settings)
        self._passwords: set[str] = set()
        self.faults = Faults()
        self.app = Starlette(routes=[Route("/{path:path}", self._asked, methods=_METHODS)])
        assert self._called("MKCALENDAR", CALENDAR, {}, _MAKE)[0] == 201

    def password(self) -> str:
        """Return a new password that lets its holder in until all are taken away."""
        made = secrets.token_urlsafe(12)
        self._passwords.add(made)
        return made

    def revoke_all(self) -> None:
        """Let nobody in by a password that was given so far."""
        self._passwords.clear()

    def objects(self) -> list[str]:
        """Return every iCalendar object that stands in the calendar."""
        listed = self._called("GET", CALENDAR, {}, b"")[2].decode()
        parts = listed.replace("\r\n ", "").replace("\r\n", "\n").split("BEGIN:VEVENT\n")[1:]
        return [part.split("END:VEVENT")[0] for part in parts]

    async def _asked(self, request: Request) -> Response:
        body = await request.body()
        return await self.faults.answer(request, partial(self._act, request, body))

    async def _act(self, request: Request, body: bytes) -> Response:
        if not self._may_enter(request.headers.get("authorization", "")):
            return Response(status_code=401, headers={"WWW-Authenticate": 'Basic realm="Radicale"'})
        path = request.scope["path"]
        status, headers, content = await asyncio.to_thread(
            self._called, request.method, path, dict(request.headers), body
        )
        kept = {
            name: value for name, value in headers if name.casefold() not in ("content-length", "transfer-encoding")
        }
        return Response(content, status, kept)

    def _may_enter(self, shown: str) -> bool:
        scheme, _, told = shown.partition(" ")
        try:
            user, _, password = base64.b64decode(told, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return False
        return scheme == "Basic" and user == USER and password in self._passwords

    def _called(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path.encode().decode("latin-1"),
            "SCRIPT_NAME": "",
            "QUERY_STRING": "",
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "CONTENT_LENGTH": str(len(body)),
            "CONTENT_TYPE": headers.get("content-type", ""),
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": io.StringIO(),
            "wsgi.url_scheme": "http",
            "HTTP_X_REMOTE_USER": USER,
        }
        passed_on = ("depth", "if-match", "if-none-match")
        environ |= {f"HTTP_{n.upper().replace('-', '_')}": headers[n] for n in passed_on if n in headers}
        told: list[Any] = []

        def start(status: str, found: list[tuple[str, str]], error: Any = None) -> Callable[[bytes], object]:
            told[:] = [int(status.split()[0]), found]
            return lambda data: None

        content: Iterable[bytes] = self._serve(environ, start)
        return told[0], told[1], b"".join(content)


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
