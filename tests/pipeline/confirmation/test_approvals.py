"""Proposals, answers and approvals: what was agreed to runs once, and nothing else does."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.catalog.arguments.arguments import Arguments
from switchboard.contract import policy
from switchboard.contract.business.business import Business
from switchboard.contract.call import ToolCall
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.definitions.definition import Definition, Kind
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.policy import CONFIRMATION_S
from switchboard.contract.response import Proposal, ToolResponse
from switchboard.contract.store import DELETE_FIELD, Delete, Set, Stale, Unavailable, Update
from switchboard.pipeline.checks.confirm import confirm
from switchboard.pipeline.confirmation.approvals import Approvals, ConsentResult
from switchboard.pipeline.confirmation.asked_call import AskedCall
from switchboard.pipeline.confirmation.consent import Said, understood
from switchboard.pipeline.confirmation.pending_call import PendingCall, read_proposal
from switchboard.pipeline.confirmation.prompt import read_back
from switchboard.pipeline.invocation import Invocation
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import WatchedStore
from tests.each import each

NOW = datetime(2027, 3, 10, 15, 0, tzinfo=UTC)
PATHS = FirestorePaths()
ASKED = {"en": "Shall I book {{service}} for {{name}}?"}
HAIRCUT = {"service": "Haircut", "name": "Ana"}
QUESTION = "Shall I book Haircut for Ana?"
OPEN = ConsentResult("open", "book", QUESTION)
APPROVED = ConsentResult("approved", "book", QUESTION)
NOTHING = ConsentResult("nothing")


@dataclass(slots=True)
class AskedCase(Invocation):
    """A case with the field that tells what admission found out."""

    is_approved: bool = False


def definition(name="book", *, confirm=True, read_back=ASKED):
    return Definition(name, "calendar", Kind.ACTION, "", {}, confirm=confirm, read_back=read_back)


class Conversation:
    """One session of one business: calls go through admission, the check and settlement as the dispatcher does it."""

    def __init__(self, store: Any, business: str = "", session: str = "s1", channel: Channel = Channel.PHONE) -> None:
        self.store, self.approvals, self.channel = store, Approvals(store, PATHS), channel
        self.business, self.session = business or f"salon-{uuid.uuid4().hex[:12]}", session
        self.now = NOW

    async def opened(self) -> "Conversation":
        await self.store.commit([Set(self.path("sessions", self.session), {"channel": self.channel.value})])
        return self

    async def agreed(self) -> "Conversation":
        """Begin, propose a haircut for Ana in turn 1, and agree to it in turn 2."""
        await self.opened()
        assert await self.call(1) == "CONFIRMATION_REQUIRED"
        assert await self.hear(2, "yes please") == APPROVED
        return self

    def path(self, collection: Any, id: str) -> str:
        return PATHS.within(self.business).document(collection, id)

    def case(self, turn: int, args: Any = HAIRCUT, name: str = "book", **changes: Any) -> AskedCase:
        facts = CONTEXTS[self.channel](business_id=self.business, session_id=self.session, turn=turn, call_id="c")
        offer: Any = SimpleNamespace(business=Business(self.business))
        locked: Any = SimpleNamespace()
        own = SimpleNamespace(secret_arguments=frozenset())
        tool: Any = SimpleNamespace(definition=definition(name), name=name, tool=own)
        found = AskedCase(ToolCall(name, args), facts, offer, locked, False, self.now, time.monotonic(), tool)
        found.arguments = Arguments(args, args)
        for field, value in changes.items():
            setattr(found, field, value)
        return found

    async def call(self, turn: int, args: Any = HAIRCUT, tool: str = "book") -> str:
        """Make a call; return "ran" or the type of its refusal."""
        case = self.case(turn, args, tool)
        spending = await self.approvals.spending(case)
        if spending is not None:
            await self.store.commit([spending.write])
            case.is_approved = True
        try:
            confirm(case)
        except Refused as refusal:
            case.refusal = refusal
            await self.store.commit(self.approvals.propose(case))
            return refusal.type.value
        return "ran"

    async def hear(self, turn: int, said: str, **more: Any) -> ConsentResult:
        """Hold an answer against the question, which was put as it stands unless `asked` says otherwise."""
        if "asked" not in more:
            session = await self.store.get(self.path("sessions", self.session))
            open_call = read_proposal(session.data.get("proposal")) if session else None
            more["asked"] = open_call.read_back if open_call else ""
        answer = understood(said, "en")
        return await self.approvals.hear(self.business, self.session, turn, answer, self.now, **more)

    async def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
async def firestore(
    emulator_host: str, worker_project: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[FirestoreStore]:
    """A store over the emulator, with time for a machine that is busy; tests keep apart by their business."""
    for name in ("STORE_READ_S", "STORE_WRITE_S", "STORE_FIRST_CALL_S"):
        monkeypatch.setattr(policy, name, 30.0)
    found = FirestoreStore(worker_project, emulator_host=emulator_host)
    yield found
    await found.close()


@pytest.fixture(params=["memory", pytest.param("firestore", marks=pytest.mark.emulator)])
def both(request):
    """Each kind of store."""
    return WatchedStore(MemoryStore() if request.param == "memory" else request.getfixturevalue("firestore"))


@pytest.fixture
async def talk(both):
    """A conversation that has begun, over either store."""
    return await Conversation(both).opened()


@pytest.fixture
async def agreed(both):
    """A conversation in which a haircut for Ana was proposed in turn 1 and agreed to in turn 2."""
    return await Conversation(both).agreed()


@pytest.mark.requirement("003-134")
@pytest.mark.parametrize("channel", Channel)
async def test_a_call_runs_once_after_a_yes_in_a_later_turn_on_every_channel(both, channel):
    """Refused, asked, agreed to, run; and then refused and asked again."""
    talk = await Conversation(both, channel=channel).opened()
    assert await talk.call(1) == "CONFIRMATION_REQUIRED"
    assert await talk.hear(2, "yes") == APPROVED
    assert [await talk.call(2), await talk.call(2), await talk.call(3)] == ["ran", *["CONFIRMATION_REQUIRED"] * 2]


@pytest.mark.requirement("003-136")
@pytest.mark.requirement("004-127")
async def test_an_approval_is_good_in_the_turn_of_the_answer_and_no_later(agreed):
    """What the caller says next may take it back, in words that nobody foresaw."""
    assert await agreed.call(3) == "CONFIRMATION_REQUIRED"


@pytest.mark.requirement("003-137", "003-135")
@pytest.mark.parametrize(
    "other",
    [
        {"args": {**HAIRCUT, "service": "Color"}},
        {"args": {**HAIRCUT, "notes": "and a shampoo"}},
        {"args": {"service": "Haircut"}},
        {"tool": "cancel"},
    ],
)
async def test_an_approval_serves_no_other_arguments_and_no_other_tool(agreed, other):
    """What was not read back was not agreed to; and asking for it voids what was."""
    assert await agreed.call(2, **other) == "CONFIRMATION_REQUIRED"
    assert await agreed.call(2) == "CONFIRMATION_REQUIRED"


@pytest.mark.requirement("003-137")
@pytest.mark.parametrize("change", [{"session": "s2"}, {"business": "rival"}])
async def test_an_approval_serves_no_other_session_and_is_never_found_in_another_business(agreed, change):
    """Even where all the rest is equal; the one who agreed can still have it done."""
    known = {"business": agreed.business, "session": agreed.session} | change
    stranger = await Conversation(agreed.store, **known).opened()
    assert await stranger.hear(2, "yes") == NOTHING
    assert await stranger.call(2) == "CONFIRMATION_REQUIRED"
    assert await agreed.call(2) == "ran"


@pytest.mark.requirement("003-138")
@pytest.mark.parametrize(("seconds", "outcome"), [(-0.01, "ran"), (0, "CONFIRMATION_REQUIRED")])
async def test_an_approval_expires(agreed, seconds, outcome):
    """After two minutes nobody remembers what exactly was agreed to."""
    await agreed.wait(CONFIRMATION_S + seconds)
    assert await agreed.call(2) == outcome


@pytest.mark.requirement("003-138")
@pytest.mark.parametrize(("seconds", "verdict"), [(-0.01, "approved"), (0, "lapsed")])
async def test_a_question_waits_for_its_answer_for_as_long(talk, seconds, verdict):
    """A yes that comes later belongs to another question."""
    await talk.call(1)
    await talk.wait(CONFIRMATION_S + seconds)
    assert (await talk.hear(2, "yes")).verdict == verdict
    assert (await talk.hear(3, "yes")).verdict == "nothing"


@pytest.mark.requirement("003-136")
@pytest.mark.parametrize("turn", [1, 0, -1])
async def test_a_yes_in_the_turn_of_the_proposal_or_before_is_none(talk, turn):
    """It was said before the question was heard; the question stays open."""
    await talk.call(1)
    assert await talk.hear(turn, "yes") == NOTHING
    assert await talk.call(1) == "CONFIRMATION_REQUIRED"
    assert await talk.hear(2, "yes") == APPROVED


async def test_a_call_of_the_turn_of_the_proposal_spends_no_later_approval(agreed):
    """A call that was made before the answer cannot have waited for it."""
    assert await agreed.call(1) == "CONFIRMATION_REQUIRED"


@pytest.mark.parametrize("said", ["no", "no thanks", "not yet", "no, at four please"])
async def test_a_no_ends_the_proposal(talk, said):
    """A yes that follows answers nothing."""
    await talk.call(1)
    assert await talk.hear(2, said) == ConsentResult("declined", "book", QUESTION)
    assert await talk.hear(3, "yes") == NOTHING
    assert await talk.call(3) == "CONFIRMATION_REQUIRED"


async def test_an_unclear_answer_leaves_the_question_open_once(talk):
    """It is asked again, with all the time it had; then the answer counts."""
    await talk.call(1)
    await talk.wait(100)
    assert await talk.hear(2, "hm, which day was that") == OPEN
    await talk.wait(100)
    assert await talk.hear(3, "yes") == APPROVED
    assert await talk.call(3) == "ran"


async def test_a_third_unclear_answer_voids_the_proposal(talk):
    """From then on the tool has to be called anew, which asks anew."""
    await talk.call(1)
    assert [await talk.hear(2, "hm"), await talk.hear(3, "what")] == [OPEN, OPEN]
    assert await talk.hear(4, "hm") == ConsentResult("lapsed", "book", QUESTION)
    assert await talk.hear(5, "yes") == NOTHING
    await talk.call(5)
    assert await talk.hear(6, "yes") == APPROVED


async def test_an_answer_that_is_delivered_twice_counts_once(talk):
    """Twilio repeats webhooks: an unclear answer does not become two, and a yes not a yes to what comes next."""
    await talk.call(1)
    assert [await talk.hear(2, "hm"), await talk.hear(2, "hm")] == [OPEN, NOTHING]
    assert [await talk.hear(3, "yes"), await talk.hear(3, "yes")] == [APPROVED, NOTHING]
    assert await talk.call(3, {**HAIRCUT, "name": "Bo"}) == "CONFIRMATION_REQUIRED"
    assert await talk.hear(3, "yes") == NOTHING


async def test_other_arguments_take_the_place_of_the_proposal(talk):
    """The yes is to what was asked last."""
    await talk.call(1)
    await talk.call(2, {**HAIRCUT, "name": "Bo"})
    assert await talk.hear(3, "yes") == ConsentResult("approved", "book", "Shall I book Haircut for Bo?")
    assert await talk.call(3) == "CONFIRMATION_REQUIRED"


async def test_one_yes_does_not_answer_two_questions_of_one_turn(talk):
    """It counts as unclear, and the last question is asked again alone."""
    await talk.call(1)
    await talk.call(1, {**HAIRCUT, "name": "Bo"})
    assert await talk.hear(2, "yes") == ConsentResult("open", "book", "Shall I book Haircut for Bo?")
    assert (await talk.hear(3, "yes")).verdict == "approved"
    assert await talk.call(3, {**HAIRCUT, "name": "Bo"}) == "ran"


async def test_a_question_asked_twice_in_one_turn_is_one_question(talk):
    """A model that calls again at once changes nothing."""
    await talk.call(1)
    await talk.call(1)
    assert await talk.hear(2, "yes") == APPROVED


async def test_a_correction_is_a_question_of_its_own(talk):
    """Saying "at four, please" leaves the old question open; the new one replaces it, and a yes answers it at once."""
    await talk.call(1)
    await talk.hear(2, "at four please")
    await talk.call(2, {**HAIRCUT, "name": "Bo"})
    assert (await talk.hear(3, "yes")).verdict == "approved"
    assert await talk.call(3, {**HAIRCUT, "name": "Bo"}) == "ran"


async def test_a_no_takes_back_a_yes_that_nothing_came_of(agreed):
    """A second thought, heard before the call was made."""
    assert await agreed.hear(3, "no") == ConsentResult("declined", "book")
    assert await agreed.call(3) == "CONFIRMATION_REQUIRED"


@pytest.mark.requirement("004-127")
@pytest.mark.parametrize("words", ["are you still there", "Actually wait, keep it.", "Hold on", "yes", "No, stop!"])
async def test_whatever_is_said_after_a_yes_that_was_not_used_has_the_question_put_again(agreed, words):
    """Whether it takes the yes back is for the caller to say, and not for a list of words."""
    await agreed.hear(3, words)
    assert await agreed.call(3) == "CONFIRMATION_REQUIRED"


async def say(talk: Conversation, turn: int, words: str, asked: str = "", language: str = "en") -> ConsentResult:
    """Hold words as they were said, rather than what they come to, against what is open."""
    told = talk.business, talk.session, turn, Said(words, language), talk.now
    return await talk.approvals.hear(*told, asked=asked)


async def spends(talk: Conversation, turn: int) -> bool:
    """Tell whether the yes would let a call of a turn in."""
    return await talk.approvals.spending(talk.case(turn)) is not None


@pytest.mark.requirement("003-136")
@pytest.mark.parametrize("turn", [2, 3])
@each(
    ("words", "language"),
    [
        *[(words, "en") for words in ("wait, no", "actually no", "hold on", "keep it", "wait", "cancel that", "uh-uh")],
        *[(words, "en") for words in ("um", "not that one", "Nein, warte", "what does it cost?", "yes, but at four")],
        *[("Nein, warte", "de"), ("Moment", "de"), ("doch nicht", "de"), ("espere", "es"), ("attendez", "fr")],
    ],
)
async def test_what_may_take_back_a_yes_that_no_call_has_used_suspends_it(turn, words, language):
    """In the turn of the yes and in the next: the question is put again, and only a yes to that counts."""
    agreed = await Conversation(MemoryStore()).agreed()
    found = await say(agreed, turn, words, language=language)
    assert found in (OPEN, ConsentResult("declined", "book"))
    assert not await spends(agreed, 2)
    if found == OPEN:
        assert await agreed.hear(turn, "yes") == NOTHING
        assert await agreed.hear(turn + 1, "yes") == APPROVED
        assert await agreed.call(turn + 1) == "ran"


@pytest.mark.requirement("003-136")
@pytest.mark.parametrize("turn", [2, 3])
@each(
    ("words", "language"),
    [
        *[(words, "en") for words in ("mhm", "[noise]", "(coughs)", "", "thanks", "thank you, bye", "Uh-huh.", "🙏")],
        *[("danke", "de"), ("bitte", "de"), ("gracias", "es"), ("merci", "fr")],
    ],
)
async def test_a_noise_a_hum_and_thanks_take_nothing_back(turn, words, language):
    """They come in the middle of everything, also while the call is on its way."""
    agreed = await Conversation(MemoryStore()).agreed()
    assert await say(agreed, turn, words, language=language) == NOTHING
    assert await agreed.call(2) == "ran"


@pytest.mark.parametrize("words", ["yes please", "Yes. Yes, go ahead.", "okay", "Yes please, thank you."])
async def test_a_yes_that_is_told_again_in_its_turn_stands(agreed, words):
    """Webhooks repeat it, and transcripts grow while somebody speaks."""
    assert await say(agreed, 2, words) == NOTHING
    assert await agreed.call(2) == "ran"


async def test_what_was_said_before_the_yes_and_comes_late_takes_nothing_back(talk):
    """Unless it is a no: that is safe at any time."""
    await talk.call(1)
    await talk.hear(2, "hm")
    await talk.hear(4, "yes")
    assert await say(talk, 3, "wait") == NOTHING
    assert await spends(talk, 4)
    assert await say(talk, 3, "no") == ConsentResult("declined", "book")
    assert not await spends(talk, 4)


async def test_a_yes_to_something_else_in_a_later_turn_ends_the_one_that_was_not_used(agreed):
    """It counts for its turn alone, also for a call that still names that turn."""
    assert await say(agreed, 3, "yes") == NOTHING
    assert not await spends(agreed, 2)
    assert not await spends(agreed, 3)


async def test_a_yes_said_once_more_to_the_same_question_is_one_of_that_turn(agreed):
    """Nothing else was said meanwhile, and nothing was done."""
    assert await say(agreed, 3, "yes, go ahead", asked=QUESTION) == APPROVED
    assert not await spends(agreed, 2)
    assert [await agreed.call(3), await agreed.call(3)] == ["ran", "CONFIRMATION_REQUIRED"]


async def test_words_about_something_else_after_the_call_do_not_bring_the_question_back(agreed):
    """What was done is not asked again."""
    assert await agreed.call(2) == "ran"
    assert await say(agreed, 2, "wait, no") == NOTHING
    assert await say(agreed, 3, "hold on", asked=QUESTION) == NOTHING


@pytest.mark.parametrize("used", [0, 1])
async def test_a_yes_to_several_calls_is_suspended_for_those_that_have_not_used_it(talk, used):
    """All of it is asked again while nothing was done; then only what is left is off, and asks for itself."""
    others = [{**HAIRCUT, "name": name} for name in ("Bo", "Cy")]
    first, second = (AskedCall("book", talk.case(1, args).claim_key, f"Book {args}?") for args in others)
    question = "Shall I book Haircut for Bo and for Cy?"
    joint = PendingCall("book", second.claim_key, question, 1, NOW + timedelta(seconds=60), joint=(first, second))
    await talk.store.commit([Update(talk.path("sessions", "s1"), {"proposal": joint.to_document()})])
    assert (await talk.hear(2, "yes")).verdict == "approved"
    for args in others[:used]:
        assert await talk.call(2, args) == "ran"
    found = await say(talk, 2, "only for Cy")
    assert found == (ConsentResult("lapsed", "book") if used else ConsentResult("open", "book", question, ("book",)))
    assert await talk.call(2, others[1]) == "CONFIRMATION_REQUIRED"


async def test_a_ticket_from_before_questions_were_kept_can_be_taken_back(agreed):
    """By a no, and by whatever else may be one; there is nothing to be put again."""
    path = agreed.path("tickets", "approval:s1")
    await agreed.store.commit([Update(path, {"question": DELETE_FIELD})])
    assert await say(agreed, 3, "hold on") == ConsentResult("lapsed", "book")
    assert await agreed.call(2) == "CONFIRMATION_REQUIRED"


async def test_a_no_after_the_fact_is_about_something_else(agreed):
    """As when the caller is asked whether there is anything else."""
    assert await agreed.call(2) == "ran"
    assert await agreed.hear(3, "no, thanks") == NOTHING


async def test_a_no_long_after_an_unused_yes_is_about_something_else(agreed):
    """What has expired needs no taking back."""
    await agreed.wait(CONFIRMATION_S)
    assert await agreed.hear(3, "no") == NOTHING


@pytest.mark.parametrize("said", ["yes", "no", "hm"])
async def test_an_answer_without_a_question_does_nothing(talk, said):
    """Nothing is written, and one look is all it costs."""
    talk.store.asked.clear()
    assert await talk.hear(2, said, asked="") == NOTHING
    assert dict(talk.store.asked) == {"get_many": 1}
    assert await talk.call(2) == "CONFIRMATION_REQUIRED"


async def test_an_answer_in_a_session_that_nobody_opened_does_nothing(both):
    """No document comes to be."""
    talk = Conversation(both)
    assert await talk.hear(2, "yes") == NOTHING
    assert await both.get(talk.path("sessions", "s1")) is None


@pytest.mark.parametrize(("question", "verdict"), [(None, "approved"), (2, "approved"), (1, "nothing"), (3, "nothing")])
async def test_an_old_button_does_not_answer_a_new_question(talk, question, verdict):
    """A portal shows the buttons of earlier questions further up."""
    await talk.call(1)
    await talk.call(2, {**HAIRCUT, "name": "Bo"})
    assert (await talk.hear(3, "yes", question=question)).verdict == verdict


@pytest.mark.requirement("003-137")
async def test_of_calls_at_once_exactly_one_spends_the_approval(agreed):
    """Decided by the store, in the commit that lets the call in; the others find that somebody was quicker."""
    case = agreed.case(2)
    found = [await agreed.approvals.spending(case) for _ in range(10)]
    results = await asyncio.gather(*(agreed.store.commit([s.write]) for s in found), return_exceptions=True)
    assert [isinstance(result, Stale) for result in results].count(False) == 1
    assert await agreed.approvals.spending(case) is None


@pytest.mark.requirement("003-135")
@pytest.mark.parametrize(
    "forged",
    [
        {},
        {"uses": 0, "turn": 2},
        {"uses": "0", "turn": 0, "expiresMs": "9999999999999"},
        {"uses": 1, "turn": 0, "expiresMs": 9_999_999_999_999},
        {"uses": 0, "turn": 99, "expiresMs": 9_999_999_999_999},
    ],
)
async def test_a_ticket_that_no_yes_made_lets_nothing_through(talk, forged):
    """Half a ticket, a used one, one from the future: numbers decide, and what is not a number is none."""
    key, path = talk.case(2).claim_key, talk.path("tickets", f"approval:{talk.session}")
    await talk.store.commit([Set(path, {key: forged})])
    assert await talk.call(2) == "CONFIRMATION_REQUIRED"


@pytest.mark.requirement("004-120")
async def test_the_facts_that_were_agreed_to_come_back_with_the_ticket(talk):
    """To the last bit, from either store."""
    case = talk.case(1, proposal=Proposal({"service": "Haircut", "start_time": NOW}))
    with pytest.raises(Refused) as refused:
        confirm(case)
    case.refusal = refused.value
    await talk.store.commit(talk.approvals.propose(case))
    await talk.hear(2, "yes")
    assert (await talk.approvals.spending(talk.case(2))).facts == case.proposal.digest


async def test_a_call_for_something_else_leaves_no_approval_behind(agreed):
    """Trying keys on a ticket makes none of them valid."""
    other = agreed.case(2, {**HAIRCUT, "name": "Bo"})
    for _ in range(3):
        assert await agreed.approvals.spending(other) is None
    assert await agreed.call(2) == "ran"


async def test_an_answer_and_a_counted_call_do_not_get_in_each_others_way(talk):
    """The session's document changes for many reasons; the answer is decided again on what is there then."""
    await talk.call(1)
    meddle_before_commits(talk, [Update(talk.path("sessions", "s1"), {"calls": n}) for n in range(3)])
    assert await talk.hear(2, "yes") == APPROVED
    assert await talk.call(2) == "ran"


