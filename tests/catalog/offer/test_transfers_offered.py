"""A transfer is offered where somebody can be rung at that moment, and nowhere else."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from switchboard.catalog.definitions.tool import Door, Way
from switchboard.catalog.offer.alternatives import MARK, Alternatives, with_ways
from switchboard.catalog.offer.catalog import Options
from switchboard.catalog.offer.prompts import Prompts
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.channel import Channel
from switchboard.contract.context import PhoneContext
from switchboard.desk.escalation.ringing import numbers_that_ring
from switchboard.state.memory.store import MemoryStore
from tests.admin.owners_office import OWN
from tests.admin.whole_house import BUSINESS, opened
from tests.catalog.offer.test_alternatives import HOURS
from tests.catalog.offer.test_prompts import PATHS
from tests.desk.front_desk import StoppedClock
from tests.each import each

pytestmark = pytest.mark.requirement("004-953")

MONDAY, SATURDAY = datetime(2027, 3, 15, 10, tzinfo=UTC), datetime(2027, 3, 13, 10, tzinfo=UTC)


ANY = Door()


@dataclass(frozen=True)
class Leads:
    """A tool that leads to people."""

    name: str
    door: Door = ANY
    way: Way | None = Way.TRANSFER


def rings(business: Business, door: Door, now: datetime) -> frozenset[str]:
    return numbers_that_ring(business, now, number=door.number, rule_id=door.rule_id)


def ways(*tools: Leads, workshop: str = "always") -> Alternatives:
    """Return the ways of a business whose front desk is there in its opening times."""
    rules = [
        {"id": "front-desk", "action": "transfer", "destination": "+15185550143"},
        {"id": "workshop", "action": "transfer", "destination": "+15185550144", "hours": workshop},
    ]
    document = {
        "name": "Studio",
        "timezone": "UTC",
        "twilioNumber": "+15185550110",
        "workingHours": HOURS,
        "escalation": {"rules": rules},
    }
    return Alternatives.of(tools, read_business("studio", document), Channel.PHONE, rings=rings)


ANYBODY, DESK = Leads("transfer_call"), Leads("ring_desk", Door(rule_id="front-desk"))
GONE, SELF = Leads("ring_gone", Door(rule_id="gone")), Leads("ring_self", Door(number="+15185550110"))
NUMBER, WORKSHOP = Leads("ring_number", Door(number="+15185550149")), Leads("ring_shop", Door(rule_id="workshop"))
ALL = (ANYBODY, DESK, GONE, SELF, NUMBER, WORKSHOP)


@each(
    "now, tried, offered",
    [
        (MONDAY, "", ["transfer_call", "ring_desk", "ring_number", "ring_shop"]),
        (SATURDAY, "", ["transfer_call", "ring_shop"]),
        # Whom the one has rung in vain the other rings in vain, too.
        (MONDAY, "ring_desk", ["transfer_call", "ring_number", "ring_shop"]),
        (SATURDAY, "ring_shop", []),
        (MONDAY, "transfer_call", ["ring_number"]),
        (SATURDAY, "ring_desk", ["transfer_call", "ring_shop"]),
    ],
)
def test_only_where_somebody_is_there_who_was_not_rung_in_vain(now: datetime, tried: str, offered: list[str]) -> None:
    """Neither a rule that is gone nor the business's own number is one."""
    found = ways(*ALL).besides(tried).at(now)
    assert list(found.transfers) == offered
    told = ways(*ALL).besides(tried).after("No.", now)
    assert [tool.name for tool in ALL if tool.name in told] == offered


def test_what_is_said_offers_it_as_little() -> None:
    """In the model's stead, and by a tool that has failed."""
    closed = ways(ANYBODY, workshop="business")
    assert "put you through" in closed.said("en", MONDAY)
    assert "put you through" not in closed.said("en", SATURDAY)
    say = with_ways({"en": {"failed": MARK}}, closed, SATURDAY)
    assert "put you through" not in say["en"]["failed"]


async def test_the_house_knows_who_is_there() -> None:
    """Somebody at the front desk is there in the opening times."""
    rules = [{"id": "front-desk", "action": "transfer", "destination": "+15185550143"}]
    async with opened() as owner:
        hours = {"workingHours": {**HOURS, "saturday": None}, "timezone": "UTC"}
        await owner.done("PATCH", BUSINESS, {"escalation": {"rules": rules}, **hours})
        offer = await owner.house.catalog.get_tool_definitions(OWN, Options(Channel.PHONE))
        ways_out = offer.ways_out("search_knowledge")
        assert ways_out.at(MONDAY).transfers == ("transfer_call",)
        assert ways_out.at(SATURDAY).transfers == ()
        closed = offer.phrase("search_knowledge", "en", "failed", SATURDAY)
        assert "put you through" not in closed and "{{" not in closed


@pytest.mark.requirement("004-964")
async def test_the_standing_rule_names_a_transfer_only_while_somebody_can_be_rung() -> None:
    """And what the owner wants whom to be rung for as long as they can be; the rest of the prompt stays as it is."""
    rules = [
        {"id": "front-desk", "action": "transfer", "destination": "+15185550143", "label": "Desk", "when": "Always."},
        {
            "id": "workshop",
            "action": "transfer",
            "destination": "+15185550144",
            "label": "Workshop",
            "when": "It burns.",
            "hours": "always",
        },
    ]
    async with opened() as owner:
        hours = {"workingHours": {**HOURS, "saturday": None}, "timezone": "UTC"}
        await owner.done("PATCH", BUSINESS, {"escalation": {"rules": rules}, **hours})
        offer = await owner.house.catalog.get_tool_definitions(OWN, Options(Channel.PHONE))
        clock, facts = StoppedClock(), PhoneContext(business_id=OWN, session_id="s1")
        prompts = Prompts(MemoryStore(), PATHS, {"system": "Be kind. {{ways_out}}"}, clock)
        said = {}
        for name, clock.moment in (("open", MONDAY), ("closed", SATURDAY), ("again", MONDAY)):
            said[name] = await prompts.system(offer, facts)
        assert "(transfer_call)" in said["open"] and "Desk (transfer_call): Always." in said["open"]
        assert said["again"] == said["open"]
        assert "Desk" not in said["closed"] and "Workshop (transfer_call): It burns." in said["closed"]
        alone = {"escalation": {"rules": rules[:1]}}
        await owner.done("PATCH", BUSINESS, alone)
        offer = await owner.house.catalog.get_tool_definitions(OWN, Options(Channel.PHONE))
        clock.moment = SATURDAY
        nobody = await prompts.system(offer, facts)
        assert "transfer_call" not in nobody and "put nobody through here" in nobody
        clock.moment = MONDAY
        assert "to put the caller through" in await prompts.system(offer, facts)
