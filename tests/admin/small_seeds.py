"""A small folder of seeds to push, and stores that are watched and that stop in the middle."""

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Store
from switchboard.contract.store import Document, Query, Write, WriteResult
from switchboard.state.paths import FirestorePaths

# A Saturday evening; the salon opens again on Tuesday.
NOW = datetime(2026, 11, 21, 23, 0, tzinfo=UTC)
PATHS = FirestorePaths()
BUSINESS: JsonObject = {
    "name": "Corner Salon",
    "timezone": "America/New_York",
    "ai": {"tone": "warm", "language": "en"},
    "services": [{"name": "Haircut", "durationMinutes": 30}, {"name": "Color", "durationMinutes": 90}],
    "workingHours": {day: {"open": "09:00", "close": "18:00"} for day in ("tuesday", "wednesday", "thursday")},
    "integrations": {"builtinCalendar": {"isConnected": True}},
}
COLLECTIONS: JsonObject = {
    "policies": {"deposits": {"topic": "deposits", "content": "None."}},
    "faqs": {"parking": {"topic": "parking", "question": "Where?", "answer": "Behind the house.", "tags": ["parking"]}},
    "knowledge": {"team": {"title": "The team", "content": "Rosa and Devon."}},
    "callers": {"anna": {"name": "Anna", "phone": "+15185550161"}},
    "bookings": {"cut": {"days": 1, "at": "09:30", "service": "Haircut", "caller": "anna"}},
}


def definition(name: str, description: str = "Does something.", **more: Any) -> JsonObject:
    """Return a definition as seeds/tools holds it."""
    parameters = {"type": "object", "properties": {"topic": {"type": "string"}}}
    return {"name": name, "category": "general", "description": description, "parameters": parameters, **more}


def write_json(path: Path, value: Any) -> Path:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1))
    return path


def write_tools(folder: Path, *definitions: JsonObject) -> None:
    """Make these the folder's only definitions."""
    for old in (folder / "tools").glob("*.json"):
        old.unlink()
    for one in definitions:
        write_json(folder / "tools" / f"{one['name']}.json", one)


def write_seeds(folder: Path, business_id: str = "salon") -> Path:
    """Write a whole small folder of seeds: two tools, one template, one business."""
    write_tools(folder, definition("end_call"), definition("get_policies"))
    (folder / "prompts").mkdir(parents=True, exist_ok=True)
    (folder / "prompts" / "system.md").write_text("You are Echo of {{business.name}}.\n")
    write_business(folder, business_id)
    return folder


def write_business(folder: Path, business_id: str = "salon", **changes: Any) -> None:
    """Write a business's files; `business` changes fields of its document, other names replace whole files."""
    own = folder / "businesses" / business_id
    write_json(own / "business.json", BUSINESS | changes.pop("business", {}))
    for name, documents in (COLLECTIONS | changes).items():
        write_json(own / f"{name}.json", documents)


async def all_documents(store: Store, *collections: str) -> dict[str, JsonObject]:
    """Return every document of some collections, by path."""
    return {d.path: d.data for name in collections for d in await store.query(Query(name))}


class Killed(Exception):
    """Stands for the end of the process."""


async def look_away() -> None:
    """Watch nothing."""


class WatchedStore:
    """A store whose commits are counted, shown to a watcher, and can be stopped before or after one of them.

    Attributes:
        commits: How many were asked for.
        writes: What was written, in order.
        kill_at: The number of the commit at which it stops, counted from 1.
        kill_after: Whether that commit is still done.
        failure: What it stops with.
        watch: Is awaited before and after every commit.
    """

    def __init__(self, inner: Store) -> None:
        self.inner = inner
        self.commits = 0
        self.writes: list[Write] = []
        self.kill_at = 0
        self.kill_after = False
        self.failure: Callable[[], Exception] = Killed
        self.watch: Callable[[], Awaitable[None]] = look_away

    async def get(self, path: str) -> Document | None:
        return await self.inner.get(path)

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        return await self.inner.get_many(paths)

    async def query(self, query: Query) -> list[Document]:
        return await self.inner.query(query)

    async def count(self, query: Query) -> int:
        return await self.inner.count(query)

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        self.commits += 1
        await self.watch()
        if self.commits == self.kill_at and not self.kill_after:
            raise self.failure()
        results = await self.inner.commit(writes)
        self.writes += writes
        await self.watch()
        if self.commits == self.kill_at:
            raise self.failure()
        return results

    async def close(self) -> None:
        await self.inner.close()


def written(writes: Iterable[Write]) -> list[str]:
    """Return the paths of writes."""
    return [write.path for write in writes]
