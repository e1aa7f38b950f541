"""A tool that needs the caller's yes, from the question to the effect, over HTTP and on every channel."""

import uuid

import httpx2 as httpx
import pytest

import main
from switchboard.contract.store import Update
from tests.channels.test_tools_api import KEY, PATHS, store  # noqa: F401 - a fixture
from tests.each import each

pytestmark = pytest.mark.requirement("003-134", "003-136", "003-137")
HAIRCUT = {"service": "Haircut", "start_time": "2026-12-02T10:00:00", "customer_name": "Ana Lopez"}


@pytest.fixture
async def http(store):  # noqa: F811
    """A house whose salon wants a spoken yes before a booking."""
    question = {"en": "Shall I book {{service}} on {{start_time}} for {{customer_name}}?"}
    edit = {"confirm": True, "readBack": question}
    await store.commit([Update(PATHS.definition("book_appointment"), edit)])
    house = main.build(main.read_configuration({}), store)
    headers = {"Authorization": f"Bearer {KEY}"}
    transport = httpx.ASGITransport(app=house.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
        yield client


def context(channel, turn):
    return {"channel": channel, "sessionId": "s1", "turn": turn, "callId": uuid.uuid4().hex}


async def book(http, turn, channel="phone", **changes):
    body = {"businessId": "demo-salon", "name": "book_appointment", "args": HAIRCUT | changes}
    return (await http.post("/tools/execute", json=body | {"context": context(channel, turn)})).json()


async def say(http, turn, channel="phone", **heard):
    body = {"businessId": "demo-salon", "context": context(channel, turn), "heard": heard}
    return (await http.post("/tools/heard", json=body)).json()


@pytest.mark.requirement("003-56", "003-74", "003-130")
@pytest.mark.parametrize("channel", ["phone", "portal", "browser_voice"])
@pytest.mark.parametrize("heard", [{"text": "Yes, please."}, {"digits": "1"}, {"button": "yes", "question": 1}])
async def test_a_booking_happens_after_a_yes_in_a_later_turn(http, channel, heard):
    """Spoken, pressed or clicked: the same on every channel."""
    asked = await book(http, 1, channel)
    assert asked["error"]["type"] == "CONFIRMATION_REQUIRED"
    assert asked["meta"]["readBack"] == ("Shall I book Haircut on Wednesday, December 2 at 10:00 AM for Ana Lopez?")
    assert asked["meta"]["say"] == asked["meta"]["readBack"]
    assert (await say(http, 2, channel, **heard))["verdict"] == "approved"
    done = await book(http, 2, channel)
    assert done["data"]["booked"] is True


async def test_the_model_cannot_approve_itself(http):
    """Calling again, in this turn or the next, only asks again."""
    for turn in (1, 1, 2):
        assert (await book(http, turn))["error"]["type"] == "CONFIRMATION_REQUIRED"
    assert (await book(http, 3, confirmed=True))["error"]["type"] == "VALIDATION"


async def test_a_yes_in_the_turn_of_the_question_counts_for_nothing(http):
    """Only a later human turn can answer it."""
    await book(http, 1)
    await say(http, 1, text="yes")
    assert (await book(http, 1))["error"]["type"] == "CONFIRMATION_REQUIRED"


async def test_a_yes_is_to_exactly_what_was_read_back(http):
    """Another time is asked anew, and voids the yes to the first."""
    await book(http, 1)
    await say(http, 2, text="yes")
    changed = await book(http, 2, start_time="2026-12-02T11:00:00")
    assert changed["error"]["type"] == "CONFIRMATION_REQUIRED"
    assert (await book(http, 2))["error"]["type"] == "CONFIRMATION_REQUIRED"


@pytest.mark.parametrize(("text", "verdict"), [("No thanks", "declined"), ("Hmm, what about Friday?", "open")])
async def test_anything_else_than_a_yes_books_nothing(http, text, verdict):
    """A no closes the question; an unclear answer leaves it open once."""
    await book(http, 1)
    assert (await say(http, 2, text=text))["verdict"] == verdict
    assert (await book(http, 2))["error"]["type"] == "CONFIRMATION_REQUIRED"


async def test_a_yes_without_a_question_answers_nothing(http):
    """And approves nothing that comes later."""
    assert (await say(http, 1, text="yes"))["verdict"] == "nothing"
    assert (await book(http, 1))["error"]["type"] == "CONFIRMATION_REQUIRED"


@each(
    ("heard", "field"),
    [
        (None, "heard"),
        ({}, "heard"),
        ({"text": "yes", "digits": "1"}, "heard"),
        ({"text": 1}, "heard.text"),
        ({"button": "yes", "question": "1"}, "heard.question"),
    ],
)
async def test_what_cannot_be_read_is_named(http, heard, field):
    """Exactly one of text, digits and button."""
    body = {"businessId": "demo-salon", "context": context("phone", 2), "heard": heard}
    response = await http.post("/tools/heard", json=body)
    assert (response.status_code, response.json()["error"]["field"]) == (400, field)


async def test_only_the_businesss_own_services_may_say_what_was_heard(http):
    """401 without a key, 403 for another business."""
    body = {"businessId": "demo-plumber", "context": context("phone", 2), "heard": {"text": "yes"}}
    assert (await http.post("/tools/heard", json=body)).status_code == 403
    assert (await http.post("/tools/heard", json=body, headers={"Authorization": ""})).status_code == 401
