"""The page of own tools as tests go about it: opened at a part or a kind, filled in, and what the server then has."""

from typing import Any

from streamlit.testing.v1 import AppTest

from admin_ui.shell.server import Server
from switchboard.contract.store import Delete, Query
from tests.admin_ui.conftest import labelled, press
from tests.admin_ui.premises import SALON, LiveServer


def server(live: LiveServer) -> Server:
    """Return the server, as the salon's owner."""
    return Server(live.url, live.keys[SALON])


def without_own_tools(live: LiveServer) -> LiveServer:
    """Take the salon's own tools away, and its own records, which a tool could look in."""
    live.empty(SALON, "tools", "agentTools", "secrets")
    records = live.within(live.house.store.query(Query("items", group=True)))
    live.put(*(Delete(record.path) for record in records))
    live.house.catalog.forget(SALON)
    return live


def own(live: LiveServer) -> list[dict[str, Any]]:
    """Return the salon's own tools."""
    found: list[dict[str, Any]] = server(live).get(f"/api/{SALON}/tools").body["tools"]
    return found


def made(live: LiveServer, **config: Any) -> dict[str, Any]:
    """Make a tool over the API."""
    found: dict[str, Any] = server(live).send("POST", f"/api/{SALON}/tools", config).body["tool"]
    return found


def begin(app: AppTest, kind: str, label: str) -> AppTest:
    """Open the form for a new tool of a kind, and say what it is called."""
    press(app, "Add a tool")
    choice = next(one for one in app.get("button_group") or app.get("pills") if one.key == "new_kind")
    choice.set_value(kind).run()
    assert not app.exception
    return fill(app, "text_input", "What you call it", label)


def open_tool(app: AppTest, tool: dict[str, Any]) -> AppTest:
    """Open a tool of the list."""
    app.button(key=f"open/{tool['id']}").click().run()
    assert not app.exception
    return app


def fill(app: AppTest, kind: str, label: str, value: Any) -> AppTest:
    """Fill in the first field of a label."""
    labelled(app, kind, label).set_value(value).run()
    assert not app.exception
    return app


def errors(app: AppTest) -> list[str]:
    """Return what is told as wrong, in the order of the page, without the signs of Markdown."""
    return [error.value.replace("\\", "") for error in app.error]
