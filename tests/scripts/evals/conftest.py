"""A scenario, and what it is held in."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from drills.own_house import noted_log
from evals.command import FOLDERS
from evals.vendors import vendors
from switchboard.admin.evals.scenario import scenario_of
from switchboard.app.core import REGISTRY
from switchboard.app.evaluation.connection import unhurried
from switchboard.app.evaluation.furnishing import furnish
from switchboard.app.evaluation.running import HeldScenario, run
from switchboard.app.evaluation.variations import ScenarioForm, plain
from switchboard.app.evaluation.vendors import StandInVendors
from switchboard.catalog.definitions.registry import Registry

Hold = Callable[..., HeldScenario]
BOOK: Mapping[str, Any] = {
    "book_appointment": {
        "service": "Haircut",
        "start_time": "2026-12-04T14:00:00",
        "customer_name": "Jane Doe",
        "customer_phone": "518-555-0171",
    }
}


def document(**more: Any) -> dict[str, Any]:
    """Return a scenario in which a haircut is booked, with other fields where they are given."""
    return {
        "name": "books",
        "business": "salon-en",
        "now": "2026-12-01 10:00",
        "caller": {"phone": "+15185550171"},
        "agent": "scripted",
        "lines": [
            {
                "say": "A haircut on Friday at two, for Jane Doe.",
                "agent": [dict(BOOK), "You are booked for Friday at 2 PM, Jane."],
            }
        ],
        "expect": {"bookings": [{"service": "Haircut", "start": "2026-12-04 14:00", "customer": "Jane Doe"}]},
        **more,
    }


@pytest.fixture(scope="session")
def stand_ins() -> Iterator[StandInVendors]:
    """What stands in for the vendors of all runs."""
    with vendors() as both:
        yield both


@pytest.fixture
def hold(stand_ins: StandInVendors) -> Hold:
    """What holds a scenario in a form, the plain one where none is given."""

    def held(form: ScenarioForm | None = None, **more: Any) -> HeldScenario:
        scenario = scenario_of(document(**more))

        async def all_of_it() -> HeldScenario:
            premises = await furnish(scenario, [*Registry.load(REGISTRY).tools], FOLDERS)
            return await run(scenario, premises, stand_ins, form or plain(scenario))

        with noted_log(), unhurried():
            return asyncio.run(all_of_it())

    return held
