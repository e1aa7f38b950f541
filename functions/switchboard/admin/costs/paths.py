"""Where a month's sums stand, and the documents that no business has for itself: how far is counted, and prices."""

from typing import Final, Protocol

from switchboard.contract.ports import BusinessCollection, Paths

MONTHS: Final[BusinessCollection] = "days"
"""Where the sums of a month stand, beside those of its days."""


class CostPaths(Paths, Protocol):
    """The paths of what months cost, beside all others."""

    @property
    def month_counting(self) -> str:
        """`config/counting`: how far what businesses use has been counted."""

    @property
    def prices(self) -> str:
        """`config/prices`: what units cost."""

    @property
    def price_changes(self) -> str:
        """The collection of who has changed the prices, one document a change."""

    def price_change(self, id: str) -> str:
        """Return the path of one note of a change of the prices."""
