"""The rehearsal: what it reads in people's words, and how it words what tools answer, in four languages."""

import cProfile
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from switchboard.contract.business.business import Business, read_business
from switchboard.contract.call import ToolCall
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Definition, DefinitionError, read_definition
from switchboard.contract.error import ErrorType
from switchboard.contract.model import (
    CallPiece,
    Ended,
    Ending,
    Message,
    ModelEvent,
    Noted,
    Prompt,
    Scene,
    Spoken,
    TextPiece,
    ToolMessage,
    UserMessage,
)
from switchboard.contract.response import Failure, ToolResponse
from switchboard.conversation.speech.utterance import Utterance
from switchboard.models.rehearsal.details import details_in, name_in
from switchboard.models.rehearsal.model import Rehearsal
from switchboard.models.rehearsal.results import result_words
from switchboard.models.rehearsal.spoken_time import SpokenTime, spoken_time
from switchboard.models.rehearsal.vocabulary import vocabulary
from tests.each import each

TOOLS = Path(__file__).parents[2] / "functions" / "switchboard" / "tools"
LANGUAGES = ("en", "de", "es", "fr")
# A Sunday.
NOW = datetime(2026, 11, 22, 10, 4)


class Clock:
    """Sunday morning."""

    def now(self) -> datetime:
        return NOW.replace(tzinfo=UTC)

    def monotonic(self) -> float:
        return 0.0


def definition(name: str, **changes: Any) -> Definition:
    return read_definition(name, {**json.loads((TOOLS / name / "schema.json").read_text()), **changes})


def business(language: str = "en", **fields: Any) -> Business:
    services = [
        {"name": "Haircut", "durationMinutes": 30, "price": "$48"},
        {"name": "Color", "durationMinutes": 90, "price": "$135"},
    ]
    hours = {"tuesday": [{"open": "09:00", "close": "18:00"}], "wednesday": [{"open": "09:00", "close": "18:00"}]}
    document = {"name": "Studio", "phone": "+15185550142", "ai": {"language": language}}
    return read_business("studio", {**document, "services": services, "workingHours": hours, **fields})


NAMES = ("book_appointment", "check_availability", "search_knowledge", "take_message", "transfer_call")


async def ask(
    *messages: Message,
    names: Sequence[str] = NAMES,
    language: str = "en",
    channel: Channel = Channel.PORTAL,
    may_call: bool = True,
    **fields: Any,
) -> list[ModelEvent]:
    scene = Scene(business(language, **fields), channel, [definition(name) for name in names])
    tools = [{"type": "function"}] if may_call else []
    return [event async for event in Rehearsal(Clock()).stream(Prompt("", list(messages), tools, scene=scene))]


async def call(*messages: Message, **how: Any) -> tuple[str, Any]:
    event = (await ask(*messages, **how))[0]
    assert isinstance(event, CallPiece), event
    return event.name, json.loads(event.arguments)


async def words(*messages: Message, **how: Any) -> str:
    return "".join(event.text for event in await ask(*messages, **how) if isinstance(event, TextPiece))


SAID = [
    (
        "en",
        "Please book me a color tomorrow at half past three, my name is Grace Okafor.",
        ("Color", "2026-11-23T15:30:00", "Grace Okafor"),
    ),
    ("en", "Book me a haircut on Friday at ten, I'm Miguel.", ("Haircut", "2026-11-27T10:00:00", "Miguel")),
    (
        "en",
        "I'd like a haircut on December 3 at 2 p.m. for Anna Whitfield.",
        ("Haircut", "2026-12-03T14:00:00", "Anna Whitfield"),
    ),
    (
        "de",
        "Ich möchte morgen um zehn einen Haircut buchen, mein Name ist Ute Bergmann.",
        ("Haircut", "2026-11-23T10:00:00", "Ute Bergmann"),
    ),
    (
        "de",
        "Bitte buchen Sie mir Color am 3. Dezember um halb elf, ich bin Jörg Öz.",
        ("Color", "2026-12-03T10:30:00", "Jörg Öz"),
    ),
    (
        "es",
        "Quiero reservar Haircut el viernes a las 4 de la tarde, me llamo Ana Ruiz.",
        ("Haircut", "2026-11-27T16:00:00", "Ana Ruiz"),
    ),
    (
        "fr",
        "Je voudrais réserver Color demain à 10h30, je m'appelle Zoé Petit.",
        ("Color", "2026-11-23T10:30:00", "Zoé Petit"),
    ),
]


