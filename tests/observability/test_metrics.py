"""What is measured beside calls, and that a collector is sent what `GET /metrics` shows."""

import asyncio
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from prometheus_client import CollectorRegistry, Gauge, Histogram, generate_latest

from switchboard.app.telemetry import Telemetry, TelemetrySettings
from switchboard.catalog.offer.inclusion import Circuits
from switchboard.contract.model import Ended, Ending, ModelError, Prompt, TextPiece
from switchboard.contract.observability.trace import CURRENT, recorded
from switchboard.contract.store import Create, StoreError, Unavailable
from switchboard.conversation.answer import ModelTimeout
from switchboard.integrations.opentelemetry.export import Export
from switchboard.models.measured import MeasuredModel
from switchboard.pipeline.metrics import gauges
from switchboard.pipeline.metrics.meter import Meter
from switchboard.state.measured import MeasuredStore
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import StoppedClock
from tests.pipeline.metrics.test_meter import record
from tests.pipeline.metrics.test_prometheus import parse, value

FUNCTIONS = Path(__file__).parents[2] / "functions"
PROMPT = Prompt("Be kind.", ())
NOW = StoppedClock().now()


class Planted:
    """A model that says what it is told to, or fails."""

    name, dialect = "openai:planted", "openai"

    def __init__(self, *events):
        self.events, self.is_closed = events, False

    async def stream(self, prompt):
        try:
            for event in self.events:
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            self.is_closed = True


@pytest.fixture
def registry():
    """Where what is measured is shown."""
    return CollectorRegistry()


def counted(registry):
    """Return everything a registry shows, as Prometheus would read it."""
    return parse(generate_latest(registry).decode())


async def test_the_stores_operations_are_timed_and_their_failures_counted(registry):
    """By operation and by what failed, never by path."""
    store = MeasuredStore(MemoryStore(), registry)
    await store.commit([Create("businesses/a", {"name": "A"})])
    await store.get("businesses/a")
    with pytest.raises(StoreError):
        await store.commit([Create("businesses/a", {})])
    shown = counted(registry)
    assert value(shown, "store_operation_duration_seconds_count", operation="commit") == 2
    assert value(shown, "store_operation_duration_seconds_count", operation="get") == 1
    assert value(shown, "store_errors_total", operation="commit", error="AlreadyExists") == 1


@pytest.mark.parametrize(
    ("events", "ending", "began"),
    [
        ((TextPiece("Hi."), Ended(Ending.STOPPED, input_tokens=9, output_tokens=2)), "stopped", 1),
        ((TextPiece("Hi."), ModelError("no")), "ModelError", 1),
        ((ModelError("no"),), "ModelError", None),
        ((), "nothing", None),
    ],
)
async def test_a_models_first_event_is_timed_and_its_ending_counted(registry, events, ending, began):
    """Whatever it says is passed on as it is."""
    model, heard = MeasuredModel(Planted(*events), registry), []
    try:
        async for event in model.stream(PROMPT):
            heard.append(event)
    except ModelError as error:
        heard.append(error)
    assert heard == list(events)
    shown = counted(registry)
    assert value(shown, "model_answers_total", model="openai:planted", ending=ending) == 1
    assert shown.get(("model_first_event_seconds_count", (("model", "openai:planted"),))) == began


async def test_an_answer_that_is_broken_off_is_closed_and_counted_once(registry):
    """A caller who speaks breaks off what the model says."""
    inner = Planted(TextPiece("Well, "), TextPiece("you see"))
    model = MeasuredModel(inner, registry)
    stream = model.stream(PROMPT)
    await anext(stream)
    await stream.aclose()
    await stream.aclose()
    assert inner.is_closed
    assert value(counted(registry), "model_answers_total", model="openai:planted", ending="broken_off") == 1


