"""The answers to messages: each message is answered once, and one after the other within a conversation."""

import asyncio
from typing import NamedTuple
from weakref import WeakKeyDictionary

from switchboard.channels.http.idempotency import Deliveries, delivery_key
from switchboard.channels.portal.auth import PortalVisitor
from switchboard.channels.portal.event_view import EventView, Showing
from switchboard.channels.portal.message import Message
from switchboard.channels.portal.reply import REJOIN_S, Reply, from_text, to_text
from switchboard.channels.stranger_shares import StrangerShares
from switchboard.contract.error import Refused
from switchboard.contract.policy import Thing
from switchboard.contract.ports import Paths
from switchboard.conversation.conversation import Conversation, Conversations
from switchboard.conversation.event import TurnOutcome


class _Key(NamedTuple):
    """Which message of which conversation."""

    business_id: str
    session_id: str
    message_id: str
    content: bytes


class Replies:
    """Answers messages."""

    def __init__(
        self,
        conversations: Conversations,
        deliveries: Deliveries,
        paths: Paths,
        shares: StrangerShares,
        rejoin_s: float = REJOIN_S,
    ) -> None:
        """Answer with `conversations`, strangers their `shares`; `deliveries` keeps answers for those who ask again."""
        self._conversations, self._deliveries, self._paths, self._shares = conversations, deliveries, paths, shares
        self._rejoin_s = rejoin_s
        self._under_way: dict[_Key, Reply] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._floors: WeakKeyDictionary[Conversation, asyncio.Lock] = WeakKeyDictionary()

    async def to(self, guest: PortalVisitor, message: Message) -> Reply:
        """Return the answer to a message: the one that is being given or was given, or else a new one.

        Raises:
            StoreError: The conversation cannot be read; the message was not taken.
            Refused: RATE_LIMIT; a stranger has had as many answers as they get for now.
        """
        key = _key(guest, message)
        reply = self._under_way.get(key)
        if reply is None:
            conversation = await self._conversations.open(guest.facts)
            reply = self._under_way.get(key)
            if reply is None:
                reply = self._under_way[key] = Reply(self._rejoin_s)
                task = asyncio.create_task(self._give(reply, guest, message, conversation))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        await reply.taken()
        return reply

    def stop(self, guest: PortalVisitor, message_id: str) -> bool:
        """Break off the answer to a message; tells whether one was being given here. Its actions are finished."""
        place = (guest.facts.business_id, guest.facts.session_id, message_id)
        found = [reply for key, reply in self._under_way.items() if key[:3] == place]
        for reply in found:
            reply.given_up.set()
        return bool(found)

    async def _give(self, reply: Reply, guest: PortalVisitor, message: Message, conversation: Conversation) -> None:
        key = _key(guest, message)
        within = self._paths.within(key.business_id)
        delivery = delivery_key("portal", key.session_id, key.message_id, key.content)

        async def work() -> str:
            reply.take()
            await self._converse(reply, guest, message, conversation)
            return to_text(reply)

        try:
            share = self._shares.of(guest.facts, Thing.MESSAGES, Thing.MODEL_TURNS)
            answer = await self._deliveries.once(within, delivery, work, share)
            if not reply.events:
                # It was answered before, or elsewhere.
                reply.turn, events = from_text(answer)
                reply.add(events)
        except Refused as refused:
            reply.refused = refused
        finally:
            if not reply.events or reply.events[-1].name != "done":
                reply.add([EventView("done", {"outcome": TurnOutcome.FAILED.value, "turn": reply.turn})])
            reply.end()
            self._under_way.pop(key, None)

    async def _converse(self, reply: Reply, guest: PortalVisitor, message: Message, conversation: Conversation) -> None:
        """Answer, once whatever was being said in this conversation has been interrupted and has ended."""
        await conversation.interrupt(None)
        async with self._floors.setdefault(conversation, asyncio.Lock()):
            session, showing = conversation.session, Showing()
            # A chat that has ended goes on when somebody writes again.
            await conversation.go_on()
            if guest.is_visitor and not session.history.messages:
                conversation.greet(guest.portal.greeting)
            breaking_off = asyncio.create_task(_break_off(reply, conversation))
            try:
                async for event in conversation.reply(message.utterance):
                    reply.turn = session.facts.turn
                    reply.add(showing.of(event, reply.turn))
            finally:
                if reply.given_up.is_set():
                    # It may still be writing down how much was said.
                    await breaking_off
                breaking_off.cancel()


def _key(guest: PortalVisitor, message: Message) -> _Key:
    return _Key(guest.facts.business_id, guest.facts.session_id, message.id, message.content)


async def _break_off(reply: Reply, conversation: Conversation) -> None:
    await reply.given_up.wait()
    await conversation.interrupt(None)
