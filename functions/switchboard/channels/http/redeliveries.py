"""Actions of which nobody says in which conversation they belong: which of them are one that was sent again.

Whoever names no conversation may count its calls from 1 in each, and two callers' calls are then the same in everything
that is told of them. Only time tells one that is sent again, which comes at once, from another caller's. It runs from
the first one and not by a grid of the clock, whose edges would part a call from its own repetition.
"""

import json
import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from switchboard.catalog.arguments.strict_json import MalformedJson, parse_json
from switchboard.channels.http.idempotency import delivery_key
from switchboard.contract.call import ToolCall, canonical
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.store import AlreadyExists, Create, Document, Stale, Unavailable, Update, Write

REDELIVERED_S = 120
"""How long after the first of them an action is taken for the same one, in seconds."""
# Another instance can be first, and its mark be expired and gone by the time it is looked at.
_ATTEMPTS = 4


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
        for _ in range(_ATTEMPTS):
            try:
                await self._store.commit([write])
            except (AlreadyExists, Stale):
                found = await self._store.get(path)
            else:
                return str(mine["place"])
            earlier = _placed(found, now, within)
            if earlier is not None:
                return earlier
            write = Create(path, mine) if found is None else Update(path, mine, if_update_time=found.update_time)
        raise Unavailable(f"the mark of a delivery keeps changing: {path}")


def _placed(found: Document | None, now: datetime, within: timedelta) -> str | None:
    """Return what a mark says, as long as it counts; the clock of whoever wrote it may be ahead of ours."""
    if found is None:
        return None
    at, place = found.data.get("at"), found.data.get("place")
    counts = isinstance(at, datetime) and abs(now - at) < within
    return place if counts and isinstance(place, str) else None


def action_key(call: ToolCall, *told: str) -> str:
    """Return the key of an action: its tool, its arguments however they are spelt, and what else is told of it."""
    return delivery_key(call.name, _spelt(call.arguments), *told)


def _spelt(arguments: Any) -> str:
    try:
        read = parse_json(arguments) if isinstance(arguments, str) else arguments
    except MalformedJson:
        # It is refused, whenever it comes.
        read = arguments
    return canonical(read) if isinstance(read, Mapping) else json.dumps(read, sort_keys=True)
