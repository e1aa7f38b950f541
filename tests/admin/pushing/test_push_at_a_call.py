"""Whoever is on the phone while their business is pushed to: the call goes on, and follows within a minute."""

from typing import Any

import httpx2 as httpx
import pytest

from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.contract.policy import DEFINITION_TTL_S
from tests.admin.pushing.agency import IDS, carried, foreseen, priced, pushed, says
from tests.admin.whole_house import Owner
from tests.desk.front_desk import StoppedClock

pytestmark = pytest.mark.requirement("004-852")


class Receptionist:
    """One conversation with a business, at one instance of the server."""

    def __init__(self, http: httpx.AsyncClient, key: str, session: str = "s1") -> None:
        self._http, self._headers, self._turn = http, {"Authorization": f"Bearer {key}"}, 0
        self._session = session

    async def ask(self, tool: str) -> Any:
        """Call a tool in the next turn of the conversation."""
        self._turn += 1
        context = {
            "channel": "portal",
            "sessionId": self._session,
            "turn": self._turn,
            "callId": f"{self._session}-{self._turn}",
        }
        body = {"businessId": IDS[0], "name": tool, "args": {}, "context": context}
        return (await self._http.post("/tools/execute", json=body, headers=self._headers)).json()


async def key_of(owner: Owner) -> str:
    """Return a key that the business's own line calls with."""
    given = {"name": "Line", "scopes": ["tools:read", "tools:execute"]}
    key: str = (await owner.done("POST", f"/admin/businesses/{IDS[0]}/keys", given))["text"]
    return key


async def test_who_calls_next_is_told_what_was_pushed(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """At the instance that pushed it, at once; whoever is on the phone goes on."""
    key = await key_of(owner)
    call = Receptionist(owner.http, key)
    assert "$45" in repr(await call.ask("get_business_services"))
    says(monkeypatch, {"services": priced("Haircut", "$50")})
    result = await pushed(owner, carried(await foreseen(owner, IDS[0])))
    assert result[IDS[0]]["state"] == "pushed"
    assert (await call.ask("get_business_services"))["ok"]
    answer = await Receptionist(owner.http, key, "s2").ask("get_business_services")
    assert answer["ok"] and "$50" in repr(answer) and "$45" not in repr(answer)


async def test_another_instance_goes_on_and_follows_within_a_minute(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """By what it knew until then."""
    key = await key_of(owner)
    other, clock = build(read_configuration({}), owner.house.store), StoppedClock()
    other.__dict__["clock"] = clock
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=other.app), base_url="http://t") as http:
        call = Receptionist(http, key)
        assert "$45" in repr(await call.ask("get_business_services"))
        says(monkeypatch, {"services": priced("Haircut", "$50")})
        await pushed(owner, carried(await foreseen(owner, IDS[0])))
        during = await call.ask("get_business_services")
        assert during["ok"] and ("$45" in repr(during) or "$50" in repr(during))
        clock.wait(min(DEFINITION_TTL_S, 60) + 1)
        answer = await call.ask("get_business_services")
        assert answer["ok"] and "$50" in repr(answer)
    await other.close()
