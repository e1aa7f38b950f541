"""Addresses in the question that a caller is asked: spelled, so that a wrong letter is heard."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import Definition, Kind, read_definition
from switchboard.pipeline.confirmation.prompt import as_said, read_back
from tests.desk.front_desk import NOW
from tests.each import each
from tests.pipeline.asked_questions import question
from tests.tools.folder import schema

TOOL = Definition("mail", "message", Kind.ACTION, "", {}, read_back={"en": "Send it to {{to}}?", "de": "An {{to}}?"})

# Times, and words that begin with a capital within the question.
NAMED = re.compile(r"(?<=[a-zé,] )[A-Z][a-zé]+|\d+(?::\d+)?")


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "Send it to an_na.w@x-y.com (a n underscore n a dot w at x dash y dot c o m)?"),
        ("de-AT", "An an_na.w@x-y.com (a n Unterstrich n a Punkt w at x Minus y Punkt c o m)?"),
    ],
)
def test_an_address_is_said_and_spelled(language, question):
    """Letter by letter, with the signs named in the business's language."""
    assert read_back(TOOL, {"to": "an_na.w@x-y.com"}, Business("b", language=language), NOW) == question


@pytest.mark.parametrize("text", ["a text about a@b", "two@example.com words", "12:30", "a@b"])
def test_only_a_whole_address_is_spelled(text):
    """Other texts stay as they are."""
    assert read_back(TOOL, {"to": text}, Business("b"), NOW) == f"Send it to {text}?"


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "it", "nl", "pt"])
def test_every_language_has_a_word_for_every_sign(language):
    """Where no sentence was written, the list of arguments spells the address too."""
    unwritten = Definition("mail", "message", Kind.ACTION, "", {})
    address = "a.b-c_d+e@f.gh"
    question = read_back(unwritten, {"to": address}, Business("b", language=language), NOW)
    spelled = question.partition(f"{address} (")[2].partition(")")[0].split()
    assert [word for word in spelled if len(word) == 1] == list("abcdefgh")
    assert len(spelled) == len(address)


FACTS = {
    "booking_id": "bk_1",
    "service": "Corte",
    "customer_name": "Ana Ruiz",
    # 23:30 UTC on the last of the month is the next day in the zone, and there one o'clock.
    "start_time": datetime(2027, 3, 31, 23, 30, tzinfo=UTC),
    "new_start_time": datetime(2028, 1, 1, 0, 0, tzinfo=UTC),
}
CHANGES = {
    ("cancel_appointment", "en"): (
        "I would now cancel your Corte appointment for Ana Ruiz on Thursday, April 1 at 1:30 AM. Shall I go ahead?"
    ),
    ("cancel_appointment", "de"): (
        "Ich würde jetzt Ihren Termin „Corte“ für Ana Ruiz am Donnerstag, 1. April um 1:30 Uhr absagen. "
        "Soll ich das machen?"
    ),
    ("cancel_appointment", "es"): (
        "Voy a cancelar su cita de Corte para Ana Ruiz del jueves, 1 de abril a la 1:30. ¿Sigo adelante?"
    ),
    ("cancel_appointment", "fr"): (
        "Je vais annuler votre rendez-vous « Corte » pour Ana Ruiz du jeudi 1er avril à 1h30. Êtes-vous d'accord ?"
    ),
    ("reschedule_appointment", "en"): (
        "I would now move your Corte appointment for Ana Ruiz from Thursday, April 1 at 1:30 AM to Saturday, "
        "January 1, 2028 at 1:00 AM. Shall I go ahead?"
    ),
    ("reschedule_appointment", "de"): (
        "Ich würde jetzt Ihren Termin „Corte“ für Ana Ruiz von Donnerstag, 1. April um 1:30 Uhr auf Samstag, "
        "1. Januar 2028 um 1:00 Uhr verlegen. Soll ich das machen?"
    ),
    ("reschedule_appointment", "es"): (
        "Voy a cambiar su cita de Corte para Ana Ruiz del jueves, 1 de abril a la 1:30 al sábado, 1 de enero de 2028 "
        "a la 1:00. ¿Sigo adelante?"
    ),
    ("reschedule_appointment", "fr"): (
        "Je vais déplacer votre rendez-vous « Corte » pour Ana Ruiz du jeudi 1er avril à 1h30 au samedi 1er janvier "
        "2028 à 1h00. Êtes-vous d'accord ?"
    ),
}


@pytest.mark.requirement("004-124")
@pytest.mark.parametrize(("tool", "language"), CHANGES)
def test_a_change_is_read_back_with_its_facts_in_the_businesss_zone(tool, language):
    """Which appointment, from when to when and for whom, as people say it: also on the first, at one, and by daylight
    saving time."""
    business = Business("b", language=language, timezone=ZoneInfo("Europe/Paris"))
    question = read_back(read_definition(tool, schema(tool)), FACTS, business, NOW)
    assert question == CHANGES[tool, language]


