"""What speaks in an evaluation: the rehearsal, a script, a record, a model that obeys whatever it reads, or a real one.

A scripted agent does what its scenario says at each line, in order: a text is said, a mapping is called. It remembers
what it has called and what was answered, as a model does that is shown it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import field
from typing import Any

from switchboard.admin.evals.scenario import BadScenario, Scenario
from switchboard.app.evaluation.obedient import Obedient
from switchboard.app.evaluation.world import World
from switchboard.contract.model import (
    CallPiece,
    Ended,
    Ending,
    ModelEvent,
    Prompt,
    Spoken,
    TextPiece,
    ToolMessage,
    UserMessage,
)
from switchboard.contract.ports import ChatModel
from switchboard.contract.python.dataclass import dataclass
from switchboard.models.rehearsal.model import Rehearsal

_WORDLESS = {"de": "Kann ich sonst noch etwas für Sie tun?", "en": "Is there anything else that I can do for you?"}
_AGAIN = "again"
DIALECT = "openai"
_REFERENCE = "$"


@dataclass(slots=True)
class Script:
    """A scripted agent of one conversation.

    Attributes:
        language: In which it falls back on something to say.
        items: What it does about the caller's last line, in order.
        arguments: What it has called last, by tool.
        answers: What it was answered last, by tool.
    """

    language: str = "en"
    name: str = "scripted"
    dialect: str = DIALECT
    items: Sequence[str | Mapping[str, Any]] = ()
    arguments: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)
    _begun_at: int | None = None

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield the next item; where there are no more, ask whether there is anything else."""
        turn = _this_turn(prompt.messages)
        for message in prompt.messages:
            if isinstance(message, ToolMessage) and message.response.ok:
                self.answers[message.name] = message.response.data
        if self._begun_at is None:
            self._begun_at = len(prompt.messages)
        before = prompt.messages[self._begun_at - 1 : len(prompt.messages) - len(turn)]
        items = [item for item in self.items if not self._is_done(item, before)]
        at = sum(isinstance(message, Spoken) for message in turn)
        item = items[at] if at < len(items) else ""
        calls = {} if isinstance(item, str) else {name: value for name, value in item.items() if name != "say"}
        words = item if isinstance(item, str) else str(item.get("say", ""))
        if not calls and not words:
            words = _WORDLESS.get(self.language, _WORDLESS["en"])
        for number, word in enumerate(words.split(" ") if words else ()):
            yield TextPiece(f" {word}" if number else word)
        for index, (name, value) in enumerate(calls.items()):
            arguments = self.arguments[name] = self._meant(name, value)
            yield CallPiece(index, f"call_{len(prompt.messages)}_{index}", name, json.dumps(arguments))
        yield Ended(Ending.CALLS if calls else Ending.STOPPED)

    def take(self, items: Sequence[str | Mapping[str, Any]]) -> None:
        """Take what is to be done about the caller's next line, which may be said more than once."""
        self.items, self._begun_at = items, None

    def _is_done(self, item: str | Mapping[str, Any], before: Sequence[Any]) -> bool:
        """Whether all that is to be called was done when this line was said before, as far as the agent was told."""
        answered = {m.call_id for m in before if isinstance(m, ToolMessage) and m.response.ok}
        calls = [call for m in before if isinstance(m, Spoken) for call in m.calls if call.call_id in answered]
        done = {(call.name, _canonical(call.arguments)) for call in calls}
        named = {} if isinstance(item, str) else {name: value for name, value in item.items() if name != "say"}
        return bool(named) and {(name, _canonical(self._meant(name, value))) for name, value in named.items()} <= done

    def _meant(self, name: str, value: Any) -> Any:
        return self.arguments.get(name, {}) if value == _AGAIN else self._filled(value or {})

    def _filled(self, value: Any) -> Any:
        """Return arguments with `$lookup_appointment.appointments.0.bookingId` replaced by what was answered."""
        if isinstance(value, Mapping):
            return {name: self._filled(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._filled(inner) for inner in value]
        if not isinstance(value, str) or not value.startswith(_REFERENCE):
            return value
        place: Any = self.answers
        for part in value[1:].split("."):
            try:
                place = place[int(part)] if isinstance(place, list) else place[part]
            except (KeyError, IndexError, ValueError, TypeError):
                return ""
        return place


def _canonical(arguments: Any) -> str:
    return json.dumps(json.loads(arguments) if isinstance(arguments, str) else arguments, sort_keys=True)


def _this_turn(messages: Sequence[Any]) -> Sequence[Any]:
    last = max((at for at, message in enumerate(messages) if isinstance(message, UserMessage)), default=-1)
    return messages[last + 1 :]


SPEAKING: ContextVar[ChatModel] = ContextVar("SPEAKING")
"""What speaks in the conversation that a task belongs to: two callers at once have each their own."""


class ConversationModels:
    """The one model of a process, behind which each conversation has its own.

    Args:
        dialect: In which tools are declared to it.
    """

    name = "evaluated"

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield what the conversation's own says."""
        async for event in SPEAKING.get().stream(prompt):
            yield event


class Connected:
    """The model that the environment names, asked by whichever process serves."""

    name = "connected"

    def __init__(self, world: World) -> None:
        self._world, self.dialect = world, DIALECT

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """Yield what it says."""
        assert self._world.connected is not None
        async for event in self._world.connected.stream(prompt):
            yield event


def open_agent(scenario: Scenario, world: World, language: str) -> ChatModel:
    """Return what speaks in one conversation of a scenario.

    Raises:
        BadScenario: It wants a connected model, and there is none.
    """
    if scenario.agent == "rehearsal":
        return Rehearsal(world.clock)
    if scenario.agent == "adversarial":
        return Obedient()
    if scenario.agent == "connected":
        if world.connected is None:
            raise BadScenario("agent: no model is connected; name one by SWITCHBOARD_MODEL, with its key")
        return Connected(world)
    return Script(language)
