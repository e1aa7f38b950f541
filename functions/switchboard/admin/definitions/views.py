"""Definitions as the admin API answers them: what is published, what was built, the draft, and who tries it."""

from collections.abc import Mapping

from switchboard.admin.access.access import Permit
from switchboard.admin.access.roles import Operation
from switchboard.admin.definitions.changes import seen_by
from switchboard.admin.definitions.check import without_effect
from switchboard.admin.definitions.definition_set import readable
from switchboard.admin.definitions.record import Record
from switchboard.admin.documents.difference import ABSENT, Difference
from switchboard.catalog.definitions.tool import Tool
from switchboard.catalog.definitions.variables import PhoneNumbers
from switchboard.catalog.offer.inclusion import conditions
from switchboard.catalog.schema.lint.lint import token_cost
from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.formats import FORMATS


def line(record: Record) -> JsonObject:
    """Return a tool as it stands in the list."""
    shown = record.in_force or record.built_in
    return {
        "name": record.name,
        "category": str(shown.get("category") or record.built.definition.category),
        "kind": str(shown.get("kind") or record.built.definition.kind.value),
        "summary": record.built.summary,
        "isPublished": record.stored is not None,
        "isEnabled": record.is_enabled,
        "differs": record.differs,
        "hasDraft": record.drafted is not None,
        "isTried": record.canary is not None,
    }


def shown(record: Record, permit: Permit) -> JsonObject:
    """Return all there is to a tool; of the businesses that try its draft only those the reader has a role in.

    It was not published just now, so that nothing is told of tests.
    """
    canary, draft = record.canary, record.draft
    findings = without_effect(record, record.drafted) if record.drafted is not None else ()
    return {
        **line(record),
        "revision": record.revision,
        "setRevision": record.whole.revision,
        "mayEdit": permit.may(Operation.PUBLISH_DEFINITIONS),
        "published": record.published,
        "builtIn": record.built_in,
        "differences": lines(record.from_built),
        "findings": [finding.to_json() for finding in findings],
        "draft": None
        if draft is None or record.drafted is None
        else {
            "document": record.drafted,
            "savedAt": draft.data.get("savedAt"),
            "savedBy": seen_by(permit, {"name": str(draft.data.get("savedBy") or "")})["name"],
        },
        "canary": None
        if canary is None
        else {
            "businesses": [id for id in canary.businesses if permit.identity.role_in(id) is not None],
            "count": len(canary.businesses),
            "document": readable(canary.document),
        },
        "tested": None,
    }


def lines(differences: tuple[Difference, ...]) -> list[JsonObject]:
    """Return differences, each with its field, both sides as far as they are there, and a line for people."""
    rows = []
    for difference in differences:
        sides: Mapping[str, object] = {"before": difference.before, "after": difference.after}
        values = {side: value for side, value in sides.items() if value is not ABSENT}
        rows.append({"field": difference.field, **values, "line": str(difference)})
    return rows


def preview(record: Record, definition: Definition, business: Business | None = None) -> JsonObject:
    """Return a sound definition as it is told.

    Args:
        record: The tool's, for its guide.
        definition: What to show.
        business: Fills the variables, and has some parameters or not; without one the former become nothing, and all
            of the latter are shown.
    """
    tool = Tool(definition, record.built)
    tool = tool.at(business) if business is not None else tool
    declared, cost = tool.told(business, PhoneNumbers()), token_cost(definition)
    dialects = [
        {
            "dialect": name,
            "tools": list(dialect.declare_all([dialect.declare(declared)])),
            "losses": list(dialect.lowerings(declared)),
            "tokens": cost.tokens[name],
        }
        for name, dialect in FORMATS.items()
    ]
    return {
        "tool": record.name,
        "description": declared.description,
        "channels": [channel.value for channel in definition.channels],
        "conditions": list(conditions(definition)),
        "dialects": dialects,
        # A chat's prompt holds guides where they are short; what is spoken has the declaration alone.
        "prompt": {"written": tool.guide},
    }
