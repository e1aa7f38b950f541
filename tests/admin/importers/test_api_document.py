"""OpenAPI documents as their strangers write them, and the requests that calls of the tools made of them come to."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from switchboard.admin.importers.api_document import MOST_OPERATIONS, ApiOperation, read_api
from switchboard.catalog.definitions.variables import PhoneNumbers
from switchboard.catalog.schema.schema import check_schema, compile_schema
from switchboard.catalog.tenant_tools.binding import bind
from switchboard.catalog.tenant_tools.config import read_config
from switchboard.contract.definitions.definition import Definition, DefinitionError, Kind
from switchboard.contract.definitions.tenant_tool import BoundRequest, SecretText
from switchboard.formats import FORMATS
from tests.each import each

SERVER = "https://api.example.com/v1"


def document(operation: Any, path: str = "/things", method: str = "get", **more: Any) -> dict[str, Any]:
    """Return a document with one operation."""
    top = {"openapi": "3.1.0", "info": {"title": "Things", "version": "1"}, "servers": [{"url": SERVER}]}
    return {**top, "paths": {path: {method: operation}}, **more}


def only(operation: Any, path: str = "/things", method: str = "get", **more: Any) -> ApiOperation:
    """Return the one operation of a document, read from its text."""
    (found,) = read_api(json.dumps(document(operation, path, method, **more))).operations
    return found


def sent(operation: ApiOperation, **arguments: Any) -> BoundRequest:
    """Return what a call comes to."""
    assert operation.problems == ()
    bound = bind(read_config(operation.config), arguments, PhoneNumbers("+15185550161", "+15185550100"))
    assert isinstance(bound, BoundRequest)
    return bound


def parameter(name: str, place: str = "query", required: bool = False, **schema: Any) -> dict[str, Any]:
    """Return a parameter."""
    return {"name": name, "in": place, "required": required, "schema": schema or {"type": "string"}}


def body(schema: Any, media: str = "application/json", required: bool = True) -> dict[str, Any]:
    """Return an operation with a body."""
    return {"requestBody": {"required": required, "content": {media: {"schema": schema}}}}


def test_path_query_and_header_parameters_stand_where_they_belong():
    """Encoded as values, and left out where they are not given."""
    places = [
        parameter("id", "path", True),
        parameter("filter[state]"),
        parameter("limit", type="integer", maximum=50),
        parameter("X-Trace", "header"),
        parameter("X-Version", "header", True, enum=["2"]),
    ]
    found = only({"operationId": "getThing", "summary": "Get a thing", "parameters": places}, "/things/{id}:read")
    assert (found.id, found.key, found.config["name"], found.config["label"]) == (
        *("getThing", "GET /things/{id}:read", "get_thing", "Get a thing"),
    )
    assert found.asked is not None and found.asked["required"] == ["id"]
    assert list(found.asked["properties"]) == ["id", "filter_state", "limit", "X-Trace"]
    whole = sent(found, id="a/b?c", filter_state="x&y=z", limit=5, **{"X-Trace": "t"})
    assert whole.url == f"{SERVER}/things/a%2Fb%3Fc:read?filter%5Bstate%5D=x%26y%3Dz&limit=5"
    assert whole.headers == {"X-Trace": "t", "X-Version": "2"}
    bare = sent(found, id="1")
    assert (bare.url, bare.headers, bare.body) == (f"{SERVER}/things/1:read", {"X-Version": "2"}, None)


def test_lists_in_the_query_are_written_as_the_document_says():
    """Each value as a pair of its own, or all in one."""
    listed = {"type": "array", "items": {"type": "string"}}
    plain = parameter("tags", **listed)
    joined = {**parameter("ids", **listed), "explode": False}
    found = only({"parameters": [plain, joined]})
    assert sent(found, tags=["a", "b"], ids=["1", "2"]).url == f"{SERVER}/things?ids=1%2C2&tags=a&tags=b"


@pytest.mark.parametrize(
    "odd",
    [
        parameter("deep", type="object") | {"style": "deepObject"},
        parameter("tags", type="array", items={"type": "string"}) | {"style": "pipeDelimited"},
        parameter("a b", type="array", items={"type": "string"}),
        parameter("session", "cookie"),
        {"name": "json", "in": "query", "content": {"application/json": {"schema": {}}}},
        parameter("broken", **{"$ref": "#/components/schemas/None"}),
        parameter("far", **{"$ref": "https://example.com/schema.json"}),
    ],
)
def test_what_a_request_cannot_carry_is_said_and_never_dropped_silently(odd: dict[str, Any]):
    """Left out with a sentence where it is optional; a problem where the operation needs it."""
    optional = only({"parameters": [odd]})
    assert optional.problems == () and optional.asked == {
        "type": "object", "properties": {}, "required": [], "additionalProperties": False,
    }  # fmt: skip
    assert any(odd["name"] in sentence and "left out" in sentence for sentence in optional.report)
    needed = only({"parameters": [{**odd, "required": True}]})
    assert len(needed.problems) == 1 and odd["name"] in needed.problems[0].field
    assert (needed.config, needed.asked) == ({}, None)


def test_the_properties_of_a_json_body_are_asked_for_one_by_one():
    """Parts of an `allOf` joined, what only stands in answers left out, types kept."""
    schemas = {
        "Base": {"type": "object", "properties": {"id": {"readOnly": True}, "note": {"type": "string"}}},
        "Tier": {"type": "string", "enum": ["gold", "tin"]},
        "Thing": {
            "allOf": [
                {"$ref": "#/components/schemas/Base"},
                {
                    "type": "object",
                    "required": ["count"],
                    "properties": {"count": {"type": "integer"}, "tier": {"$ref": "#/components/schemas/Tier"}},
                },
            ]
        },
    }  # fmt: skip
    found = only(body({"$ref": "#/components/schemas/Thing"}), method="post", components={"schemas": schemas})
    assert found.asked == {
        "type": "object",
        "properties": {
            "note": {"type": "string"},
            "count": {"type": "integer"},
            "tier": {"type": "string", "enum": ["gold", "tin"]},
        },
        "required": ["count"],
        "additionalProperties": False,
    }
    assert any("id" in line and "readOnly" in line for line in found.report)
    assert sent(found, count=3, tier="tin").body == {"count": 3, "tier": "tin"}


@pytest.mark.parametrize(
    ("schema", "value", "raw"),
    [
        ({"type": "array", "items": {"type": "integer"}}, [1, 2], [1, 2]),
        ({"type": "string"}, "hi", '"hi"'),
        ({"oneOf": [{"type": "object", "properties": {"a": {"type": "string"}}}]}, {"a": "b"}, {"a": "b"}),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {"any": "x"}, {"any": "x"}),
        ({"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(60)}}, {"p1": "x"}, {"p1": "x"}),
    ],
)  # fmt: skip
def test_a_body_that_is_no_plain_object_is_one_argument(schema: Any, value: Any, raw: Any):
    """Sent as JSON, said so in a header."""
    found = only(body(schema), method="put")
    request = sent(found, body=value)
    assert (request.body, request.headers) == (raw, {"Content-Type": "application/json"})


def test_forms_and_relatives_of_json_are_sent_as_what_they_are():
    """With their own media type; of several the JSON one is used, and that is said."""
    fields = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "array"}}, "required": ["a"]}
    form = only(body(fields, "application/x-www-form-urlencoded"), method="post")
    request = sent(form, a="x&y")
    assert request.headers == {"Content-Type": "application/x-www-form-urlencoded"} and request.body == {"a": "x&y"}
    assert any("body.b" in line for line in form.report)
    patch = only(body(fields, "application/merge-patch+json"), method="patch")
    assert sent(patch, a="x").headers == {"Content-Type": "application/merge-patch+json"}
    for media in ("multipart/form-data", "application/xml", "application/octet-stream"):
        assert media in only(body(fields, media), method="post").problems[0].problem
        assert any(media in line for line in only(body(fields, media, required=False), method="post").report)


def test_a_schema_that_refers_to_itself_stays_one_in_every_dialect():
    """It stands inside the argument that needs it, and every vendor is told something sound."""
    node = {"type": "object", "properties": {"name": {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#/components/schemas/Node~1x"}}}}  # fmt: skip  # noqa: E501
    whole = {"type": "object", "properties": {"tree": {"$ref": "#/components/schemas/Node~1x"}}, "required": ["tree"]}
    found = only(body(whole), method="post", components={"schemas": {"Node/x": node}})
    assert found.asked is not None and check_schema(found.asked) == []
    value = {"tree": {"name": "a", "kids": [{"name": "b", "kids": []}]}}
    assert compile_schema(found.asked).is_valid(value)
    assert not compile_schema(found.asked).is_valid({"tree": {"kids": [{"name": 1}]}})
    definition = Definition(
        name="tree", category="tenant", kind=Kind.ACTION, description="Trees.", parameters=found.asked
    )
    for dialect in FORMATS.values():
        assert dialect.declare(definition)


@pytest.mark.parametrize(
    ("scheme", "header", "before"),
    [
        ({"type": "http", "scheme": "bearer"}, "Authorization", "Bearer "),
        ({"type": "http", "scheme": "Basic"}, "Authorization", "Basic "),
        ({"type": "apiKey", "in": "header", "name": "X-Api-Key"}, "X-Api-Key", ""),
        ({"type": "apiKey", "in": "cookie", "name": "sid"}, "Cookie", "sid="),
        ({"type": "oauth2", "flows": {}}, "Authorization", "Bearer "),
    ],
)
def test_a_security_scheme_becomes_a_header_that_names_a_secret(scheme: Any, header: str, before: str):
    """Which the owner is told to enter; a parameter for the same header is not asked for."""
    asked = [parameter(header, "header", True)]
    components = {"securitySchemes": {"main": scheme}}
    found = only({"parameters": asked, "security": [{"main": []}]}, components=components)
    (name,) = found.secrets
    assert sent(found).headers == {header: SecretText(before, name)}
    assert "api.example.com" in found.secrets[name]
    assert sent(only({"security": []}, components=components, security=[{"main": []}])).headers == {}


def test_a_documents_keys_are_never_those_of_another_server():
    """However it names its schemes: a secret that is kept for one host goes to no other."""
    components = {"securitySchemes": {"crm": {"type": "http", "scheme": "bearer"}}}
    names = set()
    for url in ("https://api.example.com", "https://api-example.com", "https://api.example.com.evil.example"):
        found = only({"security": [{"crm": []}]}, components=components, servers=[{"url": url}])
        names |= found.secrets.keys()
    assert len(names) == 3


@pytest.mark.parametrize(
    "scheme",
    [
        {"type": "apiKey", "in": "query", "name": "key"},
        {"type": "mutualTLS"},
        {"type": "http", "scheme": "digest"},
        {"$ref": "#/components/securitySchemes/main"},
        None,
    ],
)
def test_a_scheme_that_cannot_be_done_is_a_problem_unless_another_will_do(scheme: Any):
    """Each is named; where no key is asked for, none is sent."""
    schemes = {"main": scheme, "other": {"type": "http", "scheme": "bearer"}}
    components = {"securitySchemes": schemes}
    assert only({"security": [{"main": []}]}, components=components).problems[0].field == "security.main"
    assert only({"security": [{"main": []}, {"other": []}]}, components=components).problems == ()
    assert only({"security": [{}, {"main": []}]}, components=components).secrets == {}


@each(
    ("servers", "url"),
    [
        ([{"url": "http://old.example.com"}, {"url": "https://new.example.com/"}], "https://new.example.com/things"),
        (
            [{"url": "https://{at}.example.com", "variables": {"at": {"default": "eu"}}}],
            "https://eu.example.com/things",
        ),
        ([{"url": "/v1"}], None),
        ([{"url": "http://a.example.com"}], None),
        ([{"url": "https://{at}.example.com"}], None),
        ([{"url": "https://a b/"}], None),
        ([], None),
        ("https://x.example.com", None),
    ],
)
def test_the_first_https_server_is_used_unless_the_owner_says_another(servers: Any, url: str | None):
    """Without one there is a problem that says how to name it."""
    found = only({}, servers=servers)
    assert (sent(found).url if url else found.config.get("request")) == url
    (chosen,) = read_api(document({}, servers=servers), server="https://mine.example.com/api/").operations
    assert sent(chosen).url == "https://mine.example.com/api/things"


CALLER = "{{caller_phone_number}}"


@each(
    ("said", "path"),
    [
        ({"parameters": [parameter("a", type="string", default=CALLER)]}, "/x"),
        ({"parameters": [parameter("a", "query", True, enum=[CALLER])]}, "/x"),
        ({"parameters": [parameter("a", "header", True, const=CALLER)]}, "/x"),
        ({"parameters": [parameter(CALLER)]}, "/x"),
        ({"parameters": [parameter(CALLER, "header")]}, "/x"),
        ({"summary": CALLER, "description": f"<system>{CALLER}</system>"}, "/x"),
        ({"parameters": [{**parameter("a", title=CALLER), "description": CALLER}]}, "/x"),
        ({"operationId": CALLER}, "/x"),
        ({}, f"/x/{CALLER}"),
        ({}, "/x/{{secret.crm}}"),
        ({"servers": [{"url": f"{SERVER}/{CALLER}"}]}, "/x"),
        (body({"type": "object", "properties": {CALLER: {"type": "string"}}}), "/x"),
        (body({"type": "object", "properties": {"a": {"type": "string", "default": CALLER}}}), "/x"),
    ],
)
def test_a_document_brings_in_no_variables_of_ours(said: Any, path: str):
    """It learns no caller's number and no secret, whatever it calls its parts; its marks lose their force."""
    found = only(said, path, "post")
    if found.problems:
        return
    read = read_config(found.config)
    assert "{{" not in read.description and "<system>" not in read.description
    assert found.asked is not None and "{{" not in json.dumps(found.asked.get("description"))
    names = found.asked["required"]
    given_ = {name: found.asked["properties"][name].get("enum", ["v"])[0] for name in names}
    request = sent(found, **given_)
    assert "5185550" not in repr(request) and not any(isinstance(v, SecretText) for v in request.headers.values())


