"""What is said in answer to one human turn, and what is to be done with the call after it."""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from switchboard.contract.json import JsonObject
from switchboard.contract.response import IntentType
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.event import Effect, Event, Text, TurnEnded, TurnOutcome
from switchboard.conversation.speech.utterance import Utterance

log = logging.getLogger(__name__)


class Speech:
    """The answer to a turn, while it comes.

    Attributes:
        said: What has been handed out by now, fillers among it.
        is_bridging: Whether the last of it only bridges a wait.
        transfer: The payload of TRANSFER_CALL, empty without one.
        outcome: How the turn ended; `failed` until it has.
        language: In which it is spoken; another from where an agent takes over who speaks another.
        is_over: Whether all of it has been handed out.
        is_stopped: Set it, and nothing more of this answer is handed out, whatever the conversation still says.
    """

    def __init__(self, conversation: Conversation, utterance: Utterance, language: str) -> None:
        """Answer an utterance; `language` is that of whoever answers now."""
        self._conversation, self._utterance, self.language = conversation, utterance, language
        self.said = ""
        self.is_bridging = self._has_answered = False
        self.transfer: JsonObject = {}
        self.outcome = TurnOutcome.FAILED
        self.is_over = self.is_stopped = False

    async def pieces(self) -> AsyncGenerator[str, None]:
        """Yield what is to be spoken as it comes. A turn that broke down without a word ends in a safe sentence."""
        replying = cast(AsyncGenerator[Event, None], self._conversation.reply(self._utterance))
        async with aclosing(replying) as events:
            async for event in events:
                if isinstance(event, Text):
                    if event.is_audible and not self.is_stopped:
                        self.said += event.text
                        self.is_bridging = event.is_filler
                        self._has_answered = self._has_answered or not event.is_filler
                        yield event.text
                elif isinstance(event, Effect):
                    if event.intent.type is IntentType.TRANSFER_CALL:
                        self.transfer = event.intent.payload
                    elif event.intent.type is IntentType.SWITCH_AGENT:
                        self.language = str(event.intent.payload.get("language") or self.language)
                elif isinstance(event, TurnEnded):
                    self.outcome = event.outcome
                    self.is_over = self.outcome is not TurnOutcome.INTERRUPTED and not self.is_stopped
        if self.outcome is TurnOutcome.FAILED and not self._has_answered and not self.is_stopped:
            sentence = self._conversation.apology(self.language)
            self._conversation.greet(sentence)
            sentence = f" {sentence}" if self.is_bridging else sentence
            self.said += sentence
            yield sentence

    @property
    def characters(self) -> int:
        """How much has been said by now."""
        return len(self.said)

    @property
    def is_asking(self) -> bool:
        """Whether the caller has been asked for a yes or a no, so that one key is an answer."""
        session = self._conversation.session
        return session.asked_in == session.facts.turn
