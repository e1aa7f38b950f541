"""One recorded call, read again in the words of a draft: nothing is carried out, its receipt stands for its effect."""

import ast
import json
from collections.abc import Iterator, Mapping
from typing import Any

from switchboard.admin.documents.difference import ABSENT, differences
from switchboard.catalog.arguments.arguments import Arguments
from switchboard.catalog.definitions.tool import Tool
from switchboard.contract.business.business import Business
from switchboard.contract.context import Context
from switchboard.contract.error import Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.pipeline.ledger.row import CallRow


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded call as far as a replay needs it.

    Attributes:
        facts: The context it was made in.
        data: What the tool gave back; None where it gave nothing, or where that was shortened.
        receipt: What it left done; None where it did nothing.
    """

    row: CallRow
    facts: Context
    data: Any
    receipt: JsonObject | None


def recorded(row: CallRow) -> Recorded | None:
    """Return a ledger row as a recorded call; None where it cannot be read."""
    try:
        facts, response = row.facts(), row.response
        _ = row.arguments
    except (KeyError, TypeError, ValueError):
        return None
    if response is None:
        return Recorded(row, facts, None, None)
    is_whole = response.failure is None and not response.meta.get("more")
    receipt = response.meta.get("receipt")
    return Recorded(row, facts, response.data if is_whole else None, receipt if isinstance(receipt, dict) else None)


def changes(call: Recorded, before: Tool | None, now: Tool, business: Business) -> Iterator[JsonObject]:
    """Yield what a draft changes about a call: `{kind, …, why, changes, effect}`, nothing where all stays the same.

    The kinds: `refused`, it passed before and would not now; `accepted`, the other way round; `arguments`, the handler
    would get others; `result`, what it gave back would be refused as a broken promise; `confirmation`, the caller would
    be asked first; `verification`, the caller would not be let.
    """
    sent = _as_sent(call, before)
    was, is_now = _read(call, sent, before, business) if before else None, _read(call, sent, now, business)
    call_fields = _told(call)
    if isinstance(is_now, Refused):
        if isinstance(was, Arguments):
            yield call_fields | {"kind": "refused", "why": is_now.message}
        return
    if isinstance(was, Refused):
        yield call_fields | {"kind": "accepted", "why": was.message}
    if isinstance(was, Arguments) and was.canonical != is_now.canonical:
        yield call_fields | {"kind": "arguments", "changes": [*_lines(was, is_now)]}
    yield from ({**call_fields, **difference} for difference in _about_rules(call, before, now))


def _about_rules(call: Recorded, before: Tool | None, now: Tool) -> Iterator[JsonObject]:
    if now.definition.confirm and not (before and before.definition.confirm):
        yield {"kind": "confirmation", "why": "The caller would be asked first."}
    if now.definition.verified and not call.facts.caller_verified and not (before and before.definition.verified):
        yield {"kind": "verification", "why": "The caller's identity was not established, and would have to be."}
    if call.data is None or now.returns is None:
        return
    problem = now.returns.problem(call.data)
    if problem and not (before and before.returns and before.returns.problem(call.data)):
        yield {"kind": "result", "why": f"What the tool gave back would be refused: {problem}."}


def _as_sent(call: Recorded, before: Tool | None) -> JsonObject | str:
    """Return the arguments as a model may have sent them: the ledger has them with defaults filled in.

    Whether one was sent or left out is not known any more. It is taken to have been left out, so that another default,
    or none, is not overlooked.
    """
    text = call.row.arguments
    if text[:1] in ("'", '"'):
        # What could not be used was kept as a literal (`pipeline/ledger/record.py`).
        try:
            return str(ast.literal_eval(text))
        except (ValueError, SyntaxError):
            return text
    try:
        parsed = json.loads(text)
    except ValueError:
        return text
    schema = before.definition.parameters if before else {}
    properties, required = schema.get("properties", {}), schema.get("required", ())
    if not isinstance(parsed, dict):
        return text
    return {name: v for name, v in parsed.items() if name in required or v != _default(properties.get(name))}


def _default(schema: Any) -> Any:
    # A value that no argument can equal, where the schema names no default.
    return schema.get("default", ABSENT) if isinstance(schema, Mapping) else ABSENT


def _read(call: Recorded, sent: JsonObject | str, tool: Tool, business: Business) -> Arguments | Refused:
    try:
        return tool.at(business).read(sent, call.facts, business, business.timezone)
    except Refused as refusal:
        return refusal


def _told(call: Recorded) -> JsonObject:
    return {
        "businessId": call.facts.business_id,
        "sessionId": call.facts.session_id,
        "callId": call.facts.call_id,
        "channel": call.facts.channel.value,
        "at": call.row.document.data.get("startedAt"),
        "why": "",
        "changes": [],
        "effect": _plain(call.receipt),
    }


def _lines(was: Arguments, is_now: Arguments) -> Iterator[JsonObject]:
    for difference in differences(was.canonical, is_now.canonical):
        sides: Mapping[str, Any] = {"before": difference.before, "now": difference.after}
        yield {"field": difference.field} | {side: value for side, value in sides.items() if value is not ABSENT}


def _plain(receipt: JsonObject | None) -> JsonObject | None:
    result: JsonObject | None = json.loads(json.dumps(receipt, default=str))
    return result
