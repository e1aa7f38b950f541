"""What an owner enters becomes what a model sees and what it never sees, or a list of everything that is wrong."""

import json
from typing import Any
from zoneinfo import ZoneInfo

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.catalog.arguments.arguments import ArgumentReader
from switchboard.catalog.tenant_tools.binding import bind
from switchboard.catalog.tenant_tools.config import DefinitionErrors, build, free_name, read_config, shown, snake_case
from switchboard.contract.definitions.definition import TOOL_NAME
from switchboard.contract.definitions.tenant_tool import Template
from switchboard.contract.error import Refused
from switchboard.integrations.egress.request_headers import OURS
from tests.catalog.tool_configs import (
    NOBODY,
    NUMBERS,
    QUERY,
    SEED_AI,
    SEED_EXTENDABLE,
    SEED_FIXED,
    SEED_PIPEDREAM,
    SMS,
    TRANSFER,
    asked,
    request,
)
from tests.each import each


def fields(document: Any) -> set[str]:
    """Return where a configuration is wrong."""
    with pytest.raises(DefinitionErrors) as errors:
        read_config(document)
    return {error.field for error in errors.value.errors}


def parameters(document: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of what the model gives."""
    return build(read_config(document))[0]["parameters"]


@pytest.mark.requirement("002-12", "002-29", "002-61", "002-62", "002-112")
def test_the_seeds_pipedream_tool_shows_the_model_its_one_parameter():
    """Seed 002, "Configuration Fields"."""
    function, static = build(read_config(SEED_PIPEDREAM))
    assert function == {
        "name": "send_email",
        "description": "Send an email via Gmail",
        "parameters": {
            "type": "object",
            "properties": {"to": {"type": "string", "description": "The recipient's email address"}},
            "required": ["to"],
            "additionalProperties": False,
        },
    }
    assert static == {"subject": "Order Confirmation"}


@pytest.mark.requirement("002-23", "002-27")
def test_the_seeds_function_schema_and_static_config_come_of_an_sms_tool():
    """Seed 002, "Configuration Fields": `send_confirmation_sms`, whose text is called `message`."""
    document = {**SMS, "params": {"message": {"mode": "ai", "prompt": "The message to send"}}}
    del document["text"]
    function, static = build(read_config(document))
    assert function == {
        "name": "send_confirmation_sms",
        "description": "Send a confirmation SMS to the customer",
        "parameters": {
            "type": "object",
            "properties": {"message": {"type": "string", "description": "The message to send"}},
            "required": ["message"],
            "additionalProperties": False,
        },
    }
    assert static == {"from": {"type": "called_number"}, "recipients": ["+1234567890"]}


@pytest.mark.requirement("002-48")
def test_the_text_of_an_sms_is_plain_or_has_a_mode():
    """Seed 002, "SMS"."""
    assert list(parameters(SMS)["properties"]) == ["text"]
    assert parameters({**SMS, "text": "Hello"})["properties"] == {}
    assert parameters({**SMS, "text": SEED_FIXED})["properties"] == {}
    assert build(read_config({**SMS, "text": "Hello"}))[1]["text"] == "Hello"
    assert build(read_config({**SMS, "text": SEED_FIXED}))[1]["text"] == "Order Confirmation"


@pytest.mark.requirement("002-110")
def test_a_fixed_parameter_is_in_no_schema_and_in_the_static_config():
    """Seed 002, "Fixed Mode"."""
    function, static = build(read_config(request({"subject": SEED_FIXED})))
    assert function["parameters"]["properties"] == {}
    assert static == {"subject": "Order Confirmation"}


@pytest.mark.requirement("002-112", "002-113")
def test_an_ai_parameter_has_its_own_schema_and_its_prompt_as_description():
    """Seed 002, "AI Mode"."""
    assert parameters(request({"to": SEED_AI})) == {
        "type": "object",
        "properties": {"to": {"type": "string", "description": "The recipient's email address"}},
        "required": ["to"],
        "additionalProperties": False,
    }


@each(
    ("parameter", "schema", "required"),
    [
        ({"prompt": "p"}, {"type": "string", "description": "p"}, True),
        ({"type": "integer", "min": 1, "max": 9}, {"type": "integer", "minimum": 1, "maximum": 9}, True),
        ({"type": "string", "min": 1, "max": 9}, {"type": "string", "minLength": 1, "maxLength": 9}, True),
        ({"type": "array", "items": {"type": "datetime"}, "max": 3}, None, True),
        ({"type": "datetime"}, {"type": "string", "format": "date-time"}, True),
        ({"enum": ["a", "b"], "required": False}, {"enum": ["a", "b"]}, False),
        ({"schema": {"type": "integer", "default": 3}}, {"type": "integer", "default": 3}, False),
        ({"default": "x", "required": True}, {"type": "string", "default": "x"}, True),
        ({"default": "{{caller_phone_number}}"}, {"type": "string"}, False),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, None, True),
    ],
)
def test_an_ai_parameter_may_say_its_type_and_limits_beside_its_mode(parameter, schema, required):
    """The typed parameters of seed 001, in JSON Schema's words."""
    found = parameters(request({"p": {"mode": "ai", **parameter}}))
    assert found["required"] == (["p"] if required else [])
    if schema is not None:
        assert found["properties"]["p"] == schema
    elif "items" in parameter:
        assert found["properties"]["p"] == {
            "type": "array",
            "items": {"type": "string", "format": "date-time"},
            "maxItems": 3,
        }
    else:
        assert found["properties"]["p"]["required"] == ["a"]


def test_without_a_prompt_the_schemas_own_description_counts():
    """Seed 002, "AI Mode": the example has both."""
    parameter = {"mode": "ai", "schema": {"type": "string", "description": "For {{called_phone_number}}"}}
    assert parameters(request({"p": parameter}))["properties"]["p"]["description"] == "For {{called_phone_number}}"
    parameter["schema"]["description"] = "For {{nobody}}"
    assert fields(request({"p": parameter})) == {"params.p.schema.description"}


@each(
    ("parameter", "field"),
    [
        ({"required": "yes"}, "required"),
        ({"schema": {"type": "string", "x-from": "caller.phone"}}, "x-from"),
        ({"schema": {"type": "string", "x-secret": "yes"}}, "x-secret"),
        ({"schema": {"type": "string", "x-personal": 0}}, "x-personal"),
        ({"default": "{{nobody}}"}, "default"),
        ({"default": 3}, "schema.default"),
        ({"prompt": "{{nobody}}"}, "prompt"),
        ({"prompt": "x" * 1_025}, "prompt"),
        ({"schema": "string"}, "schema"),
        ({"schema": {"$ref": "https://evil.example/schema"}}, "schema.$ref"),
        ({"schema": {"type": "array", "items": 3}}, "schema.items"),
    ],
)
def test_an_ai_parameter_that_cannot_work_is_refused(parameter, field):
    """Its schema is checked like every other that comes from outside."""
    assert f"params.p.{field}" in fields(request({"p": {"mode": "ai", **parameter}}))


@pytest.mark.requirement("002-116")
@pytest.mark.parametrize("required", [True, False])
def test_the_extension_of_a_list_is_described_by_its_prompt_and_required_only_if_it_says_so(required):
    """Seed 002, "Array Extendable Mode"."""
    extension = SEED_EXTENDABLE["aiExtension"] | {"required": required}
    found = parameters({**SMS, "recipients": SEED_EXTENDABLE | {"aiExtension": extension}})
    schema = found["properties"]["recipients"]
    assert schema["type"] == "array"
    assert schema["items"] == {"type": "string"}
    assert schema["description"] == "Additional phone numbers from conversation"
    assert schema["maxItems"] == 10
    assert ("recipients" in found["required"]) is required
    assert "+1234567890" not in json.dumps(found)


@pytest.mark.requirement("002-115")
@pytest.mark.parametrize("extension", [{"enabled": False, "prompt": "p"}, None])
def test_a_list_whose_extension_is_disabled_is_shown_to_no_model(extension):
    """Seed 002, "Array Extendable Mode"."""
    recipients = {"mode": "array_extendable", "fixedValues": ["+1234567890"]}
    if extension:
        recipients["aiExtension"] = extension
    function, static = build(read_config({**SMS, "text": "x", "recipients": recipients}))
    assert function["parameters"]["properties"] == {}
    assert static["recipients"] == ["+1234567890"]


@pytest.mark.parametrize(
    ("base", "items"), [([1, 2], "integer"), ([1, 2.5], "number"), (["a", 1], "string"), ([], "string")]
)
def test_what_is_added_to_a_list_is_of_the_type_that_is_there(base, items):
    """Unless the owner says otherwise."""
    extendable = {"mode": "array_extendable", "fixedValues": base, "aiExtension": {"enabled": True}}
    assert parameters(request({"ids": extendable}))["properties"]["ids"]["items"] == {"type": items}
    own = extendable | {"aiExtension": {"schema": {"type": "array", "items": {"type": "boolean"}, "maxItems": 99}}}
    found = parameters(request({"ids": own}))["properties"]["ids"]
    assert (found["items"], found["maxItems"]) == ({"type": "boolean"}, 10)


@pytest.mark.requirement("002-09")
@pytest.mark.parametrize(
    ("spelling", "document", "template"),
    [
        ("apiRequest", request(), Template.API_REQUEST),
        ("transferCall", TRANSFER, Template.TRANSFER_CALL),
        ("externalApp", SEED_PIPEDREAM, Template.PIPEDREAM_ACTION),
        ("sms", SMS, Template.SMS),
        ("query", QUERY, Template.QUERY),
    ],
)
def test_older_spellings_of_a_type_are_understood(spelling, document, template):
    """Seed 002, "Table Schema"."""
    assert read_config({**document, "type": spelling}).template is template


@pytest.mark.requirement("002-09")
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({}, "is missing"),
        ({"type": None}, "is missing"),
        ({"type": "html"}, "'html' is not a type of tool"),
        ({"type": "x" * 9_000}, f"{'x' * 60!r} is not a type of tool"),
    ],
)
def test_a_type_that_is_missing_or_unknown_is_told_with_those_there_are(said, words):
    """In words for people, who wrote no None."""
    document = {name: value for name, value in SMS.items() if name != "type"} | said
    with pytest.raises(DefinitionErrors) as raised:
        read_config(document)
    (problem,) = (one for one in raised.value.errors if one.field == "type")
    assert str(problem).startswith(f"type: {words}; use one of sms, api_request")


