"""Whose a log record is: business, conversation, call, tool and trace stand in every record of a call."""

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from switchboard.app import plain_log
from switchboard.app.logging import CloudLine
from switchboard.contract.observability.subject import About, Subjects, concerns
from switchboard.contract.observability.trace import Elsewhere, Inside
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.store import Set, Unavailable, Update
from switchboard.pipeline import dispatcher
from switchboard.pipeline.metrics import call_metrics
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import StoppedClock, WatchedStore
from tests.pipeline.conftest import BUSINESS, PATHS, Instance, nothing_left_over

__all__ = ["nothing_left_over"]
SPAN = Elsewhere("4bf92f3577b34da6a3ce929d0e0e4736", "b7ad6b7169203331")
NUMBER = "+15185550171"


class Lines(logging.StreamHandler[io.StringIO]):
    """Every record of the house, as Cloud Logging gets it."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self.setFormatter(CloudLine("demo"))
        self.addFilter(Subjects())

    @property
    def told(self) -> list[dict[str, Any]]:
        """Those until now."""
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lines]:
    """What is logged while the test runs."""
    handler, house = Lines(), logging.getLogger("switchboard")
    house.addHandler(handler)
    level = house.level
    # Not by its field alone: loggers remember what is enabled.
    house.setLevel(logging.INFO)
    # Whoever read a logging configuration before may have switched it off.
    for logger in (house, call_metrics.log, dispatcher.log):
        monkeypatch.setattr(logger, "disabled", False)
    yield handler
    house.setLevel(level)
    house.removeHandler(handler)


async def test_every_record_of_a_call_says_whose_it_is(lines: Lines) -> None:
    """What went wrong deep inside names the business at once, and the call that it broke."""
    store = WatchedStore(MemoryStore())
    office = Instance(store, StoppedClock())
    with Inside(SPAN):
        await office.call("look", {}, call_id="c1", caller_phone=NUMBER)
        store.fail_before["commit"] = Unavailable("hangs")
        await office.call("act", {"what": "x"}, call_id="c2", caller_phone=NUMBER)
    told = lines.told
    assert len(told) >= 2
    for line in told:
        assert (line["business"], line["session"], line["trace"]) == (BUSINESS, "s1", SPAN.trace_id), line
        assert line["callId"] in ("c1", "c2") and line["tool"] in ("look", "act")
        assert NUMBER not in json.dumps({key: value for key, value in line.items() if key != "pii"})


async def _die(office: Instance) -> None:
    """Carry a call out whose settlement is lost with its process."""
    await office.store.commit([Set(PATHS.within(BUSINESS).business, {"name": "Salon", "timezone": "UTC"})])

    async def lost(*_: Any) -> None:
        return None

    office.dispatcher.ledger.settle = lost  # type: ignore[method-assign, assignment]
    await office.call("act", {"what": "x"}, call_id="c1", caller_phone=NUMBER)


@pytest.mark.requirement("004-831")
@pytest.mark.parametrize("pass_s_own", [None, Elsewhere("a" * 32, "b" * 16)], ids=["by itself", "asked for"])
async def test_the_records_of_a_recovered_call_carry_the_trace_of_the_call(
    lines: Lines, pass_s_own: Elsewhere | None
) -> None:
    """Whoever follows a line into the trace of the call finds what became of it later, whoever brought it to an end."""
    store, clock = WatchedStore(MemoryStore()), StoppedClock()
    office = Instance(store, clock)
    with Inside(SPAN):
        await _die(office)
    began = len(lines.told)
    clock.wait(CALL_LEASE_S + 1)
    with Inside(pass_s_own) if pass_s_own is not None else nullcontext():
        assert await Instance(store, clock).dispatcher.recover() == 1
    recovered = lines.told[began:]
    assert recovered
    for line in recovered:
        assert (line["business"], line["session"], line["callId"]) == (BUSINESS, "s1", "c1"), line
        assert line["trace"] == SPAN.trace_id
        assert line["logging.googleapis.com/trace"] == f"projects/demo/traces/{SPAN.trace_id}"
        assert "logging.googleapis.com/spanId" not in line


@pytest.mark.parametrize("damaged", [7, "", "0" * 32, "no trace", NUMBER])
async def test_a_row_without_a_readable_trace_is_recovered_under_that_of_the_pass(lines: Lines, damaged: Any) -> None:
    """What stands in a row may be anything, and nothing of it is logged unread."""
    store, clock = WatchedStore(MemoryStore()), StoppedClock()
    office = Instance(store, clock)
    await _die(office)
    await store.commit([Update(PATHS.within(BUSINESS).call("s1", "c1"), {"trace": damaged})])
    began = len(lines.told)
    clock.wait(CALL_LEASE_S + 1)
    with Inside(SPAN):
        assert await Instance(store, clock).dispatcher.recover() == 1
    assert lines.told[began:] and {line["trace"] for line in lines.told[began:]} == {SPAN.trace_id}


async def test_what_is_proven_by_a_task_is_known_to_who_waits_for_it(lines: Lines) -> None:
    """Also to what was begun before; and outside of the request nothing of it is left."""
    log, gate = logging.getLogger("switchboard.channels"), asyncio.Event()

    async def prove() -> None:
        concerns("salon", NUMBER)
        concerns("salon")

    async def wait() -> None:
        await gate.wait()
        log.info("meanwhile")

    with About():
        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
        await asyncio.create_task(prove())
        gate.set()
        await waiting
        log.info("in it")
    log.info("after it")
    meanwhile, inside, after = lines.told
    assert meanwhile["business"] == inside["business"] == "salon" and inside["session"] == "_other"
    assert "business" not in after


async def test_two_calls_at_once_do_not_take_each_other_s_names(lines: Lines) -> None:
    """Each is a task of its own."""
    log = logging.getLogger("switchboard.desk")

    async def call(id: str) -> None:
        with About("salon", "s1", id, "send_sms"):
            await asyncio.sleep(0)
            log.info("under way", extra={"wanted": id})

    await asyncio.gather(call("c1"), call("c2"))
    log.info("nobody's")
    *own, last = lines.told
    assert [line["callId"] for line in own] == [line["wanted"] for line in own] == ["c1", "c2"]
    assert "business" not in last and "callId" not in last


def test_an_id_that_could_be_somebody_s_number_is_not_shown(lines: Lines) -> None:
    """Whoever calls names conversations as they please."""
    with About("salon", NUMBER, NUMBER, "send_sms"):
        logging.getLogger("switchboard.desk").info("something")
    [line] = lines.told
    assert (line["session"], line["callId"]) == ("_other", "_other")


def test_what_a_record_says_itself_stays(lines: Lines) -> None:
    """It may be about another business than the work is."""
    with About("salon", "s1"):
        logging.getLogger("switchboard.desk").info("elsewhere", extra={"business": "dentist"})
    [line] = lines.told
    assert (line["business"], line["session"]) == ("dentist", "s1")


def test_a_plain_line_has_time_and_level(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a server has no log of its own, what it says can be put in order all the same."""
    root, stream = logging.getLogger(), io.StringIO()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(logging.getLogger("switchboard"), "level", logging.NOTSET)
    plain_log.install_plain(True, stream)
    with About("salon"):
        logging.getLogger("switchboard.desk").info("something")
    time, level, *rest = stream.getvalue().split()
    assert len(time) == len("2026-11-29T04:21:23+0000") and level == "INFO"
    assert rest == ["desk:", "something", "business=salon"]
    plain_log.install_plain(True, io.StringIO())
    assert len(root.handlers) == 1
