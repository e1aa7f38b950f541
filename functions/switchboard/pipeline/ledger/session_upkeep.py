"""What leaves a session's document again, so that a conversation may be as long as it likes.

A document holds 1 MiB. What is counted, done and asked in a conversation is merged into its session's without being
read, so that nothing there ends by itself where turns do not follow one another: a client that counts them by the
clock, threads that are gone on with for months. Now and then it is therefore read, and what nobody asks for any more is
taken out, in a commit that fails where somebody writes at the same moment; the next look makes up for that.
"""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from switchboard.contract.json import JsonObject
from switchboard.contract.policy import LEDGER_DAYS, LOOP_HISTORY_TURNS
from switchboard.contract.ports import Store
from switchboard.contract.python.recent import Recent
from switchboard.contract.store import Document, Missing, Stale, StoreError, Update
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.turn_counts import ARRIVALS, PENDING

log = logging.getLogger(__name__)

RECEIPTS_KEPT: Final = 200
"""The newest, of those that are no older than the ledger: that a wish was granted is asked in its own conversation."""
ARRIVALS_KEPT: Final = 40
"""Results that wait to be told: a service that holds the conversation itself never asks for them."""
ARRIVALS_LAST: Final = timedelta(days=1)
LOOK_EVERY: Final = 32
"""So many calls that one instance settles in a session are followed by a look."""
_SESSIONS = 20_000


class SessionUpkeep:
    """Looks after the documents of the sessions in which this instance settles calls."""

    def __init__(self, store: Store) -> None:
        """Begin with a look at every session that others may have used before."""
        self._store = store
        self._settled: Recent[str, int] = Recent(_SESSIONS)

    def is_due(self, invocation: Invocation, path: str) -> bool:
        """Count a call that was settled in a session; tell whether that session is to be looked at now."""
        # A session that begins has nothing to take out, and in its first turns there is nothing old.
        is_young = invocation.opens_session or 0 <= invocation.facts.turn <= LOOP_HISTORY_TURNS
        settled = self._settled.get(path)
        if settled is None:
            settled = 1 if is_young else 0
        self._settled[path] = settled + 1
        return settled % LOOK_EVERY == 0

    async def look(self, invocation: Invocation, path: str) -> None:
        """Take out of a session what nobody asks for any more; where that cannot be done, the next look does."""
        try:
            await self.tidy(path, invocation)
        except StoreError as error:
            log.warning("session not looked after", extra={"reason": type(error).__name__})

    async def tidy(self, path: str, invocation: Invocation) -> bool:
        """Take out what nobody asks for any more; tell whether there was any.

        Raises:
            StoreError: It cannot be read or written.
        """
        document = await self._store.get(path)
        fields = outlived(document, invocation.now, invocation.facts.turn) if document is not None else {}
        if document is None or not fields:
            return False
        try:
            await self._store.commit([Update(path, fields, if_update_time=document.update_time)])
        except (Stale, Missing):
            return False
        return True


def outlived(document: Document, now: datetime, turn: int) -> JsonObject:
    """Return the fields of a session's document as they are without what nobody asks for any more.

    Fields of which nothing goes are not among them.

    Args:
        document: The session's.
        now: When that is (aware).
        turn: The turn that is under way, whatever its number.
    """
    data = document.data
    remaining = {
        "turns": _last_turns(data.get("turns"), turn),
        "receipts": _newest(data.get("receipts"), now - timedelta(days=LEDGER_DAYS), RECEIPTS_KEPT),
        ARRIVALS: _newest(data.get(ARRIVALS), now - ARRIVALS_LAST, ARRIVALS_KEPT),
    }
    fields: JsonObject = {name: value for name, value in remaining.items() if value != data.get(name)}
    if ARRIVALS in fields and PENDING in data:
        fields[PENDING] = len(fields[ARRIVALS])
    proposal = data.get("proposal")
    asked = proposal.get("asked") if isinstance(proposal, Mapping) else None
    if isinstance(proposal, Mapping) and isinstance(asked, list):
        # Only what was asked in its own turn tells whether a question names everything.
        own = [mark for mark in asked if str(mark).startswith(f"{proposal.get('turn')}:")]
        fields |= {"proposal.asked": own} if own != asked else {}
    return fields


def _last_turns(turns: Any, current: int) -> Any:
    if not isinstance(turns, Mapping):
        return turns
    numbers = sorted((int(name) for name in turns if _is_number(name) and int(name) != current), reverse=True)
    newest = {str(number) for number in (current, *numbers[: LOOP_HISTORY_TURNS - 1])}
    return {name: counts for name, counts in turns.items() if name in newest}


def _is_number(name: str) -> bool:
    return name.removeprefix("-").isdecimal()


def _newest(rows: Any, since: datetime, most: int) -> Any:
    if not isinstance(rows, Mapping):
        return rows
    dated = [(at, name) for name, row in rows.items() if isinstance(at := _at(row), datetime) and at >= since]
    newest = {name for _, name in sorted(dated, reverse=True)[:most]}
    return {name: row for name, row in rows.items() if name in newest}


def _at(row: Any) -> Any:
    return row.get("at") if isinstance(row, Mapping) else None
