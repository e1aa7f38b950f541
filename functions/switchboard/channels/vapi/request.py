"""One request of Vapi's as it is let in: size, proof, JSON, in an order in which a stranger learns nothing."""

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from switchboard.catalog.arguments.arguments import MalformedJson, parse_json
from switchboard.channels.http.credentials import Rejected
from switchboard.channels.http.request_body import Malformed
from switchboard.channels.vapi.request_proof import Proof, RequestProofs
from switchboard.contract import policy
from switchboard.contract.document import mapping, text
from switchboard.contract.error import Refused
from switchboard.contract.json import JsonObject
from switchboard.formats.vapi.call_facts import VapiFacts, facts_of_message
from switchboard.formats.vapi.delivery import read_delivery


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
        raw: Its body, as `bounded` reads it.

    Raises:
        Rejected: 401, 403 or 503, as `RequestProofs` says.
        Malformed: The body is no JSON object.
    """
    shown = await proofs.shown(request)
    try:
        body = parse_json(raw)
    except MalformedJson as error:
        if shown is None:
            # What cannot be read may be signed all the same; its phone call is not known then.
            await proofs.proved(request, raw, VapiFacts())
        raise Malformed("", f"The body cannot be read: it {error}.") from None
    facts = _facts(body)
    proof = shown or await proofs.proved(request, raw, facts)
    claimed = request.query_params.get("business")
    if claimed is not None and claimed != proof.business_id:
        raise Rejected(403, "This API key does not belong to the business named in the request.")
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


async def bounded(request: Request) -> bytes:
    """Return a request's body.

    Raises:
        Malformed: It is too large (413).
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > policy.BODY_BYTES:
            raise Malformed("", f"The body is larger than {policy.BODY_BYTES} bytes.", status=413)
    return bytes(body)
