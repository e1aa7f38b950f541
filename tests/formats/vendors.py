"""What each vendor takes: its own SDK's types, and the rules that its documentation adds to them.

The rules are written here a second time, from the reference, so that they do not follow what `formats/` does.
"""

import copy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import jsonschema_rs
import mcp_types
from anthropic.types import ToolParam, ToolResultBlockParam, ToolUseBlock
from google.genai import models as google_models
from google.genai import types as google
from openai.lib._pydantic import _ensure_strict_json_schema
from openai.types.chat import (
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageFunctionToolCall,
    ChatCompletionToolMessageParam,
)
from openai.types.realtime import ConversationItemCreateEvent
from openai.types.realtime.realtime_conversation_item_function_call import RealtimeConversationItemFunctionCall
from openai.types.realtime.realtime_function_tool import RealtimeFunctionTool
from openai.types.responses import FunctionToolParam, ResponseFunctionToolCall
from openai.types.responses.response_input_item_param import FunctionCallOutput
from pydantic import TypeAdapter

from tests.formats.definitions import as_json_schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"
METASCHEMA = jsonschema_rs.Draft202012Validator({"$ref": DIALECT})
NATIVE_TYPES = {"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"}
NATIVE_FIELDS = {
    *("type", "format", "title", "description", "nullable", "default", "items", "minItems", "maxItems", "enum"),
    *("properties", "propertyOrdering", "required", "minProperties", "maxProperties", "minimum", "maximum"),
    *("minLength", "maxLength", "pattern", "example", "anyOf"),
}
JSON_FIELDS = {
    *("$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems"),
    *("minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties"),
    *("required", "propertyOrdering"),
}
STRICT_FIELDS = {
    *("type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref", "$defs"),
    *("description", "title", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("multipleOf", "minItems", "maxItems"),
}
TYPES = {"string": str, "boolean": bool, "null": type(None), "number": (int, float), "integer": int}


@dataclass(frozen=True)
class Vendor:
    """One dialect as its vendor sees it.

    Attributes:
        check: Raises where the vendor refuses a declaration; returns the schema of the arguments as JSON Schema.
        call: Some call as the vendor sends it: name, arguments, id.
        answer: Raises where the vendor refuses an answer.
    """

    check: Callable[[dict[str, Any]], dict[str, Any]]
    call: Callable[[str, dict[str, Any], str], Any]
    answer: Callable[[dict[str, Any]], Any]


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema object in a lowered schema."""
    if not isinstance(schema, dict):
        return
    yield schema
    for keyword in ("properties", "patternProperties", "$defs", "dependentSchemas"):
        for child in schema.get(keyword, {}).values():
            yield from nodes(child)
    for keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for child in schema.get(keyword, ()):
            yield from nodes(child)
    for keyword in ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"):
        yield from nodes(schema.get(keyword))


def sound(schema: Any, forbidden_at_root: tuple[str, ...] = ("anyOf", "oneOf", "allOf", "not")) -> Any:
    """Hold a schema against what all vendors ask: a plain object outside, references that lead somewhere."""
    METASCHEMA.validate(schema)
    jsonschema_rs.Draft202012Validator(schema)
    assert schema["type"] == "object"
    assert not schema.keys() & set(forbidden_at_root), schema.keys()
    for node in nodes(schema):
        if "$ref" in node:
            assert re.fullmatch(r"#/\$defs/[A-Za-z0-9_.-]+", node["$ref"])
            assert node["$ref"].removeprefix("#/$defs/") in schema["$defs"]
            assert set(node) == {"$ref"}
        assert not any(key.startswith("x-") for key in node)
        assert "$defs" not in node or node is schema
    return schema


def named(schema: Any, rule: str) -> Any:
    for node in nodes(schema):
        for name in [*node.get("properties", ()), *node.get("required", ())]:
            assert re.fullmatch(rule, name), name
    return schema


def strict(schema: dict[str, Any]) -> dict[str, Any]:
    """Hold a schema against the strict subset and against the SDK's own way of making one."""
    for node in nodes(schema):
        assert not node.keys() - STRICT_FIELDS, node.keys() - STRICT_FIELDS
        types = node.get("type", [])
        types = [types] if isinstance(types, str) else types
        assert types or node.keys() & {"anyOf", "$ref"}, node
        if "object" in types:
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])
        if "array" in types:
            assert node["items"]
        for word in node.get("enum", ()):
            assert isinstance(word, str | int | float | bool | None)
            assert any(isinstance(word, TYPES[kind]) for kind in types if kind in TYPES), (word, types)  # type: ignore[arg-type]
        assert not (node.keys() & {"anyOf"} and node.keys() & {"type", "properties", "enum"})
    again = copy.deepcopy(schema)
    assert _ensure_strict_json_schema(again, path=(), root=again) == schema
    return schema