@pytest.mark.requirement("000-311")
@each("language, text, expected", SAID)
async def test_services_times_and_names_are_those_that_the_caller_said(language, text, expected):
    """In each language; nothing is taken from an example."""
    tool, arguments = await call(UserMessage(text), language=language)
    assert tool == "book_appointment"
    assert (arguments["service"], arguments["start_time"], arguments["customer_name"]) == expected


ASKED = [
    ("en", "I'd like to book an appointment", "Which service"),
    ("en", "I'd like to book a haircut", "which day"),
    ("en", "Book me a haircut tomorrow at ten", "What name"),
    ("de", "Ich möchte einen Haircut buchen", "Für welchen Tag?"),
    ("de", "Ich möchte morgen um zehn einen Haircut buchen", "Auf welchen Namen"),
    ("es", "Quiero reservar Haircut", "¿Para qué día?"),
    ("fr", "Je voudrais réserver Haircut", "Pour quel jour ?"),
    ("de", "Kann ich eine Nachricht hinterlassen?", "Was darf ich ausrichten?"),
    ("es", "¿Puedo dejar un mensaje?", "¿Qué debo decirles?"),
    ("fr", "Puis-je laisser un message ?", "Que dois-je transmettre ?"),
]


@pytest.mark.requirement("000-311")
@each("language, text, question", ASKED)
async def test_what_is_missing_is_asked_for_one_thing_at_a_time(language, text, question):
    """In the language of the business, and nothing is called before it is known."""
    assert question in await words(UserMessage(text), language=language)


@pytest.mark.requirement("000-311")
async def test_what_was_said_before_and_what_answers_the_question_make_the_call():
    """Over several turns, however short the answers."""
    told: list[Message] = [
        UserMessage("A haircut, please, can I book one?"),
        Spoken("For which day?"),
        UserMessage("tomorrow at 4"),
    ]
    told += [Spoken(await words(*told)), UserMessage("anna whitfield")]
    assert await call(*told) == (
        "book_appointment",
        {"service": "Haircut", "start_time": "2026-11-23T16:00:00", "customer_name": "Anna Whitfield"},
    )


ANSWERS = [
    ("ella may", "Ella May"),
    ("It's April Jones", "April Jones"),
    ("J. R. Smith", "J R Smith"),
    ("Tim, please", "Tim"),
]


@pytest.mark.requirement("000-311")
@each(
    "text, tool",
    [
        ("Sorry, please put me through to a person", "transfer_call"),
        ("What is your cancellation policy?", "search_knowledge"),
        ("Can I leave a message for Rosa?", "take_message"),
    ],
)
async def test_who_asks_for_something_else_does_not_take_the_time_that_was_offered(text, tool):
    """Though a time was said before; "at ten" is not said of the transfer."""
    said = [
        UserMessage("Are you free on November 27 at ten?"),
        Spoken("Nothing is free then. Would you like me to book it?"),
    ]
    events = await ask(*said, UserMessage(text), channel=Channel.PHONE)
    called = [event.name for event in events if isinstance(event, CallPiece)]
    told = "".join(event.text for event in events if isinstance(event, TextPiece))
    assert called == [tool] or (not called and "book" not in told.lower() and "service" not in told.lower())


@each("text, name", ANSWERS)
async def test_an_answer_to_the_question_for_a_name_is_one(text, name):
    """Also of somebody who is called like a month."""
    told = [
        UserMessage("Book me a haircut tomorrow at ten"),
        Spoken("What name shall I put it under?"),
        UserMessage(text),
    ]
    assert (await call(*told))[1]["customer_name"] == name


