"""How many answers somebody gets on the phone whom nothing vouches for, and that nobody else is cut short."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from switchboard.contract.caller.caller_identity import Standing
from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.context import PortalContext
from switchboard.contract.policy import STRANGERS, Thing
from switchboard.contract.store import Query, Set
from switchboard.conversation.event import Text, TurnEnded, TurnOutcome
from switchboard.conversation.speech.house_phrases import UsedUp
from tests.conversation.conftest import answer
from tests.conversation.record.test_interactions import Office
from tests.conversation.scripted import says
from tests.desk.front_desk import NOW
from tests.each import each
from tests.pipeline.conftest import BUSINESS, PATHS

SHARE = STRANGERS[Thing.SPOKEN_TURNS]
WITHIN = PATHS.within(BUSINESS)
ANNA = "+15185550171"
pytestmark = pytest.mark.requirement("004-130")


@pytest.fixture
async def office():
    found = Office()
    await found.store.commit([Set(WITHIN.business, {"name": "Salon", "ai": {"trustCallerId": True}})])
    return found


async def talked(office: Office, turns: int, session: str = "s1", **facts: Any) -> tuple[int, list[Any]]:
    """Return how many turns of a call the model answered, and what happened in the last one."""
    talk = await office.talk(*(says("Yes.") for _ in range(turns)), session=session, **facts)
    await talk.go_on()
    events: list[Any] = []
    for _ in range(turns):
        if talk.session.is_over:
            break
        events = await answer(talk)
    return turns - len(talk._parts.model.answers), events  # type: ignore[attr-defined]


@pytest.fixture
def short(monkeypatch):
    """A table with smaller cells, by the same rules."""
    small = replace(SHARE, visit=6, number=9, assured_call=2)
    monkeypatch.setitem(STRANGERS, Thing.SPOKEN_TURNS, small)
    return small


async def test_a_call_that_goes_on_for_hours_ends_with_a_true_reason(office, short):
    """The turn after the share is answered without the model: why, and that another call would work; then it ends."""
    turns, events = await talked(office, 20)
    assert turns == short.visit + 1
    text = "".join(event.text for event in events if isinstance(event, Text))
    assert "this call has gone on" in text and "call again" in text
    assert events[-1] == TurnEnded(TurnOutcome.ENDED)


async def test_calls_of_one_unproven_number_share_their_answers(office, short):
    """Each new call has an ordinary call's worth even then, so that a forger does not silence the number's owner."""
    counts = [(await talked(office, 5, f"s{n}", caller_phone=ANNA))[0] for n in range(4)]
    assert counts == [5, 5, short.assured_call + 1, short.assured_call + 1]
    _, events = await talked(office, 5, "s9", caller_phone=ANNA)
    said = "".join(event.text for event in events if isinstance(event, Text))
    assert "this number" in said and "hours" in said
    assert (await talked(office, 5, "t1", caller_phone="+15185550999"))[0] == 5


async def test_a_call_counts_its_own_answers_in_its_record(office):
    """It is written anyway; only what other calls count in too has a document of its own."""
    await talked(office, 3, caller_phone=ANNA)
    record = await office.store.get(WITHIN.document("interactions", "s1"))
    assert list(record.data["answersCounted"].values()) == [3]
    (number,) = await office.store.query(Query(WITHIN.collection("tickets")))
    assert number.data["count"] == 3


@each("facts", [{"attestation": VOUCHED_FOR}, {"caller_verified": True}])
async def test_who_is_vouched_for_or_verified_is_not_counted(facts):
    """Though the number's cell is used up by whoever forges it."""
    office = Office()
    await office.store.commit([Set(WITHIN.business, {"name": "Salon", "ai": {"trustCallerId": True}})])
    turns = SHARE.visit + 5
    assert (await talked(office, turns, caller_phone=ANNA, **facts))[0] == turns


async def test_who_has_shown_who_they_are_in_the_call_goes_on(office, short):
    """Verified by facts: read only when the share is used up."""
    standing = Standing("match", "c1", None, office.clock.now(), "line")
    await office.store.commit([Set(WITHIN.document("sessions", "s1"), standing.to_fields(), merge=True)])
    assert (await talked(office, 20))[0] == 20


async def test_counting_costs_no_trip_to_the_store(office):
    """It stands in the commit that writes the turn down."""
    talk = await office.talk(says("Yes."), says("Yes."), caller_phone=ANNA, attestation=VOUCHED_FOR)
    await answer(talk)
    other = await office.talk(says("Yes."), says("Yes."), session="s2", caller_phone=ANNA)
    await answer(other)
    asked = []
    for one in (talk, other):
        office.store.asked.clear()
        await answer(one)
        asked.append(dict(office.store.asked))
    assert asked[0] == asked[1] and asked[0]["commit"] == 2


async def test_another_instance_knows_that_the_share_is_used_up(office, short):
    """It stands in the record; a day later there are answers again."""
    await talked(office, short.visit + 1)
    elsewhere = Office(office.store)
    assert (await talked(elsewhere, 3))[0] == 0
    # Whoever opens the call's portal link has a share of their own.
    visit = PortalContext(business_id=BUSINESS, session_id="s1")
    assert (await elsewhere.interactions.resume(visit)).used_up is None
    elsewhere.clock.wait(timedelta(days=1).total_seconds())
    assert (await talked(elsewhere, 3))[0] == 3


async def test_a_count_that_fails_is_made_up_for(office, short):
    """A store that is away for a moment forgives nothing, and keeps nobody from being answered."""
    talk = await office.talk(*(says("Yes.") for _ in range(20)))
    await answer(talk)
    office.store.fail("commit")
    for _ in range(3):
        assert (await answer(talk))[-1] == TurnEnded(TurnOutcome.ANSWERED)
    office.store.recover()
    for _ in range(10):
        await answer(talk)
    assert 20 - len(talk._parts.model.answers) == short.visit + 1  # type: ignore[attr-defined]


@each("language", ["en", "de-DE", "es", "fr-CA", "pt"])
def test_it_is_said_in_the_businesss_language_with_what_would_work(language):
    """In how many hours, rounded up so that it is true."""
    for seconds, hours in ((1, 1), (3_600, 1), (3_601, 2), (80_000, 23)):
        used_up = UsedUp.by("number", NOW, NOW + timedelta(seconds=seconds), language)
        assert (str(hours) in used_up.words) is (hours > 1)
        assert UsedUp.of(used_up.to_document()) == used_up
    assert UsedUp.of({"scope": 1}) is None and UsedUp.of(None) is None
