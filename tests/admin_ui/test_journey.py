"""One owner's way through the admin pages, in a real browser and against a real server."""

import http.client
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

import listening
import running
from tests.admin_ui.conftest import LiveServer

READY_WITHIN_S = 60
SLOW_MS = 20_000
WIDTHS = (1280, 390)
# The height of the page once nothing opens, closes or loads any more: unchanged for half a second of frames.
SETTLED_HEIGHT = """() => new Promise(resolve => {
    const main = document.querySelector('[data-testid=stMain]');
    let height = -1, frames = 0;
    const look = () => {
        frames = main.scrollHeight === height ? frames + 1 : 0;
        height = main.scrollHeight;
        frames < 30 ? requestAnimationFrame(look) : resolve(height);
    };
    look();
})"""


@pytest.fixture(scope="module")
def pages_url(live_server: LiveServer) -> Iterator[str]:
    """The admin pages as scripts/run starts them."""
    port = listening.require_free(0, "--admin-port")
    pages = running.start_admin_pages(port, live_server.url, live_server.keys)
    try:
        deadline = time.monotonic() + READY_WITHIN_S
        while not _is_healthy(port):
            assert time.monotonic() < deadline, pages.tail()
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        pages.stop()


def _is_healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/_stcore/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@pytest.fixture(params=WIDTHS)
def browser_page(request: pytest.FixtureRequest, chromium: str, pages_url: str) -> Iterator[Page]:
    """The page in a window of a desk's or a phone's width."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": request.param, "height": 900})
        page.set_default_timeout(SLOW_MS)
        expect.set_options(timeout=SLOW_MS)
        page.goto(pages_url)
        yield page
        browser.close()


def photograph(page: Page, path: Path) -> None:
    """Take a picture of the whole page, which scrolls inside itself."""
    width = page.viewport_size["width"] if page.viewport_size else 0
    page.mouse.move(0, 0)
    page.set_viewport_size({"width": width, "height": page.evaluate(SETTLED_HEIGHT)})
    page.screenshot(path=path, animations="disabled")


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label).first.click()
    page.get_by_role("option", name=option, exact=True).click()


def test_an_owner_looks_around_and_tries_a_tool(browser_page, tmp_path):
    """Sees what is offered, why end_call is not on the portal, asks for free times, and provokes a failure."""
    page = browser_page
    expect(page.get_by_text("Local mode: everyone who can reach this page may use it.")).to_be_visible()
    expect(page.get_by_role("heading", name=re.compile(r"Offered \(\d+\)"), exact=True).first).to_be_visible()
    expect(page.get_by_text("source: firestore")).to_be_visible()
    expect(page.get_by_role("button", name="Run it")).to_be_visible()
    photograph(page, tmp_path / "offered.png")

    page.get_by_role("radio", name="Portal chat").click()
    expect(page.get_by_text("Only offered on phone.").first).to_be_visible()

    choose(page, "Tool", "get_policies")
    topic = page.get_by_label("topic (optional)", exact=True)
    topic.fill("cancellation")
    page.get_by_role("button", name="Run it").click()
    expect(page.get_by_text(re.compile(r"check_circle\s*ok"))).to_be_visible()
    page.get_by_text("The whole answer as JSON").click()
    expect(page.get_by_text('"catalogVersion"')).to_be_visible()
    photograph(page, tmp_path / "answered.png")

    choose(page, "Tool", "check_availability")
    expect(page.get_by_role("textbox", name="service (optional)")).to_be_visible()
    page.get_by_role("button", name="Run it").click()
    expect(page.get_by_text("failed: VALIDATION")).to_be_visible()
    expect(page.get_by_text("Nothing was changed.")).to_be_visible()
    photograph(page, tmp_path / "failed.png")
    too_wide = "document.querySelector('[data-testid=stMain]').scrollWidth > window.innerWidth"
    assert not page.evaluate(too_wide)


def test_a_page_of_another_name_cannot_drive_it(pages_url):
    """A name that somebody makes resolve to this machine is refused, so that no foreign page runs tools here."""
    host, port = pages_url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=10)
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    key = {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    connection.request("GET", "/_stcore/stream", headers={**upgrade, **key, "Host": f"evil.example:{port}"})
    assert connection.getresponse().status == 403
    connection.close()
