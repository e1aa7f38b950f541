"""One request of Vapi's as it is let in: size, proof, JSON, in an order in which a stranger learns nothing.

Vapi proves itself in one of two ways. It shows one of the business's API keys that may execute tools: as a bearer, as
`X-Vapi-Secret`, or in the hidden static parameter of a mirrored tool. Or it signs: HMAC-SHA256 over
`{timestamp}.{body}` with the business's own callback secret. Nothing else says whose request it is: an address, a
number or an assistant only says whose signature is looked for.

Vapi runs the conversation, so that turns are counted from the transcript in its messages. An `apiRequest` carries none.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import datetime
from typing import Any, Final

from starlette.requests import Request

from switchboard.catalog.arguments.arguments import MalformedJson, parse_json
from switchboard.catalog.offer.phone_numbers import NumberClaims
from switchboard.channels.http.credentials import Credentials, Rejected, entitled
from switchboard.channels.http.request_body import Malformed
from switchboard.contract.cache import Cache
from switchboard.contract.credential import Scope
from switchboard.contract.document import items, mapping, text
from switchboard.contract.error import Refused, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.observability.subject import concerns
from switchboard.contract.policy import CREDENTIAL_TTL_S
from switchboard.contract.ports import Clock, Paths, Secrets, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import StoreError, Unavailable
from switchboard.formats.vapi.call_facts import VapiFacts, facts_of_message
from switchboard.formats.vapi.delivery import read_delivery

TOOLKIT: Final = "vapi"
CALLBACK_SECRET: Final = "callbackSecret"
FRESH_WITHIN_S: Final = 300
"""How far a signature's time may be from ours, either way (reliability: Standard Webhooks)."""
_SECRETS_KEPT = 5_000
# From here on a timestamp is in milliseconds: Vapi does not say which it sends.
_MILLISECONDS_FROM = 100_000_000_000
_LONGEST_NUMBER = 13
_UNSIGNED = "The signature does not match, or is older than five minutes."

# Without a transcript a turn is a stretch of time: about as long as a model calls tools before it speaks.
TURN_S = 5


@dataclass(frozen=True, slots=True)
class VapiRequest:
    """A request that proved whose it is, and its body."""

    proof: Proof
    body: JsonObject

    @property
    def message_type(self) -> str:
        """The type of its server message; empty where it is none."""
        return text(mapping(self.body.get("message")).get("type"))


async def let_in(proofs: RequestProofs, request: Request, raw: bytes) -> VapiRequest:
    """Return a request that Vapi sent for a business.

    Args:
        proofs: Recognises it.
        request: Its headers and its address.
        raw: Its body, as `whole_body` reads it.

    Raises:
        Rejected: 401, 403 or 503, as `RequestProofs` says.
        Malformed: The body is no JSON object.
    """
    key_proof = await proofs.by_key(request)
    try:
        body = parse_json(raw)
    except MalformedJson as error:
        if key_proof is None:
            # What cannot be read may be signed all the same; its phone call is not known then.
            await proofs.by_message(request, raw, VapiFacts())
        raise Malformed("", f"The body cannot be read: it {error}.") from None
    call = _facts(body)
    proof = key_proof or await proofs.by_message(request, raw, call)
    concerns(proof.business_id, call.conversation)
    claimed = request.query_params.get("business")
    # An address that names none leaves it to the proof.
    if claimed and claimed != proof.business_id:
        shown = "signature" if proof.signature else "API key"
        raise Rejected(403, f"This {shown} does not belong to the business named in the request.")
    if not isinstance(body, dict):
        raise Malformed("", "The body must be a JSON object.")
    return VapiRequest(proof, body)


def _facts(body: Any) -> VapiFacts:
    try:
        return read_delivery(body).facts
    except Refused:
        return facts_of_message(mapping(mapping(body).get("message")), "")


def unproven(raw: bytes) -> tuple[str, VapiFacts]:
    """Return a message's type and what it says of its phone call; nothing is proven, and all empty where unreadable."""
    try:
        body = parse_json(raw)
    except MalformedJson:
        return "", VapiFacts()
    return text(mapping(mapping(body).get("message")).get("type")), _facts(body)


@dataclass(frozen=True, slots=True)
class Proof:
    """A request that has proved itself.

    Attributes:
        business_id: Whose it is.
        signature: What it was signed with, which no other request has; empty where it showed a key.
    """

    business_id: str
    signature: str = field(default="", repr=False)


