"""What begins a turn and comes twice: one turn, one answer, and no document beside the conversation's record."""

import asyncio
import itertools
from typing import Any

import pytest

from switchboard.channels.stranger_shares import StrangerShares
from switchboard.contract.context import PortalContext
from switchboard.contract.error import Refused
from switchboard.contract.policy import STRANGERS, Thing
from switchboard.contract.store import DELETE_FIELD, Set, Update
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.held_conversations import Conversations
from switchboard.conversation.record import turn_numbers
from switchboard.conversation.record.deliveries import KEPT, TurnDelivery
from switchboard.conversation.speech.utterance import Utterance
from switchboard.state.firestore.store import FirestoreStore
from tests.conversation.record.test_interactions import PATH, Office, office
from tests.conversation.scripted import says
from tests.conversation.test_conversations import FACTS, parts
from tests.pipeline.conftest import BUSINESS, PATHS

__all__ = ["office"]
LEASE_S = 15.0
_numbers = itertools.count(1)
TICKET = PATHS.within(BUSINESS).document("tickets", "delivery:k1")


def delivery(key: str = "k1", **how: Any) -> TurnDelivery:
    """Return something that came just now."""
    return TurnDelivery(key, LEASE_S, TICKET, **how)


class Desk:
    """An instance that answers what comes to it."""

    def __init__(self, office: Office, *answers: Any) -> None:
        self.clock = office.clock
        self._parts = parts(office, *answers)
        self._conversations = Conversations(self._parts, office.interactions)

    @property
    def model(self) -> Any:
        return self._parts.model

    async def open(self) -> Conversation:
        return await self._conversations.open(FACTS)

    async def answered(self, came: TurnDelivery, words: str = "Hello", conversation: Conversation | None = None) -> str:
        """Return what somebody hears, here or before."""
        conversation = conversation or await self.open()
        utterance = Utterance(words)
        earlier = await conversation.begin_once(utterance, came)
        if earlier is not None:
            return earlier
        said = "".join([event.text async for event in conversation.reply(utterance) if hasattr(event, "text")])
        await came.settle(said)
        return said


def beside(office: Office) -> Office:
    """Return another instance over the same store, whose clock differs a little, as clocks do."""
    other = Office(office.store.inner)
    other.clock.wait(0.001 * next(_numbers))
    return other


async def callers_words(office: Office) -> list[str]:
    return [row["text"] for row in (await office.record())["transcript"] if row["role"] == "caller"]


async def test_what_comes_again_is_answered_as_before_on_any_instance(office: Office) -> None:
    """No second turn begins, and no model is asked."""
    here, there = Desk(office, says("One.")), Desk(office)
    assert await here.answered(delivery()) == "One."
    assert [await here.answered(delivery()), await there.answered(delivery())] == ["One.", "One."]
    assert await callers_words(office) == ["Hello"]
    assert (await office.record())["turns"] == 1


async def test_a_turn_and_its_delivery_cost_two_writes(office: Office) -> None:
    """The one that begins it, and the one that writes it down with its answer."""
    here = Desk(office, says("One."), says("Two."))
    await here.answered(delivery("k1"))
    conversation = await here.open()
    office.store.asked.clear()
    await here.answered(delivery("k2"), conversation=conversation)
    assert office.store.asked == {"commit": 2}


async def test_the_same_at_the_same_moment_on_two_instances_begins_one_turn(office: Office) -> None:
    """Both had looked before either began: one is taken back, and hears what the other was answered."""
    gate = asyncio.Event()
    here = Desk(office, says("Before."), [gate, *says("One.")])
    there = Desk(beside(office), [gate, *says("One.")])
    await here.answered(delivery("k0"), "first")
    both = [(desk, await desk.open()) for desk in (here, there)]
    running = [asyncio.create_task(desk.answered(delivery(), conversation=opened)) for desk, opened in both]
    while len(here.model.prompts) + len(there.model.prompts) < 2:
        await asyncio.sleep(0)
    gate.set()
    assert await asyncio.gather(*running) == ["One.", "One."]
    assert len(here.model.prompts) + len(there.model.prompts) == 2
    assert await callers_words(office) == ["first", "Hello"]
    assert (await office.record())["turns"] == 2
    next_one = Desk(office, says("Two."))
    assert await next_one.answered(delivery("k3"), "last") == "Two."
    assert [row["turn"] for row in (await office.record())["transcript"] if row["role"] == "caller"] == [1, 2, 3]


