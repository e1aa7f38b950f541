"""What the meter makes of calls: counts, errors, durations, sizes and tokens per tool, all of it bounded."""

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.error import ErrorType
from switchboard.pipeline.metrics import meter as meters
from switchboard.pipeline.metrics import percentiles, sessions, tools
from switchboard.pipeline.metrics.meter import MAX_TOOLS, OTHER, Meter
from switchboard.pipeline.metrics.token_estimate import characters_in, estimate_tokens, tokens_of

SESSION = ("salon", "s1")


def record(meter, tool="look", error=None, **changes):
    """Record a quick retrieval on the phone that found 300 characters, or failed, unless `changes` say otherwise."""
    call = {
        "kind": Kind.RETRIEVAL,
        "channel": Channel.PHONE,
        "session": SESSION,
        "turn": 1,
        "ok": error is None,
        "error_type": error,
        "elapsed_ms": 100.0,
        "characters": 300 if error is None else 0,
    }
    meter.record(tool, **call | changes)


@pytest.fixture
def meter(clock):
    """A meter that has measured nothing."""
    return Meter(clock)


@pytest.mark.requirement("000-97", "000-99")
def test_every_call_is_counted_and_every_failure_by_its_type(meter):
    """Seed 000, "Observability": `tool.calls.count` and `tool.calls.errors`; refused calls are calls."""
    for error in (None, None, ErrorType.TRANSIENT, ErrorType.TRANSIENT, ErrorType.CONFLICT):
        record(meter, error=error)
    record(meter, error=ErrorType.VALIDATION, ran=False)
    record(meter, "act", kind=Kind.ACTION)
    assert meter.snapshot()["calls"] == {
        "act": {"count": 1, "errors": {}},
        "look": {"count": 6, "errors": {"CONFLICT": 1, "TRANSIENT": 2, "VALIDATION": 1}},
    }


def test_a_failure_without_a_type_is_an_internal_one(meter):
    """Nothing that failed goes uncounted."""
    record(meter, ok=False)
    assert meter.snapshot()["calls"]["look"]["errors"] == {"INTERNAL": 1}


@pytest.mark.requirement("000-98", "003-109")
def test_durations_are_shown_as_percentiles_of_milliseconds(meter):
    """`tool.calls.latency_ms`, per tool, to a tenth of a millisecond."""
    for elapsed_ms in range(1, 102):
        record(meter, elapsed_ms=elapsed_ms + 0.04)
    record(meter, "act", elapsed_ms=7.0)
    assert meter.snapshot()["latencyMs"] == {
        "act": {"p50": 7.0, "p95": 7.0, "p99": 7.0},
        "look": {"p50": 51.0, "p95": 96.0, "p99": 100.0},
    }


def test_a_call_that_did_not_run_says_nothing_about_how_long_its_tool_takes(meter):
    """A refusal takes next to no time; a failure while running takes what it takes."""
    record(meter, error=ErrorType.BUDGET_EXCEEDED, elapsed_ms=0.1, ran=False)
    assert meter.snapshot()["latencyMs"] == {}
    record(meter, error=ErrorType.TRANSIENT, elapsed_ms=800.0)
    assert meter.snapshot()["latencyMs"]["look"]["p50"] == 800.0


@pytest.mark.requirement("003-107", "003-113")
def test_response_sizes_are_percentiles_of_the_last_thousand_responses(meter):
    """Seed 003, "Tracked Metrics": what is older has left the window, and failed calls have no size."""
    for _ in range(500):
        record(meter, characters=9_999)
    for characters in range(1, 1_001):
        record(meter, characters=characters)
    record(meter, error=ErrorType.TRANSIENT)
    # The percentiles of 1 to 1000 are 500.5, 950.05 and 990.01.
    assert meter.snapshot()["responseSizes"] == {"look": {"p50": 500, "p95": 950, "p99": 990}}


def test_durations_are_those_of_the_last_thousand_runs(meter):
    """The window of durations is as long as that of sizes."""
    for elapsed_ms in [3_000.0] * 1_000 + [10.0] * 1_000:
        record(meter, elapsed_ms=elapsed_ms, channel=Channel.PORTAL)
    assert meter.snapshot()["latencyMs"]["look"]["p99"] == 10.0