@pytest.mark.requirement("002-10")
def test_a_tool_is_synchronous_attachable_and_not_run_at_the_start_unless_it_says_so():
    """Seed 002, "Table Schema"."""
    config = read_config(SMS)
    assert (config.is_async, config.execute_on_call_start, config.attach_to_agent) == (False, False, True)
    config = read_config({**SMS, "async": True, "executeOnCallStart": True, "attachToAgent": False})
    assert (config.is_async, config.execute_on_call_start, config.attach_to_agent) == (True, True, False)


@pytest.mark.requirement("002-12", "002-60")
@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Send Email", "send_email"),
        ("  Grüße & Küsse! ", "grusse_kusse"),
        ("24h callback", "tool_24h_callback"),
        ("x" * 70, "x" * 40),
        ("a" * 39 + " b", "a" * 39),
        ("予約", "sms"),
    ],
)
def test_a_name_is_made_of_the_label(label, name):
    """In snake case, as long as vendors allow; of the type where there is no letter in it."""
    assert read_config({**SMS, "label": label}).name == name


@given(st.text(max_size=80), st.integers(0, 30))
def test_every_name_that_is_made_is_a_tool_name_and_free(label, taken):
    """Within the business and among the built-in tools."""
    name = snake_case(label) or "sms"
    used = {free_name(name, ())}
    for _ in range(taken):
        another = free_name(name, used)
        assert another not in used
        assert TOOL_NAME.fullmatch(another)
        used.add(another)