async def test_what_an_instance_left_unanswered_is_answered_later_and_once(office: Office) -> None:
    """It died; the effects of its tools are guarded by the ledger."""
    dead, here, there = Desk(office), Desk(office, says("Later.")), Desk(beside(office), says("Later."))
    await (await dead.open()).begin_once(Utterance("Hello"), delivery())
    office.clock.wait(LEASE_S + 1)
    there.clock.wait(LEASE_S + 1)
    both = [(desk, await desk.open()) for desk in (here, there)]
    heard = await asyncio.gather(*(desk.answered(delivery(), conversation=opened) for desk, opened in both))
    assert heard == ["Later.", "Later."]
    assert len(here.model.prompts) + len(there.model.prompts) == 1


@pytest.mark.requirement("004-975")
async def test_what_an_instance_left_unanswered_stands_once_in_the_record_when_it_comes_again(office: Office) -> None:
    """It had died between the commit that began the turn and the one that writes it down; each may come so."""
    for _ in range(3):
        await (await Desk(office).open()).begin_once(Utterance("Hello"), delivery())
        office.clock.wait(LEASE_S + 1)
    last = Desk(office, says("Later."), says("Again."))
    assert await last.answered(delivery()) == "Later."
    assert await callers_words(office) == ["Hello"]
    # The same words in another message were said again.
    assert await last.answered(delivery("k2")) == "Again."
    assert await callers_words(office) == ["Hello", "Hello"]
    assert [row["turn"] for row in (await office.record())["transcript"]] == [1, 4, 5, 5]


async def test_whoever_comes_second_waits_while_the_first_is_answered(office: Office) -> None:
    """Until then there is nothing to be told."""
    gate = asyncio.Event()
    here, there = Desk(office, [gate, *says("One.")]), Desk(office)
    first = asyncio.create_task(here.answered(delivery()))
    while not here.model.prompts:
        await asyncio.sleep(0)
    second = asyncio.create_task(there.answered(delivery()))
    while office.store.asked["get"] < 1:
        await asyncio.sleep(0)
    assert not second.done()
    gate.set()
    assert await asyncio.gather(first, second) == ["One.", "One."]


@pytest.mark.parametrize("has_begun", [False, True])
async def test_what_is_refused_leaves_the_record_as_it_was(office: Office, has_begun: bool) -> None:
    """As if it had never come; and it may come again once there is a share left."""
    here = Desk(office, says("One."), says("Two."))
    if has_begun:
        await here.answered(delivery("k0"), "first")
    before = await office.store.inner.get(PATH)
    stranger = PortalContext(business_id=BUSINESS, session_id="s1", address="203.0.113.9")
    shares = StrangerShares(office.store, PATHS, office.clock)
    for _ in range(STRANGERS[Thing.MESSAGES].visit):
        await shares.spend(stranger, Thing.MESSAGES)
    with pytest.raises(Refused):
        await here.answered(delivery(share=shares.of(stranger, Thing.MESSAGES)), "too many")
    after = await office.store.inner.get(PATH)
    if before is None:
        assert after is None
    else:
        kept = [(d.data["transcript"], d.data["turns"], d.data["deliveries"]) for d in (before, after) if d]
        assert kept[0] == kept[1]
    office.clock.wait(61)
    assert await here.answered(delivery(share=shares.of(stranger, Thing.MESSAGES)), "again") in ("One.", "Two.")
    assert (await callers_words(office))[-1] == "again"


async def test_only_the_latest_are_known_again(office: Office) -> None:
    """A record does not grow with every message that was ever delivered."""
    here = Desk(office, *(says(f"{n}.") for n in range(KEPT + 6)))
    for n in range(KEPT + 5):
        office.clock.wait(1)
        await here.answered(delivery(f"k{n}"))
    assert len((await office.record())["deliveries"]) == KEPT
    assert await here.answered(delivery("k5")) == "5."
    assert await here.answered(delivery("k0")) == f"{KEPT + 5}."


async def test_what_a_former_version_has_answered_is_answered_the_same(office: Office) -> None:
    """It gave every delivery a document, and its records name none."""
    here, there = Desk(office, says("One.")), Desk(office)
    await here.answered(delivery("k0"))
    await office.store.inner.commit([Update(PATH, {"deliveries": DELETE_FIELD}), Set(TICKET, {"answer": "As before."})])
    assert await there.answered(delivery()) == "As before."