def native(schema: dict[str, Any]) -> dict[str, Any]:
    """Hold a schema against Gemini's `Schema` and what its backends refuse beyond that."""
    google.Schema.model_validate(schema)
    for node in nodes(schema):
        assert not node.keys() - NATIVE_FIELDS, node.keys() - NATIVE_FIELDS
        assert ("type" in node) != ("anyOf" in node), node
        if "anyOf" in node:
            assert not node.keys() - {"anyOf", "description", "title", "nullable", "default"}, node.keys()
            continue
        assert node["type"] in NATIVE_TYPES
        if "enum" in node:
            assert node["type"] == "STRING"
            assert all(isinstance(word, str) and word for word in node["enum"])
        if node["type"] == "ARRAY":
            assert node["items"]
        assert node.get("format") in {None, "enum", "date-time", "float", "double", "int32", "int64"}
        assert set(node.get("required", ())) <= set(node.get("properties", ()))
    named(schema, r"[A-Za-z_][A-Za-z0-9_]{0,63}")
    assert schema["type"] == "OBJECT"
    return as_json_schema(schema)


def gemini_json(schema: dict[str, Any]) -> dict[str, Any]:
    for node in nodes(schema):
        assert not node.keys() - JSON_FIELDS, node.keys() - JSON_FIELDS
        assert all(isinstance(word, str | int | float) and word != "" for word in node.get("enum", ()))
    named(schema, r"[A-Za-z_][A-Za-z0-9_]{0,63}")
    for name in schema.get("$defs", {}):
        assert not _comes_back(name, name, schema["$defs"], set()), f"{name} requires itself"
    return sound(schema)


def _comes_back(start: str, name: str, definitions: dict[str, Any], seen: set[str]) -> bool:
    """Tell whether required properties alone lead from a definition to itself."""
    for node in nodes(definitions[name]):
        for required in node.get("required", ()):
            for inner in nodes(node.get("properties", {}).get(required)):
                found = inner.get("$ref", "").removeprefix("#/$defs/")
                if found == start:
                    return True
                if found and found not in seen and _comes_back(start, found, definitions, seen | {found}):
                    return True
    return False


def openai_chat(declared: dict[str, Any]) -> dict[str, Any]:
    typed(ChatCompletionFunctionToolParam)(declared)
    assert set(declared) == {"type", "function"}
    return _function(declared["function"])


def openai_responses(declared: dict[str, Any]) -> dict[str, Any]:
    typed(FunctionToolParam)(declared)
    return _function({key: value for key, value in declared.items() if key != "type"})


def openai_realtime(declared: dict[str, Any]) -> dict[str, Any]:
    assert typed(RealtimeFunctionTool)(declared).to_dict() == declared
    return _function({key: value for key, value in declared.items() if key != "type"} | {"strict": False})


def _function(function: dict[str, Any]) -> dict[str, Any]:
    assert set(function) == {"name", "description", "parameters", "strict"}
    assert re.fullmatch("[A-Za-z0-9_-]{1,64}", function["name"])
    schema = sound(function["parameters"], ("anyOf", "oneOf", "allOf", "not", "enum", "const"))
    assert isinstance(function["strict"], bool)
    return strict(schema) if function["strict"] else schema


def google_function(declared: dict[str, Any]) -> google.FunctionDeclaration:
    function = google.FunctionDeclaration.model_validate(declared)
    google_models._Tool_to_mldev(google.Tool(function_declarations=[function]))
    assert re.fullmatch("[A-Za-z_][A-Za-z0-9_.:-]{0,63}", declared["name"])
    return function


def gemini(declared: dict[str, Any]) -> dict[str, Any]:
    google_function(declared)
    assert set(declared) <= {"name", "description", "parameters"}
    return native(declared["parameters"]) if "parameters" in declared else {"type": "object"}


def gemini_as_json(declared: dict[str, Any]) -> dict[str, Any]:
    google_function(declared)
    assert set(declared) <= {"name", "description", "parametersJsonSchema"}
    return gemini_json(declared.get("parametersJsonSchema", {"type": "object"}))


def gemini_live(declared: dict[str, Any]) -> dict[str, Any]:
    function = google_function(declared)
    google.LiveConnectConfig(tools=[google.Tool(function_declarations=[function])])
    assert function.behavior in (google.Behavior.BLOCKING, google.Behavior.NON_BLOCKING)
    return gemini({key: value for key, value in declared.items() if key != "behavior"})


def anthropic(declared: dict[str, Any]) -> dict[str, Any]:
    typed(ToolParam)(declared)
    assert set(declared) == {"name", "description", "input_schema"}
    assert re.fullmatch("[A-Za-z0-9_-]{1,64}", declared["name"])
    return sound(named(declared["input_schema"], "[a-zA-Z0-9_.-]{1,64}"))


def livekit(declared: dict[str, Any]) -> dict[str, Any]:
    assert set(declared) == {"name", "description", "parameters"}
    assert re.fullmatch("[A-Za-z0-9_-]{1,64}", declared["name"])
    return gemini_json(declared["parameters"])


def mcp(declared: dict[str, Any]) -> dict[str, Any]:
    tool = mcp_types.Tool.model_validate(declared)
    assert tool.model_dump(by_alias=True, exclude_none=True, mode="json") == declared
    assert re.fullmatch("[A-Za-z0-9_.-]{1,128}", declared["name"])
    if "outputSchema" in declared:
        sound(declared["outputSchema"], ())
    for child in declared["inputSchema"].get("properties", {}).values():
        assert isinstance(child, dict)
    return sound(declared["inputSchema"], ())


