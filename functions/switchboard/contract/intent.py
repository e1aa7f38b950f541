"""Effects on the conversation that a tool asks for and the channel applies (seed 003, "Intent Types")."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from switchboard.contract.json import JsonObject


class IntentType(StrEnum):
    """The closed list of effects a tool may request.

    SWITCH_AGENT is not among those of seed 003: the conversation goes on, with another agent of the business
    (`agentId`, `name`, and perhaps a `message` that is said first).
    """

    END_CALL = "END_CALL"
    TRANSFER_CALL = "TRANSFER_CALL"
    SWITCH_AGENT = "SWITCH_AGENT"
    END_VOICE_SESSION = "END_VOICE_SESSION"
    START_VOICE_SESSION = "START_VOICE_SESSION"
    SUPPRESS_AUDIO = "SUPPRESS_AUDIO"
    SUPPRESS_TRANSCRIPT = "SUPPRESS_TRANSCRIPT"
    SET_PENDING_MESSAGE = "SET_PENDING_MESSAGE"
    INJECT_CONTEXT = "INJECT_CONTEXT"


@dataclass(frozen=True, slots=True)
class Intent:
    """One requested effect; `payload` holds what the channel needs to apply it (a destination id, a message)."""

    type: IntentType
    payload: JsonObject = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse an effect that no channel knows; `ValueError` names those that exist."""
        if not isinstance(self.type, IntentType):
            raise ValueError(f"{self.type!r} is no intent; use one of {', '.join(IntentType)}")

    def to_json(self) -> JsonObject:
        """Return the intent as it stands in the envelope: `{type, payload}`."""
        return {"type": self.type.value, "payload": self.payload}


CALLERS_WORDS: Final = Intent(IntentType.SUPPRESS_TRANSCRIPT, {"of": "caller"})
"""Asked for with every answer of a tool that takes a secret: what the caller said in this turn is not to be kept."""
