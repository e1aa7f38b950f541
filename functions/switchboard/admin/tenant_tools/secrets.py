"""The secrets that owners' requests carry by name: entered, listed by name, removed, and never shown again.

They are kept where `desk/tenant_tools/api_secrets.py` looks for them when a request is sent (seed 002, "Security
Notes").
"""

import re
from collections.abc import Callable
from datetime import datetime

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid, OutOfDate
from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.document_kind import DocumentKind, revision_of
from switchboard.admin.audit.revisions import NO_DOCUMENT, again_where_late
from switchboard.admin.documents.redaction import HIDDEN
from switchboard.admin.tenant_tools.creation import guard
from switchboard.admin.tenant_tools.store import ToolStore
from switchboard.admin.toolkits.toolkits import SecretKeeper
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.tenant_tools.api_secrets import TOOLKIT

SECRET = DocumentKind(
    "secret", Operation.CONNECT, lambda paths, id: paths.document("secrets", id), lambda after, before: ()
)
SHORT = (
    "It is kept. It is so short that it cannot be hidden well: if the service repeats it, it is taken out only where "
    "it stands alone. Have the service give you a longer one, of at least 12 characters, if it can."
)
"""What an owner is told who enters a short secret."""
_ANOTHER = "(another)"
"""What the audit says of a value that has taken the place of one: neither is ever in it."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class SecretListed:
    """A secret as it is listed; its revision is another one each time that a value is entered."""

    name: str
    since: datetime
    revision: str


class ToolSecrets:
    """The owners' operations. What the store raises passes through."""

    def __init__(self, tools: ToolStore, secrets: SecretKeeper) -> None:
        """Keep values in `secrets`; `tools` writes the audit."""
        self._tools, self._secrets = tools, secrets

    async def names(self, business_id: str) -> list[SecretListed]:
        """Return the names, in order, each with when its value was entered.

        Raises:
            NotFound: There is no such business.
        """
        await self._tools.owner(business_id)
        known = await self._secrets.kept_since(business_id, TOOLKIT)
        return [SecretListed(name, since, _revision(since)) for name, since in sorted(known.items())]

    async def keep(self, permit: Permit, name: str, value: str, based_on: str | None = None) -> str:
        """Enter a value, which a header can carry, under a name, and return its revision; an earlier one is replaced.

        Raises:
            NotFound: There is no such business.
            NotValid: It cannot be a name.
            OutOfDate: `based_on` says another revision than there is now.
        """
        if not _NAME.fullmatch(name):
            sentence = "A secret's name is a letter, then up to 63 letters, digits and _."
            raise NotValid([EntryProblem("name", sentence)])

        def told(since: datetime | None) -> tuple[JsonObject | None, JsonObject | None]:
            return (None, {"name": name}) if since is None else ({"value": HIDDEN}, {"value": _ANOTHER})

        await self._written(permit, name, value, based_on, told)
        return _revision((await self._secrets.kept_since(permit.business_id, TOOLKIT)).get(name))

    async def forget(self, permit: Permit, name: str, based_on: str | None = None) -> None:
        """Remove a secret.

        Raises:
            NotFound: There is no such business or secret.
            OutOfDate: `based_on` says another revision than there is now.
        """

        def told(since: datetime | None) -> tuple[JsonObject | None, JsonObject | None]:
            if since is None:
                raise NotFound("There is no such secret.")
            return {"name": name}, None

        await self._written(permit, name, None, based_on, told)

    @again_where_late
    async def _written(
        self,
        permit: Permit,
        name: str,
        value: str | None,
        based_on: str | None,
        told: Callable[[datetime | None], tuple[JsonObject | None, JsonObject | None]],
    ) -> None:
        """Keep a value, or with None none, unless it is another one by the commit than the change is based on."""
        business_id = permit.business_id
        owner = await self._tools.owner(business_id)
        since = (await self._secrets.kept_since(business_id, TOOLKIT)).get(name)
        before, after = told(since)
        _require(name, based_on, since)
        write = await self._secrets.to_write(business_id, TOOLKIT, {name: value})
        entry = self._tools.entry(permit, SECRET, name, before, after)
        # Whoever changes a secret touches the business: of two in one moment, one is then too late.
        await self._tools.commit(write, guard(owner), entry=entry)


def _revision(since: datetime | None) -> str:
    # Of when it was entered: the value itself is told nobody, not even as a hash.
    return NO_DOCUMENT if since is None else revision_of({"since": since.isoformat()})


def _require(name: str, based_on: str | None, since: datetime | None) -> None:
    """Let a change through that is based on what is there, or does not say on what."""
    if based_on and based_on != _revision(since):
        current = None if since is None else {"name": name, "since": since.isoformat()}
        raise OutOfDate(_revision(since), current, None)
