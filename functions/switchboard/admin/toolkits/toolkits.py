"""What a business sets for its toolkits: public settings beside the connection, secrets encrypted and never shown.

Public settings stand in `businesses/{id}.integrations.{name}` beside `isConnected` and `needsReauth`; secrets are
kept by `integrations/secrets/sealed_secrets.py`. A toolkit that asks for no consent elsewhere is connected once nothing
required is missing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeAlias

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import business_document
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.revisions import Saved, again_where_late, require
from switchboard.admin.audit.trail import AuditTrail, id_of
from switchboard.admin.documents.difference import canonical
from switchboard.admin.toolkits.state import (
    ToolkitChange,
    ToolkitState,
    integrations_of,
    names_after,
    settled,
    stale,
    state_of,
    told,
    wanted,
)
from switchboard.catalog.offer.phone_numbers import LISTED_AT, noted_listing
from switchboard.catalog.tenant_tools.toolkit import Toolkit
from switchboard.catalog.tenant_tools.toolkits import Toolkits
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.business.own_addresses import TOOLKIT as NUMBERS
from switchboard.contract.error import ErrorType, ToldToOwner, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import DELETE_FIELD, SERVER_TIME, Document, Update, Write

TOOLKIT = DocumentKind("toolkit", Operation.CONNECT, lambda paths, id: paths.business, lambda after, before: ())


class SecretKeeper(Protocol):
    """What keeps secrets, the business's own or one agent's; nothing here can read one.

    It returns writes rather than doing them, so that a secret changes in the commit that the audit tells of.
    """

    async def kept_since(self, business_id: str, toolkit: str, *, agent_id: str = "") -> Mapping[str, datetime]:
        """Return since when each secret of a toolkit is kept."""

    async def to_write(
        self, business_id: str, toolkit: str, values: Mapping[str, str | None], *, agent_id: str = ""
    ) -> Write:
        """Return the write that keeps secrets, encrypted, and takes away those that are None."""

    def to_forget(self, business_id: str, toolkit: str, *, agent_id: str = "") -> Write:
        """Return the write that removes every secret of a toolkit."""

    async def to_forget_agent(self, business_id: str, agent_id: str) -> Sequence[Write]:
        """Return the writes that remove every secret of an agent."""


Probe: TypeAlias = Callable[[Business], Awaitable[None]]
"""Tries a business's account without changing anything; raises `ToolError` where it cannot be used, or `ToldToOwner`
where it knows what the owner can do about it."""
Held: TypeAlias = Callable[[Permit, Document, JsonObject, Mapping[str, str | None]], Awaitable[Sequence[EntryProblem]]]
"""Returns what is wrong with a change by what other businesses have: who wants it, the business as it is stored, its
fields as they are to be, and the secrets that change."""
Withdraw: TypeAlias = Callable[[str], Awaitable[Callable[[], Awaitable[object]]]]
"""Reads a business's consent while it is kept, and returns what gives it back, once it is forgotten, to whoever gave
it."""

# What a failed try means to an owner; the errors' own words are for a model in the middle of a call.
_TRIED: Mapping[ErrorType, str] = {
    ErrorType.AUTH: "It refuses what is set here: check the secrets and the account they belong to.",
    ErrorType.TRANSIENT: "It does not answer right now; try again in a moment.",
    ErrorType.RATE_LIMIT: "It takes no more requests right now; try again in a moment.",
}
_UNUSABLE = "It cannot be used with these settings; check each of them."


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is about to become of a toolkit: fields of the business, what then is set, and what secrets change.

    With `forgets_all` the secrets are not taken out one by one: nothing stays of where they were kept. `data` are all
    fields of the business as they are to be, where something is set.
    """

    fields: JsonObject
    then: ToolkitState
    secrets: Mapping[str, str | None]
    forgets_all: bool = False
    data: JsonObject | None = None

    def told(self, now: ToolkitState) -> tuple[JsonObject, JsonObject]:
        """Return what the audit says: the owner's part, or else what the change does to the connection."""
        before, after = told((now.config, self.then.config), now.since, self.secrets)
        if canonical(before) != canonical(after):
            return before, after
        return _connection(now), _connection(self.then)


