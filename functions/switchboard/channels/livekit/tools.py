"""Where a LiveKit worker gets its tools from and has them executed: in its own process, or over HTTP.

A worker lives as long as its calls do, which a Cloud Function cannot; it asks the functions instead.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.contract.business.business import Business
from switchboard.contract.caller.outside_id import outside_id
from switchboard.contract.context import Context
from switchboard.contract.deadline import bounded
from switchboard.contract.definitions.definition import Definition, DefinitionError, read_definition
from switchboard.contract.document import json_object, mapping, text
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock
from switchboard.contract.python.strict_json import MalformedJson, parse_json
from switchboard.contract.response import Failure, ToolResponse
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.pipeline.confirmation.consent import Said

if TYPE_CHECKING:
    import aiohttp

    from switchboard.pipeline.dispatcher import Dispatcher


LISTS_WITHIN_S = 5.0
# An action's own limit is 10 s at most; the answer must have time to come back.
EXECUTES_WITHIN_S = 12.0
_CONNECTS_WITHIN_S = 2.0
_LONGEST_ANSWER = 4_194_304
_LATER = "The tool cannot be reached right now; nothing was done. Try once more."
_UNKNOWN = "The tool did not answer, so that nobody knows whether it was done. Do not say that it was."


class ConversationTools(Protocol):
    """The tools of one conversation. Turns are the human's, counted from 1; 0 is before their first word."""

    @property
    def whose(self) -> tuple[str, str]:
        """The ids of the business and of the conversation."""

    async def offered(self) -> Sequence[Definition]:
        """Return what is offered, in the words of the business.

        Raises:
            ToolError: It cannot be found out.
        """

    async def execute(self, tool: Definition, arguments: JsonObject | str, call_id: str, turn: int) -> ToolResponse:
        """Execute one call and return its envelope, whatever happens; a call id counts once.

        Arguments are an object, or the JSON text that the model wrote.
        """

    async def heard(self, text: str, turn: int, asked: str) -> None:
        """Hold what the human said against what a tool waits for; `asked` are the last words they were told, and heard.

        Raises:
            StoreError, ToolError: It was not heard as far as can be told; the tool will ask again.
        """


class LocalTools:
    """The tools of one conversation, executed in this process."""

    def __init__(
        self, catalog: Catalog, dispatcher: "Dispatcher", approvals: Approvals, clock: Clock, context: Context
    ) -> None:
        """Serve one conversation; `context` are trusted, and their turn and call id are filled in here."""
        self._catalog, self._dispatcher, self._approvals = catalog, dispatcher, approvals
        self._clock, self._context = clock, context

    @property
    def whose(self) -> tuple[str, str]:
        """The ids of the business and of the conversation."""
        return self._context.business_id, self._context.session_id

    async def offered(self) -> Sequence[Definition]:
        """Return what is offered, in the words of the business.

        Raises:
            ToolError: NOT_FOUND, there is no such business.
        """
        context = self._context
        options = Options(
            channel=context.channel,
            session_id=context.session_id,
            is_verified=context.caller_verified,
            agent_id=context.agent_id,
            applies_intents=context.applies_intents,
        )
        offer = await self._catalog.get_tool_definitions(context.business_id, options)
        return [tool.definition for tool in offer.tools]

    async def execute(self, tool: Definition, arguments: JsonObject | str, call_id: str, turn: int) -> ToolResponse:
        """Execute one call through the dispatcher."""
        context = replace(self._context, call_id=call_id, turn=turn)
        return await self._dispatcher.execute_tool(tool.name, arguments, context.business_id, context)

    async def heard(self, text: str, turn: int, asked: str) -> None:
        """Hold what the human said against what a tool waits for.

        Raises:
            StoreError: It was not heard, as far as can be told.
        """
        context = self._context
        business = await self._catalog.business(context.business_id) or Business(context.business_id)
        answer, now = Said(text, business.language), self._clock.now()
        await self._approvals.hear(
            context.business_id, context.session_id, turn, answer, now, asked=asked, channel=context.channel
        )


