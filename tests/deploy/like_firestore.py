"""A pytest plugin: stores refuse what production would and neither the emulator nor memory does.

Whatever our code asks of a store, in any test, must have its index in firestore.indexes.json, and whatever it writes
with a time at which it expires must lie where a TTL policy deletes it. A test in which that fails, fails.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from switchboard.contract.store import Create, Query, Set, Write
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.memory.store import MemoryStore
from tests.architecture.house import FUNCTIONS, ROOT
from tests.deploy.index_need import declared, missing_for

_OURS, _STATE = ROOT / FUNCTIONS / "switchboard", ROOT / FUNCTIONS / "switchboard" / "state"


@pytest.fixture(scope="session")
def refused_by_firestore() -> Iterator[list[str]]:
    """What production would have refused, or kept for ever; emptied by whoever looks."""
    refused: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        for store in (MemoryStore, FirestoreStore):
            for method, judge in (("query", _lacking), ("count", _lacking), ("commit", _unending)):
                patch.setattr(store, method, _watched(getattr(store, method), judge, refused))
        yield refused


@pytest.fixture(autouse=True)
def as_firestore_would(refused_by_firestore: list[str]) -> Iterator[None]:
    """Fail a test in which our code did what production refuses."""
    refused_by_firestore.clear()
    yield
    assert refused_by_firestore == []


def _watched(inner: Any, judge: Any, refused: list[str]) -> Any:
    async def method(self: Any, asked: Any) -> Any:
        told = judge(asked)
        if told and (asker := _asker()):
            refused.append(f"{asker}: {told}")
        return await inner(self, asked)

    return method


def _lacking(query: Query) -> str | None:
    missing = missing_for(query)
    return f"firestore.indexes.json lacks the {missing}" if missing else None


def _unending(writes: Sequence[Write]) -> str | None:
    kept = {
        write.path.split("/")[-2]
        for write in writes
        if isinstance(write, Create | Set)
        and isinstance(write.data, Mapping)
        and write.data.get("expireAt") is not None
    }
    return f"no TTL policy for {', '.join(sorted(kept - expiring()))}" if kept - expiring() else None


@cache
def expiring() -> frozenset[str]:
    """Return the collections whose documents Firestore deletes after their `expireAt`."""
    return frozenset(o.collection for o in declared()[1] if o.is_ttl and o.name == "expireAt")


def _asker() -> str | None:
    """Return the place in our code that asks, or None where a test does so itself."""
    frame = sys._getframe(2)
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(_OURS) and not path.is_relative_to(_STATE):
            return f"{path.relative_to(ROOT).as_posix()}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return None
