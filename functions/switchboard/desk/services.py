"""The desk: every service a handler may use, in one record."""

import hashlib
import hmac
from dataclasses import field
from secrets import token_bytes

from switchboard.contract.business.business import Business
from switchboard.contract.definitions.remote_tools import RemoteTools
from switchboard.contract.definitions.voice_platform import ActionRunner
from switchboard.contract.ports import (
    Calendars,
    Clock,
    Egress,
    Embedder,
    Mailer,
    Mailers,
    PhoneAccounts,
    Secrets,
    Store,
    Telephony,
)
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.bookings.appointments import Appointments
from switchboard.desk.bookings.availability import Availability
from switchboard.desk.bookings.bookings import Bookings
from switchboard.desk.bookings.hours import Hours
from switchboard.desk.bookings.own_appointments import CallersBookings
from switchboard.desk.calendars.agenda import Agenda
from switchboard.desk.calendars.calendars import BuiltInOnly
from switchboard.desk.calendars.free_busy import BusyTimes
from switchboard.desk.callers.callers import Callers
from switchboard.desk.callers.code_state import CodeHash
from switchboard.desk.callers.moderation import HangUp, Moderation, carried_by_the_channel
from switchboard.desk.callers.one_time_codes import OneTimeCodes
from switchboard.desk.callers.portal_links import PortalLinks
from switchboard.desk.callers.verification import Verification
from switchboard.desk.escalation.transfers import Handovers, Transfers
from switchboard.desk.knowledge.knowledge import Knowledge
from switchboard.desk.knowledge.topics import Faqs, Policies
from switchboard.desk.limits.rate_limits import RateLimits
from switchboard.desk.messaging.email import Email
from switchboard.desk.messaging.messages import Messages
from switchboard.desk.messaging.sms import Texts
from switchboard.desk.resources.assigning import Assigning
from switchboard.desk.tenant_tools.api_requests import ApiRequests, NoEgress, NoSecrets
from switchboard.desk.tenant_tools.app_actions import AppActions, NoActions
from switchboard.desk.tenant_tools.mcp_tools import McpTools, NoRemoteTools
from switchboard.desk.tenant_tools.queries import TenantQueries
from switchboard.desk.tenant_tools.service_places import ServicePlaces
from switchboard.desk.vendors import NoVendors, Vendors


@dataclass(frozen=True, slots=True)
class Desk:
    """The services over the ports. Each method takes the call's context first and stays below its business."""

    hours: Hours
    availability: Availability
    bookings: Bookings
    appointments: Appointments
    assigning: Assigning
    agenda: Agenda
    knowledge: Knowledge
    policies: Policies
    faqs: Faqs
    records: CallersBookings
    messages: Messages
    texts: Texts
    mail: Email
    transfers: Transfers
    handovers: Handovers
    portal_links: PortalLinks
    callers: Callers
    codes: OneTimeCodes
    verification: Verification
    moderation: Moderation
    api_requests: ApiRequests
    app_actions: AppActions
    mcp_tools: McpTools
    tenant_queries: TenantQueries
    vendors: Vendors = field(default_factory=lambda: Vendors(NoVendors()))


class NoMailers:
    """For a desk that sends no e-mail."""

    async def of(self, business: Business) -> Mailer | None:
        """Return None."""
        return None


def open_desk(
    store: Store,
    clock: Clock,
    calendars: Calendars | None = None,
    phone_accounts: PhoneAccounts | None = None,
    mailers: Mailers | None = None,
    embedder: Embedder | None = None,
    hang_up: HangUp = carried_by_the_channel,
    actions: ActionRunner | None = None,
    remote_tools: RemoteTools | None = None,
    egress: Egress | None = None,
    secrets: Secrets | None = None,
    key: bytes | None = None,
    public_url: str = "",
) -> Desk:
    """Return the desk over a store and what it reaches outside; without the latter it does what can be done within.

    Args:
        store: Where businesses, bookings and texts are.
        clock: Ages the shared reads; what "now" means for a call comes from its context.
        calendars: The businesses' outside calendars.
        phone_accounts: Their accounts with the phone network.
        mailers: Their mail accounts.
        embedder: Turns texts to vectors, for finding what is meant in other words.
        hang_up: Ends phone calls that no channel carries.
        actions: Runs actions of connected apps.
        remote_tools: Calls the tools of servers that owners connected.
        egress: Carries the requests that owners made tools of.
        secrets: What stands in them.
        key: 32 or more random bytes, the same in every process, that sign and seal links and codes; else made up here.
        public_url: Where this deployment is reached.
    """
    key, phone_accounts = key or token_bytes(32), phone_accounts or NoPhoneAccounts()
    busy, knowledge = BusyTimes(store, clock, calendars or BuiltInOnly()), Knowledge(store, clock, embedder)
    availability, callers, limits = Availability(busy), Callers(store), RateLimits(store, clock)
    bookings, texts = Bookings(store, busy, availability), Texts(store, phone_accounts, limits, clock)
    codes = OneTimeCodes(store, limits, CodeHash(derived(key, "one-time codes")), texts.send, texts.check_account)
    return Desk(
        hours=Hours(),
        availability=availability,
        bookings=bookings,
        appointments=Appointments(store, busy, availability, bookings.saga),
        assigning=Assigning(store, busy, bookings.saga),
        agenda=Agenda(store, busy),
        knowledge=knowledge,
        policies=Policies(store, clock),
        faqs=Faqs(store, clock),
        records=CallersBookings(store),
        messages=Messages(limits),
        texts=texts,
        mail=Email(store, mailers or NoMailers()),
        transfers=Transfers(phone_accounts),
        handovers=Handovers(store),
        portal_links=PortalLinks(store, clock, derived(key, "portal links"), public_url),
        callers=callers,
        codes=codes,
        verification=Verification(store, callers, codes),
        moderation=Moderation(store, callers, hang_up),
        api_requests=ApiRequests(egress or NoEgress(), secrets or NoSecrets(), ServicePlaces(store, clock)),
        mcp_tools=McpTools(remote_tools or NoRemoteTools(), secrets or NoSecrets(), ServicePlaces(store, clock)),
        app_actions=AppActions(store, actions or NoActions()),
        tenant_queries=TenantQueries(store, knowledge),
    )


def derived(key: bytes, purpose: str) -> bytes:
    """Return a key for one purpose, from which no other can be told."""
    return hmac.new(key, purpose.encode(), hashlib.sha256).digest()


class NoPhoneAccounts:
    """For a desk that is not connected to any phone network: texts are refused, and channels put calls through."""

    async def of(self, business: Business) -> Telephony | None:
        """Return None."""
        return None