@pytest.mark.requirement("002-121")
def test_variables_in_prompts_are_filled_when_the_tool_is_listed():
    """Seed 002, "Usage": the model reads the prompt before the execution."""
    prompt = "Look up customer with phone {{caller_phone_number}}"
    document = request({"p": asked(prompt=prompt)}) | {"description": "For {{called_phone_number}}"}
    function, _ = build(read_config(document))
    assert function["parameters"]["properties"]["p"]["description"] == prompt
    found = shown(function, NUMBERS)
    assert found["description"] == "For +12015550199"
    assert found["parameters"]["properties"]["p"]["description"] == "Look up customer with phone +15551234567"
    assert "(not known)" in shown(function, NOBODY)["description"]


@pytest.mark.requirement("002-08", "002-59", "002-97")
def test_everything_that_is_wrong_is_said_at_once_each_with_its_field():
    """So that an owner corrects a form once."""
    document = {
        "type": "api_request",
        "label": 3,
        "async": "yes",
        "params": {"a": {}, "b": {"mode": "ai", "schema": {"type": "strin"}}, "c": {"mode": "fixed"}},
        "request": {"metod": "GET", "url": "https://{{b}}/", "headers": {"Host": "x"}},
    }
    assert fields(document) == {
        "label",
        "async",
        "params.a.mode",
        "params.b.schema.type",
        "params.c.value",
        "request.metod",
        "request.url",
        "request.headers.Host",
    }
    with pytest.raises(DefinitionErrors, match=r"label: .*; .*params\.c\.value: is missing; write the value") as errors:
        read_config(document)
    assert errors.value.field == errors.value.errors[0].field


