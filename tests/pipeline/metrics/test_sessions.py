"""What the meter makes of conversations: calls, turns, duration, context use, and the history of loop detection."""

import logging

import pytest

from switchboard.contract.error import ErrorType
from switchboard.pipeline.metrics.meter import Meter
from switchboard.pipeline.metrics.sessions import MAX_ENDED, MAX_SESSIONS, SessionSummary
from tests.desk.front_desk import NOW
from tests.pipeline.metrics.test_meter import SESSION, record


@pytest.fixture
def meter(clock):
    """A meter that has measured nothing."""
    return Meter(clock)


def logged(caplog, message):
    """Return the extra fields of each log record with this message."""
    own = logging.LogRecord("", 0, "", 0, "", (), None).__dict__.keys() | {"message", "taskName"}
    found = [r for r in caplog.records if r.getMessage() == message]
    return [{k: v for k, v in r.__dict__.items() if k not in own} for r in found]


@pytest.mark.requirement("003-110", "003-120")
def test_a_session_keeps_its_id_start_duration_calls_and_turns(meter, clock):
    """Seed 003, "Session Data"; what was refused is a call too, and the record of each call is the ledger's."""
    session = meter.session_opened("salon", "s1", NOW)
    clock.wait(10)
    record(meter, turn=1)
    clock.wait(10)
    record(meter, turn=2, error=ErrorType.VALIDATION, ran=False)
    clock.wait(2.5)
    assert meter.session_closed(session) == SessionSummary(
        session_id="s1", started=NOW, duration_ms=22_500, calls=2, turns=2, context_tokens=75
    )
    clock.wait(1_000)
    assert meter.session(session).duration_ms == 22_500


@pytest.mark.requirement("003-110")
def test_windows_of_the_clock_in_place_of_turns_count_one_by_one(meter):
    """As a webhook that knows no turns has: a conversation of three has had three, and not three hundred million."""
    session = meter.session_opened("salon", "s1", NOW)
    for turn in (359_219_275, 359_219_275, 359_219_281, 359_220_000):
        record(meter, session=session, turn=turn)
    assert meter.session(session).turns == 3


@pytest.mark.requirement("003-110")
def test_calls_turns_and_durations_of_sessions_are_shown_together(meter, clock):
    """Those that go on count with what they have had so far."""
    first, second = (meter.session_opened("salon", id, NOW) for id in ("s1", "s2"))
    for turn in (1, 1, 2):
        record(meter, session=first, turn=turn)
    clock.wait(60)
    meter.session_closed(first)
    record(meter, session=second)
    clock.wait(60)
    shown = meter.snapshot()["sessions"]
    assert shown == {
        "active": 1,
        "opened": 2,
        "ended": 1,
        "calls": {"avg": 2.0, "p50": 2, "p95": 3, "p99": 3},
        "turns": {"avg": 1.5, "p50": 2, "p95": 2, "p99": 2},
        "durationMs": {"avg": 90_000.0, "p50": 90_000, "p95": 117_000, "p99": 119_400},
    }


def test_a_session_that_nobody_opened_starts_with_its_first_call(meter):
    """A service behind `/tools/execute` says neither when a conversation begins nor when it ends."""
    record(meter, turn=3)
    assert meter.session(SESSION) == SessionSummary("s1", NOW, 0, calls=1, turns=3, context_tokens=75)


def test_opening_a_session_twice_changes_nothing(meter, clock):
    """A second connection to the same conversation is not a second conversation."""
    session = meter.session_opened("salon", "s1", NOW)
    record(meter)
    clock.wait(5)
    assert meter.session_opened("salon", "s1", clock.now()) == session
    assert (meter.session(session).started, meter.session(session).calls) == (NOW, 1)
    assert meter.snapshot()["sessions"]["opened"] == 1


def test_two_businesses_may_use_the_same_session_id(meter):
    """A session is known by both."""
    record(meter, session=("salon", "s"))
    record(meter, session=("plumber", "s"))
    assert meter.snapshot()["sessions"]["active"] == 2


def test_closing_what_does_not_go_on_is_harmless(meter):
    """Never opened, and closed before."""
    assert meter.session_closed(SESSION) is None
    record(meter)
    assert meter.session_closed(SESSION) == meter.session_closed(SESSION)
    assert meter.snapshot()["sessions"]["ended"] == 1


