"""What a business sets for its toolkits: public settings beside the connection, secrets encrypted and never shown.

Public settings stand in `businesses/{id}.integrations.{name}` beside `isConnected` and `needsReauth`; secrets are
kept by `integrations/secrets.py`. A toolkit that asks for no consent elsewhere is connected once nothing required is
missing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, Protocol, TypeAlias

from switchboard.admin.refusal import NotFound, NotValid, Problem
from switchboard.admin.toolkit_state import Change, ToolkitState, changed, integrations_of, state_of
from switchboard.catalog.toolkit import Toolkit
from switchboard.catalog.toolkits import Toolkits
from switchboard.contract.business import Business, read_business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import DELETE_FIELD, Document, Missing, Stale, Update

_ATTEMPTS = 5


class SecretKeeper(Protocol):
    """What keeps secrets, the business's own or one agent's; nothing here can read one."""

    async def keep(self, business_id: str, toolkit: str, field: str, value: str, *, agent_id: str = "") -> None:
        """Store one secret, encrypted."""

    async def kept_since(self, business_id: str, toolkit: str, *, agent_id: str = "") -> Mapping[str, datetime]:
        """Return since when each secret of a toolkit is kept."""

    async def forget_field(self, business_id: str, toolkit: str, field: str, *, agent_id: str = "") -> None:
        """Remove one secret."""

    async def forget(self, business_id: str, toolkit: str, *, agent_id: str = "") -> None:
        """Remove every secret of a toolkit."""

    async def forget_agent(self, business_id: str, agent_id: str) -> None:
        """Remove every secret of an agent."""


Probe: TypeAlias = Callable[[Business], Awaitable[None]]
"""Tries a business's account without changing anything; raises `ToolError` where it cannot be used."""
Withdraw: TypeAlias = Callable[[str], Awaitable[object]]
"""Gives a business's consent back to whoever it was given by, and forgets it."""

# What a failed try means to an owner; the errors' own words are for a model in the middle of a call.
_TRIED: Mapping[ErrorType, str] = {
    ErrorType.AUTH: "It refuses what is set here: check the secrets and the account they belong to.",
    ErrorType.TRANSIENT: "It does not answer right now; try again in a moment.",
    ErrorType.RATE_LIMIT: "It takes no more requests right now; try again in a moment.",
}
_UNUSABLE = "It cannot be used with these settings; check each of them."