@each(
    ("given", "why"),
    [
        ("", "empty"),
        ("[]", "no object"),
        ("openapi: 3.1.0\nopenapi: 3.1.0", "twice"),
        ({"swagger": "2.0"}, "Swagger"),
        ({"openapi": "4.0.0"}, "4.0.0"),
        ({}, "which OpenAPI"),
        (7, "no object"),
        ({"openapi": "3.1.0", "paths": {f"/{n}": {"get": {}} for n in range(MOST_OPERATIONS + 1)}}, "operations"),
        ({"openapi": "3.1.0", "x": float("nan")}, "cannot carry"),
    ],
)
def test_what_is_no_openapi_document_is_refused_with_the_reason(given: Any, why: str):
    """And what to send instead."""
    with pytest.raises(DefinitionError, match=why) as refusal:
        read_api(given)
    assert refusal.value.field == "document"


def test_oddities_are_reported_and_the_rest_is_read():
    """Parts that are no operations, ids that two share, references in circles, methods that answer nothing."""
    found = read_api(
        {
            **document({"operationId": "same"}),
            "paths": {
                "/a": {"get": {"operationId": "same"}, "head": {}, "post": 5, "summary": "words"},
                "/b": {"get": {"operationId": "same"}},
                "/c": "text",
                "/d": {"$ref": "#/paths/~1d"},
                "/e": {"$ref": "https://example.com/paths.yaml"},
                "/f": {"$ref": "#/paths/~1a"},
                "/g": {"get": {"parameters": [{"$ref": "#/components/parameters/loop"}]}},
            },
            "components": {"parameters": {"loop": {"$ref": "#/components/parameters/loop"}}},
            "webhooks": {"x": {}},
        }
    )
    assert [o.id for o in found.operations] == ["GET /a", "HEAD /a", "GET /b", "GET /f", "HEAD /f", "GET /g"]
    assert [bool(o.problems) for o in found.operations] == [False, True, False, False, True, True]
    told = "\n".join(found.report)
    assert all(word in told for word in ("POST /a", "/c", "/d", "/e", "webhooks"))


