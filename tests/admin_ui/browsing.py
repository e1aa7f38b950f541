"""The pages as scripts/run starts them, in a real browser."""

import http.client
import itertools
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from playwright.sync_api import TimeoutError as NotInTime

from child_process import ChildProcess
from running import listening, run
from tests.admin_ui.premises import SALON

# Far beyond what a busy machine needs: where all is well, nobody waits for it.
READY_WITHIN_S = 300
PORTS_TRIED = 5
SLOW_MS = 120_000
BEGUN_WITHIN_MS = 10_000
LISTED_WITHIN_MS = 30_000
WIDTHS = (1280, 390)
# Resolves with the height of the page once nothing on it runs, opens, closes or loads any more, and says what still
# does where that takes too long. A frame in which all is still may only be a pause; so many in a row are none.
SETTLED_HEIGHT = """patience => new Promise((resolve, reject) => {
    const app = document.querySelector('[data-testid=stApp]');
    const main = document.querySelector('[data-testid=stMain]');
    const moves = () => app.getAnimations({subtree: true}).some(
        one => one.playState === 'running' && one.effect.getComputedTiming().endTime !== Infinity);
    const lacks = () => app.dataset.testScriptState !== 'notRunning' ? 'its script runs'
        : main.querySelector('[data-testid=stSkeleton], [data-stale=true]') ? 'something on it is still to come'
        : document.fonts.status !== 'loaded' ? 'fonts load'
        : moves() ? 'something moves' : '';
    const until = performance.now() + patience;
    let height = -1, frames = 0;
    const look = () => {
        const reason = lacks() || (main.scrollHeight !== height ? 'its height changes' : '');
        height = main.scrollHeight;
        frames = reason ? 0 : frames + 1;
        if (frames > 2) resolve(height);
        else if (performance.now() > until) reject(new Error(`the page does not come to rest: ${reason}`));
        else requestAnimationFrame(look);
    };
    look();
})"""
# Whether nothing on the page has been drawn anew for some moments: between two drawings that follow each other none is
# under way either. Each wait has a number, so that it knows nothing of the one before.
HAS_RESTED = """number => {
    const app = document.querySelector('[data-testid=stApp]');
    if (app?.dataset.testScriptState !== 'notRunning' || window.rest?.number !== number) {
        window.rest = {number, since: performance.now()};
    }
    return performance.now() - window.rest.since > 100;
}"""
# Whether a list says that something is chosen: in its field, or where there may be several, before it.
SHOWS_CHOSEN = """(field, option) => field.value === option
    || field.closest('[data-testid=stMultiSelect]')?.innerText.includes(option) || false"""
# Notes when the next drawing of the page begins.
WATCH_BEGINNING = """() => {
    window.hasBegun = false;
    const note = new MutationObserver(() => { window.hasBegun = true; note.disconnect(); });
    const app = document.querySelector('[data-testid=stApp]');
    note.observe(app, {attributes: true, attributeFilter: ['data-test-script-state']});
}"""
# A question that came up instead is an answer as well, and so is another document.
HAS_BEGUN = "() => window.hasBegun !== false || document.querySelector('dialog[open]') !== null"
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


_waits = itertools.count()


@contextmanager
def pages_started(url: str, keys: Mapping[str, str]) -> Iterator[str]:
    """Start the pages before a server, and yield their address."""
    with ExitStack() as stack:
        for _ in range(PORTS_TRIED):
            port = listening.require_free(0, "--admin-port")
            pages = run.start_admin_pages(port, url, keys)
            stack.callback(pages.stop)
            if _come_up(pages, port):
                break
        else:
            pytest.fail(f"the pages end: {pages.tail()}")
        yield f"http://127.0.0.1:{port}"


def window(browser: Browser, width: int = WIDTHS[0]) -> BrowserContext:
    """Return a window in which nobody has signed in."""
    expect.set_options(timeout=SLOW_MS)
    context = browser.new_context(viewport={"width": width, "height": 900})
    context.set_default_timeout(SLOW_MS)
    return context


class Visitor:
    """Somebody with one window, who opens pages about the salon in it.

    What a window has loaded once it keeps: in a new one all of Streamlit would be loaded, read and compiled anew.
    """

    def __init__(self, context: BrowserContext, url: str) -> None:
        self._context, self._url = context, url
        self._page: Page | None = None

    def __call__(self, path: str) -> Page:
        """Return a page that has come up, in the place of the last one."""
        if self._page is None:
            self._page = self._context.new_page()
        return opened(self._page, f"{self._url}/{path}?business={SALON}")

    def leave(self) -> None:
        """Close whatever is open; the window stays."""
        for page in self._context.pages:
            page.close()
        self._page = None


def opened(page: Page, url: str) -> Page:
    """Go somewhere, and return the page once it has come up."""
    page.goto(url)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    return page


def turn_to(page: Page, title: str) -> None:
    """Open another page by the menu, which a phone keeps folded away."""
    settled(page)
    unfold = page.get_by_test_id("stExpandSidebarButton")
    is_folded = unfold.is_visible()
    if is_folded:
        unfold.click()
    # Before its name stands that of its sign.
    page.get_by_role("link", name=re.compile(rf"\b{title}$")).click()
    expect(page.get_by_role("heading", level=1, name=title, exact=True)).to_be_visible()
    if is_folded:
        # It folds by itself, and what was chosen begins at its top.
        expect(unfold).to_be_visible()
        expect(page.get_by_role("heading", level=1, name=title, exact=True)).to_be_in_viewport()


