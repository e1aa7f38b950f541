"""The owners' HTTP API for connecting a calendar elsewhere, and the plain pages that their browsers see on the way.

A vendor sends a browser back without any credential. That it is the browser of whoever began it is told by a cookie; or
the request carries the same person's key. The cookie is never set by following a link: otherwise an owner could have a
stranger's calendar connected to his business by sending the stranger one. It is set by a form that the pages of the
signed-in owner send, which is of the same site, or by one in which the owner's key is typed.
"""

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import replace
from html import escape
from typing import Annotated, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

from fastapi import Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotSetUp
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.serving import Caller
from switchboard.admin.calendars.connection import STATE_LASTS, CalendarConnection, ConnectedVendor, state_hash
from switchboard.admin.calendars.models import (
    BegunForm,
    BegunQuery,
    ConnectedBusinessQuery,
    ConnectionBegun,
    ConnectionEnded,
    ConnectQuery,
    ReturnQuery,
)
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import StoreError
from switchboard.contract.vendors import OUTSIDE_CALENDARS

Permits: TypeAlias = Callable[[Request, str | None], Awaitable[Permit]]
"""Lets a request in that finishes what was begun; the second argument is the business that it is about."""
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<style>body{{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem}}</style></head>
<body><h1>{title}</h1><p>{text}</p>{more}</body></html>
"""
_PAGE_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
    "frame-ancestors 'none'",
    # The address of the page holds a code.
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_BACK = "Go back to your settings and connect again."
_AGAIN = f"Nothing was changed. {_BACK}"
# `{company}` is whose calendar it is. What went wrong → status, title and words of the page.
_PAGES: dict[ErrorType, tuple[int, str, str]] = {
    ErrorType.NOT_FOUND: (400, "This link does not work", f"It was not made here, or not for you. {_AGAIN}"),
    ErrorType.CONFLICT: (
        409,
        "This link was used before",
        "It works once. If your calendar is not connected, go back to your settings and connect again.",
    ),
    ErrorType.AUTH: (410, "This link is too old", f"It was not used in time. {_AGAIN}"),
    ErrorType.TRANSIENT: (503, "{company} does not answer", f"Wait a moment. {_BACK}"),
    ErrorType.RATE_LIMIT: (503, "{company} does not answer", f"Wait a moment. {_BACK}"),
}
_NOT_POSSIBLE = (
    502,
    "{company} refused",
    f"This receptionist is not set up with {{company}} as it should be. {_AGAIN}",
)
_STORE_AWAY = (503, "Not right now", "Your settings cannot be reached. Go back to them in a moment and connect again.")
_OTHER_BROWSER = (
    403,
    "This is not where you began",
    "For your safety a calendar is connected in the browser in which that was begun. Nothing was changed.",
)
_NOT_SIGNED_IN = "Sign in as its owner. Whoever sent you a link that leads here cannot do that for you."
_SIGN_IN = """<form method="post"><input type="hidden" name="state" value="{state}">
<p><label>Your Switchboard key <input name="key" type="password" autocomplete="off" required></label></p>
<p><button>Go on</button></p></form>"""
# What browsers say of a form that one of our own pages has sent; a page cannot say it for another one.
_OWN_SITES = ("same-origin", "same-site")
_LONGEST_FORM, _MOST_FIELDS = 8_192, 8
_ON_TO_VENDOR, _NOT_SET_UP = 302, 501


class ConnectionEndpoints:
    """The endpoints of a vendor, such as `/integrations/google`; without a connection they say what is not set up."""

    def __init__(
        self,
        vendor: ConnectedVendor,
        connection: CalendarConnection | None,
        permits: Permits,
        rejected: type[Exception],
    ) -> None:
        """Connect to it; `rejected` is what `permits` raises for whoever it does not let in."""
        self._vendor, self._maybe, self._permits, self._rejected = vendor, connection, permits, rejected

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them; the pages are seen by browsers that bring no credential."""
        vendor, base = self._vendor, f"/integrations/{self._vendor.name}"
        begin, connect = f"{base}/begin", Operation.CONNECT
        end_words, begin_words = f"Disconnect {vendor.product}", f"Begin connecting {vendor.product}"
        return (
            Endpoint(
                *("DELETE", base, connect, self._disconnect, ConnectionEnded),
                words=end_words,
                is_named_in_query=True,
                decides_offers=True,
                further=(_NOT_SET_UP,),
            ),
            Endpoint(
                *("GET", f"{base}/connect", connect, self._connect, ConnectionBegun),
                words=begin_words,
                is_named_in_query=True,
                further=(_ON_TO_VENDOR, _NOT_SET_UP),
            ),
            _shown("GET", begin, "Ask who is about to connect a calendar", self._sign_in_page),
            replace(_shown("POST", begin, "Show what is about to be connected", self._begin_page), form=BegunForm),
            _shown("GET", f"{base}/callback", f"Come back from {vendor.company}", self._callback),
        )

    @property
    def _connection(self) -> CalendarConnection:
        if self._maybe is None:
            vendor = self._vendor
            raise NotSetUp(f"{vendor.product} is not set up here: {vendor.variable} and its secret are missing.")
        return self._maybe

    async def _connect(self, permit: Caller, query: Annotated[ConnectQuery, Query()]) -> Response:
        connection = self._connection
        begun = await connection.begin(permit, query.calendar_id)
        if query.redirect == "1":
            return _remembering(RedirectResponse(begun.url, _ON_TO_VENDOR), begun.state, connection)
        # For an owner whose browser did not make this request: a form with the state goes to the page.
        page = _beside(connection.callback_url, "begin") + "?" + urlencode({"state": begun.state})
        body = {"url": begun.url, "page": page, "state": begun.state, "expiresAt": begun.expires_at}
        return _remembering(json_answer(body), begun.state, connection)

    async def _sign_in_page(self, query: Annotated[BegunQuery, Query()]) -> Response:
        """Ask whoever has followed a link to sign in: a link says nothing of who follows it."""
        return await self._begun(query.state, is_own=False)

    async def _begin_page(self, request: Request) -> Response:
        """Show for which business a calendar is about to be connected, and lead on to the vendor.

        The form has `state`; and `key`, an owner's, where it does not come from a page of the same site.
        """
        form = await _form(request)
        key, state = form.get("key"), form.get("state", "")
        is_own = request.headers.get("sec-fetch-site") in _OWN_SITES
        if is_own and key is not None:
            is_own = await self._is_begun_with(request, state, key)
        return await self._begun(state, is_own=is_own, status=403)

    async def _is_begun_with(self, request: Request, state: str, key: str) -> bool:
        """Tell whether a typed key is one of an owner of the business whose consent this is."""
        headers, connection = [(b"authorization", b"Bearer " + key.encode("utf-8", "replace"))], self._connection
        try:
            ticket = await connection.find(state)
            permit = await self._permits(Request({**request.scope, "headers": headers}), ticket.permit.business_id)
        except (ToolError, StoreError, self._rejected):
            return False
        return permit.business_id == ticket.permit.business_id

    async def _begun(self, state: str, *, is_own: bool, status: int = 200) -> Response:
        connection = self._connection
        try:
            ticket = await connection.find(state)
        except ToolError as error:
            return self._failed(error.type)
        except StoreError:
            return _page(*_STORE_AWAY)
        if not is_own:
            text = f"A calendar is about to be connected to “{ticket.business_name}”. {_NOT_SIGNED_IN}"
            return _page(status, "Who are you?", text, _SIGN_IN.format(state=escape(state)))
        text = (
            f"You are about to let the receptionist of “{ticket.business_name}” see your calendar in "
            f"{self._vendor.product} and make appointments in it. Go on only if this is your business."
        )
        words = f"Go on to {self._vendor.company}"
        link = f'<p><a href="{escape(connection.consent_url(state))}" rel="noreferrer">{words}</a></p>'
        return _remembering(_page(200, f"Connect {self._vendor.product}", text, link), state, connection)

    async def _callback(self, request: Request, query: Annotated[ReturnQuery, Query()]) -> Response:
        """Finish what was begun, and say so on a page."""
        connection, state = self._connection, query.state
        try:
            ticket = await connection.find(state)
            if not await self._is_owner(request, state, ticket.permit.business_id):
                return _page(*_OTHER_BROWSER)
            if query.error or not query.code:
                await connection.spend(ticket)
                return _page(400, "Not connected", f"{self._vendor.company} was told not to allow it. {_AGAIN}")
            in_use = await connection.finish(ticket, query.code, state)
        except ToolError as error:
            if error.type is ErrorType.VALIDATION:
                return _page(400, "Not connected", error.message)
            return self._failed(error.type)
        except StoreError:
            return _page(*_STORE_AWAY)
        goes_there = f"Appointments of “{ticket.business_name}” now go to {self._vendor.product}."
        other = (
            f"{self._vendor.product} is connected to “{ticket.business_name}”. Its appointments go on being kept in "
            f"{OUTSIDE_CALENDARS.get(in_use, 'the built-in calendar')}, until another calendar is chosen under "
            "Business, Settings."
        )
        text = f"{goes_there if in_use == self._vendor.integration else other} You can close this page."
        response = _page(200, "Connected", text)
        response.delete_cookie(_cookie(self._vendor, state), path=_cookie_path(connection.callback_url))
        return response

    async def _disconnect(self, permit: Caller, query: Annotated[ConnectedBusinessQuery, Query()]) -> Response:
        return json_answer({"disconnected": True, "revoked": await self._connection.disconnect(permit)})

    async def _is_owner(self, request: Request, state: str, business_id: str) -> bool:
        if "authorization" in request.headers:
            # Whoever may connect this business may finish what was begun for it.
            return (await self._permits(request, business_id)).business_id == business_id
        cookie = request.cookies.get(_cookie(self._vendor, state), "")
        return hmac.compare_digest(cookie.encode("utf-8", "replace"), state.encode("utf-8", "replace"))

    def _failed(self, type: ErrorType) -> Response:
        status, title, text = _PAGES.get(type, _NOT_POSSIBLE)
        company = self._vendor.company
        return _page(status, title.format(company=company), text.format(company=company))


