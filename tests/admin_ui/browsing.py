"""The pages as scripts/run starts them, in a real browser."""

import http.client
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

import listening
import running
from tests.admin_ui.premises import SALON

READY_WITHIN_S = 60
SLOW_MS = 20_000
# What the server has to do for a page may take that long on a busy machine.
DRAWN_WITHIN_MS = 60_000
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
# What is wider than its place, of all that people read or press; a scroller inside the page is none of it.
CLIPPED = """() => {
    const main = document.querySelector('[data-testid=stMain]');
    const found = main.scrollWidth > window.innerWidth ? ['the page'] : [];
    for (const e of main.querySelectorAll('button, p, h1, h2, h3, [data-testid=stMetricValue] div')) {
        const style = getComputedStyle(e);
        const cut = e.scrollWidth > e.clientWidth + 2 && style.overflowX !== 'visible' && e.clientWidth > 0;
        if (cut || e.getBoundingClientRect().right > window.innerWidth + 1) found.push(e.innerText.slice(0, 60));
    }
    return found;
}"""


@contextmanager
def pages_started(url: str, keys: Mapping[str, str]) -> Iterator[str]:
    """Start the pages before a server, and yield their address."""
    port = listening.require_free(0, "--admin-port")
    pages = running.start_admin_pages(port, url, keys)
    try:
        deadline = time.monotonic() + READY_WITHIN_S
        while not _is_healthy(port):
            assert time.monotonic() < deadline, pages.tail()
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        pages.stop()


def window(browser: Browser, width: int = WIDTHS[0]) -> BrowserContext:
    """Return a window in which nobody has signed in."""
    expect.set_options(timeout=SLOW_MS)
    context = browser.new_context(viewport={"width": width, "height": 900})
    context.set_default_timeout(SLOW_MS)
    return context


def visited(context: BrowserContext, url: str, path: str) -> Page:
    """Return a page about the salon that has come up."""
    page = context.new_page()
    page.goto(f"{url}/{path}?business={SALON}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    return page


def photograph_both(page: Page, path: Path) -> None:
    """Take a picture in a desk's and in a phone's width; nothing may be cut off in either."""
    before = page.viewport_size
    assert before
    for width in reversed(WIDTHS):
        page.set_viewport_size({"width": width, "height": before["height"]})
        photograph(page, path.with_stem(f"{path.stem}-{width}"))


def photograph(page: Page, path: Path) -> None:
    """Take a picture of the whole page, which scrolls inside itself, and make sure that nothing on it is cut off."""
    before = page.viewport_size
    assert before
    # A page behind another one is drawn once a second.
    page.bring_to_front()
    page.mouse.move(0, 0)
    page.set_viewport_size({"width": before["width"], "height": page.evaluate(SETTLED_HEIGHT)})
    page.screenshot(path=path, animations="disabled")
    clipped = page.evaluate(CLIPPED)
    page.set_viewport_size(before)
    # What is pressed while the page still takes its old shape back may land beside its button.
    page.evaluate(SETTLED_HEIGHT)
    assert not clipped, clipped


def main(page: Page) -> Locator:
    """Return the page itself, without its menu."""
    return page.get_by_test_id("stMain")


def idle(page: Page) -> Locator:
    """Return the page itself once nothing on it is being drawn anew: what is pressed before may be lost."""
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=DRAWN_WITHIN_MS)
    return main(page)


def press(page: Page, label: str) -> None:
    """Press the first button of a label."""
    idle(page)
    button(page, label).first.click()


def button(page: Page, label: str) -> Locator:
    """Return the buttons of a label; what opens a list of choices is none."""
    kinds = [main(page).get_by_test_id(kind) for kind in ("stButton", "stFormSubmitButton")]
    return kinds[0].or_(kinds[1]).get_by_role("button", name=label, exact=True)


def go_to(page: Page, part: str) -> None:
    """Open a part of a page."""
    choice = idle(page).get_by_role("radio", name=part, exact=True)
    choice.click()
    expect(choice).to_be_checked()


def choose(page: Page, label: str, option: str) -> None:
    """Choose from a list."""
    # What opens or is drawn anew closes the list.
    page.evaluate(SETTLED_HEIGHT)
    idle(page)
    field = page.get_by_role("combobox", name=label).first
    field.fill(option)
    expect(page.get_by_role("option", name=option, exact=True)).to_be_visible()
    field.press("Enter")


def fill(page: Page, label: str, text: str) -> None:
    """Fill in a field, and leave it."""
    field = main(page).get_by_label(label, exact=True)
    field.fill(text)
    expect(field).to_have_value(text)
    field.blur()


def _is_healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/_stcore/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
