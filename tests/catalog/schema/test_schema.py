"""Schemas are checked in full, compiled without fetching anything, and cannot be made to take long."""

import socket
import subprocess
import sys
from typing import Any

import pytest

from switchboard.catalog.schema.schema import ASSERTED_FORMATS, check_schema, compile_checked, compile_schema
from switchboard.contract import policy
from switchboard.contract.definitions.definition import DefinitionError
from tests.cpu_time import taking_less_than
from tests.each import each

REF = {"$ref": "#/$defs/a"}


def fields(schema: Any) -> list[str]:
    """Return where the problems are."""
    return sorted({problem.field for problem in check_schema(schema)})


@each(
    "schema",
    [
        {},
        {"type": "object", "properties": {"a": {"type": ["string", "null"], "pattern": r"^\p{L}+$"}}},
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:a", "type": "object"},
        {"properties": {"a": REF, "b": REF}, "$defs": {"a": {"type": "string", "default": "x"}}},
        {"properties": {"$ref": {"type": "string"}, "default": {"enum": ["$id"]}, "pattern": {"const": "("}}},
        {"properties": {"a/b~c %": {"default": 3}}},
        {"properties": {"a": {"type": "integer", "format": "int32"}}, "x-form": {"type": "nonsense"}},
        {"properties": {"a": {}, "b": {}}, "then": {"properties": {"a": {"const": 1}}, "required": ["b"]}, "if": True},
        {"properties": {"a": {}}, "required": ["b"], "additionalProperties": {"type": "string"}},
        {"properties": {"a": {"type": "string", "format": "phone number"}}},
        {"properties": {f"p{n}": {"type": "string", "description": "One of many."} for n in range(600)}},
        {"properties": {"a": REF}, "$defs": {"a": {"properties": {"b": dict(REF), "c": {"items": dict(REF)}}}}},
        {"properties": {"a": {"items": {"$ref": "#"}}}},
        {"prefixItems": [{"type": "string"}], "items": False, "if": {"minItems": 1}, "then": True},
        {"properties": {"a": {"type": "integer", "const": 1.0}, "b": {"type": "number", "enum": ["x", 1]}}},
    ],
)
def test_a_sound_schema_has_no_problems(schema: dict[str, Any]):
    """What 2020-12 allows and our limits allow can be compiled."""
    assert check_schema(schema) == []
    assert compile_schema(schema).schema == schema


@pytest.mark.requirement("003-40")
@each(
    ("schema", "where"),
    [
        ([], ["/"]),
        ({"type": "strin"}, ["/type"]),
        ({"required": "a"}, ["/required"]),
        ({"properties": {"a": 3}}, ["/properties/a"]),
        ({"properties": {"a": {"minLength": -1}}}, ["/properties/a/minLength"]),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, ["/$schema"]),
        ({"properties": {"a": {"$id": "b"}}}, ["/properties/a/$id"]),
        ({"$dynamicRef": "#a"}, ["/$dynamicRef"]),
        ({"$ref": "#/$defs/gone"}, ["/$ref"]),
        ({"$ref": "#anchor"}, ["/$ref"]),
        ({"$ref": "other.json"}, ["/$ref"]),
        ({"properties": {"a": {"$ref": "https://example.com/a"}}}, ["/properties/a/$ref"]),
        ({"$ref": "#/$defs/a/0", "$defs": {"a": {"anyOf": [{}]}}}, ["/$ref"]),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, ["/properties/a"]),
        (
            {"properties": {"a": REF}, "$defs": {"a": {"anyOf": [{"type": "null"}, {"not": dict(REF)}]}}},
            ["/properties/a"],
        ),
        ({"pattern": "(?=a)b"}, ["/pattern"]),
        ({"pattern": r"(a)\1"}, ["/pattern"]),
        ({"pattern": "("}, ["/pattern"]),
        ({"pattern": "a" * 257}, ["/pattern"]),
        ({"patternProperties": {"(?!a)": {}}}, ["/patternProperties/(?!a)"]),
        ({"minimum": 5, "maximum": 3}, ["/minimum"]),
        ({"minLength": 5, "maxLength": 3}, ["/minLength"]),
        ({"enum": []}, ["/enum"]),
        ({"type": "string", "enum": [{"value": "a", "label": "A"}]}, ["/enum"]),
        ({"type": ["integer", "null"], "enum": [1.5, "a"]}, ["/enum"]),
        ({"properties": {"a": {"type": "string", "const": 5}}}, ["/properties/a/const"]),
        ({"properties": {"a": {}}, "required": ["a", "b"]}, ["/required"]),
        ({"properties": {"a": {"type": "integer", "default": "3"}}}, ["/properties/a/default"]),
        ({"properties": {"a": REF | {"default": 3}}, "$defs": {"a": {"type": "string"}}}, ["/properties/a/default"]),
        ({"properties": {"a/b": {"type": "strin"}}}, ["/properties/a~1b/type"]),
    ],
)
def test_a_problem_is_reported_where_it_is(schema: Any, where: list[str]):
    """Every problem has its JSON pointer, says what is wrong and what would be right."""
    assert fields(schema) == where
    for problem in check_schema(schema):
        assert problem.problem and problem.remedy
    if isinstance(schema, dict):
        with pytest.raises(DefinitionError):
            compile_schema(schema)


