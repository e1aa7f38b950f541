"""With whom, for how many, and who is free when: sentences by hand, held against what is known, in seven languages."""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from switchboard.catalog.offer.inclusion import TENANT
from switchboard.contract.business.business import Service
from switchboard.contract.business.resources import Resource
from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Deed
from switchboard.contract.model import Spoken, ToolMessage
from switchboard.contract.response import ToolResponse
from switchboard.conversation.guard import Unfounded
from switchboard.conversation.session import CallSession
from tests.conversation.claims.guarded import guard_of, held_by, said_by
from tests.conversation.claims.test_claims import BOOKED, DEFINED, NOW, SALON, session, tool
from tests.each import each

FOLDER = Path(__file__).parents[1] / "company"
PEOPLE = tuple(Resource(name.split()[0].lower(), name) for name in ("Rosa Lopez", "Marcus", "Dana"))
HOUSE = replace(SALON, name="Sunny Cuts", language="en", resources=PEOPLE)
WITH_MARCUS = {**BOOKED[1], "with": "Marcus"}
FREE: tuple[dict[str, Any], ...] = (
    {
        "available": True,
        "with": "Marcus",
        "openTimes": ["2027-03-16T09:00:00-04:00"],
        "free": [{"date": "2027-03-16", "times": "Tuesday 9:00 to 12:00, 16:30"}],
    },
    {"available": True, "with": "Rosa Lopez", "openTimes": ["2027-03-17T14:00:00-04:00"]},
)
MOST_HELD = 0.02


class Sentence(NamedTuple):
    """What is said, in what state of things, and whether it is true there."""

    state: str
    is_true: bool
    text: str


def known_in(state: str) -> CallSession:
    """Return a conversation in a state of things."""
    if state == "one":
        return session((BOOKED[0], WITH_MARCUS))
    if state == "three":
        return session((BOOKED[0], {**WITH_MARCUS, "partySize": 3}))
    found = session((BOOKED[0], WITH_MARCUS)) if state == "booked" else session()
    for number, data in enumerate(FREE if state == "looked up" else ()):
        found.history.add(Spoken("", (ToolCall("check_availability", {}, f"c{number}"),)))
        found.history.add(ToolMessage(f"c{number}", "check_availability", ToolResponse(data=data)))
    return found


def is_held(sentence: str, known: CallSession, business: Any = HOUSE) -> bool:
    """Tell whether the caller does not hear a sentence, behind which a call follows that may be what it announces."""
    guard = guard_of(known, business, NOW, DEFINED)
    try:
        guard.feed(sentence)
        guard.rest(("send",))
    except Unfounded:
        return True
    return False


def sentences_of(name: str) -> Iterator[Sentence]:
    """Yield the sentences of a file: under "[state true]" or "[state false]" one a line."""
    state, is_true = "", False
    for line in (FOLDER / name).read_text().splitlines():
        if line.startswith("["):
            state, _, verdict = line.strip("[]").rpartition(" ")
            is_true = verdict == "true"
        elif line and not line.startswith("#"):
            yield Sentence(state, is_true, line)


@pytest.mark.parametrize("name", ["parties.txt", "people.txt", "offers.txt"])
@pytest.mark.requirement("004-515")
@pytest.mark.requirement("004-518")
def test_what_is_false_of_company_is_held_and_what_is_true_is_said(name: str) -> None:
    """Of at least 60 sentences of each kind, by hand; a house whose agent stutters is not better than one that lies."""
    told = list(sentences_of(name))
    false, true = ([one for one in told if one.is_true is verdict] for verdict in (False, True))
    assert min(len(false), len(true)) >= 60
    assert [one for one in false if not is_held(one.text, known_in(one.state))] == []
    held = [one for one in true if is_held(one.text, known_in(one.state))]
    assert len(held) / len(true) <= MOST_HELD, held


@each(
    "sentence, right, wrong",
    [
        ("I've moved you to {}.", "five people", "six people"),
        ("The booking has been changed from three people to {}.", "five people", "four people"),
        ("I've changed it from three to {}.", "five people", "just one person"),
        ("Your table is now booked for {}.", "five people", "three people"),
        ("Ich habe den Termin auf {} geändert.", "fünf Personen", "sechs Personen"),
        ("He cambiado su cita a {}.", "cinco personas", "seis personas"),
        ("J'ai modifié votre rendez-vous à {}.", "cinq personnes", "six personnes"),
    ],
)
@pytest.mark.requirement("004-1102")
def test_to_how_many_something_was_changed_is_held_against_what_was_done(sentence: str, right: str, wrong: str) -> None:
    """The last of its receipts counts, and what is only offered is no claim."""
    changed = replace(tool("book").definition, name="change", deeds=(Deed.MOVED, Deed.BOOKED))
    definitions = [*DEFINED, changed]
    known = session((BOOKED[0], {**WITH_MARCUS, "partySize": 3}), ("change", {**WITH_MARCUS, "partySize": 5}))
    for told, held in ((sentence.format(right), False), (sentence.format(wrong), True), ("I can make it six.", False)):
        with pytest.raises(Unfounded) if held else nullcontext():
            said_by(guard_of(known, HOUSE, NOW, definitions), told, ("send",))


