"""A day named from today ("tomorrow's", "la de mañana") agrees where it is the question's own, and only there."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from switchboard.catalog.arguments.arguments import Arguments
from switchboard.contract.business.business import Business
from switchboard.contract.call import ToolCall
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.definitions.definition import Definition, Kind
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.response import Proposal
from switchboard.contract.store import Set
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.pipeline.confirmation.asked_times import AskedTimes, read_times
from switchboard.pipeline.confirmation.assent import answer_to
from switchboard.pipeline.confirmation.assent_beside import led_by_yes
from switchboard.pipeline.confirmation.consent import Said
from switchboard.pipeline.confirmation.pending_call import read_proposal
from switchboard.pipeline.invocation import Invocation
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.each import each
from tests.pipeline.asked_questions import DEEDS, question

BERLIN = ZoneInfo("Europe/Berlin")
FRIDAY, MONDAY = datetime(2026, 11, 27, 10, 0, tzinfo=BERLIN), datetime(2026, 11, 30, 15, 30, tzinfo=BERLIN)
PATHS = FirestorePaths()


def on(day: int, hour: int = 12, minute: int = 0) -> datetime:
    return datetime(2026, 11, day, hour, minute, tzinfo=BERLIN)


def answered(text: str, language: str, asked: str, *, put: datetime, now: datetime | None = None) -> str:
    times = AskedTimes(FRIDAY, MONDAY if asked == "move" else None, "Europe/Berlin", put)
    told = text, language, question(asked, language), DEEDS[asked], times.days(now or put)
    reply = answer_to(*told)
    return "yes" if reply == "unclear" and led_by_yes(*told) else reply


@pytest.mark.requirement("003-192")
@each(
    ("language", "text", "days_before"),
    [
        ("en", "so yeah take me off for tomorrow please", 1),
        ("en", "yes, cancel tomorrow's", 1),
        ("en", "yes, the one tomorrow", 1),
        ("en", "yes, cancel my appointment tomorrow", 1),
        ("en", "yes, tomorrow morning at ten", 1),
        ("en", "yes, cancel today's", 0),
        ("en", "yes, the one the day after tomorrow", 2),
        ("de", "ja, morgen absagen bitte", 1),
        ("de", "ja, den von morgen", 1),
        ("de", "ja, den morgigen Termin bitte", 1),
        ("de", "ja, übermorgen absagen", 2),
        ("de", "ja, den von heute", 0),
        ("es", "sí, la de mañana", 1),
        ("es", "sí, cancele la de pasado mañana", 2),
        ("es", "sí, la de hoy", 0),
        ("fr", "oui, annulez celui de demain", 1),
        ("fr", "oui, celui d'après-demain", 2),
        ("fr", "oui, celui d'aujourd'hui", 0),
        ("it", "sì, quello di domani", 1),
        ("nl", "ja, die van morgen", 1),
        ("pt", "sim, a de amanhã", 1),
    ],
)
def test_the_questions_own_day_may_be_named_from_today_and_no_other(language: str, text: str, days_before: int) -> None:
    """On any other day the same words speak of another appointment."""
    put = {before: FRIDAY.replace(hour=8) - timedelta(days=before) for before in range(5)}
    assert [before for before in put if answered(text, language, "cancel", put=put[before]) == "yes"] == [days_before]
    assert answer_to(text, language, question("cancel", language), DEEDS["cancel"]) != "yes"


@pytest.mark.requirement("003-192")
@each(
    ("language", "text"),
    [
        ("en", "yes, cancel it tomorrow"),
        ("en", "yes, do it tomorrow"),
        ("en", "yes, do it tomorrow at ten"),
        ("en", "yes, go ahead tomorrow"),
        ("en", "yes, do it on Friday"),
        ("en", "yes, tomorrow"),
        ("en", "yes, for tomorrow"),
        ("en", "yes, tomorrow afternoon's"),
        ("en", "yes, see you tomorrow at ten"),
        ("en", "tomorrow at ten, yes?"),
        ("de", "ja, machen Sie das morgen"),
        ("de", "ja, machen Sie das am Freitag"),
        ("de", "ja, sagen Sie ihn morgen ab"),
        ("de", "das können Sie morgen absagen"),
        ("de", "ja, das können Sie bitte morgen absagen"),
        ("de", "ja, guten Morgen"),
        ("es", "sí, cancélela mañana"),
        ("es", "sí, hágalo el viernes"),
        ("es", "sí, por la mañana"),
        ("fr", "oui, à demain"),
        ("fr", "oui, annulez, à demain"),
        ("fr", "oui, annulez demain"),
        ("fr", "oui, faites-le vendredi"),
    ],
)
def test_a_day_that_may_say_when_to_do_it_is_no_yes(language: str, text: str) -> None:
    """Who says when wants it later, or comes: it is asked once more."""
    assert answered(text, language, "cancel", put=on(26)) == "unclear"


@pytest.mark.requirement("003-192")
@each(
    ("text", "put", "reply"),
    [
        ("yes, cancel this Friday's", on(24), "yes"),
        ("yes, cancel my appointment this Friday", on(24), "yes"),
        ("yes, cancel this Friday's", on(19), "unclear"),
        ("yes, cancel this Friday", on(10), "unclear"),
        ("yes, cancel next Friday's", on(24), "unclear"),
        ("yes, cancel next Friday's", on(18), "unclear"),
        ("yes, cancel next Friday's", on(21), "yes"),
        ("yes, the one on the twenty-seventh", on(10), "yes"),
        ("yes, the one on the twenty-eighth", on(10), "unclear"),
    ],
)
def test_this_and_next_friday_agree_where_everybody_means_the_same_day_by_them(
    text: str, put: datetime, reply: str
) -> None:
    """To some the coming Friday is "next Friday", to others the one after it."""
    assert answered(text, "en", "cancel", put=put) == reply


@pytest.mark.requirement("003-192")
@each(
    ("text", "day", "reply"),
    [
        ("yes, move it to tomorrow", 29, "yes"),
        ("yes, move it to tomorrow", 26, "unclear"),
        ("yes, move tomorrow's", 26, "yes"),
        ("yes, move tomorrow's", 29, "unclear"),
        ("yes, tomorrow's", 26, "unclear"),
    ],
)
def test_of_a_move_the_new_day_is_where_it_goes_and_the_old_one_what_is_moved(text: str, day: int, reply: str) -> None:
    assert answered(text, "en", "move", put=on(day)) == reply


@pytest.mark.requirement("003-192")
def test_over_midnight_a_day_counts_where_it_was_the_same_when_the_question_was_put():
    """A question of 23:59 is answered at 00:01: nobody knows whose tomorrow it is."""
    late, early = on(25, 23, 59), on(26, 0, 1)
    said = "yes, cancel tomorrow's"
    assert answered(said, "en", "cancel", put=early) == "yes"
    assert answered(said, "en", "cancel", put=late, now=early) == "unclear"
    assert answered("yes, the one the day after tomorrow", "en", "cancel", put=late) == "yes"
    assert answered("yes, the one the day after tomorrow", "en", "cancel", put=late, now=early) == "unclear"
    assert answered("yes, cancel this Friday's", "en", "cancel", put=late, now=early) == "yes"


@pytest.mark.requirement("003-192")
@each(("zone", "verdict"), [("Europe/Berlin", "approved"), ("Pacific/Auckland", "open"), ("Pacific/Honolulu", "open")])
async def test_an_answer_is_read_by_the_businesss_own_day(zone: str, verdict: str) -> None:
    """What is tomorrow morning in Berlin is this evening in Auckland, and this afternoon in Honolulu.

    The question's time reaches the answer through the session's document, whichever channel hears it.
    """
    now, at = datetime(2026, 11, 25, 22, 30, tzinfo=UTC), datetime(2026, 11, 26, 9, 0, tzinfo=UTC)
    store = MemoryStore()
    approvals, facts = (
        Approvals(store, PATHS),
        CONTEXTS[Channel.PHONE](business_id="salon", session_id="s1", turn=1, call_id="c"),
    )
    path = PATHS.within("salon").document("sessions", "s1")
    await store.commit([Set(path, {"channel": "phone"})])
    definition = Definition("cancel", "calendar", Kind.ACTION, "", {}, confirm=True, deeds=("cancelled",))
    offer: Any = SimpleNamespace(business=Business("salon", timezone=ZoneInfo(zone)))
    tool: Any = SimpleNamespace(definition=definition, name="cancel")
    case = Invocation(ToolCall("cancel", {}), facts, offer, SimpleNamespace(), False, now, 0.0, tool)  # type: ignore[arg-type]
    case.arguments, case.proposal = Arguments({}, {}), Proposal({"start_time": at})
    put = "Shall I cancel it?"
    case.refusal = Refused(ErrorType.CONFIRMATION_REQUIRED, put, say=put)
    await store.commit(approvals.propose(case))
    later = now + timedelta(seconds=9)
    heard = await approvals.hear("salon", "s1", 2, Said("yes, cancel tomorrow's", "en"), later, asked=put)
    assert heard.verdict == verdict


@each("broken", [None, {}, "soon", {"zone": "Mars/Base", "askedAt": FRIDAY}, {"zone": "", "askedAt": FRIDAY}])
def test_times_that_cannot_be_read_are_none(broken: Any) -> None:
    """What an older instance wrote has none, and its question can be answered all the same."""
    assert read_times(broken) is None
    times = AskedTimes(FRIDAY, None, "Europe/Berlin", on(24))
    assert read_times(times.to_document()) == times
    kept = read_proposal(
        {"tool": "t", "effectKey": "k", "readBack": "?", "turn": 1, "expiresAt": on(24), "attempts": 0, "asked": []}
        | {"times": broken}
    )
    assert kept is not None and kept.times is None
    assert read_proposal(replace(kept, times=times).to_document()) == replace(kept, times=times)
