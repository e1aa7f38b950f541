"""Messages, text or a click on a button under a question, and their answers: one for each, in order.

A browser whose connection drops comes back with the same message and hears it again. Once nobody has listened for a
moment, the answer is given up: whoever goes away has interrupted.
"""

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import orjson

from switchboard.channels.http.idempotency import Deliveries, delivery_key
from switchboard.channels.http.request_body import Malformed, optional_id, optional_number, optional_text
from switchboard.channels.portal.auth import PortalVisitor
from switchboard.channels.portal.events import EventView, Showing
from switchboard.channels.stranger_shares import StrangerShares
from switchboard.contract.background import in_background
from switchboard.contract.caller.outside_id import is_blank
from switchboard.contract.channel import Channel
from switchboard.contract.context import Context
from switchboard.contract.error import Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import CHAT_TEXT_CHARACTERS, Thing
from switchboard.contract.ports import Paths
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.event import TurnOutcome
from switchboard.conversation.held_conversations import Conversations
from switchboard.conversation.record.deliveries import StillAnswered, TurnDelivery
from switchboard.conversation.speech.utterance import Utterance

log = logging.getLogger(__name__)

LONGEST_TEXT: Final = CHAT_TEXT_CHARACTERS
_BUTTONS: Final = ("yes", "no")
QUESTION: Final = "the turn of the question that the button answers"

# Of which message an answer is asked for says the conversation, whoever asks.
_GO_ON: Final = b"go on"
# Long enough for a phone that changes from one network to another.
REJOIN_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Message:
    """One message; the same `id` with the same words is the same message, however often it arrives."""

    id: str
    utterance: Utterance

    @property
    def content(self) -> bytes:
        """What it says, so that an id used for something else does not pass for the same message."""
        utterance = self.utterance
        if utterance.is_unsaid:
            return _GO_ON
        return orjson.dumps([utterance.text, utterance.button, utterance.question])


def read_message(body: JsonObject) -> Message:
    """Return the message in a request's `messageId`, `text` or `button`, and `question`; or in its `goOn`.

    `goOn` asks for an answer to what was written to a person of the business who does not answer any more.

    Raises:
        Malformed: It has none of them or several, or one of them is not what it should be.
    """
    goes_on = body.get("goOn")
    if goes_on not in (None, True, False):
        raise Malformed("goOn", "goOn must be true or false.")
    if goes_on and (body.get("text") or body.get("button")):
        raise Malformed("goOn", "Send goOn without text and without button.")
    utterance = Utterance(is_unsaid=True) if goes_on else read_utterance(body, whole="text")
    # Without an id each request is a message of its own; repeating it is then not recognised.
    return Message(optional_id(body, "messageId") or uuid.uuid4().hex, utterance)


def read_utterance(body: Mapping[str, Any], *, within: str = "", whole: str) -> Utterance:
    """Read `{text}`, or `{button, question}` where the question is the turn under which the button stands.

    Args:
        body: What holds it.
        within: Where that stands in its request, such as `heard.`.
        whole: The field that is named where it has neither or both.

    Raises:
        Malformed: It has neither or both, or one of them is not what it should be.
    """
    text = optional_text(body, "text", within=within, longest=LONGEST_TEXT)
    button = optional_text(body, "button", within=within)
    if (text is None) == (button is None):
        raise Malformed(whole, f"Send exactly one of {within}text and {within}button.")
    if text is not None:
        # Of which nobody sees anything, that was not written by anybody.
        if is_blank(text):
            raise Malformed(f"{within}text", f"{within}text must not be blank.")
        return Utterance(text.strip())
    if button not in _BUTTONS:
        raise Malformed(f"{within}button", f"{within}button must be one of {', '.join(_BUTTONS)}.")
    return Utterance(button=button, question=optional_number(body, "question", QUESTION, within=within))


