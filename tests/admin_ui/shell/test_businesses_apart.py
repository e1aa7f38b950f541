"""Whoever has two businesses: nothing that is typed or said for the one stands beside the other, in a browser."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect

from switchboard.contract.store import Set
from tests.admin_ui.browsing import choose, fill, go_to, idle, main, press, settled
from tests.admin_ui.premises import PATHS, PLUMBER, SALON, LiveServer

SALONS, PLUMBERS = "Maple Street Hair Studio", "Klempnerei Lindhorst"
SLOW_S = 60.0
# Before the pages say that no server answers, by which a form is gone as well.
GONE_WITHIN_MS = 12_000
REPLY = "Your message to the visitor"


@pytest.fixture
def chats(salon: LiveServer) -> Iterator[LiveServer]:
    """A chat in each business that goes on, and that a person has taken over."""
    now = datetime.now(UTC)
    for id in (SALON, PLUMBER):
        said = {"role": "caller", "text": f"Hello {id}", "turn": 1, "at": now, "channel": "portal"}
        person = {"by": "demo operator", "name": "Rosa", "at": now}
        record = {"startedAt": now, "sessionId": "chat", "channel": "portal", "outcome": "answered", "turns": 1}
        record |= {"endedAt": None, "transcript": [said], "answeringPerson": person}
        salon.put(Set(PATHS.within(id).document("interactions", f"chat-{id}"), record))
    yield salon
    for id in (SALON, PLUMBER):
        salon.empty(id, "interactions")


def go_two_back(page: Page, lands_at: str) -> None:
    """Go two places back at once, and leave what was typed."""
    idle(page)
    page.evaluate("() => history.go(-2)")
    page.get_by_role("dialog").get_by_role("button", name="Leave without saving").click()
    page.wait_for_url(f"**business={lands_at}**")
    expect(idle(page).get_by_text(PLUMBERS).first).to_be_visible()


@pytest.mark.requirement("004-1801")
def test_a_secret_typed_for_one_business_stands_in_no_field_of_another(visit):
    page = visit("own_tools")
    choose(page, "Business", PLUMBERS)
    go_to(page, "Secrets")
    page.wait_for_function("() => location.search.includes('Secrets')")
    choose(page, "Business", SALONS)
    go_to(page, "Secrets")
    page.wait_for_function("() => location.search.includes('Secrets')")
    fill(page, "Name", "crm_key")
    fill(page, "Value", "the salon's own")
    go_two_back(page, PLUMBER)
    for label in ("Name", "Value"):
        expect(idle(page).get_by_label(label, exact=True)).to_have_value("")


@pytest.mark.requirement("004-1801")
def test_a_reply_typed_for_one_businesss_chat_stands_beside_no_other_chat(visit, chats):
    page = visit("calls")
    choose(page, "Business", PLUMBERS)
    press(page, "Open")
    expect(page.get_by_label(REPLY)).to_be_visible()
    page.wait_for_function("() => location.search.includes('call=')")
    choose(page, "Business", SALONS)
    press(page, "Open")
    expect(idle(page).get_by_text(f"Hello {SALON}")).to_be_visible()
    page.wait_for_function("() => location.search.includes('call=')")
    fill(page, REPLY, "For the salon's visitor alone")
    go_two_back(page, PLUMBER)
    expect(idle(page).get_by_text(f"Hello {PLUMBER}")).to_be_visible()
    expect(page.get_by_label(REPLY)).to_have_value("")


@pytest.mark.requirement("004-1805")
def test_no_form_of_the_last_business_can_be_typed_into_while_the_next_one_is_loaded(visit, salon):
    page = visit("business")
    address = page.get_by_label("Address", exact=True)
    expect(address).to_be_visible()
    settled(page)
    field = page.get_by_test_id("stSidebar").get_by_role("combobox", name="Business")
    field.fill(PLUMBERS)
    option = page.get_by_role("option", name=PLUMBERS, exact=True)
    expect(option).to_be_visible()
    is_let_go = threading.Event()
    salon.loop.call_soon_threadsafe(is_let_go.wait, SLOW_S)
    try:
        option.click()
        expect(address).to_have_count(0, timeout=GONE_WITHIN_MS)
        expect(main(page).get_by_text(PLUMBERS, exact=True).first).to_be_visible()
    finally:
        is_let_go.set()
    expect(idle(page).get_by_label("Name", exact=True)).to_have_value(PLUMBERS)


@pytest.mark.requirement("004-1805")
def test_what_is_said_of_one_business_names_it(visit):
    page = visit("business")
    fill(page, "Address", "2 Elm Street")
    press(page, "Save")
    said = page.get_by_test_id("stToast")
    expect(said).to_contain_text(f"{SALONS}: Saved.")
    choose(page, "Business", PLUMBERS)
    expect(idle(page).get_by_label("Name", exact=True)).to_have_value(PLUMBERS)
    if said.count():
        expect(said.first).to_contain_text(SALONS)