async def test_a_proposal_that_changes_while_the_answer_is_heard_is_not_approved(talk):
    """The new question was asked in this very turn, so this answer is not to it."""
    await talk.call(1)
    changed = talk.case(2, {**HAIRCUT, "name": "Bo"})
    with pytest.raises(Refused) as refused:
        confirm(changed)
    changed.refusal = refused.value
    update, void = talk.approvals.propose(changed)
    assert isinstance(void, Delete)
    meddle_before_commits(talk, [update])
    assert await talk.hear(2, "yes") == NOTHING
    assert await talk.call(2) == "CONFIRMATION_REQUIRED"


async def test_a_no_that_comes_while_the_call_is_let_in_declines_nothing(agreed):
    """The model is never told that something was declined which has been done."""
    meddle_before_commits(agreed, [(await agreed.approvals.spending(agreed.case(2))).write])
    assert await agreed.hear(2, "no") == NOTHING


async def test_a_session_that_never_stands_still_is_reported(talk):
    """Better an answer that was not heard than one that may have been."""
    await talk.call(1)
    meddle_before_commits(talk, [Update(talk.path("sessions", "s1"), {"calls": n}) for n in range(99)])
    with pytest.raises(Stale):
        await talk.hear(2, "yes")


@pytest.mark.parametrize("after", [False, True])
async def test_a_store_that_does_not_answer_never_makes_a_yes(talk, after):
    """Whether or not it was written: the channel is told, and the call either finds its ticket or asks again."""
    await talk.call(1)
    talk.store.fail("commit", after=after)
    with pytest.raises(Unavailable):
        await talk.hear(2, "yes")
    talk.store.recover()
    assert await talk.call(2) == ("ran" if after else "CONFIRMATION_REQUIRED")


