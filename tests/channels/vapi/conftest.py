"""What the tests of Vapi's requests may ask for."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from stand_ins.vapi.account import KEY
from stand_ins.vapi.app import VapiStandIn
from switchboard.channels.phone.phone_numbers import NO_SAFE_NUMBERS, SafeNumbers
from switchboard.channels.vapi import callbacks, incoming, server_messages
from switchboard.pipeline.execution.deadline import outlived
from switchboard.state.memory.store import MemoryStore
from tests.channels.conftest import LONG_S
from tests.channels.vapi import planted
from tests.channels.vapi.house import House
from tests.desk.front_desk import WatchedStore
from tests.pipeline import planted as pipeline_planted
from tests.switch import Switch

ASSISTANT = {
    "name": "Reception",
    "model": {
        "provider": "openai",
        "model": "gpt-4o",
        "toolIds": ["t1"],
        "messages": [{"role": "system", "content": "You are Echo."}],
        "newerThanTheDocument": {"deep": [1, None]},
    },
}


@pytest.fixture(autouse=True)
def unhurried_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let answering take as long as it takes."""
    for name in ("WORKED_WITHIN_S", "REMEMBERED_WITHIN_S", "HANDED_OVER_WITHIN_S"):
        monkeypatch.setattr(incoming, name, LONG_S)
    for module in (server_messages, callbacks):
        monkeypatch.setattr(module, "ANSWERED_WITHIN_S", LONG_S)


@pytest.fixture
async def opened(stand_in_server: tuple[str, Switch]) -> AsyncIterator[Callable[..., Awaitable[House]]]:
    """What opens a house with the call-start tools that are named."""
    url, switch = stand_in_server
    switch.stand_in = VapiStandIn()
    assistant = switch.stand_in.account.create_assistant(ASSISTANT)
    switch.stand_in.account.assistants["assistant-1"] = assistant | {"id": "assistant-1"}
    houses = []

    async def open(*tools: str, store: Any = None, safe_numbers: SafeNumbers = NO_SAFE_NUMBERS) -> House:
        kept = store or WatchedStore(MemoryStore())
        found = House(kept, switch.stand_in, url, KEY, planted.registry(*tools), safe_numbers)
        houses.append(found)
        return await found.open() if store is None else found

    for known in (planted.begun, planted.meeting, pipeline_planted.done, pipeline_planted.gates):
        known.clear()
    yield open
    for gate in pipeline_planted.gates.values():
        gate.set()
    await outlived()
    for house in houses:
        await house.close()


@pytest.fixture
async def house(opened: Callable[..., Awaitable[House]]) -> House:
    """A house without call-start tools."""
    return await opened()