@pytest.mark.parametrize(("seconds", "opened", "calls"), [(0, 1, 2), (59, 1, 2), (60, 2, 1)])
def test_a_call_that_outlives_its_caller_belongs_to_the_session_that_ended(meter, clock, seconds, opened, calls):
    """Whoever hangs up while a booking is made has not called again; a minute later it is a new conversation."""
    record(meter)
    meter.session_closed(SESSION)
    clock.wait(seconds)
    record(meter)
    assert meter.snapshot()["sessions"]["opened"] == opened
    assert meter.session(SESSION).calls == calls


def test_a_session_can_be_opened_again(meter, clock):
    """Then it is a new one, even at once."""
    record(meter)
    meter.session_closed(SESSION)
    meter.session_opened(*SESSION, clock.now())
    record(meter)
    assert meter.session(SESSION).calls == 1
    assert meter.snapshot()["sessions"] | {"calls": 0, "turns": 0, "durationMs": 0} == {
        "active": 1,
        "opened": 2,
        "ended": 1,
        "calls": 0,
        "turns": 0,
        "durationMs": 0,
    }


@pytest.mark.requirement("003-122")
def test_a_completed_turn_raises_the_turn_count_by_one(meter):
    """Seed 003, `startNewTurn`: with calls in it or without; said twice, it is still one turn."""
    session = meter.session_opened("salon", "s1", NOW)
    counts = []
    for turn in (1, 2, 2, 3):
        meter.turn_completed(session, turn)
        counts.append(meter.session(session).turns)
    record(meter, turn=3)
    record(meter, turn=4)
    assert [*counts, meter.session(session).turns] == [1, 2, 2, 3, 4]


def test_what_happens_before_the_first_word_is_no_turn(meter):
    """Tools that run when a call starts are recorded under turn 0."""
    record(meter, turn=0)
    assert meter.session(SESSION).turns == 0


def test_a_session_that_falls_silent_is_over_after_half_an_hour(meter, clock):
    """It has lasted until it was last heard of."""
    record(meter, turn=1)
    clock.wait(600)
    record(meter, turn=2)
    clock.wait(1_800)
    assert meter.snapshot()["sessions"]["active"] == 1
    clock.wait(1)
    assert "sessions_active 0.0\n" in meter.prometheus()
    assert meter.session(SESSION).duration_ms == 600_000


def test_no_more_than_ten_thousand_sessions_are_kept(meter, clock):
    """The oldest leaves, and of those that have ended the last thousand are known."""
    for n in range(MAX_SESSIONS + MAX_ENDED + 1):
        record(meter, session=("salon", f"s{n}"))
        clock.wait(0.001)
    shown = meter.snapshot()["sessions"]
    assert (shown["active"], shown["ended"]) == (MAX_SESSIONS, MAX_ENDED + 1)
    assert meter.session(("salon", "s0")) is None
    assert meter.session(("salon", "s1")).calls == 1


@pytest.mark.requirement("003-116")
@pytest.mark.parametrize(
    ("turns", "sessions", "tracked"),
    [
        ([], 0, 0),
        ([0], 1, 1),
        ([1], 1, 1),
        ([1, 1, 1], 1, 1),
        ([1, 2, 3], 1, 3),
        ([1, 2, 3, 4, 5], 1, 5),
        ([1, 2, 3, 4, 5, 6, 7], 1, 5),
        ([1, 3, 7], 1, 2),
        ([1, 100], 1, 1),
        ([3, 2, 3], 1, 2),
        ([9, 5, 4], 1, 2),
        ([999_999, 0], 1, 1),
    ],
)
def test_the_last_five_turns_of_a_session_are_its_history(meter, turns, sessions, tracked):
    """Seed 003, "Cleanup": turns with calls count, a late call may belong to an earlier one, and older turns go."""
    for turn in turns:
        record(meter, turn=turn)
    assert meter.snapshot()["loopDetection"] == {
        "activeSessions": sessions,
        "totalTurnsTracked": tracked,
        "detections": {},
    }