def meddle_before_commits(talk: Conversation, writes: list[Any]) -> None:
    """Let one foreign write come before each of the next commits."""
    commit, left = talk.store.commit, list(writes)

    async def meddled(own: Any) -> Any:
        if left:
            await commit([left.pop(0)])
        return await commit(own)

    talk.store.commit = meddled


def approvals() -> Approvals:
    return Approvals(MemoryStore(), PATHS)


@pytest.mark.parametrize(
    "changes",
    [
        {"tool": SimpleNamespace(definition=definition(confirm=False), name="book")},
        {"tool": None},
        {"arguments": None},
        {"wish_granted": ToolResponse()},
    ],
    ids=["no confirmation", "unknown tool", "invalid arguments", "granted before"],
)
async def test_a_call_that_needs_no_approval_spends_none(changes):
    """Admission stays one commit without a read, and an approval is not lost on what cannot run."""
    assert await approvals().spending(Conversation(None).case(2, **changes)) is None


@pytest.mark.parametrize("refusal", [None, Refused(ErrorType.VALIDATION, "no", say="no")])
def test_only_a_call_that_was_refused_for_its_confirmation_is_proposed(refusal):
    """Settlement may ask for every call."""
    assert approvals().propose(Conversation(None).case(2, refusal=refusal)) == []