@pytest.mark.requirement("002-08", "002-125")
@each(
    ("document", "field"),
    [
        ({**SMS, "type": "fax"}, "type"),
        ({**SMS, "type": None}, "type"),
        ({**SMS, "label": ""}, "label"),
        ({**SMS, "label": "x" * 81}, "label"),
        ({**SMS, "description": "{{nobody}}"}, "description"),
        ({**SMS, "params": []}, "params"),
        ({**SMS, "params": {"x": 3}}, "params.x"),
        ({**SMS, "params": {"x": asked()}}, "params.x"),
        ({**SMS, "params": {str(n): SEED_FIXED for n in range(51)}}, "params"),
        ({**SMS, "text": {"mode": "ai", "schema": {"type": 3}}}, "text.schema.type"),
        ({**SMS, "text": {"mode": "magic"}}, "text.mode"),
        ({**SMS, "text": 3}, "text"),
        ({**SMS, "text": None}, "text"),
        ({**SMS, "text": "x" * 1_601}, "text"),
        ({**SMS, "text": "{{nobody}}"}, "text"),
        ({**SMS, "params": {"text": SEED_FIXED}}, "text"),
        ({**SMS, "recipients": []}, "recipients"),
        ({**SMS, "recipients": [3]}, "recipients"),
        ({**SMS, "recipients": None}, "recipients"),
        ({**SMS, "recipients": {**SEED_EXTENDABLE, "fixedValues": "x"}}, "recipients.fixedValues"),
        ({**SMS, "recipients": {"mode": "array_extendable"}}, "recipients.fixedValues"),
        ({**SMS, "recipients": {**SEED_EXTENDABLE, "fixedValues": ["x"] * 51}}, "recipients.fixedValues"),
        ({**SMS, "recipients": {**SEED_EXTENDABLE, "fixedValues": ["{{x}}"]}}, "recipients.fixedValues[0]"),
        ({**SMS, "from": {"type": "specific_number"}}, "from.phone_number_id"),
        ({**SMS, "from": {"type": "other"}}, "from.type"),
        ({**TRANSFER, "destination": {}}, "destination.number"),
        ({**TRANSFER, "destination": {"type": "rule"}}, "destination.id"),
        ({**TRANSFER, "destination": {"type": "agent", "id": "a"}}, "destination.agentId"),
        ({**TRANSFER, "destination": {"type": "squad", "id": "a"}}, "destination.type"),
        ({**TRANSFER, "destination": {"agentId": "a", "message": "{{reason}}"}}, "destination.message"),
        ({**TRANSFER, "destination": {"agentId": "a", "message": "x" * 1_001}}, "destination.message"),
        ({**TRANSFER, "destination": {"agentId": "a"}, "params": {"why": asked()}}, "params.why"),
        ({**TRANSFER, "destination": {"agentId": "a"}, "async": True}, "async"),
        ({**TRANSFER, "destination": {"agentId": "a"}, "executeOnCallStart": True}, "executeOnCallStart"),
        ({**TRANSFER, "destination": {"number": "{{caller_phone_number}}"}}, "destination.number"),
        ({**TRANSFER, "params": {"why": asked()}}, "params.why"),
        ({**QUERY, "knowledge": {"type": "web"}}, "knowledge.type"),
        ({**QUERY, "knowledge": {"type": "collection", "collection": "a/b"}}, "knowledge.collection"),
        ({**QUERY, "knowledge": {"type": "knowledge_base", "fields": ["a"]}}, "knowledge.fields"),
        ({**QUERY, "knowledge": {**QUERY["knowledge"], "limit": 21}}, "knowledge.limit"),
        ({**QUERY, "knowledge": {**QUERY["knowledge"], "limit": True}}, "knowledge.limit"),
        ({**QUERY, "knowledge": {**QUERY["knowledge"], "fields": [""]}}, "knowledge.fields"),
        ({**QUERY, "knowledge": {**QUERY["knowledge"], "filters": "x"}}, "knowledge.filters"),
        ({**QUERY, "knowledge": {**QUERY["knowledge"], "filters": []}}, "params.town"),
        ({**SEED_PIPEDREAM, "pipedreamMetadata": {}}, "pipedreamMetadata.actionKey"),
        ({**SEED_PIPEDREAM, "pipedreamMetadata": {"app": "G Mail"}}, "pipedreamMetadata.app"),
        ({**SEED_PIPEDREAM, "pipedreamMetadata": {"actionKey": "nothing"}}, "pipedreamMetadata.actionKey"),
        ([], "/"),
        ({**SMS, "more": {"x": object()}}, "/"),
    ],
)
def test_a_configuration_that_cannot_work_is_refused_with_its_field(document, field):
    """Nothing that is wrong is found only when a caller waits."""
    assert field in fields(document)


