"""Speech held against receipts: what was not done is not said to have been done, in whatever words and pieces."""

from collections.abc import Sequence
from datetime import datetime
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.business.business import Business, Service
from switchboard.contract.call import ToolCall
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.definitions.definition import Deed, Definition, Kind
from switchboard.contract.error import ErrorType
from switchboard.contract.response import Failure, ToolResponse
from switchboard.conversation.claims.classifier import ClaimReading, ClaimTelling, classifier
from switchboard.conversation.claims.entities import mentions
from switchboard.conversation.claims.guard import LONGEST_SENTENCE, ClaimGuards
from switchboard.conversation.claims.sentences import SENTENCE_END
from switchboard.conversation.guard import SpeechGuard, Unfounded
from switchboard.conversation.pending_results import Arrival
from switchboard.conversation.session import CallSession
from tests.conversation.claims.guarded import guard_of, said_by
from tests.desk.front_desk import StoppedClock
from tests.each import each

TOOLS: dict[str, tuple[Kind, tuple[Deed, ...]]] = {
    "book": (Kind.ACTION, (Deed.BOOKED,)),
    "cancel": (Kind.ACTION, (Deed.CANCELLED,)),
    "send": (Kind.ACTION, (Deed.TEXTED,)),
    "look": (Kind.RETRIEVAL, (Deed.BOOKED,)),
    "look_again": (Kind.RETRIEVAL, (Deed.BOOKED,)),
}
ZONE = ZoneInfo("America/New_York")
SALON = Business(
    "salon",
    language="de",
    timezone=ZONE,
    services=(Service("Haircut", 30), Service("Color", 90), Service("Kids' cut", 30)),
)
NOW = datetime(2027, 3, 15, 12, 0, tzinfo=ZONE)
# Tuesday.
WHEN = "2027-03-16T10:00:00-04:00"


def tool(name: str) -> Any:
    kind, deeds = TOOLS[name]
    time = {"when": {"type": "string", "format": "date-time"}} if name in ("book", "cancel") else {}
    parameters = {"type": "object", "properties": time}
    return SimpleNamespace(name=name, definition=Definition(name, "x", kind, "", parameters, deeds=deeds))


DEFINED = [tool(name).definition for name in TOOLS]


def session(*done: tuple[str, dict[str, Any]]) -> CallSession:
    found = CallSession(CONTEXTS[Channel.PHONE](business_id="salon", session_id="s1"))
    for tool, words in done:
        found.note(ToolCall(tool, {}), ToolResponse(data={}, meta={"receipt": words}), 1.0)
    return found


BOOKED = ("book", {"what": "Haircut", "for": "Anna Whitfield", "when": WHEN, "effectIds": ["bk_1"]})


def guard(known: CallSession | None = None) -> SpeechGuard:
    return guard_of(known or session(), SALON, NOW, DEFINED)


def say(text: str, known: CallSession | None = None, size: int = 4, calls: Sequence[str] = ()) -> str:
    """Return what gets through of an answer that comes in pieces, and calls these tools."""
    return said_by(guard(known), text, calls, size)


MADE = [
    "You're booked for Tuesday.",
    "You\u2019re all set!",
    "I have booked you in.",
    "Great, I've put you down for ten.",
    "Your appointment is confirmed.",
    "I can confirm that you are booked.",
    "No problem, you are booked.",
    "I couldn't reach the owner, but you are booked.",
    "I managed to get you booked.",
    "Ich habe Sie eingetragen.",
    "Ihr Termin steht.",
    "Ich kann Ihnen bestätigen, dass Sie gebucht sind.",
    "Kein Problem, das ist gebucht.",
    "I texted you the address.",
    "Ich habe Ihnen eine SMS geschickt.",
]
NOT_MADE = [
    "Shall I get that booked for you?",
    "Would you like me to have it scheduled?",
    "You are not booked yet.",
    "I haven't booked anything.",
    "I can't confirm that it's booked.",
    "Once you are booked, you will get a text.",
    "I'll have you booked in a moment.",
    "We are fully booked on Tuesday.",
    "That time is already booked.",
    "Tuesday is booked out.",
    "It needs to be booked a day ahead.",
    "Nothing has been booked.",
    "Are you booked with us already?",
    "Ich habe noch nichts gebucht.",
    "Soll ich Sie eintragen?",
    "Gebucht ist noch nichts.",
    "Wenn das gebucht ist, bekommen Sie Bescheid.",
    "I can have it scheduled if you like.",
    "Let me get you booked.",
]


