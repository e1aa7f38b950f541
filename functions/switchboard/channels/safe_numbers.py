"""Whom callers reach while no store says whose number they called: the operator's list, by called number.

What is told from it may go to anybody, since without the store no signature can be checked either: the numbers are
meant to be public ones, such as a reception desk's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from switchboard.contract.business.business import Business


@dataclass(frozen=True, slots=True)
class SafeNumbers:
    """The list, as `SWITCHBOARD_SAFE_NUMBERS` has it.

    Attributes:
        known: By called number (E.164), the number that is rung and the language in which that is announced.
    """

    known: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def behind(self, called: str, business: Business | None = None) -> Business | None:
        """Return a business, or in place of one that cannot be read what is known of it: whom to ring; else None."""
        if business is not None or called not in self.known:
            return business
        number, language = self.known[called]
        return Business("", language=language, safe_number=number)


NO_SAFE_NUMBERS = SafeNumbers()
