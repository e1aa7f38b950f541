"""Sessions and their ledgers as owners look at them: each call with what became of it, and what was really done."""

import json
from collections.abc import Mapping
from typing import Any

from switchboard.admin.access.known_business import known_business
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.api.paging import Page, Slice, sliced
from switchboard.contract.caller.caller_identity import read_standing
from switchboard.contract.document import mapping, text
from switchboard.contract.error import ToolError, is_failure
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import Document, Filter, Order, Query
from switchboard.desk.contact.phone import to_e164
from switchboard.pipeline.ledger.row import CallRow


class SessionRecords:
    """The sessions of every business. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths) -> None:
        self._store, self._paths = store, paths

    async def listed(self, business_id: str, page: Page, caller: str | None = None) -> Slice[JsonObject]:
        """Return a page of sessions, the newest first; with `caller`, of those whose calls showed that number.

        Args:
            business_id: Whose.
            page: Which page.
            caller: A number in E.164, as `number_of` reads it.
        """
        within = self._paths.within(business_id)
        filters = (Filter("callerPhone", "==", caller),) if caller else ()
        query = Query(within.collection("sessions"), filters, (Order("startedAt", descending=True),))
        part = await sliced(self._store, query, page)
        return Slice([_session(document) for document in part.items], part.next_cursor)

    async def number_of(self, business_id: str, text: str) -> str:
        """Return a number in E.164, from any spelling that can be dialled where a business is.

        Raises:
            NotValid: It is no number.
            NotFound: There is no such business.
        """
        business = await known_business(self._store, self._paths.within(business_id))
        try:
            return to_e164(text, business)
        except ToolError as error:
            raise NotValid([EntryProblem("caller", f"caller: {error.message}")]) from None

    async def read(self, business_id: str, session_id: str) -> JsonObject:
        """Return one session, with its receipts.

        Raises:
            NotFound: There is none of that id.
        """
        document = await self._document(business_id, session_id)
        return _session(document) | {"receiptList": _receipts(document)}

    async def receipts(self, business_id: str, session_id: str) -> list[JsonObject]:
        """Return what was done in a session, in order; nothing for a session in which no tool was called."""
        document = await self._store.get(self._paths.within(business_id).document("sessions", session_id))
        return _receipts(document) if document is not None else []

    async def calls(self, business_id: str, session_id: str, page: Page) -> Slice[JsonObject]:
        """Return a page of a session's ledger, in order; `explain` tells more of each call."""
        within = self._paths.within(business_id)
        part = await sliced(self._store, Query(within.calls(session_id), order=(Order("startedAt"),)), page)
        return Slice([_call(document) for document in part.items], part.next_cursor)

    async def _document(self, business_id: str, session_id: str) -> Document:
        document = await self._store.get(self._paths.within(business_id).document("sessions", session_id))
        if document is None:
            raise NotFound("There is no session of that id.")
        return document


def _session(document: Document) -> JsonObject:
    data, standing = document.data, read_standing(document)
    turns = data.get("turns")
    return {
        "id": document.id,
        "channel": data.get("channel"),
        "callerPhone": data.get("callerPhone"),
        "startedAt": data.get("startedAt"),
        "changedAt": document.update_time,
        # The last few only: older turns leave the window.
        "turnsKept": sorted(int(n) for n in turns if n.isdigit()) if isinstance(turns, Mapping) else [],
        "verification": None if standing is None else {"level": standing.level, "at": standing.at},
        "receipts": len(_receipts(document)),
    }


def _receipts(document: Document) -> list[JsonObject]:
    value = document.data.get("receipts")
    rows = [dict(row) for row in value.values() if isinstance(row, Mapping)] if isinstance(value, Mapping) else []
    return sorted(rows, key=lambda row: str(row.get("at")))


def _call(document: Document) -> JsonObject:
    """Return a call as it stands in a list; what cannot be read in it reads as if it were not there."""
    data, row = document.data, CallRow(document)
    started, finished = row.started_at, row.finished_at
    answer = _answer(data.get("response"))
    meta, error = mapping(answer.get("meta")), mapping(answer.get("error"))
    took: float | None = (finished - started).total_seconds() * 1000 if started and finished else None
    elapsed_ms, ok = meta.get("elapsedMs"), answer.get("ok")
    return {
        "id": row.named("callId"),
        "tool": row.tool or None,
        "kind": row.tool_kind or None,
        "channel": text(data.get("channel")) or None,
        "turn": row.turn if "turn" in data else None,
        "state": row.state,
        "startedAt": started,
        "finishedAt": finished,
        "elapsedMs": elapsed_ms if isinstance(elapsed_ms, int | float) else took,
        "ok": ok if isinstance(ok, bool) else None,
        "error": text(error.get("type")) or None,
        "isFailure": is_failed_row(data),
        "message": text(error.get("message")) or None,
        "hasReceipt": bool(meta.get("receipt")),
    }


def is_failed_row(data: Mapping[str, Any]) -> bool:
    """Tell whether a call, as it stands in the ledger, failed; a no that is an answer is none."""
    error, state = _answer(data.get("response")).get("error"), data.get("state")
    type = error.get("type") if isinstance(error, Mapping) else None
    if type is None:
        return state in ("failed", "unknown")
    return is_failure(str(type), was_refused=state == "refused", is_unknown=state == "unknown")


def _answer(text: Any) -> JsonObject:
    try:
        parsed = json.loads(text) if isinstance(text, str) else {}
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}
