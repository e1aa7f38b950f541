"""The same for what owners do with tools of their own; nobody outside learns of a change that is only asked about."""

from collections.abc import AsyncIterator
from typing import Any, NoReturn

import pytest

from switchboard.contract.store import Set, Update
from switchboard.integrations.http_session import HttpSession, NoAnswer
from switchboard.integrations.oauth.server import REFRESH_TOKEN
from tests.admin.foresight.test_dry_runs import dry, everything
from tests.admin.owners_office import OWN
from tests.admin.test_every_write import AGENTS
from tests.admin.whole_house import BUSINESS, SMS, WITHIN, Owner, opened

pytestmark = pytest.mark.requirement("004-771")
TOOLS, ATTACHED = f"/api/{OWN}/tools", f"/api/{OWN}/agents/ada/tools"
WRITES: dict[tuple[str, str], tuple[str, Any]] = {
    ("POST", "/{business_id}/tools"): (TOOLS, {**SMS, "label": "Text the hours"}),
    ("PATCH", "/{business_id}/tools/{tool_id}"): (f"{TOOLS}/ID", {"label": "Text it"}),
    ("PUT", "/{business_id}/tools/{tool_id}"): (f"{TOOLS}/ID", {**SMS, "label": "Text it"}),
    ("DELETE", "/{business_id}/tools/{tool_id}"): (f"{TOOLS}/ID", None),
    ("POST", "/{business_id}/agents/{agent_id}/tools"): (ATTACHED, {"toolId": "ID"}),
    ("POST", "/{business_id}/agents/{agent_id}/tools/attach"): (f"{ATTACHED}/attach", {"toolId": "ID"}),
    ("POST", "/{business_id}/agents/{agent_id}/tools/detach"): (f"{ATTACHED}/detach", {"toolId": "ID"}),
    ("DELETE", "/{business_id}/agents/{agent_id}/tools/{tool_id}"): (f"{ATTACHED}/ID", None),
    ("POST", "/{business_id}/agents/{agent_id}/collections"): (
        f"/api/{OWN}/agents/ada/collections",
        {"collection": "homes"},
    ),
}
"""How each write is asked about, by its method and path; ID stands for a tool's."""
DECIDE_NOTHING = {
    ("POST", "/{business_id}/tools/{tool_id}/test"): "is a call, which is not taken back",
    ("PUT", "/{business_id}/secrets/{name}"): "tools are offered with or without their secrets",
    ("DELETE", "/{business_id}/secrets/{name}"): "tools are offered with or without their secrets",
    ("POST", "/{business_id}/vapi/repair"): "changes what Vapi has",
}


class NotedSession(HttpSession):
    """Sends nothing, and notes what would be sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[str] = []

    async def request(self, method: str, url: str, **options: Any) -> NoReturn:
        self.sent.append(f"{method} {url}")
        raise NoAnswer("nobody is there", was_sent=False)


@pytest.fixture
async def owner() -> AsyncIterator[Owner]:
    """The salon's, with an agent who has one tool."""
    async with opened() as found:
        await found.house.store.commit([Update(WITHIN.business, {"integrations": {"twilio": {"isConnected": True}}})])
        await found.done("POST", AGENTS, {"name": "Ada", "isDefault": True})
        await found.done("POST", TOOLS, SMS)
        await found.house.store.commit([Set(f"{WITHIN.items('homes')}/one", {"street": "Maple Street", "rooms": 3})])
        yield found


def test_every_write_of_own_tools_can_be_asked_about_or_decides_nothing(owner: Owner):
    endpoints = [one for one in owner.house.admin_app.api_endpoints if one.method != "GET"]
    assert {(one.method, one.path) for one in endpoints if one.decides_offers} == WRITES.keys()
    assert {(one.method, one.path) for one in endpoints if not one.decides_offers} == DECIDE_NOTHING.keys()


@pytest.mark.parametrize("route", WRITES, ids=" ".join)
async def test_a_write_of_own_tools_that_is_only_asked_about_changes_nothing(owner: Owner, route: tuple[str, str]):
    (tool,) = (await owner.done("GET", TOOLS))["tools"]
    path, body = WRITES[route]
    if "detach" in path or (route[0], path) == ("DELETE", f"{ATTACHED}/ID"):
        await owner.done("POST", ATTACHED, {"toolId": tool["id"]})
    filled = {name: tool["id"] if value == "ID" else value for name, value in body.items()} if body else None
    before = await everything(owner)
    answer = await owner.send(route[0], dry(path.replace("ID", tool["id"])), filled)
    assert answer.status_code == 200, answer.text
    assert answer.json()["dryRun"] is True
    assert await everything(owner) == before


async def test_nobody_outside_is_told_of_what_is_only_asked_about():
    """A consent is given back to Google by the change, and not by the question."""
    async with opened() as owner:
        outside = owner.house.__dict__["http"] = NotedSession()
        await held(owner, outside)


async def held(owner: Owner, outside: NotedSession) -> None:
    write = await owner.house.secrets.to_write(OWN, "google_calendar", {REFRESH_TOKEN: "a-token"})
    connected = Update(WITHIN.business, {"integrations.googleCalendar": {"isConnected": True}})
    await owner.house.store.commit([write, connected])
    path = f"{BUSINESS}/toolkits/google_calendar"
    revision = await owner.revision(path)
    told = await owner.send("DELETE", dry(path), None, revision)
    assert (told.status_code, outside.sent) == (200, [])
    done = await owner.send("DELETE", path, None, revision)
    assert done.status_code == 200 and outside.sent
