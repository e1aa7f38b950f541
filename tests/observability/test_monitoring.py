"""`scripts/monitoring/`: a dashboard and alerts that Cloud Monitoring takes, over metrics that there are."""

import json
import re
from pathlib import Path

import googleapiclient.discovery_cache as discovery_cache

from deploying.serving_parts import described
from deploying.settings import RELAY
from switchboard.app.loop_watch import LoopWatch
from switchboard.contract.error import ErrorType
from switchboard.models.measured import MeasuredModel
from switchboard.pipeline.metrics import gauges
from switchboard.pipeline.metrics.meter import Meter
from switchboard.state.measured import MeasuredStore
from switchboard.state.memory.store import MemoryStore
from tests.channels.test_serving import ROOT
from tests.desk.front_desk import StoppedClock
from tests.each import each
from tests.observability.test_metrics import Planted
from tests.pipeline.metrics.test_meter import record

MONITORING = ROOT / "scripts" / "monitoring"
DASHBOARD = MONITORING / "dashboard.json"
ALERTS = sorted((MONITORING / "alerts").glob("*.json"))
WATCHED = {
    "error rate per tool": ("tool_call_errors_total", "tool"),
    "p95 latency per channel": ("tool_call_duration_seconds_bucket", "channel"),
    "unknown outcomes": ("tool_unknown_outcomes_total", "tool"),
    "queued backlog": ("background_work_waiting", "task"),
    "work that is given up": ("background_work_given_up", "task"),
    "open circuits": ("circuits_open", "integration"),
    "budget refusals": ("BUDGET_EXCEEDED", "tool"),
    "cold starts": ("process_start_time_seconds", "count"),
    "Firestore latency": ("store_operation_duration_seconds_bucket", "0.95"),
    "first token of the model": ("model_first_event_seconds_bucket", "model"),
    "a loop that is held up": ("event_loop_stalls_total", "task"),
    "requests that nobody of ours answers": ("run_googleapis_com:request_count", "5xx"),
}
FUNCTIONS = {"sum", "rate", "increase", "count", "time", "vector", "histogram_quantile", "by", "or", "and", "le"}
FUNCTIONS |= {"absent_over_time", "avg", "max"}
REQUESTS = "run_googleapis_com:request_count"
"""What Cloud Run counts itself, also where no process of ours starts."""
UPTIME = "monitoring_googleapis_com:uptime_check_check_passed"
"""What Google finds out by asking from outside."""
GOOGLES = {
    REQUESTS: {"monitored_resource", "service_name", "response_code_class"},
    UPTIME: {"monitored_resource", "check_id"},
}


def exported():
    """Return every family that the code shows, by the names under which its samples are found, with its labels."""
    meter = Meter(StoppedClock())
    record(meter, error=ErrorType.TRANSIENT, outcome_unknown=True)
    registry = meter.registry
    store, model = MeasuredStore(MemoryStore(), registry), MeasuredModel(Planted(), registry)
    store._durations.labels("get").observe(0.1)
    store._errors.labels("get", "Unavailable").inc()
    model.first(0.1)
    model.ended("stopped")
    backlog = gauges.Backlog(MemoryStore(), StoppedClock(), registry)
    for gauge in (backlog._attended, backlog._waiting, backlog._given_up):
        gauge.labels("queued").set(1)
    from switchboard.catalog.offer.inclusion import Circuits

    gauges.OpenCircuits(meter, lambda _: Circuits(open=frozenset({"googleCalendar"})))
    watch = LoopWatch(registry)
    watch._stalls.labels("a_task").inc()
    registry.register(gauges.ProcessStart())
    found = {sample.name: set(sample.labels) for metric in registry.collect() for sample in metric.samples}
    return found | GOOGLES


def queries():
    """Return every query with the name of its file."""
    found = []
    for widget in tiles():
        for part in widget["xyChart"]["dataSets"]:
            found.append((widget["title"], part["timeSeriesQuery"]["prometheusQuery"]))
    for file in ALERTS:
        for condition in json.loads(file.read_text())["conditions"]:
            found.append((file.name, condition["conditionPrometheusQueryLanguage"]["query"]))
    return found


def tiles():
    return [tile["widget"] for tile in json.loads(DASHBOARD.read_text())["mosaicLayout"]["tiles"]]


