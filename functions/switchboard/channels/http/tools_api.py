"""`/tools/…`: the tools of a business listed, executed and agreed to, for services that run the conversation.

Every tool-level outcome is HTTP 200 with an envelope. 4xx says that the request itself is malformed or not allowed; its
body has the envelope's shape too, with `error.field` naming what is wrong.

What the human said or did is told before the tool calls of that turn are executed. Whether it was a yes is decided
here, from their own words, keys or button; nothing the model writes comes this way.
"""

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.catalog.definitions.variables import PhoneNumbers
from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.channels.http.answer import Endpoint, json_answer, refusal
from switchboard.channels.http.call_numbers import ToldNumber, with_read_numbers
from switchboard.channels.http.credentials import Credentials, Rejected, entitled
from switchboard.channels.http.idempotency import Redeliveries, action_key
from switchboard.channels.http.request_body import (
    Malformed,
    json_object,
    optional_id,
    optional_number,
    optional_text,
    text,
    with_ids,
)
from switchboard.contract.business.business import Business
from switchboard.contract.call import ToolCall
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, Context, PhoneContext
from switchboard.contract.credential import Credential, Scope
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.observability.subject import concerns
from switchboard.contract.ports import Clock
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.strict_json import MalformedJson, parse_json
from switchboard.contract.response import Failure, ToolResponse
from switchboard.contract.store import StoreError
from switchboard.formats import FORMATS
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.pipeline.confirmation.consent import Reply, Said, clicked, pressed
from switchboard.pipeline.json_text import json_bytes
from switchboard.pipeline.ledger.admission import options_of
from switchboard.pipeline.result.outcome import not_started

if TYPE_CHECKING:
    from switchboard.pipeline.dispatcher import Dispatcher


LISTING_FORMATS = ("canonical", *FORMATS)
"""What `format` may be."""
TOOL_CALL = "tool_call"
"""The `type` of a request that is a call of seed 000's protocol, and the name of that format."""
_TRUE = ("1", "true", "yes")
_IDS = ("sessionId", "callId", "callerId", "interactionId", "agentId")