class ToolkitSettings:
    """The owners' operations. What the store raises passes through."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        trail: AuditTrail,
        secrets: SecretKeeper,
        toolkits: Toolkits,
        forget: Callable[[str], None],
        probes: Mapping[str, Probe] | None = None,
        withdrawals: Mapping[str, Withdraw] | None = None,
        held: Mapping[str, Held] | None = None,
    ) -> None:
        """Keep settings in `store` and secrets in `secrets`.

        Args:
            store: Where businesses are.
            paths: Where things are in it.
            trail: Writes the audit.
            secrets: Keeps secrets.
            toolkits: Which there are.
            forget: Lets the catalog read a business anew, so that its tools follow at once.
            probes: Try an account, by the toolkit's name.
            withdrawals: Give a consent back, by the toolkit's name.
            held: Hold a change against other businesses, by the toolkit's name.
        """
        self._store, self._paths, self._trail = store, paths, trail
        self._secrets, self._forget = secrets, forget
        self.toolkits = toolkits
        self._probes, self._withdrawals = probes or {}, withdrawals or {}
        self._held = held or {}

    async def all(self, business_id: str) -> list[ToolkitState]:
        """Return every toolkit with what a business has set for it, in the order of their names.

        Raises:
            NotFound: There is no such business.
        """
        document = await self._business(business_id)
        secrets_since = await asyncio.gather(
            *(self._secrets.kept_since(business_id, t.name) for t in self.toolkits.all)
        )
        return [state_of(t, document.data, since) for t, since in zip(self.toolkits.all, secrets_since, strict=True)]

    async def one(self, business_id: str, name: str) -> ToolkitState:
        """Return one toolkit with what a business has set for it.

        Raises:
            NotFound: There is no such business or toolkit.
        """
        toolkit = self.toolkit(name)
        document = await self._business(business_id)
        return state_of(toolkit, document.data, await self._secrets.kept_since(business_id, toolkit.name))

    def toolkit(self, name: str) -> Toolkit:
        """Return a toolkit.

        Raises:
            NotFound: There is none of that name; the message names those there are.
        """
        toolkit_named = self.toolkits.named(name)
        if toolkit_named is None:
            known = ", ".join(t.name for t in self.toolkits.all)
            raise NotFound(f"There is no toolkit {name[:80]!r}; there are {known}.")
        return toolkit_named

    async def change(
        self, permit: Permit, name: str, based_on: str | None, change: ToolkitChange, *, undoes: str | None = None
    ) -> tuple[ToolkitState, Saved]:
        """Replace the public settings, keep or take away secrets, and return what then holds.

        Raises:
            RevisionMissing, OutOfDate: See `Revisions.change`.
            NotFound: There is no such business or toolkit.
            NotValid: Something is wrong with what was given; nothing was changed.
        """
        toolkit = self.toolkit(name)
        require(based_on)
        entry_id = await self._settled(permit, toolkit, based_on, change.spelled(toolkit), undoes)
        state = await self.one(permit.business_id, name)
        return state, Saved(None, state.revision, entry_id)

    async def remove(self, permit: Permit, name: str, based_on: str | None, *, undoes: str | None = None) -> Saved:
        """Disconnect a toolkit and forget its settings and secrets; one that was never set up counts as removed.

        Raises:
            RevisionMissing, OutOfDate: See `Revisions.delete`.
            NotFound: There is no such business or toolkit.
        """
        toolkit, business_id = self.toolkit(name), permit.business_id
        require(based_on)
        withdraw = self._withdrawals.get(toolkit.name)
        # Read first, since it is needed for giving it back. The revision tells whether it is another one by then.
        give_back = await withdraw(business_id) if withdraw is not None else None
        entry_id = await self._taken_away(permit, toolkit, based_on, undoes)
        if give_back is not None:
            await give_back()
        state = await self.one(business_id, name)
        return Saved(None, state.revision, entry_id)

    async def test(self, business_id: str, name: str) -> JsonObject:
        """Try a business's account without changing anything, and return `{ok, message}`.

        Raises:
            NotFound: There is no such business or toolkit.
            NotValid: It cannot be tried, or what it needs is not set yet.
        """
        state = await self.one(business_id, name)
        probe = self._probes.get(state.toolkit.name)
        if probe is None:
            raise NotValid([EntryProblem("toolkit", f"{state.toolkit.display_name} cannot be tried from here.")])
        if state.missing:
            raise NotValid([EntryProblem(m, f"{m} is missing; set it first.") for m in state.missing])
        document = await self._business(business_id)
        try:
            await probe(read_business(business_id, document.data))
        except ToldToOwner as error:
            return {"ok": False, "type": error.type.value, "message": error.message}
        except ToolError as error:
            return {"ok": False, "type": error.type.value, "message": _TRIED.get(error.type, _UNUSABLE)}
        return {"ok": True, "message": "It works."}

    async def _settled(
        self, permit: Permit, toolkit: Toolkit, based_on: str | None, change: ToolkitChange, undoes: str | None
    ) -> str | None:
        def plan(document: Document, state: ToolkitState) -> _Plan:
            if state.revision != based_on:
                raise stale(state.revision, state.owned, wanted(state.config, state.since, change))
            change.checked(toolkit)
            if problems := change.led_elsewhere(toolkit, state):
                raise NotValid(problems)
            secrets = change.effective(state.since)
            data = settled(toolkit, document.data, change, names_after(state.since, secrets))
            if toolkit.integration == NUMBERS:
                after = data["integrations"][NUMBERS]
                after.pop(LISTED_AT, None)
                noted = noted_listing(document, after)
                after |= {LISTED_AT: noted} if noted else {}
            return _Plan(_fields(toolkit, document.data, data), state_of(toolkit, data, {}), secrets, data=data)

        return await self._committed(permit, toolkit, plan, undoes)

    async def _taken_away(
        self, permit: Permit, toolkit: Toolkit, based_on: str | None, undoes: str | None
    ) -> str | None:
        def plan(document: Document, state: ToolkitState) -> _Plan:
            if state.revision != based_on:
                raise stale(state.revision, state.owned, None)
            is_there = toolkit.integration in integrations_of(document.data)
            fields: JsonObject = {f"integrations.{toolkit.integration}": DELETE_FIELD} if is_there else {}
            return _Plan(fields, state_of(toolkit, {}, {}), dict.fromkeys(state.since), forgets_all=True)

        return await self._committed(permit, toolkit, plan, undoes)

    @again_where_late
    async def _committed(
        self,
        permit: Permit,
        toolkit: Toolkit,
        plan: Callable[[Document, ToolkitState], "_Plan"],
        undoes: str | None,
    ) -> str | None:
        business_id = permit.business_id
        document = await self._business(business_id)
        state = state_of(toolkit, document.data, await self._secrets.kept_since(business_id, toolkit.name))
        planned = plan(document, state)
        before, after = planned.told(state)
        if canonical(before) == canonical(after):
            return None
        await self._require_free(permit, toolkit, document, planned)
        entry = self._trail.entry(permit, TOOLKIT, toolkit.name, before, after, undoes)
        # The document, whatever is changed: of two who change something in one moment, one is then too late.
        fields = planned.fields | {"updatedAt": SERVER_TIME}
        writes: list[Write] = [Update(document.path, fields, if_update_time=document.update_time)]
        if planned.forgets_all:
            writes.append(self._secrets.to_forget(business_id, toolkit.name))
        elif planned.secrets:
            writes.append(await self._secrets.to_write(business_id, toolkit.name, planned.secrets))
        await self._trail.commit(entry, writes)
        self._forget(business_id)
        return id_of(entry)

    async def _require_free(self, permit: Permit, toolkit: Toolkit, document: Document, planned: _Plan) -> None:
        held = self._held.get(toolkit.name)
        if held is not None and planned.data is not None:
            problems = await held(permit, document, planned.data, planned.secrets)
            if problems:
                raise NotValid(problems)

    async def _business(self, business_id: str) -> Document:
        return await business_document(self._store, self._paths.within(business_id))


def _connection(state: ToolkitState) -> JsonObject:
    return {"isConnected": state.is_connected, "needsReauth": state.needs_reauth}


def _fields(toolkit: Toolkit, before: Mapping[str, Any], after: Mapping[str, Any]) -> JsonObject:
    """Return what is to be updated in a business, so that what else stands there is left alone."""
    at, stored = f"integrations.{toolkit.integration}", after["integrations"][toolkit.integration]
    gone = integrations_of(before).get(toolkit.integration, {}).keys() - stored.keys()
    return {f"{at}.{name}": value for name, value in stored.items()} | {f"{at}.{name}": DELETE_FIELD for name in gone}
