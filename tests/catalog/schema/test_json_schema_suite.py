"""What checks arguments is JSON Schema 2020-12: the suite that all implementations are held against passes.

Where we judge otherwise it is on purpose, and each case of it is named here.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import jsonschema_rs
import pytest

from switchboard.catalog.arguments.arguments import ArgumentReader
from switchboard.catalog.schema.schema import DIALECT, check_schema, compile_checked, compile_schema
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.error import ErrorType, Refused
from tests.catalog.json_schema_suite import FILES, Group, groups_of, remote
from tests.each import each

every_file = each("file", FILES)

# A schema that is silent about further keys takes them; to a tool, silence means that there are none.
CLOSED = {
    "additionalProperties": {"additionalProperties are allowed by default: additional properties are allowed"},
    "anyOf": {"anyOf complex types: both anyOf valid (complex)"},
    "dependentSchemas": {
        "dependent subschema incompatible with root: matches dependency",
        "dependent subschema incompatible with root: no dependency",
    },
    "not": {"forbidden property: property absent"},
    "properties": {"object properties validation: doesn't invalidate other properties"},
    "unevaluatedProperties": {
        "in-place applicator siblings, allOf has unevaluated: in place applicator siblings, bar is missing",
        # The other way round: where two branches of a `oneOf` would fit, silence leaves one, and the value is taken.
        "dynamic evalation inside nested refs: all + a is invalid",
    },
}


def disagreements(group: Group, is_valid: Callable[[Any], bool]) -> list[str]:
    """Return each case that is judged otherwise than the suite says."""
    return [f"{group.description}: {case.description}" for case in group.cases if is_valid(case.data) is not case.valid]


def is_about_a_format(group: Group) -> bool:
    return isinstance(group.schema, dict) and "format" in group.schema


def is_another_dialect(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("$schema", DIALECT) != DIALECT


def remotes_of(group: Group) -> list[str]:
    """Return what the library asks for from elsewhere to compile the group's schema."""
    asked = []
    jsonschema_rs.Draft202012Validator(group.schema, retriever=lambda uri: asked.append(uri) or remote(uri))
    return asked


def test_the_suite_is_here():
    """All required files, hundreds of schemas, more than a thousand values."""
    groups = [group for file in FILES for group in groups_of(file)]
    assert (len(FILES), len(groups), sum(len(group.cases) for group in groups)) == (46, 368, 1257)


@every_file
def test_the_validator_beneath_passes_the_whole_suite(file):
    """Remote schemas included, which come from this checkout; formats are remarks here, as the standard has it."""
    for group in groups_of(file):
        validator = jsonschema_rs.Draft202012Validator(group.schema, retriever=remote, validate_formats=False)
        assert disagreements(group, validator.is_valid) == []


@pytest.mark.requirement("003-40")
@every_file
def test_what_a_definition_may_say_means_what_the_standard_says(file):
    """Every schema that can be saved judges as the suite does, except that formats are asserted."""
    for group in groups_of(file):
        if check_schema(group.schema):
            continue
        wrong = disagreements(group, compile_schema(group.schema).is_valid)
        if is_about_a_format(group):
            wrong = [case for case in wrong if "is only an annotation by default" not in case]
        assert wrong == []


@every_file
def test_what_a_definition_may_not_say_is_read_as_the_standard_says_all_the_same(file):
    """What is refused when saving is refused for our sake, not because it would be misread; only nothing is fetched."""
    for group in groups_of(file):
        if is_another_dialect(group.schema) or is_about_a_format(group):
            continue
        if remotes_of(group):
            with pytest.raises(ValueError, match="would have to be fetched"):
                compile_checked(group.schema)
        else:
            assert disagreements(group, compile_checked(group.schema).is_valid) == []


@every_file
def test_only_a_schema_that_refers_or_names_itself_is_refused_when_saving(file):
    """Or one whose default does not fit, or that is no object: every other schema of the suite can be saved."""
    grounds = ("$ref", "$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "default")
    for group in groups_of(file):
        has_grounds = any(f'"{keyword}"' in json.dumps(group.schema) for keyword in grounds)
        if not (has_grounds or isinstance(group.schema, bool) or is_another_dialect(group.schema)):
            assert check_schema(group.schema) == [], group.description


@every_file
def test_an_argument_that_its_schema_takes_is_taken_and_no_other(file):
    """What a tool gets is valid by its schema: as it was sent, or brought into the form that was meant."""
    odd = set()
    for group in groups_of(file):
        reader, judge = reader_of(group), jsonschema_rs.Draft202012Validator(group.schema, retriever=remote)
        for case in group.cases if reader else ():
            told = f"{group.description}: {case.description}"
            try:
                taken = reader.read({"value": case.data}, UTC).canonical["value"]
            except Refused as refusal:
                assert refusal.type is ErrorType.VALIDATION
                if case.valid and not is_about_a_format(group):
                    odd.add(told)
            else:
                assert taken == case.data or not case.valid, told
                if not judge.is_valid(taken):
                    odd.add(told)
    assert odd == CLOSED.get(file, set())


def reader_of(group: Group) -> ArgumentReader | None:
    """Return what reads one argument with the group's schema; None for a schema that cannot be saved.

    As that of a required argument it cannot either where no value at all is valid.
    """
    if check_schema(group.schema):
        return None
    own = {keyword: value for keyword, value in group.schema.items() if keyword not in ("$schema", "$id")}
    inner = moved_down(own) if '"$ref"' in json.dumps(own) else own
    parameters = {"type": "object", "properties": {"value": inner}, "required": ["value"]}
    if check_schema(parameters):
        assert not any(case.valid for case in group.cases), group.description
        return None
    return ArgumentReader(parameters)


def moved_down(schema: Any) -> Any:
    """Return a schema whose references are right when it stands for the argument `value`; data is left alone."""
    if isinstance(schema, list):
        return [moved_down(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    moved = {keyword: moved_down(value) for keyword, value in schema.items()}
    moved |= {keyword: schema[keyword] for keyword in ("enum", "const") if keyword in schema}
    if isinstance(schema.get("$ref"), str):
        moved["$ref"] = f"#/properties/value{schema['$ref'][1:]}"
    return moved


@contextmanager
def counting_server() -> Iterator[tuple[str, list[str]]]:
    """Give the address of a server that has nothing, and the paths that it has been asked for."""
    asked: list[str] = []

    class Counting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *args: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Counting) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/", asked
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.requirement("003-40")
def test_a_reference_to_elsewhere_opens_no_connection(monkeypatch):
    """Neither when it is saved nor when it is compiled; the library alone would ask, as the last lines show."""
    monkeypatch.setenv("NO_PROXY", "*")
    with counting_server() as (address, asked):
        for group in filter(remotes_of, (group for file in FILES for group in groups_of(file))):
            schema = json.loads(json.dumps(group.schema).replace("http://localhost:1234/", address))
            assert check_schema(schema)
            # Some need what lies elsewhere only as their dialect, and are read as ours.
            with suppress(ValueError):
                compile_checked(schema)
            with pytest.raises(DefinitionError):
                ArgumentReader({"type": "object", "properties": {"value": schema}})
        assert asked == []
        with pytest.raises(ValueError, match="retrieving it failed"):
            jsonschema_rs.Draft202012Validator({"$ref": f"{address}integer.json"})
        assert asked == ["/integer.json"]
