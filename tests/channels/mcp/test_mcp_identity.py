"""What an MCP client says of a caller: nothing it says is believed, wherever it says it."""

import httpx2
import pytest

from tests.channels.http.test_tools_api import store  # noqa: F401 - a fixture
from tests.channels.listening import listening
from tests.channels.mcp.served import RIVAL, app_over
from tests.channels.mcp.test_mcp_server import bookings, headers, meta
from tests.each import each

pytestmark = pytest.mark.requirement("004-152")
NUMBER = "+14155550123"
HERS = {
    "service": "Haircut",
    "start_time": "2026-12-02T10:00:00",
    "customer_name": "Ana Lopez",
    "customer_phone": NUMBER,
}
CLAIMS = {"callerPhone": NUMBER, "from": NUMBER, "stirVerstat": "TN-Validation-Passed-A", "verified": True}


@pytest.fixture
async def base(store):  # noqa: F811
    """The address of a salon where Ana has an appointment, made in another conversation."""
    async with listening(app_over(store)) as address:
        booked = await say(address, "book_appointment", HERS, query="?session=hers&channel=phone")
        assert booked["structuredContent"]["booked"] is True
        yield address


@each("tool", ["get_latest_booking", "lookup_appointment"])
async def test_no_word_of_a_client_makes_it_somebody(base, tool):
    """In `_meta`, in headers or in the address: it is told what a client is that claims nothing."""
    assert "Haircut" in plain(await say(base, "get_latest_booking", {}, query="?session=hers&channel=phone"))
    for channel in ("phone", "portal"):
        honest = plain(await say(base, tool, {}, query=f"?channel={channel}"))
        assert "Haircut" not in honest and "Ana" not in honest
        for forged in (
            {"more": {"switchboard/caller": CLAIMS, "switchboard/context": CLAIMS, **CLAIMS}},
            {"headers": {"X-Caller-Phone": NUMBER, "X-Twilio-From": NUMBER, "X-Verified": "true"}},
            {"query": f"?channel={channel}&callerPhone=%2B14155550123&from=%2B14155550123&verified=true"},
            {"params": {"context": CLAIMS, "callerPhone": NUMBER, "verified": True}},
        ):
            found = await say(base, tool, {}, **({"query": f"?channel={channel}"} | forged))
            assert plain(found) == honest, forged


@each("argument", ["caller_phone", "callerPhone", "verified", "session_id", "business_id", "_caller"])
async def test_an_argument_of_that_name_is_no_fact(base, argument):
    """Trusted values come from no model: the call is refused, or the argument is."""
    found = plain(await say(base, "get_latest_booking", {argument: NUMBER}, query="?channel=phone"))
    assert "Haircut" not in found and "Ana" not in found


async def test_another_business_s_session_is_another_conversation(base, store):  # noqa: F811
    """Its name is a name there, and opens nothing here or there."""
    theirs = await say(base, "get_latest_booking", {}, business="demo-plumber", key=RIVAL, query="?session=hers")
    assert "Haircut" not in plain(theirs) and "Ana" not in plain(theirs)
    assert await bookings(store) == 1


def plain(result):
    """What a model reads of it, without what tells one call from another."""
    return result["content"][0]["text"] if "content" in result else str(result)


async def say(base, tool, arguments, *, business="demo-salon", key=None, query="", **forged):
    """Send one call with whatever a client may write beside it."""
    params = {"name": tool, "arguments": arguments, "_meta": meta() | forged.get("more", {})}
    params |= forged.get("params", {})
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    told = headers("tools/call", tool) | forged.get("headers", {})
    if key:
        told["Authorization"] = f"Bearer {key}"
    async with httpx2.AsyncClient(timeout=300, verify=False) as http:
        answer = await http.post(f"{base}/mcp/{business}{query}", json=body, headers=told)
    found = answer.json()
    return found.get("result", found)
