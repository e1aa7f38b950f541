"""A month that is used up on the portal: who begins is told how else the business is reached, who writes goes on."""

import pytest

from switchboard.contract.store import Query, Update
from tests.channels.portal.salon import GERMAN, PATHS, SALON
from tests.conversation.scripted import says
from tests.desk.front_desk import NOW

SAID = (
    "Nobody can answer you here at the moment. You can reach us at +1 518 555 0142. "
    "You will find more at www.maple.example."
)


async def stop(salon, unit="modelTokens", business=SALON, **fields):
    """Note that this is used up, as a pass does; a minute later every instance knows."""
    note = {"month": f"{NOW:%Y-%m}", "since": {unit: NOW}} if unit else {}
    await salon.store.commit([Update(PATHS.within(business).business, {"monthStop": note, **fields})])
    salon.clock.wait(61)


@pytest.mark.requirement("004-844")
@pytest.mark.parametrize("unit", ["modelTokens", "cost"])
async def test_whoever_begins_is_told_how_else_the_business_is_reached(opened, unit):
    """As JSON and as a stream; no model is asked and no turn is begun, until the limit is raised."""
    salon = await opened(says("At nine."))
    ada = await salon.visitor()
    await stop(salon, unit, phone="+1 518 555 0142")
    answer = await ada.say("When do you open?")
    assert (answer["text"], answer["outcome"], answer["turn"]) == (SAID, "ended", 0)
    assert await ada.stream() == [
        ("text", {"text": SAID, "filler": False}),
        ("done", {"outcome": "ended", "turn": 0}),
    ]
    assert salon.model.prompts == []
    assert await salon.store.query(Query(PATHS.within(SALON).collection("interactions"))) == []
    await stop(salon, "")
    assert (await ada.say("When do you open?"))["text"] == "At nine."


@pytest.mark.requirement("004-844")
async def test_it_is_said_in_the_language_of_whoever_answers(opened):
    salon = await opened()
    ada = await salon.visitor(GERMAN)
    await stop(salon, business=GERMAN)
    assert (await ada.say("Hallo"))["text"] == (
        "Hier kann Ihnen im Moment niemand antworten. Bitte versuchen Sie es hier etwas später noch einmal."
    )


@pytest.mark.requirement("004-844")
async def test_a_conversation_that_is_under_way_goes_on_also_on_another_instance(opened):
    """And a message that comes again has the answer that it had."""
    salon = await opened(says("Hello."), says("At nine."))
    ada = await salon.visitor()
    first = await ada.say("Hi", messageId="m1")
    await stop(salon)
    assert await ada.say("Hi", messageId="m1") == first
    assert (await ada.say("When do you open?"))["text"] == "At nine."
    other = await opened(says("Until six."), store=salon.store)
    await stop(other)
    assert (await ada.on(other).say("And until when?"))["text"] == "Until six."
    assert (await (await other.visitor()).say("Hi"))["outcome"] == "ended"


@pytest.mark.requirement("004-844")
@pytest.mark.parametrize("unit", ["texts", "phoneMinutes"])
async def test_what_the_portal_does_not_use_does_not_stop_it(opened, unit):
    salon = await opened(says("At nine."))
    ada = await salon.visitor()
    await stop(salon, unit)
    assert (await ada.say("When do you open?"))["text"] == "At nine."
