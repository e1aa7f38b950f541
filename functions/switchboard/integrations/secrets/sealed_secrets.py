"""What businesses keep secret, encrypted at rest: `businesses/{id}/secrets/{toolkit}` as `{fields: {name: sealed}}`.

Envelope encryption: AES-256-GCM under a data key of the business's own, which is stored wrapped by a
`KeyKeeper` (`data_keys`). Tenant, toolkit, field and key version are associated data, and so is the agent where a
secret is one agent's own (`secrets/{toolkit}~{agentId}`), so that a ciphertext that was moved does not open elsewhere.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from switchboard.contract.error import ErrorType, ToldToOwner, ToolError
from switchboard.contract.observability.hidden import hide
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import (
    DELETE_FIELD,
    SERVER_TIME,
    Delete,
    Document,
    Filter,
    Missing,
    Query,
    Set,
    Stale,
    Update,
    Write,
)
from switchboard.integrations.secrets.data_keys import KEYS_DOCUMENT, NONCE_BYTES, DataKeys, OpenedKey
from switchboard.integrations.secrets.kms import KeyKeeper

_ATTEMPTS = 3
_NOTHING_KEPT = (
    "Nothing can be kept secret now, so nothing was saved, and what was kept before stays. The key that keeps secrets "
    "is not in order: whoever runs this system finds out why with scripts/secrets check."
)
_NAME = re.compile(r"^[A-Za-z][A-Za-z0-9_]{0,63}$")


class Revealed(str):
    """A secret in clear: text that works as such, and does not show itself in `repr`, and so in no record's either."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'[secret]'"


