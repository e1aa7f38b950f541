"""A conversation as the model is told it: every call answered exactly once, and only what the caller heard.

Vendors refuse a history in which a call has no answer, or two.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from switchboard.contract.model import Message, Spoken, ToolMessage, UserMessage
from switchboard.conversation.speech.heard import Filler, heard_of

# So many human turns are told again; what came before is in the interaction's record.
TURNS_TOLD = 30


@dataclass(slots=True)
class History:
    """The messages, oldest first."""

    messages: list[Message] = field(default_factory=list)
    _turn_began: int = 0

    def heard(self, text: str) -> None:
        """Begin a human turn."""
        self._forget_beginnings()
        self._turn_began = len(self.messages)
        self.messages.append(UserMessage(text))

    def add(self, message: Message) -> None:
        """Add what followed; an answer stands behind its call, whatever was noted or said in between."""
        at = self._place_of(message) if isinstance(message, ToolMessage) else len(self.messages)
        self.messages.insert(at, message)
        self._turn_began += at < self._turn_began

    def cut_to(self, heard: str, fillers: Sequence[Filler] = ()) -> None:
        """Keep of this turn's words what the caller heard, as far as that can be told, and drop the rest."""
        spoken = [i for i in range(self._turn_began, len(self.messages)) if isinstance(self.messages[i], Spoken)]
        texts = [message.text for i in spoken if isinstance(message := self.messages[i], Spoken)]
        for i, text in zip(spoken, heard_of(texts, heard, fillers), strict=True):
            message = self.messages[i]
            assert isinstance(message, Spoken)
            if message.text != text:
                # The vendor's own copy holds words that were not heard.
                self.messages[i] = replace(message, text=text, native=None)

    def told(self, moment: str) -> Sequence[Message]:
        """Return the messages as the model is told them: with what is true now beside what was heard in this turn.

        It is kept nowhere, so that an earlier turn is told as it was said, and vendors' caches know it again.
        """
        at = self._turn_began
        heard = self.messages[at] if at < len(self.messages) else None
        if not moment or not isinstance(heard, UserMessage):
            return self.messages
        return [*self.messages[:at], replace(heard, moment=moment), *self.messages[at + 1 :]]

    @property
    def this_turn(self) -> Sequence[Message]:
        """What has been added since a human was heard last, that included."""
        return self.messages[self._turn_began :]

    @property
    def last_heard(self) -> str:
        """What the human said in this turn; empty before anybody did."""
        return next((m.text for m in self.this_turn if isinstance(m, UserMessage)), "")

    @property
    def last_spoken(self) -> str:
        """What the model said in this turn, as far as it is known to have been heard."""
        return "".join(m.text for m in self.this_turn if isinstance(m, Spoken))

    def unanswered(self) -> tuple[str, ...]:
        """Return the ids of calls that have no answer yet."""
        answered = {m.call_id for m in self.messages if isinstance(m, ToolMessage)}
        return tuple(
            c.call_id for m in self.messages if isinstance(m, Spoken) for c in m.calls if c.call_id not in answered
        )

    def _place_of(self, answer: ToolMessage) -> int:
        """Return where an answer goes: behind the words that made its call, and the answers that they have."""
        for at in reversed(range(len(self.messages))):
            message = self.messages[at]
            if isinstance(message, Spoken) and any(call.call_id == answer.call_id for call in message.calls):
                end = at + 1
                while end < len(self.messages) and isinstance(self.messages[end], ToolMessage):
                    end += 1
                return end
        return len(self.messages)

    def _forget_beginnings(self) -> None:
        begins = [i for i, message in enumerate(self.messages) if isinstance(message, UserMessage)]
        if len(begins) >= TURNS_TOLD:
            del self.messages[: begins[1 - TURNS_TOLD]]