def test_all_problems_are_reported_together():
    """Whoever corrects a schema sees everything at once, and each thing once."""
    schema = {
        "type": "objekt",
        "required": "a",
        "properties": {"a": {"pattern": "("}, "b": 7, "c": {"enum": []}, "d": {"$ref": "x"}},
    }
    assert [problem.field for problem in sorted(check_schema(schema), key=lambda p: p.field)] == [
        "/properties/a/pattern",
        "/properties/b",
        "/properties/c/enum",
        "/properties/d/$ref",
        "/required",
        "/type",
    ]


def _deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"properties": {"a": schema}}
    return schema


def _doubling(times: int) -> dict[str, Any]:
    names = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n - 1}"}] * 2} for n in range(1, times)}
    return {"$ref": f"#/$defs/d{times - 1}", "$defs": {"d0": {"type": "string"}} | names}


def _chain(length: int) -> dict[str, Any]:
    return {"$ref": "#/$defs/d0", "$defs": {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(length)}}


def _mutual(count: int) -> dict[str, Any]:
    every = {f"p{n}": {"$ref": f"#/$defs/d{n}"} for n in range(count)}
    return {"$ref": "#/$defs/d0", "$defs": {f"d{n}": {"properties": every} for n in range(count)}}


def _repeated(forms: int) -> dict[str, Any]:
    form = {"properties": {"a": {"$ref": "#/$defs/a"}}}
    whole = {"properties": {"v": {"type": "integer"}}, "anyOf": [dict(form) for _ in range(forms)]}
    return {"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {"a": whole}}


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(_deep(20), id="deep"),
        pytest.param(_deep(100_000), id="bottomless"),
        pytest.param({"enum": list(range(4 * policy.SCHEMA_NODES))}, id="many values"),
        pytest.param({"description": "x" * policy.SCHEMA_BYTES}, id="large"),
        pytest.param(_doubling(60), id="doubling references"),
        pytest.param(_chain(900), id="a long chain of references"),
        pytest.param({"$ref": "#"}, id="itself"),
        pytest.param(_mutual(9), id="each refers to each"),
        pytest.param(_repeated(20), id="twenty forms that refer back"),
        pytest.param({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}, id="itself twice"),
        pytest.param({"minimum": float("nan")}, id="not a number"),
        pytest.param({"title": "\ud800"}, id="half a character"),
        pytest.param({"pattern": "((a{1,100}){1,100}){1,100}"}, id="a huge pattern"),
        pytest.param({"properties": {"a": {"const": 10**400}}}, id="a huge number"),
        pytest.param({"title": object()}, id="no JSON"),
    ],
)
def test_a_hostile_schema_is_refused_at_once(schema: dict[str, Any]):
    """Reference reliability, fault 28: refused when saved, in well under 200 ms."""
    with taking_less_than(1.0):
        assert check_schema(schema)


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$", "a{1,1000}"])
def test_no_pattern_takes_long(pattern: str):
    """Backtracking engines need seconds for 28 characters; this one needs none."""
    compiled = compile_schema({"type": "string", "pattern": pattern})
    with taking_less_than(0.5):
        found = compiled.is_valid("a" * 30_000 + "!")
    # Only the last one asks for nothing behind its letters.
    assert found is pattern.endswith("}")


