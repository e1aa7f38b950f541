"""Every page as somebody meets it who sees little, whose system is dark, or whose machine has no way outside."""

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from admin_ui.shell.page_list import PAGES
from tests.admin_ui.browsing import SLOW_MS, WIDTHS, pages_started, settled
from tests.admin_ui.premises import SALON, LiveServer, token

# The pages look for their server beside the page's own address first.
_LOOKED_FOR = re.compile(r"/_stcore/(?:health|host-config)$")
_DARK, _LIGHT = "dark", "light"


@pytest.fixture(scope="module")
def pages_url(live_server: LiveServer) -> Iterator[str]:
    """The pages, for whoever may see all of them."""
    with pages_started(live_server.url, {SALON: token("platform")}) as url:
        yield url


def _window(browser: Browser, scheme: str, width: int) -> BrowserContext:
    expect.set_options(timeout=SLOW_MS)
    context = browser.new_context(viewport={"width": width, "height": 2000}, color_scheme=scheme)
    context.set_default_timeout(SLOW_MS)
    return context


def barriers(page: Page) -> list[str]:
    """Return what axe calls serious or critical of what is shown."""
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['html'][:120]} ({node['failureSummary'][:200]})"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def brightness(page: Page) -> float:
    """Return how bright the ground of the page is, of 255."""
    colour = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    parts = [float(part) for part in re.findall(r"[\d.]+", colour)[:3]]
    return sum(parts) / len(parts)


@pytest.mark.requirement("004-744")
@pytest.mark.parametrize(("scheme", "width"), [(_LIGHT, WIDTHS[0]), (_DARK, WIDTHS[1])])
def test_every_page_can_be_read_by_everybody_and_asks_no_other_machine(
    browser: Browser, pages_url, salon, scheme, width
):
    """Nothing serious that axe finds, in light and in dark as the system says, and no error in the browser."""
    context = _window(browser, scheme, width)
    asked, errors = set[str](), list[str]()
    page = context.new_page()
    page.on("request", lambda request: asked.add(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("response", lambda answer: answer.status >= 400 and errors.append(answer.url))
    found = dict[str, list[str]]()
    for each in PAGES:
        page.goto(f"{pages_url}/{each.path}?business={SALON}")
        expect(page.get_by_role("heading", level=1, name=each.title, exact=True)).to_be_visible()
        settled(page)
        assert (brightness(page) < 128) is (scheme == _DARK)
        if hindering := barriers(page):
            found[each.path] = hindering
    context.close()
    assert not found
    assert not [error for error in errors if not _LOOKED_FOR.search(error)]
    assert {url for url in asked if not url.startswith((pages_url, "data:", "blob:"))} == set()


@pytest.mark.requirement("004-744")
@pytest.mark.parametrize("scheme", [_LIGHT, _DARK])
@pytest.mark.parametrize("path", ["portal", "browser_voice"])
def test_the_pages_of_callers_can_be_read_by_everybody(browser: Browser, live_server, salon, path, scheme):
    """The chat and the voice page, on a phone, before anything was said."""
    context = _window(browser, scheme, WIDTHS[1])
    page = context.new_page()
    page.goto(f"{live_server.url}/{path}/?business={SALON}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    hindering = barriers(page)
    context.close()
    assert not hindering
