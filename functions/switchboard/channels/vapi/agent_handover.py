"""Who goes on with a phone call that one of a business's assistants at Vapi hands over.

Vapi asks before it hands over. The tool's call runs as every other does; this only says who stands for the agent there.
"""

from typing import Final

from switchboard.catalog.offer.alternatives import WHEREVER
from switchboard.catalog.offer.phone_numbers import assistant_of
from switchboard.catalog.tenant_tools.tenant import Tenant
from switchboard.contract.error import ErrorType
from switchboard.contract.response import Failure, ToolResponse

NOBODY_THERE: Final = ToolResponse(
    failure=Failure(
        ErrorType.PERMANENT,
        "The phone call cannot be handed over, and you still answer it. Do not say that somebody else takes over. Go "
        f"on yourself. {WHEREVER}",
        retryable=False,
        partial_side_effects=False,
    )
)
"""What Vapi's model is told where nobody there could go on."""


def assistant_taking_over(tenant: Tenant | None, tool: str) -> str:
    """Return Vapi's id of the assistant that a tool hands over to; empty where the tool hands over to nobody there.

    The business's usual assistant stands for its default agent alone: anybody else would go on as somebody wrong.
    """
    own = tenant.own.tools.get(tool) if tenant is not None else None
    agent = tenant.agents.get(own.hands_over_to) if tenant is not None and own is not None else None
    if tenant is None or agent is None:
        return ""
    return agent.vapi_assistant_id or (assistant_of(tenant, agent) if agent.is_default else "")
