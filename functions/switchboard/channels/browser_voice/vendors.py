"""What browsers are connected to, live speech models and Twilio, and how each model is told its tools and answered."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from switchboard.contract.business.business import Business
from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import ToolResponse
from switchboard.formats import gemini, gemini_live, realtime


class VoiceVendor(Protocol):
    """A vendor whose speech model a browser talks to directly."""

    @property
    def origins(self) -> tuple[str, ...]:
        """Where browsers connect to, such as `wss://host`, for the page's content security policy."""

    async def open(self, instructions: str, tools: Sequence[JsonObject], language: str, now: datetime) -> JsonObject:
        """Return what a browser needs to open one session: a secret that soon expires, and never the vendor's key.

        Args:
            instructions: The system prompt.
            tools: Declarations in the vendor's own dialect, as they stand under `tools`.
            language: The caller's, such as `en` or `de-AT`.
            now: For vendors that want to be told when things expire.

        Raises:
            ToolError: The vendor does not answer, or refuses.
        """


class VoiceKey(Protocol):
    """What signs Twilio access tokens for one business: an API key's sid and secret, account and TwiML app."""

    @property
    def account_sid(self) -> str:
        """The account, `AC…`."""

    @property
    def api_key_sid(self) -> str:
        """The API key, `SK…`."""

    @property
    def api_key_secret(self) -> str:
        """What it signs with."""

    @property
    def application_sid(self) -> str:
        """The TwiML app that answers calls from browsers, `AP…`."""


class VoiceKeys(Protocol):
    """The keys with which businesses let browsers dial in."""

    async def of(self, business: Business) -> VoiceKey | None:
        """Return a business's key, or None where it has none.

        Raises:
            ToolError: AUTH, what it has cannot be used.
        """


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """One call's one answer; `definition` is None for a tool that is not offered."""

    call: ToolCall
    response: ToolResponse
    definition: Definition | None


class VoiceDialect(Protocol):
    """The words of one vendor."""

    id_field: str
    """Under which name a call carries its id."""
    format: str
    """What it is called among the formats."""

    def declare(self, definitions: Sequence[Definition]) -> list[JsonObject]:
        """Return what stands under `tools`."""

    def parse(self, vendor: Any) -> ToolCall:
        """Read one call.

        Raises:
            Refused: It cannot be read.
        """

    def messages(self, answers: Sequence[CallAnswer]) -> list[JsonObject]:
        """Return the messages that answer these calls, ready to be sent to the vendor; none for no answers."""


class RealtimeDialect:
    """OpenAI Realtime. The browser sends one `response.create` behind the messages, once no response is active."""

    id_field, format = "call_id", "openai_realtime"

    def declare(self, definitions: Sequence[Definition]) -> list[JsonObject]:
        """Return flat tools without `strict`."""
        return realtime.declare_all([realtime.declare(definition) for definition in definitions])

    def parse(self, vendor: Any) -> ToolCall:
        """Read an item of type `function_call`."""
        return realtime.parse(vendor)

    def messages(self, answers: Sequence[CallAnswer]) -> list[JsonObject]:
        """Return one `conversation.item.create` per call."""
        return [realtime.render(a.call.call_id, a.call.name, a.response) for a in answers]


class LiveDialect:
    """Gemini Live, with schemas in Gemini's native form (seed 003, "Tool Exposure")."""

    id_field, format = "id", "gemini_live"

    def declare(self, definitions: Sequence[Definition]) -> list[JsonObject]:
        """Return one tool with every declaration; each says its behaviour, since vendors' defaults differ."""
        return gemini.declare_all([gemini_live.declare(d) for d in definitions])

    def parse(self, vendor: Any) -> ToolCall:
        """Read an element of `toolCall.functionCalls`."""
        return gemini.parse(vendor)

    def messages(self, answers: Sequence[CallAnswer]) -> list[JsonObject]:
        """Return one `toolResponse` for all of them."""
        responses = [gemini_live.answer(a.call.call_id, a.call.name, a.response, a.definition) for a in answers]
        return [gemini_live.together(responses)] if responses else []


DIALECTS: dict[str, VoiceDialect] = {"openai": RealtimeDialect(), "gemini": LiveDialect()}
"""By the provider's name in requests."""
