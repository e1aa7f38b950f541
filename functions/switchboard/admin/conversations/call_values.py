"""What a call was given, what it gave back and what its model was sent of that, as somebody may see it.

Nothing is kept for it beside the ledger: the values are read from the call's row, and go with it. By whose declaration
they are masked is said by the tool as it is built, which no edit opens, and an owner's own as it is now; one that is
gone declares nothing, so that all of it counts as personal.
"""

import ast
from typing import Any, Final

from switchboard.catalog.arguments.arguments import MalformedJson, parse_json
from switchboard.catalog.definitions.tool import Tool
from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.schema.sensitivity import MASK, PERSONAL, MaskedPart, MaskReason, ShownValue, shown_to
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import ToolResponse
from switchboard.formats.model_view import visible
from switchboard.pipeline.ledger.row import CallRow

REASONS: Final = {
    MaskReason.SECRET: "The tool declares it a secret; nobody is shown it.",
    MaskReason.PERSONAL: "It may be personal, which your role is not shown.",
    MaskReason.NESTED: "It is nested too deeply to be shown.",
}
"""Why something is not shown, to whoever sees the mask."""
_PLAIN: Final = {PERSONAL: False}
# Its words may hold what a caller said.
_ERROR: Final[JsonObject] = {
    "properties": {"message": {}, **dict.fromkeys(("type", "retryable", "partialSideEffects"), _PLAIN)}
}
_HIDDEN = '"hidden"'


def without_words(call: JsonObject, *, may_see_personal: bool) -> JsonObject:
    """Return a call as it stands in a list, or what came of it, with its words for whoever may see what is personal.

    A tool that says no may name whom it was asked about.
    """
    return call if may_see_personal or not call.get("message") else call | {"message": MASK}


@dataclass(frozen=True, slots=True)
class ToolSchemas:
    """How a tool declares what it takes and gives back; None where nobody knows any more."""

    parameters: JsonObject | None = None
    returns: JsonObject | None = None
    has_secrets: bool = False


_UNDECLARED: Final = ToolSchemas()


class CallValues:
    """The values of calls, of every business. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, catalog: Catalog) -> None:
        """Read rows in `store`; `catalog` knows how tools declare their values."""
        self._store, self._paths, self._catalog = store, paths, catalog

    async def of(self, business_id: str, session_id: str, call_id: str, *, may_see_personal: bool) -> JsonObject:
        """Return `{arguments, result, sentToModel}` of a call; nothing of one that the ledger does not hold.

        Each is `{value, masked}`. `result` is null for a failure and while there is none, `sentToModel` while there is
        no answer.
        """
        document = await self._store.get(self._paths.within(business_id).call(session_id, call_id))
        if document is None:
            return {}
        row = CallRow(document)
        schemas, response = await self._schemas(business_id, row.tool), row.response
        text = document.data.get("arguments")
        result, sent = None, None
        if response is not None:
            result = (
                shown_to(response.data, schemas.returns, may_see_personal=may_see_personal) if response.ok else None
            )
            sent = _sent(response, schemas, may_see_personal)
        return {
            "arguments": _json(_arguments(text if isinstance(text, str) else "", schemas, may_see_personal)),
            "result": _json(result) if result is not None else None,
            "sentToModel": _json(sent) if sent is not None else None,
        }

    async def _schemas(self, business_id: str, name: str) -> ToolSchemas:
        built = self._catalog.definitions.registry.tools.get(name)
        tool = Tool.as_built(built) if built is not None else await self._own_tool(business_id, name)
        if tool is None:
            return _UNDECLARED
        definition = tool.definition
        return ToolSchemas(definition.parameters, definition.returns, bool(tool.secret_arguments))

    async def _own_tool(self, business_id: str, name: str) -> Tool | None:
        try:
            tenant = await self._catalog.tenant(business_id)
        except ToolError as error:
            if error.type is not ErrorType.NOT_FOUND:
                raise
            return None
        return tenant.own.tools.get(name) if tenant is not None else None


def _arguments(text: str, schemas: ToolSchemas, may_see_personal: bool) -> ShownValue:
    if schemas.has_secrets and text == _HIDDEN:
        return ShownValue(MASK, (MaskedPart("", MaskReason.SECRET),))
    try:
        value: Any = parse_json(text)
    except MalformedJson:
        # As it was sent: cut off, or no JSON at all, which is kept as a Python literal (pipeline/ledger/record.py).
        return shown_to(_literal(text), None, may_see_personal=may_see_personal)
    return shown_to(value, schemas.parameters, may_see_personal=may_see_personal)


def _literal(text: str) -> str:
    try:
        sent = ast.literal_eval(text) if text.startswith(("'", '"')) else text
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text
    # Half a surrogate pair can be answered to nobody.
    return sent.encode(errors="replace").decode() if isinstance(sent, str) else text


def _sent(response: ToolResponse, schemas: ToolSchemas, may_see_personal: bool) -> ShownValue:
    """Return what a model was sent of an answer, each part by its own declaration."""
    value, masked = visible(response), list[MaskedPart]()
    for name, schema in (("data", schemas.returns), ("error", _ERROR)):
        if name in value:
            part = shown_to(value[name], schema, may_see_personal=may_see_personal)
            value[name] = part.value
            masked += [MaskedPart(f"/{name}{one.at}", one.reason) for one in part.masked]
    return ShownValue(value, tuple(masked))


def _json(shown: ShownValue) -> JsonObject:
    masked = [{"at": one.at, "reason": one.reason.value, "why": REASONS[one.reason]} for one in shown.masked]
    return {"value": shown.value, "masked": masked}
