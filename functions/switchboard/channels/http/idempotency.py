"""Requests that come twice: the second gets the first one's answer, and nothing is done again.

`Deliveries` know a webhook by its signature and body: Twilio's signature has no time in it, and its idempotency token
is not signed. While the first is still being answered, the second waits for it; once nobody is at it any more, since
its instance has died, the second is answered instead. What begins a turn of a conversation is
kept in that one's record (`conversation/record/deliveries.py`); each of the others has a document of its own.

`Redeliveries` know an action of which nobody says in which conversation it belongs. Whoever names none may count its
calls from 1 in each, and two callers' calls are then the same in everything that is told of them. Only time tells one
that is sent again, which comes at once, from another caller's. It runs from the first one and not by a grid of the
clock, whose edges would part a call from its own repetition.
"""

import asyncio
import hashlib
import json
import logging
import uuid
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from switchboard.contract.call import ToolCall, canonical
from switchboard.contract.document import mapping
from switchboard.contract.error import log_fields
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.strict_json import MalformedJson, parse_json
from switchboard.contract.python.waiting import waiting_for_others
from switchboard.contract.store import (
    AlreadyExists,
    Create,
    Document,
    Missing,
    Set,
    Stale,
    StoreError,
    Unavailable,
    Update,
    Write,
)
from switchboard.conversation.record.deliveries import DELIVERIES, PATIENCE_S, TurnDelivery, TurnShare
from switchboard.conversation.record.turn_lease import LEASE_S, TurnLease

log = logging.getLogger(__name__)

_POLL_S = 0.05
_KEPT = timedelta(days=7)

REDELIVERED_S = 120
"""How long after the first of them an action is taken for the same one, in seconds."""
# Another instance can be first, and its mark be expired and gone by the time it is looked at.
_PLACE_ATTEMPTS = 4