@each("sentence", MADE)
def test_a_sentence_that_says_it_was_done_makes_a_claim(sentence: str) -> None:
    """As people put them."""
    assert classifier().read(sentence).claims


@each("sentence", NOT_MADE)
def test_a_sentence_that_denies_asks_promises_or_supposes_makes_none(sentence: str) -> None:
    """Holding these back would make an honest agent stutter."""
    assert not classifier().read(sentence).claims


@each("sentence", MADE)
@each("size", [1, 3, 1_000])
def test_an_invented_result_never_reaches_the_caller(sentence: str, size: int) -> None:
    """Nothing was called: not one word of the sentence is heard, however the pieces fall."""
    found = guard()
    said = ""
    with pytest.raises(Unfounded) as unfounded:
        for i in range(0, len(sentence), size):
            said += found.feed(sentence[i : i + size])
        said += found.rest()
    assert said == ""
    assert "nothing of the kind was done" in unfounded.value.correction


@each("sentence", NOT_MADE)
@each("size", [1, 3, 1_000])
def test_what_claims_nothing_is_said_to_the_letter(sentence: str, size: int) -> None:
    """Also when it holds the words of a claim."""
    assert say(sentence, size=size) == sentence


BORNE_OUT = [
    "You're booked for Tuesday at 10:00.",
    "Anna, you're all set for tomorrow at ten.",
    "Your Haircut is booked for March 16 at 10 am.",
    "I have booked it for Anna Whitfield on the 16th of March at 10 a.m. See you then!",
    "Ich habe Sie für Dienstag, den 16. März um 10 Uhr eingetragen.",
    "Gebucht: Dienstag um zehn.",
    "You are booked.",
]
OTHERWISE = [
    "You're booked for Tuesday at 11:00.",
    "You're booked for Wednesday at ten.",
    "You're booked for March 17.",
    "You are booked today at ten.",
    "You're booked for 10 pm.",
    "It is booked for Miguel Santos.",
    "Your Color is booked for ten.",
    "Ich habe Sie um halb elf eingetragen.",
    "Der Termin steht: übermorgen um zehn Uhr.",
    "I texted you the details.",
]


@pytest.mark.parametrize("sentence", BORNE_OUT)
def test_what_a_receipt_bears_out_is_said_to_the_letter(sentence: str) -> None:
    """The same time in any spelling, the same person by any part of the name."""
    assert say(sentence, session(BOOKED)) == sentence


@each("sentence", OTHERWISE)
def test_a_claim_about_something_else_is_held_back(sentence: str) -> None:
    """A booking was made, but not this one: wrong time, wrong day, wrong person, wrong service, another deed."""
    with pytest.raises(Unfounded):
        say(sentence, session(BOOKED))


def test_a_claim_after_a_failed_or_unknown_outcome_is_held_back() -> None:
    """Only success leaves a receipt."""
    for partial in (False, True):
        known = session()
        failure = Failure(ErrorType.TRANSIENT, "it is not known", False, partial)
        known.note(ToolCall("book", {}), ToolResponse(failure=failure, meta={"receipt": BOOKED[1]}), 1.0)
        with pytest.raises(Unfounded):
            say("You're booked.", known)