class SealedSecrets:
    """Keeps secrets in the store. Whatever the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, keeper: KeyKeeper) -> None:
        """Keep in `store` what only `keeper` can open."""
        self._store, self._paths = store, paths
        self._keys = DataKeys(store, paths, keeper)

    async def reveal(self, business_id: str, toolkit: str, field: str, *, agent_id: str = "") -> Revealed | None:
        """Return one secret in clear, or None where there is none.

        With an agent, its own one is meant, or else the business's.

        Raises:
            ToldToOwner: AUTH, it does not open in this place, since it was damaged or moved; PERMANENT, the key keeper
                cannot open this business's keys any more.
            ToolError: TRANSIENT, the key keeper cannot be asked right now.
        """
        return (await self.reveal_several(business_id, toolkit, (field,), agent_id=agent_id))[field]

    async def reveal_several(
        self, business_id: str, toolkit: str, fields: Sequence[str], *, agent_id: str = ""
    ) -> dict[str, Revealed | None]:
        """Return several secrets of a toolkit in clear, by field, as `reveal` does each: they cost one read.

        Raises:
            ToolError: As `reveal`.
        """
        owners = (agent_id, "") if agent_id else ("",)
        places = {self._path(business_id, toolkit, field, owner): owner for owner in owners for field in fields}
        *documents, keys = await self._store.get_many([*places, self._keys.path(business_id)])
        owned = list(zip(places.values(), documents, strict=True))
        return {field: await self._revealed(business_id, toolkit, field, owned, keys) for field in fields}

    async def _revealed(
        self,
        business_id: str,
        toolkit: str,
        field: str,
        owned: Sequence[tuple[str, Document | None]],
        keys: Document | None,
    ) -> Revealed | None:
        for owner, document in owned:
            sealed = document.data.get("fields", {}).get(field) if document else None
            if sealed is None:
                continue
            version = sealed.get("keyVersion") if isinstance(sealed, Mapping) else None
            try:
                key = await self._keys.of_version(business_id, version, keys)
            except ToolError as error:
                if error.type is not ErrorType.PERMANENT:
                    raise
                raise _will_not_open(toolkit, field, error.detail, ErrorType.PERMANENT) from None
            if key is None:
                raise _will_not_open(toolkit, field, f"no data key of version {version!r}")
            return _open(key, (business_id, toolkit, field, owner), sealed)
        return None

    async def keep(self, business_id: str, toolkit: str, field: str, value: str, *, agent_id: str = "") -> None:
        """Store one secret, encrypted under the business's newest key; an earlier one is replaced.

        Raises:
            ToolError: As `to_write`.
        """
        await self._store.commit([await self.to_write(business_id, toolkit, {field: value}, agent_id=agent_id)])

    async def to_write(
        self, business_id: str, toolkit: str, values: Mapping[str, str | None], *, agent_id: str = ""
    ) -> Write:
        """Return the write that keeps secrets, encrypted, and takes away those that are None; for a commit of more.

        Raises:
            ToolError: PERMANENT or TRANSIENT, the key keeper can keep nothing, for good or right now.
        """
        path = self._path(business_id, toolkit, agent_id=agent_id)
        fields: dict[str, Any] = {}
        for field, value in values.items():
            self._path(business_id, toolkit, field)
            fields[field] = DELETE_FIELD
            if value is not None:
                key = await self._key_to_keep_with(business_id)
                nonce = os.urandom(NONCE_BYTES)
                bound = _bound_to(business_id, toolkit, field, key.version, agent_id)
                text = key.cipher.encrypt(nonce, value.encode("utf-8", "surrogatepass"), bound)
                fields[field] = {"keyVersion": key.version, "nonce": nonce, "text": text}
        times = {field: DELETE_FIELD if value is None else SERVER_TIME for field, value in values.items()}
        owner = {"agentId": agent_id} if agent_id else {}
        return Set(path, {"fields": fields, "keptAt": times, "updatedAt": SERVER_TIME} | owner, merge=True)

    async def _key_to_keep_with(self, business_id: str) -> OpenedKey:
        try:
            return await self._keys.newest(business_id)
        except ToolError as error:
            if error.type is not ErrorType.PERMANENT:
                raise
            raise ToolError(ErrorType.PERMANENT, _NOTHING_KEPT, detail=error.detail) from None

    async def replace(self, business_id: str, toolkit: str, field: str, value: str, *, instead_of: str) -> bool:
        """Put a secret in the place of another in one write, and tell whether that one was still kept.

        Since when it is kept stays: it is the same permission in other letters.

        Raises:
            ToolError: As `reveal`.
        """
        path = self._path(business_id, toolkit, field)
        for _ in range(_ATTEMPTS):
            document = await self._store.get(path)
            if document is None or await self.reveal(business_id, toolkit, field) != instead_of:
                return False
            existing = await self.to_write(business_id, toolkit, {field: value})
            assert isinstance(existing, Set)
            changes = {f"fields.{field}": existing.data["fields"][field], "updatedAt": SERVER_TIME}
            with suppress(Missing, Stale):
                await self._store.commit([Update(path, changes, if_update_time=document.update_time)])
                return True
        return False

    async def kept_since(self, business_id: str, toolkit: str, *, agent_id: str = "") -> dict[str, datetime]:
        """Return since when each secret of a toolkit is kept, by field: all that anybody is shown of one."""
        document = await self._store.get(self._path(business_id, toolkit, agent_id=agent_id))
        if document is None:
            return {}
        times = document.data.get("keptAt") or {}
        return {field: times.get(field) or document.update_time for field in document.data.get("fields") or {}}

    async def forget(self, business_id: str, toolkit: str, *, agent_id: str = "") -> None:
        """Remove every secret of a toolkit; the business's own, or those of one agent."""
        await self._store.commit([self.to_forget(business_id, toolkit, agent_id=agent_id)])

    def to_forget(self, business_id: str, toolkit: str, *, agent_id: str = "") -> Write:
        """Return the write that removes every secret of a toolkit, as `forget` does; for a commit of more."""
        return Delete(self._path(business_id, toolkit, agent_id=agent_id))

    async def to_forget_agent(self, business_id: str, agent_id: str) -> Sequence[Write]:
        """Return the writes that remove every secret of an agent, whatever toolkit it is for; none without any."""
        collection = self._paths.within(business_id).collection("secrets")
        documents = await self._store.query(Query(collection, filters=(Filter("agentId", "==", agent_id),)))
        return [Delete(document.path) for document in documents]

    async def unopened(self, business_id: str) -> list[str]:
        """Return which secrets of a business do not open, as `toolkit.field`, an agent's as `toolkit~agent.field`.

        Raises:
            ToolError: The key keeper cannot be asked right now.
        """
        collection = self._paths.within(business_id).collection("secrets")
        documents = {document.id: document for document in await self._store.query(Query(collection))}
        keys, names = documents.pop(KEYS_DOCUMENT, None), list[str]()
        for id, document in sorted(documents.items()):
            toolkit, _, agent_id = id.partition("~")
            fields = document.data.get("fields")
            for field, sealed in sorted(fields.items()) if isinstance(fields, Mapping) else ():
                if not await self._opens(business_id, (toolkit, field, agent_id), sealed, keys):
                    names.append(f"{id}.{field}")
        return names

    async def _opens(self, business_id: str, place: tuple[str, str, str], sealed: Any, keys: Document | None) -> bool:
        toolkit, field, agent_id = place
        version = sealed.get("keyVersion") if isinstance(sealed, Mapping) else None
        try:
            key = await self._keys.of_version(business_id, version, keys)
            if key is None:
                return False
            _open(key, (business_id, toolkit, field, agent_id), sealed)
        except ToolError as error:
            if error.type is ErrorType.TRANSIENT:
                raise
            return False
        return True

    async def lack(self) -> str:
        """Return why nothing can be kept or opened now, in a sentence for whoever runs this; empty where it can."""
        return await self._keys.lack()

    async def rotate(self, business_id: str) -> int:
        """Begin a new data key for a business and return its version.

        Earlier versions are wrapped anew by the key keeper's present key, so that its older ones can be retired. What
        is encrypted under them stays readable, and moves to the newest version when it is next kept.

        Raises:
            ToolError: As `reveal`, about the key keeper; CONFLICT where somebody rotates at the same moment.
        """
        return await self._keys.rotate(business_id)

    def _path(self, business_id: str, toolkit: str, field: str = "field", agent_id: str = "") -> str:
        if not _NAME.match(toolkit) or not _NAME.match(field):
            raise ValueError("toolkits and fields of secrets are named with letters, digits and underscores")
        # No toolkit's name holds the sign, so that an agent's place is nobody else's.
        id = f"{toolkit}~{agent_id}" if agent_id else toolkit
        return self._paths.within(business_id).document("secrets", id)


