"""Arguments are parsed strictly, coerced where that is safe, and otherwise refused with words that help."""

import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from switchboard.catalog.arguments.arguments import TRUSTED_NAMES, ArgumentReader, Arguments
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.error import ErrorType, Refused
from tests.each import each
from tests.formats.definitions import one

BERLIN = ZoneInfo("Europe/Berlin")
BOOKING: dict[str, Any] = {
    "type": "object",
    "properties": {
        "service": {"type": "string", "minLength": 1},
        "start_time": {"type": "string", "format": "date-time"},
        "duration_minutes": {"type": "integer", "minimum": 15, "maximum": 240, "default": 30},
        "price": {"type": "number"},
        "kind": {"type": "string", "enum": ["first visit", "Follow-up"]},
        "remind": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        "sizes": {"type": "array", "items": {"type": "integer"}},
        "day": {"type": "string", "format": "date"},
        "who": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "born": {"type": "string", "format": "date-time"},
                "language": {"type": "string", "default": "en"},
            },
            "required": ["name"],
        },
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "either": {"type": ["integer", "boolean"]},
        "anything": {},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
    "required": ["service"],
}
READER = ArgumentReader(BOOKING)


def read(raw: Any, **more: Any) -> Arguments:
    """Read arguments of the booking in Berlin; a dict gets the service that it needs."""
    return READER.read({"service": "Cut"} | raw | more if isinstance(raw, dict) else raw, BERLIN)


def refusal(raw: Any, reader: ArgumentReader = READER) -> str:
    """Return the message with which arguments are refused."""
    with pytest.raises(Refused) as caught:
        reader.read(raw, BERLIN)
    assert caught.value.type is ErrorType.VALIDATION
    assert not caught.value.retryable
    return caught.value.message


@pytest.mark.requirement("003-69")
def test_good_arguments_arrive_as_they_were_sent():
    """Valid arguments are passed on unchanged, with defaults filled in."""
    assert read({"price": 9.5, "kind": "Follow-up"}) == Arguments(
        canonical={"service": "Cut", "price": 9.5, "kind": "Follow-up", "duration_minutes": 30},
        values={"service": "Cut", "price": 9.5, "kind": "Follow-up", "duration_minutes": 30},
    )


@each(
    ("name", "sent", "meant"),
    [
        ("duration_minutes", "45", 45),
        ("duration_minutes", " 45 ", 45),
        ("duration_minutes", 45.0, 45),
        ("duration_minutes", "45.0", 45),
        ("duration_minutes", "6e1", 60),
        ("price", "9.50", 9.5),
        ("price", "-3", -3),
        ("price", 3, 3),
        ("remind", "true", True),
        ("remind", " False", False),
        ("kind", "FIRST  visit ", "first visit"),
        ("kind", "follow-up", "Follow-up"),
        ("tags", ["first visit"], ["first visit"]),
        ("tags", "vip", ["vip"]),
        ("tags", [], []),
        ("sizes", "3", [3]),
        ("sizes", 3.0, [3]),
        ("sizes", ["1", 2.0, 3], [1, 2, 3]),
        ("either", "7", 7),
        ("either", "TRUE", True),
        ("note", None, None),
        ("note", "null", "null"),
        ("anything", "5", "5"),
        ("map", {"a": "5"}, {"a": 5}),
        ("who", {"name": "A"}, {"name": "A", "language": "en"}),
        ("day", "2028-02-29", "2028-02-29"),
    ],
)
@pytest.mark.requirement("000-58", "001-04")
def test_what_is_meant_is_understood(name: str, sent: Any, meant: Any):
    """Seed 000: wrong types are converted where only one reading is possible."""
    found = read({name: sent}).canonical[name]
    assert found == meant
    assert type(found) is type(meant)