@pytest.mark.parametrize("session", ["s/1", "..", "x" * 500, "h~1", "🦊"])
async def test_any_session_id_has_a_ticket_of_its_own(session):
    """Ids come from strangers."""
    talk = await Conversation(MemoryStore(), session=session).opened()
    await talk.call(1)
    assert (await talk.hear(2, "yes")).verdict == "approved"
    assert await talk.call(2) == "ran"


async def test_a_ticket_says_when_it_may_be_swept_away():
    """Tickets that are never used are the store's to remove."""
    talk = await Conversation(MemoryStore()).opened()
    await talk.call(1)
    await talk.hear(2, "yes")
    ticket = await talk.store.get(talk.path("tickets", "approval:s1"))
    assert ticket.data["expireAt"] == NOW + timedelta(seconds=CONFIRMATION_S)


PROPOSALS = st.builds(
    PendingCall,
    tool=st.text(),
    claim_key=st.text("0123456789abcdef", min_size=40, max_size=40),
    read_back=st.text(),
    turn=st.integers(),
    expires_at=st.datetimes(timezones=st.just(UTC)),
    attempts=st.integers(0, 2),
    asked=st.lists(st.text()).map(tuple),
)


@given(PROPOSALS)
def test_a_proposal_is_read_as_it_was_written(proposal):
    """Document and record hold the same."""
    assert read_proposal(proposal.to_document()) == proposal


