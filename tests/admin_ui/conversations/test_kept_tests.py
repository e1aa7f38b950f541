"""A call is made a test on its page, in an owner's words."""

from datetime import UTC, datetime, timedelta

import pytest

from switchboard.app.evaluation.rehearsals import Rehearsals
from switchboard.contract.store import Set
from tests.admin.evals.playing_as import PlayedAs, minimal
from tests.admin_ui.conftest import labelled, labels, press, said
from tests.admin_ui.premises import PATHS, SALON, LiveServer, token

MAKE = "Make this call a test"


def _has_written(live: LiveServer, **more: object) -> None:
    now = datetime.now(UTC)
    rows = [
        {"role": role, "text": text, "turn": 1, "at": now, "channel": "portal"}
        for role, text in (("caller", "Hi, my name is Ana Ruiz."), ("agent", "Hello! What can I do for you?"))
    ]
    record = {
        "startedAt": now - timedelta(minutes=1),
        "sessionId": "chat1",
        "channel": "portal",
        "channels": ["portal"],
        "outcome": "ended",
        "durationSeconds": 65,
        "transcript": rows,
        "tools": [],
    }
    live.put(Set(PATHS.within(SALON).document("interactions", "chat1"), record | more))


@pytest.mark.requirement("004-704")
def test_a_call_is_made_a_test_edited_and_removed(opened, salon):
    """What is wrong is told in place; what is kept stands in the list of tests."""
    salon.empty(SALON, "evals")
    _has_written(salon)
    app = press(press(opened("calls"), "Open"), MAKE)
    assert "Everybody in it is made up" in said(app)
    text = app.text_area[0].value
    assert "Ruiz" not in text and "agent: recorded" in text
    labelled(app, "text_area", "The test").set_value(f"{text}wishes: none\n")
    press(app, "Keep this test")
    assert "there is no such field" in said(app)
    labelled(app, "text_area", "The test").set_value(text)
    press(app, "Keep this test")
    assert [toast.value for toast in app.toast] == ["**Maple Street Hair Studio:** The test is kept."]
    app = press(press(opened("calls"), "Tests made of calls"), "Open")
    labelled(app, "text_area", "The test").set_value(text.replace("about: ", "about: Hello, and "))
    press(app, "Save")
    assert "Hello, and " in said(app)
    press(press(app, "Open"), "Remove this test")
    assert "No call was made a test yet." in said(app)


@pytest.mark.requirement("004-704")
def test_a_call_that_cannot_be_held_again_says_why(opened, salon):
    """And stays open."""
    _has_written(salon, channels=["phone", "portal"])
    app = press(press(opened("calls"), "Open"), MAKE)
    assert "It was held on the phone and in writing" in said(app)
    assert app.chat_message[0].markdown[0].value


@pytest.mark.requirement("004-704")
def test_who_may_not_edit_tools_is_offered_no_test(opened, salon):
    """A viewer reads calls, and the tests that are kept."""
    _has_written(salon)
    app = press(opened("calls", {SALON: token("viewer")}), "Open")
    assert MAKE not in labels(app)


@pytest.mark.requirement("004-783")
def test_kept_tests_are_run_from_their_list_and_a_red_one_says_what_went_wrong(opened, salon, monkeypatch):
    """One, or all; with when, and where no outcome is known yet, that."""
    salon.empty(SALON, "evals")
    for name in ("greets", "says-bye"):
        salon.put(Set(PATHS.within(SALON).document("evals", name), {"text": minimal(SALON, name)}))
    playing = PlayedAs(lambda test, _: "nobody is greeted" if test.document.id == "greets" else "")
    monkeypatch.setattr(Rehearsals, "play", playing.play)
    app = press(opened("calls"), "Tests made of calls")
    assert said(app).count("not run yet") == 2
    press(app, "Run now")
    assert [toast.value for toast in app.toast] == ["**Maple Street Hair Studio:** Played."]
    text = said(app)
    assert "**greets** :red-badge[:material/close: red]" in text
    assert "Nobody is greeted" in text and "It was said: It is done." in text and "It was called: look: done" in text
    assert text.count("not run yet") == 1 and "Last run " in text
    press(app, "Run all now")
    assert "**says-bye** :green-badge[:material/check: green]" in said(app)
    assert [names for _, names in playing.sets] == [[f"{SALON}/greets"], [f"{SALON}/greets", f"{SALON}/says-bye"]]
    viewer = press(opened("calls", {SALON: token("viewer")}), "Tests made of calls")
    assert "Nobody is greeted" in said(viewer) and not {"Run now", "Run all now"} & set(labels(viewer))
    salon.empty(SALON, "evals")