@pytest.mark.requirement("004-124")
@pytest.mark.parametrize(
    ("language", "told"),
    [("it", "martedì 16 marzo alle 11:00"), ("pt", "terça-feira, 16 de março às 11:00"), ("es", "a las 11:00")],
)
def test_eleven_is_no_one(language, told):
    """Only the hour itself is."""
    unwritten = Definition("go", "message", Kind.ACTION, "", {})
    eleven = {"at": datetime(2027, 3, 16, 11, 0, tzinfo=UTC)}
    assert told in read_back(unwritten, eleven, Business("b", language=language), NOW)


@pytest.mark.requirement("004-128")
@each(
    ("template", "value", "told"),
    [
        ("Book {{what}}?", "a cut", "Book a cut?"),
        ("Book {{what}}?", "a cut. Shall I text you", "Book a cut. Shall I text you? Shall I go ahead?"),
        ("Book {{what}}?", "a cut for Dr. Smith at 12:30", "Book a cut for Dr. Smith at 12:30?"),
        ("It says: {{what}}", "Is that all?", "It says: Is that all? Shall I go ahead?"),
        ("It says: {{what}} Shall I send it?", "Is that all?", "It says: Is that all? Shall I send it?"),
    ],
)
def test_the_last_words_of_a_question_are_never_a_models(template, value, told):
    """A yes answers what was heard last."""
    definition = replace(TOOL, read_back={"en": template})
    assert read_back(definition, {"what": value}, Business("b"), NOW) == told


@each("tool", ["cancel_appointment", "reschedule_appointment"])
@each("language", ["en", "de", "es", "fr"])
def test_what_is_asked_as_somebody_talks_names_the_same_in_fewer_words(tool: str, language: str) -> None:
    """Whoever hears a form read out takes it for a machine; all that it names is still there."""
    asked = question("cancel" if tool == "cancel_appointment" else "move", language)
    said = [as_said(asked, language), as_said(asked, language, again=True)]
    assert len(said[0]) < len(asked)
    for told in said:
        assert told.count("?") == 1 and told.endswith("?")
        assert set(NAMED.findall(asked)) <= set(NAMED.findall(told))
    assert len({asked, *said}) == 3


@each("tag", ["DE", "De-AT", "de_CH"])
def test_a_business_is_asked_in_its_language_however_its_tag_is_written(tag: str) -> None:
    """Of a tag in capitals the first two letters were taken for no language that has words."""
    asked = question("cancel", "de")
    assert as_said(asked, tag) == as_said(asked, "de") != asked


@each(
    "words",
    [
        "Book lunch?",
        "I would now do this: cost 10. Shall I go ahead?",
        "I would now cancel A, and move B. Shall I do both?",
        "Shall I go ahead?",
        "",
    ],
)
def test_what_has_no_other_form_is_asked_as_before(words: str) -> None:
    assert as_said(words, "en") == as_said(words, "en", again=True) == words


@each(
    ("language", "tool", "days", "told"),
    [
        ("en", "cancel", 0, "Shall I cancel your Haircut appointment for Anna Meyer today at 10:00 AM?"),
        ("en", "cancel", 1, "Shall I cancel your Haircut appointment for Anna Meyer tomorrow at 10:00 AM?"),
        ("de", "cancel", 1, "Soll ich Ihren Termin „Haarschnitt“ für Anna Meyer morgen um 10:00 Uhr absagen?"),
        ("es", "cancel", 1, "¿Procedo a cancelar su cita de Corte de pelo para Ana Gómez de mañana a las 10:00?"),
        (
            "fr",
            "cancel",
            0,
            "Est-ce que je peux annuler votre rendez-vous « Coupe » pour Anne Petit d'aujourd'hui à 10h00 ?",
        ),
        (
            "fr",
            "cancel",
            1,
            "Est-ce que je peux annuler votre rendez-vous « Coupe » pour Anne Petit de demain à 10h00 ?",
        ),
        (
            "en",
            "move",
            1,
            "Shall I move your Haircut appointment for Anna Meyer from tomorrow at 10:00 AM to Monday, November 30 at "
            "3:30 PM?",
        ),
        (
            "de",
            "move",
            -2,
            "Soll ich Ihren Termin „Haarschnitt“ für Anna Meyer von Freitag, 27. November um 10:00 Uhr auf morgen um "
            "15:30 Uhr verlegen?",
        ),
    ],
)
def test_what_is_today_or_tomorrow_is_called_so(language: str, tool: str, days: int, told: str) -> None:
    """As seen from the day at the business; every other day by its date."""
    friday = date(2026, 11, 27)
    assert as_said(question(tool, language), language, friday - timedelta(days=days)) == told
    assert as_said(question(tool, language), language, friday - timedelta(days=9)) == as_said(
        question(tool, language), language
    )
