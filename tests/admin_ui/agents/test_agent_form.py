"""The one form for an agent: all that it is, each mistake where it was made, and nothing typed is lost."""

import pytest

from admin_ui.shell.server import Server
from switchboard.contract.store import Update
from switchboard.state.paths import FirestorePaths
from tests.admin_ui.conftest import labelled, labels, press, said
from tests.admin_ui.premises import SALON, LiveServer, token

AGENTS = f"/admin/businesses/{SALON}/agents"


@pytest.fixture
def ada(salon: LiveServer) -> Server:
    """The salon with one agent, Ada, as its owner reaches it."""
    salon.empty(SALON, "agents", "audit")
    server = Server(salon.url, salon.keys[SALON])
    server.send("POST", AGENTS, {"name": "Ada", "fillers": ["One moment."]})
    return server


def field(app, kind: str, name: str):
    return next(one for one in getattr(app, kind) if str(one.key).endswith(f"/{name}"))


def editing(opened, person: str = "owner"):
    app = opened("agents", {SALON: token(person)})
    app.button(key="edit/agent/ada").click().run()
    assert not app.exception
    return app


def stored(server: Server):
    return server.get(f"{AGENTS}/ada").body


@pytest.mark.requirement("004-860")
def test_all_that_an_agent_is_is_changed_in_one_form(opened, ada):
    """Its name and language, instructions, model, voice, words for waits, tools and limits, in one save."""
    app = editing(opened)
    field(app, "text_input", "name").set_value("Ada Berg")
    field(app, "text_input", "language").set_value("de")
    field(app, "text_area", "prompt").set_value("Frag nach dem Hund.")
    field(app, "text_input", "voice").set_value("Polly.Vicki-Neural")
    field(app, "text_area", "fillers").set_value("Moment.\n\n Ich schaue nach. \n")
    field(app, "multiselect", "channels").set_value(["phone"])
    field(app, "text_input", "limits/phone/lookUpsPerTurn").set_value("1")
    press(app, "Save")
    assert "Save" not in labels(app)
    agent = stored(ada)
    assert (agent["name"], agent["language"], agent["prompt"]) == ("Ada Berg", "de", "Frag nach dem Hund.")
    assert (agent["voice"], agent["fillers"]) == ("Polly.Vicki-Neural", ["Moment.", "Ich schaue nach."])
    assert (agent["channels"], agent["limits"]) == (["phone"], {"phone": {"lookUpsPerTurn": 1}})


@pytest.mark.requirement("004-860")
def test_only_the_models_of_the_house_can_be_chosen_and_one_that_is_gone_is_shown(opened, ada, salon):
    app = editing(opened)
    assert labelled(app, "selectbox", "Model").options == ["The house's: rehearsal"]
    salon.put(Update(FirestorePaths().within(SALON).document("agents", "ada"), {"model": "openai:gone"}))
    app = editing(opened)
    assert labelled(app, "selectbox", "Model").value == "openai:gone"


@pytest.mark.requirement("004-861")
def test_each_mistake_stands_at_its_field_with_the_nearest_right_one_and_what_was_typed_stays(opened, ada):
    app = editing(opened)
    field(app, "text_input", "voice").set_value("Poly.Vicki-Neural")
    field(app, "text_input", "limits/phone/lookUpsPerTurn").set_value("many")
    field(app, "text_area", "prompt").set_value("Sag du.")
    press(app, "Save")
    errors = [error.value.replace("\\", "") for error in app.error]
    assert any("Did you mean Polly.Vicki-Neural?" in error for error in errors)
    assert any("whole number" in error for error in errors), errors
    assert any("What is wrong stands where it was entered." in error and "\n- " not in error for error in errors)
    limit = field(app, "text_input", "limits/phone/lookUpsPerTurn")
    assert (field(app, "text_input", "voice").value, limit.value) == ("Poly.Vicki-Neural", "many")
    assert field(app, "text_area", "prompt").value == "Sag du."
    field(app, "text_input", "voice").set_value("Polly.Vicki-Neural")
    limit.set_value("2")
    press(app, "Save")
    assert (stored(ada)["voice"], stored(ada)["prompt"]) == ("Polly.Vicki-Neural", "Sag du.")


@pytest.mark.requirement("004-862")
def test_two_editors_see_both_versions_and_the_later_one_goes_on_with_what_they_typed(opened, ada):
    """Over what the other has saved: of that, only what both have changed is changed again."""
    first, second = editing(opened, "owner"), editing(opened, "partner")
    field(first, "text_area", "prompt").set_value("Ask for the dog.")
    field(first, "text_input", "voice").set_value("Polly.Amy")
    press(first, "Save")
    field(second, "text_area", "prompt").set_value("Ask for the cat.")
    field(second, "text_area", "about").set_value("Answers at night.")
    press(second, "Save")
    text = said(second)
    assert "has changed this since you opened it" in text
    assert "Ask for the dog." in text and "Ask for the cat." in text
    assert stored(ada)["prompt"] == "Ask for the dog."
    press(second, "Go on with what you typed")
    assert field(second, "text_area", "prompt").value == "Ask for the cat."
    assert field(second, "text_area", "about").value == "Answers at night."
    assert field(second, "text_input", "voice").value == "Polly.Amy"
    press(second, "Save")
    agent = stored(ada)
    assert (agent["prompt"], agent["description"], agent["voice"]) == (
        *("Ask for the cat.", "Answers at night.", "Polly.Amy"),
    )


@pytest.mark.requirement("004-862")
def test_what_was_typed_stays_while_it_is_asked_whether_callers_may_lose_tools(opened, ada):
    app = editing(opened)
    field(app, "multiselect", "tools").set_value(["send_sms"])
    field(app, "text_area", "prompt").set_value("Sag du.")
    press(app, "Save")
    assert "not saved yet: callers would lose tools by it" in said(app)
    press(app, "No, go back")
    assert field(app, "text_area", "prompt").value == "Sag du."
    assert field(app, "multiselect", "tools").value == ["send_sms"]
    assert stored(ada)["prompt"] == ""


def test_what_was_typed_for_one_agent_is_not_drawn_for_another(opened, ada):
    ada.send("POST", AGENTS, {"name": "Bob"})
    app = editing(opened)
    field(app, "text_input", "voice").set_value("Poly.Vicki")
    press(app, "Save")
    app.button(key="edit/agent/bob").click().run()
    assert field(app, "text_input", "voice").value == ""
    press(app, "Cancel")
    app.button(key="edit/agent/ada").click().run()
    assert field(app, "text_input", "voice").value == ""
    assert not app.error


def test_a_form_that_was_not_touched_saves_nothing(opened, ada):
    before = stored(ada)["revision"]
    app = press(editing(opened), "Save")
    assert "There is nothing to save" in said(app)
    assert stored(ada)["revision"] == before


def test_whoever_only_looks_has_no_form(opened, ada):
    app = opened("agents", {SALON: token("viewer")})
    assert "Edit" not in labels(app)
