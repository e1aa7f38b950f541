"""An owner before the whole house, joined as `main` joins it, and what the audit says of whatever is written there."""

import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx

from switchboard.app.container import Container, build
from switchboard.app.settings import read_configuration
from switchboard.contract.store import Query, Set
from switchboard.state.memory.store import MemoryStore
from tests.admin.connected import Remote
from tests.admin.owners_office import OWN, SignIns, token
from tests.desk.front_desk import SALON
from tests.pipeline.conftest import PATHS

CANARY = "canary-9b2e71"
CLIENTS = {
    f"SWITCHBOARD_{vendor}_CLIENT_{part}": value
    for vendor in ("GOOGLE", "MICROSOFT")
    for part, value in (("ID", "a-client"), ("SECRET", "its-secret"))
}
SECRETS_KEY = base64.b64encode(bytes(32)).decode()
"""Opens what businesses keep secret, in every house over one store."""
WITHIN = PATHS.within(OWN)
BUSINESS = f"/admin/businesses/{OWN}"
MAIL = {"smtpServer": "smtp.example.com", "fromEmail": "hello@example.com"}
SMS = {"type": "sms", "label": "Text the address", "text": "Come to 48 Maple Street.", "recipients": ["+12015550123"]}


class Lending(Remote):
    """A server whose tools can be taken over."""

    async def close(self) -> None:
        """Hold nothing open."""


@dataclass
class Owner:
    """Somebody who may do everything, before the whole house."""

    house: Container
    http: httpx.AsyncClient
    remote: Lending

    async def send(
        self, method: str, path: str, body: Any = None, revision: str | None = None, by: str = "platform", key: str = ""
    ) -> httpx.Response:
        """Send a request; an empty revision says none, and an empty `Idempotency-Key` neither."""
        headers = token(by) | ({"If-Match": f'"{revision}"'} if revision else {})
        headers |= {"Idempotency-Key": key} if key else {}
        content = None if body is None else json.dumps(body)
        return await self.http.request(method, path, content=content, headers=headers)

    async def done(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request that succeeds, based on what is there now, and return its answer."""
        revision = None if method == "POST" else await self.revision(path)
        answer = await self.send(method, path, body, revision)
        assert answer.status_code in (200, 201), (method, path, answer.text)
        return answer.json()

    async def revision(self, path: str) -> str:
        """Return the revision of something."""
        return (await self.send("GET", path)).headers.get("etag", "").strip('"')

    async def last(self) -> dict[str, Any]:
        """Return the newest entry of the audit, as it is answered, with its revision."""
        newest = max(await self.audit())
        found: dict[str, Any] = (await self.send("GET", f"{BUSINESS}/audit/{newest}")).json()
        return found

    async def undo(self, entry: dict[str, Any], by: str = "platform") -> httpx.Response:
        """Undo what an entry tells of, based on what is there now."""
        path = f"{BUSINESS}/audit/{entry['id']}"
        now = (await self.send("GET", path)).json()["revision"]
        return await self.send("POST", f"{path}/undo", {}, now, by)

    async def audit(self) -> dict[str, dict[str, Any]]:
        """Return the salon's audit, by id."""
        found = await self.house.store.query(Query(WITHIN.collection("audit")))
        return {document.id: document.data for document in found}


@asynccontextmanager
async def opened(store: MemoryStore | None = None) -> AsyncIterator[Owner]:
    """Open the house over a store with the salon in it, of which nothing was changed yet."""
    store = store or MemoryStore()
    async with opened_beside(store) as found:
        await store.commit([Set(WITHIN.business, {**SALON, "integrations": {}})])
        yield found


@asynccontextmanager
async def opened_beside(store: MemoryStore) -> AsyncIterator[Owner]:
    """Open another house over the store of one, as a second server does."""
    house = build(read_configuration({**CLIENTS, "SWITCHBOARD_SECRETS_KEY": SECRETS_KEY}), store)
    remote = Lending()
    house.__dict__ |= {"sign_ins": SignIns(), "remote_tools": remote}
    transport = httpx.ASGITransport(app=house.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://t") as http:
        yield Owner(house, http, remote)
    await house.close()
