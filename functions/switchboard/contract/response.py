"""What comes back from a call: the handler's `Result` and the envelope, version 1.0.0 (seed 003).

Success is `{ok: true, data, intents, meta}`; failure is `{ok: false, error, intents, meta}` where `error` is
`{type, message, retryable, partialSideEffects}`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from switchboard.contract.error import ErrorType, Refused, ToolError, is_failure
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

ENVELOPE_VERSION = "1.0.0"


@dataclass(frozen=True, slots=True)
class Result:
    """What a handler returns: data that matches the tool's `returns`, and the effects it asks the channel for.

    Attributes:
        data: The answer.
        intents: Requested effects on the conversation.
        receipt: For an action: what was done, for whom and when, with the ids of the effect.
        empty: Whether the answer says "there is nothing": the loop check counts these.
    """

    data: JsonObject
    intents: tuple[Intent, ...] = ()
    receipt: JsonObject | None = None
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a call would change, as its tool's `propose` has found it before anybody is asked.

    Attributes:
        facts: By name, for the read-back beside the arguments, and before them where both have a name: which
            appointment it is, from when to when, for whom. Times are aware.
        is_done: Whether it is so already: nobody is asked then, and the tool says that it was done before.
    """

    facts: Mapping[str, Any] = field(default_factory=dict)
    is_done: bool = False

    @property
    def digest(self) -> int:
        """The same for the same facts and, as far as anybody can tell, for no others; a positive integer of 57 bits."""
        facts = sorted((name, _spelled(value)) for name, value in self.facts.items())
        return int.from_bytes(hashlib.sha256(repr(facts).encode("utf-8", "replace")).digest()[:7]) + 1


@dataclass(frozen=True, slots=True)
class Failure:
    """The `error` part of the envelope.

    Attributes:
        was_refused: Whether a check of the house's refused the call; the envelope does not say so.
    """

    type: ErrorType
    message: str
    retryable: bool
    partial_side_effects: bool
    was_refused: bool = field(default=False, compare=False)

    @classmethod
    def of(cls, error: ToolError) -> Failure:
        """Return the part of an error that the model may read."""
        was_refused = isinstance(error, Refused)
        return cls(error.type, error.message, error.retryable, error.partial_side_effects, was_refused)

    @property
    def is_failure(self) -> bool:
        """Whether it counts as a failure (`contract/error.py`), or is an answer like any."""
        return is_failure(self.type, was_refused=self.was_refused, is_unknown=self.partial_side_effects)


@dataclass(frozen=True, slots=True)
class ToolResponse:
    """The one shape in which every call is answered; either `data` or `failure` is set."""

    data: JsonObject | None = None
    failure: Failure | None = None
    intents: tuple[Intent, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the call did what was asked."""
        return self.failure is None

    def to_json(self) -> JsonObject:
        """Return the envelope, version 1.0.0."""
        shared = {"intents": [i.to_json() for i in self.intents], "meta": dict(self.meta)}
        if self.failure is None:
            return {"ok": True, "data": self.data if self.data is not None else {}, **shared}
        error = {
            "type": self.failure.type.value,
            "message": self.failure.message,
            "retryable": self.failure.retryable,
            "partialSideEffects": self.failure.partial_side_effects,
        }
        return {"ok": False, "error": error, **shared}

    @classmethod
    def from_json(cls, envelope: JsonObject) -> ToolResponse:
        """Return the response that `to_json` wrote, as when a stored one is given again."""
        intents = tuple(Intent(IntentType(i["type"]), i["payload"]) for i in envelope["intents"])
        if envelope["ok"]:
            return cls(data=envelope["data"], intents=intents, meta=envelope["meta"])
        error = envelope["error"]
        failure = Failure(ErrorType(error["type"]), error["message"], error["retryable"], error["partialSideEffects"])
        return cls(failure=failure, intents=intents, meta=envelope["meta"])


def _spelled(value: Any) -> str:
    # One moment is one fact, in whatever zone it is told.
    return repr(value.astimezone(UTC) if isinstance(value, datetime) else value)


class Earlier(StrEnum):
    """What was told of a call, when it was made, of which the conversation hears later what came of it."""

    ACCEPTED = "accepted"
    """That it was accepted, and would be carried out."""
    WENT_ON = "went on"
    """That it took too long, and went on."""
    UNKNOWN = "unknown"
    """That nobody knew whether it had been done."""
    LEFT = "left"
    """Nothing: whoever carried it out was gone before there was an answer."""


EARLIER: Final = "earlier"
"""Under this name it stands beside the answer: in its session's document, and in the answer's meta."""


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
