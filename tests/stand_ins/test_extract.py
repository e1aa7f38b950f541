"""What the stand-ins are held against is what the vendors' own documents say, and tells which versions of them.

The documents are megabytes that change by the week, so they are not part of the project: a small extract of each is.
"""

import hashlib
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from stand_ins.twilio.rest import document as twilio
from stand_ins.vapi.document import document as vapi
from tests.stand_ins.extract import SOURCES, STAND_INS, TAKEN, digest, main, of_twilio, of_vapi, write

EXTRACTS = {"twilio": twilio, "vapi": vapi}
FORM = "application/x-www-form-urlencoded"
both = pytest.mark.parametrize("vendor", EXTRACTS)


def as_document(vendor: str) -> dict[str, Any]:
    """An extract in the shape of the document that it was taken from."""
    extract = EXTRACTS[vendor]()
    if vendor == "vapi":
        listed = [{"name": name, "in": "query", "schema": rule} for name, rule in extract["query"].items()]
        return {"paths": {"/tool": {"get": {"parameters": listed}}}, "components": {"schemas": extract["schemas"]}}
    paths: dict[str, Any] = {}
    for operation, rules in extract["operations"].items():
        method, path = operation.split()
        given = [
            {"name": name, "in": place, "schema": rule}
            for place in ("path", "query")
            for name, rule in rules.get(place, {}).items()
        ]
        form = {"properties": rules.get("form", {}), "required": rules.get("required", [])}
        described = {"parameters": given, "requestBody": {"content": {FORM: {"schema": form}}}}
        paths.setdefault(path, {})[method.lower()] = described
    answers = {f"api.v2010.account.{name}": {"properties": fields} for name, fields in extract["answers"].items()}
    return {"paths": paths, "components": {"schemas": answers}}


@both
def test_an_extract_tells_which_version_of_which_document_it_was_taken_from(vendor):
    """Whoever doubts it gets that document, under the licence that is told, and takes the extract again."""
    told, source = EXTRACTS[vendor]()["source"], SOURCES[vendor]
    assert (told["commit"], told["sha256"]) == (source.commit, source.sha256)
    assert told["document"] == f"https://raw.githubusercontent.com/{source.repository}/{source.commit}/{source.path}"
    assert re.fullmatch("[0-9a-f]{40}", source.commit) and re.fullmatch("[0-9a-f]{64}", source.sha256)
    assert told["licence"].startswith("MIT, Copyright")


@both
def test_an_extract_is_as_it_was_taken(vendor):
    """A name, a pattern or an enum that somebody changed by hand is not the vendor's any more."""
    extract = EXTRACTS[vendor]()
    assert digest(extract) == extract["source"]["sha256_of_taken"]
    changed = json.loads(json.dumps(extract).replace('"string"', '"number"', 1))
    assert digest(changed) != digest(extract)


@both
def test_an_extract_holds_all_that_is_taken_today_and_nothing_else(vendor):
    """Whoever changes what is taken has to take it again."""
    extract = EXTRACTS[vendor]()
    assert TAKEN[vendor](as_document(vendor)) == {name: extract[name] for name in extract if name != "source"}


def test_of_twilios_document_a_request_is_taken_with_its_rules_and_an_answer_with_its_fields():
    """References are followed; what explains and what belongs to other operations stays behind."""
    sid = {"type": "string", "pattern": "^AC", "description": "Whose."}
    call = {"properties": {"sid": sid, "price": {"type": "string", "nullable": True, "example": "1"}}}
    status = {"type": "string", "enum": ["busy", "failed"], "description": "How it went."}
    form = {
        "required": ["To"],
        "properties": {
            "To": {"type": "string", "format": "phone-number", "title": "To"},
            "Events": {"type": "array", "items": {"$ref": "#/components/schemas/call_enum_status"}},
        },
    }
    post = {
        "description": "Dial.",
        "parameters": [{"name": "Sid", "in": "path", "schema": sid}, {"name": "Page", "in": "query", "schema": {}}],
        "requestBody": {"content": {FORM: {"schema": form}}},
    }
    document = {
        "paths": {"/Calls.json": {"post": post, "delete": post}, "/Calls/{Sid}.json": {"get": {}}},
        "components": {
            "schemas": {"api.v2010.account.call": call, "api.v2010.account.key": call, "call_enum_status": status}
        },
    }
    found = of_twilio(document, ["POST /Calls.json", "GET /Calls/{Sid}.json"], ["call"])
    plain_sid = {"type": "string", "pattern": "^AC"}
    events = {"type": "array", "items": {"type": "string", "enum": ["busy", "failed"]}}
    dialled = {
        "path": {"Sid": plain_sid},
        "query": {"Page": {}},
        "form": {"To": {"type": "string", "format": "phone-number"}, "Events": events},
        "required": ["To"],
    }
    assert found == {
        "operations": {"POST /Calls.json": dialled, "GET /Calls/{Sid}.json": {}},
        "answers": {"call": {"sid": plain_sid, "price": {"type": "string", "nullable": True}}},
    }


