"""`tools/list` and `tools/call` of one request, in the protocol's own objects and without its library.

What fails within a tool is a result that a model can read and act on; only a tool that does not exist, or a business
that cannot be read, is an error of the protocol.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.channels.http.idempotency import REDELIVERED_S, Redeliveries, action_key
from switchboard.channels.mcp.elicitation import (
    MOST_ROUNDS,
    NAME,
    UNANSWERED,
    UNASKED,
    WITHDRAWN,
    ElicitedQuestions,
    reply,
)
from switchboard.channels.mcp.request_session import TURN_KEY, TURN_S, RequestSession, call_id, counted_turn, turn_of
from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import DEFINITION_TTL_S
from switchboard.contract.ports import Clock
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import Failure, ToolResponse
from switchboard.contract.store import StoreError
from switchboard.formats import FORMATS
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.pipeline.result.outcome import not_started

if TYPE_CHECKING:
    from switchboard.catalog.offer.offer import Offer
    from switchboard.pipeline.dispatcher import Dispatcher

_MCP = FORMATS["mcp"]
_DECLINED = "Nothing was done: the person was asked and said no. Do not call it again unless they ask for it anew."
_NOT_ASKED = {
    UNANSWERED: "Nothing was done: the person was asked and did not answer in time. Ask them before calling again.",
    WITHDRAWN: "Nothing was done: the call was cancelled before the person had answered.",
    UNASKED: "Nothing was done: this client could not put the question to the person. Tell them so; do not try again.",
}
_UNHEARD = "Nothing was done: what the person answered could not be recorded. Call the tool again to ask anew."
# What one turn has used up, a client that counts none waits for: it is to be told what the turn is.
_OF_A_TURN = frozenset({ErrorType.BUDGET_EXCEEDED, ErrorType.LOOP_DETECTED})
_WHAT_A_TURN_IS = (
    f"(This client counts no turns of the person's, so calls within one window of {TURN_S} s count as one turn; the "
    f'next begins within {TURN_S} s. An application that counts them sends _meta {{"{TURN_KEY}": n}} with each call, '
    "and one more whenever the person has spoken.)"
)
_CUT = "It was done, but the answer is too long for this channel; here is its beginning. Ask for less next time."


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools of every business, for whoever was let in.

    Attributes:
        catalog: What is offered.
        dispatcher: Gives what executes; asked for when the first call comes.
        approvals: What was agreed to.
        questions: Asks humans through their client.
        clock: The time.
        redeliveries: Knows actions again that name no conversation.
    """

    catalog: Catalog
    dispatcher: "Callable[[], Dispatcher]"
    approvals: Approvals
    questions: ElicitedQuestions
    clock: Clock
    redeliveries: Redeliveries

    async def list(self, visit: RequestSession) -> JsonObject:
        """Return the result of `tools/list`: everything, in one page and in one order.

        Raises:
            ToolError: NOT_FOUND, the business is gone.
        """
        options = replace(_options(visit), session_id=visit.session_id if visit.is_named else None)
        offer = await self.catalog.get_tool_definitions(visit.business_id, options)
        tools = [
            # What is only accepted answers with that, and not yet with what the tool promises.
            {k: v for k, v in declaration.items() if k != "outputSchema"}
            if offered.definition.is_async
            else declaration
            for offered, declaration in zip(offer.tools, offer.declared("mcp"), strict=True)
        ]
        # Told apart by credential, and good for as long as the catalog itself keeps it.
        return {
            "tools": tools,
            "ttlMs": int(DEFINITION_TTL_S * 1000),
            "cacheScope": "private",
            "resultType": "complete",
        }

    async def call(
        self,
        visit: RequestSession,
        request_id: str | int | None,
        params: Mapping[str, Any],
        *,
        can_ask: Callable[[], bool],
    ) -> JsonObject:
        """Return the result of `tools/call`.

        Args:
            visit: Whose call it is.
            request_id: Of the JSON-RPC request: a request that is sent again is the same delivery.
            params: `{name, arguments?, _meta?, inputResponses?, requestState?}`.
            can_ask: Tells whether the client puts a question to its human; asked when there is one.

        Raises:
            ToolError: NOT_FOUND, nobody has ever heard of such a tool.
        """
        name, now = str(params.get("name")), self.clock.now()
        turn = turn_of(params.get("_meta"), now)
        id = call_id(request_id, params, turn)
        answer = reply(params.get("inputResponses"))
        question = self.questions.asked(visit, name, params.get("requestState"), now) if answer is not None else None
        if answer is not None and question is not None:
            visit = visit.within(question.session_id)
            # Answering is the human's next turn; its call is a further delivery, whatever id the client gives it.
            turn = max(turn, question.turn + 1)
            id = f"{call_id(request_id, params, question.turn)}~{question.turn}"
            try:
                consent = await self.approvals.hear(
                    *(visit.business_id, visit.session_id, turn, answer, now), question=question.turn, sees_one=True
                )
            except StoreError:
                return _result(id, name, _refusal(_UNHEARD, ErrorType.TRANSIENT))
            # A no is one whether or not a question is still open: it is not put to them again.
            if answer == "no" or consent.verdict == "declined":
                return _result(id, name, _refusal(_no(params), ErrorType.CONFIRMATION_REQUIRED))
        offer = (await self.catalog.for_call(visit.business_id, _options(visit)))[0]
        call = _read(offer, name, params.get("arguments"))
        is_counted = visit.is_named and counted_turn(params.get("_meta")) is not None
        if question is None and not is_counted and offer.acts(call.name):
            try:
                visit, id = await self._place(visit, request_id, params, call)
            except StoreError as error:
                return _result(id, name, ToolResponse(failure=Failure.of(not_started(name, error))))
        context = visit.context(id, turn)
        response = await self.dispatcher().execute_tool(call.name, call.arguments, visit.business_id, context)
        failure = response.failure
        if failure is not None and failure.type is ErrorType.NOT_FOUND and _is_unheard_of(offer, call):
            raise ToolError(ErrorType.NOT_FOUND, failure.message)
        if failure is not None and failure.type is ErrorType.CONFIRMATION_REQUIRED:
            words = str(response.meta.get("readBack") or failure.message)
            round = question.round + 1 if question is not None else 1
            if round <= MOST_ROUNDS and can_ask():
                return self.questions.ask(visit, name, turn, words, now, round=round)
            response = _with_words(response, _how_a_yes_is_reported(visit, turn, words))
        elif failure is not None and failure.type in _OF_A_TURN and counted_turn(params.get("_meta")) is None:
            response = _with_words(response, _WHAT_A_TURN_IS)
        return _result(id, name, _within_promise(offer, call, response))

    async def _place(
        self, visit: RequestSession, request_id: str | int | None, params: Mapping[str, Any], call: ToolCall
    ) -> tuple[RequestSession, str]:
        """Return the conversation and the delivery's id of an action: the same when it is sent again.

        A turn by the clock, and a conversation for each request, would part it from its own repetition. In a named
        conversation it is known for as long as a turn lasts: a client may count its requests from the start anew.

        Raises:
            StoreError: Nobody knows whether it came before.
        """
        key, within_s = (
            action_key(call, visit.fingerprint(request_id, params)),
            TURN_S if visit.is_named else REDELIVERED_S,
        )
        place = await self.redeliveries.place(visit.business_id, key, within_s)
        return visit if visit.is_named else visit.within(f"mcp_{place}"), call_id(request_id, params, place)


