"""How much of what was said a caller has heard, by what a channel says was played.

Channels tell it in two ways: all that was played of an answer up to the interruption, or only the piece that was being
played. Both end where the caller stopped listening. Blanks, marks and capitals may be told differently, and what was
played to bridge a wait stands in between.
"""

from collections.abc import Sequence
from dataclasses import dataclass

# So much of the end of what was played tells a place in what was said; a word or two may stand anywhere.
_TELLING = 6


@dataclass(frozen=True, slots=True)
class Filler:
    """What was played in between and is no part of the answer.

    Attributes:
        after: How many characters of the answer were played before it, blanks not counted.
        text: Its words.
    """

    after: int
    text: str


def heard_of(texts: Sequence[str], heard: str, fillers: Sequence[Filler] = ()) -> list[str]:
    """Return how much of each text was heard, where `heard` is what a channel says was played.

    Where it cannot be followed, its length decides.
    """
    said = "".join("".join(texts).split())
    left = _count(said, "".join(heard.split()), fillers)
    result = []
    for text in texts:
        kept = _first_letters(text, left)
        left -= sum(not character.isspace() for character in kept)
        result.append(kept)
    return result


def _count(said: str, heard: str, fillers: Sequence[Filler]) -> int:
    """Return how many characters of `said` were heard."""
    played, is_said = _played(said, fillers)
    end = _end(played, heard)
    if end is None:
        end = _end_by_letters(played, heard)
    if end is not None:
        return sum(is_said[:end])
    if fillers:
        # Perhaps a channel that does not tell them.
        return _count(said, heard, ())
    return min(len(heard), len(said))


def _played(said: str, fillers: Sequence[Filler]) -> tuple[str, list[bool]]:
    played, is_said, at = "", [], 0
    for filler in fillers:
        end = max(at, min(filler.after, len(said)))
        words = "".join(filler.text.split())
        played += said[at:end] + words
        is_said += [True] * (end - at) + [False] * len(words)
        at = end
    return played + said[at:], is_said + [True] * (len(said) - at)


def _end(played: str, heard: str) -> int | None:
    """Return where in what was played the hearing stopped; None where `heard` cannot be found in it."""
    if not heard or played.startswith(heard):
        return len(heard)
    if heard.startswith(played):
        return len(played)
    at = played.find(heard)
    if at >= 0:
        return at + len(heard)
    for count in range(len(heard) - 1, _TELLING - 1, -1):
        at = played.find(heard[-count:])
        if at >= 0:
            return at + count
    return None


def _end_by_letters(played: str, heard: str) -> int | None:
    """Find it by letters and digits alone: marks and capitals are told differently by some voices."""
    places = [(at, letter) for at, one in enumerate(played) if one.isalnum() for letter in one.casefold()]
    letters = "".join(letter for letter in heard.casefold() if letter.isalnum())
    end = _end("".join(letter for _, letter in places), letters) if letters else None
    if end is None:
        return None
    at = places[end - 1][0] + 1 if end else 0
    while at < len(played) and not played[at].isalnum():
        at += 1
    return at


def _first_letters(text: str, count: int) -> str:
    """Return the beginning of a text that holds so many letters, blanks not counted."""
    if count <= 0:
        return ""
    for i, character in enumerate(text):
        count -= not character.isspace()
        if count == 0:
            return text[: i + 1]
    return text
