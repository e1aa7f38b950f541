"""A stand-in for Google Calendar and Google's OAuth server, for tests and for trying things out without an account.

It serves one account with three calendars and holds every request against Calendar's own discovery document. Besides
Google's paths it has its own:

- `POST /_stand_in/faults` `{method, mode, times, seconds}`: the next `times` requests to a method (`events.insert`,
  `token`, ..., or `*`) go wrong; `DELETE` ends all faults.
- `GET /_stand_in/requests`: what was asked, without secrets; `DELETE` empties it.
- `GET /_stand_in/events`: every event of every calendar, deleted ones included.
- `POST /_stand_in/grants` `{scopes}`: a refresh token, as if the account had consented; `DELETE` takes all back.

As a program: `python -m stand_ins.google_calendar --port 9540`, in `scripts/`. It listens on 127.0.0.1 alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from stand_ins import google_calendar_times as times
from stand_ins.faults import refused
from stand_ins.google_calendar_consent import LIFETIME_S, Consents
from stand_ins.google_calendar_events import CalendarBook, Event
from stand_ins.google_calendar_faults import Faults
from stand_ins.google_calendar_refusal import NO_SCOPE, NOT_FOUND, Refusal
from stand_ins.google_calendar_rules import Method

CLIENT_ID, CLIENT_SECRET = "stand-in-client", "stand-in-secret"
ACCOUNT = "owner@example.com"
_SPAN = timedelta(days=93)
_LISTED = 2_500

Act = Callable[[Request, "CalendarBook", dict[str, Any], Event], Response]


class GoogleCalendarStandIn:
    """One Google account, its calendars and consents, and the app that serves them."""

    def __init__(self, zone: str = "America/New_York", token_lifetime_s: int = LIFETIME_S) -> None:
        self.consents = Consents({CLIENT_ID: CLIENT_SECRET}, token_lifetime_s)
        self.faults = Faults()
        books = (
            CalendarBook(ACCOUNT, ACCOUNT, ZoneInfo(zone), ACCOUNT, is_primary=True),
            CalendarBook("team@group.calendar.google.com", "Team", ZoneInfo(zone), ACCOUNT, "writer"),
            CalendarBook("holidays@group.v.calendar.google.com", "Holidays", ZoneInfo(zone), ACCOUNT, "reader"),
        )
        self.books = {book.id: book for book in books}
        events: dict[str, Act] = {
            "events.list": _list,
            "events.get": _get,
            "events.insert": _insert,
            "events.patch": _patch,
            "events.update": _update,
            "events.delete": _delete,
        }
        routes = [self._route(Method(name), self._event_method(act)) for name, act in events.items()]
        routes += [
            self._route(Method("freebusy.query"), self._free_busy),
            self._route(Method("calendarList.list"), self._calendar_list),
            self._plain("/o/oauth2/v2/auth", "authorize", self.consents.authorize, ["GET", "POST"]),
            self._plain("/token", "token", self.consents.token, ["POST"]),
            self._plain("/revoke", "revoke", self.consents.revoke, ["POST"]),
            Route("/_stand_in/faults", self._set_fault, methods=["POST", "DELETE"]),
            Route("/_stand_in/requests", self._requests, methods=["GET", "DELETE"]),
            Route("/_stand_in/events", self._events, methods=["GET"]),
            Route("/_stand_in/grants", self._grants, methods=["POST", "DELETE"]),
            Route("/healthz", lambda _: JSONResponse({"ok": True}), methods=["GET"]),
        ]
        self.app = Starlette(routes=routes, exception_handlers={Refusal: refused})

    def book(self, id: str) -> CalendarBook:
        """Return a calendar; `primary` is the account's own.

        Raises:
            Refusal: 404.
        """
        calendar_book = self.books.get(ACCOUNT if id == "primary" else id)
        if calendar_book is None:
            raise NOT_FOUND
        return calendar_book

    def _route(self, method: Method, act: Callable[[Request, dict[str, Any], Event], Response]) -> Route:
        async def checked(request: Request) -> Response:
            scopes = self.consents.scopes_of(request.headers.get("authorization"))
            query = method.read_query(request.query_params)
            body = method.read_body(await request.body())
            if not method.accepts(scopes):
                raise NO_SCOPE
            return act(request, query, body)

        return self._plain(method.path, method.name, checked, [method.http_method])

    def _plain(self, path: str, name: str, act: Callable[[Request], Awaitable[Response]], methods: list[str]) -> Route:
        async def endpoint(request: Request) -> Response:
            async def answered() -> Response:
                try:
                    return await act(request)
                except Refusal as refusal:
                    return refusal.answer()

            return await self.faults.answer(name, request, answered)

        return Route(path, endpoint, methods=methods)

    def _event_method(self, act: Act) -> Callable[[Request, dict[str, Any], Event], Response]:
        def of_book(request: Request, query: dict[str, Any], body: Event) -> Response:
            book = self.book(request.path_params["calendarId"])
            if request.method != "GET" and book.access_role == "reader":
                message = "You need to have writer access to this calendar."
                raise Refusal(403, "requiredAccessLevel", message, domain="calendar")
            return act(request, book, query, body)

        return of_book

    def _free_busy(self, request: Request, query: dict[str, Any], body: Event) -> Response:
        missing = [name for name in ("timeMin", "timeMax", "items") if name not in body]
        if missing:
            raise Refusal(400, "required", "Missing required field.", missing[0])
        start, end = (datetime.fromisoformat(body[name]) for name in ("timeMin", "timeMax"))
        if start.tzinfo is None or end.tzinfo is None:
            raise Refusal(400, "badRequest", "Bad Request")
        if end <= start:
            raise Refusal(400, "timeRangeEmpty", "The specified time range is empty.", domain="calendar")
        if end - start > _SPAN:
            raise Refusal(400, "timeRangeTooLong", "The requested time range is too long.", domain="calendar")
        calendars = {}
        for item in body["items"]:
            try:
                calendars[item["id"]] = {"busy": self.book(item["id"]).busy(start, end)}
            except Refusal as refusal:
                calendars[item["id"]] = {"errors": [{"domain": "global", "reason": refusal.reason}], "busy": []}
        answer = {"kind": "calendar#freeBusy", "timeMin": body["timeMin"], "timeMax": body["timeMax"]}
        return JSONResponse(answer | {"calendars": calendars})

    def _calendar_list(self, request: Request, query: dict[str, Any], body: Event) -> Response:
        items = [
            {
                "kind": "calendar#calendarListEntry",
                "id": book.id,
                "summary": book.summary,
                "timeZone": book.zone.key,
                "accessRole": book.access_role,
                "selected": True,
                **({"primary": True} if book.is_primary else {}),
            }
            for book in self.books.values()
        ]
        return JSONResponse({"kind": "calendar#calendarList", "items": items})

    async def _set_fault(self, request: Request) -> Response:
        if request.method == "DELETE":
            self.faults.waiting.clear()
        else:
            self.faults.set(await request.json())
        return JSONResponse([vars(fault) for fault in self.faults.waiting])

    async def _requests(self, request: Request) -> Response:
        if request.method == "DELETE":
            self.faults.journal.clear()
        return JSONResponse(self.faults.journal)

    async def _events(self, request: Request) -> Response:
        return JSONResponse({b.id: [b.shown(event) for event in b.events.values()] for b in self.books.values()})

    async def _grants(self, request: Request) -> Response:
        if request.method == "DELETE":
            self.consents.revoke_all()
            return JSONResponse({})
        scopes = frozenset((await request.json())["scopes"])
        return JSONResponse({"refreshToken": self.consents.grant(scopes, CLIENT_ID), "scopes": sorted(scopes)})


def _list(request: Request, book: CalendarBook, query: dict[str, Any], body: Event) -> Response:
    if query.get("orderBy") == "startTime" and not query.get("singleEvents"):
        message = "The requested ordering is not available for the particular query."
        raise Refusal(400, "invalid", message, "orderBy")
    if "syncToken" in query:
        # None was ever given out, so that it can only be an old one.
        raise Refusal(410, "fullSyncRequired", "Sync token is no longer valid, a full sync is required.", "syncToken")
    start, end = (datetime.fromisoformat(query[n]) if n in query else None for n in ("timeMin", "timeMax"))
    if start and end and end <= start:
        raise Refusal(400, "timeRangeEmpty", "The specified time range is empty.", domain="calendar")
    events_found = book.overlapping(start, end, single=query.get("singleEvents", False))
    events = [event for event in events_found if _is_wanted(event, query)]
    by_start = query.get("orderBy") == "startTime"
    events.sort(key=lambda event: (book.span(event)[0].timestamp() if by_start else 0, event["updated"]))
    offset, size = _offset(query.get("pageToken")), min(query["maxResults"], _LISTED)
    zone = times.zone(query["timeZone"]) if "timeZone" in query else book.zone
    answer: dict[str, Any] = {
        "kind": "calendar#events",
        "summary": book.summary,
        "timeZone": zone.key,
        "accessRole": book.access_role,
        "updated": times.rfc3339(times.now()),
        "items": [book.shown(event, zone) for event in events[offset : offset + size]],
    }
    if offset + size < len(events):
        answer["nextPageToken"] = f"from-{offset + size}"
    return JSONResponse(answer)


def _is_wanted(event: Event, query: Mapping[str, Any]) -> bool:
    private = (event.get("extendedProperties") or {}).get("private") or {}
    pairs = (pair.partition("=") for pair in query["privateExtendedProperty"])
    text = " ".join(str(event.get(name, "")) for name in ("summary", "description", "location")).casefold()
    return (
        (event["status"] != "cancelled" or query.get("showDeleted", False))
        and all(private.get(name) == value for name, _, value in pairs)
        and (not query["eventTypes"] or event["eventType"] in query["eventTypes"])
        and query.get("q", "").casefold() in text
        and query.get("iCalUID", event["iCalUID"]) == event["iCalUID"]
    )


def _offset(token: str | None) -> int:
    if token is None:
        return 0
    if not token.startswith("from-") or not token[5:].isdigit():
        raise Refusal(400, "invalid", "Invalid page token value.", "pageToken")
    return int(token[5:])


def _get(request: Request, book: CalendarBook, query: dict[str, Any], body: Event) -> Response:
    return JSONResponse(book.shown(book.find(request.path_params["eventId"])))


def _insert(request: Request, book: CalendarBook, query: dict[str, Any], body: Event) -> Response:
    return JSONResponse(book.shown(book.insert(body)))


def _patch(request: Request, book: CalendarBook, query: dict[str, Any], body: Event) -> Response:
    if_match = request.headers.get("if-match")
    return JSONResponse(book.shown(book.change(request.path_params["eventId"], body, if_match, whole=False)))


def _update(request: Request, book: CalendarBook, query: dict[str, Any], body: Event) -> Response:
    if_match = request.headers.get("if-match")
    return JSONResponse(book.shown(book.change(request.path_params["eventId"], body, if_match, whole=True)))


def _delete(request: Request, book: CalendarBook, query: dict[str, Any], body: Event) -> Response:
    book.delete(request.path_params["eventId"], request.headers.get("if-match"))
    return Response(status_code=204)


def main() -> None:
    """Serve until told to stop."""
    from running.listening import listen
    from stand_ins.loopback import serve

    reader = argparse.ArgumentParser(description="A local stand-in for Google Calendar and Google's OAuth server.")
    reader.add_argument("--port", type=int, default=9540)
    reader.add_argument("--zone", default="America/New_York", help="the time zone of its calendars")
    chosen = reader.parse_args()
    serve(GoogleCalendarStandIn(chosen.zone).app, listen(chosen.port, "--port"))


if __name__ == "__main__":
    main()
