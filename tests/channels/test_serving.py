"""The Cloud Functions as servers run them: functions-framework one by one, uvicorn all at once."""

import socket
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import httpx2 as httpx
import pytest

from operations import seeding
from switchboard.admin.credentials import api_keys
from switchboard.app.settings import ConfigurationError, read_configuration
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.paths import FirestorePaths

ROOT = Path(__file__).parents[2]
FUNCTIONS = ROOT / "functions"
BIN = Path(sys.executable).parent
KEY = "sb_serving"
LISTING = "/tools/definitions?businessId=demo-salon&channel=phone"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
async def seeded(emulator_project, emulator_host, patience):
    """The emulator with the demo businesses and a key."""
    store = FirestoreStore(emulator_project, None, emulator_host)
    await seeding.seed(store, FirestorePaths(), ROOT / "seeds", out=lambda *_: None, now=datetime.now(UTC))
    await api_keys.create_key(store, FirestorePaths(), "demo-salon", "serving", text=KEY)
    await store.close()


@pytest.fixture
def serve(tmp_path):
    """Start a server and return a client of it; it is ended with the test."""
    started, clients = [], []

    def start(*command):
        port = free_port()
        log = (tmp_path / f"{port}.log").open("wb")
        process = subprocess.Popen([*command, str(port)], cwd=FUNCTIONS, stdout=log, stderr=log)
        started.append(process)
        client = httpx.Client(base_url=f"http://127.0.0.1:{port}", headers={"Authorization": f"Bearer {KEY}"})
        clients.append(client)
        log.close()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                client.get("/healthz")
                return client
            except httpx.TransportError:
                assert process.poll() is None, Path(log.name).read_text()
                time.sleep(0.05)
        raise AssertionError(f"{command[0]} did not answer within 60 s")

    yield start
    for client in clients:
        client.close()
    for process in started:
        process.terminate()
        process.wait(20)


def answered(ask):
    """Return the first answer that tells of the store: on a busy machine, one in time for a caller comes later."""
    deadline = time.monotonic() + 60
    while True:
        answer = ask()
        body = answer.json()
        # Built-in tools are offered, and "once more" is said, as long as nothing was read.
        if body.get("source") != "fallback" and not (body.get("error") or {}).get("retryable"):
            return answer
        assert time.monotonic() < deadline, body
        time.sleep(0.05)


def framework(target):
    options = ("--asgi", "--target", target, "--source", "main.py", "--host", "127.0.0.1", "--port")
    return (BIN / "functions-framework", *options)


def call():
    context = {"channel": "phone", "sessionId": "s", "turn": 1, "callId": "c"}
    return {"businessId": "demo-salon", "name": "end_call", "args": {}, "context": context}


def test_the_tools_function_serves_under_functions_framework(seeded, serve):
    """With its own name in the path, and without it, as Cloud Functions strips it."""
    client = serve(*framework("tools"))
    assert answered(lambda: client.get(LISTING)).json()["source"] == "firestore"
    assert client.get(LISTING.removeprefix("/tools")).status_code == 200
    executed = answered(lambda: client.post("/tools/execute", json=call()))
    assert executed.json()["data"] == {"ended": True}
    assert client.get("/nonsense").json()["error"]["type"] == "NOT_FOUND"


def test_the_healthz_function_serves_under_functions_framework(seeded, serve):
    """At its name and at the root."""
    client = serve(*framework("healthz"))
    assert client.get("/healthz").json()["status"] == "ok"
    assert client.get("/").json()["store"] == "emulator"


def test_uvicorn_serves_the_same_paths_in_one_process(seeded, serve):
    """`main.app`, as on Cloud Run and in local running."""
    client = serve(BIN / "uvicorn", "main:app", "--host", "127.0.0.1", "--port")
    assert answered(lambda: client.get(LISTING)).json()["source"] == "firestore"
    assert answered(lambda: client.post("/tools/execute", json=call())).json()["ok"] is True
    assert client.get("/healthz").json()["definitions"]["source"] == "firestore"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, ("memory", "demo-switchboard", None, None)),
        ({"GOOGLE_CLOUD_PROJECT": "p"}, ("firestore", "p", None, None)),
        ({"GCLOUD_PROJECT": "p", "FIRESTORE_DATABASE": "d"}, ("firestore", "p", "d", None)),
        ({"FIRESTORE_EMULATOR_HOST": "h:1"}, ("emulator", "demo-switchboard", None, "h:1")),
    ],
)
def test_the_environment_decides_the_store(environ, expected):
    """Memory without anything, the emulator before the real thing."""
    found = read_configuration(environ)
    assert (found.store, found.project, found.database, found.emulator_host) == expected


@pytest.mark.parametrize(
    ("environ", "variable"),
    [
        ({"K_SERVICE": "tools"}, "GOOGLE_CLOUD_PROJECT"),
        ({"FIRESTORE_EMULATOR_HOST": "somewhere"}, "FIRESTORE_EMULATOR_HOST"),
        ({"GOOGLE_CLOUD_PROJECT": "p", "SWITCHBOARD_DEMO_KEY": "k"}, "SWITCHBOARD_DEMO_KEY"),
    ],
)
def test_what_is_missing_or_contradictory_is_said_with_the_variables_name(environ, variable):
    """One sentence that names the variable and the remedy."""
    with pytest.raises(ConfigurationError, match=variable):
        read_configuration(environ)
