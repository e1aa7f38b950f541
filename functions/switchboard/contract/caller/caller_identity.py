"""What a conversation has established about who is calling: its level, whose record, and for how long it holds.

Seed 004 ("Special Tool Behaviors"): how much a business asks for is `ai.callerVerification`. The standing is the field
`verification` of the session's document; only the desk's verification writes it, nothing that a model says can.
"""

from datetime import datetime, timedelta
from typing import Literal, Protocol, TypeAlias, get_args

from switchboard.contract.channel import Channel
from switchboard.contract.document import mapping, moment, text
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document

Level: TypeAlias = Literal["none", "match", "code"]
"""How much a business asks for, the least first: nothing; what its records hold; a code sent to the number on file."""

Place: TypeAlias = Literal["line", "browser"]
"""Where one and the same person is taken to go on: on the line of a phone call, or before a browser."""

_PLACES: tuple[Place, ...] = get_args(Place)
LEVELS: tuple[Level, ...] = get_args(Level)
FIELD = "verification"
STANDING_LASTS = timedelta(minutes=30)
# Instances' clocks differ; a standing from further ahead than this was not written by one of them.
_CLOCK_SKEW = timedelta(minutes=5)


class Shown(Protocol):
    """What a call shows of who makes it; the facts of a call are one."""

    @property
    def channel(self) -> Channel:
        """On which channel it is made."""

    @property
    def shown_phone(self) -> str | None:
        """The number that it shows; None where it shows none."""


def place_of(channel: Channel) -> Place:
    """Return where a conversation on a channel is held."""
    return "line" if channel is Channel.PHONE else "browser"


def may_be_same(place: Place, before: str | None, now: str | None) -> bool:
    """Tell whether whoever was somewhere in a conversation may be there still, by the numbers shown before and now.

    On the line that takes the same number, or none both times: a phone call shows what it shows from its beginning to
    its end. In a browser the conversation's id itself vouches for whoever holds it, and only another number tells that
    somebody else does.
    """
    return before == now if place == "line" else not before or not now or before == now


def level_of(word: object) -> Level:
    """Return the level that a business document names: `none` where it names none, `code` where nobody knows the word.

    A misspelt level must not leave the door open.
    """
    if word is None:
        return "none"
    return next((level for level in LEVELS if level == word), "code")


@dataclass(frozen=True, slots=True)
class Standing:
    """An established identity.

    Attributes:
        level: How it was established.
        caller_id: The caller's record, in `callers`.
        phone: The number on file there, E.164; None where there is none.
        at: When it was established (aware, UTC).
        place: Where it holds: on the line of the phone call, or in the browser; None in standings of earlier versions.
        shown: The number that was shown when it was established; None where none was.
    """

    level: Level
    caller_id: str
    phone: str | None
    at: datetime
    place: Place | None = None
    shown: str | None = None

    def is_of(self, facts: Shown) -> bool:
        """Whether a call in their conversation may be theirs: by what it shows, or by the number on file."""
        shown = facts.shown_phone
        if shown and shown == self.phone:
            return True
        # Standings of earlier versions need not say what was shown.
        place = place_of(facts.channel) if self.place is not None else "browser"
        return may_be_same(place, self.shown, shown)

    def holds_on(self, channel: Channel) -> bool:
        """Whether it counts on a channel: who is on the line says nothing of who opened a link that was sent there."""
        return self.place is None or self.place == place_of(channel)

    def is_current(self, now: datetime) -> bool:
        """Whether it still holds: 30 minutes, since a portal left open may have another person before it."""
        return -_CLOCK_SKEW <= now - self.at < STANDING_LASTS

    def is_enough_for(self, level: Level) -> bool:
        """Whether a business that asks for this level is content; one that has since asked for more is not."""
        return LEVELS.index(self.level) >= LEVELS.index(level)

    def counts(self, now: datetime, facts: Shown, level: Level) -> bool:
        """Whether it says, here and now, who is calling, as far as a business asks for it."""
        is_theirs = self.holds_on(facts.channel) and self.is_of(facts)
        return is_theirs and self.is_current(now) and self.is_enough_for(level)

    def to_fields(self) -> JsonObject:
        """Return what is merged into the session's document."""
        return {
            FIELD: {
                "level": self.level,
                "callerId": self.caller_id,
                "phone": self.phone,
                "at": self.at,
                "place": self.place,
                "callerPhone": self.shown,
            },
        }


def read_standing(document: Document | None) -> Standing | None:
    """Return the standing that a session's document holds; None if it holds none, or none that can be read.

    Whether it is still current and enough is for whoever relies on it to ask.
    """
    data = mapping(document.data.get(FIELD) if document is not None else None)
    known = next((name for name in LEVELS[1:] if name == data.get("level")), None)
    caller_id, at = text(data.get("callerId")), moment(data.get("at"))
    if known is None or not caller_id or at is None:
        return None
    place = next((known for known in _PLACES if known == data.get("place")), None)
    phone, shown = (text(data.get(name)) or None for name in ("phone", "callerPhone"))
    return Standing(known, caller_id, phone, at, place, shown)
