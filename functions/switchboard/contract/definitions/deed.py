"""What can be done in a conversation, by the words that receipts and sentences are told apart by."""

from collections.abc import Iterable
from enum import StrEnum


class Deed(StrEnum):
    """Something that an agent may say was done.

    `OTHER` is a deed with a name that none of these is, such as a waived fee; `UNNAMED` one that is not named at all,
    such as in "Done!".
    """

    BOOKED = "booked"
    MOVED = "moved"
    CANCELLED = "cancelled"
    TEXTED = "texted"
    MAILED = "mailed"
    PASSED_ON = "passed_on"
    TRANSFERRED = "transferred"
    VERIFIED = "verified"
    ENTERED = "entered"
    PAID = "paid"
    REFUNDED = "refunded"
    ORDERED = "ordered"
    OTHER = "other"
    UNNAMED = "unnamed"


# No built-in tool does these: they are an owner's tool's, whatever that is called.
OWNERS_OWN = frozenset({Deed.PAID, Deed.REFUNDED, Deed.ORDERED, Deed.OTHER, Deed.UNNAMED})
# How `claims` of definitions that were stored earlier name them.
_FORMER = {
    "emailed": Deed.MAILED,
    "message_taken": Deed.PASSED_ON,
    "code_sent": Deed.TEXTED,
}


def deeds_named(names: Iterable[str]) -> tuple[Deed, ...]:
    """Return the deeds of these names, also of names that were used before; one that is not known is another deed."""
    known = {deed.value: deed for deed in Deed} | _FORMER
    return tuple(dict.fromkeys(known.get(name, Deed.OTHER) for name in names))
