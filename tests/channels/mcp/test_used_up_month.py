"""A month that is used up stops no MCP client: whoever asks there holds the conversation itself, with its own model."""

import pytest

from switchboard.contract.store import Set
from tests import fixed_day
from tests.channels.http.test_tools_api import store  # noqa: F401 - a fixture
from tests.channels.listening import listening
from tests.channels.mcp.served import app_over
from tests.channels.mcp.test_mcp_identity import plain, say
from tests.pipeline.conftest import PATHS


@pytest.mark.requirement("004-844")
async def test_a_client_s_calls_are_carried_out(store):  # noqa: F811
    """Whatever is used up."""
    now = fixed_day.SUNDAY
    note = {"month": f"{now:%Y-%m}", "since": dict.fromkeys(("texts", "phoneMinutes", "modelTokens", "cost"), now)}
    await store.commit([Set(PATHS.within("demo-salon").business, {"monthStop": note}, merge=True)])
    async with listening(app_over(store)) as base:
        answer = await say(base, "get_working_hours", {})
    assert "error" not in plain(answer) and not answer.get("isError")
