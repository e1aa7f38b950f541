"""Log lines as Cloud Logging reads them."""

import io
import json
import logging
import os
import re
import subprocess
import sys
import threading
import time
from datetime import datetime

import httpx2 as httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.app import logging as cloud_logging
from switchboard.app.logging import CloudLine
from switchboard.contract.observability.trace import CURRENT, Elsewhere
from tests.channels.test_serving import FUNCTIONS, KEY, ROOT, free_port

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PLACE = "logging.googleapis.com"


def record(message="sms refused", *args, name="switchboard.desk.messaging.sms", level=logging.WARNING, **extra):
    found = logging.LogRecord(name, level, "/app/texts.py", 7, message, args, None, "send")
    found.__dict__.update(extra)
    return found


def line(found, personal=True):
    text = CloudLine("demo", personal).format(found)
    assert "\n" not in text
    return json.loads(text)


def test_a_record_has_the_fields_that_cloud_logging_knows():
    """Severity, message, time, labels and place by the names that the agent lifts out of the payload."""
    found = line(record(tool="send_sms", latencyMs=12.5))
    moment = datetime.fromisoformat(found.pop("time"))
    assert moment.tzinfo is not None
    assert found == {
        "severity": "WARNING",
        "message": "sms refused",
        "tool": "send_sms",
        "latencyMs": 12.5,
        f"{PLACE}/labels": {"logger": "switchboard.desk.messaging.sms"},
        f"{PLACE}/sourceLocation": {"file": "/app/texts.py", "line": "7", "function": "send"},
    }


@pytest.mark.parametrize(
    ("level", "severity"), [(10, "DEBUG"), (20, "INFO"), (30, "WARNING"), (40, "ERROR"), (50, "CRITICAL"), (5, "DEBUG")]
)
def test_severities_are_cloud_loggings_own(level, severity):
    """Python's levels have the same names, but for those in between."""
    assert line(record(level=level))["severity"] == severity


def test_a_record_names_the_trace_it_belongs_to():
    """So that the log of one request stands beside its trace."""
    outer = CURRENT.set(Elsewhere(TRACE, SPAN, is_sampled=True))
    try:
        found = line(record())
    finally:
        CURRENT.reset(outer)
    assert found[f"{PLACE}/trace"] == f"projects/demo/traces/{TRACE}"
    assert (found[f"{PLACE}/spanId"], found[f"{PLACE}/trace_sampled"]) == (SPAN, True)
    assert f"{PLACE}/trace" not in line(record())


@pytest.mark.parametrize("key", ["pii.detail", "pii", "caller.pii.name"])
def test_what_may_be_personal_stands_under_pii_or_nowhere(key):
    """A sink leaves out one field, or the deployment never writes it."""
    found = line(record(**{key: "Ada"}))
    assert "Ada" in found.pop("pii").values()
    assert "Ada" not in str(found)
    assert "Ada" not in str(line(record(**{key: "Ada"}), personal=False))


def test_what_an_exception_says_is_personal_and_where_it_came_from_is_not():
    """Vendors quote numbers and addresses in what they raise."""
    found = record()
    try:
        raise ValueError("Ada's number is odd")
    except ValueError:
        found.exc_info = sys.exc_info()
    shown = line(found)
    assert shown.pop("pii") == {"exception": "Ada's number is odd"}
    assert shown["exception"] == "ValueError" and "test_cloud_logging.py" in shown["stack"][-1]
    assert "Ada" not in str(shown)


def test_what_a_library_fills_into_its_message_is_personal():
    """An access log holds addresses in full, with whatever stands in them."""
    found = line(record("GET %s", "/callers/+15185550171", name="some.library"))
    assert found.pop("pii") == {"message": "GET /callers/+15185550171"}
    assert found["message"] == "GET %s" and "+1518" not in str(found)


LEAVES = st.none() | st.text() | st.integers() | st.floats()


@given(st.dictionaries(st.text(), st.recursive(LEAVES, st.lists, max_leaves=8), max_size=6))
def test_every_record_is_one_line_of_json(fields):
    """Half characters, huge numbers, objects of any kind, fields called like the line's own."""
    found = record()
    found.__dict__.update({key: value for key, value in fields.items() if key not in found.__dict__})
    found.__dict__["odd"] = object()
    found.__dict__["half"] = "\ud800"
    shown = line(found)
    assert shown["severity"] == "WARNING" and shown["message"] == "sms refused"
    assert shown[f"{PLACE}/labels"] == {"logger": "switchboard.desk.messaging.sms"}


def test_servers_lines_come_as_json_too_and_their_access_log_not_at_all(monkeypatch):
    """Ours from INFO, libraries' from WARNING, and no addresses as they were asked for."""
    names = ("", "switchboard", "uvicorn", "uvicorn.error", "uvicorn.access", "gunicorn.error", "gunicorn.access")
    before = [(log, log.handlers[:], log.level, log.propagate) for log in map(logging.getLogger, names)]
    stream = io.StringIO()
    try:
        cloud_logging.install("demo", stream=stream)
        logging.getLogger("switchboard.desk").info("ours")
        logging.getLogger("library").info("not this")
        logging.getLogger("library").warning("theirs")
        logging.getLogger("uvicorn.access").info("GET /callers")
    finally:
        for log, handlers, level, propagate in before:
            log.handlers[:], log.propagate = handlers, propagate
            log.setLevel(level)
    assert [json.loads(text)["message"] for text in stream.getvalue().splitlines()] == ["ours", "theirs"]