LONGEST_UTTERANCE = 4_000
_UNNAMED = (
    "context.sessionId is required here: an answer counts in the conversation in which it was asked for, so name the "
    "same one in every call of the conversation."
)
_WHO = (
    "context.callerId is required where context.callerVerified is true: send the id of the caller's record, or leave "
    "callerVerified out."
)


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
    told_number: ToldNumber,
    redeliveries: Redeliveries,
) -> list[Route]:
    """Return the routes of the `tools` function, without its path prefix.

    `dispatcher` is asked for when the first call comes: whoever only lists tools need not wait for what runs them.
    `told_number` reads the numbers that services tell. `redeliveries` knows actions again of which no conversation is
    told.
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
        options = _options(query)
        if credential is None:
            offer = catalog.without_business(options)
        else:
            entitled(credential, Scope.READ, business_id)
            concerns(business_id, options.session_id or "")
            await check_agent(catalog, business_id, options.agent_id, "agentId")
            options = await _with_numbers(options, query, business_id, catalog, told_number)
            offer = await catalog.get_tool_definitions(business_id, options)
        return json_answer(offer.body(format, query.get("explain", "").lower() in _TRUE, orjson.dumps))

    async def execute(request: Request) -> Response:
        credential = await credentials.recognise(request.headers.get("authorization"))
        body, call = _of_protocol(await json_object(request), credential)
        context = call_context(body)
        name = request.path_params.get("name") or text(body, "name")
        entitled(credential, Scope.EXECUTE, context.business_id)
        concerns(context.business_id, context.session_id)
        await check_agent(catalog, context.business_id, context.agent_id, "context.agentId")
        context = await with_read_numbers(context, catalog, told_number)
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


def _options(query: Mapping[str, str]) -> Options:
    return Options(
        channel=channel_of(query.get("channel"), "channel"),
        session_id=optional_id(query, "sessionId"),
        is_verified=query.get("callerVerified", "").lower() in _TRUE,
        agent_id=optional_id(query, "agentId"),
        applies_intents=False,
    )


async def _with_numbers(
    options: Options, query: Mapping[str, str], business_id: str, catalog: Catalog, told_number: ToldNumber
) -> Options:
    """Return for whom the tools are listed, with who calls whom: owners' tools may speak of it.

    Seed 002, "Variable Substitution".

    Raises:
        Malformed: One is no number that can be read.
    """
    told = {name: optional_text(query, name) for name in ("callerPhone", "calledPhone")}
    call = PhoneContext(
        business_id=business_id, session_id="", caller_phone=told["callerPhone"], called_phone=told["calledPhone"]
    )
    return replace(options, numbers=PhoneNumbers.of(await with_read_numbers(call, catalog, told_number, within="")))


@dataclass(frozen=True, slots=True)
class _Calls:
    """Executes calls, also those of which no conversation is told."""

    catalog: Catalog
    dispatcher: "Callable[[], Dispatcher]"
    redeliveries: Redeliveries

    async def execute(self, call: ToolCall, context: Context, by: Credential, told: JsonObject) -> ToolResponse:
        """Return the answer to a call; `told` is what its request says of it, all that it is known again by.

        An action that nobody can say of whether it came before is not begun.
        """
        business_id = context.business_id
        try:
            is_alone = optional_id(told, "sessionId") is None and optional_id(told, "callId") is not None
            if is_alone and await self._acts(call, context):
                fields = with_ids(told, _IDS)
                whose = (by.business_id, by.key_id, by.holder, business_id)
                key = action_key(call, "tools", *whose, json.dumps(fields, sort_keys=True))
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
    if isinstance(context, dict) and call.call_id and optional_id(context, "callId", within="context.") is None:
        context = {**context, "callId": call.call_id}
    return {"businessId": business_id, "name": call.name, "args": call.arguments, "context": context}, call


def _named_in(arguments: JsonObject | str | None) -> Any:
    try:
        document = parse_json(arguments) if isinstance(arguments, str) else arguments
    except MalformedJson:
        # Whatever it names, nothing comes of it but words about what is wrong with it.
        return None
    return document.get("business_id") if isinstance(document, dict) else None


def _to_protocol(call: ToolCall, response: ToolResponse) -> JsonObject:
    answer = FORMATS[TOOL_CALL].render(call.call_id, call.name, response)
    # Whoever carries the conversation has to do what a tool asks of it; most ask nothing.
    intents = response.to_json()["intents"]
    return answer | ({"intents": intents} if intents else {})


async def _meant(catalog: Catalog, format: str, call: ToolCall, context: Context) -> JsonObject | str | None:
    """Return arguments as the tool's own definition names them, from a dialect in which they had to be renamed."""
    offer, _, _ = await catalog.for_call(context.business_id, options_of(context))
    return offer.meant(format, call).arguments


def channel_of(value: Any, field: str) -> Channel:
    """Return the channel that a request names.

    Raises:
        Malformed: It names none, or one that does not exist.
    """
    try:
        return Channel(value)
    except ValueError:
        names = ", ".join(c.value for c in Channel)
        problem = f"{field} is required" if value is None else f"{field} {value!r:.40} is unknown"
        raise Malformed(field, f"{problem}; use one of {names}.") from None


async def check_agent(catalog: Catalog, business_id: str, agent_id: str | None, field: str) -> None:
    """Refuse an agent that a business does not have: what it was kept from must not be had by misspelling it.

    Nothing is read that the call does not need as well; a business that cannot be read is left to its answer.

    Raises:
        Malformed: There is no such agent; the nearest and those that there are are named.
    """
    if agent_id is None:
        return
    try:
        tenant = await catalog.tenant(business_id)
    except ToolError:
        return
    problem = tenant.no_agent(agent_id) if tenant is not None else ""
    if problem:
        raise Malformed(field, f"{field}: {problem}")


