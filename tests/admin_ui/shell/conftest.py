"""What tests of the pages' frame share: the pages in a browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.admin_ui.browsing import Visitor, pages_started, window
from tests.admin_ui.premises import LiveServer


@pytest.fixture(scope="module")
def pages_url(live_server: LiveServer) -> Iterator[str]:
    """The pages as scripts/run starts them."""
    with pages_started(live_server.url, live_server.keys) as url:
        yield url


@pytest.fixture
def visit(browser: Browser, pages_url: str, salon: LiveServer) -> Iterator[Visitor]:
    """Open a page about the salon, as it was seeded."""
    context = window(browser)
    yield Visitor(context, pages_url)
    context.close()
