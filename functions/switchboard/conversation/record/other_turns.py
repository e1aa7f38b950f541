"""Which turns of a conversation are held here, and how much is known of those that are held elsewhere.

A phone call goes on in a portal while it lasts, and two messages may reach two instances at once: all take the numbers
of their turns from the one record, so that each number is one turn, and whoever finds a number skipped looks what was
said.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from switchboard.contract.json import JsonObject


@dataclass(slots=True)
class OtherTurns:
    """What one conversation knows of its record's turns.

    Attributes:
        own: The turns that were begun here.
        known: By turn, how many entries of it have been read from the record.
    """

    own: set[int] = field(default_factory=set)
    known: dict[int, int] = field(default_factory=dict)

    def read(self, rows: Iterable[JsonObject]) -> None:
        """Note the entries that a conversation is taken up from."""
        self.known = _counted(rows)

    def are_news(self, rows: Iterable[JsonObject]) -> bool:
        """Tell whether entries of the record were said elsewhere, and have not been read."""
        counts = _counted(rows).items()
        return any(turn not in self.own and count > self.known.get(turn, 0) for turn, count in counts)


def last_turn(rows: Iterable[JsonObject]) -> int:
    """Return the number of the last turn among entries; 0 where there is none."""
    return max(_counted(rows), default=0)


def _counted(rows: Iterable[JsonObject]) -> dict[int, int]:
    # A greeting, before the first turn, is said by whoever opens the conversation.
    turns = (row.get("turn") for row in rows)
    return dict(Counter(turn for turn in turns if isinstance(turn, int) and turn > 0))
