"""The linter says what will go wrong in a conversation, where, and what to do about it."""

import json
from typing import Any

import pytest

import setting_up
from switchboard.catalog.schema.lint.lint import lint, lint_documents
from switchboard.catalog.schema.lint.rules import LintFinding, LintSeverity
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Definition, Kind
from switchboard.formats import FORMATS
from tests.each import each

SAY = {"en": {"running": "One moment.", "slow": "Still at it.", "failed": "That did not work."}}
GOOD = {
    "description": "Look up the weather for a town that the caller names. Do not use it for the past.",
    "kind": "action",
    "say": SAY,
    "parameters": {
        "type": "object",
        "properties": {"town": {"type": "string", "description": "The town."}},
        "additionalProperties": False,
    },
}


def found(name: str = "look_up_weather", **changes: Any) -> list[LintFinding]:
    """Return what is found in a good definition with changes, beyond what dialects cannot check."""
    report = lint_documents([(name, GOOD | changes)])
    return [f for f in report.findings if not (f.rule == "dialect" and f.severity is LintSeverity.HINT)]


def with_property(name: str, **schema: Any) -> dict[str, Any]:
    """Return parameters with one described property."""
    return {"type": "object", "properties": {name: {"type": "string", "description": "It."} | schema}}


def test_a_good_definition_has_no_findings():
    """Silence means that there is nothing to do."""
    assert found() == []


@each(
    "name",
    [
        "businessId",
        "business_id",
        "tenant_id",
        "callerPhone",
        "caller_phone_number",
        "verified",
        "is_verified",
        "sessionId",
        "CALL_SID",
        "callerId",
        "interaction_id",
        "api_key",
        "accessToken",
        "password",
    ],
)
def test_a_trusted_value_that_the_model_may_give_is_an_error(name: str):
    """Design §5: business, caller and verification never come from the model."""
    [finding] = [f for f in found(parameters=with_property(name)) if f.rule == "trusted-argument"]
    assert finding.severity is LintSeverity.ERROR
    assert finding.place == f"/properties/{name}"
    nested = {"type": "object", "properties": {"who": {"description": "Who.", **with_property(name)}}}
    assert "trusted-argument" in {f.rule for f in found(parameters=nested)}


def test_a_value_that_the_call_provides_is_none_of_the_models():
    """`x-from` is what the finding asks for, and what makes it go away."""
    own = {"x-trust": "signalling", "x-from": "caller_phone"}
    assert found(parameters=with_property("caller_phone", **own)) == []
    assert found(parameters=with_property("customer_phone")) == []


@each(
    ("changes", "rule", "severity", "place"),
    [
        ({"description": "Weather."}, "vague-description", "warning", "description"),
        (
            {"description": "Handles the requests that come in from callers every day."},
            "vague-description",
            "warning",
            "description",
        ),
        ({"description": " "}, "description", "error", "description"),
        ({"description": "word " * 300}, "description", "error", "description"),
        ({"description": GOOD["description"] + " {{business.nmae}}"}, "variable", "error", "description"),
        ({"parameters": with_property("a", description="")}, "undescribed-parameter", "warning", "/properties/a"),
        ({"parameters": with_property("a", format="phone")}, "unknown-format", "warning", "/properties/a/format"),
        (
            {"parameters": with_property("a", enum=[str(n) for n in range(60)])},
            "long-enum",
            "warning",
            "/properties/a/enum",
        ),
        ({"parameters": with_property("a", nullable=True)}, "unknown-keyword", "warning", "/properties/a"),
        ({"parameters": with_property("what is it")}, "parameter-name", "error", "/properties/what is it"),
        ({"parameters": with_property("__proto__")}, "parameter-name", "error", "/properties/__proto__"),
        (
            {"parameters": with_property("a", default="x") | {"required": ["a"]}},
            "unused-default",
            "warning",
            "/properties/a/default",
        ),
        (
            {"parameters": {"type": "object", "properties": {"a": {"description": "It."}}}},
            "untyped-parameter",
            "warning",
            "/properties/a",
        ),
        (
            {
                "parameters": {
                    "type": "object",
                    "properties": {f"p{n}": {"type": "string", "description": "It."} for n in range(30)},
                }
            },
            "many-parameters",
            "warning",
            "parameters",
        ),
        ({"say": {}}, "missing-filler", "warning", "say"),
        ({"say": {"en": {"running": "One moment."}}}, "missing-filler", "hint", "say.en"),
        ({"confirm": True}, "missing-read-back", "warning", "readBack"),
        ({"description": GOOD["description"] + " This cannot be undone."}, "missing-read-back", "warning", "confirm"),
        ({"requires": ["calender"]}, "condition", "error", "requires"),
        ({"kind": None}, "kind", "warning", "kind"),
        ({"parameters": with_property("a", type="str")}, "schema", "error", "parameters/properties/a/type"),
        (
            {"parameters": {"properties": {"a": {"type": "str", "description": "It."}}}},
            "loose-schema",
            "error",
            "parameters/",
        ),
        (
            {"parameters": with_property("a", **{"x-trust": "verified"})},
            "trust-declaration",
            "error",
            "parameters.properties.a.x-trust",
        ),
        ({"parameters": with_property("a", description="x" * 4_000)}, "token-cost", "warning", "definition"),
        ({"channels": ["fax"]}, "definition", "error", "channels"),
        ({"readBack": {"text": "Yes?"}}, "definition", "error", "readBack.text"),
        ({"readBack": {"en": "At {{nummer}}?"}}, "definition", "error", "readBack.en"),
        ({"readBack": {"en": "At {{business.nam}}?"}}, "variable", "error", "readBack.en"),
    ],
)
def test_each_finding_names_its_place_and_says_what_to_do(changes: Any, rule: str, severity: str, place: str):
    """One change to a good definition, one rule that notices it."""
    findings = [f for f in found(**changes) if f.rule == rule]
    assert (findings[0].severity.value, findings[0].place) == (severity, place)
    assert len(findings[0].text) > 20