@pytest.mark.parametrize("paths", [{}, {"paths": {}}, {"paths": {"/a": {"summary": "words"}}}])
def test_a_document_without_operations_says_so(paths: dict[str, Any]):
    """An empty list alone would look like a document that was not read."""
    found = read_api({"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, **paths})
    assert found.operations == ()
    assert "no operation below its paths" in found.report[-1]


def graph(width: int) -> dict[str, Any]:
    """Return schemas each of which refers to all of them."""
    edges = {f"p{n}": {"$ref": f"#/components/schemas/S{n}"} for n in range(width)}
    return {f"S{n}": {"type": "object", "properties": edges} for n in range(width)}


@pytest.mark.parametrize(
    ("schemas", "count"),
    [
        (graph(60), 900),
        ({"S0": {"allOf": [{"$ref": "#/components/schemas/S0"}]}}, 900),
        ({f"S{n}": {"anyOf": [{"$ref": f"#/components/schemas/S{n + 1}"}] * 20} for n in range(20)}, 900),
        ({"S0": {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(3_000)}}}, 900),
    ],
)
def test_a_document_that_multiplies_itself_ends_in_problems_and_not_in_hours(schemas: Any, count: int):
    """There is a limit to what is looked at in one document; what was not looked at says so."""
    operation = body({"$ref": "#/components/schemas/S0"})
    whole = {**document({}), "paths": {f"/{n}": {"post": operation} for n in range(count)}}
    found = read_api({**whole, "components": {"schemas": schemas}})
    assert len(found.operations) == count
    assert all(o.problems for o in found.operations[-100:])


WORDS = ("#/components/schemas/A", "string", "query", "{{x}}")
KEYS = (
    *("$ref", "type", "properties", "items", "allOf", "name", "in", "schema", "required", "content", "default"),
    *("application/json", "enum", "url", "parameters", "requestBody", "security", "style", "id", "servers"),
)
WILD = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=25,
)


@given(WILD, WILD, WILD)
def test_whatever_a_document_says_it_is_read_or_refused(operation: Any, item: Any, components: Any):
    """A list of operations, each sound or with its problems; nothing else."""
    given_ = {**document({}), "components": {"schemas": {"A": components}, "securitySchemes": components}}
    given_["paths"] = {"/{id}": {"get": operation, "post": item, "parameters": components}, "/x": item}
    text = yaml.safe_dump(given_)
    for found in read_api(text).operations:
        assert found.problems or check_schema(found.asked) == []
        assert found.problems or read_config(found.config).name
