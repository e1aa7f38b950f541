"""Whose a log record is: business, conversation, call, tool and trace stand in every record of a call."""

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from switchboard.app import plain_log
from switchboard.app.logging import CloudLine
from switchboard.contract.observability.subject import About, Subjects
from switchboard.contract.observability.trace import Elsewhere, Inside
from switchboard.contract.store import Unavailable
from switchboard.pipeline import dispatcher
from switchboard.pipeline.metrics import call_metrics
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import StoppedClock, WatchedStore
from tests.pipeline.conftest import BUSINESS, Instance, nothing_left_over

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
