"""The stand-in for Twilio: as strict as Twilio's own document, understood by Twilio's own SDK, and plain to look at."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import aiohttp
import pytest
from twilio.base.exceptions import TwilioRestException
from twilio.rest import Client

from stand_ins.loopback import serving
from stand_ins.twilio.account import SID, TOKEN, Account
from stand_ins.twilio.app import TwilioStandIn
from stand_ins.twilio.faults import MODES
from stand_ins.twilio.page import page
from switchboard.integrations.twilio.transport import TwilioTransport

MESSAGES, CALLS = f"/2010-04-01/Accounts/{SID}/Messages.json", f"/2010-04-01/Accounts/{SID}/Calls.json"
TEXT = {"To": "+15185550171", "From": "+15185550100", "Body": "Hello"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(TwilioStandIn(Account(numbers={"+15185550100"})).app) as found:
        yield found


@pytest.fixture
async def sdk(url: str) -> AsyncIterator[Client]:
    """Twilio's own client, sent to the stand-in."""
    transport = TwilioTransport(url)
    yield Client(SID, TOKEN, http_client=transport, environment={"TWILIO_REGION": ""})
    await transport.close()


async def asked(url: str, method: str, path: str, *, auth=(SID, TOKEN), **more: Any) -> tuple[int, Any]:
    headers = {"Authorization": aiohttp.encode_basic_auth(*auth)} if auth else {}
    async with aiohttp.ClientSession() as http, http.request(method, url + path, headers=headers, **more) as answer:
        return answer.status, await answer.json()


async def test_the_sdk_sends_looks_up_and_lists_texts(sdk):
    """A text gets further every time that somebody looks."""
    sent = await sdk.messages.create_async(to="+15185550171", from_="+15185550100", body="Hello")
    seen = [sent.status] + [(await sdk.messages(sent.sid).fetch_async()).status for _ in range(3)]
    assert seen == ["queued", "sent", "delivered", "delivered"]
    listed = await sdk.messages.list_async(to="+15185550171")
    assert listed[0].sid == sent.sid


async def test_the_sdk_pages_through_more_texts_than_one_page_holds(sdk):
    """By the addresses that each page gives for the next."""
    for n in range(7):
        await sdk.messages.create_async(to="+15185550177", from_="+15185550100", body=str(n))
    listed = await sdk.messages.list_async(to="+15185550177", page_size=3)
    assert [text.body for text in listed] == ["6", "5", "4", "3", "2", "1", "0"]


async def test_the_sdk_dials_changes_and_ends_phone_calls(sdk):
    """As Twilio's own states go."""
    call = await sdk.calls.create_async(to="+15185550171", from_="+15185550100", twiml="<Response/>")
    assert (call.status, call.direction) == ("queued", "outbound-api")
    assert (await sdk.calls(call.sid).update_async(twiml="<Response><Hangup/></Response>")).status == "queued"
    assert (await sdk.calls(call.sid).update_async(status="completed")).status == "completed"
    with pytest.raises(TwilioRestException) as caught:
        await sdk.calls(call.sid).update_async(status="completed")
    assert (caught.value.status, caught.value.code) == (400, 21220)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"To": ""}, 21604),
        ({"To": "15185550171"}, 21211),
        ({"From": ""}, 21603),
        ({"From": "+15185550199"}, 21606),
        ({"Body": ""}, 21602),
        ({"Body": "x" * 1_601}, 21617),
        ({"Text": "Hello"}, 20001),
        ({"ValidityPeriod": "soon"}, 20001),
        ({"MessagingServiceSid": "MG1"}, 20001),
        ({"StatusCallback": "not an address"}, 20001),
        ({"RiskCheck": "maybe"}, 20001),
    ],
)
async def test_a_text_that_twilio_would_refuse_is_refused_with_its_code(url, changes, code):
    """In Twilio's own shape; nothing is sent."""
    status, body = await asked(url, "POST", MESSAGES, data=TEXT | changes)
    assert (status, body["code"], body["status"]) == (400, code, 400)
    assert body.keys() == {"code", "message", "more_info", "status"}


