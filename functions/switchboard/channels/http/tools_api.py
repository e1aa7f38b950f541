"""`GET /tools/definitions` and `POST /tools/execute`: the tools of a business, for services that run the conversation.

Every tool-level outcome is HTTP 200 with an envelope. 4xx says that the request itself is malformed or not allowed; its
body has the envelope's shape too, with `error.field` naming what is wrong.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.catalog.arguments.strict_json import MalformedJson, parse_json
from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.channels.http.answer import json_answer
from switchboard.channels.http.context import call_facts, channel_of, check_agent
from switchboard.channels.http.credentials import Credentials, Rejected, entitled
from switchboard.channels.http.redeliveries import Redeliveries, action_key
from switchboard.channels.http.request_body import Malformed, json_object, optional_text, text
from switchboard.contract.call import ToolCall
from switchboard.contract.channel import Channel
from switchboard.contract.context import Context, PhoneContext
from switchboard.contract.credential import Credential, Scope
from switchboard.contract.error import Refused, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.response import Failure, ToolResponse
from switchboard.contract.store import StoreError
from switchboard.formats import FORMATS
from switchboard.pipeline.json_text import json_bytes
from switchboard.pipeline.ledger.admission import options_of
from switchboard.pipeline.result.outcome import not_started

if TYPE_CHECKING:
    from switchboard.pipeline.dispatcher import Dispatcher

CallerNumber: TypeAlias = Callable[[str | None], str | None]
"""Returns a caller's number in E.164 as it was signalled; None where it was withheld, or is none."""

LISTING_FORMATS = ("canonical", *FORMATS)
"""What `format` may be."""
TOOL_CALL = "tool_call"
"""The `type` of a request that is a call of seed 000's protocol, and the name of that format."""
_TRUE = ("1", "true", "yes")


def known_format(name: str) -> str:
    """Return the name of a format.

    Raises:
        Malformed: There is none of that name.
    """
    if name not in LISTING_FORMATS:
        raise Malformed("format", f"format must be one of {', '.join(LISTING_FORMATS)}.")
    return name


def routes(
    catalog: Catalog,
    dispatcher: "Callable[[], Dispatcher]",
    credentials: Credentials,
    caller_number: CallerNumber,
    redeliveries: Redeliveries,
) -> list[Route]:
    """Return the routes of the `tools` function, without its path prefix.

    `dispatcher` is asked for when the first call comes: whoever only lists tools need not wait for what runs them.
    `caller_number` reads the numbers that services tell, as it does those of the phone network. `redeliveries` knows
    actions again of which no conversation is told.
    """
    calls = _Calls(catalog, dispatcher, redeliveries)

    async def definitions(request: Request) -> Response:
        try:
            credential = await credentials.recognise(request.headers.get("authorization"))
        except Rejected as rejected:
            # Without the store no key can be checked, but the built artifact holds nothing of any business: a
            # receptionist that starts in an outage still learns what it may do.
            if rejected.status != 503:
                raise
            credential = None
        query = request.query_params
        business_id = text(query, "businessId")
        format = known_format(query.get("format", "canonical"))
        options = Options(
            channel=channel_of(query.get("channel"), "channel"),
            session_id=optional_text(query, "sessionId"),
            is_verified=query.get("callerVerified", "").lower() in _TRUE,
            agent_id=optional_text(query, "agentId"),
            applies_intents=False,
        )
        if credential is None:
            offer = catalog.without_business(options)
        else:
            entitled(credential, Scope.READ, business_id)
            await check_agent(catalog, business_id, options.agent_id, "agentId")
            offer = await catalog.get_tool_definitions(business_id, options)
        return json_answer(offer.body(format, query.get("explain", "").lower() in _TRUE, orjson.dumps))

    async def execute(request: Request) -> Response:
        credential = await credentials.recognise(request.headers.get("authorization"))
        body, call = _of_protocol(await json_object(request), credential)
        context = _read(call_facts(body), caller_number)
        name = request.path_params.get("name") or text(body, "name")
        entitled(credential, Scope.EXECUTE, context.business_id)
        await check_agent(catalog, context.business_id, context.agent_id, "context.agentId")
        arguments = body.get("args", {})
        if (format := optional_text(body, "format") or "canonical") != "canonical":
            arguments = await _meant(catalog, known_format(format), ToolCall(name, arguments, context.call_id), context)
        response = await calls.execute(ToolCall(name, arguments), context, credential, body["context"])
        return json_answer(json_bytes(_to_protocol(call, response) if call else response.to_json()))

    return [
        Route("/definitions", definitions, methods=["GET"]),
        Route("/execute", execute, methods=["POST"]),
        Route("/execute/{name}", execute, methods=["POST"]),
    ]


