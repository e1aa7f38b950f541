"""The agents of a business, as its owners make, change and remove them: `businesses/{id}/agents/{agentId}`.

Exactly one agent is the default one, from the first on. An entry of the audit that tells how one took another's place
names that other one (`formerDefault`), so that undoing it makes that one the default again.
"""

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.agents.fields import AgentFields, about_limits, agent_kind, whole
from switchboard.admin.agents.removed_trials import TakenTrials, brought_back, taken_along
from switchboard.admin.agents.store import (
    ENDED_TRIAL,
    FORMER_DEFAULT,
    TRIALS,
    VERSION,
    AgentsSnapshot,
    AgentStore,
    Plan,
)
from switchboard.admin.agents.trial_state import TrialEnding, running, trial_ending, trial_view
from switchboard.admin.audit.document_kind import revision_of
from switchboard.admin.audit.revisions import NO_DOCUMENT, Saved, allow, out_of_date, require, stamps
from switchboard.admin.documents.difference import canonical, changed, differences
from switchboard.admin.documents.redaction import HIDDEN, without_secrets
from switchboard.admin.toolkits.toolkits import SecretKeeper
from switchboard.catalog.tenant_tools.toolkits import Toolkits
from switchboard.contract import policy
from switchboard.contract.business.agent_trial import TRIED, tried_fields
from switchboard.contract.business.names import slug
from switchboard.contract.document import mapping
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.model import REHEARSAL
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.store import SERVER_TIME, Create, Delete, Document, Update, Write

_MOST_ATTACHMENTS = 400  # a commit holds 500 writes