def photograph_both(page: Page, path: Path) -> None:
    """Take a picture in a phone's and in a desk's width; nothing may be cut off in either."""
    photograph(page, path, tuple(reversed(WIDTHS)))


def photograph(page: Page, path: Path, widths: tuple[int, ...] = ()) -> None:
    """Take a picture of the whole page, which scrolls inside itself, and make sure that nothing on it is cut off.

    Args:
        page: What is to be seen.
        path: Where the picture is put; where there are several, the width is added to its name.
        widths: Of the windows in which it is looked at; without any, the one that it is in.
    """
    before = page.viewport_size
    assert before
    # A page behind another one is drawn once a second.
    page.bring_to_front()
    page.mouse.move(0, 0)
    clipped = {}
    for width in widths or (before["width"],):
        if width != page.viewport_size["width"]:
            page.set_viewport_size({"width": width, "height": before["height"]})
        page.set_viewport_size({"width": width, "height": settled(page)})
        settled(page)
        page.screenshot(path=path.with_stem(f"{path.stem}-{width}") if widths else path, animations="disabled")
        clipped[width] = page.evaluate(CLIPPED)
    page.set_viewport_size(before)
    # What is pressed while the page still takes its old shape back may land beside its button.
    settled(page)
    assert not any(clipped.values()), clipped


def settled(page: Page) -> int:
    """Return the height of the page once it has come to rest."""
    height: int = page.evaluate(SETTLED_HEIGHT, SLOW_MS)
    return height


def main(page: Page) -> Locator:
    """Return the page itself, without its menu."""
    return page.get_by_test_id("stMain")


def idle(page: Page) -> Locator:
    """Return the page itself once nothing on it is being drawn anew: what is pressed before may be lost."""
    page.wait_for_function(HAS_RESTED, arg=next(_waits), polling=25, timeout=SLOW_MS)
    return main(page)


def knows_held(page: Page, *, is_held: bool = True) -> None:
    """Wait until the page knows that it holds what would be lost, or no more: it is told so behind what it draws."""
    page.wait_for_function("is => window.unsavedWatch?.told.isDraft === is", arg=is_held, timeout=SLOW_MS)


@contextmanager
def answered(page: Page) -> Iterator[None]:
    """Do something by which the page is drawn anew, and go on once that has begun: before, it is idle as ever."""
    page.evaluate(WATCH_BEGINNING)
    yield
    # A drawing that begins and ends between two frames is not noted.
    with suppress(NotInTime):
        page.wait_for_function(HAS_BEGUN, timeout=BEGUN_WITHIN_MS)


def press(page: Page, label: str) -> None:
    """Press the first button of a label."""
    idle(page)
    with answered(page):
        button(page, label).first.click()


def button(page: Page, label: str) -> Locator:
    """Return the buttons of a label; what opens a list of choices is none."""
    kinds = [main(page).get_by_test_id(kind) for kind in ("stButton", "stFormSubmitButton")]
    return kinds[0].or_(kinds[1]).get_by_role("button", name=label, exact=True)


def go_to(page: Page, part: str) -> None:
    """Open a part of a page."""
    choice = idle(page).get_by_role("radio", name=part, exact=True)
    if not choice.is_checked():
        with answered(page):
            choice.click()
    expect(choice).to_be_checked()


def choose(page: Page, label: str, option: str) -> None:
    """Choose from a list, and return once the page has been drawn with what was chosen."""
    offered = page.get_by_role("option", name=option, exact=True)
    for is_last in (False, False, True):
        # What opens or is drawn anew closes the list.
        settled(page)
        field = page.get_by_role("combobox", name=label).first
        # A list that opens at the window's edge is closed by the scrolling that brings it into sight.
        field.evaluate("element => element.scrollIntoView({block: 'center'})")
        field.fill(option)
        try:
            expect(offered).to_be_visible(timeout=SLOW_MS if is_last else LISTED_WITHIN_MS)
            field.press("Enter")
            expect(offered).to_have_count(0)
            # A field that is left shows what is chosen, and no longer what was typed.
            field.blur()
            settled(page)
            assert field.evaluate(SHOWS_CHOSEN, option), f"{option} is not chosen"
            return
        except AssertionError:
            if is_last:
                raise
            # It was drawn anew just then: what was typed stands there, and the list is closed.
            field.press("Escape")


def fill(page: Page, label: str, text: str) -> None:
    """Fill in a field, and leave it."""
    field = idle(page).get_by_label(label, exact=True)
    field.fill(text)
    expect(field).to_have_value(text)
    field.blur()


def _come_up(pages: ChildProcess, port: int) -> bool:
    """Return once they answer; False where they have ended, because somebody else took the port that was free."""
    deadline = time.monotonic() + READY_WITHIN_S
    while not _is_healthy(port):
        if pages.guard.poll() is not None:
            return False
        assert time.monotonic() < deadline, pages.tail()
        time.sleep(0.05)
    return True


def _is_healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/_stcore/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
