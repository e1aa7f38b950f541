"""What Vapi, and Twilio on its behalf, ask at `/api`: tools' callbacks, and phone calls that start."""

from dataclasses import dataclass

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.channels.http.answer import json_answer, refusal
from switchboard.channels.http.credentials import Rejected
from switchboard.channels.vapi import execute
from switchboard.channels.vapi.assistant_request import ASSISTANT_REQUEST, AssistantRequests
from switchboard.channels.vapi.callbacks import Callbacks
from switchboard.channels.vapi.incoming import Incoming
from switchboard.channels.vapi.request import bounded, let_in, unproven
from switchboard.channels.vapi.request_proof import RequestProofs
from switchboard.channels.vapi.transfer_request import TRANSFER_REQUEST, TransferRequests
from switchboard.contract.error import ErrorType

UNAVAILABLE = 503
"""The status of a request that nobody can recognise now."""


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
        raw = await bounded(request)
        try:
            asked = await let_in(parts.proofs, request, raw)
        except Rejected as error:
            kind, told = unproven(raw)
            if error.status != UNAVAILABLE or kind != ASSISTANT_REQUEST:
                raise
            # Nobody can say whose call it is, and somebody waits on the line.
            return json_answer(orjson.dumps(parts.assistants.without_store(told)))
        if asked.message_type == TRANSFER_REQUEST:
            return json_answer(await parts.transfers.answer(asked))
        if asked.message_type != ASSISTANT_REQUEST:
            return json_answer(execute.NOTHING)
        answer = await parts.assistants.answer(request.path_params["id"], asked)
        if answer is None:
            return refusal(404, ErrorType.NOT_FOUND, "There is no such phone number.")
        return json_answer(orjson.dumps(answer))

    return [
        Route(
            "/tools/{id}/execute", execute.endpoint(parts.proofs, parts.callbacks, parts.transfers), methods=["POST"]
        ),
        Route("/phone-number/{id}/incoming", incoming, methods=["POST"]),
    ]


def _is_form(request: Request) -> bool:
    return request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
