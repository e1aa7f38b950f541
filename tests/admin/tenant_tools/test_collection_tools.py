"""Attaching a collection to an agent makes its query tool (seed 002, "Query")."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard.admin.tenant_tools.collection_tools import MOST_FIELDS, wish_of
from switchboard.admin.tenant_tools.form import read_form, tool_of
from switchboard.catalog.definitions.variables import PhoneNumbers
from switchboard.catalog.tenant_tools.binding import bind
from switchboard.contract.store import Set
from tests.admin.tool_house import OWN, PATHS, ToolHouse

HOMES: list[dict[str, Any]] = [
    {"title": "Mill cottage", "town": "Harlem", "price": 300_000, "rooms": 3, "isSold": False, "caller_phone": "+1"},
    {"title": "Old forge", "town": "Harlem", "price": 420_000, "rooms": 4, "isSold": True, "caller_phone": "+1"},
    {"title": "Park view", "town": "Queens", "price": 650_000, "rooms": 2, "isSold": False, "caller_phone": "+1"},
    {"title": "River loft", "town": "Queens", "price": 710_000, "rooms": 2, "isSold": False, "caller_phone": "+1"},
]
ATTACH = "agents/ada/collections"


async def furnish(house: ToolHouse, collection: str = "homesForSale") -> None:
    """Lay homes into a collection."""
    items = PATHS.within(OWN).items(collection)
    await house.store.commit([Set(f"{items}/h{number}", home) for number, home in enumerate(HOMES)])


@pytest.mark.requirement("002-56", "002-55")
async def test_attaching_a_collection_makes_its_query_tool_and_attaches_it(house: ToolHouse):
    """It can be asked by what the items have in common, and is a tool like any other."""
    await furnish(house)
    made = await house.done("POST", ATTACH, {"collection": "homesForSale"})
    tool = made["tool"]
    assert (tool["type"], tool["label"], tool["name"]) == ("query", "Search homes for sale", "search_homes_for_sale")
    asked = tool["functionSchema"]["parameters"]
    assert asked["properties"].keys() == {
        *("question", "town", "isSold", "least_price", "most_price", "least_rooms", "most_rooms")
    }
    assert asked.get("required", []) == []
    assert "Harlem" in asked["properties"]["town"]["description"]
    assert made["attachment"]["toolId"] == tool["id"]
    listed = await house.done("GET", "agents/ada/tools")
    assert [row["id"] for row in listed["tools"]] == [tool["id"]]


@pytest.mark.requirement("002-56")
async def test_attaching_the_same_again_changes_nothing(house: ToolHouse):
    """Also after the items and the tool have changed; another agent gets the same tool."""
    await furnish(house)
    first = await house.done("POST", ATTACH, {"collection": "homesForSale"})
    await house.done("PATCH", f"tools/{first['tool']['id']}", {"label": "Our homes"})
    await house.store.commit([Set(f"{PATHS.within(OWN).items('homesForSale')}/h9", {"garden": True})])
    again = await house.done("POST", ATTACH, {"collection": "homesForSale"})
    assert (again["tool"]["id"], again["tool"]["label"]) == (first["tool"]["id"], "Our homes")
    await house.store.commit([Set(PATHS.within(OWN).document("agents", "bob"), {"name": "Bob"})])
    await house.done("POST", "agents/bob/collections", {"collection": "homesForSale"})
    assert len(await house.stored()) == 1
    assert sorted(await house.stored("agentTools")) == [f"{agent}~{first['tool']['id']}" for agent in ("ada", "bob")]


@pytest.mark.parametrize("body", [{}, {"collection": 7}, {"collection": ""}, {"collection": "nothing-there"}])
async def test_a_collection_that_cannot_be_asked_makes_no_tool(house: ToolHouse, body: dict[str, Any]):
    """It would answer every caller with an error."""
    error = await house.refused("POST", ATTACH, body, 400)
    assert error["problems"][0]["field"] == "collection"
    assert (await house.stored(), await house.stored("agentTools")) == ({}, {})


async def test_an_agent_that_is_not_there_makes_no_tool(house: ToolHouse):
    """Nothing is half done."""
    await furnish(house)
    await house.refused("POST", "agents/nobody/collections", {"collection": "homesForSale"}, 404)
    assert await house.stored() == {}


@pytest.mark.parametrize(
    "items",
    [
        [{"question": "twice", "least_price": 1, "price": 2}] * 2,
        [{f"field{number}": number for number in range(40)}] * 3,
        [{"password": "p", "businessId": "b", "session_id": "s", "a b": 1, "": 2, "ok": True}],
        [{"mixed": 1}, {"mixed": "one"}, {"mixed": [1, 2]}, {"mixed": None}],
        [{}, {}, {"rare": 1}],
        [{"place": {"lat": 1.5}, "price": 1.5, "tags": ["a"], "long": "x" * 500}],
    ],
)
def test_whatever_items_look_like_their_tool_can_be_saved_and_called(items: list[dict[str, Any]]):
    """Nothing that only the call knows is asked for, and calls without any argument are sound."""
    wish = wish_of("odd", items)
    tool = tool_of("t", wish, read_form(wish), "search_odd")
    assert not {"password", "businessId", "session_id"} & wish["params"].keys()
    assert len({f["field"] for f in wish["knowledge"]["filters"]}) <= MOST_FIELDS
    bound: Any = bind(read_form(tool.config_metadata), {}, PhoneNumbers())
    assert (bound.collection, tuple(bound.filters)) == ("odd", ())