def test_what_is_shown_is_never_older_than_the_last_call(meter):
    """Percentiles are computed when they are asked for, and again after the next call."""
    for characters, expected in ((100, 100), (200, 150), (300, 200)):
        record(meter, characters=characters, elapsed_ms=characters)
        assert meter.snapshot()["responseSizes"]["look"]["p50"] == expected
        assert meter.snapshot()["latencyMs"]["look"]["p50"] == expected


@pytest.mark.requirement("003-18", "003-112", "003-114")
@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([320], {"avg": 80.0, "p95": 80}),
        ([1, 2, 3, 4, 5], {"avg": 1.2, "p95": 2}),
        ([0, 0], {"avg": 0.0, "p95": 0}),
        ([100] * 95 + [2_100] * 5, {"avg": 50.0, "p95": 50}),
        ([100] * 90 + [2_100] * 10, {"avg": 75.0, "p95": 525}),
    ],
)
def test_response_tokens_are_an_average_and_a_95th_percentile(meter, sizes, expected):
    """Seed 003, `responseTokens`: each response is estimated by itself."""
    for characters in sizes:
        record(meter, characters=characters)
    assert meter.snapshot()["responseTokens"] == {"look": expected}


@pytest.mark.requirement("003-108")
@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), (None, 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("x" * 400, 100), ("ü" * 5, 2)]
)
def test_tokens_are_a_quarter_of_the_characters_rounded_up(text, tokens):
    """Seed 003, "Token Estimation"."""
    assert estimate_tokens(text) == tokens
    assert tokens_of(len(text or "")) == tokens


@pytest.mark.parametrize(
    ("data", "characters"),
    [
        (None, 0),
        ({}, 2),
        ({"a": [1, "ü"]}, len('{"a":[1,"ü"]}')),
        ({"a": 2**70}, len('{"a":') + len(str(2**70)) + 1),
        ({"a": "\ud800"}, len('{"a":"x"}')),
        ({(1, 2): 3, "a": Kind.ACTION}, len('{"a":"action"}')),
        ({"a": {1}}, len('{"a":"{1}"}')),
    ],
)
def test_a_results_size_is_that_of_its_compact_json(data, characters):
    """Characters, not bytes; what the fast writer refuses is measured all the same."""
    assert characters_in(data) == characters


@pytest.mark.parametrize(("count", "usual"), [(0, None), (4, None), (5, 70.0), (1_500, 70.0)])
def test_the_usual_time_of_a_tool_is_known_after_five_runs(meter, count, usual):
    """Fewer say too little to plan with."""
    for _ in range(count):
        record(meter, elapsed_ms=70.0)
    assert meter.usual_ms("look") == usual


def test_a_run_that_its_turn_cut_off_says_nothing_of_how_long_its_tool_takes(meter):
    for _ in range(5):
        record(meter, elapsed_ms=700.0)
    for _ in range(50):
        record(meter, elapsed_ms=20.0, was_cut=True)
    assert meter.usual_ms("look") == 700.0


def test_what_is_usual_follows_the_first_runs_closely(meter, clock):
    """A cold start does not count for long."""
    for _ in range(5):
        record(meter, elapsed_ms=900.0)
    assert meter.usual_ms("look") == 900.0
    for _ in range(6):
        record(meter, elapsed_ms=10.0)
    clock.wait(1)
    assert meter.usual_ms("look") == 10.0


def test_nobody_knows_the_usual_time_of_a_tool_that_was_never_called(meter):
    """No answer, and no entry either."""
    assert meter.usual_ms("look") is None
    assert meter.snapshot()["calls"] == {}


def test_the_usual_time_is_the_median(meter):
    """Milliseconds, over the last thousand runs."""
    for elapsed_ms in range(101):
        record(meter, elapsed_ms=elapsed_ms)
    assert meter.usual_ms("look") == 50.0


def test_the_usual_time_is_computed_again_after_fifty_more_runs_but_not_twice_in_a_second(meter, clock):
    """Asking before each retrieval must not sort a thousand numbers each time."""
    for _ in range(51):
        record(meter, elapsed_ms=10.0)
    assert meter.usual_ms("look") == 10.0
    for _ in range(49):
        record(meter, elapsed_ms=90.0)
    assert meter.usual_ms("look") == 10.0
    clock.wait(1)
    assert meter.usual_ms("look") == 10.0
    for _ in range(3):
        record(meter, elapsed_ms=90.0)
    assert meter.usual_ms("look") == 90.0
    for _ in range(500):
        record(meter, elapsed_ms=20.0)
    assert meter.usual_ms("look") == 90.0


