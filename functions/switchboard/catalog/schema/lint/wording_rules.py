"""Words that a model chooses by: missing, vague, too long, or so alike that it cannot tell two tools apart."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from switchboard.catalog.arguments.trusted_values import FROM
from switchboard.catalog.definitions.variables import unknown_variables
from switchboard.catalog.schema.lint.finding import LintFinding, LintSeverity
from switchboard.catalog.schema.lint.trust_rules import properties
from switchboard.contract.definitions.definition import Definition

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


def about_words(definition: Definition) -> Iterator[LintFinding]:
    """Yield what is wrong with a definition's descriptions on their own."""
    name, text = definition.name, _VARIABLE.sub("x", definition.description).strip()

    def finding(rule: str, severity: LintSeverity, place: str, told: str) -> LintFinding:
        return LintFinding(rule, severity, name, place, told)

    if not text:
        yield finding(
            "description", LintSeverity.ERROR, "description", "is missing; say what it does and when to use it"
        )
    elif len(definition.description) > LONGEST_DESCRIPTION:
        told = f"has {len(definition.description)} characters, and OpenAI refuses more than {LONGEST_DESCRIPTION}"
        yield finding("description", LintSeverity.ERROR, "description", f"{told}; keep what decides when to use it")
    elif len(text.split()) < _SHORTEST or _VAGUE.match(text):
        told = "is too vague to choose by; say what it does, when to use it and when not to"
        yield finding("vague-description", LintSeverity.WARNING, "description", told)
    for variable in unknown_variables(definition.description):
        told = f"{{{{{variable}}}}} is no variable and would become nothing; use one of those of interpolation"
        yield finding("variable", LintSeverity.ERROR, "description", told)
    for at, argument, inner in properties(definition.parameters):
        if isinstance(inner, Mapping) and (FROM in inner or str(inner.get("description") or "").strip()):
            continue
        if isinstance(inner, bool) or "$ref" in inner or ("const" in inner and at.count("/properties/") > 1):
            continue
        top = at.count("/") == 2
        told = f"{argument} has no description; tell the model what to put there"
        yield finding("undescribed-parameter", LintSeverity.WARNING if top else LintSeverity.HINT, at, told)


def overlapping(definitions: Sequence[Definition]) -> Iterator[LintFinding]:
    """Yield every pair of tools whose descriptions share most of their words."""
    words = {d.name: _words(d.description) for d in definitions}
    for one, two in combinations(definitions, 2):
        first, second = words[one.name], words[two.name]
        if not set(one.channels) & set(two.channels) or min(len(first), len(second)) < 3:
            continue
        alike = len(first & second) / len(first | second)
        if alike >= _ALIKE:
            told = f"says nearly the same as {two.name} ({alike:.0%} of the words); say in both when to use the other"
            yield LintFinding("overlapping-descriptions", LintSeverity.WARNING, one.name, "description", told)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_VARIABLE.sub(" ", text).casefold())) - _STOP
