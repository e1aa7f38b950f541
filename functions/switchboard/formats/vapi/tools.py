"""Vapi: tools as its assistants have them, its calls in every shape that it sends, and the answers that it understands.

Whole deliveries to a tool's callback are
read in `delivery`.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from switchboard.contract.call import ToolCall
from switchboard.contract.caller.outside_id import is_blank
from switchboard.contract.definitions.definition import TOOL_NAME, Definition, DefinitionError
from switchboard.contract.document import json_object, text
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.strict_json import MalformedJson, parse_json
from switchboard.contract.response import ToolResponse
from switchboard.formats import gemini, openai
from switchboard.formats.model_view import visible
from switchboard.formats.schema.dialect import FOR_TYPE, Dialect, Lowered
from switchboard.formats.schema.lowering import lower
from switchboard.formats.schema.memo import once_per_schema
from switchboard.formats.schema.spelling import restorer, spelled
from switchboard.formats.schema.subschema import pointer
from switchboard.formats.vapi.call_facts import CALL_FACTS, HIDDEN, KEY_HEADER, VapiFacts, separated, static_parameters

# Seed 002 ("Variables") in Vapi's own words; one that it does not know would be said as nothing.
_VARIABLES = {
    "caller_phone_number": CALL_FACTS["callerNumber"],
    "called_phone_number": CALL_FACTS["calledNumber"],
}
_VARIABLE = re.compile(r"\{\{\s*(" + "|".join(_VARIABLES) + r")\s*\}\}")
# JSON leaves these as they are, and they end a line all the same.
_LINE_ENDS = {ord(character): f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"}

ARGUMENT_NAMES = replace(gemini.ARGUMENT_NAMES, taken=HIDDEN)
"""How arguments may be called: as every vendor takes it, since Vapi hands a tool on to whichever model it drives.

Names of what Vapi itself fills in are left to it: whatever a model said under them would be read as Vapi's word.
"""
# `anyOf` is no keyword of Vapi's: it is kept so far because it tells which one type comes nearest.
_DIALECT = Dialect(
    frozenset(
        {"type", "items", "properties", "description", "pattern", "format", "required", "enum", "title", "anyOf"}
    ),
    formats=frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}),
    enum_types=(str,),
    has_references=False,
    has_type_lists=False,
    names=ARGUMENT_NAMES,
)
_TYPES = frozenset(FOR_TYPE) - {"null"}


@dataclass(frozen=True, slots=True)
class Callback:
    """Where a mirrored tool calls us, and how it proves that it does.

    Attributes:
        url: Absolute; `…/api/tools/{id}/execute`.
        credential_id: Vapi's id of the custom credential that it signs with; empty for none.
        tool_key: A secret that the callback carries as a hidden static parameter; empty for none.
        timeout_s: How long Vapi waits: 1 to 300.
    """

    url: str
    credential_id: str = ""
    tool_key: str = field(default="", repr=False)
    timeout_s: int = 20


def declare(definition: Definition) -> JsonObject:
    """Return one tool as `{type: "function", async, function: {…}}`, whose calls go to its assistant's own server."""
    function = {
        "name": spelled(definition.name, openai.TOOL_NAMES),
        "description": _description(definition),
        "parameters": _parameters(definition),
    }
    return {"type": "function", "async": definition.is_async, "function": function}


def declare_callback(definition: Definition, callback: Callback) -> JsonObject:
    """Return one tool that calls us back, with the phone call's facts beside what the model says.

    It is an `apiRequest` (seed 002, "Tool Creation Flow"), or a `function` where the agent does not wait, since an
    `apiRequest` has no `async`.

    Raises:
        DefinitionError: Vapi takes no such name.
    """
    if not TOOL_NAME.match(definition.name):
        raise DefinitionError("name", f"{definition.name!r} is not a tool name", f"use {TOOL_NAME.pattern}")
    body = _parameters(definition)
    static = static_parameters(callback.tool_key)
    if definition.is_async:
        server: JsonObject = {"url": callback.url, "timeoutSeconds": callback.timeout_s}
        server |= {"credentialId": callback.credential_id} if callback.credential_id else {}
        return declare(definition) | {"server": server, "parameters": static}
    tool: JsonObject = {
        "type": "apiRequest",
        "name": definition.name,
        "description": _description(definition),
        "method": "POST",
        "url": callback.url,
        "body": body,
        "parameters": static,
        "timeoutSeconds": callback.timeout_s,
    }
    return tool | ({"credentialId": callback.credential_id} if callback.credential_id else {})