class Agents:
    """The owners' operations. What the store raises passes through."""

    def __init__(
        self,
        store: AgentStore,
        secrets: SecretKeeper,
        toolkits: Toolkits,
        built_in: Callable[[], Collection[str]],
        models: Sequence[str] = (REHEARSAL,),
    ) -> None:
        """Keep agents in `store`.

        Args:
            store: Where agents are.
            secrets: Holds what agents keep secret, which leaves with them.
            toolkits: Which there are.
            built_in: Names the built-in tools.
            models: Names the models that speak here: the house's first, then those that agents may choose.
        """
        self.store, self._secrets, self.toolkits, self._built_in = store, secrets, toolkits, built_in
        self.models = models
        self.kind = agent_kind()

    async def all(self, business_id: str) -> list[JsonObject]:
        """Return the agents, by id, each with its revision and the ids of the tenant tools attached to it.

        Raises:
            NotFound: There is no such business.
        """
        moment = await self.store.moment(business_id)
        attached = await self._attachments(business_id)
        return [_shown(document, attached) for document in moment.agents.values()]

    async def one(self, business_id: str, agent_id: str) -> JsonObject:
        """Return one agent.

        Raises:
            NotFound: There is no such business or agent.
        """
        document = (await self.store.moment(business_id)).agent(agent_id)
        return _shown(document, await self._attachments(business_id, agent_id))

    async def create(
        self, permit: Permit, given: Mapping[str, Any], *, attached: Collection[str] = (), undoes: str | None = None
    ) -> tuple[JsonObject, Saved]:
        """Make an agent; the first one is the default one.

        Args:
            permit: Who makes it, and where.
            given: Its fields, and `id` where the owner chooses one; otherwise it is made from the name.
            attached: Ids of tenant tools that it has from the beginning; those that are gone are left out.
            undoes: The audit's entry that this undoes.

        Raises:
            NotValid: Everything that is wrong with the fields.
            Forbidden: The role is not enough for them.
            ToolError: CONFLICT, there is an agent of that id, or there are too many.
        """
        fields = {name: value for name, value in given.items() if name != "id"}
        own = await self.store.own_tools(permit.business_id)
        checked = self._rules_with(own).read(fields, {})
        agent_id = given.get("id") or _id(checked["name"])
        attached_own = [id for id in attached if id in own]

        async def plan(moment: AgentsSnapshot, within: BusinessPaths) -> Plan:
            if agent_id in moment.agents:
                raise ToolError(ErrorType.CONFLICT, f"There is an agent {agent_id!r} already; choose another id.")
            if len(moment.agents) >= policy.AGENTS:
                raise ToolError(ErrorType.CONFLICT, f"A business has at most {policy.AGENTS} agents.")
            beside = list(about_limits(fields, {}, moment.business.data))
            if beside:
                raise NotValid(beside)
            becomes_default = checked["isDefault"] or moment.default is None
            document = checked | {"isDefault": becomes_default}
            allow(permit, self.kind, {}, document)
            trials = await self._trials_again(permit, moment, within, agent_id, undoes, checked)
            stamped = {**document, **trials.kept, "createdAt": SERVER_TIME, **stamps(permit)}
            made = Create(within.document("agents", agent_id), stamped)
            rows = [_attachment(within, agent_id, tool_id) for tool_id in attached_own]
            entry = _holding(self.store.trail.entry(permit, self.kind, agent_id, None, document, undoes), document)
            entry = _naming_former(entry, moment, agent_id, becomes_default)
            return Plan(entry, [made, *rows, *trials.writes, *_others(moment, agent_id, becomes_default)])

        return await self._saved(permit, agent_id, await self.store.commit(permit.business_id, plan))

    async def change(
        self,
        permit: Permit,
        agent_id: str,
        based_on: str | None,
        edit: Callable[[JsonObject], Mapping[str, Any]],
        *,
        undoes: str | None = None,
        ends_trial: tuple[str, str | None] | None = None,
    ) -> tuple[JsonObject, Saved]:
        """Change an agent from its fields into what `edit` makes of them, and return it.

        An `isDefault` that `edit` leaves out stays as it is. `ends_trial` says by which deed a trial of it ends in the
        same moment, and perhaps which one, by `since`; without it, what is on trial is not changed.

        Raises:
            RevisionMissing, OutOfDate, Forbidden: See `Revisions.change`.
            NotFound: There is no such business or agent.
            NotValid: What `edit` makes of it cannot be kept, or would leave the business without a default agent.
            ToolError: CONFLICT, it undoes that this became the default agent, and the one before it is gone; or a
                version of it is on trial, or another one than is to end.
        """
        require(based_on)
        rules = await self.rules(permit.business_id)

        async def plan(moment: AgentsSnapshot, within: BusinessPaths) -> Plan | None:
            document = moment.agent(agent_id)
            current, is_default = whole(document.data), moment.default in (agent_id, None)
            edited = {"isDefault": is_default, **edit(current)}
            if revision_of(current) != based_on:
                raise out_of_date(document, current, edited)
            checked = rules.read(edited, document.data, moment.business.data)
            back: Sequence[Write] = ()
            if is_default and not checked["isDefault"]:
                back = await self._former_again(permit, moment, undoes)
                if not back:
                    raise NotValid(
                        [EntryProblem("isDefault", "isDefault: make another agent the default one instead.")]
                    )
            allow(permit, self.kind, current, checked)
            if not any(changed(current, checked)) and (ends_trial is None or running(document.data) is None):
                return None
            ending = self._trial_ended(document, within, checked, ends_trial)
            entry = _holding(self.store.trail.entry(permit, self.kind, agent_id, current, checked, undoes), checked)
            entry = _naming_former(entry, moment, agent_id, checked["isDefault"])
            if ending.fields:
                entry = replace(entry, data={**entry.data, ENDED_TRIAL: ending.since})
            change = Update(document.path, checked | ending.fields | stamps(permit))
            return Plan(entry, [change, *ending.writes, *back, *_others(moment, agent_id, checked["isDefault"])])

        return await self._saved(permit, agent_id, await self.store.commit(permit.business_id, plan))

    def _trial_ended(
        self, document: Document, within: BusinessPaths, checked: JsonObject, ends_trial: tuple[str, str | None] | None
    ) -> TrialEnding:
        """Return what ends the trial that is on, as asked for; nothing where none is on, or it may go on.

        Raises:
            ToolError: CONFLICT, what is on trial is changed and the trial is not to end, or another one is on.
        """
        trial, current = running(document.data), whole(document.data)
        deed, since = ends_trial or ("", None)
        if since is not None and (trial is None or trial["since"] != since):
            raise ToolError(ErrorType.CONFLICT, "Another version is on trial by now, or none; look at it again.")
        if trial is None:
            return TrialEnding({})
        if not deed:
            touched = [name for name in TRIED if canonical(checked[name]) != canonical(current[name])]
            if touched:
                raise ToolError(
                    ErrorType.CONFLICT,
                    f"A version of this agent is on trial beside what it says now. Adopt it or stop its trial, then "
                    f"change {', '.join(touched)}.",
                )
            return TrialEnding({})
        return trial_ending(document.data, within, document.id, deed, self.store.trail.now())

    async def remove(self, permit: Permit, agent_id: str, based_on: str | None, *, undoes: str | None = None) -> Saved:
        """Remove an agent with its attachments and its secrets.

        Raises:
            RevisionMissing, OutOfDate, Forbidden: See `Revisions.delete`.
            NotFound: There is no such business or agent.
            ToolError: CONFLICT, it is the default one among several (also where undoing that it was made finds the
                one before it gone), or Vapi's mirror of it still has tools of ours,
                which must be detached first.
        """
        require(based_on)
        business_id = permit.business_id

        async def plan(moment: AgentsSnapshot, within: BusinessPaths) -> Plan:
            document = moment.agent(agent_id)
            current = whole(document.data)
            if revision_of(current) != based_on:
                raise out_of_date(document, current, None)
            back: Sequence[Write] = ()
            if moment.default == agent_id and len(moment.agents) > 1:
                back = await self._former_again(permit, moment, undoes)
            if moment.default == agent_id and len(moment.agents) > 1 and not back:
                raise ToolError(ErrorType.CONFLICT, "This is the default agent; make another one the default first.")
            allow(permit, self.kind, current, {})
            rows = await self.store.attached(business_id, agent_id)
            _require_detachable(rows, await self.store.own_tools(business_id) if rows else {})
            secrets = await self._secrets.to_forget_agent(business_id, agent_id)
            own: JsonObject = {"attachedTools": sorted(str(row.data.get("toolId")) for row in rows)} if rows else {}
            # Says that there were some, and thereby that removing it cannot be undone.
            own |= {"sensitiveConfig": HIDDEN} if secrets else {}
            entry = self.store.trail.entry(permit, self.kind, agent_id, current | own, None, undoes)
            gone = [Delete(document.path, must_exist=True), *(Delete(row.path) for row in rows)]
            taken = taken_along(document, await self.store.trials(business_id, document))
            entry = replace(entry, data={**entry.data, TRIALS: taken.kept} if taken.kept else entry.data)
            return Plan(entry, [*gone, *taken.writes, *secrets, *back])

        return Saved(None, NO_DOCUMENT, await self.store.commit(business_id, plan))

    async def _trials_again(
        self,
        permit: Permit,
        moment: AgentsSnapshot,
        within: BusinessPaths,
        agent_id: str,
        undoes: str | None,
        checked: JsonObject,
    ) -> TakenTrials:
        """Return the trials that the removal which is undone has taken; nothing if none."""
        kept = await self.store.removed_trials(permit.business_id, undoes) if undoes is not None else {}
        is_sound, trial = True, running({**checked, **mapping(kept.get("agent"))})
        if trial is not None:
            try:
                (await self.rules(permit.business_id)).read(checked | trial["document"], {}, moment.business.data)
            except NotValid:
                is_sound = False
        others, now = list(moment.agents.values()), self.store.trail.now()
        return brought_back(kept, checked, others, within, agent_id, now=now, is_sound=is_sound)

    async def _former_again(self, permit: Permit, moment: AgentsSnapshot, undoes: str | None) -> Sequence[Write]:
        """Return what makes the agent the default one again whose place was taken by what is undone; nothing if none.

        Raises:
            ToolError: CONFLICT, that agent is gone.
        """
        former = await self.store.former_default(permit.business_id, undoes) if undoes is not None else None
        if former is None:
            return ()
        if former not in moment.agents:
            raise ToolError(
                ErrorType.CONFLICT,
                f"The agent that was the default one before, {former!r}, is gone; make another agent the default one.",
            )
        return [Update(moment.agents[former].path, {"isDefault": True, "updatedAt": SERVER_TIME})]

    async def _saved(self, permit: Permit, agent_id: str, entry_id: str | None) -> tuple[JsonObject, Saved]:
        shown = await self.one(permit.business_id, agent_id)
        return shown, Saved(None, shown["revision"], entry_id)

    async def rules(self, business_id: str) -> AgentFields:
        """Return what checks agents of a business, with the tools that it has now."""
        return self._rules_with(await self.store.own_tools(business_id))

    def _rules_with(self, own: Mapping[str, str]) -> AgentFields:
        return AgentFields(self.toolkits, {*own.values(), *self._built_in()}, self.models)

    async def _attachments(self, business_id: str, agent_id: str | None = None) -> Mapping[str, list[str]]:
        by_name: dict[str, list[str]] = {}
        for row in await self.store.attached(business_id, agent_id):
            by_name.setdefault(str(row.data.get("agentId")), []).append(str(row.data.get("toolId")))
        return by_name


