"""What goes wrong at a CalDAV server, and what the house makes of it: one table, few second tries, honest writes."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from starlette.responses import Response

from switchboard.contract.deadline import ending_in
from switchboard.contract.error import ErrorType
from switchboard.integrations.caldav import dav
from switchboard.integrations.caldav.dav import DavEgress
from switchboard.integrations.caldav.failures import FAILURES, condition_of, refused, wait_s
from switchboard.integrations.egress.target import read_target
from switchboard.integrations.http_session import HttpAnswer
from switchboard.integrations.retry_budget import RetryBudget
from tests.each import each
from tests.integrations.caldav.front import METHODS, Silence, Wrong
from tests.integrations.caldav.premises import DAY, Premises
from tests.integrations.calendar_contract import HOUR, raised, visit

ERROR = '<?xml version="1.0"?><d:error xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">{}</d:error>'


def answer(status: int, condition: str = "", **headers: str) -> HttpAnswer:
    return HttpAnswer(status, headers, ERROR.format(f"<c:{condition}/>" if condition else "").encode())


@each(
    ("status", "condition", "type"),
    [
        (400, "", "PERMANENT"),
        (401, "", "AUTH"),
        (402, "", "PERMANENT"),
        (403, "", "AUTH"),
        (403, "need-privileges", "AUTH"),
        (403, "valid-calendar-data", "PERMANENT"),
        (403, "max-resource-size", "PERMANENT"),
        (403, "no-uid-conflict", "PERMANENT"),
        (404, "", "PERMANENT"),
        (405, "", "PERMANENT"),
        (409, "no-uid-conflict", "PERMANENT"),
        (410, "", "PERMANENT"),
        (412, "", "PERMANENT"),
        (413, "", "PERMANENT"),
        (415, "", "PERMANENT"),
        (418, "", "PERMANENT"),
        (301, "", "PERMANENT"),
        (302, "", "PERMANENT"),
        (507, "", "PERMANENT"),
        (429, "", "RATE_LIMIT"),
        (500, "", "TRANSIENT"),
        (502, "", "TRANSIENT"),
        (503, "", "TRANSIENT"),
        (504, "", "TRANSIENT"),
        (599, "", "TRANSIENT"),
    ],
)
def test_every_refusal_has_one_meaning(status, condition, type):
    """By status and condition: a 403 can mean another password, or another event."""
    error = refused(answer(status, condition), is_write=False)
    assert (error.type, error.partial_side_effects) == (ErrorType(type), False)
    assert error.retryable is (type in ("RATE_LIMIT", "TRANSIENT"))
    assert refused(answer(status, condition), is_write=True).partial_side_effects is (
        type == "TRANSIENT" or status == 302
    )


def test_the_table_speaks_only_of_what_the_port_promises():
    """And every condition in it is one that can be read out of an answer."""
    promised = {ErrorType.AUTH, ErrorType.RATE_LIMIT, ErrorType.TRANSIENT, ErrorType.PERMANENT}
    assert set(FAILURES.values()) == promised
    for status, condition in FAILURES:
        assert condition_of(answer(status, condition)) == condition


@each("status", [408, 423, 425])
def test_what_a_server_says_it_did_not_look_at_was_not_done(status):
    """It may be asked again."""
    error = refused(answer(status), is_write=True)
    assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, False)


@each("body", [b"", b"<html>", b"\xff\xfe", b"<error>", b"<x:error xmlns:x='DAV:'>  </x:error>", b"<error><" * 9_999])
def test_a_refusal_in_any_other_shape_is_understood_by_its_status(body):
    """Proxies on the way answer in their own words."""
    assert refused(HttpAnswer(500, {}, body), is_write=False).type is ErrorType.TRANSIENT
    assert refused(HttpAnswer(403, {}, body), is_write=False).type is ErrorType.AUTH


def test_how_long_a_server_wants_to_be_left_alone_is_read_in_both_spellings():
    """Seconds, or a date; anything else says nothing."""
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 80 < (wait_s(answer(503, **{"Retry-After": soon})) or 0) <= 90
    past = format_datetime(datetime.now(UTC) - timedelta(days=1), usegmt=True)
    for told, expected in (("120", 120.0), (past, 0.0), ("9" * 30, 86_400.0), ("soon", None), ("-5", None), ("", None)):
        assert wait_s(answer(503, **{"Retry-After": told})) == expected
    error = refused(answer(503, **{"Retry-After": "120"}), is_write=True)
    assert (error.type, error.partial_side_effects, error.meta) == (ErrorType.RATE_LIMIT, False, {"retryAfterS": 120.0})


@pytest.mark.parametrize("status", [429, 503])
async def test_a_moment_is_waited_out_once(premises: Premises, status: int):
    """Nothing was done, so that a write may be sent again too."""
    calendar = await premises.calendar()
    premises.front.wrong.append(Wrong(tuple(METHODS), Response(status_code=status, headers={"Retry-After": "0"}), 1))
    await calendar.insert(visit())
    assert premises.front.methods() == ["PUT", "PUT"]
    premises.front.wrong.append(Wrong(tuple(METHODS), Response(status_code=status, headers={"Retry-After": "0"})))
    assert (await raised(calendar.find("bk00001"))).type is ErrorType.RATE_LIMIT


@pytest.mark.parametrize(("status", "after"), [(429, "60"), (503, "60"), (429, "")])
async def test_what_lasts_longer_is_not_waited_out(premises: Premises, status: int, after: str, monkeypatch):
    """No call can wait for it; neither is there a second try without time for it."""
    calendar = await premises.calendar()
    headers = {"Retry-After": after} if after else {}
    premises.front.wrong.append(Wrong(tuple(METHODS), Response(status_code=status, headers=headers)))
    monkeypatch.setattr(dav, "WORTH_S", 1_000.0)
    assert (await raised(calendar.insert(visit()))).type is ErrorType.RATE_LIMIT
    assert premises.front.methods() == ["PUT"]


async def test_a_read_whose_connection_broke_is_asked_once_more_and_a_write_is_not(premises: Premises):
    """A write may have been carried out; its caller reads and decides."""
    calendar = await premises.calendar()
    premises.front.wrong.append(Wrong(("REPORT",), None, 1))
    assert await calendar.busy(DAY, DAY + HOUR) == []
    assert premises.front.methods() == ["REPORT", "REPORT"]
    premises.front.asked.clear()
    premises.front.wrong.append(Wrong(("PUT",), None, 1))
    assert (await raised(calendar.insert(visit()))).partial_side_effects
    assert premises.front.methods() == ["PUT"]


async def test_a_server_that_nobody_reaches_did_nothing(premises: Premises):
    """There is no connection, so that nothing was sent."""
    egress = DavEgress(stand_ins=["127.0.0.1:9"])
    account = replace(
        (await premises.calendar()).dav.account, server=read_target("http://127.0.0.1:9"), calendar_url=""
    )
    gone = dav.Dav(egress, RetryBudget(), account)
    error = await raised(gone.send("PUT", "http://127.0.0.1:9/x/1.ics", b"", {}))
    assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, False)
    await egress.close()


async def test_nobody_waits_longer_than_the_caller_does(premises: Premises):
    """Silence, and then the honest answer: of a write, that nobody knows."""
    calendar = await premises.calendar()
    await calendar.find("bk00001")
    premises.front.wrong.append(Wrong(tuple(METHODS), Silence()))
    with ending_in(0.0):
        assert (await raised(calendar.find("bk00001"))).type is ErrorType.TRANSIENT
        assert (await raised(calendar.insert(visit()))).type is ErrorType.TRANSIENT
