"""A stand-in for Microsoft Graph's calendars and Microsoft's accounts, for tests and for trying things out.

It serves one account with three calendars. Besides Microsoft's paths it has its own:

- `POST /_stand_in/faults` `{method, mode, times, seconds}`: the next `times` requests to a method (`events.create`,
  `calendarView`, `token`, ..., or `*`) go wrong; `DELETE` ends all faults.
- `GET /_stand_in/requests`: what was asked, without secrets; `DELETE` empties it.
- `GET /_stand_in/events`: every event of every calendar; `POST` enters one as a person does.
- `POST /_stand_in/grants` `{scopes}`: a refresh token, as if the account had consented; `DELETE` takes all back.

As a program: `python -m stand_ins.microsoft_graph --port 9541`, in `scripts/`. It listens on 127.0.0.1 alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from stand_ins import microsoft_graph_query as query
from stand_ins import microsoft_graph_times as times
from stand_ins.faults import refused
from stand_ins.microsoft_graph_accounts import LIFETIME_S, Accounts
from stand_ins.microsoft_graph_events import CalendarFolder, Event
from stand_ins.microsoft_graph_faults import Faults
from stand_ins.microsoft_graph_refusal import NO_ACCESS, NOT_FOUND, Refusal, invalid

CLIENT_ID, CLIENT_SECRET = "stand-in-client", "stand-in-secret"
ACCOUNT = "owner@example.com"
TEAM, HOLIDAYS = "AAMkADteam==", "AAMkADholidays=="
_LONGEST_VIEW_DAYS = 1825
_READS = frozenset({"Calendars.Read", "Calendars.ReadWrite"})
_WRITES = frozenset({"Calendars.ReadWrite"})

Act = Callable[[Request, CalendarFolder], Awaitable[Response]]


class MicrosoftGraphStandIn:
    """One Microsoft account, its calendars and consents, and the app that serves them."""

    def __init__(self, token_lifetime_s: int = LIFETIME_S) -> None:
        self.accounts = Accounts({CLIENT_ID: CLIENT_SECRET}, token_lifetime_s)
        self.faults = Faults()
        own = CalendarFolder("AAMkADcalendar==", "Calendar", is_default=True)
        others = (CalendarFolder(TEAM, "Team"), CalendarFolder(HOLIDAYS, "Holidays", can_edit=False))
        self.folders = {folder.id: folder for folder in (own, *others)}
        methods: dict[tuple[str, str], tuple[str, Act]] = {
            ("events", "GET"): ("events.list", _list),
            ("events", "POST"): ("events.create", _create),
            ("events/{event_id}", "GET"): ("events.get", _get),
            ("events/{event_id}", "PATCH"): ("events.update", _update),
            ("events/{event_id}", "DELETE"): ("events.delete", _delete),
            ("calendarView", "GET"): ("calendarView", _view),
        }
        routes = [
            self._route(f"/v1.0/me/{place}/{path}", name, self._of_folder(act), http_method)
            for (path, http_method), (name, act) in methods.items()
            for place in ("calendar", "calendars/{calendar_id}")
        ]
        own_path, path = "/v1.0/me/calendar", "/v1.0/me/calendars/{calendar_id}"
        routes += [self._route(place, "calendars.get", self._of_folder(_calendar), "GET") for place in (own_path, path)]
        routes += [
            self._route("/v1.0/me/calendars", "calendars.list", self._calendars, "GET"),
            self._plain("/common/oauth2/v2.0/authorize", "authorize", self.accounts.authorize, ["GET", "POST"]),
            self._plain("/common/oauth2/v2.0/token", "token", self.accounts.token, ["POST"]),
            Route("/_stand_in/faults", self._set_fault, methods=["POST", "DELETE"]),
            Route("/_stand_in/requests", self._requests, methods=["GET", "DELETE"]),
            Route("/_stand_in/events", self._events, methods=["GET", "POST"]),
            Route("/_stand_in/grants", self._grants, methods=["POST", "DELETE"]),
            Route("/healthz", lambda _: JSONResponse({"ok": True}), methods=["GET"]),
        ]
        self.app = Starlette(routes=routes, exception_handlers={Refusal: refused})

    def folder(self, id: str = "") -> CalendarFolder:
        """Return a calendar; the account's own where none is named.

        Raises:
            Refusal: 404.
        """
        folder_found = self.folders.get(id) if id else next(iter(self.folders.values()))
        if folder_found is None:
            raise NOT_FOUND
        return folder_found

    def _route(self, path: str, name: str, act: Callable[[Request], Awaitable[Response]], method: str) -> Route:
        async def checked(request: Request) -> Response:
            scopes = self.accounts.scopes_of(request.headers.get("authorization"))
            if scopes.isdisjoint(_READS if method == "GET" else _WRITES):
                raise NO_ACCESS
            return await act(request)

        return self._plain(path, name, checked, [method])

    def _plain(self, path: str, name: str, act: Callable[[Request], Awaitable[Response]], methods: list[str]) -> Route:
        async def endpoint(request: Request) -> Response:
            async def answered() -> Response:
                try:
                    return await act(request)
                except Refusal as refusal:
                    return refusal.answer()

            return await self.faults.answer(name, request, answered)

        return Route(path, endpoint, methods=methods)

    def _of_folder(self, act: Act) -> Callable[[Request], Awaitable[Response]]:
        async def of_folder(request: Request) -> Response:
            folder = self.folder(request.path_params.get("calendar_id", ""))
            if request.method != "GET" and not folder.can_edit:
                raise NO_ACCESS
            return await act(request, folder)

        return of_folder

    async def _calendars(self, request: Request) -> Response:
        return JSONResponse({"value": [_row(folder) for folder in self.folders.values()]})

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
        selection = query.read(request)
        if request.method == "POST":
            event = self.folder().create(await _body(request), by_person=True)
            return JSONResponse(selection.shown(event), 201)
        return JSONResponse({f.id: [selection.shown(e) for e in f.events.values()] for f in self.folders.values()})

    async def _grants(self, request: Request) -> Response:
        if request.method == "DELETE":
            self.accounts.revoke_all()
            return JSONResponse({})
        scopes = frozenset((await request.json())["scopes"])
        return JSONResponse({"refreshToken": self.accounts.grant(scopes, CLIENT_ID), "scopes": sorted(scopes)})


def _row(folder: CalendarFolder) -> dict[str, Any]:
    row = {"id": folder.id, "name": folder.name, "canEdit": folder.can_edit}
    return row | {"isDefaultCalendar": folder.is_default}


async def _calendar(request: Request, folder: CalendarFolder) -> Response:
    return JSONResponse(_row(folder))


async def _list(request: Request, folder: CalendarFolder) -> Response:
    selection = query.read(request)
    events = folder.marked(*selection.marked) if selection.marked else list(folder.events.values())
    return _page(request, selection, events)


async def _view(request: Request, folder: CalendarFolder) -> Response:
    selection = query.read(request)
    start, end = (times.bound(request.query_params.get(name), name) for name in ("startDateTime", "endDateTime"))
    if end < start or (end - start).days > _LONGEST_VIEW_DAYS:
        raise invalid("The requested time window is empty, or longer than 1825 days.", "ErrorCalendarViewRangeTooBig")
    return _page(request, selection, folder.view(start, end))


def _page(request: Request, selection: query.Wanted, events: list[Event]) -> Response:
    until = selection.skip + selection.top
    answer: dict[str, Any] = {"value": [selection.shown(event) for event in events[selection.skip : until]]}
    if until < len(events):
        answer["@odata.nextLink"] = str(request.url.include_query_params(**{"$skip": until}))
    return JSONResponse(answer)


async def _get(request: Request, folder: CalendarFolder) -> Response:
    return JSONResponse(query.read(request).shown(folder.find(_id(request))))


async def _create(request: Request, folder: CalendarFolder) -> Response:
    return JSONResponse(query.read(request).shown(folder.create(await _body(request))), 201)


async def _update(request: Request, folder: CalendarFolder) -> Response:
    event = folder.change(_id(request), await _body(request), request.headers.get("if-match"))
    return JSONResponse(query.read(request).shown(event))


async def _delete(request: Request, folder: CalendarFolder) -> Response:
    folder.delete(_id(request), request.headers.get("if-match"))
    return Response(status_code=204)


def _id(request: Request) -> str:
    id: str = request.path_params["event_id"]
    if not id.startswith("AAMk"):
        raise invalid("Id is malformed.", "ErrorInvalidIdMalformed")
    return id


async def _body(request: Request) -> Event:
    try:
        parsed = orjson.loads(await request.body())
    except orjson.JSONDecodeError:
        parsed = None
    if not isinstance(parsed, dict):
        raise invalid("The body is no JSON object.", "RequestBodyRead")
    return parsed


def main() -> None:
    """Serve until told to stop."""
    from running.listening import listen
    from stand_ins.loopback import serve

    reader = argparse.ArgumentParser(description="A local stand-in for Microsoft Graph and Microsoft's accounts.")
    reader.add_argument("--port", type=int, default=9541)
    serve(MicrosoftGraphStandIn().app, listen(reader.parse_args().port, "--port"))


if __name__ == "__main__":
    main()
