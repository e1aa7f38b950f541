"""A desk with a phone: the services of the tools that reach the phone network, over a network in memory."""

from dataclasses import dataclass

from switchboard.contract.ports import Clock, Store
from switchboard.desk.callers.portal_links import PortalLinks
from switchboard.desk.escalation.transfers import Transfers
from switchboard.desk.messaging.sms import Texts
from tests.desk.phone_network import MemoryPhoneNetwork, texts_over


@dataclass(frozen=True)
class PhoneDesk:
    """What those tools ask of a desk."""

    texts: Texts
    transfers: Transfers
    portal_links: PortalLinks


def phone_desk(store: Store, network: MemoryPhoneNetwork, clock: Clock) -> PhoneDesk:
    """Return such a desk."""
    return PhoneDesk(
        texts=texts_over(store, network, clock),
        transfers=Transfers(network),
        portal_links=PortalLinks(store, clock, bytes(range(32))),
    )