async def test_a_model_that_says_nothing_for_as_long_as_anybody_waits_is_counted_as_silent(registry, monkeypatch):
    """Whoever breaks it off then has not changed their mind; that is what somebody has to be told of."""

    class Mute(Planted):
        async def stream(self, prompt):
            await asyncio.sleep(60)
            yield TextPiece("too late")

    model = MeasuredModel(Mute(), registry)
    for longest_s in (60.0, 0.01):
        monkeypatch.setattr("switchboard.models.measured.FIRST_TOKEN_S", longest_s)
        stream = model.stream(PROMPT)
        with pytest.raises(TimeoutError):
            async with ModelTimeout(0.02, 1.0):
                await anext(stream)
        await stream.aclose()
    shown = counted(registry)
    for ending in ("broken_off", "silent"):
        assert value(shown, "model_answers_total", model="openai:planted", ending=ending) == 1


@pytest.mark.parametrize(("name", "provider"), [("openai:planted", "openai"), ("gemini:planted", "gcp.gemini")])
async def test_a_models_answer_is_a_step_with_its_tokens_and_none_of_its_words(collector, monkeypatch, name, provider):
    """OpenTelemetry's conventions for generative AI: `chat`, with vendors' names as those know them."""
    monkeypatch.setattr(Planted, "name", name)
    export = Export(collector.url, "s", "", list)
    model = MeasuredModel(Planted(TextPiece("canary"), Ended(Ending.STOPPED, input_tokens=9, output_tokens=2)))
    outer = CURRENT.set(export.tracer.begin("test", None, {}))
    assert [event async for event in model.stream(PROMPT)]
    recorded().end()
    CURRENT.reset(outer)
    await export.close()
    span = collector.named("chat planted")
    assert span.fields == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": "planted",
        "gen_ai.response.finish_reasons": ["stopped"],
        "gen_ai.usage.input_tokens": 9,
        "gen_ai.usage.output_tokens": 2,
    }
    assert not any(b"canary" in body or b"Be kind" in body for body in collector.bodies)


def test_open_circuits_are_told_by_integration_and_not_by_business():
    """Two businesses whose calendar does not answer are two."""
    meter = Meter(StoppedClock())
    for business in ("a", "b", "c"):
        record(meter, session=(business, "s"))
    found = {"a": Circuits(open=frozenset({"googleCalendar"})), "b": Circuits(recovering=frozenset({"googleCalendar"}))}
    gauges.OpenCircuits(meter, lambda business: found.get(business, Circuits()))
    assert value(parse(meter.prometheus()), "circuits_open", integration="googleCalendar") == 2


async def test_the_backlog_is_what_the_latest_pass_over_all_businesses_found(registry):
    """A pass for one business says nothing about the others."""
    backlog = gauges.Backlog(MemoryStore(), StoppedClock(), registry)
    counts = {None: {"carriedOut": 7}, "salon": {"carriedOut": 1}}

    async def work(business_id):
        return counts[business_id]

    passes = backlog.measured({"queued": work})
    assert await passes["queued"](None) == {"carriedOut": 7}
    assert await passes["queued"]("salon") == {"carriedOut": 1}
    assert value(counted(registry), "background_work_found", task="queued") == 7


LONG_AGO, JUST_NOW = NOW - timedelta(minutes=16), NOW - timedelta(seconds=30)
DUE = {
    "reap": lambda at: ("sessions/s/calls", {"state": "started", "shard": 3, "dueAt": at}),
    "queued": lambda at: ("sessions/s/calls", {"state": "queued", "shard": 15, "dueAt": at}),
    "bookings": lambda at: ("bookings", {"leaseUntil": at}),
    "outbox": lambda at: ("outbox", {"kind": "text", "state": "todo", "createdAt": at}),
}


@pytest.mark.parametrize("task", DUE)
async def test_what_nobody_carries_out_is_counted_however_little_a_pass_takes_up(registry, task):
    """Sixty wait in three businesses, of which a pass takes up some, or none: what they need does not answer."""
    store, clock = MemoryStore(), StoppedClock()
    for number in range(60):
        collection, fields = DUE[task](LONG_AGO)
        await store.commit([Create(f"businesses/b{number % 3}/{collection}/d{number}", fields)])
    collection, fields = DUE[task](JUST_NOW)
    await store.commit([Create(f"businesses/b/{collection}/d", fields)])
    backlog = gauges.Backlog(store, clock, registry)

    async def in_vain(business_id):
        return {"carriedOut": 0}

    work = backlog.measured({task: in_vain})[task]
    await work("b1")
    assert ("background_work_waiting", (("task", task),)) not in counted(registry)
    await work(None)
    assert value(counted(registry), "background_work_waiting", task=task) == 60