@each(
    ("name", "sent"),
    [
        ("duration_minutes", "45 min"),
        ("duration_minutes", "1,000"),
        ("duration_minutes", "045"),
        ("duration_minutes", "٤٥"),
        ("duration_minutes", 45.5),
        ("duration_minutes", True),
        ("duration_minutes", "1e999"),
        ("price", "NaN"),
        ("price", "0x10"),
        ("remind", "yes"),
        ("remind", 1),
        ("service", 5),
        ("service", None),
        ("kind", "first-visit"),
        ("tags", '["vip"]'),
        ("tags", {"a": "b"}),
        ("tags", [None]),
        ("sizes", "1, 2"),
        ("day", "2026-02-29"),
        ("day", "tomorrow"),
        ("who", "A"),
        ("map", {"a": "b"}),
    ],
)
def test_nothing_is_guessed(name: str, sent: Any):
    """What could mean two things, or would lose something, is refused by its name."""
    assert refusal({"service": "Cut"} | {name: sent}).startswith(name)


def test_what_is_right_already_stays_beside_what_is_not():
    """One argument that needs help changes nothing about the others."""
    found = read({"kind": "Follow-up", "duration_minutes": "45"}).canonical
    assert found == {"service": "Cut", "kind": "Follow-up", "duration_minutes": 45}


@pytest.mark.requirement("001-06")
@pytest.mark.parametrize("default", ["x", "2026-03-02T10:00:00Z"])
def test_a_default_does_not_stand_in_for_what_is_required(default: str):
    """A default says what is usual; what a caller has to be asked for is asked for all the same."""
    inner = {"type": "string", "default": default} | ({"format": "date-time"} if "T" in default else {})
    schema = {"type": "object", "properties": {"a": inner, "b": {"type": "integer", "default": 3}}, "required": ["a"]}
    reader = ArgumentReader(schema)
    for sent in ({}, {"a": None}, "{}", None, {"b": 1}):
        assert refusal(sent, reader).startswith("a: ")
    assert reader.read({"a": inner["default"]}, UTC).canonical["b"] == 3


def test_null_for_an_optional_argument_is_as_if_it_was_not_sent():
    """Strict models send null for what they leave out; where null is a value it stays."""
    sent = {"price": None, "duration_minutes": None, "note": None, "who": {"name": "A", "born": None}}
    assert read(sent).canonical == {
        "service": "Cut",
        "duration_minutes": 30,
        "note": None,
        "who": {"name": "A", "language": "en"},
    }


@each("name", sorted(TRUSTED_NAMES))
def test_facts_of_the_call_are_not_taken_from_the_model(name: str):
    """Design §5: dropped and reported when the schema does not declare them."""
    found = read({name: "evil"})
    assert name not in found.canonical
    assert name not in found.values
    assert found.ignored == (name,)


def test_a_declared_argument_may_be_called_like_a_fact():
    """What the schema asks the model for is taken from the model."""
    reader = ArgumentReader({"type": "object", "properties": {"channel": {"enum": ["sms", "mail"]}}})
    assert reader.read({"channel": "SMS"}, UTC) == Arguments({"channel": "sms"}, {"channel": "sms"})


@each(
    ("sent", "canonical"),
    [
        ("2026-03-05T14:00:00+01:00", "2026-03-05T14:00:00+01:00"),
        ("2026-03-05T13:00:00Z", "2026-03-05T14:00:00+01:00"),
        ("2026-03-05T08:00:00-0500", "2026-03-05T14:00:00+01:00"),
        ("2026-03-05T14:00", "2026-03-05T14:00:00+01:00"),
        (" 2026-03-05 14:00:00 ", "2026-03-05T14:00:00+01:00"),
        ("2026-03-05", "2026-03-05T00:00:00+01:00"),
        ("2026-07-01", "2026-07-01T00:00:00+02:00"),
        ("2026-10-25T02:30:00+01:00", "2026-10-25T02:30:00+01:00"),
        ("2026-10-25T00:30:00Z", "2026-10-25T02:30:00+02:00"),
    ],
)
@pytest.mark.requirement("001-13")
def test_a_time_arrives_aware_in_the_business_zone(sent: str, canonical: str):
    """Seed 001: an offset is converted, none means local time, a date means its beginning; hashed in one spelling."""
    for found in (read({"start_time": sent}), read({"start_time": sent, "tags": "a"})):
        assert found.canonical["start_time"] == canonical
        assert found.values["start_time"].isoformat() == canonical
        assert found.values["start_time"].tzinfo is BERLIN


