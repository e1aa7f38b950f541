"""`POST /browser_voice/session`: opens a conversation by voice, with the browser's own speech or a vendor's model."""

from collections.abc import Awaitable, Callable, Mapping

import orjson
from starlette.requests import Request
from starlette.responses import Response

from switchboard.channels.browser_voice.auth import Speaker, VoiceAuth, admit
from switchboard.channels.browser_voice.dialects import DIALECTS
from switchboard.channels.browser_voice.live_sessions import LiveSessions
from switchboard.channels.browser_voice.ports import VoiceVendor
from switchboard.channels.browser_voice.vendor_sessions import Talks
from switchboard.channels.http.answer import json_answer
from switchboard.channels.http.credentials import Rejected
from switchboard.channels.http.request_body import Malformed, json_object, optional_text
from switchboard.channels.stranger_shares import StrangerShares
from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.contract.context import Context
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import Thing
from switchboard.contract.ports import Clock
from switchboard.conversation.conversation import Conversations
from switchboard.conversation.dependencies import Dependencies
from switchboard.conversation.speech.plain_speech import plain

BROWSER = "browser"
VARIABLE = "SWITCHBOARD_VOICES"
PROVIDERS = (BROWSER, *DIALECTS)
_GREETINGS = {
    "en": "Hello, this is the assistant of {name}. How can I help you?",
    "de": "Guten Tag, hier ist die Assistenz von {name}. Wie kann ich Ihnen helfen?",
    "es": "Hola, le atiende el asistente de {name}. ¿En qué puedo ayudarle?",
    "fr": "Bonjour, ici l'assistant de {name}. Comment puis-je vous aider ?",
}
_NOT_SERVED = "This conversation cannot be continued by voice. Please contact the business another way."
_INSTEAD = ' Use provider "browser", which needs no vendor.'

Endpoint = Callable[[Request], Awaitable[Response]]


def session_endpoint(
    door: VoiceAuth,
    parts: Dependencies,
    conversations: Conversations,
    talks: Talks,
    vendors: Mapping[str, VoiceVendor],
    turned_away: Callable[[Context], Awaitable[bool]],
    clock: Clock,
    shares: StrangerShares,
    live: LiveSessions,
) -> Endpoint:
    """Return the endpoint; the body is `{businessId?, sessionId?, provider?}`.

    The answer is `{provider, businessId, sessionId, turn, business, greeting}`, and under the vendor's name what the
    browser needs to talk to it. `turn` is the last human turn; the first after it is `turn` + 1.
    """

    async def session(request: Request) -> Response:
        said = await json_object(request)
        provider = optional_text(said, "provider") or BROWSER
        if provider not in PROVIDERS:
            raise Malformed("provider", f"provider must be one of {', '.join(PROVIDERS)}.")
        speaker = await admit(door, request, said)
        if provider != BROWSER and provider not in vendors:
            raise Malformed(
                "provider",
                f"There is no live speech model of {provider} here: {VARIABLE} names none. Set it to "
                f"{provider}:<model>, and {provider.upper()}_API_KEY.{_INSTEAD}",
            )
        if await turned_away(speaker.facts):
            raise Rejected(403, _NOT_SERVED)
        await shares.spend(speaker.facts, Thing.VOICE_SESSIONS)
        conversation = await conversations.open(speaker.facts)
        # Whoever comes back has not hung up.
        await conversation.go_on()
        business, successor = speaker.portal.business, conversation.session.successor
        language = successor.language if successor is not None and successor.language else business.language
        opened: JsonObject = {
            "provider": provider,
            "businessId": speaker.facts.business_id,
            "sessionId": speaker.facts.session_id,
            "turn": conversation.session.facts.turn,
            "business": {"name": business.name, "language": language, "timezone": business.timezone.key},
            "greeting": "",
        }
        greet = conversation.greet
        if provider != BROWSER:
            talk = await talks.open(speaker.facts)
            facts = talk.facts(speaker.facts)
            await live.open(speaker.facts, provider)
            opened[provider] = await _of_vendor(parts, vendors[provider], provider, speaker, facts, clock)
            greet = talk.greet
        if not conversation.session.history.messages:
            opened["greeting"] = greeting(business)
            greet(opened["greeting"])
        return json_answer(orjson.dumps(opened), headers={"Cache-Control": "no-store"})

    return session


def greeting(business: Business) -> str:
    """Return what a caller hears first."""
    if own := plain(business.greeting, business.language):
        return own
    return _GREETINGS.get(language_of(business.language), _GREETINGS["en"]).format(name=business.name)


async def _of_vendor(
    parts: Dependencies, vendor: VoiceVendor, name: str, speaker: Speaker, facts: Context, clock: Clock
) -> JsonObject:
    offer = await parts.offer(facts)
    tools = DIALECTS[name].declare([tool.definition for tool in offer.tools])
    # The vendor is sent these once, and what is said goes past the house.
    instructions = "\n\n".join(filter(None, (await parts.system(offer, facts), parts.moment(offer, facts))))
    try:
        return await vendor.open(instructions, tools, (offer.business or speaker.portal.business).language, clock.now())
    except ToolError as error:
        # Whichever way a vendor fails, the caller can go on at once without it.
        raise VendorAway(error) from error


class VendorAway(Exception):
    """The vendor's model cannot be had right now; the text says what can be done instead."""

    def __init__(self, error: ToolError) -> None:
        """Keep what it was for the log."""
        super().__init__(error.message + _INSTEAD)
        self.error = error