def _shown(method: str, path: str, summary: str, handle: Callable[..., Awaitable[Response]]) -> Endpoint:
    """Return the endpoint of a page, which anybody may see."""
    return Endpoint(method, path, None, handle, str, words=summary, media="text/html")


async def _form(request: Request) -> dict[str, str]:
    """Return the fields of a form that has a body of a few lines; nothing of what is none."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _LONGEST_FORM:
            return {}
    text = body.decode("utf-8", "replace")
    return dict(parse_qsl(text, keep_blank_values=True)) if text.count("&") < _MOST_FIELDS else {}


def _page(status: int, title: str, text: str, more: str = "") -> HTMLResponse:
    content = _PAGE.format(title=escape(title), text=escape(text), more=more)
    return HTMLResponse(content, status, headers=_PAGE_HEADERS)


def _remembering(response: Response, state: str, connection: CalendarConnection) -> Response:
    """Let the browser prove later that the consent was begun in it."""
    callback_url = connection.callback_url
    response.set_cookie(
        _cookie(connection.vendor, state),
        state,
        max_age=int(STATE_LASTS.total_seconds()),
        path=_cookie_path(callback_url),
        secure=callback_url.startswith("https:"),
        httponly=True,
        # The vendor's answer is a navigation from elsewhere, with which a strict cookie would not be sent.
        samesite="lax",
    )
    return response


def _cookie(vendor: ConnectedVendor, state: str) -> str:
    # One for each consent, so that two that are begun side by side do not spoil each other.
    return f"{vendor.name}_connect_{state_hash(state)[:12]}"


def _cookie_path(callback_url: str) -> str:
    return urlsplit(callback_url).path.rsplit("/", 1)[0] or "/"


def _beside(callback_url: str, name: str) -> str:
    return callback_url.rsplit("/", 1)[0] + "/" + name
