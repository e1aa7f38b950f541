"""What a call of a tenant tool comes to: the owner's values win, and no value leaves its place."""

import json
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote, urlsplit
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.catalog.definitions.variables import PhoneNumbers
from switchboard.catalog.tenant_tools.binding import bind
from switchboard.catalog.tenant_tools.config import DefinitionErrors, read_config
from switchboard.contract.definitions.tenant_tool import (
    BoundAction,
    BoundQuery,
    BoundRequest,
    BoundSms,
    BoundTransfer,
    SecretText,
)
from switchboard.contract.error import ErrorType, Refused
from tests.catalog.tool_configs import (
    NOBODY,
    NUMBERS,
    QUERY,
    SEED_EXTENDABLE,
    SEED_FIXED,
    SEED_PIPEDREAM,
    SEED_URL,
    SMS,
    TRANSFER,
    UNPROVEN,
    asked,
    request,
)
from tests.each import each

HOSTILE = st.text(max_size=40) | st.sampled_from(
    [
        "..",
        "../../admin",
        "a/b",
        "..\\..",
        "%2e%2e",
        "x?y=1&z=2#f",
        "@evil.example",
        "//evil.example/",
        "x\r\nHost: evil.example",
        "嘊嘍",
        '","admin":true,"x":"',
        "{{caller_phone_number}}",
        "{{secret.key}}",
        "</a><b>",
        "a=b&c=d",
        "\x00",
        "\ud7ff",
    ]
)


def bound(document: dict[str, Any], values: dict[str, Any] | None = None, numbers: PhoneNumbers = NUMBERS) -> Any:
    """Return what a call comes to."""
    return bind(read_config(document), values or {}, numbers)


@pytest.mark.requirement("002-26", "002-39", "002-41", "002-43", "002-82")
def test_the_seeds_pipedream_tool_is_bound_with_the_owners_subject():
    """Seed 002, "Tool Execution Flow": static takes precedence."""
    assert bound(SEED_PIPEDREAM, {"to": "a@example.com", "subject": "Free money", "cc": "x"}) == BoundAction(
        "gmail", "acc_xxx", "gmail-send-email", {"to": "a@example.com", "subject": "Order Confirmation"}
    )


@pytest.mark.requirement("002-40", "002-111")
@given(st.dictionaries(st.sampled_from(["to", "subject", "app", "accountId"]), HOSTILE))
def test_an_owners_value_is_used_whatever_the_model_sends(values):
    """Seed 002, "Fixed Mode"."""
    action = bound(SEED_PIPEDREAM, values)
    assert action.props == {"subject": "Order Confirmation"} | ({"to": values["to"]} if "to" in values else {})
    assert (action.app, action.account_id) == ("gmail", "acc_xxx")


@pytest.mark.requirement("002-114", "002-117")
def test_a_list_is_the_owners_values_followed_by_the_models_each_once():
    """Seed 002, "Array Extendable Mode"."""
    document = {**SMS, "text": "x", "recipients": SEED_EXTENDABLE}
    assert bound(document).recipients == ("+1234567890",)
    added = ["+12015550100", "+1234567890", "+12015550100"]
    assert bound(document, {"recipients": added}).recipients == ("+1234567890", "+12015550100")
    with pytest.raises(Refused):
        bound(document, {"recipients": [str(n) for n in range(11)]})


@pytest.mark.requirement("002-115")
def test_a_list_that_may_not_be_added_to_takes_nothing_from_the_model():
    """Seed 002, "Array Extendable Mode"."""
    closed = SEED_EXTENDABLE | {"aiExtension": {"enabled": False}}
    assert bound({**SMS, "text": "x", "recipients": closed}, {"recipients": ["+1"]}).recipients == ("+1234567890",)


def test_one_and_true_are_two_values_of_a_list():
    """They are one key to Python, and not to JSON."""
    extendable = {"mode": "array_extendable", "fixedValues": [1, "1"], "aiExtension": {"schema": {}}}
    document = {**SEED_PIPEDREAM, "params": {"ids": extendable}}
    assert (
        json.dumps(bound(document, {"ids": [True, 1, {"a": 1}, {"a": 1}]}).props["ids"]) == '[1, "1", true, {"a": 1}]'
    )