@each("text", ["It is about my hair", "What does it cost?", "my scalp itches"])
async def test_what_only_begins_like_a_name_is_none(text):
    """It is asked for again."""
    told = [
        UserMessage("Book me a haircut tomorrow at ten"),
        Spoken("What name shall I put it under?"),
        UserMessage(text),
    ]
    names = [name for name in NAMES if name != "search_knowledge"]
    event = (await ask(*told, names=names))[0]
    assert isinstance(event, TextPiece), event


DAYS = [
    ("en", "the day after tomorrow", "2026-11-24"),
    ("en", "on the 3rd", "2026-12-03"),
    ("en", "11/30", "2026-11-30"),
    ("de", "Guten Morgen, am Dienstag", "2026-11-24"),
    ("de", "übermorgen", "2026-11-24"),
    ("de", "am 3.12.", "2026-12-03"),
    ("es", "pasado mañana por la mañana", "2026-11-24"),
    ("es", "mañana por la mañana", "2026-11-23"),
    ("fr", "après-demain", "2026-11-24"),
    ("fr", "le 1er décembre", "2026-12-01"),
]
CLOCKS = [
    ("en", "quarter to nine", "08:45"),
    ("en", "3pm", "15:00"),
    ("en", "at noon", "12:00"),
    ("en", "ten o'clock", "10:00"),
    ("en", "seven in the evening", "19:00"),
    ("de", "Viertel nach drei nachmittags", "15:15"),
    ("de", "um 14 Uhr 30", "14:30"),
    ("de", "halb elf", "10:30"),
    ("es", "a las diez y media", "10:30"),
    ("fr", "à 14h15", "14:15"),
]
NONE = [("en", "I'm ten minutes late"), ("en", "for two people"), ("de", "heute Morgen"), ("en", "in December")]


@pytest.mark.requirement("000-311")
@each("language, text, expected", DAYS)
def test_days_are_read_as_they_are_said(language, text, expected):
    """Seen from a Sunday; "guten Morgen" is no day."""
    assert [day.isoformat() for day in SpokenTime(language, NOW).days(text)] == [expected]


@pytest.mark.requirement("000-311")
@each("language, text, expected", CLOCKS)
def test_times_of_day_are_read_as_they_are_said(language, text, expected):
    """Nobody wants an appointment at three in the morning."""
    assert [f"{clock:%H:%M}" for clock in SpokenTime(language, NOW).clocks(text, is_asked=True)] == [expected]


@each("language, text", NONE)
def test_what_counts_something_else_is_no_time(language, text):
    """Minutes, people and greetings are none."""
    assert SpokenTime(language, NOW).clocks(text) == []


@pytest.mark.requirement("000-311")
def test_what_is_said_again_is_read_by_the_day_on_which_it_is_said():
    days = [spoken_time("en", NOW + timedelta(days=n)).days("Tomorrow, please") for n in (0, 0, 1)]
    assert days == [[NOW.date() + timedelta(days=n)] for n in (1, 1, 2)]


@pytest.mark.requirement("000-311")
@each("language", LANGUAGES)
def test_what_is_said_of_a_time_is_read_as_the_same_time(language):
    """The two halves of each language agree, for every day of a year and every quarter of a working day."""
    times = SpokenTime(language, NOW)
    for number in range(1, 365):
        day = NOW.date().fromordinal(NOW.date().toordinal() + number)
        moment = datetime(day.year, day.month, day.day, 7 + number % 12, 15 * (number % 4))
        said = times.moment(moment)
        assert times.days(said)[-1] == day, said
        assert times.clocks(said) == [moment.time()], said