def test_of_vapis_document_schemas_are_taken_with_their_limits_and_what_leads_elsewhere_is_left_open():
    """A property may be called as a word that explains is; a long enum is a list of the week's models."""
    tool = {
        "type": "object",
        "title": "Tool",
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "maxLength": 40, "description": "Its name.", "default": "x"},
            "description": {"type": "string", "enum": ["title", "example"]},
            "model": {"type": "string", "enum": [f"model-{n}" for n in range(31)]},
            "server": {"$ref": "#/components/schemas/Server"},
            "plan": {"$ref": "#/components/schemas/Plan"},
            "either": {"oneOf": [{"$ref": "#/components/schemas/Server"}, {"$ref": "#/components/schemas/Plan"}]},
            "messages": {"type": "array", "items": {"anyOf": [{"$ref": "#/components/schemas/Server"}]}},
        },
    }
    server = {"type": "object", "properties": {"timeoutSeconds": {"type": "number", "maximum": 300, "example": 20}}}
    limit = {"type": "number", "maximum": 1000}
    document = {
        "paths": {"/tool": {"get": {"parameters": [{"name": "limit", "in": "query", "schema": limit}]}}},
        "components": {"schemas": {"Tool": tool, "Server": server, "Plan": {"type": "object"}}},
    }
    to_server = {"$ref": "#/components/schemas/Server"}
    properties = {
        "name": {"type": "string", "maxLength": 40},
        "description": {"type": "string", "enum": ["title", "example"]},
        "model": {"type": "string"},
        "server": to_server,
        "plan": {},
        "either": {},
        "messages": {"type": "array", "items": {"anyOf": [to_server]}},
    }
    timeout = {"timeoutSeconds": {"type": "number", "maximum": 300}}
    assert of_vapi(document, frozenset({"Tool", "Server"})) == {
        "query": {"limit": limit},
        "schemas": {
            "Server": {"type": "object", "properties": timeout},
            "Tool": {"type": "object", "required": ["name"], "properties": properties},
        },
    }


@both
def test_what_is_written_is_the_extract_of_the_document_and_names_it(vendor, tmp_path):
    """Byte for byte the file of the project, but for which document it is."""
    (tmp_path / vendor / "data").mkdir(parents=True)
    document = json.dumps(as_document(vendor)).encode()
    planted = replace(SOURCES[vendor], commit="c" * 40, sha256=hashlib.sha256(document).hexdigest())
    text = write(vendor, document, planted, tmp_path).read_text(encoding="utf-8")
    assert json.loads(text)["source"]["document"] == planted.url
    for fresh, kept in ((planted.commit, SOURCES[vendor].commit), (planted.sha256, SOURCES[vendor].sha256)):
        text = text.replace(fresh, kept)
    assert text == (STAND_INS / vendor / "data/rest.json").read_text(encoding="utf-8")


def test_another_version_of_a_document_is_refused_with_a_sentence(tmp_path, monkeypatch, capsys):
    """Else an extract would name a version that it was not taken from."""
    monkeypatch.setattr("tests.stand_ins.extract.STAND_INS", tmp_path)
    (tmp_path / "twilio/data").mkdir(parents=True)
    other = tmp_path / "other.json"
    other.write_text(json.dumps(as_document("twilio")))
    assert main(["twilio", str(other)]) == 1
    assert f"this is not {SOURCES['twilio'].url}" in capsys.readouterr().err
    assert list((tmp_path / "twilio/data").iterdir()) == []