def declare_handover(definition: Definition, callback: Callback, message: str) -> JsonObject:
    """Return one tool of Vapi's own that hands the conversation over to another assistant, whom we name when asked.

    It is a `handoff` with a dynamic destination: Vapi asks our callback to whom (`handoff-destination-request`), so
    that such a call is checked, counted and recorded as every other is. It takes no static parameters, so that without
    a credential the key goes in a header.

    Args:
        definition: The tool; it takes no arguments.
        callback: Where Vapi asks.
        message: What is said first; empty for Vapi's own words.
    """
    server: JsonObject = {"url": callback.url, "timeoutSeconds": callback.timeout_s}
    if callback.credential_id:
        server["credentialId"] = callback.credential_id
    elif callback.tool_key:
        server["headers"] = {KEY_HEADER: callback.tool_key}
    request_start = {"type": "request-start", "blocking": True, "content": in_vapis_words(message)}
    # What stands in place of the parameters that Vapi would make: it needs `destination` among them.
    where = {"type": "string", "enum": ["dynamic"], "description": 'Always "dynamic".'}
    parameters = {"type": "object", "properties": {"destination": where}, "required": ["destination"]}
    description = _description(definition)
    return {
        "type": "handoff",
        "function": {"name": definition.name, "description": description, "parameters": parameters},
        "destinations": [{"type": "dynamic", "server": server, "description": description}],
        "messages": [request_start] if message else [],
    }


def lowerings(definition: Definition) -> tuple[str, ...]:
    """Return what `declare` could not say, one sentence each, by JSON pointer into `parameters`."""
    return lowered(definition.parameters).notes


def declare_all(declarations: Sequence[JsonObject]) -> list[JsonObject]:
    """Return what stands under `model.tools` of an assistant."""
    return list(declarations)


def parse(vendor: Any) -> ToolCall:
    """Read one element of `toolCallList` or `toolWithToolCallList`, in any of the four shapes that Vapi sends.

    The name stands in `function.name` or `name`; the arguments are the first present of `function.arguments`,
    `function.parameters`, `arguments` and `parameters`, an object or its JSON text. What the tool's static parameters
    merged into them is left out.

    Raises:
        Refused: It names no function, or its arguments are no JSON object.
    """
    return parse_with_facts(vendor)[0]


def parse_with_facts(vendor: Any) -> tuple[ToolCall, VapiFacts]:
    """Read a call as `parse` does, and what the tool's static parameters merged into its arguments.

    Raises:
        Refused: As `parse` does.
    """
    call = _call(vendor)
    inner, name = json_object(call.get("function")), name_of(vendor)
    if not name:
        raise Refused(ErrorType.VALIDATION, "A tool call must name its function.")
    places = ((inner, "arguments"), (inner, "parameters"), (call, "arguments"), (call, "parameters"))
    given: Any = next((place[key] for place, key in places if place.get(key) is not None), {})
    own, facts = separated(_object(given))
    return ToolCall(name, own, id_of(vendor)), facts


def id_of(vendor: Any) -> str:
    """Return the id under which a call must be answered; empty where it has none."""
    id = text(_call(vendor).get("id"))
    return "" if is_blank(id) else id


def name_of(vendor: Any) -> str:
    """Return the tool that a call names, whatever else of it cannot be read; empty where it names none."""
    call = _call(vendor)
    name = json_object(call.get("function")).get("name") or call.get("name")
    return name if isinstance(name, str) else ""


restore = restorer(ARGUMENT_NAMES)
"""Gives a call's arguments the names they have in the definition."""


def render(call_id: str, name: str, response: ToolResponse, last_words: str = "") -> JsonObject:
    """Return the element of `results` that answers a call: `result` or `error`, a text on one line.

    Args:
        call_id: As Vapi named the call.
        name: The tool's.
        response: What the tool came to.
        last_words: What Vapi says before it hangs up, instead of an answer of its model; empty where the call goes on.
    """
    seen = visible(response)
    key, value = ("result", seen["data"]) if response.ok else ("error", seen["error"])
    result: JsonObject = {"toolCallId": call_id, "name": name, key: one_line(value)}
    if last_words:
        ending = {"role": "assistant", "content": last_words, "endCallAfterSpokenEnabled": True}
        result["message"] = {"type": "request-complete", **ending}
    return result


def render_all(rendered: Sequence[JsonObject]) -> JsonObject:
    """Return the body that answers a `tool-calls` message, to be sent with HTTP 200; an id counts once.

    Vapi ignores any other status, and a second answer to one call.
    """
    by_id: dict[str, JsonObject] = {}
    for result in rendered:
        by_id.setdefault(result["toolCallId"], result)
    return {"results": list(by_id.values())}


def render_request(response: ToolResponse) -> JsonObject:
    """Return the body that answers an `apiRequest`, which Vapi gives to the model as it is: `{ok, data | error}`."""
    return visible(response)