class HttpRemoteTools:
    """Asks a deployment with a business's API key."""

    def __init__(
        self,
        client: "Callable[[], aiohttp.ClientSession]",
        base_url: str,
        api_key: str,
        business_id: str,
        context: Mapping[str, Any],
    ) -> None:
        """Serve one conversation.

        Args:
            client: Gives the session that requests are sent with.
            base_url: Where the functions are, such as `https://switchboard.example.com`.
            api_key: Of the business, for listing and executing.
            business_id: Whose tools.
            context: What the worker knows of the conversation, as `/tools/execute` takes it: `channel`, `sessionId`,
                and where known `callSid`, `callerPhone`, `agentId`, `callerVerified` with `callerId`, …; turn and call
                id are filled in here.
        """
        self._client, self._base_url, self._business_id = client, base_url.rstrip("/"), business_id
        self._headers = {"Authorization": f"Bearer {api_key}", "Content-Type": "application/json"}
        self._context = dict(context)

    @property
    def whose(self) -> tuple[str, str]:
        """The ids of the business and of the conversation."""
        return self._business_id, outside_id(text(self._context.get("sessionId")))

    async def offered(self) -> Sequence[Definition]:
        """Return what is offered, in the words of the business; what cannot be read is left out.

        Raises:
            ToolError: TRANSIENT, there is no answer; AUTH, the key is refused; PERMANENT, anything else.
        """
        names = ("channel", "sessionId", "agentId")
        query = {name: str(self._context[name]) for name in names if self._context.get(name)}
        if self._context.get("callerVerified"):
            query["callerVerified"] = "true"
        status, body = await self._request("GET", "/tools/definitions", LISTS_WITHIN_S, query=query)
        if status != 200:
            raise _refused(status, body)
        definitions = []
        for row in body.get("tools") or ():
            try:
                definitions.append(read_definition(str(row["name"]), row))
            except (DefinitionError, KeyError, TypeError):
                # A newer deployment may say what this worker does not understand; the other tools still work.
                continue
        return definitions

    async def execute(self, tool: Definition, arguments: JsonObject | str, call_id: str, turn: int) -> ToolResponse:
        """Execute one call and return its envelope; no answer is an envelope too."""
        context = self._context | {"callId": call_id, "turn": turn}
        request = {"businessId": self._business_id, "name": tool.name, "args": arguments, "context": context}
        try:
            status, body = await self._request("POST", "/tools/execute", EXECUTES_WITHIN_S, request)
            if status >= 500 and "ok" not in body:
                raise _no_answer(f"status {status}", sent=True)
            if status != 200:
                raise _refused(status, body)
            return ToolResponse.from_json(body)
        except ToolError as error:
            return ToolResponse(failure=_failure(error, tool))
        except (KeyError, TypeError, ValueError):
            return ToolResponse(failure=Failure(ErrorType.INTERNAL, _UNKNOWN, False, tool.writes))

    async def heard(self, text: str, turn: int, asked: str) -> None:
        """Tell what the human said, and what they were told last.

        Raises:
            ToolError: It was not heard, as far as can be told.
        """
        context = self._context | {"turn": turn, "callId": f"heard-{turn}"}
        request = {"businessId": self._business_id, "context": context, "heard": {"text": text}, "asked": asked}
        status, body = await self._request("POST", "/tools/heard", LISTS_WITHIN_S, request)
        if status != 200:
            raise _refused(status, body)

    async def _request(
        self,
        method: str,
        path: str,
        limit_s: float,
        body: JsonObject | None = None,
        query: Mapping[str, str] | None = None,
    ) -> tuple[int, JsonObject]:
        import aiohttp

        limit = aiohttp.ClientTimeout(total=bounded(limit_s), sock_connect=bounded(_CONNECTS_WITHIN_S))
        try:
            async with self._client().request(
                method,
                self._base_url + path,
                params={"businessId": self._business_id, **query} if query is not None else None,
                data=None if body is None else orjson.dumps(body),
                headers=self._headers,
                timeout=limit,
                allow_redirects=False,
            ) as answer:
                raw = await answer.content.read(_LONGEST_ANSWER + 1)
                while len(raw) <= _LONGEST_ANSWER and (more := await answer.content.read(_LONGEST_ANSWER)):
                    raw += more
                document = parse_json(raw) if len(raw) <= _LONGEST_ANSWER else None
                return answer.status, json_object(document)
        except MalformedJson:
            return answer.status, {}
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise _no_answer(type(error).__name__, sent=False) from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _no_answer(type(error).__name__, sent=True) from error


def _failure(error: ToolError, tool: Definition) -> Failure:
    if error.partial_side_effects and not tool.writes:
        # Whatever became of it: asking changes nothing, and may be done again.
        return Failure(error.type, _LATER, True, False)
    return Failure.of(error)


def _no_answer(detail: str, *, sent: bool) -> ToolError:
    message = _UNKNOWN if sent else _LATER
    return ToolError(ErrorType.TRANSIENT, message, retryable=not sent, partial_side_effects=sent, detail=detail)


def _refused(status: int, body: JsonObject) -> ToolError:
    message = mapping(body.get("error")).get("message")
    type = {401: ErrorType.AUTH, 403: ErrorType.AUTH, 503: ErrorType.TRANSIENT}.get(status, ErrorType.PERMANENT)
    return ToolError(type, str(message or _LATER), detail=f"status {status}")
