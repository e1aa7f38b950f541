"""What Vapi, and Twilio on its behalf, ask at `/api`: tools' callbacks, and phone calls that start.

A message of tool calls is answered with HTTP 200 whatever its tools come to, since Vapi hears nothing else. 4xx says
that a request proves nothing, or cannot be read.
"""

import logging

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.channels.http.answer import Endpoint, json_answer, refusal
from switchboard.channels.http.credentials import Rejected
from switchboard.channels.http.request_body import Malformed, whole_body
from switchboard.channels.vapi.callbacks import Callbacks
from switchboard.channels.vapi.incoming import Incoming
from switchboard.channels.vapi.request import RequestProofs, let_in, unproven
from switchboard.channels.vapi.server_messages import (
    ASSISTANT_REQUEST,
    TRANSFER_REQUEST,
    AssistantRequests,
    TransferRequests,
)
from switchboard.contract.error import ErrorType, Refused, log_fields
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import StoreError
from switchboard.formats.vapi.delivery import TOOL_CALLS, read_delivery

UNAVAILABLE = 503
"""The status of a request that nobody can recognise now."""

log = logging.getLogger(__name__)

NOTHING = orjson.dumps({})


@dataclass(frozen=True, slots=True)
class VapiParts:
    """What the routes work with."""

    proofs: RequestProofs
    callbacks: Callbacks
    incoming: Incoming
    assistants: AssistantRequests
    transfers: TransferRequests


def routes(parts: VapiParts) -> list[Route]:
    """Return the routes that vendors know, below the prefix of the `api` function.

    They stand before those of owners, whose addresses begin with a business's name.
    """

    async def incoming(request: Request) -> Response:
        # Who sends a form is Twilio; it proves itself by its own signature.
        if "x-twilio-signature" in request.headers or _is_form(request):
            return await parts.incoming.answer(request)
        raw = await whole_body(request)
        try:
            message = await let_in(parts.proofs, request, raw)
        except Rejected as error:
            kind, call = unproven(raw)
            if error.status != UNAVAILABLE or kind != ASSISTANT_REQUEST:
                raise
            # Nobody can say whose call it is, and somebody waits on the line.
            return json_answer(orjson.dumps(parts.assistants.without_store(call)))
        if message.message_type == TRANSFER_REQUEST:
            return json_answer(await parts.transfers.answer(message))
        if message.message_type != ASSISTANT_REQUEST:
            return json_answer(NOTHING)
        answer = await parts.assistants.answer(request.path_params["id"], message)
        if answer is None:
            return refusal(404, ErrorType.NOT_FOUND, "There is no such phone number.")
        return json_answer(orjson.dumps(answer))

    return [
        Route("/tools/{id}/execute", endpoint(parts.proofs, parts.callbacks, parts.transfers), methods=["POST"]),
        Route("/phone-number/{id}/incoming", incoming, methods=["POST"]),
    ]


def _is_form(request: Request) -> bool:
    return request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")


def endpoint(proofs: RequestProofs, callbacks: Callbacks, transfers: TransferRequests) -> Endpoint:
    """Return the endpoint; one address may serve every tool of a business, since a message names the tool it calls."""

    async def execute(request: Request) -> Response:
        message = await let_in(proofs, request, await whole_body(request))
        if message.message_type == TRANSFER_REQUEST:
            return json_answer(await transfers.answer(message))
        try:
            delivery = read_delivery(message.body)
        except Refused as error:
            if message.message_type not in ("", TOOL_CALLS):
                # Whatever else Vapi tells there, nobody waits for the answer.
                return json_answer(NOTHING)
            raise Malformed("message", error.message) from None
        try:
            answer = await callbacks.answer(request.path_params["id"], message, delivery)
        except StoreError as error:
            log.error("a tool's callback failed", extra=log_fields(error))
            return refusal(503, ErrorType.TRANSIENT, "Tools cannot be looked up right now; try again in a few seconds.")
        if answer is None:
            return refusal(404, ErrorType.NOT_FOUND, "There is no such tool.")
        return json_answer(answer)

    return execute
