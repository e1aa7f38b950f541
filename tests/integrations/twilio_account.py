"""A Twilio account for tests: the stand-in on a port of its own, and secrets in memory."""

from collections.abc import Sequence
from typing import Any

import aiohttp

from stand_ins.twilio.account import SID, TOKEN
from switchboard.contract.business.business import Business
from tests.desk.front_desk import salon

SENDER, CALLER = "+15185550100", "+15185550171"


class MemorySecrets:
    """What businesses keep secret, in memory."""

    def __init__(self, kept: dict[tuple[str, str, str], str] | None = None) -> None:
        self.kept = kept if kept is not None else {("demo-salon", "twilio", "authToken"): TOKEN}

    async def reveal(self, business_id: str, toolkit: str, field: str, *, agent_id: str = "") -> str | None:
        return self.kept.get((business_id, toolkit, field))

    async def reveal_several(
        self, business_id: str, toolkit: str, fields: Sequence[str], *, agent_id: str = ""
    ) -> dict[str, str | None]:
        return {field: await self.reveal(business_id, toolkit, field, agent_id=agent_id) for field in fields}

    async def keep(self, business_id: str, toolkit: str, field: str, value: str, *, agent_id: str = "") -> None:
        self.kept[business_id, toolkit, field] = value

    async def forget(self, business_id: str, toolkit: str) -> None:
        for key in [key for key in self.kept if key[:2] == (business_id, toolkit)]:
            del self.kept[key]


def connected(id: str = "demo-salon", **settings: Any) -> Business:
    """Return the salon with a Twilio account."""
    twilio = {"isConnected": True, "accountSid": SID, **settings}
    return salon(id, twilioNumber=SENDER, integrations={"twilio": twilio})


class StandIn:
    """The stand-in's own doors, as whoever runs it uses them."""

    def __init__(self, url: str) -> None:
        self.url = url

    async def fault(self, mode: str, **more: Any) -> None:
        await self._asked("POST", "/_stand_in/faults", {"mode": mode, **more})

    async def forget(self) -> None:
        await self._asked("DELETE", "/_stand_in/faults")
        await self._asked("DELETE", "/_stand_in/requests")

    async def requests(self, method: str = "") -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await self._asked("GET", "/_stand_in/requests"))["requests"]
        return [line for line in found if method in ("", line["method"])]

    async def phone_call(self) -> str:
        return str((await self._asked("POST", "/_stand_in/calls", {"from": CALLER, "to": SENDER}))["sid"])

    async def _asked(self, method: str, path: str, body: Any = None) -> Any:
        async with aiohttp.ClientSession() as http, http.request(method, self.url + path, json=body) as answer:
            assert answer.ok, await answer.text()
            return await answer.json()
