"""`scripts/call_tool`: the dispatcher without HTTP, for whoever writes a tool."""

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import setting_up
from operations import calling
from running import demo, store_choice
from switchboard.state.paths import FirestorePaths
from tests.each import each
from tests.open_days import next_tuesday

CALL_TOOL = setting_up.ROOT / "scripts" / "call_tool"
SETTINGS = (store_choice.EMULATOR_HOST, *store_choice.PROJECTS)


@dataclass
class Done:
    """How a call ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


CallTool = Callable[..., Done]


@pytest.fixture
def call_tool(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CallTool:
    """Runs what the command runs, in this process; its log goes where that of every test goes."""
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("running.log_line.show", lambda personal: None)
    # What a house loads to search by meaning takes longer than all the rest of a call.
    monkeypatch.setenv("SWITCHBOARD_EMBEDDINGS", "none")

    def call(*arguments: str) -> Done:
        capsys.readouterr()
        # A thread of its own, where the command can run a loop of its own.
        with ThreadPoolExecutor() as threads:
            try:
                code = threads.submit(calling.main, arguments).result()
            except SystemExit as ended:
                code = ended.code
        return Done(code, *capsys.readouterr())

    return call


def typed(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a person would."""
    environment = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    return subprocess.run(
        [sys.executable, str(CALL_TOOL), *arguments],
        env={**environment, **settings},
        capture_output=True,
        text=True,
        timeout=300,
    )


def envelope(done: Done | subprocess.CompletedProcess[str]) -> Any:
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module", autouse=True)
def is_set_up() -> None:
    """Set-up has nothing left to do, and so nothing to tell, in any of these calls."""
    setting_up.ensure(Path("functions/requirements.txt"))


@pytest.mark.process
def test_a_call_that_succeeds_prints_the_envelope_and_ends_with_0():
    """The answer of demo-salon on the phone, as indented JSON and nothing else."""
    done = typed("get_policies", '{"topic": "cancellation"}')
    found = envelope(done)
    assert (done.returncode, found["ok"], done.stderr) == (0, True, "")
    assert found["data"]["policies"][0]["topic"] == "cancellation"
    assert done.stdout.startswith('{\n  "ok": true')


@pytest.mark.process
def test_what_was_not_called_is_told_to_the_shell():
    """One sentence, and the exit code for it; without Google's project nothing is tried."""
    done = typed("get_policies", "{}", "--store", "firestore")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "GOOGLE_CLOUD_PROJECT" in done.stderr


def test_the_options_reach_the_call(call_tool: CallTool):
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


@each(
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
def test_a_call_that_fails_prints_the_envelope_and_ends_with_1(call_tool: CallTool, arguments, type):
    """What a model would be told, also about arguments that are not JSON."""
    done = call_tool(*arguments)
    assert (done.returncode, envelope(done)["error"]["type"]) == (1, type)


@each(
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
def test_wrong_usage_is_a_sentence_and_ends_with_2(call_tool: CallTool, arguments, named):
    """Nothing was called, and what to do instead is told."""
    done = call_tool(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr
    assert done.stderr.count("\n") == 1


def test_declare_prints_what_a_model_is_told(call_tool: CallTool):
    """The tools as they stand in a request to the vendor, in the words of this business."""
    done = call_tool("--declare", "demo-salon", "phone", "openai")
    tools = {tool["function"]["name"]: tool["function"] for tool in envelope(done)}
    assert done.returncode == 0
    assert "Maple Street Hair Studio" in tools["book_appointment"]["description"]
    assert "{{" not in done.stdout


def test_declare_leaves_out_what_is_not_offered(call_tool: CallTool):
    """A business without a calendar offers no appointments."""
    names = {tool["name"] for tool in envelope(call_tool("--declare", "demo-plumber", "portal", "canonical"))}
    assert "search_knowledge" in names
    assert not names & {"book_appointment", "check_availability", "end_call"}


Answer = Callable[..., Awaitable[Any]]


@pytest.fixture
def over_emulator(
    emulator_project: str, patience: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Answer:
    """Calls a tool over an emptied project that the environment names, in this loop, and returns the envelope."""
    monkeypatch.setattr("running.log_line.show", lambda personal: None)
    monkeypatch.setenv("SWITCHBOARD_EMBEDDINGS", "none")

    async def call(*arguments: str) -> Any:
        options = calling.read_options(arguments)
        code = await calling._in_house(calling._choice(options.store, os.environ), options)
        found = json.loads(capsys.readouterr().out)
        assert code == (0 if found["ok"] else 1)
        return found

    return call


async def test_an_emulator_that_is_named_is_used_as_it_is(over_emulator: Answer):
    """FIRESTORE_EMULATOR_HOST is what --store auto takes, and nothing is put there."""
    question = ("get_policies", '{"topic": "cancellation"}')
    assert (await over_emulator(*question))["error"]["type"] == "NOT_FOUND"
    assert (await over_emulator(*question, "--store", "memory"))["ok"]


async def test_what_is_booked_in_an_emulator_stays_there(over_emulator: Answer, firestore):
    """The next call finds it; the same caller is told so, another one that the time is taken."""
    await demo.furnish(firestore, FirestorePaths(), datetime.now(UTC))
    question = json.dumps({"date": next_tuesday().isoformat(), "service": "Beard trim"})
    start_time = (await over_emulator("check_availability", question))["data"]["openTimes"][0]
    wish = json.dumps({"service": "Beard trim", "start_time": start_time, "customer_name": "Ada Byron"})

    async def book(caller: str) -> Any:
        return await over_emulator("book_appointment", wish, "--caller-phone", caller)

    assert (await book("+15185550177"))["data"]["repeated"] is False
    assert (await book("+15185550177"))["data"]["repeated"] is True
    assert (await book("+15185550178"))["error"]["type"] == "CONFLICT"


def test_an_emulator_that_is_named_and_does_not_answer_is_one_sentence(call_tool: CallTool, monkeypatch):
    """Nothing is called, and the sentence says where it looked."""
    monkeypatch.setattr("running.emulator.NAMED_ANSWERS_WITHIN_S", 0.0)
    monkeypatch.setenv(store_choice.EMULATOR_HOST, "127.0.0.1:1")
    done = call_tool("get_policies", "{}")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "no Firestore emulator answers at 127.0.0.1:1" in done.stderr
