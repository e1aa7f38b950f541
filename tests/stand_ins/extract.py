"""Take from Twilio's and Vapi's own OpenAPI documents what the stand-ins are held against.

`.venv/bin/python -m tests.stand_ins.extract twilio|vapi <file>` writes the stand-in's `data/rest.json` from a download
of the document that SOURCES names: names, types, limits and enums, without words. For another version of it, write
that one's commit and SHA-256 into SOURCES first.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.architecture.house import ROOT

STAND_INS = ROOT / "scripts/stand_ins"
JSON = dict[str, Any]


@dataclass(frozen=True)
class Source:
    """One version of a vendor's document.

    Attributes:
        repository: On GitHub.
        commit: The version.
        path: Of the document, in the repository.
        sha256: Of the document.
        licence: Under which the vendor gives it.
        taken: What the extract holds of it.
    """

    repository: str
    commit: str
    path: str
    sha256: str
    licence: str
    taken: str

    @property
    def url(self) -> str:
        """Where anybody gets the document."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.path}"


SOURCES = {
    "twilio": Source(
        repository="twilio/twilio-oai",
        commit="d50069b44ea8cd23141385bdb6db48f16ff75bb5",
        path="spec/json/twilio_api_v2010.json",
        sha256="99cae87a6bb1725f71363364cbd30282a13140374b2d5f9bdd5bdfa5d4c8a6d7",
        licence="MIT, Copyright (C) 2023, Twilio, Inc.; info.license of the document says Apache 2.0",
        taken="names, types, patterns and enums of what a request may hold and an answer holds; no words, no examples",
    ),
    "vapi": Source(
        repository="VapiAI/docs",
        commit="eabfa530011ea11c0387cafc424df7a105bf9de5",
        path="fern/apis/api/openapi.json",
        sha256="74c487628c18a754783f193e95549662901f4b8c9d755ba22829a9b446e89475",
        licence="MIT, Copyright (c) 2025 Vapi",
        taken="names, types, limits and enums of what a request may hold and an answer holds; no words, no examples. "
        "A part that may be something else than what is taken here is left open",
    ),
}

_ACCOUNT = "/2010-04-01/Accounts/{AccountSid}"
TWILIO_OPERATIONS = tuple(
    f"{method} {_ACCOUNT}/{path}.json"
    for method, path in (
        ("GET", "Messages"),
        ("POST", "Messages"),
        ("GET", "Messages/{Sid}"),
        ("GET", "Calls"),
        ("POST", "Calls"),
        ("GET", "Calls/{Sid}"),
        ("POST", "Calls/{Sid}"),
    )
)
TWILIO_ANSWERS = ("message", "call")
_PLAIN = frozenset({"type", "pattern", "enum", "format", "nullable"})
_FORM = "application/x-www-form-urlencoded"

_MODELS = (
    "AnthropicModel AnthropicBedrockModel AnyscaleModel CerebrasModel CustomLLMModel DeepInfraModel DeepSeekModel "
)
_MODELS += "GoogleModel GroqModel InflectionAIModel MinimaxLLMModel OpenAIModel OpenRouterModel PerplexityAIModel "
_MODELS += "TogetherAIModel XaiModel VapiModel"
_TOOLS = "CreateApiRequestToolDTO CreateFunctionToolDTO UpdateApiRequestToolDTO UpdateFunctionToolDTO ApiRequestTool "
_TOOLS += "FunctionTool BackoffPlan JsonSchema OpenAIFunction OpenAIFunctionParameters Server TextContent "
_TOOLS += "ToolMessageComplete ToolMessageDelayed ToolMessageFailed ToolMessageStart ToolParameter Condition "
_TOOLS += "VariableExtractionAlias VariableExtractionPlan ToolRejectionPlan GroupCondition LiquidCondition "
_TOOLS += "RegexCondition MessageTarget"
_HANDOVERS = "CreateHandoffToolDTO UpdateHandoffToolDTO HandoffTool HandoffDestinationAssistant "
_HANDOVERS += "HandoffDestinationDynamic HandoffDestinationSquad ServerMessageResponseHandoffDestinationRequest "
_HANDOVERS += "ContextEngineeringPlanAll ContextEngineeringPlanLastNMessages ContextEngineeringPlanNone "
_HANDOVERS += "ContextEngineeringPlanPreviousAssistantMessages ContextEngineeringPlanUserAndAssistantMessages"
_CALLS = "CreateCallDTO CreateCustomerDTO Call Monitor"
_ASSISTANTS = "CreateAssistantDTO UpdateAssistantDTO Assistant ToolRef"
_MESSAGES = "ToolCall ToolCallFunction ToolCallResult ServerMessageResponseToolCalls"
_CONFLICTS = "VersionPinConflictResponseDTO VersionPinReference ToolDraftConflictResponseDTO"
VAPI_SCHEMAS = frozenset(" ".join((_MODELS, _TOOLS, _HANDOVERS, _CALLS, _ASSISTANTS, _MESSAGES, _CONFLICTS)).split())
_SAYS_NOTHING = frozenset({"description", "example", "examples", "title", "default", "deprecated", "x-fern-type-name"})


