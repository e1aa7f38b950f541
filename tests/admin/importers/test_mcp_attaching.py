"""Tools of a connected server that are given to agents in the same step."""

from switchboard.admin.importers.routes import MOST_ATTACHED
from tests.admin.connected import SERVER, tool
from tests.admin.whole_house import BUSINESS, Owner

CONNECT = f"{BUSINESS}/mcp/connect"


async def test_tools_are_attached_to_the_agents_that_are_named(owner: Owner):
    """And the answer says to whom; without any, to nobody."""
    await owner.done("POST", f"{BUSINESS}/agents", {"name": "Ada"})
    owner.remote.tools = [tool("find"), tool("look")]
    made = await owner.done("POST", CONNECT, {"server": SERVER, "tools": ["find"], "attachTo": ["ada"]})
    id = made["tools"][0]["id"]
    assert (made["attached"], made["notAttached"]) == ([{"agentId": "ada", "toolId": id}], [])
    assert (await owner.done("GET", f"{BUSINESS}/agents/ada"))["attachedTools"] == [id]
    made = await owner.done("POST", CONNECT, {"server": SERVER, "tools": ["look"]})
    assert (made["attached"], made["notAttached"]) == ([], [])
    assert (await owner.done("GET", f"{BUSINESS}/agents/ada"))["attachedTools"] == [id]


async def test_an_agent_that_is_not_there_is_told_before_anything_is_made(owner: Owner):
    """Nor is what is no list of agents taken for one."""
    for wrong, status in ((["nobody"], 404), ("ada", 400), ([7], 400)):
        answer = await owner.send("POST", CONNECT, {"server": SERVER, "tools": ["find"], "attachTo": wrong})
        assert answer.status_code == status, wrong
    assert (await owner.done("POST", CONNECT, {"server": SERVER, "tools": ["find"]}))["tools"]


async def test_only_so_much_is_attached_in_one_request(owner: Owner):
    """What is too much is told before anybody is looked for, and nothing is made."""
    owner.remote.tools = [tool("find"), tool("look")]
    many = [f"agent-{n}" for n in range(MOST_ATTACHED // 2 + 1)]
    answer = await owner.send("POST", CONNECT, {"server": SERVER, "tools": ["find", "look"], "attachTo": many})
    assert (answer.status_code, answer.json()["error"]["problems"][0]["field"]) == (400, "attachTo")
    assert f"at most {MOST_ATTACHED} at once" in answer.text
    assert (
        await owner.send("POST", CONNECT, {"server": SERVER, "tools": ["find"], "attachTo": many})
    ).status_code == 404
    assert (await owner.done("POST", CONNECT, {"server": SERVER, "tools": ["find", "look"]}))["attached"] == []
