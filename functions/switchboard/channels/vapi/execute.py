"""`POST /api/tools/{id}/execute`: what Vapi's tools call back (seed 002, "Tool Execution Flow").

A message of tool calls is answered with HTTP 200 whatever its tools come to, since Vapi hears nothing else. 4xx says
that a request proves nothing, or cannot be read.
"""

import logging
from collections.abc import Awaitable, Callable

import orjson
from starlette.requests import Request
from starlette.responses import Response

from switchboard.channels.http.answer import json_answer, refusal
from switchboard.channels.http.request_body import Malformed
from switchboard.channels.vapi.callbacks import Callbacks
from switchboard.channels.vapi.request import bounded, let_in
from switchboard.channels.vapi.request_proof import RequestProofs
from switchboard.channels.vapi.transfer_request import TRANSFER_REQUEST, TransferRequests
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.store import StoreError
from switchboard.formats.vapi.delivery import TOOL_CALLS, read_delivery

log = logging.getLogger(__name__)

NOTHING = orjson.dumps({})


def endpoint(
    proofs: RequestProofs, callbacks: Callbacks, transfers: TransferRequests
) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint; one address may serve every tool of a business, since a message names the tool it calls."""

    async def execute(request: Request) -> Response:
        asked = await let_in(proofs, request, await bounded(request))
        if asked.message_type == TRANSFER_REQUEST:
            return json_answer(await transfers.answer(asked))
        try:
            delivery = read_delivery(asked.body)
        except Refused as error:
            if asked.message_type not in ("", TOOL_CALLS):
                # Whatever else Vapi tells there, nobody waits for the answer.
                return json_answer(NOTHING)
            raise Malformed("message", error.message) from None
        try:
            answer = await callbacks.answer(request.path_params["id"], asked, delivery)
        except StoreError as error:
            log.error("a tool's callback failed", extra={"reason": type(error).__name__, "pii.detail": str(error)})
            return refusal(503, ErrorType.TRANSIENT, "Tools cannot be looked up right now; try again in a few seconds.")
        if answer is None:
            return refusal(404, ErrorType.NOT_FOUND, "There is no such tool.")
        return json_answer(answer)

    return execute
