"""A second policy on a topic is a question on the page: in its place, beside it, or back to the form."""

import pytest

from switchboard.contract.store import Query
from tests.admin_ui.conftest import labelled, labels, press, said
from tests.admin_ui.premises import PATHS, SALON, LiveServer


@pytest.fixture
def rules(salon: LiveServer):
    """The salon without policies."""
    salon.empty(SALON, "policies")
    yield salon
    salon.empty(SALON, "policies")
    salon.restore()


def policies(live: LiveServer) -> list[str]:
    found = live.within(live.house.store.query(Query(PATHS.within(SALON).collection("policies"))))
    return sorted(str(document.data["content"]) for document in found)


def add(app, content: str):
    press(app, "Add a policy")
    labelled(app, "text_input", "Topic").set_value("cancellation")
    labelled(app, "text_area", "What callers are told").set_value(content)
    return press(app, "Save")


@pytest.mark.requirement("004-735")
def test_a_second_policy_on_a_topic_is_a_question(opened, rules):
    """What was typed is there again for whoever goes back, and nothing is saved before it is answered."""
    app = add(opened("knowledge"), "Cancel 24 hours before.")
    add(app, "Cancel 48 hours before.")
    text = said(app)
    assert "Callers are told something on this already." in text
    assert "Contradicting hours: 24 there, 48 in yours." in text
    assert policies(rules) == ["Cancel 24 hours before."]
    press(app, "Back to the form")
    assert labelled(app, "text_area", "What callers are told").value == "Cancel 48 hours before."
    press(app, "Save")
    press(app, "Put mine in its place")
    assert policies(rules) == ["Cancel 48 hours before."]
    add(app, "Cancel 72 hours before.")
    press(app, "Keep both")
    assert policies(rules) == ["Cancel 48 hours before.", "Cancel 72 hours before."]
    assert "Keep both" not in labels(app)