def render_handover(response: ToolResponse, assistant_id: str) -> JsonObject:
    """Return the body that answers a `handoff-destination-request`: an assistant, who knows what was said, or why none.

    Args:
        response: What the tool came to.
        assistant_id: Vapi's id of the assistant that stands for the agent who takes over.
    """
    if response.failure is not None:
        return {"error": " ".join(response.failure.message.split())}
    return {
        "destination": {
            "type": "assistant",
            "assistantId": assistant_id,
            "contextEngineeringPlan": {"type": "all"},
        }
    }


def in_vapis_words(text: str) -> str:
    """Return an owner's text with the two variables of seed 002 as Vapi names them."""
    return _VARIABLE.sub(lambda match: _VARIABLES[match[1]], text)


def one_line(value: Any) -> str:
    """Return compact JSON without anything that ends a line, and that every encoder takes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_LINE_ENDS)
    return text.encode("utf-8", "replace").decode()


def _call(vendor: Any) -> JsonObject:
    call = json_object(vendor)
    return json_object(call.get("toolCall", call))


def _object(given: Any) -> JsonObject:
    if isinstance(given, str):
        try:
            given = parse_json(given) if given.strip() else {}
        except MalformedJson as error:
            raise Refused(ErrorType.VALIDATION, f"The arguments cannot be read: their JSON {error}.") from None
    if not isinstance(given, dict):
        raise Refused(ErrorType.VALIDATION, "The arguments of a tool call must be a JSON object.")
    return given


def _parameters(definition: Definition) -> JsonObject:
    schema = lowered(definition.parameters).schema
    # The outermost schema of a function has no other keywords.
    return {key: schema[key] for key in ("type", "properties", "required") if key in schema}


def _description(definition: Definition) -> str:
    return in_vapis_words(definition.description)


@once_per_schema
def lowered(parameters: JsonObject) -> Lowered:
    """Return parameters as Vapi takes them, with `properties` even where there are none, and what that lost."""
    lowered_schema = lower(parameters, _DIALECT)
    notes = list(lowered_schema.notes)
    schema = _typed(lowered_schema.schema | {"type": "object"}, "", notes)
    schema.setdefault("properties", {})
    return Lowered(schema, tuple(dict.fromkeys(notes)))


def _typed(schema: Mapping[str, Any], at: str, notes: list[str]) -> JsonObject:
    """Return a lowered schema in which every value has exactly one type."""
    word = dict(schema)
    while "anyOf" in word:
        word = _nearest(word, word.pop("anyOf"), at, notes)
    if word.get("type") not in _TYPES:
        word["type"] = _guessed(word)
        notes.append(f"{at or '/'}: Vapi needs a type; {word['type']} is told")
    kind = word["type"]
    for key in [key for key in word if key in _STRANGERS[kind]]:
        del word[key]
        notes.append(f"{at or '/'}: {key} is left out")
    if isinstance(word.get("properties"), Mapping):
        word["properties"] = {
            name: _typed(child, at + pointer("properties", name), notes) for name, child in word["properties"].items()
        }
    if kind == "array":
        items = word.get("items")
        word["items"] = _typed(items if isinstance(items, Mapping) else {}, at + pointer("items"), notes)
    if "required" in word:
        word["required"] = [name for name in word["required"] if name in word.get("properties", {})]
        if not word["required"]:
            del word["required"]
    return word


_STRANGERS = {
    kind: frozenset({"pattern", "format", "items", "properties", "required", "enum"})
    - FOR_TYPE[kind]
    - ({"enum"} if kind == "string" else set())
    # Formats are those of texts.
    | ({"format"} if kind in ("integer", "number") else set())
    for kind in _TYPES
}


def _nearest(word: JsonObject, branches: Sequence[Any], at: str, notes: list[str]) -> JsonObject:
    """Join the one branch that says most for most values: text where text will do, else the first."""
    if not at or "type" in word:
        # They only narrow what is told already; one of them alone would forbid what another allows.
        notes.append(f"{at or '/'}: a choice between further rules is left out")
        return word
    notes.append(f"{at}: only one of several forms is told")
    rows = [branch for branch in branches if isinstance(branch, Mapping)]
    chosen = next((row for row in rows if row.get("type") == "string"), rows[0] if rows else {})
    kinds = {row.get("type") for row in rows}
    words = [row.get("enum") for row in rows]
    if kinds == {"string"}:
        every = [value for some in words if isinstance(some, list) for value in some]
        chosen = {"type": "string"} | ({"enum": list(dict.fromkeys(every))} if all(words) else {})
    return {**chosen, **word}


def _guessed(word: JsonObject) -> str:
    if "properties" in word:
        return "object"
    return "array" if "items" in word else "string"
