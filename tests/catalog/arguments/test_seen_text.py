"""No tool gets a text with something in it that nobody sees, however it is sent, and none has to think of that."""

import json
from zoneinfo import ZoneInfo

import pytest

from switchboard.catalog.arguments.arguments import ArgumentReader
from switchboard.contract.error import ErrorType, Refused
from tests.architecture.house import ROOT
from tests.each import each

ZONE = ZoneInfo("America/New_York")
TEXT = {"type": "string"}
SCHEMA = {
    "type": "object",
    "properties": {
        "note": TEXT,
        "name": {**TEXT, "x-one-line": True, "minLength": 1, "maxLength": 10},
        "kind": {**TEXT, "enum": ["plain", "odd\u200bword"]},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"text": TEXT}}},
        "either": {"anyOf": [{"type": "object", "properties": {"a": TEXT}, "required": ["a"]}, {"type": "null"}]},
        "anything": {},
    },
}
# Texts of the built-in tools that may have lines, and those that are looked up, compared or read as something else.
LINES = {"notes", "message", "body", "description", "text"}
LOOKED_UP = {
    # Whose pattern refuses a second line: what would be a header is not made part of it.
    "subject",
    *("booking_id", "booking_reference", "code", "entity_id", "query", "topic", "language", "timezone", "to"),
    *("customer_phone", "customer_email", "callback_phone", "callback_email", "phone", "email", "call_sid"),
}


@pytest.mark.requirement("004-962")
@each("as_text", [False, True])
@each(
    ("sent", "read"),
    [
        ({"note": "a\x00b\u202ec\r\nd\te"}, {"note": "abc\nd\te"}),
        ({"name": "Anna\n\u200bBell"}, {"name": "Anna Bell"}),
        ({"name": "0123456789\u200b\u200b"}, {"name": "0123456789"}),
        ({"kind": "pl\u200bain"}, {"kind": "plain"}),
        ({"kind": "odd\u200bword"}, {"kind": "odd\u200bword"}),
        ({"lines": [{"text": "a\x1b"}, {"text": "b\x7f"}]}, {"lines": [{"text": "a"}, {"text": "b"}]}),
        ({"either": {"a": "b\x00"}}, {"either": {"a": "b"}}),
        ({"anything": ["x\x00", {"y": "z\u2028"}]}, {"anything": ["x", {"y": "z\n"}]}),
        (
            {"note": "\u0645\u06cc\u200c\u062e \U0001f468\u200d\U0001f469"},
            {"note": "\u0645\u06cc\u200c\u062e \U0001f468\u200d\U0001f469"},
        ),
    ],
)
def test_what_nobody_sees_reaches_no_tool(sent, read, as_text):
    """Neither a handler nor what is kept; before lengths are measured, and an enum's own words stay."""
    found = ArgumentReader(SCHEMA).read(json.dumps(sent) if as_text else sent, ZONE)
    assert (found.canonical, found.values) == (read, read)


@pytest.mark.requirement("004-962")
def test_what_stands_on_one_line_is_said_by_the_schema_that_a_model_is_not_told():
    """It is told none of the words with `x-`."""
    told = {**SCHEMA, "properties": {**SCHEMA["properties"], "name": TEXT}}
    found = ArgumentReader(told, declaring=SCHEMA).read({"name": "Anna\nBell", "note": "a\nb"}, ZONE)
    assert found.canonical == {"name": "Anna Bell", "note": "a\nb"}


@pytest.mark.requirement("004-962")
def test_a_name_of_which_nothing_is_seen_is_empty():
    """And refused as that."""
    with pytest.raises(Refused) as refused:
        ArgumentReader(SCHEMA).read({"name": "\u200b\x00"}, ZONE)
    assert refused.value.type is ErrorType.VALIDATION


@pytest.mark.requirement("004-962")
def test_every_text_of_a_built_in_tool_is_known_to_be_on_one_line_or_to_have_lines():
    """A new one fails here until its schema says `x-one-line`, or it is listed above."""
    unknown = []
    for path in sorted((ROOT / "functions/switchboard/tools").glob("*/schema.json")):
        for name, inner in json.loads(path.read_text())["parameters"]["properties"].items():
            is_free = inner.get("type") == "string" and "enum" not in inner and "date" not in inner.get("format", "")
            if is_free and (name in LINES | LOOKED_UP) is (inner.get("x-one-line") is True):
                unknown.append(f"{path.parent.name}: {name}")
    assert unknown == []
