"""What each model's dialect loses of a definition, and what it costs there in every request."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from switchboard.catalog.arguments.trusted_values import declared
from switchboard.catalog.schema.lint.finding import LintFinding, LintSeverity
from switchboard.contract.definitions.definition import Definition
from switchboard.formats import FORMATS

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
class TokenCost:
    """What one tool's declaration costs in each dialect, by the dialect's name, in estimated tokens."""

    tool: str
    tokens: Mapping[str, int]


def token_cost(definition: Definition) -> TokenCost:
    """Return the estimated tokens of a sound definition: its declaration as compact JSON, four characters a token."""
    told = declared(definition)
    rows = {name: dialect.declare(told) for name, dialect in FORMATS.items()}
    return TokenCost(definition.name, {name: _tokens(row) for name, row in rows.items()})


def about_dialects(definition: Definition, cost: TokenCost) -> Iterator[LintFinding]:
    """Yield what dialects cannot say of a sound definition, each loss once with the dialects that have it."""
    told = declared(definition)
    losses: dict[str, list[str]] = {}
    in_words: dict[str, list[str]] = {}
    for name, dialect in FORMATS.items():
        for note in dialect.lowerings(told):
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
