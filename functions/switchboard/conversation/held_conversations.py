"""The conversations that a process holds: opened from their records, and gone on with while they are the latest."""

import logging
from typing import Final

from cachetools import LRUCache

from switchboard.contract.business.succession import drop_business, forgets_businesses
from switchboard.contract.channel import Channel
from switchboard.contract.context import Context
from switchboard.contract.error import log_fields
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import StoreError
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.dependencies import Dependencies
from switchboard.conversation.pending_results import Arrival, earlier_in
from switchboard.conversation.record.interactions import Interactions
from switchboard.conversation.record.record import told_of
from switchboard.conversation.session import CallSession

log = logging.getLogger(__name__)

CONVERSATIONS_KEPT: Final = 2_000


class Conversations:
    """Opens conversations."""

    def __init__(self, parts: Dependencies, interactions: Interactions) -> None:
        """Hold every conversation with the same parts."""
        self._parts, self._interactions = parts, interactions
        self._kept: LRUCache[tuple[str, str, Channel], Conversation] = LRUCache(CONVERSATIONS_KEPT)
        forgets_businesses(self)

    def forget_business(self, business_id: str) -> None:
        """Forget the conversations of a business."""
        drop_business(self._kept, business_id)

    async def open(self, facts: Context, *, is_new: bool = False) -> Conversation:
        """Return the conversation of a session as it is now, with what the channel knows now; one that `is_new` unread.

        Raises:
            StoreError: Its record cannot be read, and this instance does not remember it.
        """
        # A link sent on the phone goes on in the portal while the phone call lasts: one record, two conversations.
        key = (facts.business_id, facts.session_id, facts.channel)
        record, own = (None, None) if is_new else await self._interactions.read(facts)
        recorded = self._interactions.restored(facts, record, own)
        held = self._kept.get(key)
        is_lost = held is not None and held.session.deliveries.is_lost
        if held is not None and not is_lost and not held.session.turns.are_news(told_of(record, facts)):
            held.session.facts = held.session.of_now(facts)
            held.session.deliveries.read(record)
            held.session.learn(recorded)
            for arrival in recorded.waiting.arrived.values():
                held.session.waiting.arrive(arrival)
            return held
        opened = self._kept[key] = Conversation(self._parts, recorded, self.late_results, self._look_again)
        await self._interactions.late.unheard.tell(recorded, own)
        return opened

    async def _look_again(self, session: CallSession) -> None:
        """Let a conversation know what was done in a turn that it takes over, while it waited for it. Never raises."""
        unheard = self._interactions.late.unheard
        try:
            record, own = await self._interactions.read(session.facts)
        except StoreError as error:
            log.warning("what was done in a turn that is taken over is not read", extra=log_fields(error))
            unheard.not_read(session)
            return
        recorded = self._interactions.restored(session.facts, record, own)
        session.catch_up(recorded)
        session.learn(recorded)
        session.unanswered = recorded.unanswered
        await unheard.tell(session, own)

    async def late_results(self, facts: Context) -> list[Arrival]:
        """Return what has come of a conversation's calls that were accepted before, and was not told. Never raises."""
        return await self._interactions.late.of(facts)

    async def arrived(self, facts: Context, tool: str, response: ToolResponse) -> None:
        """Take what came of a call that was accepted before: for the next turn, and for the record. Never raises.

        Where another instance holds the conversation, that one finds it in the session's document; nothing is said in
        one that is over.
        """
        held = self._kept.get((facts.business_id, facts.session_id, facts.channel))
        arrival = Arrival(facts.call_id, tool, response, earlier=earlier_in(response.meta))
        if held is not None and not held.session.is_over:
            held.session.waiting.arrive(arrival)
        await self._interactions.late.keep(facts, arrival, is_held_here=held is not None)

    async def begin_with(self, facts: Context, noted: str) -> None:
        """Let a conversation in which nobody has spoken begin with something that the model is told.

        Raises:
            StoreError: It is not recorded, and not told.
        """
        await self._interactions.note(facts, noted)

    async def lasted(self, facts: Context, seconds: int) -> None:
        """Keep how long a phone call lasted that is over, as the carrier says.

        Raises:
            StoreError: It is not kept.
        """
        await self._interactions.lasted(facts, seconds)

    async def close(self) -> None:
        """End what is being said, and write everything down, as before the process ends."""
        for conversation in list(self._kept.values()):
            await conversation.interrupt(None)
