"""What a business's document says about its portal: who may come in, and what they read first."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from switchboard.catalog.freshness import Freshness
from switchboard.contract.business import Business, read_business
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import DEFINITION_TTL_S
from switchboard.contract.ports import Clock, Paths, Store

_PORTALS_KEPT: Final = 5_000
_GREETINGS = {
    "en": "Welcome to {name}. How can I help you?",
    "de": "Willkommen bei {name}. Wie kann ich Ihnen helfen?",
}
_FAREWELLS = {
    "en": "Thank you for your message. We cannot continue this conversation here at the moment. Goodbye.",
    "de": "Vielen Dank für Ihre Nachricht. Wir können dieses Gespräch hier im Moment nicht fortsetzen. "
    "Auf Wiedersehen.",
}


@dataclass(frozen=True, slots=True)
class Portal:
    """A business's portal.

    Attributes:
        business: Whose it is.
        welcomes_visitors: Whether anybody may write without having been sent a link.
        greeting: What is read first. `ai.greeting` is worded for the ear, so the portal has its own.
    """

    business: Business
    welcomes_visitors: bool
    greeting: str

    @property
    def farewell(self) -> str:
        """What somebody reads who gets no conversation."""
        return _in_language(_FAREWELLS, self.business)

    def told(self) -> JsonObject:
        """Return what a browser is told about the business."""
        business = self.business
        return {
            "name": business.name,
            "language": business.language,
            "greeting": self.greeting,
            "timezone": business.timezone.key,
        }


def read_portal(business_id: str, data: Mapping[str, Any]) -> Portal:
    """Read the field `portal` {visitors, greeting} of a business document; without it only links let anybody in."""
    business = read_business(business_id, data)
    said = data.get("portal")
    settings: Mapping[str, Any] = said if isinstance(said, Mapping) else {}
    greeting = settings.get("greeting")
    if not isinstance(greeting, str) or not greeting.strip():
        greeting = _in_language(_GREETINGS, business)
    return Portal(business, settings.get("visitors") is True, greeting.strip())


class Portals:
    """The portals of every business, each read at most once a minute."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Read from `store`."""
        self._store, self._paths = store, paths
        self._kept: Freshness[str, Portal | None] = Freshness(self._read, clock, DEFINITION_TTL_S, _PORTALS_KEPT)

    async def of(self, business_id: str) -> Portal | None:
        """Return a business's portal, None where there is no such business.

        Raises:
            StoreError: It cannot be read, and was not before.
        """
        kept = await self._kept.get(business_id)
        if kept.value is None:
            # A business that is entered now must not stay unknown for a minute.
            self._kept.drop(business_id)
        return kept.value

    async def _read(self, business_id: str) -> Portal | None:
        document = await self._store.get(self._paths.within(business_id).business)
        return read_portal(business_id, document.data) if document is not None else None


def _in_language(sentences: Mapping[str, str], business: Business) -> str:
    language = business.language.partition("-")[0].lower()
    return sentences.get(language, sentences["en"]).format(name=business.name)