def test_nothing_is_ever_fetched():
    """An owner's schema must not make us connect anywhere."""
    with socket.create_server(("127.0.0.1", 0)) as sink:
        sink.setblocking(False)
        address = f"http://127.0.0.1:{sink.getsockname()[1]}/a.json"
        for schema in (
            {"$ref": address},
            {"$id": address, "$ref": "b"},
            {"$schema": address},
            {"$dynamicRef": address},
        ):
            assert check_schema(schema)
        with pytest.raises(ValueError, match="would have to be fetched"):
            compile_checked({"$ref": address})
        with pytest.raises(BlockingIOError):
            sink.accept()


@each("name", sorted(ASSERTED_FORMATS))
def test_a_known_format_is_asserted(name: str):
    """A format that is accepted in a schema is one that is checked."""
    assert not compile_schema({"format": name}).is_valid("\\ (\x01 ][")


@pytest.mark.parametrize(
    ("reference", "says"),
    [
        ("https://example.com/a", "nothing is fetched; copy it into $defs"),
        ("other.json#/a", "nothing is fetched; copy it into $defs"),
        ("#anchor", "refers to an anchor; refer by JSON pointer"),
        ("#/$defs/gone", "leads nowhere; refer to a place in here"),
    ],
)
def test_a_reference_that_cannot_be_followed_says_what_to_write(reference: str, says: str):
    """Owners copy schemas from elsewhere: the remedy depends on where the reference leads."""
    [problem] = check_schema({"properties": {"a": {"$ref": reference}}})
    assert says in str(problem)


@each(
    "name", ["List<string>", "Order`1[[System.String, mscorlib]]", "ApiResponse«List«Größe»»", "100 %", "a/b~c", "日本"]
)
@each("by", [lambda to: to, lambda to: {"allOf": [to], "description": "It."}])
def test_a_definition_may_be_called_anything(name: str, by: Any):
    """Generators name definitions after generic types, in any language, and refer to them as they are called."""
    to = {"$ref": "#/$defs/" + name.replace("~", "~0").replace("/", "~1")}
    schema = {"type": "object", "properties": {"a": by(to), "n": {"default": 1}}, "$defs": {name: {"type": "string"}}}
    assert check_schema(schema) == []
    compiled = compile_schema(schema)
    assert compiled.is_valid({"a": "x"}) and not compiled.is_valid({"a": 5})
    assert compiled.schema == schema


@pytest.mark.parametrize("forms", [1, 2, 3, 6])
def test_a_schema_that_contains_itself_is_checked_in_time(forms: int):
    """However many forms lead back: a value as deep as may be, and wrong at the bottom, is refused at once."""
    compiled = compile_schema(_repeated(forms) | {"type": "object"})
    assert compiled.deepest is not None
    value: Any = {"v": "no number"}
    for _ in range(compiled.deepest - 2):
        value = {"a": value}
    with taking_less_than(0.2):
        assert not compiled.is_valid({"x": value})
        assert list(compiled.errors({"x": value}))
        assert compiled.problem({"x": {"a": value}}) == f"is nested more than {compiled.deepest} levels deep"
        assert not compiled.is_valid({"x": {"a": value}})


def test_the_first_problem_of_a_value_is_told_without_quoting_it():
    """What a handler returns may be personal: the sentence for the log names the place and the rule."""
    compiled = compile_schema({"properties": {"to": {"items": {"type": "string"}}}, "required": ["to"]})
    assert compiled.problem({"to": ["a"]}) is None
    assert compiled.problem({"to": ["a", 4711]}) == "to[1]: must be text"
    assert compiled.problem({}) == "lacks to"


@pytest.mark.process
def test_the_validator_is_imported_when_it_is_first_used():
    """Importing the catalog's reading side costs no 23 ms; starting a process needs no validator."""
    code = (
        "import sys, switchboard.catalog.arguments.arguments\n"
        "import switchboard.catalog.definitions.registry, switchboard.catalog.definitions.builder\n"
        "assert 'jsonschema_rs' not in sys.modules\n"
        "switchboard.catalog.schema.schema.compile_schema({})\n"
        "assert 'jsonschema_rs' in sys.modules"
    )
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