@pytest.mark.parametrize(("task", "collection"), [("reap", "calls"), ("bookings", "bookings"), ("outbox", "outbox")])
async def test_what_was_given_up_is_counted_for_a_day(registry, task, collection):
    """In the whole store, whichever instance has given it up; whoever is told has a day to look."""
    store, clock = MemoryStore(), StoppedClock()
    for number in range(3):
        at = clock.now() - timedelta(hours=20 * number)
        await store.commit([Create(f"businesses/b{number}/{collection}/d", {"givenUp": "KeyError", "givenUpAt": at})])

    async def nothing(business_id):
        return {}

    backlog = gauges.Backlog(store, clock, registry)
    await backlog.measured({task: nothing})[task](None)
    assert value(counted(registry), "background_work_given_up", task=task) == 2


async def test_of_what_has_not_been_counted_yet_it_is_not_told_that_there_is_none(registry):
    """The store may hang for as long as it likes, and metrics leave meanwhile."""
    store, told = MemoryStore(), []

    async def seen_meanwhile(query):
        told.append(counted(registry))
        return 3

    async def nothing(business_id):
        return {}

    store.count = seen_meanwhile
    await gauges.Backlog(store, StoppedClock(), registry).measured({"reap": nothing})["reap"](None)
    before, between = told
    label = (("task", "reap"),)
    assert ("background_work_waiting", label) not in before
    assert ("background_work_given_up", label) not in between
    assert value(counted(registry), "background_work_given_up", task="reap") == 3


async def test_what_waits_is_counted_once_a_minute_and_is_unknown_while_the_store_is_away(registry):
    """Every server makes a pass every ten seconds, and every look costs a read."""
    clock, store = StoppedClock(), MemoryStore()
    backlog = gauges.Backlog(store, clock, registry)
    collection, fields = DUE["queued"](LONG_AGO)
    await store.commit([Create(f"businesses/b/{collection}/d", fields)])

    async def nothing(business_id):
        return {}

    work = backlog.measured({"queued": nothing})["queued"]
    await work(None)
    store.count = AsyncMock(side_effect=Unavailable("away"))
    await work(None)
    assert value(counted(registry), "background_work_waiting", task="queued") == 1
    assert not store.count.called
    clock.wait(60)
    await work(None)
    assert store.count.called
    assert ("background_work_waiting", (("task", "queued"),)) not in counted(registry)


@pytest.mark.process
def test_the_process_tells_when_it_began():
    """Which makes a cold start visible; to the second, as the kernel counts it."""
    code = (
        "from switchboard.pipeline.metrics.gauges import ProcessStart\n"
        "print(*(metric.samples[0].value for metric in ProcessStart().collect()))"
    )
    before = time.time()
    told = subprocess.run([sys.executable, "-c", code], cwd=FUNCTIONS, check=True, capture_output=True, text=True)
    assert before - 2 < float(told.stdout) < time.time() + 2
    registry = CollectorRegistry()
    registry.register(gauges.ProcessStart())
    assert value(counted(registry), "process_start_time_seconds") < before


def test_an_unknown_outcome_is_counted():
    """An action that nobody knows the end of."""
    meter = Meter(StoppedClock())
    from switchboard.contract.error import ErrorType

    record(meter, "act", error=ErrorType.TRANSIENT, outcome_unknown=True)
    record(meter, "act", error=ErrorType.TRANSIENT)
    assert value(parse(meter.prometheus()), "tool_unknown_outcomes_total", tool="act") == 1


