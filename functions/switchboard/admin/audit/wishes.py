"""An owner's wish to make something, as `Idempotency-Key` names it: noted in the very commit that fulfils it.

So it is fulfilled once however often it is told, by however many at once, and also where the answer was lost: whoever
tells it again learns what it has made. The note holds no word of what was made, which is read where it stands.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from datetime import datetime, timedelta
from typing import Final

from switchboard.admin.access.access import Permit
from switchboard.admin.documents.difference import canonical
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import SERVER_TIME, Create

LONGEST: Final = 200
"""So many characters may a key have."""
KEPT: Final = timedelta(days=7)
"""A wish is known again for so long; who told it and has no answer asks again within minutes, machines within days."""
_USED = "This Idempotency-Key was already used for something else, so nothing was done. Send a new key."


@dataclass(slots=True)
class Wish:
    """A wish under way.

    Attributes:
        path: Where its note is, or will be.
        what: A digest of what is wished.
        is_noted: Whether it has been written down.
    """

    path: str
    what: str
    is_noted: bool = field(default=False)


@dataclass(frozen=True, slots=True)
class Fulfilled:
    """What a wish has made: the id of that, and of the audit's entry that tells of it."""

    made: str
    entry_id: str


_UNDER_WAY: ContextVar[Wish | None] = ContextVar("wish_under_way", default=None)


@contextmanager
def wishing(wish: Wish) -> Iterator[None]:
    """Have what is made within noted under a wish."""
    token = _UNDER_WAY.set(wish)
    try:
        yield
    finally:
        _UNDER_WAY.reset(token)


def note_of_wish(entry: Create, now: datetime, made: str = "") -> tuple[Create, ...]:
    """Return the note of the wish that is being fulfilled, for the commit that leaves an entry.

    It says that `made`, else the document that the entry tells of, was made. There is none without a wish, and of one
    that is noted already: what else its request does is no other wish.
    """
    wish = _UNDER_WAY.get()
    if wish is None or wish.is_noted:
        return ()
    entry_id = entry.path.rpartition("/")[2]
    told: JsonObject = {"what": wish.what, "made": made or entry.data["document"], "entryId": entry_id}
    return (Create(wish.path, {**told, "at": SERVER_TIME, "expireAt": now + KEPT}),)


def wish_noted() -> None:
    """Say that the commit was made that a note was for."""
    wish = _UNDER_WAY.get()
    if wish is not None:
        wish.is_noted = True


class Wishes:
    """Knows which wishes were fulfilled. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths) -> None:
        self._store, self._paths = store, paths

    def of(self, permit: Permit, key: str, place: object, body: object) -> Wish:
        """Return the wish that somebody names by a key: theirs alone, for what they ask at one place."""
        name = f"wish:{_digest([permit.identity.id, place, key])}"
        return Wish(self._paths.within(permit.business_id).document("tickets", name), _digest(body))

    async def fulfilled(self, wish: Wish) -> Fulfilled | None:
        """Return what a wish has made; None where it was not fulfilled.

        Raises:
            ToolError: CONFLICT, its key was used for something else.
        """
        note = await self._store.get(wish.path)
        if note is None:
            return None
        if note.data.get("what") != wish.what:
            raise ToolError(ErrorType.CONFLICT, _USED)
        return Fulfilled(str(note.data.get("made")), str(note.data.get("entryId")))


def _digest(value: object) -> str:
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()[:40]
