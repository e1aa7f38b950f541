"""Whether a person of the business answers in the conversation of a call, so that no model may have asked for it."""

import logging
from dataclasses import replace

from switchboard.contract.business.chat_person import chat_person
from switchboard.contract.session_use import record_with_person
from switchboard.contract.store import StoreError
from switchboard.pipeline.invocation import Invocation, TurnCounts
from switchboard.pipeline.ledger.writer import CallWriter

log = logging.getLogger(__name__)


async def with_person(writer: CallWriter, invocation: Invocation, counts: TurnCounts) -> TurnCounts:
    """Return the counts of a call with whether a person answers in its conversation. Never raises.

    Only where its session says that one has taken it over is anything read. A turn of ours that had begun before comes
    to its end; others count theirs as they like, and name what record they like.
    """
    facts = invocation.facts
    had_begun = facts.applies_intents and facts.turn < counts.person_turn
    if not counts.person_turn or had_begun or facts.within:
        return counts
    records, named = writer.within(invocation), facts.interaction_id or facts.session_id
    try:
        asked = [writer.session(invocation), records.document("interactions", named)]
        session, record = await writer.store.get_many(asked)
        taken_over = record_with_person(session)
        if taken_over not in ("", named):
            record = await writer.store.get(records.document("interactions", taken_over))
    except StoreError as error:
        log.warning("who answers is not known", extra={"reason": type(error).__name__, "pii.detail": str(error)})
        return replace(counts, is_person_unread=True)
    is_answering = record is not None and chat_person(record.data, invocation.now).is_answering
    return replace(counts, is_with_person=is_answering)