WHO = [
    ("en", "My name is Grace Okafor and I was born on July 9, 1991", "Grace Okafor", {"date_of_birth": "1991-07-09"}),
    ("en", "this is Tom Becker, +1 518 555 0164", "Tom Becker", {"phone": "+1 518 555 0164"}),
    ("en", "I'm Anna, anna@mail.example", "Anna", {"email": "anna@mail.example"}),
    ("de", "Ich heiße Deniz Yilmaz, geboren am 9.7.1991", "Deniz Yilmaz", {"date_of_birth": "1991-07-09"}),
    ("de", "Mein Name ist Ute Bergmann, 030 23125501", "Ute Bergmann", {"phone": "030 23125501"}),
    ("es", "Soy Ana Ruiz, nacida el 9 de julio de 1991", "Ana Ruiz", {"date_of_birth": "1991-07-09"}),
    ("fr", "Je m'appelle Zoé Petit, née le 9 juillet 1991", "Zoé Petit", {"date_of_birth": "1991-07-09"}),
    ("en", "I'm running late", "", {}),
    ("de", "Ich bin Mieter", "", {}),
]


@pytest.mark.requirement("000-311")
@each("language, text, name, expected", WHO)
def test_names_and_what_somebody_is_known_by_are_read(language, text, name, expected):
    """Also a date of birth, which is none of the days to come."""
    found = details_in(text, SpokenTime(language, NOW))
    read = {key: getattr(found, key) for key in ("phone", "email", "date_of_birth") if getattr(found, key)}
    assert (name_in(found.rest, vocabulary(language)), read) == (name, expected)


def test_every_language_says_and_understands_the_same():
    """Each file has the same goals, phrases with the same blanks to fill, and lists."""
    english = vocabulary("en")
    for language in LANGUAGES[1:]:
        other = vocabulary(language)
        assert other.goals.keys() == english.goals.keys()
        assert other.reading.keys() == english.reading.keys()
        assert other.phrases.keys() == english.phrases.keys()
        assert other.examples.keys() == english.examples.keys()
        for name, phrase in english.phrases.items():
            blanks = {part.partition("}")[0] for part in phrase.split("{")[1:]}
            assert {part.partition("}")[0] for part in other.phrases[name].split("{")[1:]} == blanks, (language, name)


WITH_RESULT = sorted(
    path.parent.name for path in TOOLS.glob("*/schema.json") if "result" in json.loads(path.read_text())
)


@pytest.mark.requirement("000-314")
@each("name", WITH_RESULT)
def test_a_result_is_worded_in_every_language_from_what_the_tool_promises_to_return(name):
    """No sentence speaks of a field that there is none of, and a definition keeps them when it is stored."""
    own = definition(name)
    assert own.result.keys() == set(LANGUAGES)
    assert read_definition(name, own.to_document()).result == own.result
    known = json.dumps(own.returns)
    for language in LANGUAGES:
        for part in own.result[language].split("{{")[1:]:
            field = part.partition("}}")[0].lstrip("#^/")
            assert f'"{field}"' in known, (language, field)


@pytest.mark.requirement("000-314")
def test_every_tool_that_says_something_of_its_result_has_a_sentence_for_it():
    """Those without end the conversation, or what they return is for the model alone."""
    silent = {path.parent.name for path in TOOLS.glob("*/schema.json")} - set(WITH_RESULT)
    assert silent == {
        "end_call",
        "end_voice_session",
        "extract_contacts",
        "flag_caller",
        "ignore_user",
        "kb_get",
        "transfer_call",
    }


def test_a_stored_definition_whose_result_is_no_sentence_is_refused():
    """With what would be right."""
    with pytest.raises(DefinitionError, match=r"result\.en: must be a sentence"):
        definition("take_message", result={"en": ["done"]})


@pytest.mark.requirement("000-314")
async def test_an_owners_own_words_for_a_result_are_what_is_said():
    """A definition in the store may word it otherwise; a tool without a sentence is told by its texts."""
    own = definition("take_message", result={"en": "Noted for {{messageId}}."})
    times = SpokenTime("en", NOW)
    assert result_words(own, {"messageId": "m1"}, times, "en") == "Noted for m1."
    assert result_words(own, {}, times, "en") == ""
    made = Spoken("", (ToolCall("search_knowledge", "{}", "a"),))
    found = ToolResponse(data={"results": [{"title": "Parking", "text": "Free parking behind the house."}]})
    assert (
        await words(UserMessage("Parking?"), made, ToolMessage("a", "search_knowledge", found))
        == "Free parking behind the house."
    )


