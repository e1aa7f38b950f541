"""What callers are told of a business's services and people: prices, lengths and names, as a session keeps them.

A session keeps what held when it began. Whoever books asks for the mark of it in the commit that lets the call in, so
that only where something has changed since is anything read more.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final, NamedTuple

from switchboard.contract.business.business import Business
from switchboard.contract.document import integer, mapping, text
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

TERMS: Final = "terms"
"""The field of a session's document in which they stand."""
_ALWAYS_LOOKED_AT: Final = 1
"""The mark of a session in which something was told anew: it equals none."""
_MOST_CHARACTERS = 50_000


class ServiceTerms(NamedTuple):
    """What is told of one service: its price, as the business words it, and how many minutes it takes."""

    price: str
    minutes: int


@dataclass(frozen=True, slots=True)
class Terms:
    """What callers are told.

    Attributes:
        services: By name.
        people: The names of those whom appointments are with, by id.
        again: What was told anew since, of services and people by `key_of`: in which turn, and what.
    """

    services: Mapping[str, ServiceTerms]
    people: Mapping[str, str]
    again: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, business: Business) -> "Terms":
        """Return those of a business as it was read."""
        services = {own.name: ServiceTerms(own.price, own.duration_minutes) for own in business.services}
        return cls(services, {person.id: person.name for person in business.people})

    @property
    def mark(self) -> int:
        """The same for the same terms and, as far as anybody can tell, for no others; a positive integer."""
        return _mark(self._text)

    @property
    def _text(self) -> str:
        return json.dumps([self.services, self.people], sort_keys=True)

    def to_document(self) -> JsonObject:
        """Return the fields, to be written when a session begins; none where there is nothing, or far too much."""
        told = self._text if self.services or self.people else ""
        return {TERMS: {"mark": _mark(told), "told": told}} if 0 < len(told) <= _MOST_CHARACTERS else {}

    def service_told(self, name: str, turn: str) -> ServiceTerms | None:
        """Return what was told of a service before a turn; None where nothing was."""
        again = self._again("service", name, turn)
        told = ServiceTerms(text(again.get("price")), integer(again.get("minutes"))) if again else None
        return told or self.services.get(name)

    def person_told(self, id: str, turn: str) -> str:
        """Return by which name somebody was told before a turn; empty where they were not."""
        return text(self._again("person", id, turn).get("name")) or self.people.get(id, "")

    def _again(self, kind: str, id: str, turn: str) -> Mapping[str, Any]:
        told = mapping(self.again.get(key_of(kind, id)))
        # Whoever was told in this very turn has not answered yet.
        return told if told.get("turn") != turn else {}


def key_of(kind: str, id: str) -> str:
    """Return by which a service or a person stands among what was told anew, whatever the name is made of."""
    return hashlib.sha256(f"{kind}|{id}".encode("utf-8", "replace")).hexdigest()[:20]


def told_anew(told: Mapping[str, JsonObject], turn: str) -> JsonObject:
    """Return the fields, to be merged into a session's document, by which something was told anew in a turn."""
    return {TERMS: {"mark": _ALWAYS_LOOKED_AT, "again": {key: {**one, "turn": turn} for key, one in told.items()}}}


def read_terms(session: Mapping[str, Any]) -> Terms | None:
    """Return what a session's document keeps; None where it keeps nothing, or nothing that can be read."""
    kept = mapping(session.get(TERMS))
    try:
        services, people = json.loads(text(kept.get("told")))
        told = {str(name): ServiceTerms(str(price), int(minutes)) for name, (price, minutes) in services.items()}
        names = {str(id): str(name) for id, name in people.items()}
    except (ValueError, TypeError, AttributeError):
        return None
    return Terms(told, names, mapping(kept.get("again")))


def _mark(told: str) -> int:
    # Fewer bits than a JSON number keeps.
    return int.from_bytes(hashlib.sha256(told.encode("utf-8", "replace")).digest()[:6]) + 2