def test_a_session_without_calls_in_its_last_five_turns_has_no_history(meter):
    """Turns without calls push the others out."""
    record(meter, turn=1)
    record(meter, turn=2, session=("salon", "s2"))
    meter.turn_completed(SESSION, 6)
    assert meter.snapshot()["loopDetection"]["activeSessions"] == 1
    assert meter.snapshot()["sessions"]["active"] == 2


def test_a_late_call_of_a_completed_turn_is_history_too(meter):
    """An action may end after the turn in which it was asked for."""
    meter.session_opened(*SESSION, NOW)
    meter.turn_completed(SESSION, 3)
    record(meter, turn=3)
    assert meter.snapshot()["loopDetection"]["totalTurnsTracked"] == 1


def test_a_session_that_ended_has_no_history(meter):
    """`activeSessions` counts those that go on."""
    record(meter)
    meter.session_closed(SESSION)
    assert meter.snapshot()["loopDetection"] == {"activeSessions": 0, "totalTurnsTracked": 0, "detections": {}}


@pytest.mark.requirement("003-17", "003-117")
def test_what_a_session_starts_with_is_logged_once(meter, caplog):
    """Seed 003, "Logged Example": all tokens, those of prompt and declarations, and the number of tools."""
    session = meter.session_opened("salon", "s1", NOW)
    with caplog.at_level(logging.INFO, "switchboard.pipeline.metrics.meter"):
        for _ in range(3):
            meter.context(session, 3_200, 9_300, tools=5)
    assert logged(caplog, "session init") == [
        {
            "business": "salon",
            "session": "s1",
            "tokens": 12_500,
            "systemPromptTokens": 3_200,
            "toolDeclTokens": 9_300,
            "tools": 5,
        }
    ]


@pytest.mark.requirement("003-115")
def test_the_latest_sessions_start_is_shown(meter):
    """Seed 003, `context`, in its words."""
    meter.context(SESSION, 1, 2, tools=3)
    meter.context(("salon", "s2"), 3_200, 9_300, tools=5)
    assert meter.snapshot()["context"] == {
        "sessionInitTokens": 12_500,
        "systemPromptTokens": 3_200,
        "toolDeclTokens": 9_300,
        "tools": 5,
        "peakTokens": 12_500,
    }


@pytest.mark.requirement("003-19")
def test_the_highest_context_use_is_kept_for_good(meter, clock):
    """Start and responses add up; the vendor's own count holds if it is higher; an ended session is not forgotten."""
    meter.context(SESSION, 100, 200, tools=5)
    peaks = [meter.snapshot()["context"]["peakTokens"]]
    record(meter, characters=401)
    peaks.append(meter.snapshot()["context"]["peakTokens"])
    meter.context_used(SESSION, 5_000)
    meter.context_used(SESSION, 4_000)
    meter.session_closed(SESSION)
    clock.wait(3_600)
    record(meter, session=("salon", "s2"))
    peaks.append(meter.snapshot()["context"]["peakTokens"])
    assert peaks == [300, 401, 5_000]


def by_report(meter):
    meter.context_used(SESSION, 899_999)
    yield
    meter.context_used(SESSION, 900_000)


def by_responses(meter):
    meter.context(SESSION, 400_000, 400_000, tools=5)
    record(meter, characters=399_996)
    yield
    record(meter, characters=4)


def by_its_start(meter):
    yield
    meter.context(SESSION, 500_000, 400_000, tools=5)


def before_its_start(meter):
    record(meter, characters=3_599_996)
    yield
    record(meter, characters=4)
    meter.context(SESSION, 500_000, 500_000, tools=5)


@pytest.mark.requirement("003-118")
@pytest.mark.parametrize("fill", [by_report, by_responses, by_its_start, before_its_start])
def test_a_context_that_nears_the_window_is_warned_about_once(meter, caplog, fill):
    """Seed 003, "Monitoring Strategy": from 900,000 tokens, however the session gets there."""
    filling = fill(meter)
    next(filling)
    assert logged(caplog, "context nears the window") == []
    next(filling, None)
    record(meter)
    meter.context_used(SESSION, 950_000)
    assert logged(caplog, "context nears the window") == [
        {"business": "salon", "session": "s1", "tokens": 900_000, "limitTokens": 900_000}
    ]
