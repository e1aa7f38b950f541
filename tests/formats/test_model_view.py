"""What a model sees of an answer: the whole, and no sample of it beside, which it would take for all there is."""

from json import dumps
from typing import Any

import pytest

from switchboard.contract.response import ToolResponse
from switchboard.formats import anthropic, gemini, livekit, mcp, openai, responses, tool_call
from switchboard.formats.model_view import visible
from switchboard.formats.vapi import tools
from switchboard.tools.check_availability.handler import shorten

pytestmark = pytest.mark.requirement("004-612")

STAMPS = [f"2027-03-19T{hour:02}:00:00-04:00" for hour in range(9, 15)]
WHOLE: dict[str, Any] = {
    "available": True,
    "free": [{"date": "2027-03-19", "times": "Friday 9:00 to 14:30, 16:30"}],
    "openTimes": STAMPS,
}
NEAREST: dict[str, Any] = {"available": False, "openTimes": STAMPS[:3]}


@pytest.mark.parametrize("dialect", [anthropic, gemini, livekit, mcp, openai, responses, tool_call, tools])
def test_no_dialect_shows_a_model_a_sample_of_what_it_is_told_wholly(dialect: Any):
    """Where nothing says it wholly, the sample is all that there is to tell."""
    read = {key: value for key, value in _rendered(dialect, WHOLE).items() if key != "structuredContent"}
    told = dumps(read)
    assert "Friday 9:00 to 14:30, 16:30" in told and "openTimes" not in told and STAMPS[0] not in told
    assert STAMPS[2] in dumps(_rendered(dialect, NEAREST))


def _rendered(dialect: Any, data: dict[str, Any]) -> dict[str, Any]:
    found = dialect.render("call_1", "check_availability", ToolResponse(data=data))
    return found if isinstance(found, dict) else {"it": found}


def test_programs_have_what_they_were_promised():
    """In the envelope, and in MCP's structured content, which has to match the tool's output schema."""
    response = ToolResponse(data=WHOLE)
    assert response.to_json()["data"] == mcp.render("", "check_availability", response)["structuredContent"] == WHOLE
    assert visible(response)["data"].keys() == {"available", "free"}


def test_a_sample_is_shortened_away_before_a_day_of_the_whole_is():
    """A model is told all of it for as long as that can fit."""
    days = [{"date": f"2027-03-{day}", "times": "Friday 9:00 to 14:30, 16:30"} for day in range(10, 24)]
    data = {**WHOLE, "conflicts": [], "free": days}
    room = len(dumps({**data, "openTimes": STAMPS[:1]}))
    assert shorten(data, room) == {**data, "openTimes": STAMPS[:1]}
    assert len(shorten(data, room - 1)["free"]) == len(days) - 1
