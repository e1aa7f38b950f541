"""A turn whose instance dies is taken over soon and once; one that only stood still does nothing more in it."""

import asyncio
from typing import Any

import pytest

from switchboard.contract.model import Noted
from switchboard.contract.store import Update
from switchboard.conversation.record import turn_lease
from switchboard.conversation.record.deliveries import RecordedDeliveries, StillAnswered, TurnDelivery
from switchboard.conversation.record.turn_lease import LEASE_S
from switchboard.conversation.speech.utterance import Utterance
from tests.conversation.record.test_deliveries import Desk, beside, callers_words
from tests.conversation.record.test_interactions import PATH, Office, office
from tests.conversation.scripted import calls, says
from tests.pipeline.planted import done

__all__ = ["office"]
HAND_ON = ("hand_on", {"what": "the keys"})


def delivery(**how: Any) -> TurnDelivery:
    """Return what came just now, and may come again."""
    return TurnDelivery("k1", **how)


class Elsewhere(Desk):
    """Another instance over the same store, whose time goes on with that of the first."""

    def __init__(self, first: Office, *answers: Any) -> None:
        self.office = beside(first)
        self.office.clock.wait((first.clock.now() - self.office.clock.now()).total_seconds())
        super().__init__(self.office, *answers)


async def asked(desk: Desk) -> None:
    """Wait until an instance asks its model."""
    while not desk.model.prompts:
        await asyncio.sleep(0)


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have whoever works on a turn say so again at once."""
    monkeypatch.setattr(turn_lease, "RENEWED_AFTER_S", 0.01)


@pytest.mark.requirement("004-2401")
async def test_a_turn_is_taken_over_within_fifteen_seconds_of_its_death(office: Office) -> None:
    """Nobody waits for as long as a turn may take, only because whoever was at it has died."""
    assert 10 <= LEASE_S <= 15
    await (await Desk(office).open()).begin_once(Utterance("Hello"), delivery())
    office.clock.wait(LEASE_S + 0.1)
    assert await Elsewhere(office, says("Later.")).answered(delivery()) == "Later."
    assert await callers_words(office) == ["Hello"]


@pytest.mark.requirement("004-2401")
async def test_a_living_turn_is_not_taken_over_however_long_it_takes(office: Office, often: None) -> None:
    """Whoever works on it says so again; whoever comes again waits for the one answer."""
    gate = asyncio.Event()
    here = Desk(office, [gate, *says("One.")])
    first = asyncio.create_task(here.answered(delivery()))
    await asked(here)
    for _ in range(4):
        office.clock.wait(LEASE_S - 3)
        await asyncio.sleep(0.05)
    there = Elsewhere(office)
    second = asyncio.create_task(there.answered(delivery()))
    await asyncio.sleep(0.3)
    assert not second.done()
    gate.set()
    assert await asyncio.gather(first, second) == ["One.", "One."]
    assert not there.model.prompts


async def test_whoever_has_no_more_patience_with_a_living_turn_begins_none(office: Office) -> None:
    """How long somebody waits is apart from how long a turn is held: an answer is still coming."""
    await (await Desk(office).open()).begin_once(Utterance("Hello"), delivery())
    there = Elsewhere(office)
    with pytest.raises(StillAnswered) as raised:
        await there.answered(delivery(patience_s=0.0))
    assert raised.value.turn == 1
    assert (await office.record())["turns"] == 1


async def test_a_turn_costs_a_write_more_only_as_often_as_it_is_renewed(office: Office, often: None) -> None:
    """And none where it ends before."""
    gate = asyncio.Event()
    here = Desk(office, says("One."), [gate, *says("Two.")])
    await here.answered(delivery(), "first")
    conversation = await here.open()
    office.store.asked.clear()
    turn = asyncio.create_task(here.answered(TurnDelivery("k2"), "second", conversation))
    await asked(here)
    while office.store.asked["commit"] < 3:
        await asyncio.sleep(0.01)
    assert office.store.asked.keys() == {"commit"}
    gate.set()
    await turn
    office.store.asked.clear()
    await asyncio.sleep(0.05)
    assert not office.store.asked


@pytest.mark.requirement("004-2402")
async def test_an_instance_that_stood_still_says_and_writes_nothing_more(office: Office) -> None:
    """Its turn was answered elsewhere meanwhile; the next message is taken up from there."""
    gate = asyncio.Event()
    here = Desk(office, [gate, *says("Too late.")], says("Next."))
    frozen = asyncio.create_task(here.answered(delivery()))
    await asked(here)
    office.clock.wait(LEASE_S + 1)
    there = Elsewhere(office, says("Later."))
    assert await there.answered(delivery()) == "Later."
    office.store.asked.clear()
    gate.set()
    assert await frozen == ""
    assert office.store.asked["commit"] == 0
    assert await here.answered(delivery()) == "Later."
    assert await here.answered(TurnDelivery("k2"), "And now?") == "Next."
    rows = [(row["role"], row["text"], row["turn"]) for row in (await office.record())["transcript"]]
    assert rows == [("caller", "Hello", 1), ("agent", "Later.", 2), ("caller", "And now?", 3), ("agent", "Next.", 3)]


@pytest.mark.requirement("004-2402")
@pytest.mark.parametrize("knows", [True, False], ids=["it looks", "it stands still between looking and doing"])
async def test_an_instance_that_stood_still_does_nothing_more(
    office: Office, knows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it has looked a moment too early, the commit that lets its call in says so."""
    gate = asyncio.Event()
    here = Desk(office, [gate, *calls(HAND_ON)], says("Done."))
    frozen = asyncio.create_task(here.answered(delivery()))
    await asked(here)
    office.clock.wait(LEASE_S + 1)
    there = Elsewhere(office, calls(HAND_ON), says("Handed on."))
    assert await there.answered(delivery()) == "Handed on."
    assert len(done) == 1
    done.clear()
    if not knows:
        monkeypatch.setattr(RecordedDeliveries, "is_sure", True)
        monkeypatch.setattr(RecordedDeliveries, "holds", _holds)
    here.model.answers[0] = calls(("hand_on", {"what": "something else"}))
    gate.set()
    await frozen
    assert done == []


