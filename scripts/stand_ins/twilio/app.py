"""The app that serves the stand-in."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from stand_ins.faults import refused
from stand_ins.twilio import rest
from stand_ins.twilio.account import Account
from stand_ins.twilio.faults import Faults
from stand_ins.twilio.page import page
from stand_ins.twilio.refusal import Refusal

_ACCOUNT = "/2010-04-01/Accounts/{AccountSid}"
_MOST_LISTED = 1_000
_PAGE_SIZE = 50

Events = Callable[[], Awaitable[Sequence[Mapping[str, Any]]]]
Mails = Callable[[], Sequence[Mapping[str, str]]]
Fields = dict[str, list[str]]


class TwilioStandIn:
    """One Twilio account and the app that serves it.

    Args:
        account: What it holds and who may ask.
        events: Where the page's calendar comes from, rows of `title`, `start` and `end`; without it there is none.
        mails: Likewise its e-mails, the newest first, rows of `date`, `to`, `subject` and `text`.
    """

    def __init__(
        self, account: Account | None = None, events: Events | None = None, mails: Mails | None = None
    ) -> None:
        self.account, self.faults, self._events, self._mails = account or Account(), Faults(), events, mails
        # What a phone call was last told to do: Twilio would do it and not show it.
        self._told: dict[str, str] = {}
        # Of which whoever plays a call's other end has not asked yet.
        self._untold: dict[str, str] = {}
        methods: dict[str, tuple[str, str, Callable[[Request, Fields], dict[str, Any]], int]] = {
            "messages.create": ("POST", "/Messages.json", lambda _, form: self.account.send(form), 201),
            "messages.list": ("GET", "/Messages.json", self._list, 200),
            "messages.fetch": ("GET", "/Messages/{Sid}.json", lambda r, _: self.account.look(_sid(r)), 200),
            "calls.create": ("POST", "/Calls.json", self._dial, 201),
            "calls.fetch": ("GET", "/Calls/{Sid}.json", lambda r, _: self.account.call(_sid(r)), 200),
            "calls.update": ("POST", "/Calls/{Sid}.json", self._change, 200),
        }
        routes = [self._route(name, *method) for name, method in methods.items()]
        routes += [
            Route("/", self._page),
            Route("/_stand_in/calls", self._incoming, methods=["POST"]),
            Route("/_stand_in/calls/{Sid}", self._hang_up, methods=["DELETE"]),
            Route("/_stand_in/calls/{Sid}/told", self._tell, methods=["DELETE"]),
            *self.faults.controls,
            Route("/healthz", lambda _: JSONResponse({"ok": True})),
        ]
        self.app = Starlette(routes=routes, exception_handlers={Refusal: refused})

    def _route(
        self, name: str, http: str, path: str, act: Callable[[Request, Fields], dict[str, Any]], status: int
    ) -> Route:
        operation, part = f"{http} {_ACCOUNT}{path}", "form" if http == "POST" else "query"

        async def serve(request: Request) -> Response:
            fields = _pairs(await request.form()) if http == "POST" else request.query_params.multi_items()

            async def do() -> Response:
                self._authenticate(request)
                return JSONResponse(act(request, rest.checked(operation, part, fields)), status)

            return await self.faults.answer(name, request, fields, do)

        return Route(_ACCOUNT + path, serve, methods=[http])

    def _authenticate(self, request: Request) -> None:
        """Refuse whoever is not this account.

        Raises:
            Refusal: 401 for wrong credentials, 404 for another account's path, as Twilio answers them.
        """
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        credentials = base64.b64encode(f"{self.account.sid}:{self.account.token}".encode())
        if kind.lower() != "basic" or not hmac.compare_digest(given.encode(), credentials):
            raise Refusal(401, 20003, "Authenticate")
        if request.path_params["AccountSid"] != self.account.sid:
            raise Refusal(404, 20404, "The requested resource was not found")

    def _list(self, request: Request, query: Fields) -> dict[str, Any]:
        to, sender, size, number = (query.get(name, [None])[0] for name in ("To", "From", "PageSize", "Page"))
        length, at = min(_MOST_LISTED, int(size or _PAGE_SIZE)), int(number or 0)
        texts = self.account.listed(to, sender)
        shown = texts[at * length : (at + 1) * length]
        path, more = request.url.path, len(texts) > (at + 1) * length
        same = {name: value[0] for name, value in query.items() if name in ("To", "From")}
        uris = [f"{path}?{urlencode({'PageSize': length, 'Page': n} | same)}" for n in (0, at, at + 1)]
        return {
            "messages": shown,
            "page": at,
            "page_size": length,
            "start": at * length,
            "end": at * length + max(0, len(shown) - 1),
            "first_page_uri": uris[0],
            "uri": uris[1],
            "next_page_uri": uris[2] if more else None,
            "previous_page_uri": None,
        }

    def _dial(self, _: Request, form: Fields) -> dict[str, Any]:
        call = self.account.dial(form)
        self._told[call["sid"]] = form.get("Twiml", form.get("Url", [""]))[0]
        return call

    def _change(self, request: Request, form: Fields) -> dict[str, Any]:
        call = self.account.change(_sid(request), form)
        self._told[call["sid"]] = self._untold[call["sid"]] = form.get("Twiml", form.get("Url", [""]))[0]
        return call

    async def _page(self, request: Request) -> HTMLResponse:
        texts = self.account.listed(None, None)
        calls = [{**call, "twiml": self._told.get(sid)} for sid, call in reversed(self.account.calls.items())]
        events = await self._events() if self._events else None
        return HTMLResponse(page(texts, calls, events, self._mails() if self._mails else None))

    async def _incoming(self, request: Request) -> JSONResponse:
        body = await request.json()
        call = self.account.incoming(str(body["from"]), str(body["to"]), str(body.get("sid") or ""))
        return JSONResponse(call, 201)

    async def _hang_up(self, request: Request) -> JSONResponse:
        return JSONResponse(self.account.end(_sid(request)))

    async def _tell(self, request: Request) -> JSONResponse:
        """Answer what a call was told to do since it was asked last: it does so once."""
        call = self.account.call(_sid(request))
        return JSONResponse({"twiml": self._untold.pop(call["sid"], None)})


def _sid(request: Request) -> str:
    return str(request.path_params["Sid"])


def _pairs(form: FormData) -> list[tuple[str, str]]:
    return [(name, str(value)) for name, value in form.multi_items()]
