"""Arguments that cannot be used: what is said beside what would be right."""

from datetime import UTC, datetime
from typing import Any

import pytest

from switchboard.contract.error import ErrorType
from switchboard.contract.store import Update
from tests.pipeline.conftest import BUSINESS, PATHS, Instance
from tests.tools.guide_house import REGISTRY

pytestmark = pytest.mark.requirement("004-331")


@pytest.fixture
async def salon(store: Any, clock: Any) -> Instance:
    """A salon in New York with a calendar, where it is still the evening before."""
    clock.moment = datetime(2027, 3, 11, 3, 30, tzinfo=UTC)
    calendar = {"builtinCalendar": {"isConnected": True}}
    fields = {"timezone": "America/New_York", "integrations": calendar, "features": {"records": True}}
    await store.commit([Update(PATHS.within(BUSINESS).business, fields)])
    return Instance(store, clock, REGISTRY)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("check_availability", {"date": "tomorrow"}),
        ("check_availability", {"date": "2027-03-12", "until": "next Friday"}),
        ("book_appointment", {"service": "Haircut", "start_time": "the 31st, noon", "customer_name": "Ada"}),
        ("get_working_hours", {"date": "heute"}),
    ],
)
async def test_whoever_names_a_day_in_words_is_told_which_day_it_is_there(
    salon: Instance, tool: str, arguments: dict[str, Any]
) -> None:
    """By the business's own clocks, whatever day it is where the service runs."""
    failure = (await salon.call(tool, arguments)).failure
    assert failure is not None
    assert failure.type is ErrorType.VALIDATION
    assert failure.message.endswith("; it is now Wednesday, 2027-03-10, 22:30 (America/New_York)")


async def test_of_what_is_no_day_it_is_not_said(salon: Instance) -> None:
    """A length that cannot be has nothing to do with today."""
    failure = (await salon.call("check_availability", {"date": "2027-03-16", "duration_minutes": 3})).failure
    assert failure is not None
    assert "it is now" not in failure.message
