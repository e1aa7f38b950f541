"""What is pressed twice before the page is drawn again is done once, and said once, in a browser."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from admin_ui.shell.server import Server
from tests.admin_ui.browsing import (
    answered,
    button,
    fill,
    go_to,
    idle,
    knows_held,
    main,
    press,
    settled,
    turn_to,
)
from tests.admin_ui.premises import PATHS, SALON, LiveServer, token
from tests.admin_ui.team import TEAM, furnish

SLOW_S = 1.0


def read(live: LiveServer, path: str, name: str) -> list[Any]:
    """Return what there is of something now."""
    return list(Server(live.url, token("owner")).get(path).body[name])


def press_twice(page: Page, label: str, live: LiveServer) -> None:
    """Press a button twice, the second time while the server has not answered the first."""
    idle(page)
    live.loop.call_soon_threadsafe(time.sleep, SLOW_S)
    with answered(page):
        button(page, label).first.dblclick()
    settled(page)
    idle(page)


def make_a_key(page: Page) -> None:
    go_to(page, "API keys")
    fill(page, "What it is for", "Till")


def write_an_answer(page: Page) -> None:
    go_to(page, "Questions and answers")
    press(page, "Add a question")
    for label, text in (("Topic", "till"), ("Question", "Is there a till?"), ("What callers are told", "Yes, one.")):
        fill(page, label, text)


def enter_an_absence(page: Page) -> None:
    go_to(page, "Team and rooms")
    fill(page, "Why, for you and your colleagues", "Dentist")


def turn_away(page: Page) -> None:
    go_to(page, "Turned away")
    fill(page, "Number that wants no texts", "+15185550177")


BUSINESS = f"/admin/businesses/{SALON}"
MAKERS = {
    "a key": ("business", make_a_key, "Make the key", f"{BUSINESS}/keys", "keys"),
    "an answer": ("knowledge", write_an_answer, "Save", f"/tts_admin/faqs/{SALON}", "faqs"),
    "an absence": ("business", enter_an_absence, "Enter the absence", f"{BUSINESS}/absences", "absences"),
    "a stop": ("business", turn_away, "Text it no more", f"{BUSINESS}/text-stops", "textStops"),
}


@pytest.mark.requirement("004-1802")
@pytest.mark.parametrize("maker", MAKERS)
def test_what_is_made_by_a_button_is_made_once(visit, salon, maker):
    path, begin, label, listing, name = MAKERS[maker]
    furnish(salon, *TEAM)
    before = len(read(salon, listing, name))
    page = visit(path)
    begin(page)
    press_twice(page, label, salon)
    expect(page.get_by_test_id("stToast")).to_have_count(1)
    assert len(read(salon, listing, name)) == before + 1


@pytest.mark.requirement("004-1803")
def test_a_key_that_is_shown_once_is_not_lost_unasked(visit, salon):
    page = visit("business")
    make_a_key(page)
    press(page, "Make the key")
    expect(idle(page).get_by_text("This is the key Till.")).to_be_visible()
    knows_held(page)
    go_to_hours: Callable[[], None] = idle(page).get_by_role("radio", name="Hours", exact=True).click
    go_to_hours()
    question = page.get_by_role("dialog", name="What is shown here is shown this once.")
    question.get_by_role("button", name="Stay", exact=True).click()
    expect(idle(page).get_by_text("This is the key Till.")).to_be_visible()
    press(page, "I have copied it")
    # Until the page is drawn without it, it is still there to be lost.
    expect(page.get_by_text("This is the key Till.")).to_have_count(0)
    knows_held(page, is_held=False)
    turn_to(page, "Agents")
    expect(question).to_have_count(0)


@pytest.mark.requirement("004-1804")
def test_a_save_pressed_twice_is_saved_and_no_conflict(visit, salon):
    page = visit("business")
    fill(page, "Address", "2 Elm Street")
    press_twice(page, "Save", salon)
    expect(page.get_by_test_id("stToast")).to_contain_text("Saved.")
    expect(main(page).locator(".st-key-conflict")).to_have_count(0)
    field = idle(page).get_by_label("Address", exact=True)
    field.fill("3 Elm Street")
    salon.loop.call_soon_threadsafe(time.sleep, SLOW_S)
    for _ in range(2):
        field.press("Enter")
    settled(page)
    expect(idle(page).get_by_label("Address", exact=True)).to_have_value("3 Elm Street")
    expect(main(page).locator(".st-key-conflict")).to_have_count(0)
    assert salon.within(salon.house.store.get(PATHS.within(SALON).business)).data["address"] == "3 Elm Street"