def _read(context: Context, caller_number: Callable[[str | None], str | None]) -> Context:
    """Return facts with the caller's number in E.164; one that is told and is none is withheld."""
    if context.caller_phone is None:
        return context
    # One caller is one in any spelling, and "anonymous" is nobody, whom two strangers would be otherwise.
    number = caller_number(context.caller_phone)
    if isinstance(context, PhoneContext):
        return replace(context, caller_phone=number, is_withheld=number is None)
    return replace(context, caller_phone=number)


@dataclass(frozen=True, slots=True)
class _Calls:
    """Executes calls, also those of which no conversation is told."""

    catalog: Catalog
    dispatcher: "Callable[[], Dispatcher]"
    redeliveries: Redeliveries

    async def execute(self, call: ToolCall, context: Context, by: Credential, told: JsonObject) -> ToolResponse:
        """Return the answer to a call; `told` is what its request says of it, which is all that it is known again by.

        An action that nobody can say of whether it came before is not begun.
        """
        business_id = context.business_id
        try:
            if told.get("callId") and not told.get("sessionId") and await self._acts(call, context):
                whose = (by.business_id, by.key_id, by.holder, business_id)
                key = action_key(call, "tools", *whose, json.dumps(told, sort_keys=True))
                context = replace(context, session_id=f"s_{await self.redeliveries.place(business_id, key)}")
        except StoreError as error:
            return ToolResponse(failure=Failure.of(not_started(call.name, error)))
        return await self.dispatcher().execute_tool(call.name, call.arguments, business_id, context)

    async def _acts(self, call: ToolCall, context: Context) -> bool:
        try:
            return (await self.catalog.for_call(context.business_id, options_of(context)))[0].acts(call.name)
        except ToolError:
            # Nothing is done for a business that cannot be had; the call is answered with why.
            return False


def _of_protocol(body: JsonObject, credential: Credential) -> tuple[JsonObject, ToolCall | None]:
    """Return a request as it is; a call of seed 000's protocol as other requests tell it, and the call itself.

    The seed names the business among the arguments, where it decides nothing: a key speaks for one business, and one
    that is named otherwise is refused. Without a `context` it is a phone call's, and a conversation of its own.

    Raises:
        Malformed: It names no tool, or its arguments are no object.
    """
    if body.get("type") != TOOL_CALL:
        return body, None
    try:
        call = FORMATS[TOOL_CALL].parse(body)
    except Refused as error:
        field = "arguments" if isinstance(body.get("tool_name"), str) else "tool_name"
        raise Malformed(field, error.message) from None
    business_id = body.get("businessId") or _named_in(call.arguments) or credential.business_id
    context = body.get("context", {"channel": Channel.PHONE.value})
    if isinstance(context, dict) and call.call_id:
        context = {"callId": call.call_id} | context
    return {"businessId": business_id, "name": call.name, "args": call.arguments, "context": context}, call


def _named_in(arguments: JsonObject | str | None) -> Any:
    try:
        read = parse_json(arguments) if isinstance(arguments, str) else arguments
    except MalformedJson:
        # Whatever it names, nothing comes of it but words about what is wrong with it.
        return None
    return read.get("business_id") if isinstance(read, dict) else None


def _to_protocol(call: ToolCall, response: ToolResponse) -> JsonObject:
    answer = FORMATS[TOOL_CALL].render(call.call_id, call.name, response)
    # Whoever carries the conversation has to do what a tool asks of it; most ask nothing.
    intents = response.to_json()["intents"]
    return answer | ({"intents": intents} if intents else {})


async def _meant(catalog: Catalog, format: str, call: ToolCall, context: Context) -> JsonObject | str | None:
    """Return arguments as the tool's own definition names them, from a dialect in which they had to be renamed."""
    offer, _, _ = await catalog.for_call(context.business_id, options_of(context))
    return offer.meant(format, call).arguments