@pytest.mark.parametrize(
    ("name", "rule", "severity"),
    [
        ("weather", "tool-name", LintSeverity.HINT),
        ("do_it", "tool-name", LintSeverity.WARNING),
        ("cancel_visit", "missing-read-back", LintSeverity.WARNING),
        ("delete_record", "missing-read-back", LintSeverity.WARNING),
        ("Bad-Name", "definition", LintSeverity.ERROR),
    ],
)
def test_a_name_tells_what_a_tool_does_and_what_cannot_be_undone(name: str, rule: str, severity: LintSeverity):
    """An action that cannot be taken back is asked for first."""
    assert (rule, severity) in {(f.rule, f.severity) for f in found(name)}
    assert "missing-read-back" not in {f.rule for f in found(name, confirm=True, readBack={"en": "Shall I?"})}


def test_two_tools_that_sound_alike_are_named_together():
    """A model cannot choose between them; where they never meet on a channel, it need not."""
    other = GOOD | {"description": GOOD["description"].replace("weather", "temperature")}
    report = lint_documents([("look_up_weather", GOOD), ("look_up_temperature", other)])
    [finding] = [f for f in report.findings if f.rule == "overlapping-descriptions"]
    assert "look_up_temperature" in finding.text
    apart = [("a_b", GOOD | {"channels": ["phone"]}), ("c_d", other | {"channels": ["portal"]})]
    assert not [f for f in lint_documents(apart).findings if f.rule == "overlapping-descriptions"]


def test_what_a_dialect_loses_is_told_once_with_the_dialects_that_lose_it():
    """Lowering notes become findings; limits that are told in words are one hint per dialect."""
    parameters = with_property("tree") | {
        "$defs": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}}}
    }
    parameters["properties"]["tree"] = {"$ref": "#/$defs/n", "description": "A tree."}
    lost = [f for f in found(parameters=parameters) if f.rule == "dialect"]
    assert any("recursion" in f.text and "gemini" in f.text for f in lost)
    hints = [f for f in lint_documents([("a_b", GOOD)]).findings if f.rule == "dialect"]
    assert len(hints) == len({f.text for f in hints})


def test_tokens_are_estimated_for_every_dialect():
    """Four characters of the compact declaration count as a token (seed 003)."""
    definition = Definition("a_b", "general", Kind.UTILITY, GOOD["description"], GOOD["parameters"])
    [cost] = lint([definition]).costs
    assert cost.tokens.keys() == FORMATS.keys()
    text = json.dumps(FORMATS["openai"].declare(definition), separators=(",", ":"))
    assert cost.tokens["openai"] == -(-len(text) // 4)


@pytest.mark.parametrize(
    "document",
    [
        {"type": "function", "function": {"name": "look_up_weather", **GOOD}},
        {
            "name": "look_up_weather",
            **{k: v for k, v in GOOD.items() if k != "parameters"},
            "inputSchema": GOOD["parameters"],
        },
        {
            "name": "look_up_weather",
            **{k: v for k, v in GOOD.items() if k != "parameters"},
            "input_schema": GOOD["parameters"],
        },
    ],
)
def test_tools_are_read_as_others_write_them(document: Any):
    """OpenAI wraps a function, MCP and Anthropic name the schema otherwise."""
    report = lint_documents([("file", document)])
    assert [cost.tool for cost in report.costs] == ["look_up_weather"]
    assert not report.has_errors


@pytest.mark.parametrize(
    "document", [None, 7, [], "x", {}, {"parameters": 3}, {"name": 3, "parameters": {"type": "object"}}]
)
def test_what_is_no_definition_is_one_error(document: Any):
    """Nothing that a file may hold makes the linter crash."""
    report = lint_documents([("file", document)])
    assert report.has_errors and report.costs == ()


def test_the_built_in_tools_have_no_errors():
    """Design §2: what ships is what the linter asks for."""
    folders = sorted((setting_up.ROOT / "functions/switchboard/tools").glob("*/schema.json"))
    report = lint_documents([(path.parent.name, json.loads(path.read_text())) for path in folders])
    assert len(report.costs) == len(folders) > 30
    assert [str(f) for f in report.findings if f.severity is LintSeverity.ERROR] == []


def test_definitions_are_linted_as_documents_are():
    """The admin side lints what it is about to save."""
    definition = Definition("look_up", "general", Kind.RETRIEVAL, GOOD["description"], with_property("sessionId"))
    report = lint([definition])
    assert report.has_errors
    assert report.to_json()["findings"][0] == report.findings[0].to_json()
    assert not lint(
        [
            Definition(
                "look_up", "x", Kind.RETRIEVAL, GOOD["description"], GOOD["parameters"], channels=(Channel.PORTAL,)
            )
        ]
    ).has_errors
