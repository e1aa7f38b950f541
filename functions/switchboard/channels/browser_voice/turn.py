"""Who speaks, and their turns by the browser's own speech: `POST /browser_voice/turn` and `/interrupt`.

The answer is a stream of events, so that the page speaks the first sentence while the next is being written.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from switchboard.channels.http.answer import UNBUFFERED, Endpoint, json_answer
from switchboard.channels.http.request_body import Malformed, json_object, optional_number
from switchboard.channels.portal.auth import PortalAuth
from switchboard.channels.portal.events import EventView, Showing
from switchboard.channels.portal.portals import Portal
from switchboard.channels.portal.replies import LONGEST_TEXT, TurnedAway, farewell_of, read_utterance
from switchboard.channels.stranger_shares import StrangerShares
from switchboard.contract.background import in_background
from switchboard.contract.business.business import Business
from switchboard.contract.channel import Channel
from switchboard.contract.context import BrowserVoiceContext
from switchboard.contract.policy import Thing
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.event import Event, Text, TurnEnded, TurnOutcome
from switchboard.conversation.held_conversations import Conversations
from switchboard.conversation.speech.spoken_language import SpokenLanguage
from switchboard.conversation.speech.utterance import Utterance

LAST_TURN = 999_999
_EVENTS = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Speaker:
    """Somebody who speaks through a browser."""

    context: BrowserVoiceContext
    portal: Portal


async def admit(door: PortalAuth, request: Request, body: Mapping[str, Any]) -> Speaker:
    """Return who is speaking; raises what the door raises."""
    visitor = await door.admit(request, body)
    known = visitor.context
    context = BrowserVoiceContext(
        business_id=known.business_id,
        session_id=known.session_id,
        turn=0,
        caller_phone=known.caller_phone,
        caller_id=known.caller_id,
        caller_verified=known.caller_verified,
        since=known.since,
        address=known.address,
        applies_intents=True,
    )
    return Speaker(context, replace(visitor.portal, business=visitor.portal.spoken))


def turn_number(body: Mapping[str, Any]) -> int | None:
    """Return the human turn that a request names, None where it names none.

    Raises:
        Malformed: It names what is no turn.
    """
    meaning = "a whole number from 1 on: human turns are counted from 1"
    return optional_number(body, "turn", meaning, least=1, most=LAST_TURN)


def turn_endpoint(
    door: PortalAuth, conversations: Conversations, shares: StrangerShares, turned_away: TurnedAway
) -> Endpoint:
    """Return the endpoint that answers a human turn with server-sent events; a stranger gets so many.

    `turn` {turn} comes first, then the portal's events, `text` with `audible`, and `done` {outcome, turn} last.
    `language` {language} tells, before the words that are in it, in which language is spoken from there on; again
    where another agent goes on in another. Whoever is turned away is bid goodbye.
    """

    async def turn(request: Request) -> Response:
        body = await json_object(request)
        speaker = await admit(door, request, body)
        heard, now = read_utterance(body, whole=""), shares.clock.now()
        conversation = await conversations.open(speaker.context)
        session, business = conversation.session, speaker.portal.business
        if await turned_away(speaker.context, session.blocked_until):
            return _only_told(speaker.portal.spoken_farewell)
        if not (session.is_under_way or business.begins_conversations(Channel.BROWSER_VOICE, now)):
            return _only_told(speaker.portal.unattended(Channel.BROWSER_VOICE, now))
        # What a person answers costs no model.
        things = (Thing.MESSAGES,) if session.person.is_answering else (Thing.MESSAGES, Thing.MODEL_TURNS)
        await shares.spend(speaker.context, *things)
        stream = (shown.line() async for shown in _turn_events(conversation, heard, business))
        return StreamingResponse(stream, headers=UNBUFFERED, media_type=_EVENTS)

    return turn


def interrupt_endpoint(door: PortalAuth, conversations: Conversations) -> Endpoint:
    """Return the endpoint that is told how much of an answer was heard; it answers `{turn, heard}`.

    The body is `{turn, heard}`: what was spoken of that turn's answer, word for word. An older turn than the last is
    left as it is.
    """

    async def interrupt(request: Request) -> Response:
        body = await json_object(request)
        speaker = await admit(door, request, body)
        number, heard = turn_number(body), body.get("heard")
        if number is None:
            raise Malformed("turn", "turn is required.")
        if not isinstance(heard, str) or len(heard) > 4 * LONGEST_TEXT:
            raise Malformed("heard", "heard must be the text that was spoken, empty if nothing was.")
        conversation = await conversations.open(speaker.context)
        # Nobody knows what a browser has played but the browser: it may tell where in our words that ended, no others.
        await conversation.interrupt_as_told(number, heard)
        return json_answer(orjson.dumps({"turn": number, "heard": heard}))

    return interrupt


def _only_told(text: str) -> Response:
    told = [EventView("turn", {"turn": 0}), *(_aloud(view) for view in farewell_of(text))]
    return Response(b"".join(view.line() for view in told), headers=UNBUFFERED, media_type=_EVENTS)


async def _turn_events(conversation: Conversation, heard: Utterance, business: Business) -> AsyncIterator[EventView]:
    """Yield what is shown of a turn; whoever goes away in the middle of it has interrupted it.

    Where a person answers instead of this turn, that is told; `business` is theirs, in the language of its agent.
    """
    events: asyncio.Queue[Event | int | None] = asyncio.Queue()
    task = asyncio.create_task(_pump(conversation, heard, events))
    showing, number = Showing(), 0
    spoken, told_language = SpokenLanguage(conversation.session, business.language), ""
    try:
        while (event := await events.get()) is not None:
            if isinstance(event, int):
                number = event
                yield EventView("turn", {"turn": number})
                continue
            language = spoken.of(event)
            if isinstance(event, Text) and language != told_language:
                told_language = language
                yield EventView("language", {"language": language})
            person = conversation.session.person
            is_left_to_them = person.is_answering and event == TurnEnded(TurnOutcome.ANSWERED)
            if is_left_to_them:
                yield _aloud(EventView("text", {"text": person.told_by_voice(business.name), "filler": False}))
            for shown in showing.of(event, number, is_with_person=is_left_to_them):
                yield _with_audibility(shown, event)
            if isinstance(event, TurnEnded):
                return
        # Whatever went wrong: every stream has its end.
        yield EventView("done", {"outcome": TurnOutcome.FAILED.value, "turn": number})
    finally:
        if not task.done():
            # In a task of its own: the server is cancelling this one.
            in_background(_leave(conversation, heard, task))


async def _pump(conversation: Conversation, heard: Utterance, events: "asyncio.Queue[Event | int | None]") -> None:
    try:
        events.put_nowait(await conversation.begin(heard))
        async for event in conversation.reply(heard):
            events.put_nowait(event)
    finally:
        events.put_nowait(None)


async def _leave(conversation: Conversation, heard: Utterance, task: "asyncio.Task[None]") -> None:
    # A turn that has said its last word only has to be written down.
    await asyncio.wait({task}, timeout=0.05)
    if not task.done():
        await conversation.leave(heard)
        await asyncio.wait({task})


def _aloud(view: EventView) -> EventView:
    return EventView(view.name, view.data | {"audible": True}) if view.name == "text" else view


def _with_audibility(shown: EventView, event: Event) -> EventView:
    return EventView(shown.name, shown.data | {"audible": event.is_audible}) if isinstance(event, Text) else shown