@each(
    ("row", "key"),
    [
        ({"field": "a b", "value": 1}, "field"),
        ({"field": "a", "op": "!=", "value": 1}, "op"),
        ({"field": "a"}, "value"),
        ({"field": "a", "value": 1, "param": "town"}, "value"),
        ({"field": "a", "param": "nobody"}, "param"),
        ({"field": "a", "op": "in", "value": 1}, "value"),
        ({"field": "a", "value": "{{x}}"}, "value"),
        ({"field": "a", "value": 1, "oper": "<"}, "oper"),
    ],
)
def test_a_filter_that_cannot_work_is_refused(row, key):
    """Each row names its place."""
    knowledge = {**QUERY["knowledge"], "filters": [*QUERY["knowledge"]["filters"], row]}
    assert fields({**QUERY, "knowledge": knowledge}) == {f"knowledge.filters[3].{key}"}


@each(
    "name",
    ["caller_phone_number", "secret.x", "business_id", "callSid", "a b", "x" * 65, "ä", "a{b", "", "__proto__", "____"],
)
def test_a_name_that_a_model_cannot_give_or_must_not_is_refused(name):
    """Facts of the call come from the channel."""
    assert f"params.{name}".rstrip(".") in fields(request({name: asked()}))


@each("name", ["constructor", "prototype", "toString", "hasOwnProperty", "_proto_"])
def test_names_that_mean_something_to_other_languages_are_ordinary_ones(name):
    """A caller's word arrives under each of them."""
    config = read_config(request({name: asked()}, url="https://api.example.com/x"))
    assert bind(config, {name: "y"}, NUMBERS).url == f"https://api.example.com/x?{name}=y"


@each("label", ["x" * 81, 7, ["x"]])
def test_a_label_that_cannot_be_used_is_not_said_to_be_missing(label):
    """One true sentence."""
    with pytest.raises(DefinitionErrors) as caught:
        read_config(request({}) | {"label": label})
    assert [error.field for error in caught.value.errors] == ["label"]
    assert "missing" not in str(caught.value)


