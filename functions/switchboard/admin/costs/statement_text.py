"""Statements as CSV, a row for each line, for whoever reckons on with them in a spreadsheet."""

import csv
import io
from collections.abc import Iterable

from switchboard.admin.collections.table_text import table_cell
from switchboard.admin.costs.statement import Statement

COLUMNS = (
    *("businessId", "name", "month", "item", "of", "unit", "count", "unknown", "isEstimated", "per"),
    *("price", "cost", "currency"),
)


def statements_text(statements: Iterable[Statement]) -> str:
    """Return statements as CSV. A business that used nothing has no row; what is not known is an empty cell."""
    target = io.StringIO()
    writer = csv.writer(target)
    writer.writerow(COLUMNS)
    for statement in statements:
        whose = {"businessId": statement.business_id, "name": statement.name, "month": statement.month}
        for line in statement.lines:
            row = {**whose, **line.to_json(), "currency": statement.currency if line.price is not None else ""}
            writer.writerow([table_cell(row[name]) for name in COLUMNS])
    return target.getvalue()
