"""What a business's document says about its portal: who may come in, and what they read first."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from switchboard.contract.business.agent import Agent, answering, read_agent
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.business.languages import language_of
from switchboard.contract.business.own_addresses import OwnSite, own_sites
from switchboard.contract.cache import Cache
from switchboard.contract.channel import Channel
from switchboard.contract.document import mapping, text
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import AGENTS, DEFINITION_TTL_S
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.store import Query

_PORTALS_KEPT: Final = 5_000
_GREETINGS = {
    "en": "Welcome to {name}. How can I help you?",
    "de": "Willkommen bei {name}. Wie kann ich Ihnen helfen?",
    "es": "Le damos la bienvenida a {name}. ¿En qué puedo ayudarle?",
    "fr": "Bienvenue chez {name}. Comment puis-je vous aider ?",
}
_FAREWELLS = {
    "en": "Thank you for your message. We cannot continue this conversation here at the moment. Goodbye.",
    "de": "Vielen Dank für Ihre Nachricht. Wir können dieses Gespräch hier im Moment nicht fortsetzen. "
    "Auf Wiedersehen.",
    "es": "Gracias por su mensaje. En este momento no podemos continuar aquí esta conversación. Adiós.",
    "fr": "Merci de votre message. Nous ne pouvons pas poursuivre cette conversation ici pour le moment. Au revoir.",
}


@dataclass(frozen=True, slots=True)
class Portal:
    """A business's portal.

    Attributes:
        business: Whose it is, in the language of the agent that answers what is written.
        spoken: The same in the language of the agent that answers through the microphone.
        welcomes_visitors: Whether anybody may write without having been sent a link.
        greeting: What is read first. `ai.greeting` is worded for the ear, so the portal has its own.
        sites: Where the business itself is on the web: links lead there, and nowhere else.
    """

    business: Business
    spoken: Business
    welcomes_visitors: bool
    greeting: str
    sites: tuple[OwnSite, ...] = ()

    @property
    def farewell(self) -> str:
        """What somebody reads who gets no conversation."""
        return _in_language(_FAREWELLS, self.business)

    def document(self) -> JsonObject:
        """Return what a browser is told about the business."""
        business = self.business
        return {
            "name": business.name,
            "language": business.language,
            "greeting": self.greeting,
            "timezone": business.timezone.key,
            "sites": [{"host": site.host, "path": site.path} for site in self.sites],
        }


def read_portal(business_id: str, data: Mapping[str, Any], agents: Sequence[Agent] = ()) -> Portal:
    """Read the field `portal` {visitors, greeting} of a business document; without it only links let anybody in.

    Args:
        business_id: Whose it is.
        data: The fields of its document.
        agents: Its agents, in the order of their ids: the first that answers a channel may have its own language.
    """
    own = read_business(business_id, data)
    business, spoken = (
        _in_agents_language(own, agents, channel) for channel in (Channel.PORTAL, Channel.BROWSER_VOICE)
    )
    settings = mapping(data.get("portal"))
    greeting = text(settings.get("greeting")).strip() or _in_language(_GREETINGS, business)
    sites = own_sites(data.get("website"), data.get("portalUrl"))
    return Portal(business, spoken, settings.get("visitors") is True, greeting.strip(), sites)


class Portals:
    """The portals of every business, each read at most once a minute."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Read from `store`."""
        self._store, self._paths = store, paths
        self._cache: Cache[str, Portal | None] = Cache(clock, DEFINITION_TTL_S, _PORTALS_KEPT, self._read)

    async def of(self, business_id: str) -> Portal | None:
        """Return a business's portal, None where there is no such business.

        Raises:
            StoreError: It cannot be read, and was not before.
        """
        cached = await self._cache.get(business_id)
        if cached.value is None:
            # A business that is entered now must not stay unknown for a minute.
            self._cache.drop(business_id)
        return cached.value

    async def _read(self, business_id: str) -> Portal | None:
        within = self._paths.within(business_id)
        document, documents = await asyncio.gather(
            self._store.get(within.business), self._store.query(Query(within.collection("agents"), limit=AGENTS))
        )
        if document is None:
            return None
        agents = [read_agent(agent.id, agent.data) for agent in sorted(documents, key=lambda d: d.id)]
        return read_portal(business_id, document.data, agents)


def _in_agents_language(business: Business, agents: Sequence[Agent], channel: Channel) -> Business:
    agent = answering(agents, channel)
    return replace(business, language=agent.language) if agent and agent.language else business


def _in_language(sentences: Mapping[str, str], business: Business) -> str:
    language = language_of(business.language)
    return sentences.get(language, sentences["en"]).format(name=business.name)
