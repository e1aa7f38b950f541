"""Services of owners are part of health: what keeps failing is left alone, whichever way an owner's tool reaches it."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from switchboard.catalog.tenant_tools.config import DefinitionErrors, read_config
from switchboard.catalog.tenant_tools.definition import OwnTool
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.tenant_tool import read_tenant_tool
from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.tenant_tools import service_places
from switchboard.desk.tenant_tools.api_requests import ApiRequests, NoSecrets
from tests.catalog.tool_configs import SEED_PIPEDREAM
from tests.desk.front_desk import all_places
from tests.desk.tenant_tools.test_api_requests import MemoryEgress, no_pause, said
from tests.pipeline.conftest import Instance
from tests.pipeline.test_tenant_tools import enter, offer, tool

AWAY = ToolError(ErrorType.TRANSIENT, "away", retryable=False, partial_side_effects=True)
MCP = {
    "type": "mcp_tool",
    "label": "House",
    "server": {"name": "house", "url": "https://mcp.example.com/mcp"},
    "tool": "toggle",
    "inputSchema": {"type": "object", "properties": {}},
}


def asking(host: str, method: str) -> dict[str, Any]:
    request = {"method": method, "url": f"https://{host}/x"}
    return {"type": "api_request", "label": host, "request": request, "params": {}}


async def six(office: Instance, name: str) -> list[Any]:
    """Call a tool six times, each in a conversation of its own."""
    return [await office.call(name, channel=Channel.PORTAL, session_id=f"s{n}") for n in range(6)]


@pytest.mark.requirement("001-87")
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_after_five_503s_a_service_is_not_asked_and_its_tools_leave_the_offer(office, clock, method):
    """Other services of the same owner stay; once it works again, so does the tool."""
    answers = {"broken.example.com": said({}, 503), "fine.example.com": said({"fine": True})}
    asked: list[str] = []

    async def request(method: str, url: str, headers: Any, body: Any) -> Any:
        asked.append(url.split("/")[2])
        return answers[asked[-1]]

    egress = MemoryEgress(AWAY)
    egress.request = request  # type: ignore[method-assign]
    office.dispatcher.runner.desk = SimpleNamespace(
        api_requests=ApiRequests(egress, NoSecrets(), all_places(), no_pause)
    )
    broken, fine = asking("broken.example.com", method), asking("fine.example.com", method)
    await enter(office, tool("broken", **broken), tool("fine", **fine))
    *failed, refused = await six(office, "broken")
    assert {answer.failure.type for answer in failed} == {ErrorType.TRANSIENT}
    assert (refused.failure.type, refused.meta["condition"]) == (
        ErrorType.MODE_RESTRICTED,
        "circuit:broken.example.com",
    )
    # A GET is tried twice each time.
    assert len(asked) == (10 if method == "GET" else 5)
    made = await offer(office)
    assert made.named("broken") is None and made.named("fine") is not None
    assert (await office.call("fine", channel=Channel.PORTAL)).ok
    answers["broken.example.com"] = said({"fine": True})
    clock.wait(15)
    assert (await office.call("broken", channel=Channel.PORTAL, session_id="new")).ok
    assert (await offer(office)).named("broken") is not None


@pytest.mark.parametrize(
    ("config", "part", "condition"),
    [
        (MCP, "mcp_tools", "circuit:mcp.example.com"),
        (SEED_PIPEDREAM, "app_actions", "circuit:pipedream"),
    ],
    ids=["mcp_tool", "pipedream_action"],
)
async def test_connected_servers_and_apps_have_circuits_too(office, config, part, condition):
    async def away(*_: Any) -> Any:
        raise AWAY

    office.dispatcher.runner.desk = SimpleNamespace(**{part: SimpleNamespace(call=away, run=away)})
    made = tool("own", **config)
    made["configMetadata"] = config
    await enter(office, made)
    arguments = dict.fromkeys((await offer(office)).named("own").definition.parameters["properties"], "x")
    answers = [await office.call("own", arguments, channel=Channel.PORTAL, session_id=f"s{n}") for n in range(6)]
    assert [answer.meta.get("condition") for answer in answers] == [None] * 5 + [condition]


async def test_a_key_that_an_owners_service_refuses_marks_no_integration_of_ours(office, store):
    egress = MemoryEgress(said({}, 401))
    office.dispatcher.runner.desk = SimpleNamespace(
        api_requests=ApiRequests(egress, NoSecrets(), all_places(), no_pause)
    )
    await enter(office, tool("broken", **asking("broken.example.com", "GET")))
    assert (await office.call("broken", channel=Channel.PORTAL)).failure.type is ErrorType.AUTH


@pytest.mark.parametrize(
    ("config", "service"),
    [
        (asking("API.example.com:8443", "GET"), "api.example.com:8443"),
        (MCP, "mcp.example.com"),
        (SEED_PIPEDREAM, None),
    ],
)
def test_the_service_of_a_tool_is_the_host_that_its_owner_wrote(config, service):
    document = {"name": "own", "type": config["type"], "configMetadata": config}
    assert OwnTool(read_tenant_tool("t_1", document)).definition.service == service


async def test_a_service_gets_no_more_at_once_than_its_owner_says_and_who_is_refused_may_come_again(
    office, monkeypatch
):
    """Nothing was sent for whoever was refused, the circuit stays closed, and the same call is carried out later."""
    monkeypatch.setattr(service_places, "_WAITS_S", 0.31)
    sent: list[str] = []
    gate = asyncio.Event()

    async def request(method: str, url: str, headers: Any, body: Any) -> Any:
        sent.append(url)
        await gate.wait()
        return said({"fine": True})

    egress = MemoryEgress(AWAY)
    egress.request = request  # type: ignore[method-assign]
    office.dispatcher.runner.desk = SimpleNamespace(
        api_requests=ApiRequests(egress, NoSecrets(), all_places(), no_pause)
    )
    await enter(office, tool("own", **asking("fine.example.com", "POST") | {"maxAtOnce": 1}))
    async with asyncio.TaskGroup() as group:
        first = group.create_task(office.call("own", channel=Channel.PORTAL, session_id="s1"))
        while not sent and not first.done():
            await asyncio.sleep(0.01)
        refused = [await office.call("own", channel=Channel.PORTAL, session_id=f"n{n}") for n in range(6)]
        gate.set()
    assert [answer.failure.type for answer in refused] == [ErrorType.RATE_LIMIT] * 6
    assert [answer.failure.retryable for answer in refused] == [True] * 6
    assert not any(answer.failure.partial_side_effects for answer in refused)
    assert [answer.meta["retryAfterS"] for answer in refused] == [1] * 6
    assert first.result().ok
    assert (await office.call("own", channel=Channel.PORTAL, session_id="s2")).ok
    assert len(sent) == 2


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        (asking("fine.example.com", "GET") | {"maxAtOnce": 0}, "0 is no number of requests"),
        (asking("fine.example.com", "GET") | {"maxAtOnce": "3"}, "'3' is no number of requests"),
        (asking("fine.example.com", "GET") | {"maxAtOnce": True}, "True is no number of requests"),
        (SEED_PIPEDREAM | {"maxAtOnce": 3}, "is for services of your own"),
    ],
)
def test_how_many_a_service_takes_is_a_number_and_for_services_alone(config, problem):
    with pytest.raises(DefinitionErrors) as refused:
        read_config(config)
    assert [error.field for error in refused.value.errors] == ["maxAtOnce"]
    assert problem in str(refused.value.errors[0])
