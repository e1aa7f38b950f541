"""Which role may do what in a business: one table, held against every request (reliability, fault 32)."""

from enum import StrEnum


class Role(StrEnum):
    """What somebody is to a business. Platform admins are it to every business, the others to the ones they were given.

    A business's API key with the scope `owner` counts as its owner.
    """

    PLATFORM = "platform"
    OWNER = "owner"
    EDITOR = "editor"
    VIEWER = "viewer"


class Operation(StrEnum):
    """What can be done; every endpoint names one."""

    LIST_BUSINESSES = "list_businesses"
    OPEN_BUSINESS = "open_business"
    SEE_BUSINESS = "see_business"
    EDIT_BUSINESS = "edit_business"
    EDIT_SAFEGUARDS = "edit_safeguards"
    ASSIGN_NUMBER = "assign_number"
    SEE_ENTRIES = "see_entries"
    EDIT_ENTRIES = "edit_entries"
    SEE_CONVERSATIONS = "see_conversations"
    SEE_PERSONAL_VALUES = "see_personal_values"
    TAKE_OVER = "take_over"
    SEE_AUDIT = "see_audit"
    UNDO = "undo"
    SEE_SETUP = "see_setup"
    EDIT_TOOLS = "edit_tools"
    EDIT_AGENTS = "edit_agents"
    CONNECT = "connect"
    SEE_KEYS = "see_keys"
    EDIT_KEYS = "edit_keys"
    SEE_DEFINITIONS = "see_definitions"
    PUBLISH_DEFINITIONS = "publish_definitions"
    SEE_COSTS = "see_costs"
    SEE_ALL_COSTS = "see_all_costs"
    EDIT_PRICES = "edit_prices"
    LIMIT_MONTHS = "limit_months"


_PLATFORM = frozenset({Role.PLATFORM})
_OWNERS = _PLATFORM | {Role.OWNER}
_EDITORS = _OWNERS | {Role.EDITOR}
_EVERYBODY = _EDITORS | {Role.VIEWER}

ALLOWED: dict[Operation, frozenset[Role]] = {
    Operation.LIST_BUSINESSES: _EVERYBODY,
    # Whoever runs all of them decides which there are.
    Operation.OPEN_BUSINESS: _PLATFORM,
    Operation.SEE_BUSINESS: _EVERYBODY,
    Operation.EDIT_BUSINESS: _EDITORS,
    # Who is believed to be a caller, and which numbers are rung at the business's cost.
    Operation.EDIT_SAFEGUARDS: _OWNERS,
    # Whose main number it is has it before all who list it: no business may give itself one.
    Operation.ASSIGN_NUMBER: _PLATFORM,
    Operation.SEE_ENTRIES: _EVERYBODY,
    Operation.EDIT_ENTRIES: _EDITORS,
    Operation.SEE_CONVERSATIONS: _EVERYBODY,
    # Numbers, addresses and days of birth of callers, and what tools were given and gave back: beside what was said,
    # all at once and ready to be taken along. Whoever may only look at how the receptionist does needs none of it; it
    # is taken out of every answer that tells of callers where it goes out (`api/personal.py`).
    Operation.SEE_PERSONAL_VALUES: _EDITORS,
    # A caller is put through to somebody: whom the business's own rules name.
    Operation.TAKE_OVER: _EDITORS,
    Operation.SEE_AUDIT: _EDITORS,
    # What is undone must be allowed to be done, too.
    Operation.UNDO: _EDITORS,
    # Tenant tools, agents and toolkits.
    Operation.SEE_SETUP: _EVERYBODY,
    Operation.EDIT_TOOLS: _EDITORS,
    Operation.EDIT_AGENTS: _EDITORS,
    Operation.CONNECT: _OWNERS,
    Operation.SEE_KEYS: _OWNERS,
    Operation.EDIT_KEYS: _OWNERS,
    # Words that every business shares.
    Operation.SEE_DEFINITIONS: _EVERYBODY,
    Operation.PUBLISH_DEFINITIONS: _PLATFORM,
    # What a month cost is for those who run the business, and what units cost for whoever pays them.
    Operation.SEE_COSTS: _EDITORS,
    Operation.SEE_ALL_COSTS: _PLATFORM,
    Operation.EDIT_PRICES: _PLATFORM,
    # A limit that whoever it holds can raise is none.
    Operation.LIMIT_MONTHS: _PLATFORM,
}
"""Who may do each operation."""