def test_times_inside_objects_arrive_aware_too():
    """Coercion reaches wherever the schema does."""
    found = read({"who": {"name": "A", "born": "2000-01-01"}})
    assert found.canonical["who"]["born"] == "2000-01-01T00:00:00+01:00"
    assert found.values["who"]["born"] == datetime(2000, 1, 1, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ("2026-03-29T02:30", ["2026-03-29T01:30", "2026-03-29T03:30"]),
        ("2026-10-25T02:30", ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"]),
        ("next Tuesday", ["2026-03-05T14:00"]),
        ("2026-02-30T10:00", ["not a real date"]),
        ("2026-03-05T25:00", ["not a real date"]),
        ("0001-01-01T00:00:00+14:00", ["not a real date"]),
        ("1800-01-01", ["too long ago"]),
    ],
)
def test_a_time_that_is_not_one_is_refused_with_what_would_do(sent: str, words: list[str]):
    """Design §9: a gap names its neighbours, an overlap both offsets."""
    message = refusal({"service": "Cut", "start_time": sent})
    assert message.startswith("start_time")
    assert message.count("start_time") == 1
    assert all(word in message for word in [*words, sent])


def test_one_message_names_every_problem():
    """The model can correct everything in one go; each argument once, in the order of the schema."""
    sent = {"duration_minutes": 5, "kind": "folow-up", "durration": 30, "sizes": [1, "x"], "who": {"nam": "A"}}
    assert refusal(sent) == (
        "durration: is not an argument; did you mean duration_minutes? The known ones are service, start_time, "
        "duration_minutes, price, kind, remind, tags, sizes, day, who, note, either, anything, map; "
        "service: is required (text); "
        "duration_minutes: must be at least 15 (you sent 5); "
        'kind: must be one of "first visit", "Follow-up"; did you mean Follow-up? (you sent "folow-up"); '
        'sizes[1]: must be a whole number (you sent "x"); '
        "who.nam: is not an argument; did you mean name? The known ones are name, born, language; "
        "who.name: is required (text)"
    )


@pytest.mark.requirement("001-16", "000-58")
def test_a_time_that_is_missing_is_asked_for_as_one():
    """A model that is told to send text may send "tomorrow at four"."""
    moment = {"type": "string", "format": "date-time"}
    reader = ArgumentReader({"type": "object", "properties": {"at": moment}, "required": ["at"]})
    assert refusal({}, reader) == "at: is required (a date and time such as 2026-03-05T14:00)"


def test_a_problem_deep_inside_a_branch_is_named_by_its_place():
    """Where a combination says more than properties do, the place still has its name."""
    inner = {"properties": {"a": {"properties": {"b": {"required": ["c"]}}}}}
    reader = ArgumentReader(one({"allOf": [inner, {"maxProperties": 3}]}))
    assert refusal({"x": {"a": {"b": {}}}}, reader) == "x.a.b.c: is required"


SECRET: dict[str, Any] = {"type": "string", "maxLength": 8, "x-secret": True}
CARD: dict[str, Any] = {
    "type": "object",
    "properties": {"number": SECRET, "kind": {"enum": ["visa", "amex"]}, "until": {"type": "integer", "maximum": 99}},
}


