"""Who is speaking: whoever the portal's door would let in, on this channel."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request

from switchboard.channels.http.request_body import optional_number
from switchboard.channels.portal.auth import PortalAuth
from switchboard.channels.portal.portals import Portal
from switchboard.contract.context import BrowserVoiceContext

LAST_TURN = 999_999


@dataclass(frozen=True, slots=True)
class Speaker:
    """Somebody who speaks through a browser."""

    facts: BrowserVoiceContext
    portal: Portal


async def admit(door: PortalAuth, request: Request, body: Mapping[str, Any]) -> Speaker:
    """Return who is speaking; raises what the door raises."""
    visitor = await door.admit(request, body)
    known = visitor.facts
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
    return Speaker(facts, replace(visitor.portal, business=visitor.portal.spoken))


def turn_number(body: Mapping[str, Any]) -> int | None:
    """Return the human turn that a request names, None where it names none.

    Raises:
        Malformed: It names what is no turn.
    """
    meaning = "a whole number from 1 on: human turns are counted from 1"
    return optional_number(body, "turn", meaning, least=1, most=LAST_TURN)
