"""Real processes, killed or stopped in the middle of a turn: the next one answers it soon, and nothing is twice."""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from switchboard.contract.store import Query, Set
from switchboard.state.firestore.store import FirestoreStore
from tests.conversation.record.one_instance import LEASE_S
from tests.pipeline.conftest import BUSINESS, PATHS

pytestmark = [pytest.mark.process, pytest.mark.emulator, pytest.mark.requirement("004-2401", "004-2402")]
ROOT = Path(__file__).resolve().parents[3]
WITHIN = PATHS.within(BUSINESS)
# A busy machine takes so long to start a process.
_SLOW_S = 90.0


@pytest.fixture
async def begun(emulator_host: str, emulator_project: str) -> AsyncIterator[Callable[[str], Any]]:
    """Start an instance; whatever is left of them ends with the test."""
    started: list[asyncio.subprocess.Process] = []
    paths = os.pathsep.join(str(ROOT / part) for part in ("", "scripts", "functions"))

    async def begin(which: str) -> asyncio.subprocess.Process:
        command = (sys.executable, "-m", "tests.conversation.record.one_instance", emulator_host, emulator_project)
        pipe = asyncio.subprocess.PIPE
        environment = {**os.environ, "PYTHONPATH": paths}
        process = await asyncio.create_subprocess_exec(
            *command, which, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def told(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    async with asyncio.timeout(_SLOW_S):
        return (await process.stdout.readline()).decode().strip()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=lambda number: number.name)
async def test_a_turn_whose_process_ends_in_the_middle_is_answered_by_the_next(
    firestore: FirestoreStore, begun: Any, number: signal.Signals
) -> None:
    """And one that was stopped says, does and writes nothing more in it when it goes on."""
    await firestore.commit([Set(WITHIN.business, {"name": "Salon", "ai": {"language": "en"}})])
    first = await begun("first")
    assert await told(first) == "under way"
    # Longer than it is held at a time: it is renewed.
    await asyncio.sleep(LEASE_S + 1)
    first.send_signal(number)
    began = time.monotonic()
    second = await begun("second")
    assert json.loads(await told(second)) == {"said": "Handed on.", "done": []}
    assert time.monotonic() - began > LEASE_S - 1.5
    if number is signal.SIGSTOP:
        first.send_signal(signal.SIGCONT)
        first.stdin.write(b"\n")
        assert json.loads(await told(first)) == {"said": "", "done": ["the keys"]}
    record = await firestore.get(WITHIN.document("interactions", "s1"))
    assert record is not None
    rows = [(row["role"], row["text"], row["turn"]) for row in record.data["transcript"]]
    assert rows == [("caller", "Hello", 1), ("agent", "Handed on.", 2)]
    calls = [document.data for document in await firestore.query(Query(WITHIN.calls("s1")))]
    assert {call["turn"] for call in calls if "something else" in call["arguments"]} <= {1}
    assert all(call["state"] == "refused" for call in calls if "something else" in call["arguments"])