def _with_words(response: ToolResponse, words: str) -> ToolResponse:
    """Return a failure that says more."""
    assert response.failure is not None
    return replace(response, failure=replace(response.failure, message=f"{response.failure.message} {words}"))


def _how_a_yes_is_reported(visit: RequestSession, turn: int, words: str) -> str:
    """Return what a client that does not ask its human reads beside the question: where a yes comes from then."""
    if not visit.is_named:
        return (
            "This client does not ask them itself. For their answer to be heard, the application first names the "
            "conversation in the server's address (?session=...); then call the tool again."
        )
    context = {"channel": visit.channel.value, "sessionId": visit.session_id, "turn": turn + 1}
    body = {"businessId": visit.business_id, "context": context, "heard": {"text": "..."}, "asked": words}
    return (
        "This client does not ask them itself, so its application reports what they answered, in their own words as "
        f"heard.text: POST /tools/heard {orjson.dumps(body).decode()}. Then the call is made again in that turn, with "
        f'_meta {{"{TURN_KEY}": {turn + 1}}}. No argument and no tool call is a yes.'
    )


def _options(visit: RequestSession) -> Options:
    return Options(visit.channel, visit.session_id, agent_id=visit.agent_id, applies_intents=False)


def _read(offer: "Offer", name: str, arguments: Any) -> ToolCall:
    known = {offered.name: offered.definition for offered in offer.tools}
    return _MCP.read({"params": {"name": name, "arguments": arguments}}, known)


def _is_unheard_of(offer: "Offer", call: ToolCall) -> bool:
    return offer.named(call.name) is None and offer.why_not(call.name) is None


def _within_promise(offer: "Offer", call: ToolCall, response: ToolResponse) -> ToolResponse:
    """Return a response that a client may hold against the output schema: one that was shortened may not fit it."""
    offered = offer.named(call.name)
    returns = offered.tool.returns if offered is not None and not offered.definition.is_async else None
    if response.data is None or returns is None or returns.is_valid(response.data):
        return response
    # Published by an earlier version, a schema lacks what the tool answers with by now.
    known = {name: value for name, value in response.data.items() if name in returns.schema.get("properties", {})}
    if returns.is_valid(known):
        return replace(response, data=known)
    text = orjson.dumps(response.data, default=str).decode()
    failure = Failure(ErrorType.PERMANENT, f"{_CUT} {text}", retryable=False, partial_side_effects=False)
    return ToolResponse(failure=failure, intents=response.intents, meta=response.meta)


def _no(params: Mapping[str, Any]) -> str:
    """Return what is told of an answer that is no yes: for what was no answer of the human's, which it was."""
    action = params["inputResponses"][NAME].get("action")
    return _NOT_ASKED.get(action, _DECLINED) if isinstance(action, str) else _DECLINED


def _refusal(message: str, type: ErrorType) -> ToolResponse:
    return ToolResponse(failure=Failure(type, message, retryable=False, partial_side_effects=False))


def _result(id: str, name: str, response: ToolResponse) -> JsonObject:
    """Return a response as a result; what is for the application and not for its model stands in `_meta`."""
    envelope = orjson.loads(orjson.dumps(response.to_json(), default=str))
    aside = {f"switchboard/{key}": envelope[key] for key in ("intents", "meta") if envelope[key]}
    return _MCP.render(id, name, response) | ({"_meta": aside} if aside else {})
