"""How a tool is to be used aloud: asked for before it cannot be undone, and never in silence; and what it is called."""

import re
from collections.abc import Iterator

from switchboard.catalog.offer.inclusion import is_condition
from switchboard.catalog.schema.lint.finding import LintFinding, LintSeverity
from switchboard.contract import policy
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Definition, Kind

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


def about_rules(definition: Definition) -> Iterator[LintFinding]:
    """Yield what is missing from a definition's rules and phrases."""
    for rule, severity, place, told in (*_confirmation(definition), *_filler(definition), *_names(definition)):
        yield LintFinding(rule, severity, definition.name, place, told)


def _confirmation(definition: Definition) -> Iterator[tuple[str, LintSeverity, str, str]]:
    is_final = _FINAL.match(definition.name) or _SAID_SO.search(definition.description)
    if definition.kind is Kind.ACTION and definition.writes and is_final and not definition.confirm:
        told = "cannot be taken back, and nobody is asked; write confirm: true and a readBack in each language"
        yield "missing-read-back", LintSeverity.WARNING, "confirm", told
    if definition.confirm and not definition.read_back:
        told = "the caller is asked without hearing what for; write the question, such as Shall I cancel {service}?"
        yield "missing-read-back", LintSeverity.WARNING, "readBack", told


def _filler(definition: Definition) -> Iterator[tuple[str, LintSeverity, str, str]]:
    spoken = {Channel.PHONE, Channel.BROWSER_VOICE} & set(definition.channels)
    if not spoken or not definition.is_enabled:
        return
    limit = policy.CHANNEL_POLICY[Channel.PHONE].filler_after_ms
    is_slow = definition.kind is Kind.ACTION or definition.toolkit or (definition.timeout_ms or 0) > limit
    if not any("running" in phrases for phrases in definition.say.values()):
        if is_slow:
            told = "the caller hears nothing while it runs; write say with running, slow and failed in each language"
            yield "missing-filler", LintSeverity.WARNING, "say", told
        return
    for language, phrases in definition.say.items():
        missing = [name for name in _PHRASES if not phrases.get(name)]
        if missing:
            told = f"has no phrase for {' and '.join(missing)}; write it, or another language is spoken"
            yield "missing-filler", LintSeverity.HINT, f"say.{language}", told


def _names(definition: Definition) -> Iterator[tuple[str, LintSeverity, str, str]]:
    if "_" not in definition.name:
        told = "is one word; name it by what it does to what, such as book_appointment"
        yield "tool-name", LintSeverity.WARNING if definition.name in _EMPTY_NAMES else LintSeverity.HINT, "name", told
    elif definition.name.split("_")[0] in _EMPTY_NAMES:
        told = "begins with a word that says nothing; name it by what it does, such as book_appointment"
        yield "tool-name", LintSeverity.WARNING, "name", told
    for condition in definition.requires or ():
        if not is_condition(condition):
            told = f"{condition!r} is not a condition, so the tool is never offered; use the vocabulary of inclusion"
            yield "condition", LintSeverity.ERROR, "requires", told