@each(
    "parameter, sent, message",
    [
        (SECRET, "4111 1111 1111 1111", "x: must have at most 8 characters"),
        (SECRET, 41111111, "x: must be text"),
        (CARD, "4111 1111 1111 1111", "x: must be an object"),
        (CARD, [["4111"]], "x: must be an object"),
        (CARD, {"number": 4111, "until": 100}, "x.number: must be text; x.until: must be at most 99 (you sent 100)"),
        (CARD | {"maxProperties": 1}, {"number": "4111", "until": 1}, '(you sent {"number": "•••", "until": 1})'),
        ({"type": "array", "items": SECRET}, ["4111 1111 1111"], "x[0]: must have at most 8 characters"),
        (SECRET | {"format": "date-time", "maxLength": 99}, "4111", "x: must be a date and time such as"),
        (CARD | {"x-secret": True}, {"4111": 1}, "x: has entries that are not arguments"),
    ],
)
def test_a_secret_is_told_what_is_wrong_with_it_and_never_quoted(parameter: Any, sent: Any, message: str):
    """The words are kept with the call, logged and shown to owners; what is no secret is quoted as ever."""
    words = refusal({"x": sent}, ArgumentReader(one(parameter)))
    assert message in words
    assert "4111" not in words


def test_a_message_stays_short():
    """At most eight problems, at most eighty characters of any value."""
    message = refusal({f"unknown{n}": 1 for n in range(12)} | {"service": "Cut"})
    assert message.count("is not an argument") == 8
    assert message.endswith("; and 4 more")
    assert len(refusal({"service": "Cut", "price": "x" * 10_000})) < 140


RULES: list[tuple[Any, Any, str]] = [
    ({"type": "string", "minLength": 1}, "", 'must not be empty (you sent "")'),
    ({"type": "string", "minLength": 3}, "a", 'must have at least 3 characters (you sent "a")'),
    ({"type": "string", "pattern": "^a+$"}, "b", 'must match the pattern ^a+$ (you sent "b")'),
    ({"type": "string", "format": "email"}, "b", 'must be an e-mail address (you sent "b")'),
    ({"type": "string", "format": "ipv4"}, "b", 'must be a valid ipv4 (you sent "b")'),
    ({"type": "integer", "exclusiveMaximum": 3}, 3, "must be less than 3 (you sent 3)"),
    ({"type": "integer", "multipleOf": 5}, 3, "must be a multiple of 5 (you sent 3)"),
    ({"type": "number", "minimum": 1e2}, 99.0, "must be at least 100 (you sent 99)"),
    ({"oneOf": [{"properties": {"a": {"required": ["b"]}}}]}, {"a": {}}, 'a lacks b (you sent {"a": {}})'),
    ({"const": "yes"}, "no", 'must be yes (you sent "no")'),
    ({"type": "array", "uniqueItems": True}, [1, 1], "must not hold the same item twice (you sent [1, 1])"),
    ({"type": "array", "maxItems": 1}, [1, 2], "must have at most 1 items (you sent [1, 2])"),
    ({"type": ["integer", "null"]}, "a", 'must be a whole number or null (you sent "a")'),
    ({"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]}, 1, "must be at least 3 (you sent 1)"),
    ({"anyOf": [{"type": "integer"}, {"type": "array"}]}, "a", 'must be a whole number or a list (you sent "a")'),
    (
        {"oneOf": [{"minimum": 1}, {"maximum": 5}]},
        3,
        "fits more than one of the forms, of which only one may fit (you sent 3)",
    ),
    ({"not": {"const": 3}}, 3, "is not allowed (you sent 3)"),
    (False, 3, "must be left out (you sent 3)"),
    ({"type": "object", "minProperties": 1}, {}, "must have at least 1 entries (you sent {})"),
    ({"propertyNames": {"maxLength": 1}}, {"bc": 1}, 'has a name that is not allowed (you sent {"bc": 1})'),
    ({"type": "array", "contains": {"const": 1}}, [2], "lacks an item that it must hold (you sent [2])"),
]


@each(("schema", "value", "message"), RULES)
def test_each_rule_is_put_into_words(schema: Any, value: Any, message: str):
    """The words say what would be right."""
    assert refusal({"x": value}, ArgumentReader(one(schema))) == f"x: {message}"


@each(
    ("schema", "sent", "is_taken"),
    [
        ({"type": "object"}, {"a": 1}, False),
        ({"type": "object"}, {}, True),
        ({"type": "object", "additionalProperties": True}, {"a": 1}, True),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": "1"}, True),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": "b"}, False),
        ({"type": "object", "properties": {}, "patternProperties": {"^x": {}}}, {"xa": 1}, True),
        ({"type": "object", "properties": {}, "patternProperties": {"^x": {}}}, {"a": 1}, False),
        (one({"type": "object"}), {"x": {"a": 1}}, True),
        (one({"type": "object", "properties": {"b": {}}}), {"x": {"a": 1}}, False),
        (one({"type": "object", "properties": {"b": {}}, "additionalProperties": True}), {"x": {"a": 1}}, True),
        (one({"type": "array", "items": {"type": "object", "properties": {"b": {}}}}), {"x": [{"a": 1}]}, False),
        (one({"anyOf": [{"type": "object", "properties": {"b": {}}}, {"type": "null"}]}), {"x": {"a": 1}}, False),
        ({"type": "object", "properties": {"a": {}}, "allOf": [{"properties": {"b": {}}}]}, {"b": 1}, True),
        ({"type": "object", "properties": {"a": {}}, "allOf": [{"properties": {"b": {}}}]}, {"c": 1}, False),
        (one({"$ref": "#/$defs/p"}) | {"$defs": {"p": {"properties": {"b": {}}}}}, {"x": {"a": 1}}, False),
    ],
)
def test_unknown_keys_are_refused_unless_the_schema_says_otherwise(schema: Any, sent: Any, is_taken: bool):
    """Design §5: silence about further keys means that there are none."""
    reader = ArgumentReader(schema)
    if is_taken:
        assert reader.read(sent, UTC).canonical.keys() == sent.keys()
    else:
        assert refusal(sent, reader)