@pytest.mark.parametrize(
    ("tool", "changes", "counted_as"),
    [
        ("ghost", {"error": ErrorType.NOT_FOUND, "ran": False}, OTHER),
        ("call +1 518 555 0171", {"error": ErrorType.NOT_FOUND, "ran": False}, OTHER),
        ("look", {"error": ErrorType.AUTH, "ran": False}, OTHER),
        ("look", {"error": ErrorType.CONFLICT, "ran": False}, OTHER),
        ("look\n", {}, OTHER),
        ("Mario's", {"error": ErrorType.VALIDATION, "ran": False}, OTHER),
        ("transfer_call", {"error": ErrorType.MODE_RESTRICTED, "ran": False}, "transfer_call"),
        ("find_booking", {"error": ErrorType.NOT_FOUND}, "find_booking"),
        ("look", {"ran": False}, "look"),
    ],
)
def test_only_a_name_that_some_tool_has_is_shown(meter, tool, changes, counted_as):
    """A model may write anything, a caller's number included: such names are counted together."""
    record(meter, tool, **changes)
    assert list(meter.snapshot()["calls"]) == [counted_as]


def test_a_known_tool_keeps_the_calls_that_were_refused_for_any_reason(meter):
    """Once it has run, there is no doubt about the name."""
    record(meter)
    record(meter, error=ErrorType.CONFLICT, ran=False)
    assert meter.snapshot()["calls"] == {"look": {"count": 2, "errors": {"CONFLICT": 1}}}


def test_no_more_than_two_hundred_tools_are_told_apart(meter):
    """Whatever comes later is counted together, so the memory has a bound."""
    for n in range(MAX_TOOLS + 50):
        record(meter, f"tool_{n}")
        record(meter, "ghost", error=ErrorType.NOT_FOUND, ran=False)
    calls = meter.snapshot()["calls"]
    assert len(calls) == MAX_TOOLS + 1
    assert calls[OTHER]["count"] == 50 + MAX_TOOLS + 50


def test_only_the_tools_asked_for_are_shown(meter):
    """One, several, and one that nobody has called."""
    for tool in ("act", "look", "wait"):
        record(meter, tool)
    assert list(meter.snapshot(["look"])["calls"]) == ["look"]
    assert list(meter.snapshot(["wait", "act"])["latencyMs"]) == ["act", "wait"]
    assert meter.snapshot(["ghost"])["responseSizes"] == {}


def test_everything_shown_before_the_first_call_is_empty(meter):
    """The shape is there from the start, and no number is made up."""
    assert meter.snapshot() == {
        "responseSizes": {},
        "responseTokens": {},
        "latencyMs": {},
        "calls": {},
        "failures": {},
        "context": {
            "sessionInitTokens": 0,
            "systemPromptTokens": 0,
            "toolDeclTokens": 0,
            "tools": 0,
            "peakTokens": 0,
        },
        "loopDetection": {"activeSessions": 0, "totalTurnsTracked": 0, "detections": {}},
        "sessions": {"active": 0, "opened": 0, "ended": 0, "calls": {}, "turns": {}, "durationMs": {}},
    }


def test_loops_are_counted_per_tool(meter):
    """`LOOP_DETECTED` is an error of its type, and a detection of its tool."""
    for _ in range(3):
        record(meter, error=ErrorType.LOOP_DETECTED, ran=False, loop_detected=True)
    record(meter, "act", error=ErrorType.VALIDATION, ran=False)
    shown = meter.snapshot()
    assert shown["loopDetection"]["detections"] == {"look": 3}
    assert shown["calls"]["look"]["errors"] == {"LOOP_DETECTED": 3}


def test_recording_a_call_sorts_nothing(meter, monkeypatch):
    """A call's time is put where it belongs; only who asks for percentiles has them sorted out."""

    def sort(*values, **named):
        raise AssertionError("what was measured was sorted while a call waits")

    for module in (meters, percentiles, sessions, tools):
        monkeypatch.setattr(module, "sorted", sort, raising=False)
    for _ in range(1_000):
        record(meter)
    monkeypatch.undo()
    assert meter.snapshot()["calls"]["look"]["count"] == 1_000
