"""The rules of the linter: how a tool is named, worded and used aloud, and what its schema leaves to guesses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import combinations
from typing import Any

from switchboard.catalog.arguments.trusted_values import FROM
from switchboard.catalog.definitions.variables import unfilled_questions, unknown_variables
from switchboard.catalog.offer.inclusion import is_condition
from switchboard.catalog.schema.repair.types import KEYWORDS
from switchboard.catalog.schema.schema import ASSERTED_FORMATS, NOTED_FORMATS
from switchboard.contract import policy
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Definition, Kind
from switchboard.contract.json import JsonObject, ToldAsJson
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import RESERVED_NAME
from switchboard.formats.schema.subschema import children, pointer

_FINAL = re.compile(
    r"^(?:cancel|delete|remove|pay|charge|refund|purchase|buy|order|send_e?mail|submit|terminate|revoke|wipe|reset"
    r"|reschedule|overwrite|withdraw|close|unsubscribe|unenroll|void)(?:_|$)"
)
_SAID_SO = re.compile(
    r"\b(?:irreversibl[ey]|permanent(?:ly)?|cannot be undone|can't be undone|forever)\b", re.IGNORECASE
)
_EMPTY_NAMES = frozenset(
    {"tool", "function", "action", "run", "execute", "do", "call", "api", "test", "helper", "main"}
)
_PHRASES = ("running", "slow", "failed")

_LONG_ENUM = 50
_MANY = 20
_KEY = re.compile(r"^[a-zA-Z0-9_.-]{1,64}$")
_CAMEL = re.compile(r"[a-z][A-Z]")
_SAYS_NOTHING = frozenset({"description", "title", "$comment", "examples", "default", "deprecated"})

LONGEST_DESCRIPTION = 1_024
"""OpenAI's limit; longer ones are refused there."""
_SHORTEST = 6
_ALIKE = 0.6
_VARIABLE = re.compile(r"\{\{[^{}]*\}\}")
_WORD = re.compile(r"[a-zà-öø-ÿ]{3,}")
_STOP = frozenset(
    _WORD.findall("""
    the and for with from that this use when only not are its was has have you your
    can will them they into out one any all but who what which whose how than then there
    their been being does did may must also ask tell tool call get gets set sets new given
    give gives return returns
""")
)
_VAGUE = re.compile(
    r"^(?:this (?:tool|function) )?"
    r"(?:does|do|handles?|processes|manages?|performs?|executes?|runs?|helps?|calls?)\s+(?:the |all |any |your )?"
    r"(?:it|things?|stuff|something|data|requests?|tasks?|operations?|actions?|everything|tool|function|api)\b",
    re.IGNORECASE,
)

_BUSINESS = frozenset({"businessid", "tenantid", "organizationid", "organisationid", "orgid", "accountid", "tenant"})
_CALLER = frozenset(
    {"callerphone", "callerphonenumber", "callernumber", "callerid", "callerverified", "fromnumber", "phonefrom"}
    | {"verified", "isverified", "isauthenticated", "authenticated", "isadmin", "userrole", "userid", "currentuser"}
)
_CALL = frozenset(
    {"sessionid", "callid", "callsid", "interactionid", "conversationid", "calledphone", "calledphonenumber"}
    | {"callednumber", "streamsid", "turnid"}
)
_SECRETS = frozenset(
    {"apikey", "accesstoken", "authtoken", "bearertoken", "password", "secret", "clientsecret", "privatekey"}
    | {"authorization", "refreshtoken", "credentials", "confirmationtoken"}
)
_FACTS = {
    **dict.fromkeys(("callerphone", "callerphonenumber", "callernumber", "fromnumber", "phonefrom"), "caller_phone"),
    **dict.fromkeys(("calledphone", "calledphonenumber", "callednumber"), "called_phone"),
    "callsid": "call_sid",
    "callerid": "caller_id",
    "businessid": "business.id",
    "tenantid": "business.id",
}


def about_rules(definition: Definition) -> Iterator[LintFinding]:
    """Yield what is missing from a definition's rules and phrases."""
    for rule, severity, place, advice in (*_confirmation(definition), *_filler(definition), *_names(definition)):
        yield LintFinding(rule, severity, definition.name, place, advice)


def _confirmation(definition: Definition) -> Iterator[tuple[str, LintSeverity, str, str]]:
    is_final = _FINAL.match(definition.name) or _SAID_SO.search(definition.description)
    if definition.kind is Kind.ACTION and definition.writes and is_final and not definition.confirm:
        advice = "cannot be taken back, and nobody is asked; write confirm: true and a readBack in each language"
        yield "missing-read-back", LintSeverity.WARNING, "confirm", advice
    if definition.confirm and not definition.read_back:
        advice = "the caller is asked without hearing what for; write the question, such as Shall I cancel {{service}}?"
        yield "missing-read-back", LintSeverity.WARNING, "readBack", advice