@pytest.mark.parametrize("raw", ["", "  ", "null", "{}", None, {}])
def test_nothing_at_all_means_no_arguments(raw: Any):
    """A call without arguments comes as empty text from some vendors."""
    assert ArgumentReader({"type": "object", "properties": {}}).read(raw, UTC) == Arguments({}, {})


@pytest.mark.parametrize("sent", [{"service": "Cut", "tags": ["a"]}, {}])
def test_text_in_text_is_what_it_says(sent: dict[str, Any]):
    """Some models escape their JSON once too often; anything else in quotes is no object."""
    reader = ArgumentReader({"type": "object", "properties": {"service": {}, "tags": {"type": "array"}}})
    assert reader.read(json.dumps(json.dumps(sent)), UTC).canonical == sent
    for other in ("5", '"{}"', "{", ""):
        assert "cannot be read" in refusal(json.dumps(other), reader)


def test_a_schema_that_cannot_be_used_is_reported_when_the_reader_is_made():
    """No call ever meets a broken schema."""
    with pytest.raises(DefinitionError):
        ArgumentReader({"type": "object", "properties": {"a": {"type": "strin"}}})


def test_canonical_arguments_are_json_and_apart_from_the_values():
    """What is stored is not what a handler holds in its hands."""
    found = read({"who": {"name": "A", "born": "2000-01-01"}, "tags": ["a"], "anything": {"b": [1]}})
    assert json.loads(json.dumps(found.canonical)) == found.canonical
    found.values["tags"].append("b")
    found.values["anything"]["b"].append(2)
    assert found.canonical["tags"] == ["a"]
    assert found.canonical["anything"] == {"b": [1]}


def test_what_the_model_sent_is_left_as_it_was():
    """Reading changes neither the sent arguments nor the schema's defaults."""
    sent = {"service": "Cut", "tags": "a", "who": {"name": "A"}, "business_id": "x"}
    before = json.dumps(sent)
    READER.read(sent, BERLIN)
    assert json.dumps(sent) == before
    reader = ArgumentReader(one({"type": "array", "items": {"type": "string"}, "default": []}))
    reader.read({}, UTC).canonical["x"].append("a")
    assert reader.read({}, UTC).canonical == {"x": []}
