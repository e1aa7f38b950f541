"""A call's page with its values and its times, and the list of calls as a file."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from admin_ui.shell.server import Server
from switchboard.contract.store import Set
from tests.admin_ui.browsing import SLOW_MS, WIDTHS, pages_started, settled
from tests.admin_ui.conftest import part, press, said
from tests.admin_ui.premises import PATHS, SALON, LiveServer, token
from tests.admin_ui.shell.test_accessibility import barriers
from tests.admin_ui.shell.test_pages import have_called
from tests.open_days import next_tuesday

CALL, SESSION = "1.2.c1", "timed000"
STEPS = [
    {"kind": "listening", "startMs": -900.0, "ms": 900.0},
    {"kind": "store", "startMs": 1.0, "ms": 12.0, "name": "commit"},
    {"kind": "model", "startMs": 14.0, "ms": 410.0, "firstMs": 260.0},
    {"kind": "tool", "startMs": 425.0, "ms": 80.0, "name": "check_availability", "callId": CALL},
    {"kind": "model", "startMs": 510.0, "ms": 600.0, "firstMs": 240.0},
    {"kind": "speech", "startMs": 750.0, "ms": 360.0},
]


@pytest.fixture
def called(salon: LiveServer) -> LiveServer:
    """The salon after a call in which a tool was used, and whose steps were measured."""
    times = {"turn": 1, "channel": "phone", "at": datetime.now(UTC), "steps": STEPS}
    have_called(salon, 1, times=[times], sessionId=SESSION)
    context = {"channel": "phone", "sessionId": SESSION, "turn": 1, "callId": CALL}
    arguments = {"date": str(next_tuesday()), "service": "Haircut", "with_person": "Rosa"}
    Server(salon.url, salon.keys[SALON]).execute(SALON, "check_availability", arguments, context)
    return salon


def opened_at(opened: Any, person: str, **query: str) -> Any:
    """Return the page of the call, as a link leads to it."""
    return opened("calls", {SALON: token(person)}, **query)


@pytest.mark.requirement("004-810", "004-813")
@pytest.mark.parametrize(("person", "name"), [("owner", "Rosa"), ("viewer", "•••")])
def test_a_link_to_a_call_of_a_tool_opens_it_with_its_values(opened, called, person, name):
    """What may be personal is masked for a viewer, with the reason; what names nobody is not."""
    app = opened_at(opened, person, call="call000", why=CALL)
    assert f'"with_person": "{name}"' in app.code[0].value
    assert '"service": "Haircut"' in app.code[0].value
    assert ("which your role is not shown" in said(app)) is (person == "viewer")
    values = next(one for one in app.get("segmented_control") if one.label == "Values")
    assert list(values.options) == ["What it was given", "What it gave back", "What the model was sent"]
    values.set_value(values.options[1]).run()
    assert '"timezone"' in app.code[0].value
    values = next(one for one in app.get("segmented_control") if one.label == "Values")
    values.set_value(values.options[2]).run()
    assert '"ok": true' in app.code[0].value


@pytest.mark.requirement("004-813")
def test_a_turns_steps_are_told_with_bars_words_and_links(opened, called):
    """Each by what it was, how long it took and when it began."""
    app = opened_at(opened, "owner", call="call000")
    part(app, "Time")
    bars = next(html.proto.body for html in app.get("html") if "steps" in html.proto.body)
    assert "Listening" in bars and "900 ms · 900 ms before" in bars
    assert "410 ms · from 14 ms · first word after 260 ms" in bars
    assert f"calls?business={SALON}&amp;call=call000&amp;why={CALL}" in bars
    assert "2.0 s in all" in said(app).replace("\\", "")


@pytest.mark.requirement("004-814")
def test_the_list_is_saved_as_a_file_by_the_same_filters(opened, called):
    """As many lines as the list has; another filter wants another file."""
    have_called(called, 3)
    app = opened("calls")
    press(app, "Make a file")
    assert [button.label for button in app.get("download_button")] == ["Save the file (3 lines)"]
    app.selectbox(key="call_channel").set_value("portal").run()
    assert not app.get("download_button")


@pytest.mark.requirement("004-817")
def test_what_goes_on_is_shown_as_it_goes_on(opened, salon):
    """A call that runs, its turns and tools, and that it has ended; each redraw goes on where the last one was."""
    path = PATHS.within(SALON).document("interactions", "running")

    def heard(**fields):
        salon.put(Set(path, {"heardAt": datetime.now(UTC), **fields}, merge=True))

    app = opened("calls")
    app.toggle(key="call_live").set_value(True).run()
    assert "Nobody is calling or writing just now." in said(app)
    began = {"channel": "phone", "sessionId": "s9", "startedAt": datetime.now(UTC), "endedAt": None, "turns": 1}
    heard(**began, callerPhone="+15185550161")
    assert "+15185550161" in said(app.run()) and "turn 1" in said(app)
    call = {"callId": "c", "name": "get_policies", "turn": 2, "at": datetime.now(UTC), "ok": True, "elapsedMs": 5.0}
    heard(tools=[call])
    assert "get_policies" in said(app.run()) and "turn 2" in said(app)
    heard(endedAt=datetime.now(UTC), outcome="answered")
    text = said(app.run())
    assert "Nobody is calling or writing just now." in text
    assert "ended: " in text


@pytest.mark.requirement("004-817")
def test_a_call_that_silence_has_ended_goes_on_no_more_while_others_do(opened, salon):
    """Nothing is heard of it when it ends, and of others there is by then."""
    began = datetime.now(UTC) - timedelta(minutes=12)
    within, channel = PATHS.within(SALON), {"channel": "phone", "turns": 1, "endedAt": None}
    silent = within.document("interactions", "silent")
    salon.put(Set(silent, {"sessionId": "s1", "startedAt": began, "heardAt": began, **channel}))
    app = opened("calls")
    app.toggle(key="call_live").set_value(True).run()
    assert "Nobody is calling or writing just now." not in said(app)
    now = datetime.now(UTC)
    other = within.document("interactions", "other")
    salon.put(Set(other, {"sessionId": "s2", "startedAt": now, "heardAt": now, **channel}))
    app.run()
    ended = {"endedAt": began, "silenceNotedAt": datetime.now(UTC), "outcome": "answered"}
    salon.put(Set(silent, ended, merge=True))
    assert "ended: " in said(app.run())
    assert "Nobody is calling or writing just now." not in said(app)


@pytest.mark.requirement("004-813")
@pytest.mark.parametrize("width", WIDTHS)
def test_a_calls_page_can_be_read_by_everybody(browser: Browser, called, width):
    """Bars and values: nothing serious that axe finds, and the link of a bar leads to its call."""
    with pages_started(called.url, {SALON: token("owner")}) as url:
        context = browser.new_context(viewport={"width": width, "height": 1600})
        context.set_default_timeout(SLOW_MS)
        page: Page = context.new_page()
        page.goto(f"{url}/calls?business={SALON}&call=call000")
        page.get_by_text("Time", exact=True).click()
        expect(page.get_by_role("link", name="Tool: check_availability")).to_be_visible(timeout=SLOW_MS)
        # What the mouse rests on is coloured for as long as it does.
        page.mouse.move(0, 0)
        settled(page)
        assert barriers(page) == []
        page.get_by_role("link", name="Tool: check_availability").click()
        expect(page.get_by_text("What it was given", exact=True)).to_be_visible(timeout=SLOW_MS)
        page.mouse.move(0, 0)
        settled(page)
        assert barriers(page) == []
        context.close()
