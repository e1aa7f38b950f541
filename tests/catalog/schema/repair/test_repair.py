"""Loosely written schemas become JSON Schema 2020-12, with a report, and without a guess."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from switchboard.catalog.schema.repair.repair import repair
from switchboard.catalog.schema.repair.types import meaning
from switchboard.catalog.schema.schema import check_schema
from switchboard.contract.definitions.definition import DefinitionError
from tests.each import each
from tests.formats.definitions import one


def repaired(inner: Any) -> Any:
    """Return what becomes of one property."""
    return repair(one(inner)).schema["properties"]["x"]


@each(
    ("loose", "meant"),
    [
        ({"type": "str"}, {"type": "string"}),
        ({"type": "STRING", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "Type.INTEGER"}, {"type": "integer"}),
        ("int", {"type": "integer"}),
        ("list[str]", {"type": "array", "items": {"type": "string"}}),
        ("Dict[str, float]", {"type": "object", "additionalProperties": {"type": "number"}}),
        ("Optional[bool]", {"type": ["boolean", "null"]}),
        ("str | int", {"type": ["string", "integer"]}),
        ("string[]", {"type": "array", "items": {"type": "string"}}),
        ("Literal['a', 'b']", {"type": "string", "enum": ["a", "b"]}),
        ("Literal[\"it's\", 'b', None]", {"type": ["string", "null"], "enum": ["it's", "b", None]}),
        (r"Literal['it\'s']", {"type": "string", "enum": ["it's"]}),
        ("<class 'int'>", {"type": "integer"}),
        ("typing.Annotated[str, 'What it is called.']", {"type": "string"}),
        ("Tuple[int, ...]", {"type": "array", "items": {"type": "integer"}}),
        (
            "tuple[str, decimal.Decimal]",
            {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "minItems": 2, "maxItems": 2},
        ),
        ("collections.abc.Sequence[uuid.UUID]", {"type": "array", "items": {"type": "string", "format": "uuid"}}),
        ("tuple", {"type": "array", "items": {}}),
        ("java.util.HashMap<String, Integer>", {"type": "object", "additionalProperties": {"type": "integer"}}),
        ("ArrayList<String>", {"type": "array", "items": {"type": "string"}}),
        ("[]string", {"type": "array", "items": {"type": "string"}}),
        ("map[string]float64", {"type": "object", "additionalProperties": {"type": "number"}}),
        ("Option<Vec<u8>>", {"type": ["array", "null"], "items": {"type": "integer"}}),
        ("[String: Int]", {"type": "object", "additionalProperties": {"type": "integer"}}),
        ("std::string", {"type": "string"}),
        ("string | undefined", {"type": ["string", "null"]}),
        ("varchar(20)", {"type": "string", "maxLength": 20}),
        ("decimal(10, 2)", {"type": "number"}),
        ("enum('a', 'b')", {"type": "string", "enum": ["a", "b"]}),
        ({"type": "datetime"}, {"type": "string", "format": "date-time"}),
        ({"type": ["str", "None"]}, {"type": ["string", "null"]}),
        ({"type": "any"}, {}),
        ({"type": "list"}, {"type": "array", "items": {}}),
        ({"items": {"type": "int"}}, {"type": "array", "items": {"type": "integer"}}),
        ({"properties": {"a": "str"}}, {"type": "object", "properties": {"a": {"type": "string"}}}),
        ({"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
        ({"enum": [1, None]}, {"type": ["integer", "null"], "enum": [1, None]}),
        ({"type": "integer", "enum": ["1", "2"]}, {"type": "integer", "enum": [1, 2]}),
        ({"type": "string", "enum": ["a"], "nullable": True}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"type": "number", "minimum": 0, "exclusiveMinimum": True}, {"type": "number", "exclusiveMinimum": 0}),
        ({"type": "number", "maximum": 9, "exclusiveMaximum": False}, {"type": "number", "maximum": 9}),
        ({"type": "integer", "min": 1, "max": 5}, {"type": "integer", "minimum": 1, "maximum": 5}),
        ({"type": "integer", "ge": 1}, {"type": "integer", "minimum": 1}),
        ({"type": "string", "min_length": 1, "maxLength": "9"}, {"type": "string", "minLength": 1, "maxLength": 9}),
        ({"type": "string", "format": "datetime"}, {"type": "string", "format": "date-time"}),
        ({"type": "string", "pattern": None, "enum": None}, {"type": "string"}),
        ({"type": "integer", "default": "3"}, {"type": "integer", "default": 3}),
        ({"type": "boolean", "default": "False"}, {"type": "boolean", "default": False}),
        ({"type": "string", "default": None}, {"type": "string"}),
        ({"type": "string", "example": "x", "//": "why", "_comment": 3}, {"type": "string", "examples": ["x"]}),
        (
            {"type": "array", "items": ["str", "int"], "additionalItems": False},
            {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
        ),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "int", "required": True}, "b": {"type": "str", "optional": True}},
            },
            {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]},
        ),
        (
            {"type": "object", "properties": [{"name": "a", "type": "int", "required": "true"}], "required": None},
            {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        ),
        (
            {"type": "object", "properties": {"a": "str"}, "required": "a"},
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        ),
        ({"type": "object", "additionalProperties": "false"}, {"type": "object", "additionalProperties": False}),
        ({"anyOf": {"type": "str"}}, {"anyOf": [{"type": "string"}]}),
        ({"dependencies": {"a": ["b"]}, "type": "object"}, {"type": "object", "dependentRequired": {"a": ["b"]}}),
    ],
)
def test_what_can_only_mean_one_thing_is_repaired(loose: Any, meant: Any):
    """Seeds 001 and 003 and the wire formats name the spellings; each repair is reported with its place."""
    assert repaired(loose) == meant
    report = repair(one(loose)).report
    assert report and all(line.place.startswith("/properties/x") and line.text for line in report)


@pytest.mark.parametrize(
    ("document", "meant"),
    [
        ({"city": "str", "days": {"type": "int"}}, {"city": {"type": "string"}, "days": {"type": "integer"}}),
        (
            [{"name": "type", "type": "datetime", "required": False}],
            {"type": {"type": "string", "format": "date-time"}},
        ),
        (
            {"type": {"type": "string"}, "title": {"type": "string"}},
            {"type": {"type": "string"}, "title": {"type": "string"}},
        ),
    ],
)
def test_parameters_without_a_schema_around_them_are_properties(document: Any, meant: Any):
    """Seed 001 ("Component 1") lists parameters; a map from names to types is as common."""
    assert repair(document).schema == {"type": "object", "properties": meant}


def test_definitions_move_and_their_references_follow():
    """Draft 4's `definitions` and OpenAPI's `components`; recursion stays."""
    schema, report = repair(
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/definitions/N"}, "b": {"$ref": "#/components/schemas/P", "nullable": True}},
            "definitions": {"N": {"properties": {"next": {"$ref": "#/definitions/N"}}}},
            "components": {"schemas": {"P": {"type": "STRING"}}},
        }
    )
    assert schema["$defs"] == {
        "N": {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}},
        "P": {"type": "string"},
    }
    assert schema["properties"]["b"] == {"anyOf": [{"$ref": "#/$defs/P"}, {"type": "null"}]}
    assert "/properties/a/$ref" in {line.place for line in report}


def test_arguments_that_are_a_reference_are_written_out():
    """Generators of recursive models and of named schemas put everything into definitions, the whole as well."""
    words = {"next": {"$ref": "#/definitions/Node"}, "word": {"type": "string"}}
    node = {"type": "object", "properties": words, "required": ["word"]}
    schema, report = repair({"$ref": "#/definitions/Node", "definitions": {"Node": node}, "description": "A node."})
    assert (schema["type"], schema["required"], schema["description"]) == ("object", ["word"], "A node.")
    assert schema["properties"]["next"] == {"$ref": "#/$defs/Node"} and "Node" in schema["$defs"]
    assert "/$ref" in {line.place for line in report}


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf"])
def test_forms_that_are_all_objects_make_an_object(keyword: str):
    """Arguments in one of several forms: what calls itself an object in each is one."""
    forms = [{"type": "object", "properties": {"a": {"type": "string"}}}, {"$ref": "#/$defs/b"}]
    definitions = {"b": {"type": "object", "properties": {"b": {"type": "integer"}}}}
    schema, report = repair({keyword: forms, "$defs": definitions})
    assert schema == {"type": "object", keyword: forms, "$defs": definitions}
    assert [line.place for line in report] == ["/"]
    assert "type" not in repair({keyword: [*forms, {"type": "string"}], "$defs": definitions}).schema


@each(
    ("loose", "place", "says"),
    [
        ({"type": "phone"}, "/properties/x/type", "write one of array, boolean"),
        ({"type": None}, "/properties/x/type", "write one of array"),
        ("The city to look up", "/properties/x", "write one of array"),
        (None, "/properties/x", "write an object such as"),
        ({"type": "array", "items": [{"type": "string"}]}, "/properties/x/items", "or prefixItems for the first alone"),
        ({"type": "string", "enum": "a, b"}, "/properties/x/enum", "write a list of words"),
        ({"type": "string", "enum": ["yes", False]}, "/properties/x/enum", "put the words in quotes"),
        ({"type": "number", "exclusiveMinimum": True}, "/properties/x/exclusiveMinimum", "write the number"),
        ({"type": "integer", "default": "soon"}, "/properties/x/default", "write a default of that type"),
        ({"required": True, "optional": True}, "/properties/x/required", "say one of the two"),
        (
            {"type": "object", "properties": {"a": {"optional": True}}, "required": ["a"]},
            "/properties/x/required",
            "one of",
        ),
        ({"type": "list[int]", "items": {"type": "string"}}, "/properties/x/type", "write the type and items alike"),
        ({"type": "object", "properties": [{"type": "str"}]}, "/properties/x/properties/0", "for each parameter"),
        ({"pattern": "(?=a)"}, "/properties/x/pattern", "linear-time"),
        ({"$ref": "https://example.com/x"}, "/properties/x/$ref", "copy it into $defs"),
    ],
)
def test_what_can_mean_two_things_is_refused_with_what_to_write(loose: Any, place: str, says: str):
    """A guess would only be found out in a conversation."""
    with pytest.raises(DefinitionError) as caught:
        repair(one(loose))
    assert caught.value.field == place
    assert says in caught.value.remedy


@pytest.mark.parametrize(
    "document", [{"name": "x", "parameters": {"type": "object"}}, {"required": True}, 7, [], [1], {"x": object()}, None]
)
def test_what_is_no_schema_is_refused(document: Any):
    """A whole tool, a number, an empty list."""
    with pytest.raises(DefinitionError):
        repair(document)


def test_the_document_is_left_as_it_was():
    """Whoever imports shows both side by side."""
    document = one({"type": "str", "required": True})
    repair(document)
    assert document == one({"type": "str", "required": True})


def test_a_condition_is_not_made_stricter():
    """A type that is missing inside a condition was not forgotten."""
    schema = one({"type": "object", "properties": {"a": {"type": "string"}}, "not": {"required": ["a"]}})
    assert repair(schema) == (schema, ())


SOUND_LEAVES = st.sampled_from(
    [
        {"type": "string"},
        {"type": "string", "format": "date", "description": "A day."},
        {"type": ["integer", "null"], "minimum": 3},
        {"type": "boolean", "default": True},
        {"type": "string", "enum": ["a", "b"]},
        {"$ref": "#/$defs/node"},
        {"description": "Anything."},
        True,
    ]
)
SOUND = st.recursive(
    SOUND_LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda a: {"type": "array", "items": a}, inner),
        st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner),
        st.builds(
            lambda a, b: {"type": "object", "properties": {"type": a, "required": b}, "required": ["type"]},
            inner,
            inner,
        ),
        st.builds(lambda a: {"type": "object", "additionalProperties": a}, inner),
        st.builds(lambda a: {"type": "object", "properties": {"a": a}, "allOf": [{"required": ["a"]}]}, inner),
    ),
    max_leaves=6,
)
NODE = {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}}


@given(SOUND)
def test_a_sound_schema_that_says_what_it_means_is_unchanged(inner: Any):
    """Nothing is reported either."""
    schema = one(inner) | {"$defs": NODE}
    assert check_schema(schema) == []
    assert repair(schema) == (schema, ())


WORDS = st.sampled_from(
    ["str", "INTEGER", "list[str]", "a", "true", "3", "Optional[int]", "object", "x|y", "", "#/$defs/n"]
)
VALUES = st.one_of(WORDS, st.booleans(), st.none(), st.integers(-2, 9), st.lists(WORDS, max_size=3))
KEYS = st.sampled_from(
    [
        "type",
        "enum",
        "required",
        "nullable",
        "optional",
        "default",
        "minimum",
        "exclusiveMinimum",
        "min",
        "minLength",
        "format",
        "$ref",
        "example",
        "//",
        "choices",
        "ge",
        "const",
        "uniqueItems",
        "description",
        "$schema",
        "properties",
        "items",
        "anyOf",
        "$defs",
        "definitions",
        "additionalProperties",
        "dependencies",
        "title",
        "pattern",
    ]
)
LOOSE = st.recursive(
    st.one_of(WORDS, st.dictionaries(KEYS, VALUES, max_size=4)),
    lambda inner: st.builds(
        lambda word, more: word | more,
        st.dictionaries(KEYS, VALUES, max_size=3),
        st.one_of(
            st.builds(lambda a, b: {"properties": {"a": a, "b": b}}, inner, inner),
            st.builds(lambda a: {"properties": [{"name": "a"} | (a if isinstance(a, dict) else {"type": a})]}, inner),
            st.builds(lambda a: {"items": a}, inner),
            st.builds(lambda a, b: {"items": [a, b]}, inner, inner),
            st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner),
            st.builds(lambda a: {"allOf": a}, inner),
            st.builds(lambda a: {"definitions": {"n": a}}, inner),
            st.builds(lambda a: {"additionalProperties": a, "not": a}, inner),
        ),
    ),
    max_leaves=6,
)


@given(LOOSE)
@example({"minimum": None, "optional": "str"})
@example({"anyOf": "str", "nullable": True})
@example({"enum": "str", "anyOf": [{}, {"enum": None, "$ref": None}]})
@example({"enum": None, "$ref": "#/$defs/n", "definitions": {"n": "str"}})
@example({"required": 0, "properties": {"b": {"required": "true"}}})
def test_whatever_is_written_ends_in_a_sound_schema_or_in_an_error(document: Any):
    """The result is valid 2020-12, and repairing it again changes and reports nothing."""
    try:
        found = repair(document)
    except DefinitionError as error:
        assert error.problem and error.remedy
        return
    assert check_schema(found.schema) == []
    assert repair(found.schema) == (found.schema, ())


@each(
    "said_nothing",
    [
        {"minimum": None},
        {"$schema": "http://json-schema.org/draft-04/schema#"},
        {"exclusiveMinimum": False},
        {"additionalItems": True},
        {"required": False},
    ],
)
def test_a_keyword_that_says_nothing_does_not_keep_a_map_of_names_from_being_one(said_nothing: Any):
    """What is left over once it is gone is read as it would have been without it."""
    found = repair({**said_nothing, "city": "str"})
    assert found.schema == {"type": "object", "properties": {"city": {"type": "string"}}}
    assert repair(found.schema) == (found.schema, ())


@given(st.text(max_size=30))
def test_no_name_of_a_type_makes_it_crash(name: str):
    """A name means a schema or nothing."""
    found = meaning(name)
    assert found is None or check_schema(found) == []