@pytest.mark.parametrize("data", [None, {}, [], "yes", 7, {"tool": "book"}, {"asked": 5}])
def test_what_is_not_a_proposal_is_none(data):
    """A field that something else wrote approves nothing."""
    assert read_proposal(data) is None


@given(PROPOSALS, st.sampled_from(["yes", "no", "unclear"]), st.integers(), st.datetimes(timezones=st.just(UTC)))
def test_only_a_timely_yes_of_a_later_turn_approves(proposal, answer, turn, now):
    """Every other combination does not."""
    if proposal.verdict(answer, turn, now) == "approved":
        assert answer == "yes"
        assert turn > proposal.turn
        assert now < proposal.expires_at


# Times are in New York: 14:30 UTC on March 16 is half past ten in the morning there.
SALON = Business("salon", name="Maple Street", timezone=ZoneInfo("America/New_York"))
MOMENT = datetime(2027, 3, 16, 14, 30, tzinfo=UTC)


def asked(language: str, arguments: Any, **sentences: str) -> str:
    """Return what a caller hears; underscores in the names of `sentences` stand for the hyphens of tags."""
    tags = {tag.replace("_", "-"): text for tag, text in sentences.items()}
    return read_back(definition("book_it", read_back=tags), arguments, replace(SALON, language=language), NOW)


