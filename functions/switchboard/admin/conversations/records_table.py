"""Calls and chats as CSV: one line each, for spreadsheets, by the filter of the list."""

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from switchboard.admin.collections.table_text import table_cell
from switchboard.catalog.schema.sensitivity import MASK
from switchboard.contract.json import JsonObject

COLUMNS: Final = (
    *("id", "sessionId", "channel", "startedAt", "endedAt", "durationSeconds", "turns", "outcome"),
    *("callerPhone", "callerId", "tools", "failedTools", "receipts", "isTrial"),
)
_PERSONAL: Final = frozenset({"callerPhone", "callerId"})


def records_table(lines: Sequence[JsonObject], *, may_see_personal: bool, is_first: bool) -> str:
    """Return lines of the list as CSV, the names of its columns before the first page; times are in UTC.

    Who called stands as `•••` where somebody may not see what is personal.
    """
    target = io.StringIO()
    writer = csv.writer(target)
    if is_first:
        writer.writerow(COLUMNS)
    for line in lines:
        writer.writerow([_cell(line, name, may_see_personal) for name in COLUMNS])
    return target.getvalue()


def _cell(line: Mapping[str, Any], name: str, may_see_personal: bool) -> str:
    value = line[name]
    if name in _PERSONAL and value and not may_see_personal:
        return MASK
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    if isinstance(value, datetime):
        value = value.astimezone(UTC).isoformat(timespec="seconds")
    return table_cell(value)
