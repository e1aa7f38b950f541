"""The secrets that owners' requests carry by name: entered, listed by name, removed, and never shown again.

They are kept where `desk/tenant_tools/api_secrets.py` looks for them when a request is sent (seed 002, "Security
Notes").
"""

import re
from datetime import datetime

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.documents.redaction import HIDDEN
from switchboard.admin.tenant_tools.store import ToolStore
from switchboard.admin.toolkits.toolkits import SecretKeeper
from switchboard.desk.tenant_tools.api_secrets import TOOLKIT

SECRET = DocumentKind(
    "secret", Operation.CONNECT, lambda paths, id: paths.document("secrets", id), lambda after, before: ()
)
_ANOTHER = "(another)"
"""What the audit says of a value that has taken the place of one: neither is ever in it."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


class ToolSecrets:
    """The owners' operations. What the store raises passes through."""

    def __init__(self, tools: ToolStore, secrets: SecretKeeper) -> None:
        """Keep values in `secrets`; `tools` writes the audit."""
        self._tools, self._secrets = tools, secrets

    async def names(self, business_id: str) -> list[tuple[str, datetime]]:
        """Return the names, in order, each with when its value was entered.

        Raises:
            NotFound: There is no such business.
        """
        await self._tools.owner(business_id)
        return sorted((await self._secrets.kept_since(business_id, TOOLKIT)).items())

    async def keep(self, permit: Permit, name: str, value: str) -> None:
        """Enter a value, which a header can carry, under a name; an earlier one is replaced.

        Raises:
            NotFound: There is no such business.
            NotValid: It cannot be a name.
        """
        if not _NAME.fullmatch(name):
            sentence = "A secret's name is a letter, then up to 63 letters, digits and _."
            raise NotValid([EntryProblem("name", sentence)])
        await self._tools.owner(permit.business_id)
        is_new = name not in await self._secrets.kept_since(permit.business_id, TOOLKIT)
        write = await self._secrets.to_write(permit.business_id, TOOLKIT, {name: value})
        before, after = (None, {"name": name}) if is_new else ({"value": HIDDEN}, {"value": _ANOTHER})
        await self._tools.commit(write, entry=self._tools.entry(permit, SECRET, name, before, after))

    async def forget(self, permit: Permit, name: str) -> None:
        """Remove a secret.

        Raises:
            NotFound: There is no such business or secret.
        """
        await self._tools.owner(permit.business_id)
        if name not in await self._secrets.kept_since(permit.business_id, TOOLKIT):
            raise NotFound("There is no such secret.")
        gone = await self._secrets.to_write(permit.business_id, TOOLKIT, {name: None})
        await self._tools.commit(gone, entry=self._tools.entry(permit, SECRET, name, {"name": name}, None))