class ToolkitSettings:
    """The owners' operations. What the store raises passes through."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        secrets: SecretKeeper,
        toolkits: Toolkits,
        forget: Callable[[str], None],
        probes: Mapping[str, Probe] | None = None,
        withdrawals: Mapping[str, Withdraw] | None = None,
    ) -> None:
        """Keep settings in `store` and secrets in `secrets`.

        Args:
            store: Where businesses are.
            paths: Where things are in it.
            secrets: Keeps secrets.
            toolkits: Which there are.
            forget: Lets the catalog read a business anew, so that its tools follow at once.
            probes: Try an account, by the toolkit's name.
            withdrawals: Give a consent back, by the toolkit's name.
        """
        self._store, self._paths, self._secrets, self._forget = store, paths, secrets, forget
        self.toolkits = toolkits
        self._probes, self._withdrawals = probes or {}, withdrawals or {}

    async def all(self, business_id: str) -> list[ToolkitState]:
        """Return every toolkit with what a business has set for it, in the order of their names.

        Raises:
            NotFound: There is no such business.
        """
        document = await self._business(business_id)
        kept = await asyncio.gather(*(self._secrets.kept_since(business_id, t.name) for t in self.toolkits.all))
        return [state_of(t, document.data, since) for t, since in zip(self.toolkits.all, kept, strict=True)]

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
        found = self.toolkits.named(name)
        if found is None:
            known = ", ".join(t.name for t in self.toolkits.all)
            raise NotFound(f"There is no toolkit {name[:80]!r}; there are {known}.")
        return found

    async def change(self, business_id: str, name: str, change: Change) -> ToolkitState:
        """Replace the public settings, keep or take away secrets, and return what then holds.

        Raises:
            NotFound: There is no such business or toolkit.
            NotValid: Something is wrong with what was given; nothing was changed.
        """
        toolkit = self.toolkit(name)
        await self._business(business_id)
        change.checked(toolkit)
        await keep_secrets(self._secrets, business_id, toolkit, change.sensitive)
        return await self._settled(business_id, toolkit, change)

    async def remove(self, business_id: str, name: str) -> None:
        """Disconnect a toolkit and forget its settings and secrets; one that was never set up counts as removed.

        Raises:
            NotFound: There is no such business or toolkit.
        """
        toolkit = self.toolkit(name)
        document = await self._business(business_id)
        if toolkit.integration in integrations_of(document.data):
            # First this: from here on no call uses it, whatever becomes of the rest.
            await self._store.commit([Update(document.path, {f"integrations.{toolkit.integration}": DELETE_FIELD})])
            self._forget(business_id)
        withdraw = self._withdrawals.get(toolkit.name)
        if withdraw is not None:
            await withdraw(business_id)
        await self._secrets.forget(business_id, toolkit.name)

    async def test(self, business_id: str, name: str) -> JsonObject:
        """Try a business's account without changing anything, and return `{ok, message}`.

        Raises:
            NotFound: There is no such business or toolkit.
            NotValid: It cannot be tried, or what it needs is not set yet.
        """
        state = await self.one(business_id, name)
        probe = self._probes.get(state.toolkit.name)
        if probe is None:
            raise NotValid([Problem("toolkit", f"{state.toolkit.display_name} cannot be tried from here.")])
        if state.missing:
            raise NotValid([Problem(m, f"{m} is missing; set it first.") for m in state.missing])
        document = await self._business(business_id)
        try:
            await probe(read_business(business_id, document.data))
        except ToolError as error:
            return {"ok": False, "type": error.type.value, "message": _TRIED.get(error.type, _UNUSABLE)}
        return {"ok": True, "message": "It works."}

    async def _settled(self, business_id: str, toolkit: Toolkit, change: Change) -> ToolkitState:
        for _ in range(_ATTEMPTS):
            # The document before the secrets: whoever commits last has then seen what everybody else kept.
            document = await self._business(business_id)
            since = await self._secrets.kept_since(business_id, toolkit.name)
            data = changed(toolkit, document.data, change, since)
            at = f"integrations.{toolkit.integration}"
            stored = data["integrations"][toolkit.integration]
            fields = {f"{at}.{name}": value for name, value in stored.items()}
            gone = integrations_of(document.data).get(toolkit.integration, {}).keys() - stored.keys()
            fields |= {f"{at}.{name}": DELETE_FIELD for name in gone}
            if not fields:
                return state_of(toolkit, data, since)
            try:
                await self._store.commit([Update(document.path, fields, if_update_time=document.update_time)])
            except (Stale, Missing):
                continue
            self._forget(business_id)
            return state_of(toolkit, data, since)
        raise ToolError(ErrorType.TRANSIENT, "This business is being changed too quickly; save again in a moment.")

    async def _business(self, business_id: str) -> Document:
        found = await self._store.get(self._paths.within(business_id).business)
        if found is None:
            raise NotFound("There is no such business.")
        return found


async def keep_secrets(
    secrets: SecretKeeper, business_id: str, toolkit: Toolkit, values: Mapping[str, Any] | None, agent_id: str = ""
) -> None:
    """Keep the secrets that were given, and take away those that are None."""
    for name, value in (values or {}).items():
        if value is None:
            await secrets.forget_field(business_id, toolkit.name, name, agent_id=agent_id)
        else:
            await secrets.keep(business_id, toolkit.name, name, value, agent_id=agent_id)
