"""A version of an agent on trial, on its page: begun from its form, told with both sides, stopped and adopted."""

import pytest

from admin_ui.shell.server import Server
from switchboard.contract.store import Set
from switchboard.state.paths import FirestorePaths
from tests.admin_ui.conftest import labels, press, said
from tests.admin_ui.premises import SALON, LiveServer, token

AGENTS = f"/admin/businesses/{SALON}/agents"
WITHIN = FirestorePaths().within(SALON)


@pytest.fixture
def ada(salon: LiveServer) -> Server:
    """The salon with one agent, Ada, as its owner reaches it."""
    salon.empty(SALON, "agents", "agentTrials", "audit")
    server = Server(salon.url, salon.keys[SALON])
    server.send("POST", AGENTS, {"name": "Ada", "prompt": "Be brief."})
    return server


def field(app, kind: str, name: str):
    return next(one for one in getattr(app, kind) if str(one.key).endswith(f"/{name}"))


def begin(server: Server, share: int = 25):
    revision = server.get(f"{AGENTS}/ada").body["trialRevision"]
    body = {"share": share, "changes": {"prompt": "Ask for the dog."}}
    return server.send("PUT", f"{AGENTS}/ada/trial", body, revision).body["trial"]


def editing(opened):
    app = opened("agents", {SALON: token("owner")})
    app.button(key="edit/agent/ada").click().run()
    assert not app.exception
    return app


@pytest.mark.requirement("004-863")
def test_what_stands_in_the_form_is_tried_with_a_share_of_the_callers_and_adopted(opened, ada):
    app = editing(opened)
    field(app, "text_area", "prompt").set_value("Ask for the dog.")
    field(app, "slider", "share").set_value(25)
    press(app, "Try it first")
    text = said(app)
    assert "On trial: 25 of 100 conversations" in text and '"Be brief." → "Ask for the dog."' in text
    agent = ada.get(f"{AGENTS}/ada").body
    assert (agent["prompt"], agent["trial"]["share"]) == ("Be brief.", 25)
    press(app, "Adopt it for all")
    agent = ada.get(f"{AGENTS}/ada").body
    assert (agent["prompt"], agent["trial"]) == ("Ask for the dog.", None)
    assert "On trial" not in said(app)


@pytest.mark.requirement("004-863")
def test_the_share_of_a_trial_is_changed_while_it_goes_on(opened, ada):
    """It is the same trial, with the same words; pressed without a change it is said so."""
    trial = begin(ada)
    app = opened("agents", {SALON: token("owner")})
    press(app, "Change the share")
    assert "It is so many already." in said(app)
    next(one for one in app.number_input if "share/ada" in str(one.key)).set_value(60)
    press(app, "Change the share")
    agent = ada.get(f"{AGENTS}/ada").body
    assert (agent["trial"]["share"], agent["trial"]["fields"], agent["prompt"]) == (60, trial["fields"], "Be brief.")
    assert "On trial: 60 of 100 conversations" in said(app)


@pytest.mark.requirement("004-863")
def test_a_trial_is_stopped_with_one_press(opened, ada):
    begin(ada)
    app = press(opened("agents"), "Stop the trial")
    assert ada.get(f"{AGENTS}/ada").body["trial"] is None
    app.toggle(key="trials/ada").set_value(True).run()
    assert "stopped" in said(app)


@pytest.mark.requirement("004-864")
def test_both_sides_of_a_trial_are_told_and_a_conversation_says_which_version_answered(opened, ada, salon):
    since = begin(ada)["since"]
    for side, turns in (("new", 4), ("old", 2)):
        mark = f"@{SALON}/ada:{since}:{side}"
        # After its beginning, which is named by the millisecond.
        record = {"channel": "portal", "turns": turns, "agentVersions": [mark], "outcome": "answered"}
        began = salon.house.clock.now()
        ends = {"startedAt": began, "endedAt": began, "durationSeconds": 5, "updatedAt": began}
        salon.put(Set(WITHIN.document("interactions", f"i-{side}"), record | ends))
    app = opened("agents")
    app.toggle(key="trials/ada").set_value(True).run()
    text = said(app)
    assert "| Conversations | 1 | 1 |" in text and "| Turns | 4 | 2 |" in text and "No call yet." in text
    told = ada.get(f"/admin/businesses/{SALON}/interactions/i-new").body
    assert told["agentVersions"] == [{"agentId": "ada", "since": since, "side": "new"}]


@pytest.mark.requirement("004-861")
def test_what_is_the_same_for_all_callers_is_not_tried_and_that_is_said_in_the_form(opened, ada):
    app = editing(opened)
    field(app, "text_input", "name").set_value("Eve")
    field(app, "text_area", "prompt").set_value("Ask for the dog.")
    press(app, "Try it first")
    assert "This is the same for all callers: Name." in said(app)
    assert field(app, "text_area", "prompt").value == "Ask for the dog."
    assert ada.get(f"{AGENTS}/ada").body["trial"] is None


def test_a_save_beside_a_trial_is_refused_in_words_and_what_was_typed_stays(opened, ada):
    begin(ada)
    app = editing(opened)
    field(app, "text_area", "prompt").set_value("Be long.")
    press(app, "Save")
    assert "Adopt it or stop its trial" in said(app)
    assert field(app, "text_area", "prompt").value == "Be long."


def test_whoever_only_looks_sees_a_trial_and_decides_nothing(opened, ada):
    begin(ada)
    app = opened("agents", {SALON: token("viewer")})
    assert "On trial: 25 of 100 conversations" in said(app)
    assert not {"Stop the trial", "Adopt it for all"} & set(labels(app))


@pytest.mark.requirement("004-865")
def test_a_trial_is_one_of_the_changes_that_reach_the_callers_and_says_how_it_is_ended(opened, ada):
    begin(ada)
    [change] = [one["own"] for one in ada.get(f"/admin/businesses/{SALON}/changes").body["changes"][:1]]
    assert (change["kind"], change["deed"], change["document"]) == ("agentTrial", "created", "ada")
    assert not change["isUndoable"] and "Stop it, or adopt its version" in change["whyNotUndoable"]
    labels_of_changes = [one.label.replace("\\", "") for one in opened("audit").expander]
    assert "Ada: Since, Share, Instructions" in labels_of_changes
