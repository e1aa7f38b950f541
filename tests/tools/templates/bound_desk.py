"""A desk for the tools that owners make: phone network, apps and store in memory."""

from dataclasses import dataclass

from switchboard.contract.ports import Clock, Store
from switchboard.desk.escalation.transfers import Handovers, Transfers
from switchboard.desk.knowledge.knowledge import Knowledge
from switchboard.desk.messaging.sms import Texts
from switchboard.desk.tenant_tools.app_actions import AppActions
from switchboard.desk.tenant_tools.queries import TenantQueries
from tests.desk.memory_actions import MemoryActions
from tests.desk.phone_network import MemoryPhoneNetwork, texts_over


@dataclass(frozen=True)
class BoundDesk:
    """What those tools ask of a desk."""

    texts: Texts
    transfers: Transfers
    handovers: Handovers
    tenant_queries: TenantQueries
    app_actions: AppActions


def bound_desk(store: Store, network: MemoryPhoneNetwork, actions: MemoryActions, clock: Clock) -> BoundDesk:
    """Return such a desk."""
    return BoundDesk(
        texts=texts_over(store, network, clock),
        transfers=Transfers(network),
        handovers=Handovers(store),
        tenant_queries=TenantQueries(store, Knowledge(store, clock)),
        app_actions=AppActions(store, actions),
    )