def _bound_to(business_id: str, toolkit: str, field: str, version: int, agent_id: str = "") -> bytes:
    # As JSON, so that no id can hold a separator and thereby say the same as other ids would.
    place = ["v1", business_id, toolkit, field, version]
    return json.dumps([*place, agent_id] if agent_id else place).encode()


def _open(key: OpenedKey, place: tuple[str, str, str, str], sealed: Mapping[str, Any]) -> Revealed:
    from cryptography.exceptions import InvalidTag

    business_id, toolkit, field, agent_id = place
    try:
        bound = _bound_to(business_id, toolkit, field, key.version, agent_id)
        clear = key.cipher.decrypt(bytes(sealed["nonce"]), bytes(sealed["text"]), bound)
    except (InvalidTag, KeyError, TypeError, ValueError) as error:
        raise _will_not_open(toolkit, field, type(error).__name__) from None
    revealed = Revealed(clear.decode("utf-8", "surrogatepass"))
    hide(revealed)
    return revealed


def _will_not_open(toolkit: str, field: str, reason: str, type: ErrorType = ErrorType.AUTH) -> ToldToOwner:
    # In words for the owner, who alone can mend it, that are as true for a model in the middle of a call.
    return ToldToOwner(
        type,
        f"What is stored as {field} of {toolkit} cannot be opened any more: the business's owner has to enter it anew, "
        "or connect it again. Until then it cannot be used.",
        detail=f"a secret of {toolkit} does not open: {reason}",
    )
