"""A tool that needs the caller's yes, from the question to the effect, over HTTP and on every channel."""

import uuid

import httpx2 as httpx
import pytest

from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.contract.store import Update
from tests.channels.http.test_tools_api import KEY, PATHS, store  # noqa: F401 - a fixture
from tests.each import each

pytestmark = pytest.mark.requirement("003-134", "003-136", "003-137")
HAIRCUT = {"service": "Haircut", "start_time": "2026-12-02T10:00:00", "customer_name": "Ana Lopez"}


@pytest.fixture
async def http(store):  # noqa: F811
    """A house whose salon wants a spoken yes before a booking."""
    question = {"en": "Shall I book {{service}} on {{start_time}} for {{customer_name}}?"}
    edit = {"confirm": True, "readBack": question}
    await store.commit([Update(PATHS.definition("book_appointment"), edit)])
    house = build(read_configuration({}), store)
    headers = {"Authorization": f"Bearer {KEY}"}
    transport = httpx.ASGITransport(app=house.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
        yield client


def context(channel, turn):
    return {"channel": channel, "sessionId": "s1", "turn": turn, "callId": uuid.uuid4().hex}


async def book(http, turn, channel="phone", **changes):
    body = {"businessId": "demo-salon", "name": "book_appointment", "args": HAIRCUT | changes}
    return (await http.post("/tools/execute", json=body | {"context": context(channel, turn)})).json()


ASKED = "Shall I book Haircut on Wednesday, December 2 at 10:00 AM for Ana Lopez?"


async def say(http, turn, channel="phone", asked=ASKED, **heard):
    body = {"businessId": "demo-salon", "context": context(channel, turn), "heard": heard, "asked": asked}
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


@pytest.mark.requirement("003-170")
@pytest.mark.parametrize("heard", [{"text": "Yes, please."}, {"digits": "1"}, {"button": "yes", "question": 1}])
async def test_a_yes_counts_only_for_the_words_that_were_presented(http, heard):
    """Without them, or with others, the question stays open as it was; a mark or a capital makes no other words."""
    await book(http, 1)
    others = ("", "Would you like me to text you our address?", ASKED[:-20], f"{ASKED} Or would you rather keep it?")
    for asked in (None, *others, f"Are you all right? {ASKED}"):
        told = await say(http, 2, asked=asked, **heard)
        assert (told["verdict"], told["readBack"]) == ("open", ASKED), asked
    assert (await book(http, 2))["error"]["type"] == "CONFIRMATION_REQUIRED"
    presented = f"One moment. {ASKED.lower().replace('?', ' ?')}"
    later = heard | ({"question": 2} if "button" in heard else {})
    assert (await say(http, 3, asked=presented, **later))["verdict"] == "approved"
    assert (await book(http, 3))["data"]["booked"] is True


@pytest.mark.requirement("003-173")
async def test_what_was_done_is_told_again_and_not_asked_again(http):
    """The same wish under a new call id: one booking, and no second question."""
    await book(http, 1)
    await say(http, 2, text="yes")
    first = await book(http, 2)
    for turn in (2, 3):
        again = await book(http, turn)
        assert (again["data"]["bookingId"], again["data"]["repeated"]) == (first["data"]["bookingId"], True)


async def use(http, name, turn, **args):
    body = {"businessId": "demo-salon", "name": name, "args": args}
    facts = context("phone", turn) | {"callerVerified": True, "callerId": "clr_anna_whitfield"}
    return (await http.post("/tools/execute", json=body | {"context": facts})).json()


@pytest.mark.requirement("003-171", "003-173")
async def test_nobody_is_asked_about_what_is_not_there_and_the_question_names_what_would_change(http):
    """NOT_FOUND and CONFLICT come before any question; what was done is told again and not asked again."""
    await book(http, 1)
    await say(http, 2, text="yes")
    id = (await book(http, 2))["data"]["bookingId"]
    assert (await use(http, "cancel_appointment", 3, booking_id="bk_nobody"))["error"]["type"] == "NOT_FOUND"
    other = await use(http, "cancel_appointment", 3, booking_id=id, start_time="2026-12-02T12:00:00")
    assert other["error"]["type"] == "CONFLICT"
    assert (await say(http, 4, text="yes"))["verdict"] == "nothing"
    moved = {"booking_id": id, "new_start_time": "2026-12-02T11:00:00"}
    proposed = await use(http, "reschedule_appointment", 5, **moved)
    assert proposed["error"]["type"] == "CONFIRMATION_REQUIRED", proposed
    asked = proposed["meta"]["readBack"]
    assert asked == (
        "I would now move your Haircut appointment for Ana Lopez with Rosa from Wednesday, December 2 at 10:00 AM to "
        "Wednesday, December 2 at 11:00 AM. Shall I go ahead?"
    )
    await say(http, 6, text="Yes, please move it.", asked=asked)
    assert (await use(http, "reschedule_appointment", 6, **moved))["data"]["repeated"] is False
    assert (await use(http, "reschedule_appointment", 6, **moved))["data"]["repeated"] is True
    asked = (await use(http, "cancel_appointment", 7, booking_id=id))["meta"]["readBack"]
    assert asked == (
        "I would now cancel your Haircut appointment for Ana Lopez with Rosa on Wednesday, December 2 at 11:00 AM. "
        "Shall I go ahead?"
    )
    assert (await say(http, 8, text="Yes, go ahead and cancel it.", asked=asked))["verdict"] == "approved"
    assert (await use(http, "cancel_appointment", 8, booking_id=id))["data"]["cancelled"] is True
    assert (await use(http, "cancel_appointment", 9, booking_id=id))["data"]["repeated"] is True


@pytest.mark.requirement("003-420")
@pytest.mark.parametrize(
    ("at", "kind"),
    [
        ("2026-12-02T03:00:00", "CONFLICT"),
        ("2026-11-02T10:00:00", "VALIDATION"),
        ("2031-12-02T10:00:00", "VALIDATION"),
        ("2026-12-02T10:02:00", "VALIDATION"),
        ("2026-12-02T10:00:00", "CONFLICT"),
    ],
)
async def test_nobody_is_asked_about_a_time_that_cannot_be_had(http, at, kind):
    """Closed, past, beyond the booking window, off the grid, taken: said at once, and a time that is free is asked."""
    taken = HAIRCUT | {"customer_name": "Bo Lee", "with_person": "Rosa"}
    other = {"businessId": "demo-salon", "name": "book_appointment", "args": taken}

    def elsewhere(turn):
        return context("phone", turn) | {"sessionId": "s2"}

    await http.post("/tools/execute", json=other | {"context": elsewhere(1)})
    asked = ASKED.replace("Ana Lopez", "Bo Lee")
    heard = {"heard": {"text": "yes"}, "asked": asked, "businessId": "demo-salon"}
    await http.post("/tools/heard", json=heard | {"context": elsewhere(2)})
    done = (await http.post("/tools/execute", json=other | {"context": elsewhere(2)})).json()
    assert done["data"]["booked"] is True
    refused = await book(http, 1, start_time=at, with_person="Rosa")
    assert (refused["error"]["type"], "readBack" in refused["meta"]) == (kind, False)
    # Of the last day that can be booked nothing is within the window while it is early.
    assert refused["meta"]["alternatives"] or at.startswith("2031")
    assert (await say(http, 2, text="yes"))["verdict"] == "nothing"
    assert (await book(http, 3, start_time="2026-12-02T12:00:00"))["error"]["type"] == "CONFIRMATION_REQUIRED"


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


@pytest.mark.parametrize(("turn", "again"), [(2, 3), (3, 4)])
@pytest.mark.parametrize("asked", [ASKED, "One moment."])
@pytest.mark.parametrize("text", ["wait, no", "hold on", "keep it", "Nein, warte"])
async def test_a_yes_that_is_taken_back_before_the_call_books_nothing(http, text, asked, turn, again):
    """Said in the same turn or in the next; the question is put once more."""
    await book(http, 1)
    assert (await say(http, 2, text="yes"))["verdict"] == "approved"
    told = await say(http, turn, text=text, asked=asked)
    assert (told["verdict"], told["readBack"]) == ("open", ASKED)
    assert (await book(http, 2))["error"]["type"] == "CONFIRMATION_REQUIRED"
    assert (await say(http, again, text="yes"))["verdict"] == "approved"
    assert (await book(http, again))["data"]["booked"] is True


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
