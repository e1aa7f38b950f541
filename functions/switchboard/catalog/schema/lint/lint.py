"""The definition linter: everything about a set of tools that will go wrong in a conversation, and what to do about it.

Used by `scripts/lint_tools`, by the admin pages, and when a definition is saved: errors keep it from being saved,
warnings and hints are shown. A document that cannot be read is told as an error and not looked at any further.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

from switchboard.catalog.arguments.trusted_values import declared
from switchboard.catalog.arguments.trusted_values import problems as trust_problems
from switchboard.catalog.definitions.tool import where_problems
from switchboard.catalog.schema.lint.foreign import PARAMETERS, adopted, is_of_another_vendor, vendor_tool
from switchboard.catalog.schema.lint.rules import (
    LintFinding,
    LintSeverity,
    about_rules,
    about_schema,
    about_words,
    overlapping,
    trusted_arguments,
)
from switchboard.catalog.schema.repair.repair import repair
from switchboard.catalog.schema.schema import check_schema
from switchboard.contract.definitions.definition import Definition, DefinitionError, problems, read_definition
from switchboard.contract.definitions.spoken import question_faults
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.formats import FORMATS

_ORDER = {severity: position for position, severity in enumerate(LintSeverity)}
_NO_PARAMETERS: JsonObject = {"type": "object", "properties": {}}

CHARACTERS_PER_TOKEN = 4
"""Seed 003 ("Token Estimation"): an estimate, good to about a fifth for English and JSON."""
_DEAR = 800
_DEAR_IN_ALL = 12_000
# What is told in other words, or is only enforced here, leaves no model misled.
_HARMLESS = re.compile(
    r"told in the description only|is told as|annotation of ours"
    r"|: (?:additionalProperties|unevaluatedProperties|default|examples|title|format) is left out"
)
_OURS = "annotation of ours"


@dataclass(frozen=True, slots=True)
class Lint:
    """What the linter found: the worst first within each tool, and what each sound tool costs by dialect."""

    findings: tuple[LintFinding, ...]
    costs: tuple[TokenCost, ...]

    @property
    def has_errors(self) -> bool:
        """Whether anything must not be published."""
        return any(finding.severity is LintSeverity.ERROR for finding in self.findings)

    def to_json(self) -> JsonObject:
        """Return it as `scripts/lint_tools --json` prints it."""
        return {
            "findings": [finding.to_json() for finding in self.findings],
            "tokens": {cost.tool: dict(cost.tokens) for cost in self.costs},
        }


def lint(definitions: Sequence[Definition]) -> Lint:
    """Return everything that is found in definitions, alone and beside each other."""
    findings: list[LintFinding] = []
    sound: list[Definition] = []
    for definition in definitions:
        wrong = [*_about_soundness(definition)]
        findings += wrong
        if not wrong:
            sound.append(definition)
    return _linted(findings, sound)


def lint_documents(documents: Sequence[tuple[str, Any]]) -> Lint:
    """Return everything that is found in documents, each with the name it is known by.

    A document is a definition as it stands in `schema.json` or Firestore, or a tool as OpenAI, Anthropic, Gemini or MCP
    write it: what is right there, and otherwise here, is no error.
    """
    findings: list[LintFinding] = []
    sound: list[Definition] = []
    for name, document in documents:
        definition, wrong = _read(name, document)
        findings += wrong
        if definition is not None:
            wrong = [*_about_soundness(definition)]
            findings += wrong
            sound += [] if wrong else [definition]
    return _linted(findings, sound)


def _linted(findings: list[LintFinding], sound: list[Definition]) -> Lint:
    costs = tuple(token_cost(definition) for definition in sound)
    for definition, cost in zip(sound, costs, strict=True):
        for rule in (trusted_arguments, about_words, about_schema, about_rules):
            findings += rule(definition)
        findings += about_dialects(definition, cost)
    findings += overlapping(sound)
    findings += about_all_costs(costs)
    ordered = sorted(
        findings, key=lambda finding: (finding.tool, _ORDER[finding.severity], finding.rule, finding.place)
    )
    return Lint(tuple(ordered), costs)


def _about_soundness(definition: Definition) -> Iterator[LintFinding]:
    """Yield what keeps a definition from being used at all."""
    for part, schema in (("parameters", definition.parameters), ("returns", definition.returns)):
        broken = check_schema(schema) if schema is not None else []
        for error in broken:
            yield _error("schema", definition.name, f"{part}{error.field.rstrip('/')}", error, _offer(part, schema))
        if part == "parameters" and not broken:
            for error in trust_problems(definition.parameters):
                yield _error("trust-declaration", definition.name, error.field, error)
            for error in where_problems(definition.parameters):
                yield _error("where-declaration", definition.name, error.field, error)


def _offer(part: str, schema: Any) -> str:
    """Return what the converter would make of a loosely written schema."""
    try:
        report = repair(schema).report if part == "parameters" else ()
    except DefinitionError:
        return ""
    return f"; it can be repaired: {'; '.join(map(str, report[:3]))}" if report else ""


def _read(name: str, document: Any) -> tuple[Definition | None, list[LintFinding]]:
    """Return the definition that a document means, if it can be read, and what was found on the way."""
    note = vendor_tool(document)
    if note is not None:
        return None, [note]
    is_theirs = is_of_another_vendor(document)
    if isinstance(document, Mapping) and isinstance(document.get("function"), Mapping):
        document = document["function"]
    if not isinstance(document, Mapping):
        problem = DefinitionError("file", "is no definition", "write an object with name, description and parameters")
        return None, [_error("definition", name, "file", problem)]
    others = (*PARAMETERS, "strict", "type")
    definition_fields = {key: value for key, value in document.items() if key not in others and value is not None}
    definition_fields["parameters"] = next((document[key] for key in PARAMETERS if document.get(key)), _NO_PARAMETERS)
    name = str(definition_fields.get("name", name))
    findings = list(adopted(name, definition_fields)) if is_theirs else []
    given = definition_fields["parameters"]
    # What is right where it comes from is written as here: another dialect's schema, types in capitals.
    is_loose = isinstance(given, Mapping) and (
        given.get("type") != "object" or (is_theirs and any(check_schema(given)))
    )
    if is_loose:
        try:
            definition_fields["parameters"], report = repair(definition_fields["parameters"])
            severity = LintSeverity.WARNING if is_theirs else LintSeverity.ERROR
            findings += [LintFinding("loose-schema", severity, name, f"parameters{r.place}", r.text) for r in report]
        except DefinitionError as error:
            return None, [_error("schema", name, f"parameters{error.field}", error)]
    if definition_fields.get("kind") is None:
        text = "is missing; write retrieval, action or utility: limits, confirmation and budgets depend on it"
        findings.append(LintFinding("kind", LintSeverity.WARNING, name, "kind", text))
    definition_fields.setdefault("category", "general")
    unfilled = [DefinitionError(*fault) for fault in question_faults(definition_fields)]
    wrong = [
        _error("definition", name, e.field, e)
        for e in (*problems(str(definition_fields.get("name", name)), definition_fields), *unfilled)
    ]
    return (None if wrong else _definition(name, definition_fields)), findings + wrong


def _definition(name: str, fields: JsonObject) -> Definition:
    """Return a sound definition under the name that whoever wrote it knows it by."""
    return replace(read_definition(str(fields.get("name", name)), fields), name=name)


def _error(rule: str, tool: str, place: str, error: DefinitionError, more: str = "") -> LintFinding:
    return LintFinding(rule, LintSeverity.ERROR, tool, place, f"{error.problem}; {error.remedy}{more}")


@dataclass(frozen=True, slots=True)
class TokenCost:
    """What one tool's declaration costs in each dialect, by the dialect's name, in estimated tokens."""

    tool: str
    tokens: Mapping[str, int]


def token_cost(definition: Definition) -> TokenCost:
    """Return the estimated tokens of a sound definition: its declaration as compact JSON, four characters a token."""
    declaration = declared(definition)
    rows = {name: dialect.declare(declaration) for name, dialect in FORMATS.items()}
    return TokenCost(definition.name, {name: _tokens(row) for name, row in rows.items()})


def about_dialects(definition: Definition, cost: TokenCost) -> Iterator[LintFinding]:
    """Yield what dialects cannot say of a sound definition, each loss once with the dialects that have it."""
    declaration = declared(definition)
    losses: dict[str, list[str]] = {}
    in_words: dict[str, list[str]] = {}
    for name, dialect in FORMATS.items():
        for note in dialect.lowerings(declaration):
            if not _HARMLESS.search(note):
                losses.setdefault(note, []).append(name)
            elif _OURS not in note:
                in_words.setdefault(name, []).append(note.partition(": ")[2].partition(" is ")[0])
    for note, dialects in losses.items():
        place, _, text = note.partition(": ")
        sentence = f"{', '.join(dialects)}: {text}, so the model is not told; say it in the description"
        yield LintFinding("dialect", LintSeverity.WARNING, definition.name, place, sentence)
    if in_words:
        told_of = "; ".join(f"{name}: {', '.join(sorted({*keywords}))}" for name, keywords in in_words.items())
        sentence = f"not checked while a model writes, only when it calls ({told_of}); there is nothing to do"
        yield LintFinding("dialect", LintSeverity.HINT, definition.name, "parameters", sentence)
    dearest = max(cost.tokens, key=lambda name: cost.tokens[name])
    if cost.tokens[dearest] > _DEAR:
        sentence = f"costs some {cost.tokens[dearest]} tokens in every request ({dearest}); shorten words and schema"
        yield LintFinding("token-cost", LintSeverity.WARNING, definition.name, "definition", sentence)


def about_all_costs(costs: Sequence[TokenCost]) -> Iterator[LintFinding]:
    """Yield a finding where all tools together cost more than a turn should carry."""
    for name in FORMATS:
        total = sum(cost.tokens[name] for cost in costs)
        if total > _DEAR_IN_ALL:
            sentence = f"{len(costs)} tools cost some {total} tokens in every request; offer fewer at once"
            yield LintFinding("token-cost", LintSeverity.WARNING, "*", name, sentence)


def _tokens(declaration: object) -> int:
    return ceil(len(json.dumps(declaration, ensure_ascii=False, separators=(",", ":"))) / CHARACTERS_PER_TOKEN)
