"""What is wrong with a definition that somebody wants to save: all of it at once, and what could be better."""

from collections.abc import Iterable, Mapping
from typing import Any

from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.definitions.definition_set import storable
from switchboard.admin.definitions.record import Record
from switchboard.admin.documents.difference import canonical
from switchboard.catalog.definitions.canary import CANARY
from switchboard.catalog.definitions.definitions import misfits, read_for_handler
from switchboard.catalog.schema.lint.lint import lint
from switchboard.catalog.schema.lint.rules import LintFinding, LintSeverity, overlapping
from switchboard.contract import policy
from switchboard.contract.definitions.definition import FIELDS, Definition, DefinitionError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

# Said by every definition; what is left out of these is no attempt to take something away.
_ALWAYS_SAID = frozenset({"name", "category", "kind", "description", "parameters", "channels", "claims"})
_MOST_SHOWN = 60
_MOST_BYTES = 4 * policy.SCHEMA_BYTES

_SAID_BY_CATALOG = frozenset({"schema", "trust-declaration", "where-declaration"})


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found.

    Attributes:
        definition: What the document means; None where it cannot be read.
        problems: What keeps it from being saved.
        findings: What the linter says, errors included; those stand among the problems, too.
        tokens: What its declaration costs in each dialect, in estimated tokens.
    """

    definition: Definition | None
    problems: tuple[EntryProblem, ...] = ()
    findings: tuple[LintFinding, ...] = ()
    tokens: Mapping[str, int] | None = None

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it."""
        return {
            "problems": [{"field": p.field, "message": p.message} for p in self.problems],
            "findings": [finding.to_json() for finding in self.findings],
            "tokens": dict(self.tokens or {}),
        }


def check(record: Record, document: Mapping[str, Any]) -> Checked:
    """Return everything that is to be said of a document as the definition of a tool.

    What the catalog would skip, what the linter calls an error, and what cannot be stored are problems.
    """
    problems = list(_about_form(document))
    definition, unreadable = read_for_handler(record.name, document, record.built)
    problems += map(_problem, unreadable)
    if definition is None:
        return Checked(None, tuple(problems))
    unfit = [_problem(error) for error in misfits(definition, record.built)]
    linted = lint([definition])
    findings = [*linted.findings, *_unknown(record.name, document), *without_effect(record, document)]
    if not unfit:
        others = _others(record)
        findings += [f for f in overlapping([definition, *others]) if f.tool == record.name]
    messages = {problem.message for problem in unfit}
    for finding in findings:
        # What the catalog says of a broken schema, the linter says again in its own words.
        is_said = bool(unfit) and finding.rule in _SAID_BY_CATALOG
        if finding.severity is LintSeverity.ERROR and not is_said:
            message = f"{finding.place}: {finding.text}."
            unfit += [] if message in messages else [EntryProblem(finding.place, message)]
    tokens = linted.costs[0].tokens if linted.costs else None
    return Checked(definition, (*problems, *unfit), tuple(findings), tokens)


def without_effect(record: Record, document: Mapping[str, Any]) -> tuple[LintFinding, ...]:
    """Return what was changed, against what is in force, and changes nothing; nothing where either cannot be read.

    What a document leaves out, the tool that was built fills in: taking `confirm: true` out is not writing `false`.
    """
    before, after = (read_for_handler(record.name, one, record.built)[0] for one in (record.in_force or {}, document))
    if before is None or after is None:
        return ()
    was, holds = before.to_document(), after.to_document()
    findings = []
    for field in sorted(FIELDS - _ALWAYS_SAID):
        given = document.get(field)
        is_changed = given != (record.in_force or {}).get(field)
        if not is_changed or holds.get(field) != was.get(field) or (given or None) == holds.get(field):
            continue
        reason = _left_out(field, holds[field]) if given is None else "has no effect here: the tool's code decides it"
        findings.append(LintFinding("no-effect", LintSeverity.WARNING, record.name, field, reason))
    return tuple(findings)


def _left_out(field: str, value: Any) -> str:
    shown = canonical(value)
    shown = shown if len(shown) <= _MOST_SHOWN else "as built in"
    instead = {bool: "false", list: "[]", dict: "{}"}.get(type(value))
    remedy = f"write {field}: {instead} to take it away" if instead else "write another value to change it"
    return f"was taken out, which changes nothing: what ships with the tool still holds ({shown}); {remedy}"


def _about_form(document: Mapping[str, Any]) -> Iterable[EntryProblem]:
    if CANARY in document:
        yield EntryProblem(CANARY, "canary is not part of a definition: who tries a draft is chosen when it is staged.")
    size = len(canonical(storable(document)).encode())
    if size > _MOST_BYTES:
        yield EntryProblem("", f"The definition has {size} bytes, and at most {_MOST_BYTES} can be kept.")


def _problem(error: DefinitionError) -> EntryProblem:
    return EntryProblem(error.field, f"{error}.")


def _unknown(name: str, document: Mapping[str, Any]) -> Iterable[LintFinding]:
    for field in document:
        if field not in FIELDS and field != CANARY:
            sentence = "is no field of a definition and does nothing; correct its name or remove it"
            yield LintFinding("unknown-field", LintSeverity.WARNING, name, str(field)[:80], sentence)


def _others(record: Record) -> list[Definition]:
    """Return what a model chooses between besides this tool."""
    entries = []
    for name, document in record.others.items():
        definition, _ = read_for_handler(name, document, record.registry.tools.get(name))
        entries += [definition] if definition is not None else []
    return entries
