"""Versions of agents on trial: begun with a share of the conversations, and stopped or adopted with one press.

The trial that is on stands in the agent's document (`contract/business/agent_trial.py`). Each trial has a document
besides, `businesses/{id}/agentTrials/{agentId}~{since}`, that stays when it is over: who began it, what it varied, what
ended it, and what both sides did.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.agents.agents import Agents
from switchboard.admin.agents.fields import whole
from switchboard.admin.agents.store import AgentsSnapshot, Plan
from switchboard.admin.agents.trial_numbers import AgentTrialLook, AgentTrialNumbers
from switchboard.admin.agents.trial_state import (
    AGENT_TRIAL,
    has_room,
    require_trials_kept,
    running,
    trial_ending,
    trial_view,
    trying_among,
)
from switchboard.admin.agents.versions import AgentVersions
from switchboard.admin.api.paging import Page, Slice
from switchboard.admin.audit.document_kind import revision_of
from switchboard.admin.audit.revisions import Saved, allow, out_of_date, require, stamps
from switchboard.admin.documents.difference import canonical
from switchboard.contract.business.agent_trial import (
    TRIAL,
    TRIED,
    read_trials,
    tried_fields,
)
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.store import Document, Set, Update, Write


class AgentTrials:
    """The owners' operations. What the store raises passes through.

    Every change takes the trial revision that it is based on (`trialRevision` of the agent) and may raise
    `RevisionMissing`, `OutOfDate` (with both versions), `Forbidden` and `NotFound` (no such business or agent).
    """

    def __init__(self, agents: Agents, numbers: AgentTrialNumbers) -> None:
        """Change agents through `agents`; `numbers` tell what trials came to."""
        self._agents, self._versions, self._numbers = agents, AgentVersions(agents), numbers

    async def start(
        self,
        permit: Permit,
        agent_id: str,
        based_on: str | None,
        share: int,
        changes: Mapping[str, Any],
        version: str | None = None,
    ) -> tuple[JsonObject, Saved]:
        """Have a share of the conversations that begin from now on answered by another version; return the agent.

        The same version with another share goes on with its trial; another version ends the one that is on.

        Args:
            permit: Who does it.
            agent_id: Whose.
            based_on: The trial revision.
            share: Of how many conversations in a hundred, 1 to 99.
            changes: What is otherwise than in the agent as it is, or than in the version that is named.
            version: An earlier version to try, by its id; None for the agent as it is.

        Raises:
            NotFound: There is no such version.
            NotValid: What is tried cannot be kept, names a tool that is gone, or is nothing else than what there is.
            ToolError: CONFLICT, too many agents of the business have a version on trial, or too many versions of this
                one were tried within a day.
        """
        require(based_on)
        earlier = (await self._versions.one(permit.business_id, agent_id, version)).fields if version else {}
        rules = await self._agents.rules(permit.business_id)

        async def plan(moment: AgentsSnapshot, within: BusinessPaths) -> Plan | None:
            document = moment.agent(agent_id)
            current, trial = whole(document.data), running(document.data)
            wished = current | tried_fields(earlier) | dict(changes)
            view = trial_view(document.data)
            if revision_of(view) != based_on:
                raise out_of_date(document, view, view | wished)
            # Nothing that the agent names and that is gone is let by: it would be begun anew with that.
            checked = tried_fields(rules.read(wished, {}, moment.business.data))
            if canonical(checked) == canonical(tried_fields(current)):
                problem = "changes: there is nothing to try; the agent is so now."
                raise NotValid([EntryProblem("changes", problem)])
            allow(permit, AGENT_TRIAL, {}, {})
            is_same = trial is not None and canonical(trial["document"]) == canonical(checked)
            if trial is not None and is_same and trial["share"] == share:
                return None
            if trial is None:
                _require_room(moment)
            if not is_same:
                require_trials_kept(document.data, self._agents.store.trail.now())
            since = trial["since"] if trial is not None and is_same else self._now_named(document.data)
            begun: JsonObject = {"since": since, "share": share, "by": permit.identity.name, "document": checked}
            before = _audited(current, trial)
            entry = self._agents.store.trail.entry(permit, AGENT_TRIAL, agent_id, before, _audited(current, begun))
            return Plan(entry, self._beginning(permit, document, within, begun, is_same=is_same))

        return await self._saved(permit, agent_id, await self._agents.store.commit(permit.business_id, plan))

    def _beginning(
        self, permit: Permit, document: Document, within: BusinessPaths, begun: JsonObject, *, is_same: bool
    ) -> list[Write]:
        """Return what begins a trial in place of the one that is on, or goes on with that where it `is_same`."""
        note = self._path(within, document.id, begun["since"])
        stamped = {TRIAL: begun, **stamps(permit)}
        if is_same:
            return [Update(document.path, stamped), Set(note, {"share": begun["share"]}, merge=True)]
        now, old = self._agents.store.trail.now(), tried_fields(whole(document.data))
        ending = trial_ending(document.data, within, document.id, "another version is tried", now)
        noted = {
            "agentId": document.id,
            "by": begun["by"],
            "share": begun["share"],
            "old": old,
            "new": begun["document"],
        }
        noted |= {"since": datetime.fromisoformat(begun["since"]), "isOn": True, "endedAt": None, "ended": None}
        return [Update(document.path, ending.fields | stamped), *ending.writes, Set(note, noted)]

    async def stop(self, permit: Permit, agent_id: str, based_on: str | None) -> tuple[JsonObject, Saved]:
        """Have all conversations that begin from now on answered by the agent as it is, and return it.

        Raises:
            NotFound: No version of it is on trial.
        """
        require(based_on)

        async def plan(moment: AgentsSnapshot, within: BusinessPaths) -> Plan:
            document = moment.agent(agent_id)
            self._require_current(document, based_on)
            allow(permit, AGENT_TRIAL, {}, {})
            ending = trial_ending(document.data, within, agent_id, "stopped", self._agents.store.trail.now())
            before = _audited(whole(document.data), running(document.data))
            entry = self._agents.store.trail.entry(permit, AGENT_TRIAL, agent_id, before, None)
            return Plan(entry, [Update(document.path, ending.fields | stamps(permit)), *ending.writes])

        return await self._saved(permit, agent_id, await self._agents.store.commit(permit.business_id, plan))

    async def adopt(self, permit: Permit, agent_id: str, based_on: str | None) -> tuple[JsonObject, Saved]:
        """Have the new version be the agent, for all conversations that begin from now on, and return it.

        Raises:
            NotFound: No version of it is on trial.
            NotValid: It names what is not there any more, such as a tool.
            ToolError: CONFLICT, another version is on trial than was looked at.
        """
        require(based_on)
        document = (await self._agents.store.moment(permit.business_id)).agent(agent_id)
        trial = self._require_current(document, based_on)
        (await self._agents.rules(permit.business_id)).read(whole(document.data) | trial["document"], {})
        return await self._agents.change(
            permit,
            agent_id,
            revision_of(whole(document.data)),
            lambda now: now | trial["document"],
            ends_trial=("adopted", trial["since"]),
        )

    async def listed(self, business_id: str, agent_id: str, page: Page) -> Slice[AgentTrialLook]:
        """Return a page of an agent's trials, the newest first, each counted up to now.

        Raises:
            NotFound: There is no such business or agent.
        """
        (await self._agents.store.moment(business_id)).agent(agent_id)
        return await self._numbers.listed(business_id, agent_id, page)

    def _require_current(self, document: Document, based_on: str | None) -> JsonObject:
        trial, view = running(document.data), trial_view(document.data)
        if revision_of(view) != based_on:
            raise out_of_date(document, view, None)
        if trial is None:
            raise NotFound("No version of this agent is on trial.")
        return trial

    async def _saved(self, permit: Permit, agent_id: str, entry_id: str | None) -> tuple[JsonObject, Saved]:
        shown = await self._agents.one(permit.business_id, agent_id)
        return shown, Saved(None, shown["trialRevision"], entry_id)

    def _now_named(self, agent: Mapping[str, Any]) -> str:
        """Return what names a trial that begins now: by the millisecond, and as no other of the agent's."""
        taken, now = {trial.since for trial in read_trials(agent)}, self._agents.store.trail.now()
        while (named := now.isoformat(timespec="milliseconds").replace("+00:00", "Z")) in taken:
            now += timedelta(milliseconds=1)
        return named

    @staticmethod
    def _path(within: BusinessPaths, agent_id: str, since: str) -> str:
        return within.document("agentTrials", f"{agent_id}~{since}")


def _require_room(moment: AgentsSnapshot) -> None:
    trying = trying_among(moment.agents.values())
    if not has_room(moment.agents.values()):
        raise ToolError(
            ErrorType.CONFLICT,
            f"{', '.join(trying)} have a version on trial already; adopt one of these or stop its trial first.",
        )


def _audited(agent: Mapping[str, Any], trial: Mapping[str, Any] | None) -> JsonObject | None:
    """Return a trial as the audit tells of it: its share, and what is otherwise in what is tried."""
    if trial is None:
        return None
    document = trial["document"]
    otherwise = {name: document.get(name) for name in TRIED if document.get(name) != agent.get(name)}
    return {"since": trial["since"], "share": trial["share"], **otherwise}