@pytest.mark.requirement("004-670")
def test_what_was_done_in_a_turn_without_an_answer_bears_out_what_is_said_of_it() -> None:
    """Its caller hears of it in the turn after; what nobody knows of it bears out nothing."""
    known = session()
    response = ToolResponse(data={}, meta={"receipt": BOOKED[1]})
    known.arrive(Arrival("c1", "book", response, is_unheard=True))
    assert say("I have already booked your haircut for Tuesday at ten.", known)
    failure = Failure(ErrorType.TRANSIENT, "it is not known", False, True)
    unsure = session()
    unsure.arrive(Arrival("c1", "book", ToolResponse(failure=failure), is_unheard=True, is_open=True))
    with pytest.raises(Unfounded):
        say("I have already booked your haircut for Tuesday at ten.", unsure)


def test_what_a_look_up_found_bears_a_claim_out() -> None:
    """ "You are booked on Tuesday" is true of an appointment made last week, and of no other."""
    known = session()
    rows = [
        {"bookingId": "bk_1", "service": "Haircut", "startTime": WHEN},
        {"bookingId": "bk_2", "service": "Color", "startTime": "2027-04-02T15:00:00-04:00"},
    ]
    known.note(ToolCall("look", {}), ToolResponse(data={"appointments": rows}), 1.0)
    assert say("You are booked on Tuesday at ten.", known)
    assert say("Your Color is booked for 3 pm.", known)
    with pytest.raises(Unfounded):
        say("Your Color is booked for ten.", known)


def test_the_correction_names_what_was_really_done() -> None:
    """The model can say it right the next time."""
    with pytest.raises(Unfounded) as unfounded:
        say("You're booked for Wednesday.", session(BOOKED))
    assert "Tuesday 2027-03-16 10:00" in unfounded.value.correction


def test_the_sentences_around_a_claim_are_said() -> None:
    """Only the sentence with the claim is held, and no piece of it is heard."""
    found = guard()
    assert found.feed("We open at nine. ") == "We open at nine. "
    assert found.feed("And you are ") == ""
    assert found.feed("booked for") == ""
    with pytest.raises(Unfounded):
        found.feed(" ten. Bye.")


def test_a_sentence_that_is_borne_out_is_said_as_soon_as_it_ends() -> None:
    """Nobody waits for the end of the answer."""
    found = guard(session(BOOKED))
    assert found.feed("You are booked") == ""
    assert found.feed(" for Tuesday. We") == "You are booked for Tuesday. "
    assert found.feed(" look forward to it. ") == "We look forward to it. "


def test_what_is_told_as_under_way_is_left_to_the_call_that_does_it() -> None:
    """ "I'm cancelling it now" before the call is neither said nor a lie: what comes of it is told instead."""
    assert say("I'm cancelling your appointment right now. Anything else?", calls=["cancel"]) == "Anything else?"


@each("sentence", ["I'm cancelling your appointment right now.", "You'll get a text with the address in a minute."])
def test_what_is_told_of_a_deed_to_come_is_not_said_beside_a_call_that_acts(sentence: str) -> None:
    """Whatever the sentence announces, the results of the call tell what was done: asking anew would only cost time."""
    assert say(f"{sentence} Anything else?", calls=["send"]) == "Anything else?"


@each("sentence", ["I'm cancelling your appointment right now.", "You'll get a text with the address in a minute."])
@each("calls", [(), ("look",)])
def test_what_is_told_of_a_deed_to_come_is_held_where_nothing_is_done(calls: tuple[str, ...], sentence: str) -> None:
    """No call, or one that only looks."""
    with pytest.raises(Unfounded):
        say(f"{sentence} Anything else?", calls=calls)


READ_BACK = "Perfecto: un recogido el sábado cinco de diciembre a las once de la mañana, a nombre de Elena Ruiz."


def test_what_is_read_back_before_the_question_is_no_claim() -> None:
    """What would be booked is told as what is booked would be; the question that follows tells them apart."""
    found = guard()
    assert found.feed(f"{READ_BACK} ") == ""
    assert found.feed("¿Se lo reservo así? ") + found.rest() == f"{READ_BACK} ¿Se lo reservo así? "