@pytest.mark.requirement("002-126")
@pytest.mark.parametrize(
    ("recipients", "untold"),
    [
        (["+1234567890", "{{caller_phone_number}}"], ("+1234567890",)),
        ({"mode": "fixed", "value": ["+1234567890", "{{called_phone_number}}"]}, ("+1234567890",)),
        (SEED_EXTENDABLE, ("+1234567890",)),
        ({"mode": "ai", "prompt": "Whom to text"}, ()),
    ],
)
def test_the_numbers_that_an_owner_wrote_down_are_known_as_such(recipients, untold):
    """However they are written; the facts of the call and what the model named are none of them."""
    assert bound({**SMS, "text": "x", "recipients": recipients}, {"recipients": ["+15185550161"]}).untold == untold


@pytest.mark.requirement("002-46", "002-47", "002-48", "002-81")
def test_a_text_has_the_models_words_and_the_owners_recipients():
    """Seed 002, "SMS"."""
    document = {**SMS, "recipients": ["{{caller_phone_number}}", "+1234567890"]}
    assert bound(document, {"text": "See you {{caller_phone_number}}"}) == BoundSms(
        "See you {{caller_phone_number}}", ("+15551234567", "+1234567890"), untold=("+1234567890",)
    )
    document["from"] = {"type": "specific_number", "phone_number_id": "PN1"}
    assert bound(document, {"text": "x"}).sender_id == "PN1"
    # Whoever names a number means it.
    for name in ("phone_number_id", "phoneNumberId"):
        document["from"] = {name: "PN1"}
        assert bound(document, {"text": "x"}).sender_id == "PN1"


def test_the_owners_words_may_have_the_models_in_them():
    """And the numbers; all filled once."""
    document = {**SMS, "text": "Hi {{name}}, call {{called_phone_number}}", "params": {"name": asked()}}
    assert bound(document, {"name": "{{called_phone_number}}"}).text == "Hi {{called_phone_number}}, call +12015550199"


@pytest.mark.parametrize("values", [{"text": " ", "to": ["+1"]}, {"text": "x", "to": []}, {"text": "x", "to": [" "]}])
def test_a_text_without_words_or_recipient_is_refused(values):
    """The model is told what is missing."""
    document = {**SMS, "recipients": "{{to}}", "params": {"to": asked(type="array", items={"type": "string"})}}
    with pytest.raises(Refused) as refusal:
        bound(document, values)
    assert refusal.value.type is ErrorType.VALIDATION


@pytest.mark.requirement("002-55")
def test_a_look_up_filters_by_what_the_model_gave_and_what_the_owner_fixed():
    """An optional argument that was not given filters nothing."""
    assert bound(QUERY, {"town": "Bath"}) == BoundQuery(
        "", "properties", (("town", "==", "Bath"), ("isSold", "==", False)), ("town", "price"), 3
    )
    assert ("price", "<=", 5) in bound(QUERY, {"town": "Bath", "price": 5}).filters


@pytest.mark.requirement("002-22")
def test_a_look_up_in_the_knowledge_base_asks_the_model_for_a_question():
    """Or takes all that the owner's own parameters say."""
    document = {"type": "query", "label": "Ask"}
    assert bound(document, {"question": "Is there parking?"}) == BoundQuery("Is there parking?")
    document["params"] = {"where": asked(), "kind": {"mode": "fixed", "value": "house"}, "more": asked(required=False)}
    assert bound(document, {"where": "Bath"}).question == "Bath house"


