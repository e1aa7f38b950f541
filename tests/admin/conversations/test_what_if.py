"""What would be offered in another situation, asked by name; a name that nothing has is refused."""

from typing import Any

import pytest

from switchboard.admin.access.refusal import NotValid
from switchboard.admin.conversations.what_if import Otherwise, WhatIf
from switchboard.contract.ports import Store
from tests.admin.definition_house import opened
from tests.admin.owners_office import OWN


@pytest.mark.parametrize(
    ("wish", "field", "works"),
    [
        (Otherwise({"gogleCalendar": "connected"}), "integrations", "googleCalendar"),
        (Otherwise({"calendar": "connected"}), "integrations", "builtinCalendar"),
        (Otherwise({}, features=frozenset({"record"})), "features", "open_events"),
    ],
)
async def test_a_name_that_no_tool_asks_for_is_refused_with_those_that_there_are(
    memory: Store, wish: Any, field: str, works: str
):
    """It would change nothing, and everything would look as if it had been taken into account."""
    async with opened(memory) as house:
        with pytest.raises(NotValid) as caught:
            await WhatIf(house.running.catalog).table(OWN, wish)
    [problem] = caught.value.problems
    assert problem.field == field and works in problem.message


async def test_a_calendar_that_is_imagined_brings_its_tools(memory: Store):
    """Nothing is stored, and no account is asked."""
    async with opened(memory) as house:
        what_if = WhatIf(house.running.catalog)
        now, then = [await what_if.table(OWN, Otherwise(wish)) for wish in ({}, {"googleCalendar": "connected"})]
    missing = [
        {tool["name"] for tool in table["tools"] if all(cell["condition"] for cell in tool["cells"])}
        for table in (now, then)
    ]
    assert "look_with_calendar" in missing[0] - missing[1]
