"""The command scripts/health, as the person on call reads it."""

import asyncio
import gc
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable

import pytest

import setting_up
from operations import telling_health
from switchboard.contract.store import Set, Unavailable
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import WatchedStore
from tests.pipeline.conftest import PATHS, nothing_left_over

__all__ = ["nothing_left_over"]
HEALTH = setting_up.ROOT / "scripts" / "health"
RIGHT = {
    "name": "Right",
    "timezone": "UTC",
    "phone": "+15185550142",
    "escalation": {"rules": [{"action": "message", "destination": "+15185550144"}]},
}
Run = Callable[..., Awaitable[tuple[int, str, str]]]


@pytest.fixture
async def store() -> WatchedStore:
    """Three businesses: one without a zone, one with a name that nothing reads, one in order."""
    found = WatchedStore(MemoryStore())
    zoneless = {"timezonee" if name == "timezone" else name: value for name, value in RIGHT.items()}
    documents = {"a-right": RIGHT, "b-odd": RIGHT | {"colour": "red"}, "c-zoneless": zoneless}
    await found.commit([Set(PATHS.within(id).business, document) for id, document in documents.items()])
    return found


@pytest.fixture
def run(store: WatchedStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command on that store, in a thread with a loop of its own; returns exit code, stdout and stderr."""
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")

    async def run(*arguments: str) -> tuple[int, str, str]:
        code = await asyncio.to_thread(telling_health.main, arguments, lambda target: store)
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


async def test_the_worst_business_stands_first_and_what_is_wrong_with_it(run: Run) -> None:
    """One step from an alert to whom it costs something; those in order are counted and not listed."""
    code, out, err = await run()
    assert (code, err) == (1, "")
    first, *_ = lines = [line for line in out.splitlines() if not line.startswith(" ")]
    assert first.startswith("trouble  c-zoneless: ") and "scripts/health c-zoneless" in " ".join(out.split())
    assert lines[1].startswith("notice   b-odd: field_unread: ")
    assert lines[-1] == "3 businesses: 1 trouble, 1 notice, 1 ok"
    assert not any(line.startswith("ok") for line in lines)


async def test_of_one_business_everything_is_told_with_what_to_do(run: Run) -> None:
    """As on its page."""
    code, out, _ = await run("c-zoneless")
    assert code == 1
    assert out.startswith("c-zoneless (Right): trouble\n")
    assert "zone_unknown" in out and "field_mistyped" in out and "Enter the time zone under Business" in out


async def test_what_is_less_than_asked_for_is_left_out(run: Run) -> None:
    """And counted all the same."""
    _, out, _ = await run("--least", "trouble")
    assert "b-odd" not in out and "1 notice" in out


async def test_as_json_it_is_what_the_admin_api_answers(run: Run) -> None:
    """For whatever reads it next."""
    told = json.loads((await run("--json"))[1])
    assert [(each["businessId"], each["worst"]) for each in told["businesses"]] == [
        ("c-zoneless", "trouble"),
        ("b-odd", "notice"),
        ("a-right", "ok"),
    ]


async def test_looking_writes_nothing(run: Run, store: WatchedStore) -> None:
    """Whoever looks may be allowed to read alone."""
    store.fail_before["commit"] = Unavailable("nobody may write")
    assert (await run("a-right"))[0] == 0


async def test_what_is_noted_while_nobody_waits_breaks_at_nothing(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    """A traceback between the findings would be taken for one of them."""
    assert (await run())[0] == 1
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


async def test_what_cannot_be_looked_at_is_one_sentence(run: Run, store: WatchedStore) -> None:
    """No traceback."""
    assert await run("nobody") == (1, "", "scripts/health: there is no business 'nobody'\n")
    store.fail_before["query"] = Unavailable("hangs")
    assert await run() == (1, "", "scripts/health: the store refused or did not answer: hangs\n")


@pytest.mark.process
def test_the_command_runs_by_itself() -> None:
    """Its help tells how it is used."""
    done = subprocess.run([sys.executable, HEALTH, "--help"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert "scripts/health --least trouble" in done.stdout
