"""`scripts/call_tool`: the dispatcher without HTTP, for whoever writes a tool (design §11)."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import demo
import emulator
import setting_up
import store_choice
from switchboard.state.firestore import FirestoreStore
from switchboard.state.paths import FirestorePaths
from tests.open_days import next_tuesday

CALL_TOOL = setting_up.ROOT / "scripts" / "call_tool"
SETTINGS = (store_choice.EMULATOR_HOST, *store_choice.PROJECTS)


def call_tool(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    return subprocess.run(
        [sys.executable, str(CALL_TOOL), *arguments],
        env={**environment, **settings},
        capture_output=True,
        text=True,
        timeout=120,
    )


def envelope(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module", autouse=True)
def is_set_up() -> None:
    """Set-up has nothing left to do, and so nothing to tell, in any of these calls."""
    setting_up.ensure(Path("functions/requirements.txt"))


def test_a_call_that_succeeds_prints_the_envelope_and_ends_with_0():
    """The answer of demo-salon on the phone, as indented JSON and nothing else."""
    done = call_tool("get_policies", '{"topic": "cancellation"}')
    found = envelope(done)
    assert (done.returncode, found["ok"], done.stderr) == (0, True, "")
    assert found["data"]["policies"][0]["topic"] == "cancellation"
    assert done.stdout.startswith('{\n  "ok": true')


def test_the_options_reach_the_call():
    """Business, channel, session, turn and call id are what the envelope tells."""
    options = (
        "--business",
        "demo-plumber",
        "--channel",
        "portal",
        "--session",
        "s_1",
        "--turn",
        "3",
        "--call-id",
        "c_1",
    )
    meta = envelope(call_tool("search_knowledge", '{"query": "Notdienst"}', *options, "--store", "memory"))["meta"]
    assert {name: meta[name] for name in ("channel", "sessionId", "turn", "callId")} == {
        "channel": "portal",
        "sessionId": "s_1",
        "turn": 3,
        "callId": "c_1",
    }


@pytest.mark.parametrize(
    ("arguments", "type"),
    [
        (["get_policies", "{}"], "VALIDATION"),
        (["get_policies", '{"topic"'], "VALIDATION"),
        (["get_policies", "cancellation"], "VALIDATION"),
        (["get_policies"], "VALIDATION"),
        (["no_such_tool", "{}"], "NOT_FOUND"),
        (["end_call", "{}", "--channel", "portal"], "MODE_RESTRICTED"),
        (["get_policies", "{}", "--business", "nobody"], "NOT_FOUND"),
    ],
)
def test_a_call_that_fails_prints_the_envelope_and_ends_with_1(arguments, type):
    """What a model would be told, also about arguments that are not JSON."""
    done = call_tool(*arguments)
    assert (done.returncode, envelope(done)["error"]["type"]) == (1, type)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], "name a tool"),
        (["get_policies", "{}", "--declare", "demo-salon", "phone", "openai"], "not both"),
        (["get_policies", "{}", "extra"], "extra"),
        (["get_policies", "{}", "--channel", "fax"], "--channel"),
        (["get_policies", "{}", "--turn", "0"], "--turn"),
        (["get_policies", "{}", "--chan", "phone"], "--chan"),
        (["--declare", "demo-salon", "fax", "openai"], "'fax' is none of phone"),
        (["--declare", "demo-salon", "phone", "klingon"], "'klingon' is none of canonical"),
        (["--declare", "nobody", "phone", "openai"], "'nobody'"),
        (["get_policies", "{}", "--store", "firestore"], "GOOGLE_CLOUD_PROJECT"),
    ],
)
def test_wrong_usage_is_a_sentence_and_ends_with_2(arguments, named):
    """Nothing was called, and what to do instead is told."""
    done = call_tool(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr
    assert done.stderr.count("\n") == 1


def test_declare_prints_what_a_model_is_told():
    """The tools as they stand in a request to the vendor, in the words of this business."""
    done = call_tool("--declare", "demo-salon", "phone", "openai")
    tools = {tool["function"]["name"]: tool["function"] for tool in envelope(done)}
    assert done.returncode == 0
    assert "Maple Street Hair Studio" in tools["book_appointment"]["description"]
    assert "{{" not in done.stdout


def test_declare_leaves_out_what_is_not_offered():
    """A business without a calendar offers no appointments."""
    names = {tool["name"] for tool in envelope(call_tool("--declare", "demo-plumber", "portal", "canonical"))}
    assert "search_knowledge" in names
    assert not names & {"book_appointment", "check_availability", "end_call"}


@pytest.fixture
def named_emulator(emulator_host: str, worker_project: str) -> dict[str, str]:
    """The variables that name an emptied project."""
    project = f"{worker_project}-call"
    emulator.clear(emulator_host, project)
    return {"FIRESTORE_EMULATOR_HOST": emulator_host, "GOOGLE_CLOUD_PROJECT": project}


def test_an_emulator_that_is_named_is_used_as_it_is(named_emulator):
    """FIRESTORE_EMULATOR_HOST is what --store auto takes, and nothing is put there."""
    question = ("get_policies", '{"topic": "cancellation"}')
    done = call_tool(*question, **named_emulator)
    assert (done.returncode, envelope(done)["error"]["type"]) == (1, "NOT_FOUND")
    assert call_tool(*question, "--store", "memory", **named_emulator).returncode == 0


async def test_what_is_booked_in_an_emulator_stays_there(named_emulator, patience):
    """The next call finds it; the same caller is told so, another one that the time is taken."""
    store = FirestoreStore(named_emulator["GOOGLE_CLOUD_PROJECT"], None, named_emulator["FIRESTORE_EMULATOR_HOST"])
    await demo.furnish(store, FirestorePaths(), datetime.now(UTC))
    await store.close()
    question = json.dumps({"date": next_tuesday().isoformat(), "service": "Haircut"})
    start_time = envelope(call_tool("check_availability", question, **named_emulator))["data"]["openTimes"][0]
    wish = json.dumps({"service": "Haircut", "start_time": start_time, "customer_name": "Ada Byron"})

    def book(caller: str) -> Any:
        return envelope(call_tool("book_appointment", wish, "--caller-phone", caller, **named_emulator))

    assert book("+15185550177")["data"]["repeated"] is False
    assert book("+15185550177")["data"]["repeated"] is True
    assert book("+15185550178")["error"]["type"] == "CONFLICT"