def call_context(body: JsonObject) -> Context:
    """Return the context that a request's `businessId` and `context` hold.

    A request that names no conversation is one of its own. The business may stand in either, as seed 004's contexts
    have it ("Execution").

    Raises:
        Malformed: A field is missing or of the wrong kind; it is named.
        Rejected: 403, two businesses are named.
    """
    fields = body.get("context")
    within = optional_text(fields, "businessId", within="context.") if isinstance(fields, dict) else None
    business_id = within if within and body.get("businessId") is None else text(body, "businessId")
    if within not in (None, business_id):
        raise Rejected(403, "context.businessId names another business than businessId.")
    if not isinstance(fields, dict):
        raise Malformed("context", "context is required and must be an object with channel, sessionId, turn, callId.")
    channel = channel_of(fields.get("channel"), "context.channel")
    turn = fields.get("turn", 1)
    if not isinstance(turn, int) or isinstance(turn, bool) or not 0 <= turn < 1_000_000_000:
        raise Malformed("context.turn", "context.turn must be a whole number, counted from 1.")
    verified = fields.get("callerVerified", False)
    if not isinstance(verified, bool):
        raise Malformed("context.callerVerified", "context.callerVerified must be true or false.")

    fields = with_ids(fields, _IDS, within="context.")
    if verified and "callerId" not in fields:
        raise Malformed("context.callerId", _WHO)

    def field(name: str) -> str | None:
        return optional_text(fields, name, within="context.")

    shared: JsonObject = {
        "business_id": business_id,
        # Without a call id each request is its own delivery; repeating it is then not recognised.
        "session_id": fields.get("sessionId") or f"s_{uuid.uuid4().hex}",
        "call_id": fields.get("callId") or f"c_{uuid.uuid4().hex}",
        "turn": turn,
        "caller_phone": field("callerPhone"),
        "caller_id": fields.get("callerId"),
        "caller_verified": verified,
        "interaction_id": fields.get("interactionId"),
        "agent_id": fields.get("agentId"),
    }
    if channel is Channel.PHONE:
        shared |= {
            "call_sid": optional_id(fields, "callSid", within="context.") or "",
            "auth_token": field("authToken") or "",
        }
        shared |= {"called_phone": field("calledPhone"), "attestation": field("attestation")}
        # Told, and no number: not the same as a service that says nothing of it.
        shared["is_withheld"] = fields.get("callerPhone") == ""
    return CONTEXTS[channel](**shared)


def heard_endpoint(catalog: Catalog, approvals: Approvals, credentials: Credentials, clock: Clock) -> Endpoint:
    """Return the endpoint; it answers `{verdict, tool, readBack}`, and where several calls were asked about `tools`.

    `asked` beside `heard` is what the human was told last, word for word: a yes counts for a question that was put.
    `verdict` is `approved` (call the tool again with the same arguments, in this very turn), `declined`, `open` (ask
    `readBack`, once more if it was asked), `lapsed` (too late, or unclear twice: the tool asks anew when it is called)
    or `nothing` (no question was open).
    """

    async def heard(request: Request) -> Response:
        credential = await credentials.recognise(request.headers.get("authorization"))
        body = await json_object(request)
        context = call_context(body)
        entitled(credential, Scope.EXECUTE, context.business_id)
        concerns(context.business_id, context.session_id)
        if "sessionId" not in with_ids(body["context"], _IDS, within="context."):
            raise Malformed("context.sessionId", _UNNAMED)
        answer = body.get("heard")
        if not isinstance(answer, dict):
            raise Malformed("heard", "heard is required and must be an object with text, digits or button.")
        question = optional_number(
            answer, "question", "the turn of the question that a button answers", within="heard."
        )
        asked = optional_text(body, "asked", longest=4 * LONGEST_UTTERANCE) or ""
        try:
            business = await catalog.business(context.business_id) or Business(context.business_id)
            reply = _reply(answer, business.language)
            now, channel = clock.now(), context.channel
            consent = await approvals.hear(
                *(context.business_id, context.session_id, context.turn, reply, now),
                question=question,
                asked=asked,
                channel=channel,
            )
        except StoreError:
            return refusal(503, ErrorType.TRANSIENT, "What was said could not be recorded; tell it again.")
        document: JsonObject = {"verdict": consent.verdict, "tool": consent.tool, "readBack": consent.read_back}
        if consent.others:
            document["tools"] = list(consent.tools)
        return json_answer(orjson.dumps(document))

    return heard


def _reply(answer: JsonObject, language: str) -> Reply | Said:
    text = optional_text(answer, "text", within="heard.", longest=LONGEST_UTTERANCE)
    digits = optional_text(answer, "digits", within="heard.")
    button = optional_text(answer, "button", within="heard.")
    given = [value for value in (text, digits, button) if value is not None]
    if len(given) != 1:
        raise Malformed("heard", "heard must have exactly one of text, digits and button.")
    if text is not None:
        return Said(text, language)
    return pressed(digits) if digits is not None else clicked(button or "")
