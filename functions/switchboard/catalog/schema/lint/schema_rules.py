"""Schemas that are sound and still make a model guess: unchecked formats, endless lists of words, open ends."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from switchboard.catalog.arguments.trusted_values import FROM
from switchboard.catalog.schema.lint.finding import LintFinding, LintSeverity
from switchboard.catalog.schema.lint.trust_rules import properties
from switchboard.catalog.schema.repair.keywords import KEYWORDS
from switchboard.catalog.schema.schema import ASSERTED_FORMATS, NOTED_FORMATS
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.contract.store import RESERVED_NAME
from switchboard.formats.schema.subschema import children, pointer

_LONG_ENUM = 50
_MANY = 20
_KEY = re.compile(r"^[a-zA-Z0-9_.-]{1,64}$")
_CAMEL = re.compile(r"[a-z][A-Z]")
_SAYS_NOTHING = frozenset({"description", "title", "$comment", "examples", "default", "deprecated"})


def about_schema(definition: Definition) -> Iterator[LintFinding]:
    """Yield what could be said better in the schema of the arguments."""
    nodes: list[tuple[str, Any]] = [("", definition.parameters)]
    for at, node in nodes:
        nodes += [(at + step, child) for step, child in children(node)]
        if isinstance(node, Mapping):
            for rule, severity, place, told in _about_node(at, node):
                yield LintFinding(rule, severity, definition.name, place or "/", told)
    for at, name, inner in properties(definition.parameters):
        if isinstance(inner, Mapping) and FROM in inner:
            continue
        if isinstance(inner, Mapping) and not inner.keys() - _SAYS_NOTHING:
            told = f"{name} may be anything; write its type"
            yield LintFinding("untyped-parameter", LintSeverity.WARNING, definition.name, at, told)
        if RESERVED_NAME.fullmatch(name):
            told = f"{name[:40]!r} is between double underscores, as no stored name may be; call it something else"
            yield LintFinding("parameter-name", LintSeverity.ERROR, definition.name, at, told)
        elif not _KEY.match(name):
            told = (
                f"{name[:40]!r} is refused by some models; use at most 64 letters, digits, dots, hyphens, underscores"
            )
            yield LintFinding("parameter-name", LintSeverity.ERROR, definition.name, at, told)
    yield from _about_names(definition)


def _about_node(at: str, node: Mapping[str, Any]) -> Iterator[tuple[str, LintSeverity, str, str]]:
    name = node.get("format")
    if isinstance(name, str) and name not in ASSERTED_FORMATS | NOTED_FORMATS:
        told = f"{name!r} is no known format and is not checked; use a pattern, or one of {_listed(ASSERTED_FORMATS)}"
        yield "unknown-format", LintSeverity.WARNING, f"{at}/format", told
    words = node.get("enum")
    if isinstance(words, list) and len(words) > _LONG_ENUM:
        told = f"has {len(words)} words, which every request carries; let a retrieval tool look them up instead"
        yield "long-enum", LintSeverity.WARNING, f"{at}/enum", told
    known: JsonObject = node.get("properties", {})
    for name in node.get("required", ()):
        if isinstance(known.get(name), Mapping) and "default" in known[name]:
            told = f"{name} is required, so that its default is never used; leave it out, or take it out of required"
            yield "unused-default", LintSeverity.WARNING, f"{at}{pointer('properties', name)}/default", told
    for keyword in sorted(node.keys() - KEYWORDS):
        if not keyword.startswith("x-") and keyword not in ("definitions", "propertyOrdering"):
            told = f"{keyword[:40]!r} is no keyword of JSON Schema and has no effect; correct its spelling or remove it"
            yield "unknown-keyword", LintSeverity.WARNING, at, told


def _about_names(definition: Definition) -> Iterator[LintFinding]:
    names = definition.parameters.get("properties", {})
    if len(names) > _MANY:
        told = f"has {len(names)} arguments, more than a caller can be asked for; split the tool, or leave some out"
        yield LintFinding("many-parameters", LintSeverity.WARNING, definition.name, "parameters", told)
    camel = [name for name in names if _CAMEL.search(name)]
    if camel and any("_" in name for name in names):
        told = f"mixes two spellings ({camel[0]} and snake_case), which models copy wrongly; use one of them"
        yield LintFinding("parameter-spelling", LintSeverity.HINT, definition.name, "parameters", told)


def _listed(words: frozenset[str]) -> str:
    return ", ".join(sorted(words))
