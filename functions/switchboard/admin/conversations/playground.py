"""Calling any tool for its owner, as any channel would: what the model is told, each check's decision, the answer.

Whatever the tool does is done: nothing is pretended, so that what an owner sees is what a caller would get.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.request_body import json_body
from switchboard.admin.api.schemas import ANYTHING, ROWS, TEXT, record
from switchboard.admin.conversations import trial_facts
from switchboard.admin.conversations.explain import explain
from switchboard.admin.conversations.trial_facts import CHANNELS
from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.contract.channel import Channel
from switchboard.contract.context import Context
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.formats import FORMATS
from switchboard.pipeline.dispatcher import Dispatcher
from switchboard.pipeline.ledger.admission import options_of

_FORMATS = ["canonical", *FORMATS]
_MOST_TURNS = 1_000
_FIELDS: dict[str, JsonObject] = {
    "name": TEXT,
    "args": {"description": "An object, or text as a model may have written it."},
    **trial_facts.FIELDS,
    "format": {"enum": _FORMATS, "description": "The dialect in which it is told what the model sees."},
    "turn": {"type": "integer", "minimum": 1, "maximum": _MOST_TURNS},
}
_BODY: JsonObject = {"type": "object", "required": ["name"], "properties": _FIELDS, "additionalProperties": False}
_QUERY: dict[str, JsonObject] = {
    "channel": {"enum": CHANNELS, "description": "Where; the portal where nobody says."},
    "verified": {**TEXT, "description": "1 for a caller whose identity is established."},
    "all": {**TEXT, "description": "1 lists those, too, that are not offered there."},
}
_ANSWER = record(
    {
        **dict.fromkeys(("sessionId", "callId", "catalogVersion"), TEXT),
        "turn": {"type": "integer"},
        "told": {"type": "array"},
        "response": ANYTHING,
        "explanation": {"type": ["object", "null"]},
    }
)


class Playground:
    """Calls tools for their owners. What the store raises passes through."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        catalog: Catalog,
        dispatcher: Callable[[], Dispatcher],
        caller_number: trial_facts.CallerNumber,
    ) -> None:
        """Join the parts; `caller_number` reads a number in any spelling, and returns None for what is none."""
        self._store, self._paths, self._catalog = store, paths, catalog
        self._dispatcher, self._caller_number = dispatcher, caller_number

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base = "/businesses/{business_id}"
        offered = record({"source": TEXT, "catalogVersion": TEXT, "tools": ROWS})
        return (
            Endpoint(
                *(
                    "GET",
                    f"{base}/offered",
                    Operation.SEE_SETUP,
                    "List tools with their parameters, as a model is told",
                ),
                *(self._offered, offered),
                query=_QUERY,
            ),
            Endpoint(
                *("POST", f"{base}/try", Operation.EDIT_TOOLS, "Call a tool, really, and tell all about it"),
                *(self._answer, _ANSWER),
                body=_BODY,
            ),
        )

    async def call(
        self, facts: Context, name: str, arguments: JsonObject | str | None, format: str = "canonical"
    ) -> JsonObject:
        """Call a tool once and return what the model is told, the envelope, and why it came to that.

        Raises:
            ToolError: NOT_FOUND; there is no such business.
        """
        offer, _, _ = await self._catalog.for_call(facts.business_id, options_of(facts))
        response = await self._dispatcher().execute_tool(name, arguments, facts.business_id, facts)
        why = await explain(self._store, self._paths, facts.business_id, facts.session_id, facts.call_id)
        return {
            "sessionId": facts.session_id,
            "callId": facts.call_id,
            "turn": facts.turn,
            "catalogVersion": offer.catalog_version,
            "told": offer.declared(format),
            "response": response.to_json(),
            "explanation": why.to_json() if why is not None else None,
        }

    async def _offered(self, request: Request, permit: Permit) -> Response:
        query = request.query_params
        channel = query.get("channel", Channel.PORTAL.value)
        if channel not in CHANNELS:
            raise NotValid([EntryProblem("channel", f"channel must be one of {', '.join(CHANNELS)}.")])
        wrong = [name for name in ("verified", "all") if query.get(name, "") not in ("", "0", "1")]
        if wrong:
            raise NotValid([EntryProblem(name, f"{name} must be 0 or 1.") for name in wrong])
        options = Options(Channel(channel), is_verified=query.get("verified") == "1")
        offer, locked, _ = await self._catalog.for_call(permit.business_id, options)
        tools = offer.declared("canonical")
        if query.get("all") == "1":
            others = [
                tool.at(offer.business).declared for name, tool in locked.tools.items() if offer.named(name) is None
            ]
            tools = [*tools, *(_row(definition) for definition in others)]
        return json_answer({"source": offer.source, "catalogVersion": offer.catalog_version, "tools": tools})

    async def _answer(self, request: Request, permit: Permit) -> Response:
        given = await json_body(request)
        facts, format = self._read(permit.business_id, given)
        await trial_facts.require_agent(self._store, self._paths, permit.business_id, facts.agent_id)
        return json_answer(await self.call(facts, given["name"], given.get("args", {}), format))

    def _read(self, business_id: str, given: JsonObject) -> tuple[Context, str]:
        problems = trial_facts.unknown(given, _FIELDS)
        name, args, turn = given.get("name"), given.get("args", {}), given.get("turn", 1)
        format, is_counted = given.get("format", "canonical"), type(turn) is int and 1 <= turn <= _MOST_TURNS
        need = partial(trial_facts.need, problems)
        need("name", isinstance(name, str) and 0 < len(name) <= 100, "the name of a tool")
        need("args", args is None or isinstance(args, dict | str), "an object, or text")
        need("format", format in _FORMATS, f"one of {', '.join(_FORMATS)}")
        need("turn", is_counted, f"a whole number from 1 to {_MOST_TURNS}")
        facts = trial_facts.read_facts(business_id, given, problems, self._caller_number)
        if facts is None or problems:
            raise NotValid(problems)
        return replace(facts, turn=turn), format


def _row(definition: Definition) -> JsonObject:
    names = ("name", "category", "kind", "channels", "description", "parameters")
    document = definition.to_document()
    return {name: document[name] for name in names}