async def test_a_value_at_a_bound_is_sent_in_the_bucket_below_it(registry, collector):
    """As Prometheus and OpenTelemetry have it, of which the one counts what is below each bound, the other between."""
    durations = Histogram("a_seconds", "", ("what",), buckets=(1, 2), registry=registry)
    for seconds in (0.0, 1.0, 1.01, 1e9):
        durations.labels("x").observe(seconds)
    Gauge("a_share", "", registry=registry).set(0.25)
    export = Export(collector.url, "s", "", registry.collect)
    await export.close()
    ((labels, point),) = collector.metrics["a_seconds"]
    assert (labels, list(point.explicit_bounds), list(point.bucket_counts)) == ({"what": "x"}, [1.0, 2.0], [2, 1, 1])
    assert (point.count, point.sum) == (4, 1e9 + 2.01)
    assert [point.as_double for _, point in collector.metrics["a_share"]] == [0.25]


async def test_the_collector_is_sent_what_the_endpoint_shows(observed):
    """The same names and the same numbers, so that dashboards read either."""
    await observed.execute("search_knowledge", {"query": "parking"})
    await observed.execute("search_knowledge", {"query": ["no"]}, turn=2)
    shown = parse((await observed.http.get("/metrics", headers={"Accept": "text/plain"})).text)
    sent = (await observed.collected()).metrics
    calls = [(labels, point.as_int) for labels, point in sent["tool_calls_total"]]
    assert calls == [({"tool": "search_knowledge", "channel": "phone"}, 2)]
    assert value(shown, "tool_calls_total", tool="search_knowledge", channel="phone") == 2
    ((labels, spread),) = sent["tool_call_duration_seconds"]
    assert labels == {"tool": "search_knowledge", "channel": "phone"}
    assert spread.count == sum(spread.bucket_counts) == 2
    assert spread.sum == value(shown, "tool_call_duration_seconds_sum", **labels)
    assert {labels["type"] for labels, _ in sent["tool_call_errors_total"]} == {"VALIDATION"}
    assert "tool_call_latency_ms" not in sent
    assert observed.collector.resource["service.instance.id"]
    assert not any(b"demo-salon" in body for body in observed.collector.bodies if b"tool_calls_total" in body)


async def test_metrics_go_out_by_themselves_while_requests_come(observed):
    """Where servers know no lifespan, the first request begins it; a collector that fails is asked again."""
    export = observed.telemetry.export
    export.begin(every_s=0.02)
    export.begin(every_s=99)
    observed.collector.came.clear()
    await observed.execute("search_knowledge", {"query": "parking"})
    await asyncio.to_thread(observed.collector.came.wait, 60)
    assert observed.collector.bodies


async def test_the_first_metrics_are_sent_soon_after_the_start_and_the_last_at_the_end(collector):
    """Instances that live for less than a minute are counted among those that started."""
    export = Export(collector.url, "s", "", gauges.ProcessStart().collect)
    export.begin()
    assert await asyncio.to_thread(collector.came.wait, 60)
    assert "process_start_time_seconds" in collector.metrics
    collector.came.clear()
    await export.close()
    assert collector.came.is_set()


async def test_a_server_sends_metrics_before_anybody_asks_it_anything(collector):
    """One that waits for its first request is an instance, too."""
    telemetry = Telemetry(TelemetrySettings("demo", collector=collector.url), gauges.ProcessStart().collect)
    telemetry.begin()
    assert await asyncio.to_thread(collector.came.wait, 60)
    await telemetry.close()
    # Where nobody collects, nothing is begun.
    alone = Telemetry(TelemetrySettings("demo"), list)
    alone.begin()
    assert alone.export is None


async def test_a_store_out_of_reach_is_a_failed_step(collector):
    """By the error's type."""
    export = Export(collector.url, "s", "", list)

    class Away(MemoryStore):
        async def get(self, path):
            raise Unavailable("no answer for businesses/a/callers/+15185550171")

    outer = CURRENT.set(export.tracer.begin("test", None, {}))
    with pytest.raises(Unavailable):
        await MeasuredStore(Away()).get("businesses/a")
    recorded().end()
    CURRENT.reset(outer)
    await export.close()
    span = collector.named("firestore get")
    assert span.is_failed and span.fields["error.type"] == "Unavailable"
    assert not any(b"callers" in body for body in collector.bodies)
