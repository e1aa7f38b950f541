"""The conversations of this process, by session; one that was held elsewhere since is taken from its record.

An instance remembers more of a conversation than its record does (what the tools answered, what is under way), so that
what is remembered is used as long as it is the latest.
"""

from dataclasses import replace

from cachetools import LRUCache

from switchboard.contract.channel import Channel
from switchboard.contract.context import Context
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.interactions import Interactions
from switchboard.conversation.parts import Parts

CONVERSATIONS_KEPT = 2_000


class Conversations:
    """Opens conversations."""

    def __init__(self, parts: Parts, interactions: Interactions) -> None:
        """Hold every conversation with the same parts."""
        self._parts, self._interactions = parts, interactions
        self._kept: LRUCache[tuple[str, str, Channel], Conversation] = LRUCache(CONVERSATIONS_KEPT)

    async def open(self, facts: Context) -> Conversation:
        """Return the conversation of a session as it is now, with what the channel knows now.

        Raises:
            StoreError: Its record cannot be read, and this instance does not remember it.
        """
        # A link sent on the phone goes on in the portal while the phone call lasts: one record, two conversations.
        key = (facts.business_id, facts.session_id, facts.channel)
        recorded = await self._interactions.resume(facts)
        kept = self._kept.get(key)
        if kept is not None and kept.session.facts.turn >= recorded.facts.turn:
            kept.session.facts = replace(facts, turn=kept.session.facts.turn)
            return kept
        opened = self._kept[key] = Conversation(self._parts, recorded)
        return opened

    async def close(self) -> None:
        """End what is being said, and write everything down, as before the process ends."""
        for conversation in list(self._kept.values()):
            await conversation.interrupt(None)
