"""What a caller says to show who they are, held against one record: every fact that the record knows must be right."""

from dataclasses import dataclass, fields
from datetime import date

from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.callers.caller import Caller
from switchboard.desk.callers.person_name import same_person
from switchboard.desk.contact.phone import to_e164


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidFacts:
    """What the caller said, in their words; blank counts as not said.

    Attributes:
        name: First and last name.
        phone: In any spelling that can be dialled where the business is.
        email: An address.
        date_of_birth: ISO 8601.
        booking_reference: The id of a booking.
    """

    name: str | None = None
    phone: str | None = None
    email: str | None = None
    date_of_birth: str | None = None
    booking_reference: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was said."""
        return not any(getattr(self, f.name) for f in fields(self))

    @property
    def is_enough(self) -> bool:
        """Whether there are two facts to hold against a record: the name, and another."""
        return bool(self.name) and any((self.phone, self.email, self.date_of_birth, self.booking_reference))

    def read(self, business: Business) -> "KnownFacts":
        """Return the facts in the spellings that records have.

        Raises:
            ToolError: VALIDATION, naming the fact that cannot be one: no such number can be called, no such day exists.
        """
        return KnownFacts(
            name=self.name or "",
            phone=to_e164(self.phone, business) if self.phone else None,
            email=self.email.strip() if self.email else None,
            date_of_birth=_day(self.date_of_birth) if self.date_of_birth else None,
            booking_reference="".join(self.booking_reference.split()).lower() if self.booking_reference else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFacts:
    """The same facts, readable: the number in E.164, the reference in lower case."""

    name: str
    phone: str | None = None
    email: str | None = None
    date_of_birth: date | None = None
    booking_reference: str | None = None

    def fit(self, caller: Caller, booked_by: str | None) -> bool:
        """Tell whether they are this caller's: the name and at least one other, and none that the record contradicts.

        A fact that the record does not hold proves nothing and disproves nothing.

        Args:
            caller: The record.
            booked_by: The record of whoever made the booking that was named; None where there is no such booking, or
                nobody vouched for who made it.
        """
        compared = [
            (self.phone, caller.phone),
            (self.email.casefold() if self.email else None, caller.email),
            (self.date_of_birth, caller.date_of_birth),
            # A booking is never silent about who made it: one of somebody else, or of nobody, is a wrong answer.
            (caller.id if self.booking_reference else None, booked_by or ""),
        ]
        answers = [said == known for said, known in compared if said is not None and known is not None]
        return same_person(self.name, caller.name) and bool(answers) and all(answers)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ToolError(
            ErrorType.VALIDATION, f"{text!r:.40} is not a date. Write the date of birth like 1988-04-12."
        ) from None
