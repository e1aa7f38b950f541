"""Taking a running call over on its page: who can be rung, what is said then, and who is shown nothing of it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from switchboard.contract.store import Update
from tests.admin_ui.conftest import labelled, labels, press, said
from tests.admin_ui.conversations.test_calls_page import opened_at
from tests.admin_ui.premises import PATHS, SALON, LiveServer
from tests.admin_ui.shell.test_pages import have_called
from tests.desk.front_desk import StoppedClock
from tests.desk.phone_network import AWAY, LOST, MemoryPhoneNetwork, document

RULES = [
    {
        "id": "front-desk",
        "action": "transfer",
        "label": "Front desk",
        "destination": "+15185550143",
        "hours": "always",
    },
    {"id": "night", "action": "transfer", "label": "Night line", "destination": "+15185550145", "hours": {}},
]


@pytest.fixture
def network(salon: LiveServer, monkeypatch: pytest.MonkeyPatch) -> MemoryPhoneNetwork:
    """A phone network that carries the salon's number, while a call goes on."""
    network = MemoryPhoneNetwork(StoppedClock())

    async def of(self: Any, business: Any) -> MemoryPhoneNetwork:
        return network

    monkeypatch.setattr(type(salon.house.phones), "of", of)
    have_called(salon, 1, callSid="CA" + "5" * 32, endedAt=None, outcome="answered")
    salon.put(Update(PATHS.within(SALON).business, document(RULES)))
    return network


@pytest.mark.requirement("004-873")
def test_a_running_call_is_taken_over_on_its_page(opened, network):
    """Whoever looks at it afterwards is told who has it."""
    app = opened_at(opened, "editor", call="call000")
    people = labelled(app, "radio", "Who is rung")
    assert people.options == ["Front desk", "Night line (not there now, by their hours)"]
    people.set_value("front-desk")
    app = press(app, "Ring")
    assert len(network.redirected) == 1
    assert "took this call over on" in said(app) and "Front desk was rung." in said(app)
    assert "Ring" not in labels(app)
    again = opened_at(opened, "viewer", call="call000")
    assert "editor@example.com took this call over" in said(again)


@pytest.mark.requirement("004-873")
def test_what_went_wrong_is_said_and_can_be_tried_again(opened, network):
    network.fail(AWAY)
    app = press(opened_at(opened, "owner", call="call000"), "Ring")
    assert "Nobody was rung; try again." in said(app)
    assert "Front desk was rung." in said(press(app, "Ring"))


@pytest.mark.requirement("004-873")
def test_where_nobody_knows_whether_somebody_is_rung_it_can_be_tried_again(opened, salon, network):
    """As the words say that are told then; before half a minute has passed, who looks is told who tries it."""
    network.fail(LOST)
    app = press(opened_at(opened, "owner", call="call000"), "Ring")
    assert "If the receptionist still answers in half a minute, try again" in said(app)
    app = opened_at(opened, "editor", call="call000")
    assert "Twilio has not said whether the caller was put through." in said(app) and "was rung" not in said(app)
    refusal = said(press(app, "Ring"))
    assert "has taken this call over already: Twilio was asked to ring Front desk. If the receptionist still" in refusal
    asked = {"at": datetime.now(UTC) - timedelta(minutes=1), "by": {}, "to": "Front desk", "state": "asked"}
    salon.put(Update(PATHS.within(SALON).document("interactions", "call000"), {"takenOver": asked}))
    app = press(opened_at(opened, "editor", call="call000"), "Ring")
    assert "editor@example.com took this call over" in said(app)


@pytest.mark.requirement("004-873")
def test_where_nobody_can_be_rung_the_page_says_what_is_missing(opened, salon, network):
    salon.put(Update(PATHS.within(SALON).business, document([])))
    app = opened_at(opened, "owner", call="call000")
    assert "Nobody can be rung: enter a rule" in said(app)
    assert "Ring" not in labels(app)


@pytest.mark.requirement("004-873")
@pytest.mark.parametrize(
    ("person", "fields"),
    [("viewer", {}), ("owner", {"endedAt": datetime.now(UTC)}), ("owner", {"channel": "portal"})],
)
def test_nobody_is_shown_what_they_cannot_do(opened, salon, network, person, fields):
    have_called(salon, 1, **{"callSid": "CA" + "5" * 32, "endedAt": None, **fields})
    app = opened_at(opened, person, call="call000")
    assert not app.radio and "Ring" not in labels(app)
