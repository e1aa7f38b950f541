"""What each role may do, as far as the pages show buttons for it. The server decides; this keeps false hope away."""

from __future__ import annotations

EDITORS = ("platform", "owner", "editor")
OWNERS = ("platform", "owner")
EVERYBODY = (*EDITORS, "viewer")

MAY: dict[str, tuple[str, ...]] = {
    "open_business": ("platform",),
    "edit_business": EDITORS,
    "edit_safeguards": OWNERS,
    "assign_number": ("platform",),
    "edit_entries": EDITORS,
    "see_conversations": EVERYBODY,
    "take_over": EDITORS,
    "see_audit": EDITORS,
    "undo": EDITORS,
    "edit_tools": EDITORS,
    "edit_agents": EDITORS,
    "connect": OWNERS,
    "see_keys": OWNERS,
    "edit_keys": OWNERS,
    "publish_definitions": ("platform",),
    "see_costs": EDITORS,
    "see_all_costs": ("platform",),
    "edit_prices": ("platform",),
    "limit_months": ("platform",),
}
"""Roles by operation, each named as in the server's own table."""

WORDS = {
    "platform": "Platform admin",
    "owner": "Owner",
    "editor": "Editor",
    "viewer": "Viewer: you can look, but not change anything",
}
"""What somebody is told they are."""

LEAST = {OWNERS: "an owner", EDITORS: "an owner or editor", ("platform",): "a platform admin"}
"""Who is needed, in words."""
