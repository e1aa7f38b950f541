"""Which of the offered tools a model is told of in a conversation."""

from dataclasses import replace

import pytest

from switchboard.catalog.definitions.definitions import Current, DefinitionSet
from switchboard.catalog.definitions.tool import Tool
from switchboard.catalog.offer.inclusion import Situation
from switchboard.catalog.offer.offer import Offer, make_offer
from switchboard.contract.business.agent import Agent, Setting
from switchboard.contract.business.business import Business
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.policy import TOLD_WHERE_NAMED

DOCUMENT = {"description": "Looks.", "parameters": {"type": "object", "properties": {}}}
NAMES = ("look", *sorted(TOLD_WHERE_NAMED))


def offering(business: Business, agent: Agent | None = None, category: str = "utility") -> Offer:
    definitions = (read_definition(name, {**DOCUMENT, "category": category}) for name in NAMES)
    found = DefinitionSet("h", {d.name: Tool(d, None) for d in definitions})
    return make_offer(found, Situation(business, Channel.PHONE, agent=agent), Current(found, "firestore"))


def told(offer: Offer) -> set[str]:
    names = {tool["function"]["name"] for tool in offer.declared_to_model("openai")}
    assert names == {tool.name for tool in offer.told}
    return names


@pytest.mark.requirement("003-339")
def test_what_a_conversation_hardly_needs_is_told_where_the_business_or_its_agent_names_it() -> None:
    """Every request would pay for it; whoever wants it says so once."""
    salon = Business("salon")
    assert told(offering(salon)) == {"look"}
    assert told(offering(replace(salon, enabled_tools=frozenset({"look", "kb_get"})))) == {"look", "kb_get"}
    agent = Agent("a", tools={"list_events": Setting(), "kb_get": Setting(is_enabled=False)})
    assert told(offering(salon, agent)) == {"look", "list_events"}


@pytest.mark.requirement("003-339")
def test_what_is_not_told_is_listed_and_can_be_called_all_the_same() -> None:
    """Seed 004's conditions say what is offered; this is about the words that a model is sent."""
    offer = offering(Business("salon"))
    assert {tool["function"]["name"] for tool in offer.declared("openai")} == set(NAMES)
    assert offer.named("list_events") is not None


def test_an_owners_own_tool_of_such_a_name_is_told() -> None:
    """It is another tool, and who made it wants it used."""
    assert told(offering(Business("salon"), category="tenant")) == set(NAMES)