def of_twilio(original: JSON, operations: Sequence[str], answers: Sequence[str]) -> JSON:
    """Return what Twilio's document says of some operations and of the answers that they give."""
    schemas = original["components"]["schemas"]
    return {
        "operations": {operation: _operation(original["paths"], operation, schemas) for operation in operations},
        "answers": {name: _named(schemas[f"api.v2010.account.{name}"]["properties"], schemas) for name in answers},
    }


def of_vapi(original: JSON, kept: frozenset[str]) -> JSON:
    """Return what Vapi's document says of the list of tools and of some schemas."""
    schemas = original["components"]["schemas"]
    listed = {p["name"]: p["schema"] for p in original["paths"]["/tool"]["get"]["parameters"]}
    return {"query": listed, "schemas": {name: _of_kept(schemas[name], kept) for name in sorted(kept)}}


TAKEN: dict[str, Callable[[JSON], JSON]] = {
    "twilio": lambda original: of_twilio(original, TWILIO_OPERATIONS, TWILIO_ANSWERS),
    "vapi": lambda original: of_vapi(original, VAPI_SCHEMAS),
}
"""What is taken of each vendor's document."""


def digest(extract: JSON) -> str:
    """Return the SHA-256 of what an extract holds beside its source: by it, a change by hand is noticed."""
    held = {name: value for name, value in extract.items() if name != "source"}
    return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()


def write(vendor: str, document: bytes, source: Source, folder: Path) -> Path:
    """Write the extract of a document into a folder of stand-ins and return its path.

    Raises:
        ValueError: It is another document, or another version, than the source names.
    """
    found = hashlib.sha256(document).hexdigest()
    if found != source.sha256:
        raise ValueError(f"this is not {source.url}: its SHA-256 is {found}")
    taken = TAKEN[vendor](json.loads(document))
    told = {
        "repository": f"github.com/{source.repository}",
        "commit": source.commit,
        "document": source.url,
        "sha256": source.sha256,
        "licence": source.licence,
        "taken": source.taken,
        "sha256_of_taken": digest(taken),
    }
    path = folder / vendor / "data/rest.json"
    path.write_text(json.dumps({"source": told} | taken, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; 1 when the file is not the document."""
    named = "\n".join(f"{vendor}: {source.url}" for vendor, source in SOURCES.items())
    line = argparse.ArgumentParser(
        "tests.stand_ins.extract",
        description="Write what a stand-in is held against, from its vendor's OpenAPI document.",
        epilog=named,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    line.add_argument("vendor", choices=SOURCES)
    line.add_argument("file", type=Path, help="the downloaded document")
    asked = line.parse_args(arguments)
    try:
        print(write(asked.vendor, asked.file.read_bytes(), SOURCES[asked.vendor], STAND_INS))
    except (OSError, ValueError) as error:
        print(f"tests.stand_ins.extract: {error}", file=sys.stderr)
        return 1
    return 0


def _operation(paths: JSON, operation: str, schemas: JSON) -> JSON:
    method, path = operation.split()
    described = paths[path][method.lower()]
    form = described.get("requestBody", {}).get("content", {}).get(_FORM, {}).get("schema", {})
    given = described.get("parameters", [])
    found = {
        "path": _named({p["name"]: p["schema"] for p in given if p["in"] == "path"}, schemas),
        "query": _named({p["name"]: p["schema"] for p in given if p["in"] == "query"}, schemas),
        "form": _named(form.get("properties", {}), schemas),
        "required": form.get("required", []),
    }
    return {part: rules for part, rules in found.items() if rules}


def _named(rules: JSON, schemas: JSON) -> JSON:
    return {name: _plain(rule, schemas) for name, rule in rules.items()}


def _plain(rule: JSON, schemas: JSON) -> JSON:
    rule = schemas[rule["$ref"].rpartition("/")[2]] if "$ref" in rule else rule
    kept = {name: value for name, value in rule.items() if name in _PLAIN}
    return kept | ({"items": _plain(rule["items"], schemas)} if "items" in rule else {})


def _of_kept(rule: Any, schemas: frozenset[str]) -> Any:
    if isinstance(rule, list):
        return [_of_kept(item, schemas) for item in rule]
    if not isinstance(rule, dict):
        return rule
    for keyword in ("oneOf", "anyOf", "allOf"):
        names = [row["$ref"].rpartition("/")[2] for row in rule.get(keyword, []) if "$ref" in row]
        if not schemas.issuperset(names):
            return {}
    if "$ref" in rule:
        return {"$ref": rule["$ref"]} if rule["$ref"].rpartition("/")[2] in schemas else {}
    kept = {name: value for name, value in rule.items() if name not in _SAYS_NOTHING}
    # Which models there are changes by the week.
    if len(kept.get("enum", [])) > 30:
        del kept["enum"]
    for name, value in kept.items():
        if name == "properties":
            kept[name] = {key: _of_kept(inner, schemas) for key, inner in value.items()}
        elif name != "enum":
            kept[name] = _of_kept(value, schemas)
    return kept


if __name__ == "__main__":
    sys.exit(main())