@each(
    "told",
    [
        "There is no more appointment on Monday. Is that all?",
        "Montag ist damit weg. War das alles?",
        "Good news, Friday at ten worked. Does that help?",
        "You should get a text. Was that everything?",
        "Gut, dann Freitag um zehn gebucht. Darf es sonst noch etwas sein?",
    ],
)
def test_a_question_about_something_else_makes_no_claim_a_read_back(told: str) -> None:
    """Nor is anything read back but what would be booked, moved or entered."""
    with pytest.raises(Unfounded):
        say(told)


@each("after", ["", "¿Le ayudo con otra cosa?", "¡Hasta el sábado!"])
def test_what_looks_like_a_claim_is_held_where_no_such_question_follows(after: str) -> None:
    """Nothing of it is heard, nor of what follows it."""
    found = guard()
    assert found.feed(f"{READ_BACK} ") == ""
    with pytest.raises(Unfounded):
        found.feed(f"{after} ") + found.rest()


def test_where_an_appointment_stands_is_told_in_whatever_words() -> None:
    """Its own day and hour are so; another one, or a move from one to another, is held."""
    known = session(BOOKED)
    assert say("Got it, your haircut is on Tuesday at ten.", known)
    for lie in (
        "I've moved your haircut to Wednesday at ten.",
        "I've moved you from Tuesday at ten to Friday at three.",
    ):
        with pytest.raises(Unfounded):
            say(lie, known)


def test_a_sentence_without_end_is_said_clause_by_clause() -> None:
    """Nobody waits for a list that does not end, and a claim in it is held all the same."""
    times = ", ".join(f"{hour}:{minute:02} is free" for hour in range(9, 18) for minute in (0, 15, 30, 45))
    found = guard()
    said = found.feed(f"On Thursday {times}, ")
    assert len(said) > len(times) - LONGEST_SENTENCE
    with pytest.raises(Unfounded):
        found.feed("and you are booked for ten. ")
        found.feed("Anything else? ")


PIECES = st.lists(
    st.sampled_from([" ", "We ", "are", " open.", "\n", "3 p.m. ", "at 10.", "Yes! ", "a", "we all ", "Dr. Who ", "?"])
)


@given(PIECES)
def test_what_claims_nothing_is_never_kept_beyond_its_sentence(pieces: list[str]) -> None:
    """In the end everything has been said, in its order."""
    reader: Any = SimpleNamespace(read=lambda sentence: ClaimReading((), ClaimTelling.PLAIN))
    offer: Any = SimpleNamespace(business=SALON, tools=(), set_hash="h1", untold=frozenset())
    found, said = ClaimGuards(StoppedClock(), reader=lambda: reader)(session(), offer), ""
    for count, piece in enumerate(pieces, 1):
        said += found.feed(piece)
        held = "".join(pieces[:count])[len(said) :]
        assert SENTENCE_END.search(held) is None
    assert said + found.rest() == "".join(pieces)


@each(
    ("text", "clock"),
    [
        ("at 10:30", {630, 1350}),
        ("at 10:30 am", {630}),
        ("at 3 p.m.", {900}),
        ("um 14 Uhr", {840}),
        ("um 14:15 Uhr", {855}),
        ("half past three", {210, 930}),
        ("halb vier", {210, 930}),
        ("viertel nach neun", {555, 1275}),
        ("quarter to ten", {585, 1305}),
        ("ten o\u2019clock", {600, 1320}),
        ("at noon", {720, 0}),
        ("um acht", {480, 1200}),
    ],
)
def test_clock_times_are_read_as_people_say_them(text: str, clock: set[int]) -> None:
    """In minutes after midnight; without am or pm a time may mean either."""
    assert mentions(text, NOW).clocks == (frozenset(clock),)


@pytest.mark.parametrize("text", ["guten Morgen", "am Dienstag Morgen", "We have 3 chairs.", "bis zum nächsten Mal"])
def test_what_is_no_time_is_not_read_as_one(text: str) -> None:
    """Nothing that is not certain is held against anybody."""
    found = mentions(text, NOW)
    assert not found.clocks
    assert not found.days
