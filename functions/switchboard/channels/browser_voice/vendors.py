"""How each live speech model is told its tools, calls them, and is answered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.formats import gemini, gemini_live, realtime


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
