"""What a month's lines are about: each item with its unit, and for how many of those a price is entered."""

from typing import Final, Literal, TypeAlias

from switchboard.contract.python.dataclass import dataclass

ItemName: TypeAlias = Literal[
    "toolCalls",
    "texts",
    "emails",
    "phoneMinutes",
    "voiceMinutes",
    "modelInput",
    "modelOutput",
    "firestoreReads",
    "firestoreWrites",
    "firestoreDeletes",
]


@dataclass(frozen=True, slots=True)
class PricedUnit:
    """What is counted of an item.

    Attributes:
        unit: One of it, in words.
        per: For so many of them a price is entered, as vendors' lists have them.
        of: What a price may be for alone, such as one model; empty where there is one price.
        is_estimated: Whether its count is computed from others.
    """

    unit: str
    per: int = 1
    of: str = ""
    is_estimated: bool = False


UNITS: Final[dict[ItemName, PricedUnit]] = {
    "toolCalls": PricedUnit("calls of tools", of="tool"),
    "texts": PricedUnit("segments of text messages"),
    "emails": PricedUnit("e-mails"),
    "phoneMinutes": PricedUnit("begun minutes on the phone"),
    "voiceMinutes": PricedUnit("begun minutes by voice in browsers"),
    "modelInput": PricedUnit("tokens that models read", 1_000_000, "model"),
    "modelOutput": PricedUnit("tokens that models wrote", 1_000_000, "model"),
    "firestoreReads": PricedUnit("documents read", 100_000, is_estimated=True),
    "firestoreWrites": PricedUnit("documents written", 100_000, is_estimated=True),
    "firestoreDeletes": PricedUnit("documents deleted", 100_000, is_estimated=True),
}
