"""What Vapi, and Twilio on its behalf, ask at `/api`: tools' callbacks, and phone calls that start."""

from dataclasses import dataclass

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.channels.answer import json_answer, refusal
from switchboard.channels.vapi import execute
from switchboard.channels.vapi.assistant_request import ASSISTANT_REQUEST, AssistantRequests
from switchboard.channels.vapi.callbacks import Callbacks
from switchboard.channels.vapi.incoming import Incoming
from switchboard.channels.vapi.request import let_in
from switchboard.channels.vapi.request_proof import RequestProofs
from switchboard.contract.error import ErrorType


@dataclass(frozen=True, slots=True)
class VapiParts:
    """What the routes work with."""

    proofs: RequestProofs
    callbacks: Callbacks
    incoming: Incoming
    assistants: AssistantRequests


def routes(parts: VapiParts) -> list[Route]:
    """Return the routes that vendors know, below the prefix of the `api` function.

    They stand before those of owners, whose addresses begin with a business's name.
    """

    async def incoming(request: Request) -> Response:
        # Who sends a form is Twilio; it proves itself by its own signature.
        if "x-twilio-signature" in request.headers or _is_form(request):
            return await parts.incoming.answer(request)
        asked = await let_in(parts.proofs, request)
        if asked.message_type != ASSISTANT_REQUEST:
            return json_answer(execute.NOTHING)
        answer = await parts.assistants.answer(request.path_params["id"], asked)
        if answer is None:
            return refusal(404, ErrorType.NOT_FOUND, "There is no such phone number.")
        return json_answer(orjson.dumps(answer))

    return [
        Route("/tools/{id}/execute", execute.endpoint(parts.proofs, parts.callbacks), methods=["POST"]),
        Route("/phone-number/{id}/incoming", incoming, methods=["POST"]),
    ]


def _is_form(request: Request) -> bool:
    return request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
