"""`GET /browser_voice/token`: a Twilio access token for a browser that dials in."""

import hashlib
import re
from collections.abc import Awaitable, Callable
from datetime import timedelta

import orjson
from starlette.requests import Request
from starlette.responses import Response

from switchboard.channels.browser_voice.auth import VoiceAuth, admit
from switchboard.channels.browser_voice.ports import VoiceKey, VoiceKeys
from switchboard.channels.http.answer import json_answer, refusal
from switchboard.channels.stranger_shares import StrangerShares
from switchboard.contract.error import ErrorType
from switchboard.contract.policy import Thing
from switchboard.contract.ports import Clock

LASTS = timedelta(minutes=10)
_PLAIN = re.compile(r"[A-Za-z0-9_]{1,100}")
_NOT_SET_UP = (
    "Browsers cannot dial in to this business: integrations.twilio of its document needs voiceAppSid and apiKeySid, "
    "and the toolkit twilio the secret apiKeySecret. Use POST /browser_voice/session instead."
)


def token_endpoint(
    door: VoiceAuth, keys: VoiceKeys, clock: Clock, shares: StrangerShares
) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint; it answers `{token, identity, expiresAt}`, and 404 where the business has no such key.

    A service names `businessId` and `sessionId` in the query. The token lets a browser call the business's TwiML app
    under its conversation's identity, and nothing else: it takes no calls, and the parameters of a call are the
    browser's own word, so that the phone's webhook has to hold `From=client:<identity>` against the conversation.
    """

    async def token(request: Request) -> Response:
        speaker = await admit(door, request, request.query_params)
        key = await keys.of(speaker.portal.business)
        if key is None:
            return refusal(404, ErrorType.NOT_FOUND, _NOT_SET_UP)
        # A call that comes from a browser costs the business, not its caller.
        await shares.spend(speaker.facts, Thing.VOICE_SESSIONS)
        identity = identity_of(speaker.facts.session_id)
        expires_at = int((clock.now() + LASTS).timestamp())
        body = {"token": _signed(key, identity), "identity": identity, "expiresAt": expires_at}
        return json_answer(orjson.dumps(body), headers={"Cache-Control": "no-store"})

    return token


def identity_of(session_id: str) -> str:
    """Return a conversation's identity at Twilio, which takes letters, digits and underscores only."""
    if _PLAIN.fullmatch(session_id):
        return session_id
    return f"s_{hashlib.sha256(session_id.encode('utf-8', 'replace')).hexdigest()[:40]}"


def _signed(key: VoiceKey, identity: str) -> str:
    from twilio.jwt.access_token import AccessToken  # type: ignore[import-untyped]
    from twilio.jwt.access_token.grants import VoiceGrant  # type: ignore[import-untyped]

    grant = VoiceGrant(outgoing_application_sid=key.application_sid, incoming_allow=False)
    token = AccessToken(
        key.account_sid,
        key.api_key_sid,
        key.api_key_secret,
        grants=[grant],
        identity=identity,
        ttl=int(LASTS.total_seconds()),
    )
    return str(token.to_jwt())
