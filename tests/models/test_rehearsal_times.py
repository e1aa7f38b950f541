"""The rehearsal's times: midnight, days that there are not, and a yes that comes too late."""

from datetime import time

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType
from switchboard.contract.model import Noted, Spoken, ToolMessage, UserMessage
from switchboard.contract.response import Failure, ToolResponse
from switchboard.conversation.speech.briefing import LAPSED
from switchboard.models.rehearsal.spoken_time import SpokenTime
from switchboard.models.rehearsal.vocabulary import vocabulary
from tests.each import each
from tests.models.test_rehearsal import LANGUAGES, NOW, call, words

pytestmark = pytest.mark.requirement("004-2206")


@pytest.mark.parametrize(
    ("language", "said", "clock"),
    [
        ("en", "Sunday at 12:45 am", time(0, 45)),
        ("en", "at 12 a.m.", time(0)),
        ("en", "half past 12 am", time(0, 30)),
        ("en", "at 12:45 pm", time(12, 45)),
        ("en", "at 12", time(12)),
        ("en", "at 00:45", time(0, 45)),
        ("en", "at 05:30", time(5, 30)),
        ("en", "at 5:30", time(17, 30)),
        ("de", "um 0 Uhr 45", time(0, 45)),
        ("de", "um 00:45", time(0, 45)),
        ("es", "a las 12:45 a.m.", time(0, 45)),
        ("es", "a las 0:45", time(0, 45)),
        ("fr", "à 0h45", time(0, 45)),
    ],
)
def test_the_hour_after_midnight_is_not_the_one_after_noon(language, said, clock):
    """However it is written; an hour with a zero before it is one of twenty-four."""
    assert SpokenTime(language, NOW).clocks(said) == [clock]


NO_DAYS = {
    "en": ("on February 29", "on the 30th of February", "February 29, 2027", "2027-02-29", "the 31st of April"),
    "de": ("am 29. Februar", "am 31. April", "am 29.2."),
    "es": ("el 30 de febrero", "el 31 de abril"),
    "fr": ("le 29 février", "le 31 avril"),
}


@each("language", LANGUAGES)
def test_a_day_that_there_is_not_is_no_other_day(language):
    """Not even the one of this month; what is no date at all names none."""
    times = SpokenTime(language, NOW)
    for said in NO_DAYS[language]:
        assert (times.days(said), times.names_no_day(said)) == ([], True), said
    for said in ("24/7", "2028-02-29", "29.2.2028"):
        assert not times.names_no_day(said)


@each("language", LANGUAGES)
async def test_whoever_names_such_a_day_is_told_and_asked_for_another(language):
    """Also in answer to the question for a day, and where another was meant before."""
    phrases = vocabulary(language).phrases
    told = f"{phrases['no_such_day']} {phrases['ask_day']}"
    said = NO_DAYS[language][0]
    book = {"en": "Book a haircut", "de": "Haircut buchen", "es": "Reservar Haircut", "fr": "Réserver Haircut"}[
        language
    ]
    for messages in (
        (UserMessage(f"{book} {said}"),),
        (UserMessage(book), Spoken(phrases["ask_day"]), UserMessage(said)),
    ):
        assert (await words(*messages, language=language)).endswith(told)


async def test_a_day_that_there_is_not_moves_nothing_to_the_same_day():
    """The time that was named with it is of no other day."""
    appointment = {"bookingId": "bk_1", "startTime": "2026-12-01T10:00:00-05:00", "service": "Haircut"}
    found = ToolMessage("1", "lookup_appointment", ToolResponse(data={"appointments": [appointment]}))
    asked = UserMessage("Please move my appointment to February 29, 2027 at 2 pm")
    messages = (asked, Spoken("", (ToolCall("lookup_appointment", {}, "1"),)), found)
    told = await words(*messages, names=("lookup_appointment", "reschedule_appointment"))
    assert told.endswith("There is no such day in the calendar. To which day and time shall I move it?")


WAITS = ToolResponse(failure=Failure(ErrorType.CONFIRMATION_REQUIRED, "", retryable=False, partial_side_effects=False))


@pytest.mark.parametrize(("language", "yes"), [("en", "Yes, please"), ("de", "Ja bitte"), ("es", "Sí"), ("fr", "Oui")])
async def test_a_yes_that_comes_too_late_has_the_caller_asked_anew(language, yes):
    """The same call is made once more."""
    wish = ToolCall("cancel_appointment", {"booking_id": "bk_1"}, "1")
    before = (UserMessage("x"), Spoken("", (wish,)), ToolMessage("1", wish.name, WAITS), Spoken("Shall I?"))
    note = Noted(LAPSED.format("cancel_appointment"))
    assert await call(*before, UserMessage(yes), note, language=language) == (wish.name, wish.arguments)
    assert isinstance(await words(*before, UserMessage("No"), note, language=language), str)