class RequestProofs:
    """Recognises Vapi's requests."""

    def __init__(self, credentials: Credentials, secrets: Secrets, store: Store, paths: Paths, clock: Clock) -> None:
        """Know keys by `credentials`, callback secrets by `secrets`, and businesses by their numbers in `store`."""
        self._credentials, self._secrets, self._clock = credentials, secrets, clock
        self._numbers = NumberClaims(store, paths)
        # Also of businesses that have none, so that guessing costs no reads.
        self._known: Cache[str, str] = Cache(clock, CREDENTIAL_TTL_S, _SECRETS_KEPT, self._secret_of)

    async def by_key(self, request: Request) -> Proof | None:
        """Return whose key the headers show; None where they show none.

        Raises:
            Rejected: 401, the key is unknown; 403, it may not execute tools; 503, nobody can tell.
        """
        authorization = request.headers.get("authorization")
        secret = request.headers.get("x-vapi-secret")
        if authorization is None and secret is None:
            return None
        return await self._of_key(authorization if authorization is not None else f"Bearer {secret}")

    async def by_message(self, request: Request, raw: bytes, call: VapiFacts) -> Proof:
        """Return whose request it is that shows nothing in its headers but, perhaps, a signature.

        Args:
            request: With its headers and its address, whose `business` says whose signature it is, if it is there.
            raw: The body, byte for byte.
            call: What the body says of its phone call.

        Raises:
            Rejected: 401, it proves nothing; 403, its signature does not count; 503, nobody can tell.
        """
        signature = request.headers.get("x-signature")
        if signature is None:
            if not call.tool_key:
                raise Rejected(401, "Show an API key of the business as 'Authorization: Bearer <key>', or sign.")
            return await self._of_key(f"Bearer {call.tool_key}")
        stamp = request.headers.get("x-timestamp", "")
        if not _is_fresh(stamp, self._clock.now().timestamp()):
            raise Rejected(403, _UNSIGNED)
        try:
            named = request.query_params.get("business")
            for business_id in (named,) if named else await self._of_number(call.called_number):
                secret = (await self._known.get(business_id)).value
                if secret and _is_signed(secret, stamp, raw, signature):
                    return Proof(business_id, f"{stamp}.{signature}")
        except StoreError:
            raise Rejected(503, "Signatures cannot be checked right now; try again in a few seconds.") from None
        raise Rejected(403, _UNSIGNED)

    async def _of_key(self, authorization: str) -> Proof:
        credential = await self._credentials.recognise(authorization)
        entitled(credential, Scope.EXECUTE, credential.business_id)
        return Proof(credential.business_id)

    async def _of_number(self, number: str) -> tuple[str, ...]:
        """Return whose main number it is; of several that claim it, whoever has it rightfully first."""
        claims = (await self._numbers.main([number])).get(number, ()) if number else ()
        return tuple(claim.business_id for claim in claims)

    async def _secret_of(self, business_id: str) -> str:
        try:
            return await self._secrets.reveal(business_id, TOOLKIT, CALLBACK_SECRET) or ""
        except ToolError as error:
            raise Unavailable(f"a callback secret cannot be read: {error.detail or error}") from error


def _is_fresh(stamp: str, now_s: float) -> bool:
    if not (stamp.isascii() and stamp.isdigit() and len(stamp) <= _LONGEST_NUMBER):
        return False
    sent = int(stamp)
    sent_s = sent / 1000 if sent >= _MILLISECONDS_FROM else sent
    return abs(now_s - sent_s) <= FRESH_WITHIN_S


def _is_signed(secret: str, stamp: str, raw: bytes, signature: str) -> bool:
    digest = hmac.digest(secret.encode(), stamp.encode() + b"." + raw, "sha256")
    return hmac.compare_digest(digest, _bytes_of(signature.removeprefix("sha256=")))


def _bytes_of(signature: str) -> bytes:
    """Return a signature's bytes, written in hex or base64; nothing that could be one otherwise."""
    try:
        return bytes.fromhex(signature)
    except ValueError:
        pass
    try:
        return base64.b64decode(signature, validate=True)
    except (binascii.Error, ValueError):
        return b""


@dataclass(frozen=True, slots=True)
class LastTurn:
    """The latest human turn of a conversation.

    Attributes:
        number: Counted from 1, or a stretch of time where there is no transcript.
        words: The caller's words in it; empty where they are not known.
        asked: What the assistant said last before it.
    """

    number: int
    words: str = ""
    asked: str = ""


def last_turn(body: Mapping[str, Any], now: datetime) -> LastTurn:
    """Return the latest turn as a request's body tells it, or as the time does where it tells nothing."""
    number, words, reply, asked, is_caller = 0, "", "", "", False
    for role, spoken in _spoken_words(body):
        if role == "user":
            words = f"{words} {spoken}".strip() if is_caller else spoken
            asked, reply = (asked, "") if is_caller else (reply, "")
            number += not is_caller
        else:
            reply = f"{reply} {spoken}".strip()
        is_caller = role == "user"
    if number:
        return LastTurn(number, words, asked)
    return LastTurn(int(now.timestamp()) // TURN_S)


def _spoken_words(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield who said what, in order; what is neither of the two that speak is left out."""
    artifact = mapping(mapping(body.get("message")).get("artifact"))
    for rows, key in (("messages", "message"), ("messagesOpenAIFormatted", "content")):
        messages = items(artifact.get(rows))
        if not messages:
            continue
        for row in map(mapping, messages):
            role = row.get("role")
            if role in ("user", "bot", "assistant"):
                yield str(role), str(row.get(key) or "")
        return
