"""What a business's document says about its portal: who may come in, and what they read first."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from cachetools import LRUCache

from switchboard.catalog.offer.alternatives import Alternatives
from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.tenant_tools.tenant import Tenant
from switchboard.contract.business.agent import Agent, answering
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.business.languages import language_of
from switchboard.contract.business.own_addresses import OwnSite, own_sites
from switchboard.contract.channel import Channel
from switchboard.contract.document import mapping, text
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Unavailable

_PORTALS_KEPT: Final = 5_000
_GREETINGS = {
    "en": "Welcome to {name}. How can I help you?",
    "de": "Willkommen bei {name}. Wie kann ich Ihnen helfen?",
    "es": "Le damos la bienvenida a {name}. ¿En qué puedo ayudarle?",
    "fr": "Bienvenue chez {name}. Comment puis-je vous aider ?",
    "it": "Benvenuti da {name}. Come posso aiutarla?",
    "pt": "Damos-lhe as boas-vindas em {name}. Em que posso ajudar?",
    "nl": "Welkom bij {name}. Waarmee kan ik u helpen?",
}
_FAREWELLS = {
    "en": "Thank you for your message. We cannot continue this conversation here at the moment. Goodbye.",
    "de": "Vielen Dank für Ihre Nachricht. Wir können dieses Gespräch hier im Moment nicht fortsetzen. "
    "Auf Wiedersehen.",
    "es": "Gracias por su mensaje. En este momento no podemos continuar aquí esta conversación. Adiós.",
    "fr": "Merci de votre message. Nous ne pouvons pas poursuivre cette conversation ici pour le moment. Au revoir.",
    "it": "Grazie per il suo messaggio. Al momento non possiamo continuare qui questa conversazione. Arrivederci.",
    "pt": "Obrigado pela sua mensagem. Neste momento não podemos continuar aqui esta conversa. Até logo.",
    "nl": "Bedankt voor uw bericht. We kunnen dit gesprek hier op dit moment niet voortzetten. Tot ziens.",
}
_UNATTENDED = {
    "en": "Nobody can answer you here at the moment.",
    "de": "Hier kann Ihnen im Moment niemand antworten.",
    "es": "En este momento nadie puede responderle aquí.",
    "fr": "Personne ne peut vous répondre ici pour le moment.",
    "it": "Al momento nessuno può risponderle qui.",
    "pt": "Neste momento ninguém lhe pode responder aqui.",
    "nl": "Op dit moment kan niemand u hier antwoorden.",
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

    @property
    def spoken_farewell(self) -> str:
        """What somebody hears who gets no conversation."""
        return _in_language(_FAREWELLS, self.spoken)

    def unattended(self, channel: Channel, now: datetime) -> str:
        """Return what somebody reads whom nobody answers, whoever they are: how else the business is reached."""
        ways = Alternatives.of((), self.business, channel)
        return f"{_in_language(_UNATTENDED, self.business)} {ways.said(self.business.language, now)}"

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


def read_portal(business_id: str, data: Mapping[str, Any]) -> Portal:
    """Read the field `portal` {visitors, greeting} of a business document; without it only links let anybody in."""
    return _portal(read_business(business_id, data), data)


class Portals:
    """The portals of every business, as the catalog has read it."""

    def __init__(self, catalog: Catalog) -> None:
        """Read nothing that the catalog does not."""
        self._catalog = catalog
        self._portals: LRUCache[str, tuple[Tenant, Portal]] = LRUCache(_PORTALS_KEPT)

    async def of(self, business_id: str) -> Portal | None:
        """Return a business's portal, as it was at most a minute ago; None where there is no such business.

        Raises:
            StoreError: It cannot be read, and was not before.
        """
        try:
            tenant = await self._catalog.tenant(business_id)
        except ToolError:
            return None
        if tenant is None:
            raise Unavailable("the business cannot be read now")
        before, portal = self._portals.get(business_id, (None, None))
        if portal is None or before is not tenant:
            portal = _portal(tenant.business, tenant.document, tuple(tenant.agents.values()))
            self._portals[business_id] = tenant, portal
        return portal


def _portal(own: Business, data: Mapping[str, Any], agents: Sequence[Agent] = ()) -> Portal:
    """Return a portal; of the agents, in the order of their ids, the first that answers a channel has its language."""
    business, spoken = (
        _in_agents_language(own, agents, channel) for channel in (Channel.PORTAL, Channel.BROWSER_VOICE)
    )
    settings = mapping(data.get("portal"))
    greeting = text(settings.get("greeting")).strip() or _in_language(_GREETINGS, business)
    sites = own_sites(data.get("website"), data.get("portalUrl"))
    return Portal(business, spoken, settings.get("visitors") is True, greeting.strip(), sites)


def _in_agents_language(business: Business, agents: Sequence[Agent], channel: Channel) -> Business:
    agent = answering(agents, channel)
    return replace(business, language=agent.language) if agent and agent.language else business


def _in_language(sentences: Mapping[str, str], business: Business) -> str:
    language = language_of(business.language)
    return sentences.get(language, sentences["en"]).format(name=business.name)
