"""What of OData a request for events may say here, and how its answer looks then."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from stand_ins import microsoft_graph_times as times
from stand_ins.microsoft_graph_events import PROPERTIES, Event, etag_of
from stand_ins.microsoft_graph_refusal import invalid

_MARKED = re.compile(r"singleValueExtendedProperties/Any\(ep: ep/id eq '([^']+)' and ep/value eq '([^']*)'\)")
_EXPANDED = re.compile(r"singleValueExtendedProperties\(\$filter=(id eq '[^']+'(?: or id eq '[^']+')*)\)")
_ID = re.compile(r"id eq '([^']+)'")
_PREFERENCE = re.compile(r'outlook\.([a-z-]+)="([^"]*)"')
_KNOWN = frozenset({"$select", "$expand", "$top", "$skip", "$filter", "$orderby", "startDateTime", "endDateTime"})
_GREATEST_PAGE = 1_000


@dataclass(frozen=True)
class Wanted:
    """What a request wants to see.

    Attributes:
        select: Which properties; all where it is empty.
        marks: Which extended properties.
        marked: The one property and value by which events are looked for, if any.
        zone: In which zone times are told.
        is_text: Whether bodies are told as text.
    """

    select: frozenset[str]
    marks: frozenset[str]
    marked: tuple[str, str] | None
    zone: str
    is_text: bool
    top: int
    skip: int

    def shown(self, event: Mapping[str, Any]) -> Event:
        """Return an event as the answer shows it."""
        by_name = {name: event.get(name) for name in PROPERTIES - {"singleValueExtendedProperties", "start", "end"}}
        is_all_day = event["isAllDay"]
        for name in ("start", "end"):
            by_name[name] = times.shown(event[name], self.zone, is_all_day=is_all_day)
        by_name["location"] = event.get("location") or {"displayName": ""}
        by_name["attendees"] = event.get("attendees") or []
        by_name["body"] = self._body(event.get("body") or {})
        if self.select:
            by_name = {name: value for name, value in by_name.items() if name in self.select | {"id"}}
        rows = [row for row in event.get("singleValueExtendedProperties", ()) if row["id"] in self.marks]
        if rows:
            by_name["singleValueExtendedProperties"] = rows
        return {"@odata.etag": etag_of(event), **by_name}

    def _body(self, body: Mapping[str, Any]) -> dict[str, str]:
        # Whatever came in, Exchange's own lines go out.
        text = str(body.get("content") or "").replace("\r\n", "\n").replace("\n", "\r\n")
        if self.is_text:
            return {"contentType": "text", "content": f"{text}\r\n" if text else ""}
        return {"contentType": "html", "content": f"<html><body>{text}</body></html>"}


def read(request: Request) -> Wanted:
    """Return what a request wants to see.

    Raises:
        Refusal: 400, it says something that cannot be followed here.
    """
    query = request.query_params
    if unknown := query.keys() - _KNOWN:
        raise invalid(f"The query option {min(unknown)!r} is not known.", "BadRequest")
    select = frozenset(filter(None, query.get("$select", "").split(",")))
    if not select <= PROPERTIES:
        raise invalid(f"Could not find a property named {min(select - PROPERTIES)!r}.", "BadRequest")
    expand, marked = query.get("$expand"), query.get("$filter")
    marks, mark = _EXPANDED.fullmatch(expand or ""), _MARKED.fullmatch(marked or "")
    if (expand and not marks) or (marked and not mark):
        raise invalid("Parsing OData Select and Expand or Filter failed.", "BadRequest")
    if query.get("$orderby", "start/dateTime") != "start/dateTime":
        raise invalid("This stand-in orders by start/dateTime only.", "BadRequest")
    top, skip = query.get("$top", "10"), query.get("$skip", "0")
    if not top.isdigit() or not skip.isdigit() or not 1 <= int(top) <= _GREATEST_PAGE:
        raise invalid(f"$top is 1 to {_GREATEST_PAGE}.", "ErrorInvalidQueryOption")
    preferred = dict(_PREFERENCE.findall(request.headers.get("prefer", "")))
    zone = preferred.get("timezone", "UTC")
    times.zone(zone)
    return Wanted(
        select,
        frozenset(_ID.findall(marks[1])) if marks else frozenset(),
        (mark[1], mark[2]) if mark else None,
        zone,
        preferred.get("body-content-type") == "text",
        int(top),
        int(skip),
    )
