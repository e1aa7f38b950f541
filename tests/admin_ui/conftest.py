"""A real server for the pages to talk to, and a page as somebody sees it who opens it."""

import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from admin_ui.conversations import conversation_view
from admin_ui.shell import server
from operations import seeding
from tests.admin_ui.premises import LiveServer, served
from tests.known_vectors import known_vectors  # noqa: F401
from tests.leisure import leisure  # noqa: F401
from tests.switch import Switch, switched

SLOW_S = 300


@pytest.fixture(scope="package", autouse=True)
def looked_up_once() -> Iterator[None]:
    """Keep what is the same in every test, and takes longer to find than most of them take.

    Each AppTest looks for Streamlit components among all installed packages, and whatever restores the demo businesses
    reads and checks all files of seeds/.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((manifest_scanner, "scan_component_manifests"), (seeding, "read_seeds")):
            patch.setattr(module, name, functools.cache(getattr(module, name)))
        yield


@pytest.fixture(scope="package", autouse=True)
def unhurried() -> Iterator[None]:
    """Let the server take longer than a page would wait for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "ANSWERS_WITHIN_S", float(SLOW_S))
        patch.setattr(conversation_view, "_TURN_S", float(SLOW_S))
        yield


@pytest.fixture(scope="session")
def live_server() -> Iterator[LiveServer]:
    """The server, with everything in memory."""
    with served({}) as live:
        yield live


@pytest.fixture(scope="session")
def platform_server() -> Iterator[tuple[str, Switch]]:
    """Where Identity Platform is to be found, and the switch that leads to the stand-in of a test."""
    with switched() as found:
        yield found


@pytest.fixture
def salon(live_server: LiveServer) -> LiveServer:
    """The server, with the salon as it was seeded."""
    live_server.restore()
    return live_server


@pytest.fixture
def pages_for(monkeypatch: pytest.MonkeyPatch, live_server: LiveServer) -> Callable[..., None]:
    """Point the pages at the live server with the given keys, all of its own by default."""

    def point(keys: dict[str, str] | None = None, url: str | None = None) -> None:
        monkeypatch.setenv("SWITCHBOARD_URL", url or live_server.url)
        monkeypatch.setenv("SWITCHBOARD_API_KEYS", json.dumps(live_server.keys if keys is None else keys))

    return point


def _script(path: str) -> None:
    from admin_ui.shell import frame

    frame.draw(path)


@pytest.fixture
def opened(pages_for: Callable[..., None]) -> Callable[..., AppTest]:
    """Open a page by its path, with the given keys, as a link of this query does; what is on it is there at once."""

    def open_page(path: str, keys: dict[str, str] | None = None, url: str | None = None, **query: str) -> AppTest:
        pages_for(keys, url)
        app = AppTest.from_function(_script, args=(path,), default_timeout=SLOW_S)
        for name, value in query.items():
            app.query_params[name] = value
        app.run()
        assert not app.exception
        return app

    return open_page


def said(app: AppTest) -> str:
    """Every text on the page, without the signs that keep it from being taken for Markdown."""
    kinds = (app.markdown, app.caption, app.error, app.info, app.warning, app.success, app.subheader, app.title)
    return "\n".join(element.value for kind in kinds for element in kind).replace("\\", "")


def press(app: AppTest, label: str) -> AppTest:
    """Press the first button of a label."""
    button = next((button for button in app.button if button.label == label), None)
    assert button is not None, [button.label for button in app.button]
    app = button.click().run()
    assert not app.exception
    return app


def part(app: AppTest, name: str) -> AppTest:
    """Go to a part of the page, or of what is open on it."""
    app.get("segmented_control")[0].set_value(name).run()
    assert not app.exception
    return app


def labelled(app: AppTest, kind: str, label: str) -> Any:
    """Return the first field of a label."""
    return next(one for one in getattr(app, kind) if one.label == label)


def labels(app: AppTest) -> list[str]:
    """Return the labels of all buttons that can be pressed."""
    return [button.label for button in app.button if not button.disabled]


def field(app: AppTest, kind: str, name: str) -> Any:
    """Return the field of a name, whatever business, record and place the rest of its key says."""
    return next(one for one in getattr(app, kind) if (one.key or "").startswith(f"{name}/"))
