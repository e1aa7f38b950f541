"""What owners look at beside the records of conversations, and how they take a running call or chat over."""

from switchboard.admin.access.access import Access
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.audit.trail import AuditTrail
from switchboard.admin.conversations.chat_takeover import ChatTakeovers, ChatVisitorFacts
from switchboard.admin.conversations.live_routes import LiveEndpoints
from switchboard.admin.conversations.routes import ExplanationEndpoints
from switchboard.admin.conversations.takeover import Takeovers
from switchboard.admin.conversations.takeover_routes import TakeoverEndpoints
from switchboard.admin.conversations.what_if import WhatIf
from switchboard.app.core import Core
from switchboard.channels.http.credentials import Rejected
from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import spoken_with
from switchboard.contract.channel import Channel
from switchboard.contract.document import mapping
from switchboard.contract.json import JsonObject
from switchboard.contract.record_parts import SPOKEN_IN


def looking_endpoints(core: Core, access: Access, trail: AuditTrail) -> tuple[Endpoint, ...]:
    """Return the endpoints for conversations that go on or are over; streams ask `access` anew as they go on."""

    async def ringing(business: Business, call_sid: str, payload: JsonObject, language: str) -> str:
        from switchboard.channels.phone import twiml
        from switchboard.channels.phone.routes import TAKEN
        from switchboard.channels.phone.voice import Sentence, Voice, on_the_phone, speaking

        tenant = await core.catalog.tenant(business.id)
        if tenant is not None:
            business = on_the_phone(tenant, core.catalog.marks_of(tenant, call_sid))
        spoken = speaking(business, language)
        # Where nobody answers, the receptionist goes on.
        result_url = f"{core.configuration.public_url or ''}/phone/transfer-result?{TAKEN}=1"
        return twiml.dial(Voice.of(spoken).sentence(Sentence.PUT_THROUGH), spoken, payload, result_url)

    async def visitor_facts(business_id: str, record: JsonObject) -> ChatVisitorFacts:
        from switchboard.channels.portal.portals import Portals

        portal = await Portals(core.catalog).of(business_id)
        if portal is None:
            raise NotFound("There is no such business.")
        successor = mapping(mapping(record.get("answeredBy")).get(Channel.PORTAL.value))
        own = str(successor.get("language") or portal.business.language)
        callers = str(mapping(record.get(SPOKEN_IN)).get(Channel.PORTAL.value) or "")
        return ChatVisitorFacts(portal.business.name, spoken_with(own, callers))

    chats = ChatTakeovers(core.store, core.paths, core.clock, trail, visitor_facts)
    takeovers = Takeovers(core.store, core.paths, core.clock, trail, core.phones, ringing, chats)
    return (
        *ExplanationEndpoints(core.store, core.paths, core.catalog).endpoints,
        *LiveEndpoints(core.store, core.paths, core.clock, access, Rejected).endpoints,
        *TakeoverEndpoints(takeovers, chats).endpoints,
        *WhatIf(core.catalog).endpoints,
    )