@pytest.mark.parametrize(
    ("auth", "path", "status", "code"),
    [
        (None, MESSAGES, 401, 20003),
        ((SID, "wrong"), MESSAGES, 401, 20003),
        (("AC" + "1" * 32, TOKEN), MESSAGES, 401, 20003),
        ((SID, TOKEN), MESSAGES.replace(SID, "AC" + "1" * 32), 404, 20404),
        ((SID, TOKEN), MESSAGES.replace(".json", "/SM" + "0" * 32 + ".json"), 404, 20404),
    ],
)
async def test_only_the_account_sees_its_own(url, auth, path, status, code):
    """401 without the right token, 404 for what is not there."""
    found, body = await asked(url, "GET", path, auth=auth)
    assert (found, body["code"]) == (status, code)


async def test_a_phone_call_cannot_be_told_two_things_at_once(url):
    """`Url` and `Twiml` exclude each other."""
    _, call = await asked(url, "POST", "/_stand_in/calls", json={"from": "+15185550171", "to": "+15185550100"})
    path = CALLS.replace(".json", f"/{call['sid']}.json")
    status, _ = await asked(url, "POST", path, data={"Url": "https://a.example/", "Twiml": "<Response/>"})
    assert status == 400
    status, body = await asked(url, "POST", path, data={"Twiml": "<Response/>"})
    assert (status, body["status"]) == (200, "in-progress")


async def test_a_fault_comes_as_often_as_it_was_asked_for_and_to_whom(url):
    """Others are served meanwhile."""
    wanted = {"mode": "opted-out", "method": "messages.create", "to": "+15185550172"}
    await asked(url, "POST", "/_stand_in/faults", json=wanted)
    others = await asked(url, "POST", MESSAGES, data=TEXT)
    stopped = [await asked(url, "POST", MESSAGES, data=TEXT | {"To": "+15185550172"}) for _ in range(2)]
    assert (others[0], stopped[0][0], stopped[0][1]["code"], stopped[1][0]) == (201, 400, 21610, 201)


async def test_a_fault_that_cannot_be_is_refused_with_those_that_can(url):
    """All of them are named."""
    status, body = await asked(url, "POST", "/_stand_in/faults", json={"mode": "earthquake"})
    assert status == 400
    assert all(mode in body["message"] for mode in MODES)


async def test_the_journal_says_what_was_asked_and_no_secret(url):
    """Method, fields and status; never the token."""
    await asked(url, "DELETE", "/_stand_in/requests")
    await asked(url, "POST", MESSAGES, data=TEXT)
    _, body = await asked(url, "GET", "/_stand_in/requests")
    (line,) = body["requests"]
    assert (line["method"], dict(line["fields"]), line["status"]) == ("messages.create", TEXT, 201)
    assert TOKEN not in json.dumps(body)


async def test_the_page_lists_texts_and_calls_and_runs_no_strangers_markup(url):
    """It refreshes itself, suits light and dark, and links what a text links."""
    body = "<script>alert(1)</script> See you at ten https://a.example/?a=1&b='\"onclick=x"
    await asked(url, "POST", MESSAGES, data=TEXT | {"Body": body})
    async with aiohttp.ClientSession() as http, http.get(url) as answer:
        text = await answer.text()
    assert "See you at ten" in text
    assert "<script>" not in text
    assert 'href="https://a.example/?a=1&amp;b=&#x27;&quot;onclick=x" rel' in text
    assert 'http-equiv="refresh"' in text
    assert "color-scheme: light dark" in text
    assert "Calendar" not in text


async def test_the_page_shows_a_calendar_where_there_is_one():
    """A second source: whatever gives rows of title, start and end."""

    async def events() -> list[dict[str, str]]:
        return [{"title": "Haircut: Anna", "start": "2027-03-16 10:00", "end": "10:30"}]

    with serving(TwilioStandIn(events=events).app) as url:
        async with aiohttp.ClientSession() as http, http.get(url) as answer:
            assert "Haircut: Anna" in await answer.text()


def test_an_empty_page_says_so():
    """Nothing is not a blank page."""
    assert all(words in page([], [], []) for words in ("No texts yet", "No calls yet", "Nothing is booked yet"))
