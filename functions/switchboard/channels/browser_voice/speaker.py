"""Who is speaking: whoever the portal's door would let in, on this channel."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from starlette.requests import Request

from switchboard.channels.http.request_body import Malformed, optional_text
from switchboard.channels.portal.portals import Portal
from switchboard.contract.context import BrowserVoiceContext, PortalContext
from switchboard.conversation.speech.utterance import Utterance

LAST_TURN = 999_999

LONGEST_UTTERANCE = 4_000


class VoiceVisitor(Protocol):
    """Somebody who was let in: what is known of them and their conversation, and where they are."""

    @property
    def facts(self) -> PortalContext:
        """What their credential says; nothing of it comes from a body."""

    @property
    def portal(self) -> Portal:
        """The business, as browsers are told of it."""


class VoiceAuth(Protocol):
    """Lets requests in by a visitor token, or by a service's API key."""

    async def admit(self, request: Request, said: Mapping[str, Any]) -> VoiceVisitor:
        """Return who a request comes from; `said` holds the `businessId` and `sessionId` that it names.

        Raises:
            Rejected: 401, nobody we know; 403, not for this business or conversation; 503, nobody can tell.
            Malformed: A service names no business or no conversation.
            StoreError: The business cannot be read.
        """


@dataclass(frozen=True, slots=True)
class Speaker:
    """Somebody who speaks through a browser."""

    facts: BrowserVoiceContext
    portal: Portal

    @property
    def key(self) -> tuple[str, str]:
        """Business and conversation."""
        return self.facts.business_id, self.facts.session_id


async def admit(door: VoiceAuth, request: Request, said: Mapping[str, Any]) -> Speaker:
    """Return who is speaking; raises what the door raises."""
    guest = await door.admit(request, said)
    known = guest.facts
    facts = BrowserVoiceContext(
        business_id=known.business_id,
        session_id=known.session_id,
        turn=0,
        caller_phone=known.caller_phone,
        caller_id=known.caller_id,
        caller_verified=known.caller_verified,
        since=known.since,
        address=known.address,
        applies_intents=True,
    )
    return Speaker(facts, replace(guest.portal, business=guest.portal.spoken))


def turn_number(said: Mapping[str, Any], field: str, least: int) -> int:
    """Return a field that names a human turn, from 1.

    Raises:
        Malformed: It is missing, or no such number.
    """
    value = said.get(field)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= LAST_TURN:
        raise Malformed(field, f"{field} must be a whole number from {least} on: human turns are counted from 1.")
    return value


def utterance(said: Mapping[str, Any], within: str = "") -> Utterance:
    """Read `{text}`, or `{button, question}` where the question is the turn under which the button stands.

    Raises:
        Malformed: It has neither or both, or something else than that.
    """
    text = optional_text(said, "text", within=within, longest=LONGEST_UTTERANCE)
    button, question = optional_text(said, "button", within=within), said.get("question")
    if (text is None) == (button is None):
        raise Malformed(within.rstrip("."), f"Exactly one of {within}text and {within}button is needed.")
    if button not in (None, "yes", "no"):
        raise Malformed(f"{within}button", f"{within}button must be yes or no.")
    if question is not None and (not isinstance(question, int) or isinstance(question, bool)):
        raise Malformed(f"{within}question", f"{within}question must be the turn of the question that is answered.")
    return Utterance(text or "", button=button or "", question=question if button else None)
