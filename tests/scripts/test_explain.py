"""The command scripts/explain, as owners read it."""

import asyncio
import json
import re
import subprocess
import sys

import pytest

import setting_up
from operations import explaining
from switchboard.contract.observability.trace import Elsewhere, Inside
from switchboard.contract.store import Set, Unavailable
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import StoppedClock, WatchedStore
from tests.pipeline.conftest import BUSINESS, PATHS, Instance, nothing_left_over
from tests.pipeline.result.test_check_trace import SAID, STEPS, tell

__all__ = ["nothing_left_over"]
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
EXPLAIN = setting_up.ROOT / "scripts" / "explain"


@pytest.fixture
async def store():
    """A store with a session of three calls: one that ran, one refused, one with ids that nobody should print."""
    found = WatchedStore(MemoryStore())
    await found.commit([Set(PATHS.within(BUSINESS).business, {"timezone": "America/New_York"})])
    office = Instance(found, StoppedClock())
    tell(office)
    for call_id, name, args in (
        ("c1", "act", {"what": SAID[0]}),
        ("c2", "look_with_calendar", {}),
        ("\x1b[2J", "\x1b[31mevil", {}),
    ):
        await office.call(name, args, call_id=call_id, caller_phone=SAID[1])
        office.clock.wait(60)
    return found


@pytest.fixture
def run(store, monkeypatch, capsys):
    """Runs the command on that store, in a thread with a loop of its own; returns exit code, stdout and stderr."""
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")

    async def run(*arguments):
        code = await asyncio.to_thread(explaining.main, arguments, lambda target: store)
        return code, *capsys.readouterr()

    return run


@pytest.mark.requirement("003-121")
async def test_a_call_is_told_in_sentences_and_then_in_a_table(run):
    """One row per check in the order of the pipeline, within 100 columns."""
    code, out, err = await run("salon", "s1", "c2")
    assert (code, err) == (0, "")
    sentences, _, table = out.partition("\n\n")
    assert sentences.startswith("At 10:01:00 on March 10, 2027 (America/New_York time) the model asked for")
    assert "refused because it may not be used here and now: no calendar is connected" in " ".join(sentences.split())
    head, *rows = table.splitlines()
    assert head.split() == ["CHECK", "DECIDED", "SAW"]
    assert [row.split()[0] for row in rows if not row.startswith(" ")] == list(STEPS)
    assert re.search(r"^admit +refused  phone; decided by integration:calendar \(", table, re.MULTILINE)
    assert all(len(line) <= 100 for line in out.splitlines())


async def test_what_callers_said_is_not_printed(run):
    """The terminal of an owner may be read over the shoulder; --json holds the receipt for whoever asks for it."""
    _, out, _ = await run("salon", "s1", "c1")
    assert not [said for said in SAID if said in out]
    assert "A receipt says what was done." in out


async def test_as_json_it_is_what_the_admin_api_answers(run):
    """With the receipt."""
    code, out, _ = await run("salon", "s1", "c1", "--json")
    found = json.loads(out)
    assert (code, found["callId"], found["state"]) == (0, "c1", "finished")
    assert found["receipt"] == {"what": SAID[0]}
    _, out, _ = await run("salon", "s1", "--json")
    assert [line["id"] for line in json.loads(out)] == ["c1", "c2", "\x1b[2J"]


async def test_without_a_call_the_sessions_calls_are_listed(run):
    """In the order in which they began; what a stranger sent does not steer the terminal."""
    code, out, _ = await run("salon", "s1")
    assert code == 0
    assert out.splitlines() == [
        "AT                        CALL  STATE     TOOL",
        "2027-03-10 10:00:00-0500  c1    finished  act",
        "2027-03-10 10:01:00-0500  c2    refused   look_with_calendar",
        "2027-03-10 10:02:00-0500  \ufffd[2J  refused   \ufffd[31mevil",
    ]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["salon", "s1", "c9"], "session 's1' has no call 'c9'; its calls are: c1, c2, \ufffd[2J"),
        (["salon", "s9", "c1"], "salon has no session 's9' in which a tool was called"),
        (["salon", "s9"], "salon has no session 's9' in which a tool was called"),
        (["rival", "s1", "c1"], "rival has no session 's1' in which a tool was called"),
    ],
)
async def test_what_is_not_there_is_one_sentence(run, arguments, sentence):
    """It names the calls that are."""
    assert await run(*arguments) == (1, "", f"scripts/explain: {sentence}\n")


async def test_a_store_that_does_not_answer_is_one_sentence(run, store):
    """No traceback."""
    store.fail_before["get_many"] = Unavailable("hangs")
    expected = "scripts/explain: the store refused or did not answer: hangs\n"
    assert await run("salon", "s1", "c1") == (1, "", expected)


async def test_no_firestore_at_all_is_said_in_one_sentence(run, monkeypatch):
    """The sentence names both remedies."""
    for name in ("FIRESTORE_EMULATOR_HOST", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "K_SERVICE"):
        monkeypatch.delenv(name, raising=False)
    code, out, err = await run("salon", "s1")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "FIRESTORE_EMULATOR_HOST" in err and "--project" in err


@pytest.mark.parametrize(
    ("arguments", "question"),
    [(["salon", "s 1"], "session=s+1"), (["salon", "s1", "c&2"], "session=s1&call=c%262")],
)
async def test_beside_a_server_that_keeps_all_in_memory_it_is_said_what_to_ask_that_one(
    run, monkeypatch, arguments, question
):
    """Nobody else reaches its memory; and with the emulator this command does."""
    for name in ("FIRESTORE_EMULATOR_HOST", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "K_SERVICE"):
        monkeypatch.delenv(name, raising=False)
    err = (await run(*arguments))[2]
    assert f"ask the server, with the owner's key, for GET /admin/explain?{question}, or run it with" in err
    assert "--store emulator" in err


async def test_a_trace_of_the_log_opens_its_calls(run, store):
    """Whose they were need not be known."""
    office = Instance(store, StoppedClock())
    tell(office)
    with Inside(Elsewhere(TRACE, "b7ad6b7169203331")):
        await office.call("act", {"what": SAID[0]}, call_id="c7", caller_phone=SAID[1])
    code, out, err = await run("--trace", TRACE)
    assert (code, err) == (0, "")
    assert "A receipt says what was done, before this call: nothing was done a second time." in out and "CHECK" in out
    [told] = json.loads((await run("--trace", TRACE, "--json"))[1])
    assert (told["callId"], told["tool"]) == ("c7", "act")


async def test_a_trace_without_calls_is_one_sentence(run):
    """It says why there may be none."""
    code, out, err = await run("--trace", "0" * 31 + "1")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "no call was made in the trace" in err


@pytest.mark.parametrize(
    "arguments", [["salon"], ["", "s1"], ["salon", ""], [], ["--trace", "xyz"], ["salon", "s1", "--trace", "0" * 32]]
)
async def test_a_wrong_command_line_ends_with_2(run, arguments):
    """A business and a session are needed, or a trace alone."""
    with pytest.raises(SystemExit) as caught:
        await run(*arguments)
    assert caught.value.code == 2


@pytest.mark.process
def test_the_command_runs_by_itself():
    """With the environment that set-up makes."""
    done = subprocess.run([sys.executable, str(EXPLAIN), "--help"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert "Tell why a call ended as it did." in done.stdout
