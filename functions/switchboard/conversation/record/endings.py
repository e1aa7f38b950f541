"""Conversations that nobody has ended: whoever closes a page says no goodbye, so that silence ends them.

The record of each then says when it was last heard of, and what came of it. Somebody who comes back goes on in it.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from switchboard.contract.channel import Channel
from switchboard.contract.conclusion import concluded, last_outcome
from switchboard.contract.document import integer, items, mapping, moment, objects_of
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Store
from switchboard.contract.record_parts import SILENCE_NOTED_AT
from switchboard.contract.shards import SHARD, SHARDS_AT_ONCE
from switchboard.contract.store import Document, Filter, Missing, Order, Query, Stale, Update
from switchboard.conversation.record.record import HEARD_AT, ended_line

log = logging.getLogger(__name__)

SILENT_AFTER: Mapping[str, timedelta] = {
    # A talk ends with its page; and nobody thinks for that long with the microphone on.
    Channel.BROWSER_VOICE.value: timedelta(minutes=10),
    Channel.PORTAL.value: timedelta(minutes=30),
    # A phone call ends by Twilio's word, which can be lost; none lasts longer than two hours.
    Channel.PHONE.value: timedelta(hours=3),
}
"""How long nothing is heard of a conversation before it is over."""
_AT_ONCE, _PAGES = 100, 20


class SilentConversations:
    """Ends them, over all businesses."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """Look for them in `store`."""
        self._store, self._clock = store, clock

    async def end(self, business_id: str | None = None) -> Mapping[str, int]:
        """End those that have been silent for long enough, of one business or of all; return how many.

        Two passes at once do no harm.

        Raises:
            StoreError: They cannot be read.
        """
        now = self._clock.now()
        until, is_open = now - min(SILENT_AFTER.values()), Filter("endedAt", "==", None)
        queries = [
            _open_since(HEARD_AT, until, Filter(SHARD, "in", list(shards)), is_open) for shards in SHARDS_AT_ONCE
        ]
        # Records of earlier versions have another name for it.
        queries.append(_open_since("updatedAt", until, is_open))
        return {"ended": sum(await asyncio.gather(*(self._end_all(query, now, business_id) for query in queries)))}

    async def _end_all(self, query: Query, now: datetime, business_id: str | None) -> int:
        ended = 0
        for _ in range(_PAGES):
            documents = await self._store.query(query)
            for document in documents:
                is_wanted = business_id is None or document.data.get("businessId") == business_id
                if is_wanted and _is_silent(document.data, now):
                    ended += await self._end(document)
            if len(documents) < _AT_ONCE:
                break
            # Phone calls that go on must not keep the chats behind them from being looked at.
            query = replace(query, start_after=(documents[-1].data[query.order[0].field], documents[-1].path))
        return ended

    async def _end(self, document: Document) -> bool:
        fields = ending_of_record(document.data) | {SILENCE_NOTED_AT: self._clock.now()}
        try:
            await self._store.commit([Update(document.path, fields, if_update_time=document.update_time)])
        except (Stale, Missing):
            # It goes on after all, somebody else has ended it, or it is gone.
            return False
        ended_line({**document.data, **fields}, by="silence")
        return True


def ending_of_record(data: Mapping[str, Any]) -> JsonObject:
    """Return the fields of a record whose conversation is over without anybody having said so."""
    outcome = concluded(
        last_outcome(data),
        turns=integer(data.get("turns")),
        is_asked=any(mapping(data.get("question")).values()),
        receipts=[(str(row.get("tool")), row) for row in objects_of(data.get("receipts"))],
    )
    # It was over when it was last heard of, and not when somebody noticed.
    return {"outcome": outcome.value, "endedAt": heard_at(data)}


def heard_at(data: Mapping[str, Any]) -> datetime | None:
    """Return when the conversation of a record was last heard of; None where that does not stand there."""
    return moment(data.get(HEARD_AT)) or moment(data.get("updatedAt"))


def _open_since(field: str, until: datetime, *filters: Filter) -> Query:
    return Query("interactions", (*filters, Filter(field, "<=", until)), (Order(field),), limit=_AT_ONCE, group=True)


def _is_silent(data: Mapping[str, Any], now: datetime) -> bool:
    last, used = heard_at(data), [name for name in items(data.get("channels")) if name in SILENT_AFTER]
    patience = max(SILENT_AFTER[name] for name in used) if used else max(SILENT_AFTER.values())
    return last is not None and now - last >= patience