@each(("where", "query"), queries(), ids=lambda text: str(text)[:40])
def test_every_query_asks_for_metrics_and_labels_that_there_are(where, query):
    """A metric that is renamed takes its dashboard and its alerts along, or this fails."""
    known, asked = exported(), set()
    bare = re.sub(r"\[[^\]]*\]", "", query)
    for name, selector in re.findall(r"([a-z_:]{4,})\{([^}]*)\}", bare):
        for label in re.findall(r"(\w+)\s*[=!]~?", selector):
            assert label in known[name], f"{where}: {name} has no label {label}"
    bare = re.sub(r"\{[^}]*\}", "", bare)
    grouped = set(re.findall(r"\w+", " ".join(re.findall(r"by \(([^)]*)\)", bare))))
    bare = re.sub(r"by \([^)]*\)", "", bare)
    for name in re.findall(r"[a-z_:]{2,}", bare):
        if name not in FUNCTIONS:
            assert name in known, f"{where}: nobody measures {name}"
            asked.add(name)
    assert asked
    assert grouped <= set().union(*(known[name] for name in asked))


def test_what_cloud_run_counts_is_asked_of_every_service_that_is_deployed():
    """By the names that functions.yaml and the relay have."""
    deployed = {function.id for function in described()} | {RELAY}
    asked = [query for _, query in queries() if f"{REQUESTS}{{" in query and "service_name=~" in query]
    assert len(asked) == 2
    for query in asked:
        assert all(set(found.split("|")) == deployed for found in re.findall(r'service_name=~"([^"]*)"', query))


def test_an_alert_that_a_deployment_without_a_collector_gives_needs_none_of_our_metrics():
    """A process that does not start measures nothing."""
    ours = [name for name in exported() if name not in GOOGLES]
    without = {where for where, query in queries() if not any(name in query for name in ours)}
    assert {"cannot-serve.json", "failing-requests.json", "no-passes.json"} <= without


@each("what", WATCHED)
def test_everything_that_can_go_wrong_is_on_the_dashboard_and_has_an_alert(what):
    """What the house promises to watch."""
    asked = queries()
    for source in ("dashboard", "alert"):
        of_source = [query for where, query in asked if where.endswith(".json") == (source == "alert")]
        assert any(all(part in query for part in WATCHED[what]) for query in of_source), source


def documents():
    """Return each document with Google's own description of what it must look like."""
    return [(DASHBOARD, "monitoring.v1", "Dashboard"), *((file, "monitoring.v3", "AlertPolicy") for file in ALERTS)]


@each(("file", "api", "kind"), documents(), ids=lambda value: getattr(value, "name", value))
def test_each_document_has_only_fields_that_the_api_takes(file: Path, api, kind):
    """By the discovery documents that Google's client brings."""
    folder = Path(discovery_cache.__file__).parent / "documents"
    schemas = json.loads((folder / f"{api}.json").read_text())["schemas"]
    check(json.loads(file.read_text()), {"$ref": kind}, schemas, file.name)


def check(value, schema, schemas, place):
    """Compare a value with a discovery document's description of it."""
    schema = schemas[schema["$ref"]] if "$ref" in schema else schema
    if "properties" in schema:
        assert isinstance(value, dict), place
        for key, inner in value.items():
            assert key in schema["properties"], f"{place}: there is no {key}"
            check(inner, schema["properties"][key], schemas, f"{place}.{key}")
    elif schema.get("type") == "array":
        assert isinstance(value, list), place
        for inner in value:
            check(inner, schema["items"], schemas, place)
    elif "enum" in schema:
        assert value in schema["enum"], place
    elif "additionalProperties" in schema:
        for inner in value.values():
            check(inner, schema["additionalProperties"], schemas, place)
    else:
        kinds = {"string": str, "integer": int, "number": int | float, "boolean": bool, "any": object}
        assert isinstance(value, kinds[schema["type"]]), f"{place}: {value!r}"


@each("file", ALERTS, ids=lambda file: file.name)
def test_each_alert_says_what_to_look_at(file):
    """Whoever is woken reads this first."""
    policy = json.loads(file.read_text())
    assert len(policy["documentation"]["content"]) > 80
    assert policy["severity"] in ("CRITICAL", "ERROR", "WARNING")


def test_nothing_stands_on_another_tile():
    """Each has a place of its own within the width of the page."""
    layout = json.loads(DASHBOARD.read_text())["mosaicLayout"]
    taken = set()
    for tile in layout["tiles"]:
        cells = {
            (x, y)
            for x in range(tile["xPos"], tile["xPos"] + tile["width"])
            for y in range(tile["yPos"], tile["yPos"] + tile["height"])
        }
        assert not cells & taken and tile["xPos"] + tile["width"] <= layout["columns"]
        taken |= cells