def vapi(declared: dict[str, Any]) -> dict[str, Any]:
    assert re.fullmatch("[A-Za-z0-9_-]{1,64}", declared["function"]["name"])
    schema: dict[str, Any] = declared["function"]["parameters"]
    for node in nodes(schema):
        assert isinstance(node["type"], str)
        assert not node.keys() - {
            *("type", "items", "properties", "description", "pattern", "format", "required", "enum", "title")
        }
        assert all(isinstance(word, str) for word in node.get("enum", ()))
    # Whichever model Vapi drives is told these names.
    return named(schema, r"[A-Za-z_][A-Za-z0-9_]{0,63}")  # type: ignore[no-any-return]


def seed(declared: dict[str, Any]) -> dict[str, Any]:
    assert set(declared) == {"tool_name", "description", "arguments"}
    return sound(declared["arguments"], ())


def _text(arguments: dict[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def chat_call(name: str, arguments: dict[str, Any], call_id: str) -> Any:
    function = {"name": name, "arguments": _text(arguments)}
    return ChatCompletionMessageFunctionToolCall.model_validate(
        {"id": call_id, "type": "function", "function": function}
    ).to_dict()


def responses_call(name: str, arguments: dict[str, Any], call_id: str) -> Any:
    return ResponseFunctionToolCall(
        id="fc_1", call_id=call_id, name=name, arguments=_text(arguments), type="function_call", status="completed"
    ).to_dict()


def realtime_call(name: str, arguments: dict[str, Any], call_id: str) -> Any:
    return RealtimeConversationItemFunctionCall(
        id="item_1", call_id=call_id, name=name, arguments=_text(arguments), type="function_call"
    ).to_dict()


def gemini_call(name: str, arguments: dict[str, Any], call_id: str) -> Any:
    part = google.Part(function_call=google.FunctionCall(id=call_id, name=name, args=arguments))
    return {"functionCall": part.function_call.model_dump(mode="json", include={"id", "name", "args"})}


def live_call(name: str, arguments: dict[str, Any], call_id: str) -> Any:
    message = {"toolCall": {"functionCalls": [{"id": call_id, "name": name, "args": arguments}]}}
    google.LiveServerMessage.model_validate(message)
    return message["toolCall"]["functionCalls"][0]


def anthropic_call(name: str, arguments: dict[str, Any], call_id: str) -> Any:
    return ToolUseBlock(id=call_id, name=name, input=arguments, type="tool_use").to_dict()


def mcp_call(name: str, arguments: dict[str, Any], call_id: str) -> Any:
    params = mcp_types.CallToolRequestParams(name=name, arguments=arguments)
    told = params.model_dump(by_alias=True, exclude={"meta"}, mode="json")
    return {"jsonrpc": "2.0", "id": call_id, "method": "tools/call", "params": told}


def live_answer(answer: dict[str, Any]) -> Any:
    (message,) = answer.values()
    found = google.LiveClientToolResponse.model_validate(message).function_responses
    assert found and all(response.id for response in found)


def mcp_answer(answer: dict[str, Any]) -> Any:
    found = mcp_types.CallToolResult.model_validate(answer)
    assert found.model_dump(by_alias=True, exclude_none=True, mode="json") == answer


def seed_answer(answer: dict[str, Any]) -> Any:
    assert set(answer) == {"type", "tool_name", "call_id", "result"}
    assert answer["type"] == "tool_result"


def vapi_answer(answer: dict[str, Any]) -> Any:
    assert answer.keys() & {"result", "error"}


@cache
def typed(kind: Any) -> Callable[[Any], Any]:
    return TypeAdapter(kind).validate_python


_CHAT = Vendor(openai_chat, chat_call, typed(ChatCompletionToolMessageParam))
_RESPONSES = Vendor(openai_responses, responses_call, typed(FunctionCallOutput))
VENDORS = {
    "openai": _CHAT,
    "openai_strict": _CHAT,
    "openai_responses": _RESPONSES,
    "openai_responses_strict": _RESPONSES,
    "openai_realtime": Vendor(openai_realtime, realtime_call, typed(ConversationItemCreateEvent)),
    "gemini": Vendor(gemini, gemini_call, google.Part.model_validate),
    "gemini_json": Vendor(gemini_as_json, gemini_call, google.Part.model_validate),
    "gemini_live": Vendor(gemini_live, live_call, live_answer),
    "anthropic": Vendor(anthropic, anthropic_call, typed(ToolResultBlockParam)),
    "vapi": Vendor(vapi, chat_call, vapi_answer),
    "livekit": Vendor(
        livekit, lambda name, given, id: {"call_id": id, "name": name, "arguments": _text(given)}, lambda answer: answer
    ),
    "mcp": Vendor(mcp, mcp_call, mcp_answer),
    "tool_call": Vendor(
        seed,
        lambda name, given, id: {"type": "tool_call", "tool_name": name, "arguments": given, "call_id": id},
        seed_answer,
    ),
}