@each("label", ["", "  ", None])
def test_a_label_that_is_not_there_is_missing(label):
    """Blanks are none."""
    with pytest.raises(DefinitionErrors, match="label: is missing"):
        read_config(request({}) | {"label": label})


@each(
    ("url", "is_taken"),
    [
        ("http://127.0.0.1:9000/x", True),
        ("http://localhost:9000/x", True),
        ("HTTP://LocalHost/x", True),
        ("https://127.0.0.1:9000/x", True),
        ("http://localhost.example.com/x", False),
        ("http://127.0.0.1.nip.io/x", False),
        ("http://10.0.0.1/x", False),
    ],
)
def test_only_this_machine_may_be_asked_without_encryption(url, is_taken):
    """A server on it may stand in for an owner's in local mode; what is sent elsewhere can be read on the way."""
    if is_taken:
        assert bind(read_config(request({}, url=url)), {}, NUMBERS).url.casefold() == url.casefold()
    else:
        assert fields(request({}, url=url)) == {"request.url"}


def test_a_fixed_parameter_may_have_a_name_that_only_machines_read():
    """Such as `filter[email]`; it is never shown."""
    config = read_config(request({"filter[email]": SEED_FIXED, "business_id": SEED_FIXED}))
    assert set(config.parameters) == {"filter[email]", "business_id"}


@each(
    ("parts", "field"),
    [
        ({"url": "http://api.example.com/"}, "url"),
        ({"url": "api.example.com"}, "url"),
        ({"url": ""}, "url"),
        ({"url": None}, "url"),
        ({"url": "https://user:pass@api.example.com/"}, "url"),
        ({"url": "https://api.example.com/#x"}, "url"),
        ({"url": "https://api.example.com\\@evil.example/"}, "url"),
        ({"url": "https://api.example.com/a\r\nb"}, "url"),
        ({"url": "https://[::1]/"}, "url"),
        ({"url": "https://bücher.example/"}, "url"),
        ({"url": "https://api.example.com/a/../b"}, "url"),
        ({"url": "https://api.example.com/a/%2e%2e/b"}, "url"),
        ({"url": "https://{{id}}.example.com/"}, "url"),
        ({"url": "https://{{caller_phone_number}}/"}, "url"),
        ({"url": "https://api.example.com:{{id}}/"}, "url"),
        ({"url": "{{id}}/x"}, "url"),
        ({"url": "https{{id}}//api.example.com"}, "url"),
        ({"url": "https://api.example.com/?{{id}}=1"}, "url"),
        ({"url": "https://api.example.com/?k={{secret.k}}"}, "url"),
        ({"url": "https://api.example.com/{{note}}"}, "url"),
        ({"method": "TRACE"}, "method"),
        ({"method": "GET", "body": {}}, "body"),
        ({"body": "{'a': 1}"}, "body"),
        ({"body": '{"a": "{{secret.k}}"}'}, "body"),
        ({"body": {"a": "{{nobody}}"}}, "body.a"),
        ({"body": {"{{id}}": 1}}, "body"),
        ({"body": "x" * 17_000}, "body"),
        ({"body": [1], "headers": {"Content-Type": "application/x-www-form-urlencoded"}}, "body"),
        ({"headers": []}, "headers"),
        ({"headers": {"A": 3}}, "headers.A"),
        ({"headers": {"A b": "x"}}, "headers.A b"),
        ({"headers": {"A": "x\r\nB: y"}}, "headers.A"),
        ({"headers": {"A": "ü"}}, "headers.A"),
        ({"headers": {"A": "x", "a": "y"}}, "headers.a"),
        ({"headers": {"Content-Length": "3"}}, "headers.Content-Length"),
        ({"headers": {"A": "{{nobody}}"}}, "headers.A"),
        ({"headers": {"A": "{{secret.a}}{{secret.b}}"}}, "headers.A"),
        ({"headers": {"A": {"secret": "../x"}}}, "headers.A"),
        ({"headers": {"A": {"prefix": "x"}}}, "headers.A.secret"),
        ({"headers": {f"A{n}": "x" for n in range(31)}}, "headers"),
        ({"response": {"pick": ["a"]}}, "response.pick"),
        ({"response": {"pick": {"a": 3}}}, "response.pick.a"),
        ({"response": {"form": "a"}}, "response.form"),
        ({"response": {"pick": {"a": "b..c"}}}, "response.pick.a"),
        ({"response": {"pick": {"a": "opening hours"}}}, "response.pick.a"),
        ({"response": {"pick": {str(n): "a" for n in range(51)}}}, "response.pick"),
        ({"response": {"from": "data[items"}}, "response.from"),
        ({"response": {"text": "It costs {{price now}}."}}, "response.text"),
        ({"response": {"done": "placed"}}, "response.done"),
        ({"response": {"done": {"is": "placed"}}}, "response.done.at"),
        ({"response": {"done": {"at": "a..b", "is": "placed"}}}, "response.done.at"),
        ({"response": {"done": {"at": "$", "is": "placed"}}}, "response.done.at"),
        ({"response": {"done": {"at": "state"}}}, "response.done.is"),
        ({"response": {"done": {"at": "state", "is": []}}}, "response.done.is"),
        ({"response": {"done": {"at": "state", "is": [None]}}}, "response.done.is"),
        ({"response": {"done": {"at": "state", "is": {"not": "x"}}}}, "response.done.is"),
        ({"response": {"done": {"at": "state", "is": "x", "was": "y"}}}, "response.done.was"),
    ],
)
def test_a_request_that_cannot_be_sent_safely_is_refused_when_it_is_saved(parts, field):
    """Host and scheme never come from a variable, nor do header lines."""
    parameters = {"id": asked(), "note": asked(required=False)}
    url = "https://api.example.com/{{id}}?n={{note}}"
    assert f"request.{field}" in fields(request(parameters, **({"url": url} | parts)))