@pytest.mark.process
def test_a_server_writes_json_lines_that_know_the_requests_trace():
    """A real process, as Cloud Run starts it; what it prints is read line by line."""
    port = free_port()
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (FUNCTIONS, ROOT, ROOT / "scripts")))}
    for name in ("FIRESTORE_EMULATOR_HOST", "GOOGLE_CLOUD_PROJECT", "K_SERVICE"):
        environ.pop(name, None)
    command = [sys.executable, "-m", "uvicorn", "tests.observability.served:app", "--port", str(port)]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    lines: list[str] = []
    reading = threading.Thread(target=lambda: lines.extend(process.stdout))
    reading.start()
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            until = time.monotonic() + 60
            while time.monotonic() < until:
                try:
                    client.get("/healthz")
                    break
                except httpx.TransportError:
                    time.sleep(0.05)
            header = {"X-Cloud-Trace-Context": f"{TRACE}/1;o=1", "Authorization": f"Bearer {KEY}"}
            context = {"channel": "portal", "sessionId": "s1", "callId": "c1", "turn": 1}
            body = {"businessId": "demo-salon", "args": {"query": "canary +15185550171"}, "context": context}
            client.post("/tools/execute?q=%2B15185550171", json=body | {"name": "search_knowledge"}, headers=header)
            context["callId"] = "c2"
            client.post("/tools/execute", json=body | {"name": "call +15185550171"}, headers=header)
    finally:
        process.terminate()
        process.wait(60)
        reading.join(60)
        process.stdout.close()
    # What the server says before the first of our code is loaded is not ours to form.
    ours = [json.loads(text) for text in lines if text.startswith("{")]
    calls = [found for found in ours if found["message"] == "tool call"]
    assert [found["tool"] for found in calls] == ["search_knowledge", "_other"], lines
    for found in calls:
        assert found["severity"] == "INFO" and datetime.fromisoformat(found["time"])
        assert found[f"{PLACE}/trace"] == f"projects/demo-observed/traces/{TRACE}"
        assert found[f"{PLACE}/spanId"] == "0000000000000001"
    assert not [text for text in lines if "5185550171" in text or "canary" in text or KEY in text]


def _first_words(**environ):
    """Return what the process of the Procfile prints until it has started, as Cloud Run begins it."""
    (command,) = (FUNCTIONS / "Procfile").read_text().splitlines()
    words = (
        command.removeprefix("web: exec ").replace("$PORT", str(free_port())).replace("0.0.0.0", "127.0.0.1").split()
    )
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("FIRESTORE_", "GOOGLE_", "SWITCHBOARD_", "K_"))}
    command = [sys.executable, "-m", *words]
    process = subprocess.Popen(
        command, cwd=FUNCTIONS, env=kept | environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    watch = threading.Timer(120, process.kill)
    watch.start()
    lines = []
    for text in process.stdout:
        lines.append(text.strip())
        if "running on" in text:
            process.terminate()
    process.wait()
    watch.cancel()
    process.stdout.close()
    return lines


@pytest.mark.process
def test_a_server_s_first_words_are_json_too():
    """Before anything of ours is built; a sink that reads JSON would otherwise show them as of no severity."""
    lines = [json.loads(text) for text in _first_words(SWITCHBOARD_LOG="json", GOOGLE_CLOUD_PROJECT="")]
    assert {line["severity"] for line in lines} == {"INFO"}
    assert lines[0]["message"] == "Started server process [%d]"
    assert {line[f"{PLACE}/labels"]["logger"] for line in lines} == {"uvicorn.error"}


@pytest.mark.process
@pytest.mark.parametrize("environ", [{"SWITCHBOARD_LOG": "plain"}, {}])
def test_where_no_json_is_asked_for_a_server_speaks_plainly_with_time_and_level(environ):
    """At a terminal, for instance."""
    assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} INFO:", _first_words(**environ)[0])


def test_a_log_that_cannot_be_is_told_by_what_reads_the_configuration():
    """And not by a log that ends the server before it says why."""
    assert cloud_logging.server_handler({"SWITCHBOARD_LOG": "xml"}).formatter is not None


@pytest.mark.process
def test_without_a_collector_nothing_of_opentelemetry_is_loaded():
    """Half a second of a cold start is for deployments that ask for it."""
    program = (
        "import sys, asyncio\n"
        "from switchboard.app.container import build\n"
        "from switchboard.app.settings import read_configuration\n"
        "from switchboard.app.telemetry import Telemetry, TelemetrySettings\n"
        "house = build(read_configuration({}))\n"
        "app = Telemetry(TelemetrySettings('demo', log='json'), house.meter.registry.collect).served(house.app)\n"
        "house.dispatcher\n"
        "loaded = [name for name in sys.modules if name.startswith(('opentelemetry.sdk', 'opentelemetry.exporter'))]\n"
        "assert not loaded, loaded\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=FUNCTIONS, check=True)
