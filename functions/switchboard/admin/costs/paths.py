"""The documents that no business has for itself: how far all of them are counted, and what units cost."""

from typing import Protocol

from switchboard.contract.ports import Paths


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