@pytest.mark.requirement("004-518")
def test_two_who_come_at_the_same_time_have_two_appointments() -> None:
    """Each for one: together they are "both of you"."""
    second = ("book", {**WITH_MARCUS, "with": "Dana", "effectIds": ["bk_2"]})
    both = "Both of you are booked for Tuesday at ten."
    assert is_held(both, session((BOOKED[0], WITH_MARCUS)))
    assert not is_held(both, session((BOOKED[0], WITH_MARCUS), second))


@pytest.mark.requirement("004-518")
def test_how_many_come_is_held_against_what_was_looked_up_too() -> None:
    """An appointment that was there before, with its size, or without one; and where no people are entered."""
    looked_up = session()
    row = {"bookingId": "bk_9", "startTime": "2027-03-16T10:00:00-04:00", "with": "Dana", "status": "confirmed"}
    looked_up.tool_context["look"] = {"appointments": [{**row, "partySize": 4}]}
    for business in (HOUSE, replace(HOUSE, resources=())):
        assert not is_held("You are booked for four people on Tuesday at ten.", looked_up, business)
        assert is_held("You are booked for six people on Tuesday at ten.", looked_up, business)
    assert not is_held("You are booked with Dana on Tuesday at ten.", looked_up)


@pytest.mark.requirement("004-518")
def test_what_an_owners_tool_does_not_count_is_not_held_against_anybody() -> None:
    """Its receipt need not say how many come."""
    known = session(("book", {"what": "Table", "when": WITH_MARCUS["when"], "effectIds": ["t1"]}))
    own = replace(tool("book").definition, category=TENANT)
    for offered, held in ((tool("book").definition, True), (own, False)):
        with pytest.raises(Unfounded) if held else nullcontext():
            said_by(guard_of(known, HOUSE, NOW, [offered]), "Your table for four is booked for Tuesday at ten.")


@each(
    "name, sentence, held",
    [
        ("Dr. Weber", "You're booked with Dr. Weber on Tuesday at ten.", False),
        ("Dr. Weber", "You're booked with Dr. Klein on Tuesday at ten.", True),
        ("Jean-Luc Morel", "You're booked with Jean Luc on Tuesday at ten.", False),
        ("Zoë O'Neill", "You're booked with zoe on Tuesday at ten.", False),
        ("Zoë O'Neill", "You're booked with Mrs. O\u2019Neill on Tuesday at ten.", False),
        ("Will", "I will see that you are booked for Tuesday at ten.", False),
        ("Will", "You're booked with will on Tuesday at ten.", False),
        ("Rosa Lopez", "Your appointment for Rosa Martinez is booked.", True),
        ("Rosa Lopez", "Your appointment is booked, with pink highlights: mit rosa Str\u00e4hnen.", False),
    ],
)
@pytest.mark.requirement("004-515")
def test_names_are_known_however_they_are_spelt(name: str, sentence: str, held: bool) -> None:
    """With titles, hyphens, accents and marks or without; what is a word as well names nobody in small letters."""
    house = replace(HOUSE, resources=(Resource("one", name), Resource("two", "Bruno Klein")))
    assert is_held(sentence, session((BOOKED[0], {**BOOKED[1], "with": name})), house) is held


@each(
    "sentence",
    [
        "You're booked at Rosa's Salon on Tuesday at ten.",
        "You're booked at Rosa's on Tuesday at ten.",
        "Your Dana treatment is booked for Tuesday at ten.",
    ],
)
@pytest.mark.requirement("004-515")
def test_a_house_or_a_service_that_is_called_like_somebody_is_not_them(sentence: str) -> None:
    """The business's name, as its callers say it, and a service's."""
    services = (*HOUSE.services, Service("Dana treatment", 30))
    known = session((BOOKED[0], {**WITH_MARCUS, "what": "Dana treatment"}))
    assert not is_held(sentence, known, replace(HOUSE, name="Rosa's Salon", services=services))


@pytest.mark.requirement("004-515")
def test_a_model_is_told_with_whom_and_for_how_many_it_was() -> None:
    """So that it can say that instead."""
    for sentence in ("See you on Tuesday with Dana.", "See you all five on Tuesday, it's reserved for five people."):
        unfounded = held_by(guard_of(known_in("three"), HOUSE, NOW, DEFINED[:1]), f"{sentence} ")
        assert "with Marcus, for 3 people" in unfounded.correction


@pytest.mark.requirement("004-515")
def test_a_model_that_names_nobody_who_is_there_is_told_who_is() -> None:
    """Looking somebody up who does not exist would lead nowhere."""
    for sentence in ("With Olivia I can offer you ten.", "Avec Maria, dix heures demain, c'est possible."):
        unfounded = held_by(guard_of(session(), HOUSE, NOW, DEFINED[:1]), f"{sentence} ")
        assert "Those who are: Dana, Marcus, Rosa Lopez." in unfounded.correction


@each(
    "sentence",
    [
        *("Dana is off on Tuesday.", "Marcus is off today.", "Rosa's off, I'm afraid.", "Sorry, Dana is off tomorrow."),
        *("Dana hat am Dienstag frei.", "Dana hat nächste Woche frei.", "Dana is away on Tuesday."),
    ],
)
@pytest.mark.requirement("004-515")
def test_who_does_not_work_then_has_cancelled_nothing(sentence: str) -> None:
    """That an appointment is off is another thing, and so is whatever else is said beside it."""
    assert not is_held(sentence, session())
    assert is_held("Your appointment with Dana is off.", session())
    assert is_held("Dana is off, so your appointment is cancelled.", session())
    assert is_held("Dana hat am Dienstag um drei etwas frei.", session())
