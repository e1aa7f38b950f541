"""One question about several appointments, and one yes: each call is carried out once, and nothing else is."""

from datetime import timedelta

import pytest

from switchboard.contract.store import Set, Update
from tests.channels.http.test_tools_api import PATHS, store  # noqa: F401 - a fixture
from tests.channels.http.test_tools_heard import book, http, say, use  # noqa: F401 - a fixture

pytestmark = pytest.mark.requirement("003-421")


@pytest.fixture
async def booked(http):  # noqa: F811
    """The ids of two appointments of this conversation, at ten and at two."""
    found = []
    for number, at in enumerate(("2026-12-02T10:00:00", "2026-12-04T14:00:00")):
        asked = (await book(http, 2 * number + 1, start_time=at))["meta"]["readBack"]
        await say(http, 2 * number + 2, text="yes", asked=asked)
        found.append((await book(http, 2 * number + 2, start_time=at))["data"]["bookingId"])
    return found


async def cancel(http, id, turn):  # noqa: F811
    return await use(http, "cancel_appointment", turn, booking_id=id)


async def move(http, id, turn, at="2026-12-03T11:00:00"):  # noqa: F811
    return await use(http, "reschedule_appointment", turn, booking_id=id, new_start_time=at)


JOINT = (
    "I would now cancel your Haircut appointment for Ana Lopez with Rosa on Wednesday, December 2 at 10:00 AM, and "
    "cancel your Haircut appointment for Ana Lopez with Rosa on Friday, December 4 at 2:00 PM. Shall I do both?"
)


@pytest.mark.parametrize("heard", [{"text": "Yes, both please."}, {"text": "Yes."}, {"digits": "1"}])
async def test_one_yes_cancels_both_and_each_once(http, booked, heard):  # noqa: F811
    """The second call's question names the first one too; the yes is spent by each of them."""
    first, second = booked
    await cancel(http, first, 10)
    asked = (await cancel(http, second, 10))["meta"]["readBack"]
    assert asked == JOINT
    told = await say(http, 11, asked=asked, **heard)
    assert (told["verdict"], told["tools"]) == ("approved", ["cancel_appointment"] * 2)
    for id in booked:
        done = await cancel(http, id, 11)
        assert (done["data"]["cancelled"], done["data"]["repeated"]) == (True, False)
    for id in booked:
        assert (await cancel(http, id, 12))["data"]["repeated"] is True


@pytest.mark.parametrize(
    "words", ["Only the first.", "Yes, but not Friday's.", "Yes, Friday.", "Yes, cancel it.", "Yes, the one at two."]
)
async def test_whoever_names_a_part_is_asked_about_that_part_alone(http, booked, words):  # noqa: F811
    """The house asks again, or the model calls what was meant: then the yes is to that."""
    first, second = booked
    await cancel(http, first, 10)
    asked = (await cancel(http, second, 10))["meta"]["readBack"]
    told = await say(http, 11, asked=asked, text=words)
    assert (told["verdict"], told["readBack"]) == ("open", JOINT)
    alone = (await cancel(http, second, 11))["meta"]["readBack"]
    assert "December 4" in alone
    assert "December 2" not in alone
    assert (await say(http, 12, asked=alone, text="Yes, cancel it."))["verdict"] == "approved"
    assert (await cancel(http, second, 12))["data"]["cancelled"] is True
    assert (await cancel(http, first, 12))["error"]["type"] == "CONFIRMATION_REQUIRED"


async def test_a_yes_to_the_question_about_one_of_them_is_none(http, booked):  # noqa: F811
    """Both wait; what was put to the caller was about the first alone."""
    first, second = booked
    asked = (await cancel(http, first, 10))["meta"]["readBack"]
    await cancel(http, second, 10)
    assert (await say(http, 11, asked=asked, text="Yes."))["verdict"] == "open"
    assert (await cancel(http, first, 11))["error"]["type"] == "CONFIRMATION_REQUIRED"


async def test_one_is_cancelled_and_one_moved_by_one_yes(http, booked):  # noqa: F811
    """Different deeds in one question; a no is to both."""
    first, second = booked
    await cancel(http, first, 10)
    asked = (await move(http, second, 10))["meta"]["readBack"]
    assert asked == (
        "I would now cancel your Haircut appointment for Ana Lopez with Rosa on Wednesday, December 2 at 10:00 AM, "
        "and move your Haircut appointment for Ana Lopez with Rosa from Friday, December 4 at 2:00 PM to Thursday, "
        "December 3 at 11:00 AM. Shall I do both?"
    )
    assert (await say(http, 11, asked=asked, text="No."))["verdict"] == "declined"
    await cancel(http, first, 12)
    await move(http, second, 12)
    told = await say(http, 13, asked=asked, text="Yes, do both.")
    assert told["tools"] == ["cancel_appointment", "reschedule_appointment"]
    assert (await cancel(http, first, 13))["data"]["cancelled"] is True
    assert (await move(http, second, 13))["data"]["moved"] is True


async def test_two_wishes_for_the_same_appointment_are_no_joint_question(http, booked):  # noqa: F811
    """Nobody wants it cancelled and moved: the last one is asked about, and a yes in that turn is to neither."""
    first, _ = booked
    await cancel(http, first, 10)
    asked = (await move(http, first, 10))["meta"]["readBack"]
    assert "cancel" not in asked
    assert (await say(http, 11, asked=asked, text="Yes."))["verdict"] == "open"


async def test_more_than_a_turn_can_carry_out_are_not_asked_about_together(http, store, booked):  # noqa: F811
    """Three calls fit into a turn on the phone; the fourth waits for the answer about them."""
    path = PATHS.within("demo-salon")
    for number in (1, 2):
        found = await store.get(path.document("bookings", booked[0]))
        start = found.data["start"] + timedelta(days=7 * number)
        other = found.data | {"id": f"bk_{number}", "start": start, "bookingDatetime": start, "effectKey": f"k{number}"}
        await store.commit([Set(path.document("bookings", f"bk_{number}"), other)])
        booked.append(f"bk_{number}")
    told = [await cancel(http, id, 30) for id in booked]
    assert [each["error"]["type"] for each in told] == ["CONFIRMATION_REQUIRED"] * 3 + ["BUDGET_EXCEEDED"]
    asked = told[2]["meta"]["readBack"]
    assert asked.endswith("Shall I do all of that?")
    assert (await say(http, 31, asked=asked, text="Yes, all of them."))["verdict"] == "approved"
    assert [(await cancel(http, id, 31))["ok"] for id in booked[:3]] == [True] * 3


async def test_what_changed_after_a_joint_yes_is_asked_about_anew_with_the_rest(http, store, booked):  # noqa: F811
    """Nobody agreed to what it has become; the other one, whose yes that voids, is asked about with it."""
    first, second = booked
    await cancel(http, first, 10)
    asked = (await cancel(http, second, 10))["meta"]["readBack"]
    path = PATHS.within("demo-salon").document("bookings", first)
    await store.commit([Update(path, {"customerName": "Bea Lopez"})])
    await say(http, 11, asked=asked, text="Yes.")
    assert "Bea Lopez" in (await cancel(http, first, 11))["meta"]["readBack"]
    anew = (await cancel(http, second, 11))["meta"]["readBack"]
    assert anew.endswith("Shall I do both?")
    assert (await say(http, 12, asked=anew, text="Yes."))["verdict"] == "approved"
    assert [(await cancel(http, id, 12))["ok"] for id in booked] == [True, True]
