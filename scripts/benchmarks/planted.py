"""A business over planted tools: one look-up, under as many names as a figure wants, as RESULTS.md measured it."""

from __future__ import annotations

import os
from typing import Any

from benchmarks.counting_store import CountingStore
from switchboard.app.clients import SystemClock
from switchboard.catalog.definitions.definitions import Definitions
from switchboard.catalog.definitions.registry import BuiltTool, Registry
from switchboard.catalog.definitions.signature import read_signature
from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.tenant_tools.sessions import SessionLocks
from switchboard.contract.context import CallContext
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.ports import Store
from switchboard.contract.response import Result
from switchboard.contract.store import Set
from switchboard.pipeline.dispatcher import Dispatcher
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.state.paths import FirestorePaths

BUSINESS = "salon"
PATHS = FirestorePaths()
FOUND = {
    "appointments": [{"id": "apt_1", "start": "2026-05-04T09:30:00+02:00", "service": "Haircut", "staff": "Ana"}],
    "count": 1,
}
_APPOINTMENT = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("id", "start", "service", "staff")},
    "required": ["id", "start"],
}
DOCUMENT: dict[str, Any] = {
    "category": "general",
    "kind": "retrieval",
    "description": "Look up a customer's appointments.",
    "requires": [],
    "parameters": {
        "type": "object",
        "properties": {
            "customer_phone": {"type": "string", "description": "The customer's phone number in E.164."},
            "date": {"type": ["string", "null"], "default": None, "description": "Day to look at, YYYY-MM-DD."},
            "limit": {"type": "integer", "default": 5, "description": "Most appointments to return."},
        },
        "required": ["customer_phone"],
        "additionalProperties": False,
    },
    "returns": {
        "type": "object",
        "properties": {
            "appointments": {"type": "array", "items": _APPOINTMENT},
            "count": {"type": "integer", "minimum": 0},
        },
        "required": ["appointments", "count"],
    },
}


NOTE: dict[str, Any] = {
    "category": "general",
    "kind": "action",
    "description": "Note something down.",
    "requires": [],
    "parameters": {
        "type": "object",
        "properties": {"entry": {"type": "string", "description": "What to note."}},
        "required": ["entry"],
        "additionalProperties": False,
    },
    "returns": {"type": "object", "properties": {"noted": {"type": "boolean"}}, "required": ["noted"]},
}
NOTES = "SWITCHBOARD_BENCH_NOTES"
"""Names in the environment the file that notes go to."""


async def note(ctx: CallContext, desk: Any, *, entry: str) -> Result:
    """Add one line to the file, whole or not at all: an effect that anybody can count."""
    place = os.open(os.environ[NOTES], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(place, f"{entry}\n".encode())
    finally:
        os.close(place)
    return Result({"noted": True}, receipt={"what": "note"})


async def look_up(
    ctx: CallContext, desk: Any, *, customer_phone: str, date: str | None = None, limit: int = 5
) -> Result:
    """Look up a customer's appointments."""
    return Result(FOUND)


def is_kept(name: str) -> bool:
    """Whether a tool is offered: about three of four are."""
    return not name.endswith(("1", "5", "9"))


class Instance:
    """One running instance over a store that holds the business and `tools` definitions, one of four not offered."""

    def __init__(self, store: Store, tools: int) -> None:
        signature, problems = read_signature(look_up)
        assert not problems, problems
        self.documents = {
            name: DOCUMENT | {"requires": [] if is_kept(name) else ["feature:absent"]}
            for name in (f"tool_{number:04}" for number in range(tools))
        }
        built = {
            name: BuiltTool(read_definition(name, document), "", "", {}, signature, f"{__name__}:{look_up.__name__}")
            for name, document in self.documents.items()
        }
        clock = SystemClock()
        self.store = CountingStore(store)
        self.definitions = Definitions(self.store, PATHS, Registry("1.0.00000000", built), clock)
        sessions = SessionLocks(self.store, PATHS, self.definitions, clock)
        self.catalog = Catalog(self.store, PATHS, self.definitions, sessions, clock)
        self.dispatcher = Dispatcher(self.catalog, Ledger(self.store, PATHS), None, PATHS, clock)

    async def furnish(self) -> None:
        """Write down the business and the definitions, so that what is offered comes from the store."""
        writes = [Set(PATHS.within(BUSINESS).business, {"name": "Salon", "timezone": "Europe/Vienna"})]
        writes += [Set(PATHS.definition(name), document) for name, document in self.documents.items()]
        await self.store.commit(writes)
