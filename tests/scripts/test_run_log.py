"""What `scripts/run` prints while it serves: one line per record."""

import json
import logging
import re
import sys
import time

import pytest

from running import log_line
from switchboard.app.plain_log import LogLine
from switchboard.contract.call import ToolCall
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.error import ErrorType
from switchboard.contract.observability.subject import About
from switchboard.contract.observability.trace import Elsewhere, Inside
from switchboard.contract.response import Failure, ToolResponse
from switchboard.conversation.record.record import ended_line
from switchboard.conversation.record.record import log as record_log
from switchboard.pipeline.metrics import call_metrics, meter
from switchboard.pipeline.metrics.meter import Meter
from tests.desk.front_desk import StoppedClock


def record(message: str, *args: object, **extra: object) -> logging.LogRecord:
    found = logging.LogRecord("switchboard.desk.bookings.bookings", logging.WARNING, __file__, 1, message, args, None)
    found.__dict__.update(extra)
    return found


def failing() -> logging.LogRecord:
    found = record("call failed")
    try:
        raise ValueError("Ada's number\nis odd")
    except ValueError:
        found.exc_info = sys.exc_info()
    return found


def test_a_record_is_one_line_with_its_fields():
    """Message and extra fields stand in one line, whatever line breaks they hold."""
    line = LogLine(personal=True).format(record("sms\nrefused: %s", "why", tool="send_sms", reason="a\n  b"))
    assert line[9:] == "WARNING desk.bookings.bookings: sms refused: why tool=send_sms reason=a b"


def test_an_exception_is_told_in_the_same_line():
    """Its type, its text and the places it came through take the place of a traceback."""
    line = LogLine(personal=True).format(failing())
    assert "\n" not in line
    assert "[ValueError: Ada's number is odd; test_run_log.py:" in line


@pytest.mark.parametrize("extra", [{"pii.detail": "Ada"}, {"pii": "Ada"}, {"caller.pii.name": "Ada"}])
def test_personal_values_are_hidden_where_callers_are_real(extra):
    """Fields with a pii segment, and what exceptions say, are not for the terminal then."""
    assert "Ada" in LogLine(personal=True).format(record("x", **extra))
    assert "Ada" not in LogLine(personal=False).format(record("x", **extra))
    assert "Ada" not in LogLine(personal=False).format(failing())


def test_lines_wait_until_they_are_released(capsys, monkeypatch):
    """Nothing comes before the banner, nothing is lost, and later lines come at once."""
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)
    log = logging.getLogger("a room")
    with log_line.held_back(personal=True) as release:
        log.warning("first")
        log.info("never")
        assert capsys.readouterr().err == ""
        release()
        assert "first" in capsys.readouterr().err
        log.warning("second")
        assert "second" in capsys.readouterr().err


@pytest.mark.parametrize("as_json", [True, False])
def test_the_log_of_a_run_is_json_where_that_is_asked_for_and_knows_whose_it_is(capsys, monkeypatch, as_json):
    """Also of what was held back until the banner: whose a record is, is known while it is made."""
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)
    span = Elsewhere("4bf92f3577b34da6a3ce929d0e0e4736", "b7ad6b7169203331")
    with log_line.held_back(personal=True, as_json=as_json) as release:
        with Inside(span), About("salon", "s1", "c1", "send_sms"):
            logging.getLogger("switchboard.desk").warning("text refused", extra={"pii.detail": "Ada"})
        release()
    told = capsys.readouterr()
    if not as_json:
        assert re.fullmatch(
            r"\d\d:\d\d:\d\d WARNING desk: text refused pii.detail=Ada business=salon session=s1 callId=c1 "
            rf"tool=send_sms trace={span.trace_id}\n",
            told.err,
        )
        return
    line = json.loads(told.out)
    assert (line["severity"], line["message"], line["pii"]) == ("WARNING", "text refused", {"detail": "Ada"})
    whose = {"business": "salon", "session": "s1", "callId": "c1", "tool": "send_sms", "trace": span.trace_id}
    assert line.items() >= whose.items() and "time" in line


@pytest.mark.requirement("000-356", "003-17", "003-117")
def test_every_call_and_every_conversation_has_its_line(capsys, monkeypatch):
    """Who, what, how long, how it ended: whoever runs it sees that something happens, and whether it went well."""
    for logger in (logging.getLogger(), call_metrics.log, record_log, meter.log):
        monkeypatch.setattr(logger, "handlers", [])
        monkeypatch.setattr(logger, "level", logger.level)
        monkeypatch.setattr(logger, "disabled", False)
    facts = CONTEXTS[Channel.PHONE](business_id="salon", session_id="CA" + "0" * 31 + "f", caller_phone="+15185550171")
    taken = ToolResponse(failure=Failure(ErrorType.CONFLICT, "Ada has that time", False, False))
    with log_line.held_back(personal=False) as release:
        release()
        call = ToolCall("book_appointment", {"customer_name": "Ada"}, "c1")
        call_metrics.measure(Meter(StoppedClock()), call, facts, Kind.ACTION, taken, time.monotonic(), ran=True)
        ended_line({"businessId": "salon", "sessionId": "s1", "channel": "phone", "turns": 2, "outcome": "booked"})
        Meter(StoppedClock()).context(("salon", "s1"), 3_200, 9_300, tools=5)
    called, ended, begun = capsys.readouterr().err.splitlines()
    assert "pipeline.metrics.meter: session init business=salon session=s1 tokens=12500 tools=5" in begun
    assert begun.endswith("systemPromptTokens=3200 toolDeclTokens=9300")
    assert (
        "INFO    pipeline.metrics.call_metrics: tool call tool=book_appointment business=salon session=CA000" in called
    )
    assert "channel=phone turn=1 latencyMs=" in called and called.endswith("outcome=answered reason=CONFLICT")
    assert "conversation ended business=salon session=s1 channel=phone turns=2" in ended
    assert not any(secret in f"{called}{ended}" for secret in ("Ada", "5185550171"))