CALLERS = "{{caller_phone_number}}"
FIXED_CALLERS = {"phone": {"mode": "fixed", "value": CALLERS}}
ORDERS = {"type": "collection", "collection": "orders"}
SHEET = {**SEED_PIPEDREAM, "params": FIXED_CALLERS}
MCP = {
    "type": "mcp_tool",
    "label": "Orders",
    "server": {"url": "https://mcp.example.com/mcp"},
    "tool": "orders",
    "inputSchema": {"type": "object", "properties": {"phone": {"type": "string"}}},
    "params": FIXED_CALLERS,
}
SELECTING = {
    "the filter of a query": {
        **QUERY,
        "knowledge": ORDERS | {"filters": [{"field": "phone", "op": "==", "value": CALLERS}]},
        "params": {},
    },
    "a value in the filter of a query": {
        **QUERY,
        "knowledge": ORDERS | {"filters": [{"field": "phone", "param": "phone"}]},
        "params": FIXED_CALLERS,
    },
    "a question": {"type": "query", "label": "Ask", "params": FIXED_CALLERS},
    "a body, where the owner says so": {**request(FIXED_CALLERS, method="POST"), "callerNumber": "proven"},
    "an action, where the owner says so": {**SHEET, "callerNumber": "proven"},
    "an address, where the owner says so": {
        **request(url=f"https://api.example.com/orders?phone={CALLERS}"),
        "callerNumber": "proven",
    },
}
REACHING = {
    "the query of an address": request(url=f"https://api.example.com/orders?phone={CALLERS}"),
    "the path of an address": request(url=f"https://api.example.com/{CALLERS}/orders"),
    "an address that is a parameter": {"type": "api_request", "label": "Look up", "params": {"url": SEED_URL}},
    "what goes to the query by itself": request(FIXED_CALLERS),
    "the same of a deletion": request(FIXED_CALLERS, method="DELETE"),
    "the address of what is changed": request(FIXED_CALLERS, method="PATCH", url="https://api.example.com/{{phone}}"),
    "the address of what is sent": request(method="POST", url=f"https://api.example.com/orders?phone={CALLERS}"),
    "a default in an address": request({"phone": asked(required=False, default=CALLERS)}),
    "a header of what is read": request(headers={"X-Caller": CALLERS}),
    "what another server only reads": {**MCP, "annotations": {"readOnlyHint": True}},
    "the recipients of a text": {**SMS, "recipients": [CALLERS], "text": "On our way."},
    "what is said to whoever is called": TRANSFER,
    "a body by itself": request(FIXED_CALLERS, method="POST"),
    "a body": request(method="PUT", body={"from": CALLERS}),
    "an action": SHEET,
    "what another server does": MCP,
    "an address, where the owner says so": {
        **request(url=f"https://api.example.com/orders?phone={CALLERS}"),
        "callerNumber": "contact",
    },
}


@pytest.mark.requirement("004-104")
@pytest.mark.parametrize("place", SELECTING)
def test_whose_data_is_meant_by_the_callers_number_depends_on_its_proof(place):
    """Anybody can have a number shown: nothing is read by one that is not proven, and what would work is said."""
    with pytest.raises(Refused, match="verify_caller") as refused:
        bound(SELECTING[place], numbers=UNPROVEN)
    assert (refused.value.type, refused.value.meta) == (
        ErrorType.MODE_RESTRICTED,
        {"condition": "session:verified"},
    )
    # The number on file of who was verified, whatever the call shows.
    found = repr(bound(SELECTING[place], numbers=replace(UNPROVEN, proven_phone="+15550000000")))
    assert "15550000000" in found and "15551234567" not in found


@pytest.mark.requirement("004-104")
@pytest.mark.parametrize("place", REACHING)
def test_where_the_callers_number_only_says_how_they_are_reached_it_is_the_one_that_is_shown(place):
    """A text or a call back goes to whoever is on the line, who need not be known."""
    assert "15551234567" in repr(bound(REACHING[place], numbers=replace(UNPROVEN, proven_phone="+15550000000")))


@pytest.mark.requirement("004-104")
@pytest.mark.parametrize(
    ("document", "said"),
    [(SMS, "yes"), (request(), 1), (SELECTING["the filter of a query"], "contact")],
)
def test_what_an_owner_says_of_the_callers_number_is_one_of_two_things(document, said):
    """And a query always looks something up."""
    with pytest.raises(DefinitionErrors) as refused:
        read_config({**document, "callerNumber": said})
    assert {error.field for error in refused.value.errors} == {"callerNumber"}


@pytest.mark.parametrize(("value", "found"), [("Bath", ["Bath"]), (["Bath", "Wells"], ["Bath", "Wells"]), ([], None)])
def test_a_choice_has_at_least_one_value(value, found):
    """One value is a choice of one."""
    knowledge = {"type": "collection", "collection": "c", "filters": [{"field": "t", "op": "in", "param": "t"}]}
    document = {**QUERY, "params": {"t": asked(schema={})}, "knowledge": knowledge}
    if found is None:
        with pytest.raises(Refused, match="t: must have 1 to 30 items"):
            bound(document, {"t": value})
    else:
        assert bound(document, {"t": value}).filters == (("t", "in", found),)


def test_a_call_goes_to_the_owners_number_or_rule():
    """The number in one spelling, variables in the message filled."""
    assert bound(TRANSFER) == BoundTransfer("+12015550123", message="+15551234567 is calling")
    rule = {**TRANSFER, "destination": {"id": "front-desk", "label": "Front desk"}}
    assert bound(rule, {"id": "other", "number": "+1900"}) == BoundTransfer(rule_id="front-desk", label="Front desk")