async def _holds(_: RecordedDeliveries) -> bool:
    return True


@pytest.mark.requirement("004-2401")
@pytest.mark.parametrize("is_away", [False, True])
async def test_what_was_done_while_somebody_waited_is_known_when_the_turn_is_taken_over(
    office: Office, is_away: bool
) -> None:
    """It is told, and not done again; and where it cannot be read, that is told."""
    gate, never = asyncio.Event(), asyncio.Event()
    here = Desk(office, [gate, *calls(HAND_ON)], [never])
    dead = asyncio.create_task(here.answered(delivery()))
    await asked(here)
    there = Elsewhere(office, says("Handed on.")) if is_away else Elsewhere(office, calls(HAND_ON), says("Handed on."))
    waiting = asyncio.create_task(there.answered(delivery()))
    while there.office.store.asked["get"] < 2:
        await asyncio.sleep(0.01)
    gate.set()
    while len(here.model.prompts) < 2:
        await asyncio.sleep(0)
    if is_away:
        there.office.store.fail("get_many")
    there.office.clock.wait(LEASE_S + 1)
    assert await waiting == "Handed on."
    assert len(done) == 1
    notes = [m.text for m in there.model.prompts[0].messages if isinstance(m, Noted)]
    known = "it is not known what was done about them" if is_away else "hand_on was called when the caller spoke before"
    assert any(known in note for note in notes)
    dead.cancel()


async def test_an_instance_that_stood_still_and_was_not_missed_goes_on(office: Office) -> None:
    """Nobody has asked again: the answer is given, late."""
    gate = asyncio.Event()
    here = Desk(office, [gate, *says("One.")])
    slow = asyncio.create_task(here.answered(delivery()))
    await asked(here)
    office.clock.wait(LEASE_S + 30)
    gate.set()
    assert await slow == "One."
    assert await Elsewhere(office).answered(delivery()) == "One."


async def test_a_turn_goes_on_while_nobody_can_be_asked_whose_it_is(office: Office) -> None:
    """A store that does not answer keeps nobody from being answered."""
    gate = asyncio.Event()
    here = Desk(office, [gate, *says("One.")])
    slow = asyncio.create_task(here.answered(delivery()))
    await asked(here)
    office.clock.wait(LEASE_S + 30)
    office.store.fail("get", "commit")
    gate.set()
    assert await slow == "One."


async def test_a_version_that_renews_nothing_is_given_its_time(office: Office) -> None:
    """While instances are replaced, theirs are not taken for dead."""
    await (await Desk(office).open()).begin_once(Utterance("Hello"), delivery())
    row = f"deliveries.{delivery().key}"
    former = dict((await office.record())["deliveries"][delivery().key])
    former.pop("turn")
    await office.store.inner.commit([Update(PATH, {row: former})])
    office.clock.wait(LEASE_S + 1)
    with pytest.raises(StillAnswered):
        await Elsewhere(office).answered(delivery(patience_s=0.0))