def _others(moment: AgentsSnapshot, agent_id: str, is_default: bool) -> list[Write]:
    """Return the writes that leave no other agent as the default one."""
    others = [d for id, d in moment.agents.items() if id != agent_id and d.data.get("isDefault") is True]
    return [Update(d.path, {"isDefault": False, "updatedAt": SERVER_TIME}) for d in others if is_default]


def _holding(entry: Create, agent: JsonObject) -> Create:
    """Return an audit's entry that also holds the agent as it is from then on, to be gone back to."""
    return replace(entry, data={**entry.data, VERSION: without_secrets(agent)})


def _naming_former(entry: Create, moment: AgentsSnapshot, agent_id: str, is_default: bool) -> Create:
    """Return an audit's entry that also names the agent whose place as the default one is taken, if one is."""
    if not is_default or moment.default in (agent_id, None):
        return entry
    return replace(entry, data={**entry.data, FORMER_DEFAULT: moment.default})


def _attachment(within: BusinessPaths, agent_id: str, tool_id: str) -> Write:
    row = {"agentId": agent_id, "toolId": tool_id, "isVapiAttached": False, "attachedAt": SERVER_TIME}
    return Create(within.document("agentTools", f"{agent_id}~{tool_id}"), row)


def _require_detachable(rows: Sequence[Document], names: Mapping[str, str]) -> None:
    ids = [str(d.data.get("toolId")) for d in rows if d.data.get("isVapiAttached") is True]
    mirrored = [names.get(id, id) for id in ids]
    if mirrored or len(rows) > _MOST_ATTACHMENTS:
        named = ", ".join(mirrored[:20]) or f"{len(rows)} tools"
        raise ToolError(ErrorType.CONFLICT, f"Detach its tools first, so that Vapi forgets them too: {named}.")


def _shown(document: Document, attached: Mapping[str, list[str]]) -> JsonObject:
    fields, view = whole(document.data), trial_view(document.data)
    own: JsonObject = {"attachedTools": sorted(attached.get(document.id, ()))}
    trial = running(document.data)
    if trial is not None:
        lines = [str(one) for one in differences(tried_fields(fields), trial["document"])]
        own["trial"] = {"since": trial["since"], "share": trial["share"], "by": trial["by"], "changes": lines}
        own["trial"] |= {"fields": trial["document"]}
    shown = {"id": document.id, "trial": None, **fields, **own}
    return shown | {"revision": revision_of(fields), "trialRevision": revision_of(view)}


def _id(name: str) -> str:
    return slug(name)[:40].strip("-") or f"agent-{secrets.token_hex(4)}"
