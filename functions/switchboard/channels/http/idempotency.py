"""Requests that come twice: the second gets the first one's answer, and nothing is done again.

`Deliveries` know a webhook by its signature and body: Twilio's signature has no time in it, and its idempotency token
is not signed. While the first is still being answered, the second waits for it.

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

from switchboard.catalog.arguments.strict_json import MalformedJson, parse_json
from switchboard.channels.stranger_shares import CountedShare
from switchboard.contract.call import ToolCall, canonical
from switchboard.contract.error import Refused, log_fields
from switchboard.contract.ports import BusinessPaths, Clock, Paths, Store
from switchboard.contract.store import (
    AlreadyExists,
    Create,
    Delete,
    Document,
    Missing,
    Set,
    Stale,
    StoreError,
    Unavailable,
    Update,
    Write,
)

log = logging.getLogger(__name__)

# An answer that takes longer than Twilio waits is nobody's answer any more.
LEASE_S = 15.0
_POLL_S = 0.05
_KEPT = timedelta(days=7)
_ATTEMPTS = 3

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

    def __init__(self, store: Store, clock: Clock, lease_s: float = LEASE_S) -> None:
        """Keep answers in `store`, below the business that they belong to.

        A delivery that has had no answer for `lease_s` seconds was left by an instance that died.
        """
        self._store, self._clock, self._lease_s = store, clock, lease_s

    async def once(
        self, within: BusinessPaths, key: str, work: Callable[[], Awaitable[str]], share: CountedShare | None = None
    ) -> str:
        """Return what `work` returns, or what it returned for an earlier delivery of the same key.

        A `share` is counted in the commit that claims the delivery; one that comes again costs nothing more.

        A store that does not answer keeps nobody from being answered: what changes the world is guarded by the ledger.

        Raises:
            Refused: The share is used up; nothing was done, and the same delivery may come again later.
        """
        path = within.document("tickets", f"delivery:{key}")
        try:
            earlier = await self._claim(path, share)
        except StoreError as error:
            log.warning("a delivery is not recorded", extra=log_fields(error))
            return await work()
        if earlier is not None:
            return earlier
        answer = await work()
        try:
            fields = {"answer": answer, "at": self._clock.now(), "expireAt": self._clock.now() + _KEPT}
            await self._store.commit([Set(path, fields)])
        except StoreError as error:
            log.warning("an answer is not recorded", extra=log_fields(error))
        return answer

    async def _claim(self, path: str, share: CountedShare | None) -> str | None:
        """Claim a delivery; return the answer of an earlier one, None when it is ours to answer."""
        now = self._clock.now()
        for _ in range(_ATTEMPTS):
            try:
                if share is not None:
                    await self._expected(path, share)
                counting = share.writes if share is not None else []
                results = await self._store.commit([*counting, Create(path, {"at": now, "expireAt": now + _KEPT})])
                if share is not None:
                    await share.judge(results, [Delete(path)])
                return None
            except AlreadyExists:
                try:
                    return await self._answer_of(path, now)
                except Missing:
                    # The first one was refused and has taken back what it claimed: this one has to have a share itself.
                    continue
        return None

    async def _expected(self, path: str, share: CountedShare) -> None:
        """Refuse what would certainly be refused, before it is counted; what was answered before is answered again."""
        try:
            await share.expected()
        except Refused:
            if await self._store.get(path) is None:
                raise

    async def _answer_of(self, path: str, now: datetime) -> str | None:
        gives_up = self._clock.monotonic() + self._lease_s
        while self._clock.monotonic() < gives_up:
            document = await self._store.get(path)
            if document is None:
                raise Missing(f"nobody answers any more: {path}")
            if _is_abandoned(document, now, self._lease_s):
                return None
            answer = document.data.get("answer")
            if isinstance(answer, str):
                return answer
            await asyncio.sleep(_POLL_S)
        return None


def _is_abandoned(document: Document, now: datetime, lease_s: float) -> bool:
    at = document.data.get("at")
    has_answer = "answer" in document.data
    return not has_answer and isinstance(at, datetime) and now - at > timedelta(seconds=lease_s)


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
            except (AlreadyExists, Stale):
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
