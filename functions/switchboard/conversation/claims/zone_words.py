"""Times told in another zone than the business's: "7 a.m. Pacific", "15 Uhr deutscher Zeit", "à 9 h, heure de Paris".

A zone that is known by its name is worked out; any other, such as "your time", is not held against anybody.
"""

import re
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo

_PLACES: Final = {
    "pacific": "America/Los_Angeles",
    "mountain": "America/Denver",
    "central": "America/Chicago",
    "eastern": "America/New_York",
    "atlantic": "America/Halifax",
    "alaska": "America/Anchorage",
    "hawaii": "Pacific/Honolulu",
    "new york": "America/New_York",
    "chicago": "America/Chicago",
    "denver": "America/Denver",
    "los angeles": "America/Los_Angeles",
    "toronto": "America/Toronto",
    "london": "Europe/London",
    "paris": "Europe/Paris",
    "berlin": "Europe/Berlin",
    "madrid": "Europe/Madrid",
    "nueva york": "America/New_York",
    "londres": "Europe/London",
}
_LETTERS: Final = {
    **dict.fromkeys(("PT", "PST", "PDT"), "America/Los_Angeles"),
    **dict.fromkeys(("MT", "MST", "MDT"), "America/Denver"),
    **dict.fromkeys(("CT", "CST", "CDT"), "America/Chicago"),
    **dict.fromkeys(("ET", "EST", "EDT"), "America/New_York"),
    **dict.fromkeys(("UTC", "GMT"), "UTC"),
    **dict.fromkeys(("CET", "CEST", "MEZ", "MESZ"), "Europe/Berlin"),
    "BST": "Europe/London",
}
_PLACE = "|".join(_PLACES)
# Behind a clock time. Letters count only as they are written: "et" is a French word, and "Pacific" may be a street.
_BEHIND = re.compile(
    rf"\s*[,(]?\s*(?:({_PLACE})(?:\s+(?:standard|daylight))?(?:\s+time\b|(?=\s*(?:[.,;!?)]|$)))|"
    rf"(?-i:({'|'.join(_LETTERS)}))\b|(?:hora|heure)\s+de\s+({_PLACE})\b|"
    r"(?:(?:on|by)\s+)?(?:your|their|his|her)\s+(?:own\s+|local\s+)?time\b|"
    r"(?-i:(?!Next|This|That|Any|Every|Each|Last|Some)[A-Z]\w+)\s+time\b|"
    r"(?:nach\s+)?(?!unserer)\w+er\s+(?:orts)?zeit\b|"
    r"(?:en\s+)?(?:su|tu)\s+(?:hora|zona)\b|hora\s+(?:suya|de|del)\b|(?:à\s+)?votre\s+heure\b|"
    r"(?:à\s+l')?heure\s+(?:de|d'|du)\b)",
    re.I,
)


def is_told_elsewhere(sentence: str, end: int) -> bool:
    """Tell whether what follows a clock time that ends there says that it is the time of some zone."""
    return _BEHIND.match(sentence, end) is not None


def zone_behind(sentence: str, end: int) -> ZoneInfo | None:
    """Return that zone; None where the words do not say which, such as "your time"."""
    match = _BEHIND.match(sentence, end)
    place, letters = (match[1] or match[3], match[2]) if match else (None, None)
    if place:
        return _zone(_PLACES[place.lower()])
    return _zone(_LETTERS[letters]) if letters else None


@cache
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)