def test_a_parameter_that_would_never_be_sent_is_refused():
    """Or that would say a second time what the address says already."""
    assert fields(request({"a": asked(), "b": asked()}, method="POST", body={"a": "{{a}}"})) == {"params.b"}
    assert fields(request({"a": asked()}, url="https://api.example.com/?a=1")) == {"params.a"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
SCHEMAS = st.sampled_from(
    [
        {"type": "string", "enum": ["a", "b"]},
        {"type": "integer", "minimum": 1, "maximum": 3},
        {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]},
        {"type": "number", "default": 2.5},
    ]
)
MODES = st.one_of(
    st.builds(lambda v: {"mode": "fixed", "value": v}, JSON),
    st.builds(lambda s, r: {"mode": "ai", "prompt": "p", "schema": s, "required": r}, SCHEMAS, st.booleans()),
    st.builds(
        lambda v, e, r: {
            "mode": "array_extendable",
            "fixedValues": [f"HIDDEN{n}" for n in v],
            "aiExtension": {"enabled": e, "prompt": "p", "required": r},
        },
        st.lists(st.integers(0, 9), min_size=1, max_size=3),
        st.booleans(),
        st.booleans(),
    ),
)
CONFIGS = st.dictionaries(st.sampled_from(["a", "b", "camelCase", "d.e"]), MODES, max_size=4)


@pytest.mark.requirement("002-24", "002-25", "002-110", "002-111", "002-126")
@given(CONFIGS, st.dictionaries(st.sampled_from(["a", "b", "camelCase", "d.e", "other"]), JSON, max_size=4))
def test_every_schema_is_valid_and_no_model_can_set_or_see_a_fixed_value(modes, values):
    """JSON Schema 2020-12; whatever a model sends, the owner's value is used."""
    try:
        config = read_config({**SEED_PIPEDREAM, "params": modes})
    except DefinitionErrors as errors:
        assert all("{{" in json.dumps(modes) for _ in errors.errors)
        return
    function, static = build(config)
    jsonschema.Draft202012Validator.check_schema(function["parameters"])
    ArgumentReader(function["parameters"])
    assert function["parameters"]["additionalProperties"] is False
    assert "HIDDEN" not in json.dumps(function)
    props = bind(config, values, NUMBERS).props
    for name, mode in modes.items():
        if mode["mode"] == "fixed":
            assert name not in function["parameters"]["properties"]
            assert static[name] == props[name] == mode["value"]
        if mode["mode"] == "array_extendable":
            base = list(dict.fromkeys(mode["fixedValues"]))
            assert props[name][: len(base)] == base
    assert props.keys() <= modes.keys()