@pytest.mark.requirement("002-123")
def test_the_seeds_address_is_bound_with_the_callers_number_encoded():
    """Seed 002, "Usage": a fixed value that is an address."""
    document = {"type": "api_request", "label": "Look up", "params": {"url": SEED_URL}}
    expected = BoundRequest("GET", "https://api.example.com/customers?phone=%2B15551234567", {})
    assert bound(document) == expected
    assert bound({**document, "request": {"url": "{{url}}"}}, {"url": "https://evil.example"}) == expected


def test_a_method_may_be_a_fixed_parameter_too():
    """Where the request names none; it is not sent besides."""
    params = {"url": SEED_URL, "method": {"mode": "fixed", "value": "delete"}}
    found = bound({"type": "api_request", "label": "Forget", "params": params})
    assert (found.method, found.url) == ("DELETE", "https://api.example.com/customers?phone=%2B15551234567")


def test_a_host_may_come_from_what_the_owner_fixed():
    """And from nothing else."""
    params = {"base": {"mode": "fixed", "value": "https://a.example/v1"}, "shop": SEED_FIXED | {"value": "shop"}}
    assert bound(request(params, url="{{base}}/x?s={{shop}}")).url == "https://a.example/v1/x?s=shop"
    assert bound(request(params, url="https://{{shop}}.example/?b={{ base }}")).url == (
        "https://shop.example/?b=https%3A%2F%2Fa.example%2Fv1"
    )


@pytest.mark.requirement("002-54")
def test_parameters_that_nothing_names_go_to_the_query_or_into_a_json_object():
    """To the query for GET and DELETE, into the body otherwise."""
    params = {"a": asked(), "n": asked(type="integer", required=False), "fixed": SEED_FIXED}
    values = {"a": "x y&z", "n": 3, "fixed": "evil"}
    for method in ("GET", "delete"):
        found = bound(request(params, method=method), values)
        assert found.body is None
        assert parse_qsl(urlsplit(found.url).query) == [("a", "x y&z"), ("n", "3"), ("fixed", "Order Confirmation")]
    for method in ("POST", "PUT", "PATCH"):
        found = bound(request(params, method=method), values)
        assert found.url == "https://api.example.com/customers"
        assert found.body == {"a": "x y&z", "n": 3, "fixed": "Order Confirmation"}
    assert bound(request(params, method="POST"), {"a": "x"}).body == {"a": "x", "fixed": "Order Confirmation"}
    assert bound(request(method="POST")).body is None


def test_a_list_in_the_query_is_one_pair_for_each_item_and_nothing_is_no_pair():
    """An argument that is null or was not given is not sent."""
    params = {"ids": asked(type="array", items={"type": "integer"}), "x": asked(type=["string", "null"])}
    found = bound(request(params, url="https://api.example.com/?{}&b=%20c d"), {"ids": [1, 2], "x": None})
    assert found.url == "https://api.example.com/?%7B%7D&b=%20c%20d&ids=1&ids=2"


URL = "https://api.example.com/v1/{{id}}/x-{{note}}.json?a={{id}}&b=1&c={{caller_phone_number}}&o={{maybe}}"


@pytest.mark.requirement("002-123", "002-124")
@given(HOSTILE, HOSTILE, HOSTILE)
def test_no_value_changes_host_path_or_query_of_an_address(id, note, number):
    """It stays one segment or one value, or the call is refused."""
    params = {"id": asked(), "note": asked(), "maybe": asked(required=False), "loose": asked()}
    values = {"id": id, "note": note, "loose": note, "host": "evil.example"}
    try:
        url = bound(request(params, url=URL), values, PhoneNumbers(number or "+1", "+2", number or "+1")).url
    except Refused as refusal:
        assert refusal.type is ErrorType.VALIDATION
        assert not id or ".." in id or "." in id.replace("\\", "/").split("/") or "." in note
        return
    parts = urlsplit(url)
    assert (parts.scheme, parts.netloc, parts.fragment) == ("https", "api.example.com", "")
    assert url.isascii()
    assert url.isprintable()
    segments = parts.path.split("/")
    assert [unquote(s, errors="strict") for s in segments] == ["", "v1", id, f"x-{note}.json"]
    assert ".." not in parts.path.replace("%2F", "/").replace("%5C", "/").split("/")
    pairs = parse_qsl(parts.query, keep_blank_values=True, errors="strict")
    assert pairs == [("a", id), ("b", "1"), ("c", number or "+1"), ("loose", note)]