def _filler(definition: Definition) -> Iterator[tuple[str, LintSeverity, str, str]]:
    spoken = {Channel.PHONE, Channel.BROWSER_VOICE} & set(definition.channels)
    if not spoken or not definition.is_enabled:
        return
    limit = policy.CHANNEL_POLICY[Channel.PHONE].filler_after_ms
    is_slow = definition.kind is Kind.ACTION or definition.toolkit or (definition.timeout_ms or 0) > limit
    if not any("running" in phrases for phrases in definition.say.values()):
        if is_slow:
            advice = "the caller hears nothing while it runs; write say with running, slow and failed in each language"
            yield "missing-filler", LintSeverity.WARNING, "say", advice
        return
    for language, phrases in definition.say.items():
        missing = [name for name in _PHRASES if not phrases.get(name)]
        if missing:
            advice = f"has no phrase for {' and '.join(missing)}; write it, or another language is spoken"
            yield "missing-filler", LintSeverity.HINT, f"say.{language}", advice


def _names(definition: Definition) -> Iterator[tuple[str, LintSeverity, str, str]]:
    if "_" not in definition.name:
        advice = "is one word; name it by what it does to what, such as book_appointment"
        yield (
            "tool-name",
            LintSeverity.WARNING if definition.name in _EMPTY_NAMES else LintSeverity.HINT,
            "name",
            advice,
        )
    elif definition.name.split("_")[0] in _EMPTY_NAMES:
        advice = "begins with a word that says nothing; name it by what it does, such as book_appointment"
        yield "tool-name", LintSeverity.WARNING, "name", advice
    for condition in definition.requires or ():
        if not is_condition(condition):
            advice = f"{condition!r} is not a condition, so the tool is never offered; use the vocabulary of inclusion"
            yield "condition", LintSeverity.ERROR, "requires", advice


def about_schema(definition: Definition) -> Iterator[LintFinding]:
    """Yield what could be said better in the schema of the arguments."""
    nodes: list[tuple[str, Any]] = [("", definition.parameters)]
    for at, node in nodes:
        nodes += [(at + step, child) for step, child in children(node)]
        if isinstance(node, Mapping):
            for rule, severity, place, advice in _about_node(at, node):
                yield LintFinding(rule, severity, definition.name, place or "/", advice)
    for at, name, inner in properties(definition.parameters):
        if isinstance(inner, Mapping) and FROM in inner:
            continue
        if isinstance(inner, Mapping) and not inner.keys() - _SAYS_NOTHING:
            advice = f"{name} may be anything; write its type"
            yield LintFinding("untyped-parameter", LintSeverity.WARNING, definition.name, at, advice)
        if RESERVED_NAME.fullmatch(name):
            advice = f"{name[:40]!r} is between double underscores, as no stored name may be; call it something else"
            yield LintFinding("parameter-name", LintSeverity.ERROR, definition.name, at, advice)
        elif not _KEY.match(name):
            advice = (
                f"{name[:40]!r} is refused by some models; use at most 64 letters, digits, dots, hyphens, underscores"
            )
            yield LintFinding("parameter-name", LintSeverity.ERROR, definition.name, at, advice)
    yield from _about_names(definition)


def _about_node(at: str, node: Mapping[str, Any]) -> Iterator[tuple[str, LintSeverity, str, str]]:
    name = node.get("format")
    if isinstance(name, str) and name not in ASSERTED_FORMATS | NOTED_FORMATS:
        advice = f"{name!r} is no known format and is not checked; use a pattern, or one of {_listed(ASSERTED_FORMATS)}"
        yield "unknown-format", LintSeverity.WARNING, f"{at}/format", advice
    words = node.get("enum")
    if isinstance(words, list) and len(words) > _LONG_ENUM:
        advice = f"has {len(words)} words, which every request carries; let a retrieval tool look them up instead"
        yield "long-enum", LintSeverity.WARNING, f"{at}/enum", advice
    known: JsonObject = node.get("properties", {})
    for name in node.get("required", ()):
        if isinstance(known.get(name), Mapping) and "default" in known[name]:
            advice = f"{name} is required, so that its default is never used; leave it out, or take it out of required"
            yield "unused-default", LintSeverity.WARNING, f"{at}{pointer('properties', name)}/default", advice
    for keyword in sorted(node.keys() - KEYWORDS):
        if not keyword.startswith("x-") and keyword not in ("definitions", "propertyOrdering"):
            advice = (
                f"{keyword[:40]!r} is no keyword of JSON Schema and has no effect; correct its spelling or remove it"
            )
            yield "unknown-keyword", LintSeverity.WARNING, at, advice


def _about_names(definition: Definition) -> Iterator[LintFinding]:
    names = definition.parameters.get("properties", {})
    if len(names) > _MANY:
        advice = f"has {len(names)} arguments, more than a caller can be asked for; split the tool, or leave some out"
        yield LintFinding("many-parameters", LintSeverity.WARNING, definition.name, "parameters", advice)
    camel = [name for name in names if _CAMEL.search(name)]
    if camel and any("_" in name for name in names):
        advice = f"mixes two spellings ({camel[0]} and snake_case), which models copy wrongly; use one of them"
        yield LintFinding("parameter-spelling", LintSeverity.HINT, definition.name, "parameters", advice)


