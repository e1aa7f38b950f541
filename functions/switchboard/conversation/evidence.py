"""What this conversation knows to be true of what was done: receipts, and what tools have found out."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from switchboard.contract.business import Business
from switchboard.conversation.mentions import Mentions

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that was done or found.

    Attributes:
        claims: What it lets an agent say was done.
        moments: The local times that stand in it.
        words: Every word that stands in it, in lower case.
    """

    claims: frozenset[str]
    moments: tuple[datetime, ...]
    words: frozenset[str]

    def bears_out(self, claim: str, said: Mentions, services: Sequence[str]) -> bool:
        """Tell whether a sentence with this claim is about this, as far as it says what it is about.

        Args:
            claim: Its name.
            said: When and for whom the sentence says.
            services: The business's services that the sentence names.
        """
        if claim not in self.claims:
            return False
        # What says nothing about time can be no evidence of one.
        if said.say_when and not any(said.agree_with(moment) for moment in self.moments):
            return False
        if any(self.words.isdisjoint(words_of(name)) for name in said.names):
            return False
        return all(words_of(service) <= self.words for service in services)


def evidence(claims: frozenset[str], found: Any, zone: tzinfo) -> Evidence:
    """Return what data bears out: every time in it, local in `zone`, and every word."""
    texts = list(_texts(found))
    moments = tuple(moment for text in texts if (moment := _moment(text, zone)) is not None)
    return Evidence(claims, moments, frozenset().union(*map(words_of, texts)) if texts else frozenset())


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in lower case."""
    return frozenset(word.casefold() for word in _WORD.findall(text))


def services_named(business: Business | None, sentence: str) -> tuple[str, ...]:
    """Return the business's services that a sentence names in full."""
    if business is None:
        return ()
    said = sentence.casefold()
    found = [s.name for s in business.services if re.search(rf"(?<!\w){re.escape(s.name.casefold())}(?!\w)", said)]
    # "Haircut" within "Haircut and color" is not another service.
    return tuple(n for n in found if not any(n != other and n.casefold() in other.casefold() for other in found))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, datetime):
        yield value.isoformat()
    elif isinstance(value, Mapping):
        yield from _all(value.values())
    elif isinstance(value, Sequence):
        yield from _all(value)


def _all(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        yield from _texts(value)


def _moment(text: str, zone: tzinfo) -> datetime | None:
    if len(text) < 16 or text[4:5] != "-":
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found.astimezone(zone) if found.tzinfo else found.replace(tzinfo=zone)
