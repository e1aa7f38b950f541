"""A business with two agents, each with a tool that hands over to the other."""

from types import SimpleNamespace
from typing import Any

from switchboard.contract.store import Set, Write
from switchboard.desk.escalation.transfers import Handovers
from tests.pipeline.conftest import PATHS, Instance


def handover_tool(to: str, name: str, message: str = "", **fields: Any) -> dict[str, Any]:
    """Return a stored tool that hands over to an agent."""
    destination = {"type": "agent", "agentId": to} | ({"message": message} if message else {})
    about = {"type": "transfer_call", "label": name, "description": f"Hands the caller over to {to}."}
    return {"name": name, **about, "configMetadata": {**about, "destination": destination}} | fields


def two_agents(business_id: str, **billing: Any) -> list[Write]:
    """Return what enters reception, who answers, and billing, who speaks for itself."""
    within = PATHS.within(business_id)
    return [
        Set(within.document("agents", "reception"), {"name": "Reception", "isDefault": True}),
        Set(within.document("agents", "billing"), {"name": "Billing"} | billing),
        Set(within.document("tools", "t_to"), handover_tool("billing", "to_billing", "One moment, please.")),
        Set(within.document("tools", "t_back"), handover_tool("reception", "to_reception")),
        Set(within.document("agentTools", "reception~t_to"), {"agentId": "reception", "toolId": "t_to"}),
        Set(within.document("agentTools", "billing~t_back"), {"agentId": "billing", "toolId": "t_back"}),
    ]


async def staff(instance: Instance, business_id: str, **billing: Any) -> None:
    """Enter the two agents, and give the dispatcher's handlers what hands over."""
    store = getattr(instance.store, "inner", instance.store)
    await store.commit(two_agents(business_id, **billing))
    instance.dispatcher.runner.desk = SimpleNamespace(handovers=Handovers(instance.store))
    instance.catalog.forget(business_id)