class Reply:
    """What is shown in answer to one message.

    Attributes:
        events: What was shown so far; `done` is the last.
        turn: The human turn that is answered; 0 until it begins.
        given_up: Set when nobody wants the rest.
        refused: Why the message is not answered, if it is not.
    """

    def __init__(self, rejoin_s: float = REJOIN_S) -> None:
        """Start with nothing; listeners who are gone for `rejoin_s` do not come back."""
        self.events: list[EventView] = []
        self.turn = 0
        self.given_up = asyncio.Event()
        self._rejoin_s = rejoin_s
        self._listeners = 0
        self.refused: Refused | None = None
        self._ended, self._taken = asyncio.Event(), asyncio.Event()
        self._news = asyncio.Event()

    @property
    def has_ended(self) -> bool:
        """Whether nothing more comes."""
        return self._ended.is_set()

    def add(self, events: Sequence[EventView]) -> None:
        """Show more."""
        self.events += events
        self._tell()

    def take(self) -> None:
        """Say that the message is being answered."""
        self._taken.set()

    async def taken(self) -> None:
        """Return when the message is being answered, was answered, or is not going to be.

        Raises:
            Refused: It is not.
        """
        await self._taken.wait()
        if self.refused is not None:
            raise self.refused

    def end(self) -> None:
        """Say that nothing more comes."""
        self._ended.set()
        self._taken.set()
        self._tell()

    async def ended(self) -> None:
        """Return when nothing more comes."""
        await self._ended.wait()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Want the answer, for as long as this is entered."""
        self._listeners += 1
        try:
            yield
        finally:
            self._listeners -= 1
            if not self._is_wanted():
                asyncio.get_running_loop().call_later(self._rejoin_s, self._give_up)

    async def follow(self, beat_s: float) -> AsyncIterator[EventView | None]:
        """Yield everything in order, and None whenever nothing has happened for `beat_s`."""
        position = 0
        while True:
            next_event = self._news
            while position < len(self.events):
                position += 1
                yield self.events[position - 1]
            if self.has_ended:
                return
            try:
                async with asyncio.timeout(beat_s):
                    await next_event.wait()
            except TimeoutError:
                yield None

    def _is_wanted(self) -> bool:
        return self._listeners > 0 or self.has_ended

    def _give_up(self) -> None:
        if not self._is_wanted():
            self.given_up.set()

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


def farewell_of(text: str) -> list[EventView]:
    """Return what is shown to somebody who is told something and gets no conversation."""
    return [
        EventView("text", {"text": text, "filler": False}),
        EventView("done", {"outcome": TurnOutcome.ENDED.value, "turn": 0}),
    ]


def finished_reply(events: Sequence[EventView], turn: int = 0) -> Reply:
    """Return a reply that has been given already."""
    reply = Reply()
    reply.turn = turn
    reply.add(events)
    reply.end()
    return reply


def to_text(reply: Reply) -> str:
    """Return a reply for keeping; pieces of text that follow each other become one."""
    events: list[EventView] = []
    for event in reply.events:
        last = events[-1] if events else None
        if last is not None and last.name == event.name == "text" and last.data["filler"] == event.data["filler"]:
            events[-1] = EventView("text", last.data | {"text": last.data["text"] + event.data["text"]})
        else:
            events.append(event)
    return orjson.dumps([reply.turn, [[event.name, event.data] for event in events]]).decode()


def from_text(text: str) -> tuple[int, list[EventView]]:
    """Return the turn and the events of a reply that `to_text` wrote."""
    turn, events = orjson.loads(text)
    return turn, [EventView(name, data) for name, data in events]


TurnedAway: TypeAlias = Callable[[Context, datetime | None], Awaitable[bool]]
"""Tells whether somebody gets no conversation, whose session says until when it is blocked; never raises."""


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
        turned_away: TurnedAway,
        rejoin_s: float = REJOIN_S,
    ) -> None:
        """Answer with `conversations`, strangers their `shares`; `deliveries` keeps answers for those who ask again.

        Whoever is `turned_away` is bid goodbye.
        """
        self._turned_away = turned_away
        self._conversations, self._deliveries, self._paths, self._shares = conversations, deliveries, paths, shares
        self._rejoin_s = rejoin_s
        self._under_way: dict[_Key, Reply] = {}
        self._floors: WeakKeyDictionary[Conversation, asyncio.Lock] = WeakKeyDictionary()

    async def to(self, visitor: PortalVisitor, message: Message) -> Reply:
        """Return the answer to a message: the one that is being given or was given, or else a new one.

        Raises:
            StoreError: The conversation cannot be read; the message was not taken.
            Refused: RATE_LIMIT; a stranger has had as many answers as they get for now.
        """
        key = _key(visitor, message)
        reply = self._under_way.get(key)
        if reply is None:
            conversation = await self._conversations.open(visitor.context)
            if await self._turned_away(visitor.context, conversation.session.blocked_until):
                return finished_reply(farewell_of(visitor.portal.farewell))
            reply = self._under_way.get(key) or self._going_on(key)
            if reply is None:
                reply = Reply(self._rejoin_s)
                in_background(self._give(reply, visitor, message, conversation))
            self._under_way[key] = reply
        await reply.taken()
        return reply

    def stop(self, visitor: PortalVisitor, message_id: str) -> bool:
        """Break off the answer to a message; tells whether one was being given here. Its actions are finished."""
        place = (visitor.context.business_id, visitor.context.session_id, message_id)
        replies = [reply for key, reply in self._under_way.items() if key[:3] == place]
        for reply in replies:
            reply.given_up.set()
        return bool(replies)

    def _going_on(self, key: _Key) -> Reply | None:
        """Return the answer that is being given to what waits for one, where a message asks for that as well."""
        same = (reply for other, reply in self._under_way.items() if other[:2] == key[:2] and other.content == _GO_ON)
        return next(same, None) if key.content == _GO_ON else None

    async def _give(self, reply: Reply, visitor: PortalVisitor, message: Message, conversation: Conversation) -> None:
        key, person = _key(visitor, message), conversation.session.person
        # What a person answers costs no model.
        things = (Thing.MESSAGES,) if person.is_answering else (Thing.MESSAGES, Thing.MODEL_TURNS)
        self._shares.learn(visitor.context, conversation.session.known_as)
        share = self._shares.of(visitor.context, *things)
        # Several pages may ask for the one answer, each with an id of its own.
        named = f"turn {person.written_turn}" if message.utterance.is_unsaid else key.message_id
        delivery = self._deliveries.turn(
            self._paths.within(key.business_id), delivery_key("portal", key.session_id, named, key.content), share
        )
        try:
            answer = await conversation.earlier(delivery)
            if answer is None and not self._may_begin(visitor, conversation):
                reply.add(farewell_of(visitor.portal.unattended(Channel.PORTAL, self._shares.clock.now())))
            elif answer is None and message.utterance.is_unsaid and not self._is_waited_for(conversation):
                reply.add([EventView("done", {"outcome": TurnOutcome.ANSWERED.value, "turn": 0})])
            elif answer is None:
                await share.expected()
                answer = await self._converse(reply, visitor, message, conversation, delivery)
            if answer is not None:
                # It was answered before, or elsewhere.
                reply.turn, events = from_text(answer)
                reply.add(events)
        except Refused as refused:
            reply.refused = refused
        except StillAnswered:
            log.warning("a turn takes longer elsewhere than anybody waits for its answer")
        finally:
            await delivery.settle(None)
            if not reply.events or reply.events[-1].name != "done":
                reply.add([EventView("done", {"outcome": TurnOutcome.FAILED.value, "turn": reply.turn})])
            reply.end()
            for known in [known for known, other in self._under_way.items() if other is reply]:
                del self._under_way[known]

    def _is_waited_for(self, conversation: Conversation) -> bool:
        """Tell whether the visitor waits for an answer, and none is being given here, which must not be broken off."""
        floor = self._floors.get(conversation)
        return conversation.session.person.leaves_waiting and not (floor is not None and floor.locked())

    def _may_begin(self, visitor: PortalVisitor, conversation: Conversation) -> bool:
        """Tell whether a conversation is under way, or the month has room for one more."""
        now = self._shares.clock.now()
        business = visitor.portal.business
        return conversation.session.is_under_way or business.begins_conversations(Channel.PORTAL, now)

    async def _converse(
        self,
        reply: Reply,
        visitor: PortalVisitor,
        message: Message,
        conversation: Conversation,
        delivery: TurnDelivery,
    ) -> str | None:
        """Answer, once whatever was being said in this conversation has been interrupted and has ended.

        Returns what the same message was answered elsewhere; None where it is answered here.
        """
        await conversation.interrupt(None)
        async with self._floors.setdefault(conversation, asyncio.Lock()):
            session, showing = conversation.session, Showing()
            # A chat that has ended goes on when somebody writes again.
            await conversation.go_on()
            if visitor.is_visitor and not session.history.messages:
                conversation.greet(visitor.portal.greeting)
            answer = await conversation.begin_once(message.utterance, delivery)
            if answer is not None:
                return answer
            reply.take()
            breaking_off = asyncio.create_task(_break_off(reply, conversation, message.utterance))
            try:
                async for event in conversation.reply(message.utterance):
                    reply.turn = session.facts.turn
                    reply.add(showing.of(event, reply.turn, is_with_person=session.person.is_answering))
            finally:
                if reply.given_up.is_set():
                    # It may still be writing down how much was said.
                    await breaking_off
                breaking_off.cancel()
            # What is asked for once more may be answered then, where nothing of it was said.
            is_said = not message.utterance.is_unsaid or any(event.name != "done" for event in reply.events)
            await delivery.settle(to_text(reply) if is_said else None)
        return None


def _key(visitor: PortalVisitor, message: Message) -> _Key:
    return _Key(visitor.context.business_id, visitor.context.session_id, message.id, message.content)


async def _break_off(reply: Reply, conversation: Conversation, utterance: Utterance) -> None:
    await reply.given_up.wait()
    await conversation.leave(utterance)
