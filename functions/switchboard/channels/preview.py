"""Conversations that an owner holds to see how they go: the same as any channel's, with what the model was told.

Whatever a tool does is done. What it asks of a channel is told and goes nowhere: there is no line to put through, and
no loudspeaker to silence.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from weakref import WeakKeyDictionary

import orjson

from switchboard.channels.browser_voice import sessions as browser_voice
from switchboard.channels.call_start import CallStart
from switchboard.channels.http.idempotency import Deliveries, delivery_key
from switchboard.channels.phone import voice
from switchboard.channels.phone.routes import FOUND_WITHIN_S
from switchboard.channels.portal.portals import Portal, Portals
from switchboard.contract.channel import Channel
from switchboard.contract.context import Context, PhoneContext
from switchboard.contract.error import ErrorType, ToolError, log_fields
from switchboard.contract.json import JsonObject
from switchboard.contract.model import Message, Noted, Spoken, ToolMessage, UserMessage
from switchboard.contract.observability.subject import concerns
from switchboard.contract.ports import ChatModel, Paths
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import StoreError
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.event import Effect, Event, QuestionAsked, Text, ToolFinished, TurnEnded
from switchboard.conversation.held_conversations import Conversations
from switchboard.conversation.prompt_capture import CapturedPrompt, watching
from switchboard.conversation.speech.utterance import Utterance
from switchboard.formats import FORMATS

log = logging.getLogger(__name__)

# In bytes of JSON; together well below the 1 MiB that a document may have, in which an answer is kept.
_SYSTEM, _MESSAGES, _TOOLS = 120_000, 200_000, 250_000


@dataclass(slots=True)
class _Account:
    """What came of a turn, gathered from its events."""

    words: list[str] = field(default_factory=list)
    tools: list[JsonObject] = field(default_factory=list)
    intents: list[JsonObject] = field(default_factory=list)
    asked: JsonObject | None = None
    outcome: str = ""

    def take(self, event: Event) -> None:
        if isinstance(event, Text):
            if not event.is_filler:
                self.words.append(event.text)
        elif isinstance(event, ToolFinished):
            self.tools.append(_tool(event))
        elif isinstance(event, QuestionAsked):
            self.asked = {"question": event.question, "turn": event.turn, "tool": event.tool}
        elif isinstance(event, Effect):
            self.intents.append({"type": event.intent.type.value, "payload": event.intent.payload})
        elif isinstance(event, TurnEnded):
            self.outcome = event.outcome.value


class Previews:
    """Holds such conversations, a turn at a time."""

    def __init__(
        self,
        conversations: Conversations,
        model: ChatModel,
        portals: Portals,
        call_start: CallStart,
        deliveries: Deliveries,
        paths: Paths,
    ) -> None:
        """Hold them with the `conversations` of every channel, whose model is `model`."""
        self._conversations, self._model, self._portals = conversations, model, portals
        self._call_start, self._deliveries, self._paths = call_start, deliveries, paths
        self._floors: WeakKeyDictionary[Conversation, asyncio.Lock] = WeakKeyDictionary()

    async def turn(self, context: Context, text: str, message_id: str) -> JsonObject:
        """Say something as a caller, and return what came of it; the same message again gets the same answer.

        `{turn, agentId, greeting, said, tools, intents, asked, outcome, isOver, saw}`: `greeting` is what a caller has
        heard before the first turn, empty in later ones; `saw` is what `seen_prompt` returns.

        Args:
            context: Of the trial: who is imagined to call, on which channel. Its `turn` does not count.
            text: What is said.
            message_id: Tells messages of a conversation apart.

        Raises:
            ToolError: NOT_FOUND; there is no such business.
            StoreError: The conversation cannot be read; nothing was said.
        """
        portal = await self._portals.of(context.business_id)
        if portal is None:
            raise ToolError(ErrorType.NOT_FOUND, "There is no such business.")
        # A trial has channels that do what tools ask: it shows it.
        context = replace(context, turn=0, call_id="", applies_intents=True)
        concerns(context.business_id, context.session_id)
        conversation = await self._conversations.open(context)

        async def work() -> str:
            async with self._floors.setdefault(conversation, asyncio.Lock()):
                return orjson.dumps(await self._hold(conversation, portal, text), default=str).decode()

        key = delivery_key("trial", context.session_id, context.channel.value, message_id, text)
        answer: JsonObject = orjson.loads(
            await self._deliveries.once(self._paths.within(context.business_id), key, work)
        )
        return answer

    async def _hold(self, conversation: Conversation, portal: Portal, text: str) -> JsonObject:
        session, greeting = conversation.session, ""
        if session.facts.channel is Channel.PORTAL:
            # A chat that has ended goes on when somebody writes again.
            await conversation.go_on()
        if not session.history.messages:
            await self._look_up(conversation)
            greeting = _greeting(session.facts.channel, portal)
            conversation.greet(greeting)
        account = _Account()
        with watching() as seen:
            async for event in conversation.reply(Utterance(text)):
                account.take(event)
        return _turn_document(conversation, account, greeting, seen, self._model)

    async def _look_up(self, conversation: Conversation) -> None:
        """Let a phone call begin with what the call-start tools find, as on the line."""
        context = conversation.session.facts
        note = await self._call_start.look_up(context, FOUND_WITHIN_S) if isinstance(context, PhoneContext) else ""
        if not note:
            return
        conversation.session.history.add(Noted(note))
        try:
            await self._conversations.begin_with(context, note)
        except StoreError as error:
            log.warning("what was found is not kept", extra=log_fields(error))


def _greeting(channel: Channel, portal: Portal) -> str:
    match channel:
        case Channel.PHONE:
            return voice.greeting(portal.business)
        case Channel.BROWSER_VOICE:
            return browser_voice.greeting(portal.business)
        case Channel.PORTAL:
            return portal.greeting


def _tool(event: ToolFinished) -> JsonObject:
    failure, receipt = event.response.failure, event.response.meta.get("receipt")
    return {
        "callId": event.call_id,
        "name": event.name,
        "args": None,
        "ok": event.response.ok,
        "error": failure.type.value if failure is not None else None,
        "elapsedMs": event.elapsed_ms,
        "receipt": dict(receipt) if event.response.ok and isinstance(receipt, Mapping) else None,
    }


def _turn_document(
    conversation: Conversation, account: _Account, greeting: str, seen: CapturedPrompt, model: ChatModel
) -> JsonObject:
    session = conversation.session
    calls = [call for message in session.history.messages if isinstance(message, Spoken) for call in message.calls]
    arguments = {call.call_id: call.arguments for call in calls}
    return {
        "turn": session.facts.turn,
        "agentId": session.facts.agent_id,
        "greeting": greeting,
        "said": "".join(account.words),
        "tools": [tool | {"args": arguments.get(tool["callId"])} for tool in account.tools],
        "intents": account.intents,
        "asked": account.asked,
        "outcome": account.outcome,
        "isOver": session.is_over,
        "saw": seen_prompt(seen, model),
    }


def seen_prompt(seen: CapturedPrompt, model: ChatModel) -> JsonObject | None:
    """Return the latest request of a turn; None where the model was not asked.

    `{model, dialect, requests, system, messages, tools, leftOut}`: the tools are declared in the model's dialect, and
    what tools answered stands as it was sent in that dialect. What is beyond the bounds is left out: the end of the
    system prompt, the oldest messages and the last tools; `leftOut` counts characters, messages and tools. `model` is
    the house's, for where nobody noted which was asked.
    """
    prompt = seen.prompt
    if prompt is None:
        return None
    model = seen.model or model
    system = prompt.system.encode()[:_SYSTEM].decode(errors="ignore")
    rows = [row for message in prompt.messages for row in _rows(message, model.dialect)]
    messages = _newest(rows, _MESSAGES)
    tools = _newest(list(reversed(prompt.tools)), _TOOLS)[::-1]
    return {
        "model": model.name,
        "dialect": model.dialect,
        "requests": seen.requests,
        "system": system,
        "messages": messages,
        "tools": tools,
        "leftOut": {
            "characters": len(prompt.system) - len(system),
            "messages": len(rows) - len(messages),
            "tools": len(prompt.tools) - len(tools),
        },
    }


def _rows(message: Message, dialect: str) -> list[JsonObject]:
    moment = message.moment if isinstance(message, UserMessage) else ""
    rows = [{"from": "house", "text": moment}] if moment else []
    return [*rows, _message(message, dialect)]


def _message(message: Message, dialect: str) -> JsonObject:
    if isinstance(message, UserMessage):
        return {"from": "caller", "text": message.text}
    if isinstance(message, Noted):
        return {"from": "house", "text": message.text}
    if isinstance(message, ToolMessage):
        sent = FORMATS[dialect].render(message.call_id, message.name, message.response)
        return {"from": "tool", "callId": message.call_id, "name": message.name, "sent": sent}
    calls = [{"callId": c.call_id, "name": c.name, "args": c.arguments} for c in message.calls]
    return {"from": "model", "text": message.text, "calls": calls}


def _newest(rows: Sequence[JsonObject], most: int) -> list[JsonObject]:
    """Return the last rows, as many as fit."""
    newest: list[JsonObject] = []
    for row in reversed(rows):
        most -= len(orjson.dumps(row, default=str))
        if most < 0:
            break
        newest.append(row)
    return newest[::-1]
