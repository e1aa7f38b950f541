"""What the seeds promise of a tool: three files and nothing else, and what each kind does and does not do."""

import json
from pathlib import Path
from typing import Any

import pytest

import switchboard.tools
from switchboard.catalog.definitions.builder import build
from switchboard.catalog.definitions.registry import Registry
from switchboard.catalog.definitions.variables import is_business_variable
from switchboard.catalog.offer.catalog import Options
from switchboard.catalog.offer.inclusion import is_condition
from switchboard.channels.http.tools_api import call_context
from switchboard.contract.channel import Channel
from switchboard.contract.context import PhoneContext
from switchboard.contract.definitions.definition import Kind
from tests.catalog.planted import plant, schema
from tests.desk.front_desk import StoppedClock, call, salon
from tests.pipeline.conftest import BUSINESS, Instance, store
from tests.tools.conftest import desk
from tests.tools.folder import run
from tests.tools.guide_house import REGISTRY

__all__ = ["desk", "store"]

UTILITIES = sorted(name for name, tool in REGISTRY.tools.items() if tool.definition.kind is Kind.UTILITY)


@pytest.mark.requirement("003-61", "003-62", "004-44")
async def test_three_files_make_a_tool_that_is_offered_and_callable(tmp_path: Path, monkeypatch: Any, store):
    """Built and loaded by a new process, it is found by its name; no other line of the house changes."""
    plant(tmp_path, "find_song", document=schema(requires=[], category="music"))
    monkeypatch.setattr(switchboard.tools, "__path__", [*switchboard.tools.__path__, str(tmp_path)])
    built = build(tmp_path, is_condition, is_business_variable)
    assert built.errors == ()
    registry = Registry(built.version, dict(REGISTRY.tools) | {tool.name: tool for tool in built.tools})
    office = Instance(store, StoppedClock(), registry)
    answered = await office.call("find_song", {"service": "Haircut"})
    assert answered.data == {"free": True}
    offer = await office.catalog.get_tool_definitions(BUSINESS, Options(Channel.PHONE))
    assert "find_song" in [tool.name for tool in offer.tools]
    assert "find_song" in json.dumps(offer.declared("openai"))


@pytest.mark.requirement("003-57")
@pytest.mark.parametrize("name", UTILITIES)
async def test_a_utility_answers_the_same_each_time_and_touches_nothing(desk, store, name):
    """Every example of its guide, twice."""
    examples = REGISTRY.tools[name].guide.split("```json")[1:]
    assert examples
    for text in examples:
        arguments = json.loads(text.partition("```")[0])
        first, again = [await run(name, call(salon()), desk, arguments) for _ in range(2)]
        assert first.data == again.data
        assert first.intents == again.intents == ()
    assert not store.asked


@pytest.mark.requirement("004-39")
def test_a_phone_call_is_known_by_its_seven_facts():
    """As a service tells them with each call; none of them is an argument of a tool."""
    said = {
        "channel": "phone",
        "callSid": "CA1",
        "authToken": "t0k3n",
        "callerPhone": "+15185550161",
        "interactionId": "int_1",
        "callerVerified": True,
        "callerId": "clr_anna_whitfield",
    }
    facts = call_context({"businessId": "demo-salon", "context": said})
    assert isinstance(facts, PhoneContext)
    known = (facts.call_sid, facts.auth_token, facts.caller_phone, facts.channel.value, facts.interaction_id)
    assert known == ("CA1", "t0k3n", "+15185550161", "phone", "int_1")
    assert (facts.caller_verified, facts.caller_id) == (True, "clr_anna_whitfield")
    assert "t0k3n" not in repr(facts)
