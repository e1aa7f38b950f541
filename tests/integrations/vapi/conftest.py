"""What the tests of Vapi may ask for: a stand-in with an empty account, and a business that is connected to it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from stand_ins.vapi.account import KEY
from stand_ins.vapi.app import VapiStandIn
from switchboard.contract.business.business import Business
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.vapi.account import VapiAccount
from switchboard.integrations.vapi.accounts import VapiAccounts
from tests.desk.front_desk import salon
from tests.integrations.twilio_account import MemorySecrets
from tests.switch import Switch

ASSISTANT = {
    "name": "Reception",
    "model": {"provider": "openai", "model": "gpt-4o", "toolIds": [], "newerThanTheDocument": {"deep": [1, None, "ü"]}},
    "voice": {"provider": "vapi", "voiceId": "Elliot"},
}
KEYS = {("demo-salon", "vapi", "apiKey"): KEY, ("two", "vapi", "apiKey"): "another"}
CALLER = "+15185550171"


def function_tool(name: str = "take_note", **more: Any) -> dict[str, Any]:
    """Return a tool as it may be made."""
    parameters = {"type": "object", "properties": {"text": {"type": "string"}}}
    return {"type": "function", "function": {"name": name, "parameters": parameters}, **more}


def connected(id: str = "demo-salon", **settings: Any) -> Business:
    """Return the salon with a Vapi account."""
    return salon(id, integrations={"vapi": {"isConnected": True, **settings}})


@dataclass
class Vapi:
    """The stand-in's own doors, and a business's account with it."""

    url: str
    stand_in: VapiStandIn
    http: HttpSession
    secrets: MemorySecrets = field(default_factory=lambda: MemorySecrets(dict(KEYS)))

    @property
    def accounts(self) -> VapiAccounts:
        """The accounts of businesses, at the stand-in."""
        return VapiAccounts(self.http, self.secrets, self.url)

    async def account(self, **settings: Any) -> VapiAccount:
        """Return the salon's account."""
        found = await self.accounts.of(connected(**settings))
        assert found is not None
        return found

    def fault(self, mode: str, method: str = "*", **more: Any) -> None:
        """Let the next request go wrong."""
        self.stand_in.faults.set({"mode": mode, "method": method, **more})

    def requests(self, method: str = "") -> list[dict[str, Any]]:
        """Return what was asked."""
        return [line for line in self.stand_in.faults.journal if method in ("", line["method"])]

    def assistant(self, **changes: Any) -> dict[str, Any]:
        """Return an assistant that somebody made in Vapi's own pages."""
        return self.stand_in.account.create_assistant({**ASSISTANT, **changes})

    async def call(self, **more: Any) -> dict[str, Any]:
        """Return a phone call that was handed over."""
        wanted = {"assistantId": self.assistant()["id"], "phoneNumberId": "n", "customer": {"number": CALLER}, **more}
        return await (await self.account()).begin_call(wanted)


@pytest.fixture
async def vapi(stand_in_server: tuple[str, Switch]) -> AsyncIterator[Vapi]:
    """A stand-in with an empty account."""
    url, switch = stand_in_server
    switch.stand_in = VapiStandIn()
    found = Vapi(url, switch.stand_in, HttpSession())
    yield found
    await found.http.close()