@each(
    ("language", "spoken"),
    [
        ("en", "Tuesday, March 16 at 10:30 AM"),
        ("de", "Dienstag, 16. März um 10:30 Uhr"),
        ("es", "martes, 16 de marzo a las 10:30"),
        ("fr", "mardi 16 mars à 10h30"),
        ("it", "martedì 16 marzo alle 10:30"),
        ("nl", "dinsdag 16 maart om 10:30 uur"),
        ("pt", "terça-feira, 16 de março às 10:30"),
        ("pl", "Tuesday, March 16 at 10:30 AM"),
    ],
)
def test_a_time_is_said_as_weekday_date_and_time_where_the_business_is(language, spoken):
    """In its language and its zone, whatever offset it came with."""
    sentences = {language: "{{when}}!"}
    assert asked(language, {"when": MOMENT}, **sentences) == f"{spoken}!"


@pytest.mark.parametrize(
    ("language", "spoken"),
    [
        ("en", "Friday, January 1, 2027 at 12:05 AM"),
        ("de", "Freitag, 1. Januar 2027 um 0:05 Uhr"),
        ("es", "viernes, 1 de enero de 2027 a las 0:05"),
        ("fr", "vendredi 1er janvier 2027 à 0h05"),
        ("it", "venerdì 1 gennaio 2027 alle 0:05"),
        ("nl", "vrijdag 1 januari 2027 om 0:05 uur"),
        ("pt", "sexta-feira, 1 de janeiro de 2027 às 0:05"),
    ],
)
def test_the_year_is_said_where_it_is_another(language, spoken):
    """Asked on the last evening of 2026 over there, when it was 2027 already in UTC."""
    tool = definition(read_back={language: "{{when}}"})
    midnight, evening = datetime(2027, 1, 1, 5, 5, tzinfo=UTC), datetime(2027, 1, 1, 4, 0, tzinfo=UTC)
    assert read_back(tool, {"when": midnight}, replace(SALON, language=language), evening) == spoken


