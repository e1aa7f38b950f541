"""What is answered about how a business's tools stand at Vapi."""

from pydantic import Field

from switchboard.admin.api.models import AnswerBody, Count
from switchboard.admin.vapi.comparison import Deviation


class VapiDeviation(AnswerBody):
    """Something at Vapi that was not as it should be."""

    deviation: Deviation
    words: str
    tool_id: str | None
    name: str | None
    external_tool_id: str | None
    agent_id: str | None
    assistant_id: str | None


class VapiFinding(VapiDeviation):
    """Something that is not as it should be."""

    problem: str | None = Field(description="Why it could not be repaired, where that was tried.")


class VapiStatus(AnswerBody):
    """What is not as it should be at Vapi, and what was repaired just now."""

    is_connected: bool
    tools: Count
    is_in_line: bool
    findings: list[VapiFinding]
    repaired: list[VapiDeviation]