async def test_a_question_that_was_agreed_to_is_called_again_unchanged():
    """As a real model is told to; a declined one is left."""
    made = Spoken("", (ToolCall("book_appointment", '{"x": 1}', "a"),))
    failure = Failure(ErrorType.CONFIRMATION_REQUIRED, "ask first", False, False)
    asked = ToolMessage("a", "book_appointment", ToolResponse(failure=failure, meta={"readBack": "Book it?"}))
    agreed = Noted("The caller has agreed. Call book_appointment now, with exactly the same arguments as before.")
    event = (await ask(UserMessage("Book"), made, asked, Spoken("Book it?"), UserMessage("Yes"), agreed))[0]
    assert isinstance(event, CallPiece)
    assert (event.name, event.arguments) == ("book_appointment", '{"x": 1}')
    declined = Noted("The caller has declined book_appointment: it was not done, and must not be.")
    assert "left it" in await words(UserMessage("Book"), made, asked, Spoken("Book it?"), UserMessage("No"), declined)


OFFERS = [
    (("search_knowledge", "take_message"), "take a message"),
    (("search_knowledge", "transfer_call"), "put you through"),
    (("search_knowledge",), "+15185550142"),
]


@pytest.mark.requirement("000-312")
@each("names, offered", OFFERS)
async def test_what_cannot_be_answered_is_said_with_what_can_be_had_instead(names, offered):
    """A message only where one can be taken, a person only where somebody can be reached."""
    made = Spoken("", (ToolCall("search_knowledge", "{}", "a"),))
    nothing = ToolMessage("a", "search_knowledge", ToolResponse(data={"results": []}))
    told = await words(UserMessage("Sing me a song about physics"), made, nothing, names=names)
    assert "I don't know that" in told
    assert offered in told
    other = {"take a message", "put you through", "+15185550142"} - {offered}
    assert not any(words in told for words in other)


@pytest.mark.requirement("000-313")
@each("language", LANGUAGES)
async def test_whoever_is_not_understood_is_told_once_that_no_language_model_speaks(language):
    """Also on the phone, where no page says so."""
    label = vocabulary(language).phrases["label"]
    first = await words(UserMessage("?!"), language=language)
    assert label in first
    assert label not in await words(UserMessage("?!"), Spoken(first), UserMessage("?!"), language=language)


async def test_a_sentence_that_was_held_back_is_not_said_again():
    """Nor that it was not done, which may be as untrue."""
    made = Spoken("", (ToolCall("book_appointment", "{}", "a"),))
    held = Noted("You were about to say: 'x'. Do not say it.")
    done = ToolMessage("a", "book_appointment", ToolResponse(data={"booked": True}))
    told = await words(UserMessage("Book"), made, done, Spoken(""), held)
    assert told == "Is there anything else I can do for you?"


async def test_the_last_time_that_it_is_asked_it_speaks():
    """Where no tool may be called any more."""
    assert "ask me again" in await words(UserMessage("Is there parking?"), may_call=False)


STRANGE = ["", " ", "?", "\u200b", "x" * 5_000, "ja " * 3_000, "1" * 3_000, "\U0001f600", "{{name}} {0} %s", "@|*"]


@each("text", STRANGE)
async def test_whatever_is_said_gets_an_answer_that_ends(text):
    """Bad input is normal input."""
    events = await ask(UserMessage(text))
    assert events[-1] in (Ended(Ending.STOPPED), Ended(Ending.CALLS))
    assert len(events) > 1


