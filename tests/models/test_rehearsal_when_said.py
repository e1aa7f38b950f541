"""The rehearsal over midnight: "tomorrow" and "Friday" count from when they were said."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from switchboard.contract.model import Spoken, UserMessage
from switchboard.models.rehearsal.vocabulary import vocabulary
from tests.models import test_rehearsal
from tests.models.test_rehearsal import call, words

pytestmark = pytest.mark.requirement("004-2202")
NEW_YORK = ZoneInfo("America/New_York")
# A Thursday, two minutes before midnight there.
SAID_AT = datetime(2026, 11, 19, 23, 58, tzinfo=NEW_YORK)


@pytest.fixture(autouse=True)
def after_midnight(monkeypatch):
    """It is four minutes later."""
    monkeypatch.setattr(test_rehearsal, "NOW", (SAID_AT + timedelta(minutes=4)).astimezone(UTC))


@pytest.mark.parametrize(
    ("language", "said", "day"),
    [
        ("en", "Please book me a color tomorrow at half past three.", "2026-11-20"),
        ("en", "Please book me a color on Friday at half past three.", "2026-11-20"),
        ("de", "Bitte buchen Sie mir Color übermorgen um halb vier.", "2026-11-21"),
        ("es", "Quiero reservar Color mañana a las 15:30.", "2026-11-20"),
        ("fr", "Je voudrais réserver Color demain à 15h30.", "2026-11-20"),
    ],
)
async def test_a_day_is_the_one_that_was_meant_when_it_was_said(language, said, day):
    """The name was told after midnight."""
    asked = vocabulary(language).phrases["ask_name"]
    messages = (
        UserMessage(said, at=SAID_AT.astimezone(UTC)),
        Spoken(asked),
        UserMessage("Grace Okafor", at=(SAID_AT + timedelta(minutes=4)).astimezone(UTC)),
    )
    name, arguments = await call(*messages, language=language, timezone="America/New_York")
    assert (name, arguments["start_time"]) == ("book_appointment", f"{day}T15:30:00")


async def test_what_is_said_of_a_day_is_said_as_of_now():
    """What was tomorrow is today."""
    asked = UserMessage("Are you open tomorrow?", at=SAID_AT.astimezone(UTC))
    hours = {"friday": [{"open": "09:00", "close": "18:00"}]}
    told = await words(asked, names=(), timezone="America/New_York", workingHours=hours)
    assert "oday" in told and "9 AM" in told
