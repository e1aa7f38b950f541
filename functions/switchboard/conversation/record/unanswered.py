"""Turns that began and were never answered, and what was done in them: the instance that answered them has died.

The record is written with a turn's answer, so that it holds nothing of their calls; the ledger does. It is asked where
the record shows such a turn and the session's document a call that was counted in it, and nowhere else.
"""

import logging
from collections.abc import Iterator
from typing import Final

from switchboard.contract.business.chat_person import NOTICE, PERSON
from switchboard.contract.channel import Channel
from switchboard.contract.context import Context
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.document import integer, mapping, objects_of
from switchboard.contract.error import ErrorType, log_fields
from switchboard.contract.model import Noted
from switchboard.contract.ports import Paths, Store
from switchboard.contract.response import Failure, ToolResponse
from switchboard.contract.store import Document, Filter, Query, StoreError
from switchboard.conversation.agent_handover import hands_over
from switchboard.conversation.pending_results import Arrival
from switchboard.conversation.record.record import CHANNEL
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.house_phrases import ending_of
from switchboard.pipeline.ledger.row import CallRow

log = logging.getLogger(__name__)

MOST_TURNS: Final = 5
"""So many turns are looked into, the latest: nobody says more without any answer and stays."""
_MOST_CALLS = 60
# Whoever took a chat over has not ended a turn that an instance left: what was done in it is still to be told.
_OTHERS: Final = ("caller", PERSON, NOTICE)
_NOT_READ = (
    "The caller's last words had no answer, and it is not known what was done about them. Do not say that anything "
    "was, or was not; look it up where that can be done."
)
_UNDER_WAY = (
    "it has not come to its end, as far as is known. Do not say that it is done and do not call it again in other "
    "words; say that it is being worked on."
)


def unanswered_in(record: Document, channel: Channel) -> tuple[int, ...]:
    """Return the turns of a channel, oldest first, that began after the last one whose end its record holds.

    A turn has ended once its words or its calls are written down; what came of a call later on does not end it.
    """
    rows = objects_of(record.data.get("transcript"))
    own = [row for row in rows if row.get(CHANNEL) in (None, channel.value)]
    calls = [row for row in objects_of(record.data.get("tools")) if not row.get("late")]
    ended = max((integer(row.get("turn")) for row in (*own, *calls) if row.get("role") not in _OTHERS), default=0)
    begun = {integer(row.get("turn")) for row in own if row.get("role") == "caller"}
    # One that was counted before it was known what the caller said has no words here.
    last = max((integer(row.get("turn")) for row in rows), default=0)
    begun |= set(range(last + 1, min(integer(record.data.get("turns")), last + MOST_TURNS) + 1))
    return tuple(sorted(turn for turn in begun if turn > ended)[-MOST_TURNS:])


class UnheardCalls:
    """What was done in turns that were never answered, of every conversation."""

    def __init__(self, store: Store, paths: Paths) -> None:
        """Look in the ledger that `store` holds."""
        self._store, self._paths = store, paths

    async def tell(self, session: CallSession, own: Document | None) -> None:
        """Let a conversation that was just taken up know of them, in its next turn. Never raises.

        `own` is its session's document: a turn that is not counted there has had no call.
        """
        counted = mapping(own.data.get("turns")) if own is not None else {}
        turns = [turn for turn in session.unanswered if str(turn) in counted]
        if not turns:
            return
        facts = session.facts
        calls = self._paths.within(facts.business_id).calls(facts.session_id)
        try:
            documents = await self._store.query(Query(calls, (Filter("turn", "in", turns),), limit=_MOST_CALLS))
        except StoreError as error:
            log.warning("an unanswered turn's calls are not read", extra=log_fields(error))
            self.not_read(session)
            return
        for arrival in _arrivals(documents, facts):
            session.waiting.arrive(arrival)

    def not_read(self, session: CallSession) -> None:
        """Let a conversation know that nobody can tell what was done about its caller's last words."""
        session.history.add(Noted(_NOT_READ))
        session.is_unread = True


def _arrivals(documents: list[Document], facts: Context) -> Iterator[Arrival]:
    """Yield what the caller has not heard of: what was done, what nobody knows, and what is still being done."""
    rows = [CallRow(document) for document in documents]
    rows.sort(key=lambda row: (row.turn, str(row.started_at)))
    for row in rows:
        data = row.document.data
        # What a handler has had done is told with its own call; what was refused, or failed, was not done.
        if data.get("within") or data.get("channel") != facts.channel.value or data.get("kind") != Kind.ACTION:
            continue
        try:
            arrival = _arrival(row)
        except (KeyError, TypeError, ValueError):
            log.warning("a call of an unanswered turn cannot be read")
            continue
        if arrival is not None:
            yield arrival


def _arrival(row: CallRow) -> Arrival | None:
    call_id = str(row.document.data["callId"])
    if row.state in ("started", "queued"):
        failure = Failure(ErrorType.TRANSIENT, _UNDER_WAY, retryable=False, partial_side_effects=True)
        return Arrival(call_id, row.tool, ToolResponse(failure=failure), is_unheard=True, is_open=True)
    response = row.response
    if response is not None and (ending_of(response) is not None or hands_over(response)):
        # What the conversation itself was to do about it died with it: the caller was not put through to anybody.
        return None
    if response is None or row.state not in ("finished", "unknown") or (row.repeats and row.state == "finished"):
        return None
    return Arrival(call_id, row.tool, response, is_unheard=True, is_open=row.is_looked_into)