@pytest.mark.parametrize(("hour", "spoken"), [(4, "12:30 AM"), (16, "12:30 PM"), (17, "1:30 PM"), (3, "11:30 PM")])
def test_an_english_hour_is_one_of_twelve(hour, spoken):
    """Midnight and noon are twelve; New York is four hours behind by then."""
    assert asked("en", {"when": MOMENT.replace(hour=hour)}, en="{{when}}").endswith(spoken)


@pytest.mark.parametrize(
    ("language", "heard"),
    [
        ("de", "Buche ich Haircut?"),
        ("de-AT", "Buche ich Haircut?"),
        ("pt-BR", "Marco Haircut, tá?"),
        ("pt_br", "Marco Haircut, tá?"),
        ("en-GB", "Book Haircut?"),
        ("fr", "Book Haircut?"),
        ("", "Book Haircut?"),
    ],
)
def test_the_question_is_in_the_businesss_language_or_else_in_english(language, heard):
    """The exact tag first, then the language, then English."""
    sentences = {"de": "Buche ich {{service}}?", "pt_BR": "Marco {{ service }}, tá?", "en": "Book {{service}}?"}
    assert asked(language, {"service": "Haircut"}, **sentences) == heard


def test_an_english_sentence_has_english_times():
    """A German weekday in an English sentence helps nobody."""
    assert asked("de", {"when": MOMENT}, en="Book {{when}}?") == "Book Tuesday, March 16 at 10:30 AM?"


