"""A template is pushed on a page: looked at for each business first, then carried out for those that are ticked."""

from collections.abc import Iterator
from typing import Any

import pytest

from admin_ui.shell.server import Server, Unreachable
from tests.admin_ui.conftest import labelled, press, said
from tests.admin_ui.premises import SALON, LiveServer, token

pytestmark = pytest.mark.requirement("004-850")
PATTERN, *IDS = ("oak-hair", "elm-hair", "fir-hair")


@pytest.fixture(autouse=True)
def taken_away(live_server: LiveServer) -> Iterator[None]:
    """Leave the businesses that there were."""
    yield
    for id in (PATTERN, *IDS):
        live_server.without(id)


@pytest.fixture
def platform(salon: LiveServer) -> Server:
    """Whoever runs all businesses, with three more that were made of the salon's template."""
    server = Server(salon.url, token("platform"))
    for name in ("Oak Hair", "Elm Hair", "Fir Hair"):
        server.send("POST", "/admin/businesses", {"template": "salon-en", "name": name})
    return server


def services(server: Server, id: str) -> dict[str, dict[str, Any]]:
    """Return what a business offers, by name."""
    return {row["name"]: row for row in server.get(f"/admin/businesses/{id}").body["business"]["services"]}


def cut_costs(server: Server, id: str, price: str) -> None:
    """Have a haircut cost something else at a business."""
    shown = server.get(f"/admin/businesses/{id}")
    rows = [{**row, "price": price} if row["name"] == "Haircut" else row for row in shown.body["business"]["services"]]
    server.send("PATCH", f"/admin/businesses/{id}", {"services": rows}, shown.revision)


def looked_at(app: Any, *ids: str) -> Any:
    """Choose this business's services, and some businesses, and look at what would change."""
    labelled(app, "selectbox", "What is pushed").set_value(f"/admin/businesses/{PATTERN}/push")
    labelled(app, "pills", "Parts").set_value(["services"])
    labelled(app, "radio", "To which businesses").set_value("Those that I choose").run()
    labelled(app, "pills", "Businesses").set_value(list(ids)).run()
    return press(app, "Look at what would change")


def test_what_would_change_is_looked_at_and_then_done(opened, platform):
    """An owner's own price stays where nobody takes the template's."""
    cut_costs(platform, PATTERN, "$61")
    cut_costs(platform, IDS[1], "$99")
    app = looked_at(opened("push", {PATTERN: token("platform")}), *IDS)
    assert {"Elm Hair", "Fir Hair"} <= {expander.label.partition(":")[0] for expander in app.expander}
    assert "Services / Haircut / Price" in said(app) and "$61" in said(app)
    assert services(platform, IDS[0])["Haircut"]["price"] == "$45"
    press(
        app, "Push to 1 business" if "Push to 1 business" in [b.label for b in app.button] else "Push to 2 businesses"
    )
    assert services(platform, IDS[0])["Haircut"]["price"] == "$61"
    assert services(platform, IDS[1])["Haircut"]["price"] == "$99"
    assert "were changed" in said(app)


def test_a_value_of_its_own_is_taken_once_it_is_ticked(opened, platform):
    """And the business is pushed to by that."""
    cut_costs(platform, PATTERN, "$61")
    cut_costs(platform, IDS[1], "$99")
    app = looked_at(opened("push", {PATTERN: token("platform")}), IDS[1])
    next(box for box in app.checkbox if "services[Haircut].price" in box.key).check().run()
    press(app, "Push to 1 business")
    assert services(platform, IDS[1])["Haircut"]["price"] == "$61"


def test_where_no_answer_comes_nobody_is_said_to_be_as_they_were(opened, platform, monkeypatch):
    """They may be changed all the same; who pushes once more is told so, and nothing is done twice."""
    cut_costs(platform, PATTERN, "$61")
    app = looked_at(opened("push", {PATTERN: token("platform")}), *IDS)
    send = Server.send

    def lost(self: Server, method: str, path: str, body: Any = None, *given: Any, **more: Any) -> Any:
        answer = send(self, method, path, body, *given, **more)
        if path.endswith("/push"):
            raise Unreachable("timed out")
        return answer

    monkeypatch.setattr(Server, "send", lost)
    app = press(app, "Push to 2 businesses")
    assert "The server does not answer." in said(app) and "may be all the same. Push once more" in said(app)
    assert {services(platform, id)["Haircut"]["price"] for id in IDS} == {"$61"}
    monkeypatch.setattr(Server, "send", send)
    app = press(app, "Push to 2 businesses")
    assert all("nothing to change" in one.label for one in app.expander)
    assert "may be all the same" not in said(app)


def test_nothing_to_choose_from_is_said(opened, platform):
    """No part, no business, and a template that nobody was made of."""
    app = opened("push", {SALON: token("platform")})
    labelled(app, "selectbox", "What is pushed").set_value("/admin/templates/garage-de/push").run()
    assert "No business was made of it" in said(press(app, "Look at what would change"))
    labelled(app, "pills", "Parts").set_value([]).run()
    assert "Choose one part at least." in said(press(app, "Look at what would change"))


def test_the_page_is_in_nobody_elses_menu(opened, salon):
    """An owner who opens its address is told that it takes somebody else."""
    app = opened("push", {SALON: token("owner")})
    assert not any(button.label == "Look at what would change" for button in app.button)