@pytest.mark.parametrize("value", ["", ".", "..", "../admin", "a/../../b", "..\\x", "a/."])
def test_a_value_that_would_lead_to_another_path_is_refused_by_name(value):
    """Servers that decode an encoded slash would follow it."""
    with pytest.raises(Refused, match=r"^VALIDATION: id:"):
        bound(request({"id": asked()}, url="https://api.example.com/c/{{id}}/x"), {"id": value})


def test_two_values_that_make_dots_together_are_refused():
    """The segment counts, not each value."""
    params = {"a": asked(), "b": asked()}
    with pytest.raises(Refused):
        bound(request(params, url="https://api.example.com/{{a}}{{b}}/x"), {"a": ".", "b": "."})


def test_an_address_that_grows_too_long_is_refused():
    """Before a server does so with words that help nobody."""
    with pytest.raises(Refused, match="too long"):
        bound(request({"q": asked()}), {"q": "x" * 8_000})


@given(HOSTILE)
def test_no_value_adds_a_header_or_a_line_to_one(value):
    """It is one line of ASCII, or the call is refused with the argument's name."""
    headers = {"X-Note": "n={{note}};", "Authorization": "Bearer {{secret.crm}}"}
    try:
        found = bound(request({"note": asked()}, headers=headers), {"note": value}).headers
    except Refused as refusal:
        assert refusal.message.startswith("note: ")
        assert not (value.isascii() and value.isprintable())
        return
    assert found == {"X-Note": f"n={value};", "Authorization": SecretText("Bearer ", "crm")}
    assert value.isascii()
    assert value.replace("\t", "").isprintable()


@each("value", ["a\nb", "a\rb", "a\x00b", "a\x7fb", "a\x85b", "a\u2028b", "a\u560ab", "ü"])
def test_a_value_that_a_header_cannot_carry_is_refused(value):
    """Also what some servers cut down to a line break (U+560A)."""
    with pytest.raises(Refused, match="note: must be one line"):
        bound(request({"note": asked()}, headers={"X-Note": "{{note}}"}), {"note": value})


def test_a_secret_is_named_and_never_read():
    """Both ways of writing it; the blank after Bearer counts."""
    headers = {
        "A": {"secret": "key", "prefix": "Bearer ", "suffix": "!"},
        "B": "{{ secret.key }}",
        "C": "{{called_phone_number}}:{{secret.key}}",
        "D": "{{maybe}}",
        "E": " plain ",
    }
    found = bound(request({"maybe": asked(required=False)}, headers=headers)).headers
    assert found == {
        "A": SecretText("Bearer ", "key", "!"),
        "B": SecretText("", "key"),
        "C": SecretText("+12015550199:", "key"),
        "E": "plain",
    }


BODY = {"n": "{{note}}", "s": "a {{note}} b", "in": ["{{note}}", {"p": "{{caller_phone_number}}"}], "x": "{{maybe}}"}


@pytest.mark.requirement("002-124")
@given(HOSTILE | st.integers() | st.booleans() | st.lists(HOSTILE, max_size=2))
def test_no_value_changes_the_structure_of_a_json_body(value):
    """Whether the owner wrote it as JSON or as its text; a value alone keeps its type."""
    params = {"note": asked(schema={}), "maybe": asked(required=False)}
    text = '{"n": {{note}}, "s": "a {{note}} b", "in": ["{{note}}", {"p": "{{caller_phone_number}}"}], "x": {{maybe}}}'
    bodies = [bound(request(params, method="POST", body=body), {"note": value}).body for body in (BODY, text)]
    for body in bodies:
        assert list(body) == ["n", "s", "in"]
        assert body["n"] == value
        assert body["in"] == [value, {"p": "+15551234567"}]
        assert not isinstance(value, str) or body["s"] == f"a {value} b"


@given(HOSTILE, HOSTILE)
def test_no_value_adds_a_field_to_a_form(one, two):
    """Written as text; an object is written as a form by whoever sends it."""
    headers = {"content-type": "application/x-www-form-urlencoded"}
    params = {"one": asked(), "two": asked()}
    document = request(params, method="POST", headers=headers, body="a={{one}}&b=x{{two}}")
    body = bound(document, {"one": one, "two": two}).body
    assert parse_qs(body, keep_blank_values=True, errors="strict") == {"a": [one], "b": [f"x{two}"]}
    document["request"]["body"] = {"a": "{{one}}", "b": "{{two}}"}
    assert bound(document, {"one": one, "two": two}).body == {"a": one, "b": two}


