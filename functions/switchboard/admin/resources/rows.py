"""People, rooms and the like as a business has them stored: one list; what cannot be read stays where it is."""

from collections.abc import Mapping, Sequence
from typing import Any

from switchboard.contract.business.business import Business, read_business
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document
from switchboard.desk.calendars.calendars import keys_of


@dataclass(frozen=True, slots=True)
class Stored:
    """A business's document, with its list as it is."""

    document: Document
    rows: list[Any]

    @property
    def business(self) -> Business:
        """The business with them."""
        return self.with_rows(self.rows)

    def with_rows(self, rows: Sequence[Any]) -> Business:
        """Return the business as it would be with another list."""
        return read_business(self.document.id, {**self.document.data, "resources": list(rows)})

    @property
    def ids(self) -> list[str]:
        """The ids that are had."""
        return [str(row.get("id")) for row in self.rows if isinstance(row, Mapping)]

    def row(self, id: str) -> JsonObject | None:
        """Return what is stored of one; None where there is none."""
        return next((dict(row) for row in self.rows if _is(row, id)), None)

    def replaced(self, id: str, row: JsonObject | None) -> list[Any]:
        """Return the list with another row for one, at its place; without it where that is None."""
        rows = [row if _is(one, id) else one for one in self.rows if row is not None or not _is(one, id)]
        return rows if row is None or any(_is(one, id) for one in self.rows) else [*rows, row]


def shared_calendars(row: JsonObject, stored: Stored, id: str) -> list[str]:
    """Return a sentence for each of the others who has a calendar that one shall have."""
    business = stored.business
    own = keys_of(business, row.get("calendars") or ())
    others = (other for other in business.resources if other.id != id)
    return [
        f"{other.name} has the same calendar: whatever stands in it keeps both of them busy."
        for other in others
        if own & keys_of(business, other.calendars)
    ]


def absences_of(row: Mapping[str, Any]) -> list[JsonObject]:
    """Return one's absences as they are stored."""
    absences = row.get("absences")
    return [dict(one) for one in absences if isinstance(one, Mapping)] if isinstance(absences, list) else []


def _is(row: Any, id: str) -> bool:
    return isinstance(row, Mapping) and row.get("id") == id