def delivery_key(*parts: str | bytes) -> str:
    """Return the key of a delivery: equal for equal signature and body, whatever stands in them."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8) + raw)
    return digest.hexdigest()[:40]


class Deliveries:
    """Answers each delivery once."""

    def __init__(self, store: Store, clock: Clock, patience_s: float = PATIENCE_S) -> None:
        """Keep answers in `store`, below the business that they belong to.

        Whoever comes again waits `patience_s` seconds for the answer while somebody is at it.
        """
        self._store, self._clock, self._patience_s = store, clock, patience_s

    async def once(self, within: BusinessPaths, key: str, work: Callable[[], Awaitable[str]]) -> str:
        """Return what `work` returns, or what it returned for an earlier delivery of the same key.

        A store that does not answer keeps nobody from being answered: what changes the world is guarded by the ledger.
        So does it where another one takes longer than patience lasts.
        """
        place = _KeptPlace(self._path(within, key))
        try:
            claimed = await self._claim(place)
        except StoreError as error:
            log.warning("a delivery is not recorded", extra=log_fields(error))
            return await work()
        if claimed.answer is not None:
            return claimed.answer
        if claimed.since is None:
            return await work()
        own = _OwnDelivery(self._store, place.path, claimed.at, claimed.since)
        lease = TurnLease(self._clock, lambda _: own.write({"at": self._clock.now()}))
        try:
            answer = await work()
        finally:
            await lease.end()
        try:
            if not await own.write({"answer": answer} | self._times()):
                # This instance stood still, and another one has answered meanwhile.
                row = place.row_of(await self._waited_for(place, await self._store.get(place.path)))
                return _answer(row or {}) or answer
        except StoreError as error:
            log.warning("an answer is not recorded", extra=log_fields(error))
        return answer

    async def once_beside(self, path: str, key: str, work: Callable[[bool], Awaitable[tuple[str, JsonObject]]]) -> str:
        """Do as `once` does, in a document that is written anyway: `work` returns what else is written to it, too.

        It is told whether there was no such document before.

        Raises:
            StoreError: The document could not be written.
        """
        place = _KeptPlace(path, f"d{key}")
        try:
            claimed = await self._claim(place)
        except StoreError as error:
            log.warning("a delivery is not recorded", extra=log_fields(error))
            claimed = _Claimed()
        if claimed.answer is not None:
            return claimed.answer
        answer, fields = await work(claimed.is_new)
        await self._store.commit([place.keeping({"answer": answer} | self._times(), fields)])
        return answer

    def turn(self, within: BusinessPaths, key: str, share: TurnShare | None = None) -> TurnDelivery:
        """Return a delivery that begins a turn, and is kept in the record of its conversation."""
        return TurnDelivery(key, LEASE_S, self._path(within, key), share, self._patience_s)

    async def _claim(self, place: "_KeptPlace") -> "_Claimed":
        """Claim a delivery, unless an earlier one has its answer, or is given it while patience lasts."""
        document: Document | None = None
        for _ in range(_PLACE_ATTEMPTS):
            try:
                times = self._times()
                (result,) = await self._store.commit([place.claiming(times, document)])
                return _Claimed(is_new=document is None, at=times["at"], since=result.update_time)
            except (AlreadyExists, Missing, Stale):
                document = await self._store.get(place.path)
            row = place.row_of(document)
            if row is not None and not self._is_abandoned(row):
                document = await self._waited_for(place, document)
                row = place.row_of(document)
            if row is not None and not self._is_abandoned(row):
                return _Claimed(_answer(row))
        raise Unavailable(f"the place of a delivery keeps changing: {place.path}")

    async def _waited_for(self, place: "_KeptPlace", document: Document | None) -> Document | None:
        """Return the document of a delivery once it is answered, or nobody is at it any more, or patience ends."""
        gives_up = self._clock.monotonic() + self._patience_s
        with waiting_for_others():
            while True:
                row = place.row_of(document)
                if row is None or _answer(row) is not None or self._is_abandoned(row):
                    return document
                if self._clock.monotonic() >= gives_up:
                    return document
                await asyncio.sleep(_POLL_S)
                document = await self._store.get(place.path)

    def _is_abandoned(self, row: Mapping[str, Any]) -> bool:
        at = row.get("at")
        is_old = isinstance(at, datetime) and self._clock.now() - at > timedelta(seconds=LEASE_S)
        return _answer(row) is None and is_old

    def _times(self) -> JsonObject:
        now = self._clock.now()
        return {"at": now, "expireAt": now + _KEPT}

    def _path(self, within: BusinessPaths, key: str) -> str:
        return within.document("tickets", f"delivery:{key}")


@dataclass(frozen=True, slots=True)
class _Claimed:
    """What came of claiming a delivery.

    Attributes:
        answer: What an earlier one was answered; None where there is no answer.
        is_new: Whether there was nothing in its place.
        at: When it was claimed here, as its document says.
        since: As what its document was written then; None where it was not claimed.
    """

    answer: str | None = None
    is_new: bool = False
    at: datetime | None = None
    since: datetime | None = None


class _OwnDelivery:
    """A delivery in a document of its own, which is answered here until somebody else has claimed it."""

    def __init__(self, store: Store, path: str, at: datetime | None, since: datetime) -> None:
        self._store, self._path, self._since = store, path, since
        # Whoever claims it does so seconds later: of what it says, these are this instance's own.
        self._own = {at}

    async def write(self, fields: JsonObject) -> bool:
        """Write to its document; False where somebody else has claimed it by now, or it is gone.

        Raises:
            StoreError: It may or may not be written.
        """
        for _ in range(_PLACE_ATTEMPTS):
            try:
                (result,) = await self._store.commit([Update(self._path, fields, if_update_time=self._since)])
            except Stale:
                # One of its own writes may have got through without an answer.
                document = await self._store.get(self._path)
                if document is None or document.data.get("at") not in self._own:
                    return False
                self._since = document.update_time
            except StoreError:
                self._own.add(fields["at"])
                raise
            else:
                self._own.add(fields["at"])
                self._since = result.update_time
                return True
        return False


@dataclass(frozen=True, slots=True)
class _KeptPlace:
    """Where a delivery is kept: in a document of its own, or under a name beside what else a document holds."""

    path: str
    name: str = ""

    def row_of(self, document: Document | None) -> Mapping[str, Any] | None:
        """Return what is kept of it; None where nothing is."""
        if document is None or not self.name:
            return document.data if document is not None else None
        row = mapping(document.data.get(DELIVERIES)).get(self.name)
        return row if isinstance(row, Mapping) else None

    def claiming(self, fields: JsonObject, document: Document | None) -> Write:
        """Return the write that claims it, which fails where the document is not as it was read."""
        if document is None:
            return Create(self.path, {DELIVERIES: {self.name: fields}, **_expiry(fields)} if self.name else fields)
        if not self.name:
            return Update(self.path, fields, if_update_time=document.update_time)
        changed = {f"{DELIVERIES}.{self.name}": fields, **_expiry(fields)}
        return Update(self.path, changed, if_update_time=document.update_time)

    def keeping(self, fields: JsonObject, others: JsonObject) -> Write:
        """Return the write that keeps its answer beside other fields of the document."""
        return Set(self.path, {**others, DELIVERIES: {self.name: fields}, **_expiry(fields)}, merge=True)


def _answer(row: Mapping[str, Any]) -> str | None:
    answer = row.get("answer")
    return answer if isinstance(answer, str) else None


def _expiry(fields: JsonObject) -> JsonObject:
    return {"expireAt": fields["expireAt"]}


class Redeliveries:
    """Knows what came a moment ago, on whichever instance."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Keep in `store` when each first came, below the business that it belongs to."""
        self._store, self._paths, self._clock = store, paths, clock

    async def place(self, business_id: str, key: str, within_s: float = REDELIVERED_S) -> str:
        """Return 32 hex digits: the same for what comes again within `within_s` seconds of the first, else new ones.

        Args:
            business_id: Whose it is.
            key: Everything that is told of it, such as `action_key` makes.
            within_s: Seconds.

        Raises:
            StoreError: Nobody knows whether it came before, so it must not be done.
        """
        path = self._paths.within(business_id).document("tickets", f"first:{key}")
        now, within = self._clock.now(), timedelta(seconds=within_s)
        mine = {"place": uuid.uuid4().hex, "at": now, "expireAt": now + within}
        write: Write = Create(path, mine)
        for _ in range(_PLACE_ATTEMPTS):
            try:
                await self._store.commit([write])
            except (AlreadyExists, Missing, Stale):
                mark = await self._store.get(path)
            else:
                return str(mine["place"])
            earlier = _place_of(mark, now, within)
            if earlier is not None:
                return earlier
            write = Create(path, mine) if mark is None else Update(path, mine, if_update_time=mark.update_time)
        raise Unavailable(f"the mark of a delivery keeps changing: {path}")


def _place_of(mark: Document | None, now: datetime, within: timedelta) -> str | None:
    """Return what a mark says, as long as it counts; the clock of whoever wrote it may be ahead of ours."""
    if mark is None:
        return None
    at, place = mark.data.get("at"), mark.data.get("place")
    counts = isinstance(at, datetime) and abs(now - at) < within
    return place if counts and isinstance(place, str) else None


def action_key(call: ToolCall, *details: str) -> str:
    """Return the key of an action: its tool, its arguments however they are spelt, and what else is told of it."""
    return delivery_key(call.name, _spelling(call.arguments), *details)


def _spelling(arguments: Any) -> str:
    try:
        document = parse_json(arguments) if isinstance(arguments, str) else arguments
    except MalformedJson:
        # It is refused, whenever it comes.
        document = arguments
    return canonical(document) if isinstance(document, Mapping) else json.dumps(document, sort_keys=True)