@given(JSON)
def test_no_document_whatever_ends_in_anything_but_a_list_of_problems(document):
    """Owners' documents come from the internet."""
    for template in Template:
        parts = {"request": document, "params": document, "text": document, "recipients": document, "from": document}
        rest = {"knowledge": document, "destination": document, "pipedreamMetadata": document, "label": "x"}
        with pytest.raises(DefinitionErrors) as errors:
            read_config({**parts, **rest, "type": template.value, "async": 3})
        assert "async" in {error.field for error in errors.value.errors}


ASKS: dict[str, Any] = {"confirm": True, "readBack": {"en": "Shall I send {{note}}?"}}


@pytest.mark.requirement("004-2474")
@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"confirm": "yes"}, "confirm"),
        ({"confirm": True, "executeOnCallStart": True}, "confirm"),
        ({"confirm": True, "readBack": "Shall I?"}, "readBack"),
        ({"confirm": True, "readBack": {"english please": "Shall I?"}}, "readBack.english please"),
        ({"confirm": True, "readBack": {"en": ""}}, "readBack.en"),
        ({"confirm": True, "readBack": {"en": "Shall I send {{amount}}?"}}, "readBack.en"),
        ({"confirm": True, "readBack": {"en": "Shall {{business.colour}} send it?"}}, "readBack.en"),
        ({"confirm": True, "readBack": {"en": "x" * 501}}, "readBack.en"),
        ({"readBack": {"en": "Shall I send it?"}}, "readBack"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused_with_its_field(changes, field):
    """It names what the model gives, and nothing that nobody fills in; a look-up asks nobody."""
    document = request(method="POST", params={"note": {"mode": "ai", "prompt": "What to say."}})
    assert read_config(document | ASKS).questions == {"en": "Shall I send {{note}}?"}
    with pytest.raises(DefinitionErrors) as caught:
        read_config(document | changes)
    assert field in [error.field for error in caught.value.errors]
    with pytest.raises(DefinitionErrors) as caught:
        read_config(request() | {"confirm": True})
    assert [error.field for error in caught.value.errors] == ["confirm"]


@pytest.mark.requirement("004-2477")
def test_a_header_that_decides_how_a_request_travels_is_refused_when_it_is_saved():
    """Every one that is refused when it is sent."""
    for name in (*OURS, "Accept-Encoding", "Proxy-Whatever"):
        with pytest.raises(DefinitionErrors) as caught:
            read_config(request(headers={name: "x"}))
        assert [error.field for error in caught.value.errors] == [f"request.headers.{name}"]


@pytest.mark.requirement("004-2475")
@pytest.mark.parametrize("keyword", ["$defs", "definitions"])
def test_a_parameters_schema_may_have_definitions_of_its_own(keyword):
    """Written as for the parameter alone; each stays its own where two have one of a name."""
    size = {keyword: {"x": {"type": "string", "enum": ["S", "M"]}}, "$ref": f"#/{keyword}/x"}
    line = {
        "type": "object",
        "properties": {"sku": {"$ref": f"#/{keyword}/x"}},
        "required": ["sku"],
        keyword: {"x": {"type": "integer"}},
    }
    config = read_config(request({"size": asked(schema=size), "line": asked(schema=line)}, method="POST"))
    reader = ArgumentReader(build(config)[0]["parameters"])
    zone = ZoneInfo("Europe/Berlin")
    assert reader.read({"size": "S", "line": {"sku": 7}}, zone).canonical == {"size": "S", "line": {"sku": 7}}
    for wrong in ({"size": "L"}, {"line": {"sku": "S!"}}):
        with pytest.raises(Refused):
            reader.read(wrong, zone)
