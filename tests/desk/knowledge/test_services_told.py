"""What a business says of its services is found where it is asked for."""

from dataclasses import replace

import pytest

from switchboard.contract.business.business import Service
from switchboard.desk.knowledge.knowledge import answer
from tests.desk.front_desk import call, salon, write_down

pytestmark = pytest.mark.requirement("004-2004")

VISIT = Service(
    "Lakeside visit", 30, "£48", "At our second practice, 9 Harbour Street, Lakeside. Park behind the chapel."
)


async def test_a_services_description_is_found_and_read_whole(desk, store):
    """Among what is written down elsewhere, by its own words and by the service's name; one without is no passage."""
    await write_down(
        store, "demo-salon", "faqs", {"cards": {"question": "Do you take cards?", "answer": "Every card."}}
    )
    ctx = call(replace(salon(), services=(VISIT, Service("Trim", 15))))
    for question in ("Where is Harbour Street?", "What street is the Lakeside visit in?", "Where do I park?"):
        best, *_ = answer(ctx, await desk.knowledge.search(ctx, question, 3))["results"]
        assert best["text"] == VISIT.description
        assert (best["kind"], best["title"], best["source"]) == ("knowledge", VISIT.name, f"Service: {VISIT.name}")
    entry = await desk.knowledge.entry(ctx, "service-lakeside-visit")
    assert entry.text == VISIT.description
    assert await desk.knowledge.search(ctx, "trim", 3) == []
