"""Trying a tenant tool out: one real call through the dispatcher, in a session of its own.

Whatever the tool does is done: texts are sent, requests are made. Nothing is pretended, so that what an owner sees is
what a caller would get.
"""

import uuid
from collections.abc import Callable
from typing import Any

from switchboard.admin.tenant_tools.models import TrialBody
from switchboard.admin.tenant_tools.record import StoredTenantTool
from switchboard.admin.tenant_tools.store import ToolStore
from switchboard.catalog.schema.lint.rules import LintFinding, LintSeverity
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, Context, PhoneContext, ProvenNumber
from switchboard.contract.definitions.answer_gaps import noting_gaps_in
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.pipeline.dispatcher import Dispatcher

NOTE = "This was a real call: whatever the tool does has been done."


def _held_nothing(tool: str, setting: str, path: str) -> LintFinding:
    text = f"is {path}, where this answer held nothing; look at what the service sends, and write where it has it"
    return LintFinding("answer-holds-nothing", LintSeverity.WARNING, tool, f"request.response.{setting}", text)


class ToolTrials:
    """Calls tools for their owners."""

    def __init__(
        self,
        tools: ToolStore,
        dispatcher: Callable[[], Dispatcher],
        forget: Callable[[str], None],
    ) -> None:
        """Join the parts.

        Args:
            tools: Where tools are stored.
            dispatcher: The one way in which a tool is called.
            forget: Lets the catalog read a business anew: another instance may have saved the tool a moment ago.
        """
        self._tools, self._dispatcher, self._forget = tools, dispatcher, forget

    async def run(self, business_id: str, tool_id: str, trial: TrialBody) -> JsonObject:
        """Call a tool once and return `{sessionId, note, response, findings}` with the envelope.

        The findings are about what the tool reads in a service's answer, and this one did not hold.

        Raises:
            NotFound: There is no such business, agent or tool.
            ToolError: CONFLICT, the tool cannot be used as it is, or is attached to no agent.
        """
        await self._tools.owner(business_id)
        stored_tool = await self._tools.tool(business_id, tool_id)
        if stored_tool.tool is None:
            raise ToolError(ErrorType.CONFLICT, f"This tool cannot be used as it is: {stored_tool.problem}.")
        facts = await self._facts(business_id, stored_tool, trial, not stored_tool.tool.attach_to_agent)
        self._forget(business_id)
        gaps: dict[str, str] = {}
        noting_gaps_in(gaps)
        try:
            response = await self._dispatcher().execute_tool(stored_tool.name, trial.args, business_id, facts)
        finally:
            noting_gaps_in(None)
        found = [_held_nothing(stored_tool.name, setting, path).to_json() for setting, path in gaps.items()]
        return {"sessionId": facts.session_id, "note": NOTE, "response": response.to_json(), "findings": found}

    async def _facts(
        self, business_id: str, stored_tool: StoredTenantTool, trial: TrialBody, is_call_start: bool
    ) -> Context:
        number = trial.caller_phone
        common: dict[str, Any] = {
            "business_id": business_id,
            "session_id": f"trial_{uuid.uuid4().hex}",
            "call_id": f"trial_{uuid.uuid4().hex}",
            "caller_phone": number,
            # Who tries a tool with a number plays the caller whose number it is.
            "caller_verified": number is not None,
            "verified_phone": ProvenNumber(number) if number is not None else None,
            "agent_id": await self._agent(business_id, stored_tool, trial.agent_id),
            "is_call_start": is_call_start,
            "is_trial": True,
            # Nobody is in this conversation who would miss the agent that was tried.
            "applies_intents": bool(stored_tool.hands_over_to),
        }
        kind = CONTEXTS[Channel(trial.channel)]
        return PhoneContext(**common, called_phone=trial.called_phone) if kind is PhoneContext else kind(**common)

    async def _agent(self, business_id: str, stored_tool: StoredTenantTool, agent_id: str | None) -> str:
        if agent_id is not None:
            return (await self._tools.agent(business_id, agent_id)).id
        rows = await self._tools.attachments(business_id, tool_id=stored_tool.id)
        if not rows:
            raise ToolError(ErrorType.CONFLICT, "Attach the tool to an agent first: only then can it be called.")
        agents = await self._tools.agents(business_id)
        having = [agents[row.agent_id] for row in rows if row.agent_id in agents]
        if not having:
            raise ToolError(ErrorType.CONFLICT, "The agents that have this tool are gone; attach it to another.")
        return min(having, key=lambda agent: (not agent.is_default, agent.id)).id
