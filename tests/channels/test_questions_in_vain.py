"""What callers asked in vain is found wherever they asked it: on each channel, through a vendor's webhook, by MCP."""

import pytest

from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.contract.store import Query
from tests.channels.http.test_tools_api import KEY, PATHS, call, http, store

__all__ = ["http", "store"]

SALON = "demo-salon"
CHANNELS = ("phone", "portal", "browser_voice")
LOCAL = "http://127.0.0.1:8080"
ACCEPTED = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


def of_mcp(name: str, **arguments: str) -> dict[str, object]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def of_vapi(name: str, **arguments: str) -> dict[str, object]:
    function = {"name": name, "arguments": arguments}
    message = {
        "type": "tool-calls",
        "call": {"id": "11111111-0000-4000-8000-000000000001", "type": "inboundPhoneCall"},
        "customer": {"number": "+15185550171"},
        "toolCallList": [{"id": "t1", "type": "function", "function": function}],
    }
    return {"message": message}


@pytest.mark.requirement("000-355")
async def test_searches_that_find_nothing_are_questions_wherever_they_come_from(http, store):
    """By question or by topic; what was found, refused, or asked by no caller, is none."""
    for n, channel in enumerate(CHANNELS):
        context = {"channel": channel, "sessionId": f"s{n}"}
        asked = call(args={"query": f"zeppelin{n}"}, **context)
        assert (await http.post("/tools/execute", json=asked)).json()["data"]["results"] == []
        for turn, (tool, args) in enumerate(
            (
                ("search_knowledge", {"query": "parking"}),
                ("get_faqs", {"topic": f"quasar{n}"}),
                ("get_policies", {"topic": f"xylophone{n}"}),
                ("get_policies", {}),
            ),
            2,
        ):
            await http.post("/tools/execute", json=call(tool, args, turn=turn, **context))
    vapi = await http.post("/api/tools/search_knowledge/execute", json=of_vapi("search_knowledge", query="wombats"))
    assert vapi.status_code == 200
    mcp = await http.post(f"{LOCAL}/mcp/{SALON}", json=of_mcp("search_knowledge", query="yaks"), headers=ACCEPTED)
    assert mcp.status_code == 200 and mcp.json()["result"]["structuredContent"]["results"] == [], mcp.text
    house = build(read_configuration({}), store)
    assert await house.admin_app.questions.collect(SALON) == 3 * 3 + 2
    found = await store.query(Query(PATHS.within(SALON).collection("questions")))
    told = {one.data["question"]: sorted(one.data["channels"]) for one in found if "question" in one.data}
    assert told == {
        **{
            f"{what}{n}": [channel]
            for what in ("zeppelin", "quasar", "xylophone")
            for n, channel in enumerate(CHANNELS)
        },
        "wombats": ["phone"],
        "yaks": told["yaks"],
    }
    assert KEY not in str(found)