def _listed(words: frozenset[str]) -> str:
    return ", ".join(sorted(words))


def about_words(definition: Definition) -> Iterator[LintFinding]:
    """Yield what is wrong with a definition's descriptions on their own."""
    name, text = definition.name, _VARIABLE.sub("x", definition.description).strip()

    def finding(rule: str, severity: LintSeverity, place: str, problem: str) -> LintFinding:
        return LintFinding(rule, severity, name, place, problem)

    if not text:
        yield finding(
            "description", LintSeverity.ERROR, "description", "is missing; say what it does and when to use it"
        )
    elif len(definition.description) > LONGEST_DESCRIPTION:
        problem = f"has {len(definition.description)} characters, and OpenAI refuses more than {LONGEST_DESCRIPTION}"
        yield finding("description", LintSeverity.ERROR, "description", f"{problem}; keep what decides when to use it")
    elif len(text.split()) < _SHORTEST or _VAGUE.match(text):
        problem = "is too vague to choose by; say what it does, when to use it and when not to"
        yield finding("vague-description", LintSeverity.WARNING, "description", problem)
    for variable in unknown_variables(definition.description):
        problem = f"{{{{{variable}}}}} is no variable and would become nothing; use one of those of interpolation"
        yield finding("variable", LintSeverity.ERROR, "description", problem)
    for error in unfilled_questions(definition.read_back):
        yield finding("variable", LintSeverity.ERROR, error.field, f"{error.problem}; {error.remedy}")
    for at, argument, inner in properties(definition.parameters):
        if isinstance(inner, Mapping) and (FROM in inner or str(inner.get("description") or "").strip()):
            continue
        if isinstance(inner, bool) or "$ref" in inner or ("const" in inner and at.count("/properties/") > 1):
            continue
        top = at.count("/") == 2
        problem = f"{argument} has no description; tell the model what to put there"
        yield finding("undescribed-parameter", LintSeverity.WARNING if top else LintSeverity.HINT, at, problem)


def overlapping(definitions: Sequence[Definition]) -> Iterator[LintFinding]:
    """Yield every pair of tools whose descriptions share most of their words."""
    words = {d.name: _words(d.description) for d in definitions}
    for one, two in combinations(definitions, 2):
        first, second = words[one.name], words[two.name]
        if not set(one.channels) & set(two.channels) or min(len(first), len(second)) < 3:
            continue
        alike = len(first & second) / len(first | second)
        if alike >= _ALIKE:
            advice = f"says nearly the same as {two.name} ({alike:.0%} of the words); say in both when to use the other"
            yield LintFinding("overlapping-descriptions", LintSeverity.WARNING, one.name, "description", advice)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_VARIABLE.sub(" ", text).casefold())) - _STOP


def trusted_arguments(definition: Definition) -> Iterator[LintFinding]:
    """Yield an error for every property, at any depth, that only the call or a secret store can know."""
    for at, name, inner in properties(definition.parameters):
        plain = _plain(name)
        if isinstance(inner, Mapping) and FROM in inner:
            continue  # the model is never told of it
        if plain in _SECRETS:
            advice = f"{name} is a credential, which no model may hold; keep it in the toolkit's settings"
        elif plain in _BUSINESS | _CALLER | _CALL:
            fact = _FACTS.get(plain)
            way = f"write x-from {fact} with its x-trust, or take it from ctx" if fact else "take it from ctx"
            advice = f"{name} is known from the call and must not come from the model; remove it: {way}"
        else:
            continue
        yield LintFinding("trusted-argument", LintSeverity.ERROR, definition.name, at, advice)


def is_trusted(name: str) -> bool:
    """Tell whether a parameter of this name would be a fact of the call or a secret, which no model gives."""
    return _plain(name) in _SECRETS | _BUSINESS | _CALLER | _CALL


def properties(schema: Any, at: str = "") -> Iterator[tuple[str, str, Any]]:
    """Yield every property in a schema with its JSON pointer and its name; references are not followed."""
    queue = [(at, schema)]
    for place, node in queue:
        inner = node.get("properties") if isinstance(node, Mapping) else None
        for name, child in inner.items() if isinstance(inner, Mapping) else ():
            yield place + pointer("properties", name), name, child
        queue += [(place + step, child) for step, child in children(node)]


def _plain(name: str) -> str:
    return "".join(char for char in name if char.isalnum()).casefold()


class LintSeverity(StrEnum):
    """How bad a finding is, the worst first: it must not be published, it will go wrong, it could be better."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class LintFinding(ToldAsJson):
    """One finding.

    Attributes:
        rule: Its id, such as `trusted-argument`; stays the same when words change.
        severity: How bad it is.
        tool: The name of the definition.
        place: The field, or the JSON pointer into `parameters`.
        text: What is wrong and what to do, in one sentence.
    """

    rule: str
    severity: LintSeverity
    tool: str
    place: str
    text: str
