"""Which phone number of a business a call-start address means, and who answers it.

A number is known by itself, by the id that the owner gave it (`integrations.twilio.phoneNumbers`), and by Vapi's id of
it: `vapiPhoneNumberId` in that row, or `integrations.vapi.phoneNumberId` for the main number. A row may name the agent
that answers there (`agentId`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from switchboard.catalog.tenant_tools.tenant import Tenant
from switchboard.contract.business.agent import Agent
from switchboard.contract.business.business import Business
from switchboard.contract.business.own_numbers import number_rows
from switchboard.contract.channel import Channel
from switchboard.contract.document import text


@dataclass(frozen=True, slots=True)
class PhoneLine:
    """One phone number of a business.

    Attributes:
        number: E.164.
        ids: What it is known by.
        vapi_id: Vapi's id of it; empty where Vapi does not know it.
        agent_id: Who answers it; None for the agent that answers the phone.
    """

    number: str
    ids: frozenset[str]
    vapi_id: str = ""
    agent_id: str | None = None

    def agent(self, tenant: Tenant) -> Agent | None:
        """Return who answers here; None where the business has no such agent."""
        return tenant.agent(self.agent_id, Channel.PHONE)


def assistant_of(tenant: Tenant, agent: Agent | None) -> str:
    """Return Vapi's assistant that mirrors an agent, or else the business's usual one; empty where there is none."""
    if agent is not None and agent.vapi_assistant_id:
        return agent.vapi_assistant_id
    return _setting(tenant.business, "vapi", "assistantId")


def own_line(business: Business, id: str) -> PhoneLine | None:
    """Return the number that an id means, None where the business has none."""
    return next((line for line in own_lines(business) if id in line.ids), None)


def own_lines(business: Business) -> Iterator[PhoneLine]:
    """Yield every phone number of a business."""
    rows = {str(row["number"]): row for row in number_rows(business)}
    numbers = {business.twilio_number: None, **rows} if business.twilio_number else rows
    for number in numbers:
        row = rows.get(number, {})
        usual = _setting(business, "vapi", "phoneNumberId") if number == business.twilio_number else ""
        vapi_id = text(row.get("vapiPhoneNumberId")) or usual
        ids = frozenset(filter(None, (number, text(row.get("id")), vapi_id)))
        yield PhoneLine(number, ids, vapi_id, text(row.get("agentId")) or None)


def _setting(business: Business, integration: str, name: str) -> str:
    connection = business.integrations.get(integration)
    return text(connection.settings.get(name)) if connection else ""