async def test_an_answer_that_is_settled_before_its_turn_ends_is_kept_and_so_is_the_turn(office: Office) -> None:
    """Twilio waits for no model: it is told to come back for the rest."""
    gate = asyncio.Event()
    here, came = Desk(office, [gate, *says("One.")]), delivery()
    conversation, utterance = await here.open(), Utterance("Hello")
    await conversation.begin_once(utterance, came)

    async def listen() -> None:
        async for _ in conversation.reply(utterance):
            pass

    listening = asyncio.create_task(listen())
    while not here.model.prompts:
        await asyncio.sleep(0)
    await came.settle("One moment.")
    gate.set()
    await listening
    assert [row["text"] for row in (await office.record())["transcript"]] == ["Hello", "One."]
    assert await Desk(office).answered(delivery()) == "One moment."


async def test_a_turn_whose_answer_never_comes_is_written_down_by_whoever_speaks_next(office: Office) -> None:
    """Nothing of it is lost with whoever wanted the answer."""
    here = Desk(office, says("One."), says("Two."))
    conversation, utterance = await here.open(), Utterance("Hello")
    await conversation.begin_once(utterance, delivery())
    _ = [event async for event in conversation.reply(utterance)]
    await here.answered(delivery("k2"), "next")
    assert [row["text"] for row in (await office.record())["transcript"]] == ["Hello", "One.", "next", "Two."]


@pytest.mark.parametrize("after", [False, True])
async def test_a_store_that_does_not_answer_keeps_nobody_from_being_answered(office: Office, after: bool) -> None:
    """And what was said is written down when it is back."""
    here = Desk(office, says("One."), says("Two."))
    conversation = await here.open()
    office.store.fail("commit", after=after)
    assert await here.answered(delivery(), conversation=conversation) == "One."
    office.store.recover()
    assert await here.answered(delivery("k2"), "next") == "Two."
    texts = [row["text"] for row in (await office.record())["transcript"]]
    assert texts == ["Hello", "One.", "next", "Two."]


async def test_two_that_are_refused_at_once_let_neither_through(office: Office) -> None:
    """What was claimed for one that is refused is no way in for the same message on another instance."""
    here, there = Desk(office), Desk(beside(office))
    stranger = PortalContext(business_id=BUSINESS, session_id="s1", address="203.0.113.9")
    shares = [StrangerShares(office.store, PATHS, office.clock) for _ in range(3)]
    with pytest.raises(Refused):
        while True:
            await shares[0].spend(stranger, Thing.MODEL_TURNS)
    both = [(desk, await desk.open()) for desk in (here, there)]
    outcomes = await asyncio.gather(
        *(
            desk.answered(delivery(share=one.of(stranger, Thing.MODEL_TURNS)), conversation=opened)
            for (desk, opened), one in zip(both, shares[1:], strict=True)
        ),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes] == [Refused, Refused]
    assert not here.model.prompts and not there.model.prompts


async def test_in_firestore_too_the_same_at_once_begins_one_turn_and_only_the_latest_are_known(
    firestore: FirestoreStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What decides is what Firestore returns of a claim, and it drops what nobody asks for any more."""
    monkeypatch.setattr(turn_numbers, "_CLAIM_PATIENCE_S", 30.0)
    office = Office(firestore)
    await firestore.commit([Set(PATHS.within(BUSINESS).business, {"name": "Salon", "ai": {"language": "en"}})])
    desks = [Desk(beside(office), says("One.")) for _ in range(2)]
    opened = [await desk.open() for desk in desks]
    pairs = zip(desks, opened, strict=True)
    heard = await asyncio.gather(*(desk.answered(delivery(), conversation=one) for desk, one in pairs))
    assert heard == ["One."] * 2
    assert sum(len(desk.model.prompts) for desk in desks) == 1
    record = await office.record()
    assert ([row["role"] for row in record["transcript"]], record["turns"]) == (["caller", "agent"], 1)
    later = Desk(office, *(says(f"{n}.") for n in range(KEPT)))
    for n in range(KEPT):
        office.clock.wait(1)
        await later.answered(delivery(f"later{n}"))
    deliveries = (await office.record())["deliveries"]
    assert len(deliveries) == KEPT and delivery().key not in deliveries