@each("text", ["haircut ", "518 555 ", "Mr. ", "qwrtz ", "monday 10:30 ", "my name is "])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_however_much_somebody_writes_little_of_it_is_read(text, language):
    """Everybody else in the process waits meanwhile: some thousand steps, and not hundreds of thousands."""
    services = [{"name": f"Cut and color {n}", "description": "Wash, cut and dry.", "price": "$9"} for n in range(12)]
    await ask(UserMessage("Hello"), language=language, services=services)
    steps = cProfile.Profile()
    steps.enable()
    await ask(UserMessage(text * (4_000 // len(text))), language=language, services=services)
    steps.disable()
    assert sum(entry.callcount for entry in steps.getstats()) < 100_000


async def test_a_long_message_is_passed_on_in_full():
    """What is wished for is read in its beginning; what somebody is to be told has an end as well."""
    text = f"The message for Miguel is that {'the dryer is broken and ' * 30}the key is with Ute."
    told = UserMessage(f"I'd like to leave a message. My name is Anna Berg, 518 555 0171. {text}")
    name, arguments = await call(told)
    assert name == "take_message" and arguments["message"].endswith("the key is with Ute.")
    assert arguments["caller_name"] == "Anna Berg"


PEOPLE = {
    "escalation": {
        "rules": [
            {"id": "front-desk", "action": "transfer", "label": "Front desk", "destination": "+15185550143"},
            {"id": "workshop", "action": "transfer", "label": "Rosa in the workshop", "destination": "+15185550144"},
            {"id": "owner", "action": "message", "label": "The owner", "destination": "+15185550145"},
        ]
    }
}


def asked_for(*there: str) -> Sequence[Message]:
    """Return a call that was put through to nobody, since somebody of these must be chosen."""
    labels = {"front-desk": "Front desk", "workshop": "Rosa in the workshop"}
    told = [{"destination": id, "label": labels[id]} for id in there]
    failure = Failure(ErrorType.VALIDATION, "Choose a destination.", retryable=False, partial_side_effects=False)
    response = ToolResponse(failure=failure, meta={"alternatives": told})
    return Spoken("", (ToolCall("transfer_call", "{}", "a"),)), ToolMessage("a", "transfer_call", response)


@pytest.mark.requirement("004-952")
@each(
    "text, destination",
    [
        ("Can I speak to a person at the front desk?", "front-desk"),
        ("Can I speak to a person in the workshop?", "workshop"),
        ("Please put me through to Rosa", "workshop"),
        ("Please put me through to a person", None),
        ("Can I speak to the owner?", None),
    ],
)
async def test_of_several_people_the_one_is_rung_who_was_named(text: str, destination: str | None) -> None:
    """By words of the id or the label; without that, the tool tells who is there."""
    name, arguments = await call(UserMessage(text), channel=Channel.PHONE, **PEOPLE)
    assert (name, arguments.get("destination")) == ("transfer_call", destination)


@pytest.mark.requirement("004-952")
async def test_where_nobody_was_named_the_one_is_rung_who_is_there_and_of_several_it_is_asked() -> None:
    """It said that it did not work just now, and put nobody through for as long as there were two."""
    wish = UserMessage("Please put me through to a person")
    how: dict[str, Any] = {"channel": Channel.PHONE, **PEOPLE}
    assert (await call(wish, *asked_for("workshop"), **how))[1]["destination"] == "workshop"
    both = asked_for("front-desk", "workshop")
    question = await words(wish, *both, **how)
    assert question == "Whom shall I put you through to? There now: Front desk and Rosa in the workshop."
    before = [wish, *both, Spoken(question)]
    assert (await call(*before, UserMessage("Rosa please"), **how))[1]["destination"] == "workshop"
    assert "destination" not in (await call(*before, UserMessage("It doesn't matter"), **how))[1]
    assert (await call(*before, UserMessage("Any"), *both, **how))[1]["destination"] == "front-desk"
    assert (await words(*before, UserMessage("No thanks"), **how)).startswith("All right")


WITH = [
    ("en", "Book me a haircut with Dana on Friday at ten, I'm Miguel.", "Dana"),
    ("en", "Can I book a haircut with Mr. Marcus Bell on Friday at ten? My name is Dana Field.", "Marcus Bell"),
    ("en", "Book me a haircut on Friday at ten, not with Dana please, I'm Miguel.", None),
    ("en", "Book me a haircut on Friday at ten, I'm Dana Field.", None),
    ("de", "Ich möchte am Freitag um zehn einen Haircut bei der Dana buchen, mein Name ist Ute Bergmann.", "Dana"),
    (
        "de",
        "Ich möchte am Freitag um zehn einen Haircut buchen, aber nicht bei Dana, mein Name ist Ute Bergmann.",
        None,
    ),
    ("es", "Quiero reservar un Haircut con la señora Dana el viernes a las diez, me llamo Pilar Ortega.", "Dana"),
    ("fr", "Je voudrais réserver un Haircut avec Dana vendredi à dix heures, je m'appelle Lucie Martin.", "Dana"),
]
TEAM = [{"id": "dana", "name": "Dana"}, {"id": "marcus", "name": "Marcus Bell"}]


@pytest.mark.requirement("004-994")
@each(("language", "text", "person"), WITH)
async def test_a_booking_is_with_the_person_whom_the_caller_has_named(language, text, person):
    name, arguments = await call(UserMessage(text), language=language, resources=TEAM)
    assert (name, arguments.get("with_person")) == ("book_appointment", person)


@pytest.mark.requirement("004-994")
async def test_free_times_are_looked_for_with_whom_the_caller_has_named_and_the_booking_is_with_them():
    """Also where the name was told turns before; once it is booked, the next booking is with anybody."""
    first = UserMessage("I'd like a haircut with Dana on Friday.")
    assert await call(first, resources=TEAM) == (
        "check_availability",
        {"date": "2026-11-27", "service": "Haircut", "with_person": "Dana"},
    )
    asked = [first, Spoken("What time would suit you?"), UserMessage("At ten, my name is Miguel Diaz.")]
    assert (await call(*asked, resources=TEAM))[1]["with_person"] == "Dana"
    made = ToolCall("book_appointment", {}, "c1")
    booked = [*asked, Spoken("", (made,)), ToolMessage("c1", made.name, ToolResponse({}))]
    next_one = UserMessage("And book a color on Wednesday at ten as well, please.")
    assert "with_person" not in (await call(*booked, Spoken("Done."), next_one, resources=TEAM))[1]


@pytest.mark.requirement("004-994")
async def test_what_was_written_to_a_person_who_answers_no_more_is_answered():
    """Whoever asks the assistant to go on has written nothing new."""
    goes_on = UserMessage(Utterance(is_unsaid=True).words)
    asked = [UserMessage("Hello"), Spoken("Hello! How can I help you?"), UserMessage("What does a haircut cost?")]
    assert await words(*asked, Noted("The AI assistant goes on."), goes_on) == "Haircut: $48, and it takes 30 minutes."
    wish = UserMessage("Book me a haircut on Friday at ten, I'm Miguel.")
    assert (await call(wish, Noted("The AI assistant goes on."), goes_on))[0] == "book_appointment"


@pytest.mark.requirement("004-991")
@each(
    ("language", "text"),
    [
        ("en", "Did you book it?"),
        ("de", "Haben Sie das gebucht?"),
        ("es", "¿Lo ha reservado?"),
        ("fr", "Avez-vous réservé ?"),
    ],
)
async def test_whether_it_was_done_is_answered_from_what_was_done(language, text):
    """Also after the line had dropped, and nobody had said a word of it."""
    made = ToolCall("book_appointment", {}, "c1")
    booked = {"service": "Haircut", "startTime": "2026-11-27T10:00:00+00:00", "customerName": "Ana", "bookingId": "b"}
    done = [UserMessage("Book it"), Spoken("", (made,)), ToolMessage("c1", made.name, ToolResponse(booked))]
    said = await words(*done, UserMessage(text), language=language)
    assert "Haircut" in said and "10" in said