@pytest.mark.parametrize(
    ("language", "heard"),
    [
        ("en", "I would now do this: book it (service: Haircut, start time: Tuesday, March 16 at 10:30 AM). "),
        (
            "de",
            "Ich würde jetzt Folgendes tun: book it (service: Haircut, start time: Dienstag, 16. März um 10:30 Uhr). ",
        ),
        ("pl", "I would now do this: book it (service: Haircut, start time: Tuesday, March 16 at 10:30 AM). "),
    ],
)
@pytest.mark.parametrize("sentences", [{}, {"en": "Book {{service}} for {{customer_name}}?"}])
def test_without_a_sentence_that_can_be_filled_the_arguments_are_listed(language, heard, sentences):
    """A caller is never asked to agree to a sentence with a hole in it."""
    arguments = {"service": "Haircut", "start_time": MOMENT, "customer_name": "", "notes": None}
    assert asked(language, arguments, **sentences).startswith(heard)


def test_a_tool_without_arguments_is_named():
    """There is nothing to list."""
    assert asked("it", {}) == "Ora vorrei fare questo: book it. Va bene?"


@each(
    ("value", "spoken"),
    [
        (True, "ja"),
        (False, "nein"),
        (3, "3"),
        (3.0, "3"),
        (2.5, "2.5"),
        (0, "0"),
        ("  two \n words ", "two words"),
        (["a", True, 1.0], "a, ja, 1"),
        ({"first_name": "Ana", "at": MOMENT}, "first name: Ana, at: Dienstag, 16. März um 10:30 Uhr"),
        ("{{business.name}}", "{{business.name}}"),
        ("{0} \\1", "{0} \\1"),
    ],
)
def test_values_are_said_as_people_say_them(value, spoken):
    """Alone, in lists and in objects; text is said, never read as a pattern."""
    assert asked("de", {"value": value}, de="<{{value}}>") == f"<{spoken}>"
    assert f"(value: {spoken})" in asked("de", {"value": value})


def test_a_sentence_may_name_the_business():
    """The variables of a definition's words can be used here too."""
    assert asked("en", {"service": "Haircut"}, en="{{service}} at {{business.name}}?") == "Haircut at Maple Street?"


def test_a_sentence_that_is_not_text_is_passed_over():
    """A document may hold anything."""
    tool = definition(read_back={"en": 5, "de": None})
    assert read_back(tool, {}, SALON, NOW) == "I would now do this: book. Shall I go ahead?"
