"""The text for Prometheus: what it says, as the vendor's own parser reads it."""

import pytest
from prometheus_client import parser

from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType
from switchboard.pipeline.metrics.meter import Meter
from tests.pipeline.metrics.test_meter import SESSION, record


def parse(text):
    """Return {(sample name, labels): value}; no metric and no sample may stand twice."""
    families = list(parser.text_string_to_metric_families(text))
    samples = [sample for family in families for sample in family.samples]
    values = {(sample.name, tuple(sorted(sample.labels.items()))): sample.value for sample in samples}
    assert len(values) == len(samples)
    assert len({family.name for family in families}) == len(families)
    return values


def value(values, name, **labels):
    return values[name, tuple(sorted(labels.items()))]


@pytest.fixture
def meter(clock):
    """A meter that has seen a little of everything."""
    found = Meter(clock)
    for elapsed_ms in range(1, 102):
        record(found, elapsed_ms=elapsed_ms)
    record(found, error=ErrorType.VALIDATION, elapsed_ms=0.5, ran=False)
    record(found, error=ErrorType.LOOP_DETECTED, elapsed_ms=0.5, ran=False, loop_detected=True, turn=2)
    record(found, channel=Channel.PORTAL, elapsed_ms=12_000.0, characters=2_300)
    record(found, "act", error=ErrorType.TRANSIENT, elapsed_ms=100.0)
    found.context(SESSION, 3_200, 9_300, tools=5)
    return found


@pytest.mark.requirement("000-97", "000-99")
def test_counters_tell_calls_by_channel_and_failures_by_type(meter):
    """They only grow, and their names end in `_total`."""
    values = parse(meter.prometheus())
    assert value(values, "tool_calls_total", tool="look", channel="phone") == 103
    assert value(values, "tool_calls_total", tool="look", channel="portal") == 1
    assert value(values, "tool_call_errors_total", tool="look", type="VALIDATION") == 1
    assert value(values, "tool_call_errors_total", tool="act", type="TRANSIENT") == 1
    assert value(values, "tool_loops_detected_total", tool="look") == 1
    assert value(values, "tool_loops_detected_total", tool="act") == 0


@pytest.mark.requirement("000-98", "003-109")
def test_summaries_tell_quantiles_sum_and_count(meter):
    """Latency of what ran, characters of what succeeded; a tool without responses has no quantiles of them."""
    values = parse(meter.prometheus())
    assert value(values, "tool_call_latency_ms", tool="look", quantile="0.5") == 51.5
    assert value(values, "tool_call_latency_ms_sum", tool="look") == sum(range(1, 102)) + 12_000
    assert value(values, "tool_call_latency_ms_count", tool="look") == 102
    assert value(values, "tool_response_characters", tool="look", quantile="0.95") == 300
    assert value(values, "tool_response_characters_sum", tool="look") == 101 * 300 + 2_300
    assert value(values, "tool_response_characters_count", tool="look") == 102
    assert value(values, "tool_response_characters_count", tool="act") == 0
    assert ("tool_response_characters", (("quantile", "0.5"), ("tool", "act"))) not in values


@pytest.mark.requirement("000-98")
def test_a_histogram_tells_how_long_each_call_took(meter):
    """In seconds, with refused calls, cumulative, so that it can be added up over instances."""
    values = parse(meter.prometheus())
    phone = {"tool": "look", "channel": "phone"}
    bounds = {
        dict(labels)["le"]: count
        for (name, labels), count in values.items()
        if name == "tool_call_duration_seconds_bucket" and phone.items() <= dict(labels).items()
    }
    assert list(bounds) == [
        *("0.005", "0.01", "0.025", "0.05", "0.1", "0.2", "0.4", "0.8", "1.0", "2.0", "3.0", "5.0", "10.0", "+Inf")
    ]
    assert list(bounds.values()) == [7, 12, 27, 52, 102, *[103] * 9]
    assert value(values, "tool_call_duration_seconds_count", **phone) == 103
    assert value(values, "tool_call_duration_seconds_sum", **phone) == pytest.approx(5.152)
    portal = {"tool": "look", "channel": "portal"}
    assert value(values, "tool_call_duration_seconds_bucket", **portal, le="10.0") == 0
    assert value(values, "tool_call_duration_seconds_bucket", **portal, le="+Inf") == 1


def test_gauges_tell_of_sessions_and_context(meter):
    """Without naming one."""
    values = parse(meter.prometheus())
    names = ("sessions_opened_total", "sessions_active", "loop_sessions_tracked", "loop_turns_tracked")
    assert [value(values, name) for name in names] == [1, 1, 1, 2]
    assert value(values, "context_init_tokens") == 12_500
    assert value(values, "context_peak_tokens") == 12_500 + (101 * 300 + 2_300) / 4


def test_only_the_tools_asked_for_are_told(meter):
    """What is not about tools is told all the same."""
    values = parse(meter.prometheus(["act"]))
    assert {dict(labels)["tool"] for _, labels in values if labels} == {"act"}
    assert value(values, "sessions_active") == 1


def test_a_meter_that_has_measured_nothing_is_told_correctly(clock):
    """Families without values are allowed."""
    assert parse(Meter(clock).prometheus())["sessions_active", ()] == 0


def test_each_metric_is_of_the_type_that_its_name_says(meter):
    """Counters end in `_total`, and nothing is told of when each of them began."""
    families = list(parser.text_string_to_metric_families(meter.prometheus()))
    types = {family.name: family.type for family in families}
    assert types["tool_calls"] == "counter"
    assert types["tool_call_latency_ms"] == "summary"
    assert types["tool_call_duration_seconds"] == "histogram"
    assert types["sessions_active"] == "gauge"
    assert not [name for name in types if name.endswith("_created")]