@given(
    st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc"]), max_size=20).filter(
        lambda t: "\ufffe" not in t and "\uffff" not in t
    )
)
def test_no_value_adds_an_element_to_xml(value):
    """Neither in an element nor in an attribute."""
    document = request({"v": asked()}, method="POST", body='<a b="{{v}}">{{v}}</a>')
    found = bound(document, {"v": value})
    root = ElementTree.fromstring(found.body)
    assert (list(root), root.attrib, root.text or "") == ([], {"b": value}, value)
    assert found.headers == {"Content-Type": "application/xml; charset=utf-8"}


def test_words_that_look_like_json_are_sent_as_words():
    """The owner asked for text, so a model's text does not become an object."""
    document = request({"v": asked()}, method="POST", body="{{v}}")
    found = bound(document, {"v": '{"admin": true}'})
    assert (found.body, found.headers) == ('{"admin": true}', {"Content-Type": "text/plain; charset=utf-8"})
    document["request"]["headers"] = {"Content-Type": "application/json"}
    assert json.loads(bound(document, {"v": '{"admin": true}'}).body) == '{"admin": true}'
    assert bound(document, {"v": {"a": 1}}).body == {"a": 1}


def test_a_body_of_an_argument_that_was_not_given_is_none():
    """Rather than an empty one."""
    assert bound(request({"v": asked(required=False)}, method="POST", body="{{v}}")).body is None
    assert bound(request({"v": asked(required=False)}, method="POST", body="v={{v}}")).body == "v="


@pytest.mark.requirement("004-945")
@each(
    ("parts", "values", "dictated"),
    [
        ({"recipients": {"mode": "ai", "prompt": "Whom"}}, {"recipients": ["+1", "+2"]}, ("+1", "+2")),
        ({"recipients": SEED_EXTENDABLE}, {"recipients": ["+1", "+1234567890"]}, ("+1",)),
        ({"recipients": ["+9", "{{to}}"], "params": {"to": asked()}}, {"to": "+1"}, ("+1",)),
        ({"recipients": ["+9", "+1518{{ext}}"], "params": {"ext": asked()}}, {"ext": "555"}, ("+1518555",)),
        ({"recipients": ["{{to}}"], "params": {"to": asked(enum=["+1", "+2"])}}, {"to": "+1"}, ()),
        (
            {"recipients": {"mode": "ai", "schema": {"type": "array", "items": {"type": "string", "enum": ["+1"]}}}},
            {"recipients": ["+1"]},
            (),
        ),
        ({"recipients": ["{{caller_phone_number}}"]}, {}, ()),
        ({"recipients": {"mode": "ai", "prompt": "Whom"}, "textAnyone": True}, {"recipients": ["+1"]}, ()),
    ],
)
def test_a_number_that_a_model_names_freely_is_told_from_the_owners(
    parts: dict[str, Any], values: dict[str, Any], dictated: tuple[str, ...]
):
    """A list to choose from is the owner's; and the owner may say that anybody may be texted."""
    assert bound({**SMS, "text": "x"} | parts, values).dictated == dictated


def test_the_response_mapping_is_the_owners():
    """Handed on as it was written."""
    mapping = {
        "from": "data",
        "pick": {"name": "customer.name"},
        "done": {"at": "data.state", "is": ["placed", 1, True]},
    }
    assert bound(request(response=mapping)).response == mapping


def test_a_default_may_be_the_callers_number():
    """It is no default that a model sees, and a model's own words are not filled."""
    document = request({"phone": asked(default="{{caller_phone_number}}")})
    assert bound(document).url.endswith("?phone=%2B15551234567")
    assert bound(document, {"phone": "{{called_phone_number}}"}).url.endswith("?phone=%7B%7Bcalled_phone_number%7D%7D")


@pytest.mark.parametrize(
    "document",
    [
        {**SMS, "text": "x", "recipients": ["{{caller_phone_number}}"]},
        {**SEED_PIPEDREAM, "params": {"p": {"mode": "fixed", "value": ["{{called_phone_number}}"]}}},
        {"type": "api_request", "label": "Look up", "params": {"url": SEED_URL}},
        request(headers={"A": "{{caller_phone_number}}"}),
        request(method="POST", body={"a": "{{caller_phone_number}}"}),
        TRANSFER,
    ],
)
def test_a_tool_that_needs_a_withheld_number_refuses_and_shows_no_value_of_the_owners(document):
    """Seed 002, "Security Notes"; nothing is sent with a gap in it."""
    with pytest.raises(Refused) as refusal:
        bound(document, numbers=NOBODY)
    assert refusal.value.type is ErrorType.MODE_RESTRICTED
    assert "example" not in refusal.value.message
