"""The facts of a call that the model cannot set: who is calling, on which channel, in which conversation.

Three sealed variants, one per channel (seed 004, "Execution"); a handler sees them through `CallContext`.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, TypeAlias

from switchboard.contract.business import Business
from switchboard.contract.channel import Channel
from switchboard.contract.ports import BusinessPaths


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What every channel knows. Phone numbers are E.164."""

    business_id: str
    session_id: str
    turn: int = 1
    call_id: str = ""
    caller_phone: str | None = None
    caller_id: str | None = None
    caller_verified: bool = False
    interaction_id: str | None = None
    agent_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneContext(_Facts):
    """A phone call over Twilio.

    Attributes:
        call_sid: Twilio's id of the phone call, for transferring and ending it.
        auth_token: The business's Twilio token; never shown, logged or stored.
        called_phone: The business's number that was called.
        attestation: The carrier's STIR/SHAKEN verdict, as Twilio passes it on.
    """

    channel: ClassVar[Channel] = Channel.PHONE
    call_sid: str = ""
    auth_token: str = field(default="", repr=False)
    called_phone: str | None = None
    attestation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalContext(_Facts):
    """A chat in the business's portal."""

    channel: ClassVar[Channel] = Channel.PORTAL


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserVoiceContext(_Facts):
    """Speech through the browser's microphone."""

    channel: ClassVar[Channel] = Channel.BROWSER_VOICE


Context: TypeAlias = PhoneContext | PortalContext | BrowserVoiceContext
"""The sealed union: match on it and the type checker proves that no channel was forgotten."""

CONTEXTS: dict[Channel, type[PhoneContext] | type[PortalContext] | type[BrowserVoiceContext]] = {
    Channel.PHONE: PhoneContext,
    Channel.PORTAL: PortalContext,
    Channel.BROWSER_VOICE: BrowserVoiceContext,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """What a handler and the desk may know about the call they serve.

    Attributes:
        business: The business, as read for this call.
        facts: The channel's facts; match on it where a tool needs one channel.
        paths: Builds document paths below this business, and nowhere else.
        now: When the call was admitted (aware, UTC).
        tool: The tool's name.
        effect_key: The same for the same wish in the same session, under whatever call id it arrives.
    """

    business: Business
    facts: Context
    paths: BusinessPaths
    now: datetime
    tool: str
    effect_key: str
