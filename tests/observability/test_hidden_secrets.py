"""What is secret in a call stands in no record of it: in no error's detail, no exception, and nothing that is kept."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from switchboard.app.logging import CloudLine
from switchboard.app.plain_log import LogLine
from switchboard.catalog.definitions.registry import Registry
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.observability.hidden import HidingSecrets, hide, without_hidden
from switchboard.contract.response import Result
from switchboard.contract.store import Set
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from switchboard.pipeline import boundary
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import StoppedClock
from tests.pipeline import planted
from tests.pipeline.conftest import BUSINESS, PATHS, Instance, nothing_left_over

__all__ = ["nothing_left_over"]
pytestmark = pytest.mark.requirement("004-972")

TYPED, KEPT = "canary-typed-4f1b", "canary-kept-77ac"
STORE = MemoryStore()
VAULT = SealedSecrets(STORE, PATHS, LocalKeyKeeper(bytes(32)))


async def pay(ctx: CallContext, desk: Any, *, password: str, way: str) -> Result:
    """Ask a service that says what it was sent."""
    kept = await VAULT.reveal(BUSINESS, "tools", "crm")
    said = f"{password} and {kept} were refused"
    if way == "unforeseen":
        raise RuntimeError(said)
    if way == "library":
        logging.getLogger("switchboard.other").warning("sent", extra={"pii.sent": {"header": [said]}})
    raise ToolError(ErrorType.PERMANENT, "It was refused.", detail=said)


class Lines(logging.Handler):
    """Every record, as both kinds of log write it."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the lines."""
        self.told += [CloudLine("demo").format(record), LogLine(personal=True).format(record)]


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lines]:
    """What is logged while the test runs."""
    handler, house = Lines(), logging.getLogger("switchboard")
    house.addHandler(handler)
    monkeypatch.setattr(boundary.log, "disabled", False)
    monkeypatch.setattr(house, "disabled", False)
    yield handler
    house.removeHandler(handler)


@pytest.mark.parametrize("way", ["told", "unforeseen", "library"])
async def test_no_record_of_a_call_tells_its_secrets(lines: Lines, way: str) -> None:
    """Neither what a model passed as a secret, nor what an owner has entered for the tool."""
    properties = {"password": {"type": "string", "x-secret": True}, "way": {"type": "string"}}
    tool = planted._tool(pay, "action", properties)
    registry = Registry("1.0.00000000", {**planted.registry().tools, tool.name: tool})
    store = MemoryStore()
    await store.commit([Set(PATHS.within(BUSINESS).business, {"name": "Salon"})])
    house = Instance(store, StoppedClock(), registry)
    await VAULT.keep(BUSINESS, "tools", "crm", KEPT)
    response = await house.call("pay", {"password": TYPED, "way": way})
    assert not response.ok
    told = "\n".join(lines.told)
    assert "call failed" in told and "were refused" in told
    assert "[secret] and [secret] were refused" in told
    assert TYPED not in told and KEPT not in told


def test_outside_of_any_work_nothing_is_hidden_and_inside_all_is_known_to_the_outer_work() -> None:
    """Whoever waits for a part of the work tells of it, too."""
    hide("canary-1")
    assert without_hidden("canary-1") == "canary-1"
    with HidingSecrets():
        with HidingSecrets():
            hide("canary-2")
        assert without_hidden(["canary-2", 7]) == ["[secret]", 7]
    assert without_hidden("canary-2") == "canary-2"


@pytest.mark.parametrize("line", [CloudLine("demo"), LogLine(personal=True)], ids=["cloud", "plain"])
def test_a_message_and_what_is_no_json_are_looked_through_too(line: logging.Formatter) -> None:
    """A library says what address it asked, and an error is written as the text that it holds."""
    record = logging.LogRecord("httpx", logging.INFO, "", 0, "asked %s", ("https://x.example/?key=canary-3",), None)
    record.reason = ValueError("canary-3 is wrong")
    with HidingSecrets():
        hide("canary-3")
        assert "canary-3" not in line.format(record)


@pytest.mark.parametrize("line", [CloudLine("p"), LogLine(personal=True)], ids=["cloud", "plain"])
def test_a_secret_that_is_a_word_of_a_businesss_id_leaves_that_whole(line: logging.Formatter) -> None:
    """As the token `demo` and the business `demo-salon`: by the business the lines of a day are found."""
    record = logging.LogRecord("switchboard.x", logging.INFO, "", 0, "tool call", (), None)
    record.business, record.reason = "demo-salon", "demo was refused"
    with HidingSecrets():
        hide("demo")
        told = line.format(record)
    assert "demo-salon" in told and "[secret] was refused" in told
