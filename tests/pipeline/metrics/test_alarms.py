"""What the meter warns about: slow retrievals, slow voice calls, long responses; once a minute per tool and kind."""

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.error import ErrorType
from switchboard.pipeline.metrics.meter import OTHER, Meter
from tests.pipeline.metrics.test_meter import record
from tests.pipeline.metrics.test_sessions import logged

SOFT, VOICE, LONG = "retrieval over its soft limit", "voice call over a second", "responses too long"
PHONE, PORTAL, BROWSER = Channel.PHONE, Channel.PORTAL, Channel.BROWSER_VOICE
pytestmark = pytest.mark.usefixtures("pressed")
LOOK, ACT, COMPUTE = Kind.RETRIEVAL, Kind.ACTION, Kind.UTILITY


@pytest.fixture
def meter(clock):
    """A meter that has measured nothing."""
    return Meter(clock)


def warnings(caplog):
    return [(r.getMessage(), r.tool) for r in caplog.records]


@pytest.mark.requirement("003-29", "003-35", "003-125")
@pytest.mark.parametrize(
    ("channel", "kind", "elapsed_ms", "expected"),
    [
        (PHONE, LOOK, 400.0, []),
        (PHONE, LOOK, 400.1, [SOFT]),
        (BROWSER, LOOK, 401.0, [SOFT]),
        (PHONE, ACT, 1_000.0, []),
        (PHONE, ACT, 1_000.1, [VOICE]),
        (BROWSER, COMPUTE, 1_001.0, [VOICE]),
        (PHONE, LOOK, 1_001.0, [SOFT, VOICE]),
        (PORTAL, LOOK, 2_000.0, []),
        (PORTAL, LOOK, 2_000.1, [SOFT]),
        (PORTAL, ACT, 9_000.0, []),
    ],
)
def test_a_call_that_takes_too_long_is_warned_about(meter, caplog, channel, kind, elapsed_ms, expected):
    """A retrieval beyond the channel's soft limit, and by voice anything beyond a second (seed 003)."""
    record(meter, channel=channel, kind=kind, elapsed_ms=elapsed_ms)
    assert warnings(caplog) == [(message, "look") for message in expected]


def test_a_warning_of_slowness_tells_where_and_how_slow(meter, caplog):
    """Constant words, values in fields, nothing personal."""
    record(meter, elapsed_ms=650.5, error=ErrorType.TRANSIENT)
    assert logged(caplog, SOFT) == [
        {"tool": "look", "channel": "phone", "session": "s1", "elapsedMs": 650.5, "limitMs": 400}
    ]


def test_each_warning_comes_at_most_once_a_minute_per_tool(meter, caplog, clock):
    """Another tool and another kind of warning have their own minute."""
    for _ in range(10):
        record(meter, elapsed_ms=500.0)
    record(meter, elapsed_ms=1_500.0)
    record(meter, "search", elapsed_ms=500.0)
    assert warnings(caplog) == [(SOFT, "look"), (VOICE, "look"), (SOFT, "search")]
    caplog.clear()
    clock.wait(59.9)
    record(meter, elapsed_ms=500.0)
    assert warnings(caplog) == []
    clock.wait(0.1)
    record(meter, elapsed_ms=500.0)
    assert warnings(caplog) == [(SOFT, "look")]


def test_a_name_that_no_tool_has_is_not_logged(meter, caplog):
    """It may be anything a caller said."""
    record(meter, "+15185550171", error=ErrorType.NOT_FOUND, ran=False, elapsed_ms=900.0)
    assert warnings(caplog) == [(SOFT, OTHER)]


@pytest.mark.requirement("003-111")
@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([1_500] * 100, []),
        ([1_501] * 19, []),
        ([1_501] * 20, [1_501]),
        ([300] * 96 + [9_000] * 4, []),
        # What is held against the limit may be 50 responses old.
        ([300] * 90 + [9_000] * 50, []),
        ([300] * 90 + [9_000] * 51, [9_000]),
        ([9_000] * 1_000 + [300] * 1_000 + [9_000], [9_000]),
    ],
)
def test_a_tool_whose_responses_are_long_is_warned_about(meter, caplog, sizes, expected):
    """Seed 003, "Alert Thresholds": a 95th percentile above 1,500 characters, of at least 20 responses."""
    for characters in sizes:
        record(meter, channel=PORTAL, characters=characters)
    assert logged(caplog, LONG) == [
        {"tool": "look", "p95Characters": p95, "limitCharacters": 1_500} for p95 in expected
    ]


def test_the_warning_of_long_responses_comes_at_most_once_a_minute(meter, caplog, clock):
    """As every warning, and only while they are long."""
    for _ in range(100):
        record(meter, characters=2_000)
    assert len(logged(caplog, LONG)) == 1
    clock.wait(60)
    record(meter, characters=100)
    assert len(logged(caplog, LONG)) == 1
    record(meter, characters=2_000)
    assert len(logged(caplog, LONG)) == 2
