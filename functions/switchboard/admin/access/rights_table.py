"""Who may change which field, as people are shown it: made of the tables by which it is decided."""

from collections.abc import Mapping
from typing import Final

from switchboard.admin.access.field_rights import AGENT, BUSINESS, RESOURCE, TOOL
from switchboard.admin.access.roles import ALLOWED, Operation, Role
from switchboard.contract.json import JsonObject

_TABLES: Final[Mapping[str, Mapping[str, Operation]]] = {
    "business": BUSINESS,
    "resource": RESOURCE,
    "agent": AGENT,
    "tool": TOOL,
}


def rights_table() -> list[JsonObject]:
    """Return `{of, may, fields}` for each kind of thing and those roles that may set some of its fields.

    What more may set comes first.
    """
    rows: list[JsonObject] = []
    for of, rights in _TABLES.items():
        by_roles: dict[tuple[str, ...], list[str]] = {}
        for field, right in rights.items():
            by_roles.setdefault(tuple(role.value for role in Role if role in ALLOWED[right]), []).append(field)
        ordered = sorted(by_roles.items(), key=lambda row: -len(row[0]))
        rows += [{"of": of, "may": list(may), "fields": fields} for may, fields in ordered]
    return rows
