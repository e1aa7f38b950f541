"""What a chat model is told and what it says, in no vendor's words."""

from collections.abc import Sequence
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, TypeAlias

from switchboard.contract.business.business import Business
from switchboard.contract.call import ToolCall
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import ToolResponse


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the human said, typed, pressed or clicked, in words.

    Attributes:
        moment: What was true just then, such as the time, as the house tells it; of what was said in earlier turns only
            when, and only where that was on another day. It stands here and not in the system prompt so that everything
            before stays the same.
        at: When it was said (aware); None where nobody knows.
    """

    text: str
    moment: str = ""
    at: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Spoken:
    """What the model said in one go: words, then calls.

    Attributes:
        text: As far as the human heard or saw it.
        calls: Each is answered by exactly one `ToolMessage` before anything else follows.
        native: What the vendor wants back unchanged, such as Gemini's content with its thought signatures.
        has_unheard: Whether words in `native` were held back: it is given back with `text` in place of its words.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    native: Any = None
    has_unheard: bool = False


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """What a call came to."""

    call_id: str
    name: str
    response: ToolResponse


@dataclass(frozen=True, slots=True)
class Noted:
    """A fact from the house that nobody said aloud, such as that the caller has agreed."""

    text: str


Message: TypeAlias = UserMessage | Spoken | ToolMessage | Noted


@dataclass(frozen=True, slots=True)
class Scene:
    """What a system prompt tells in words, as data: for a model that cannot read, such as the rehearsal.

    Attributes:
        business: For whom it speaks; None where it could not be read.
        channel: Where.
        definitions: The tools that are offered, in the words of this business.
    """

    business: Business | None = None
    channel: Channel = Channel.PORTAL
    definitions: Sequence[Definition] = ()


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request to a model.

    Attributes:
        system: Who it is, for whom it speaks, and the rules.
        messages: The conversation so far, oldest first.
        tools: Declarations in the model's own dialect, as they stand under `tools`; empty when it must only speak.
        max_tokens: How long the answer may become; None leaves that to the vendor.
        scene: The same once more for a model that cannot read; no vendor is sent it.
    """

    system: str
    messages: Sequence[Message]
    tools: Sequence[JsonObject] = ()
    max_tokens: int | None = None
    scene: Scene = Scene()


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of what it says, in order."""

    text: str


@dataclass(frozen=True, slots=True)
class CallPiece:
    """A fragment of a tool call.

    Attributes:
        index: Which call of this answer it belongs to.
        id: The vendor's call id; empty in later fragments, and where the vendor has none.
        name: The tool; empty in later fragments.
        arguments: A piece of the JSON text.
    """

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


class Ending(StrEnum):
    """Why a model stopped."""

    STOPPED = "stopped"
    CALLS = "calls"
    CUT_OFF = "cut_off"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of an answer; the last event of every stream that was not broken off.

    Attributes:
        native: See `Spoken.native`.
        input_tokens: As the vendor counted, None where it does not tell; so is `output_tokens`.
    """

    ending: Ending
    native: Any = None
    input_tokens: int | None = None
    output_tokens: int | None = None


REHEARSAL: Final = "rehearsal"
"""The name of the model that answers where no vendor's is set: nobody is paid for it, and it counts no tokens."""

ModelEvent: TypeAlias = TextPiece | CallPiece | Ended


class ModelError(Exception):
    """The model did not answer, or broke off; what it had said until then stands.

    Attributes:
        is_permanent: Whether trying again is pointless, as with a refused key.
    """

    def __init__(self, reason: str, *, is_permanent: bool = False) -> None:
        """Keep the reason for the log; nobody is told of it."""
        super().__init__(reason)
        self.is_permanent = is_permanent
