"""Every tool with where it is offered and why not elsewhere; opened, edited as a draft, published, and brought back."""

import pytest
from streamlit.testing.v1 import AppTest

from admin_ui.shell.server import Server
from switchboard.app.evaluation.rehearsals import Rehearsals
from switchboard.contract.store import Set
from tests.admin.evals.playing_as import PlayedAs, minimal
from tests.admin_ui.conftest import labels, press, said
from tests.admin_ui.premises import PATHS, SALON, TOOLLESS, LiveServer, token

PLATFORM = {SALON: token("platform")}


def show(app: AppTest, key: str, part: str) -> AppTest:
    app.get("segmented_control")[[c.key for c in app.get("segmented_control")].index(key)].set_value(part).run()
    assert not app.exception
    return app


def open_tool(app: AppTest, name: str) -> AppTest:
    app.text_input(key="find_tool").set_value(name).run()
    app.button(key=f"open/{name}").click().run()
    assert not app.exception
    return app


@pytest.fixture
def as_seeded(salon: LiveServer):
    """The server, and afterwards the built-in words of what a test edits."""
    yield salon
    server = Server(salon.url, token("platform"))
    for name in ("get_policies", "search_knowledge"):
        path = f"/admin/definitions/{name}"
        server.send("POST", f"{path}/reset", {}, server.get(path).revision)
        if server.get(path).body["draft"]:
            server.send("DELETE", f"{path}/draft", {}, server.get(path).revision)


def test_it_shows_what_is_offered(opened):
    """Names, what they do, and the descriptions in the business's own words."""
    text = said(opened("tools"))
    for words in ("`check_availability`", ":orange-badge[acts]", "Maple Street Hair Studio", "check: Portal chat"):
        assert words in text
    assert "{{" not in text
    assert "Source: **firestore** (as published)" in text


def test_it_tells_why_a_tool_is_not_offered(opened):
    """Each tool that is missing somewhere stands there with a plain reason."""
    app = opened("tools")
    assert "Portal chat, Browser voice: Only offered on phone." in said(app)
    app.selectbox(key="business").set_value("demo-plumber").run()
    assert "Nowhere: No calendar is connected." in said(app)


def test_without_tools_it_says_so(opened, live_server):
    """A business that has everything switched off gets reasons."""
    app = opened("tools", {TOOLLESS: live_server.keys[TOOLLESS]})
    assert "No tool is offered here; below it says why." in said(app)
    assert "The business has not enabled this tool." in said(app)


def test_the_list_can_be_narrowed_down(opened):
    """By words, and by whether a tool is offered; what does not fit says so."""
    app = opened("tools")
    app.text_input(key="find_tool").set_value("book_appointment").run()
    assert labels(app)[0] == "Open"
    assert next(b.key for b in app.button if b.label == "Open") == "open/book_appointment"
    show(app, "show_tools", "Not offered")
    assert "No tool fits this." in said(app)


def use(app, is_wanted):
    """Switch the tool that is open on or off for the business."""
    app.toggle[0].set_value(is_wanted).run()
    assert not app.exception
    return app


def in_use(live):
    server = Server(live.url, live.keys[SALON])
    return server.get(f"/admin/businesses/{SALON}").body["business"].get("enabledTools")


def test_an_owner_takes_a_tool_away_from_the_own_business_and_undoes_that(opened, salon):
    """It is told what that means for tools that are added later; the others stay, and Changes brings it back."""
    keys = {SALON: token("owner")}
    app = open_tool(opened("tools", keys), "get_policies")
    assert "uses every built-in tool, and those that are added later" in said(app)
    use(app, False)
    kept = in_use(salon)
    assert "get_policies" not in kept
    assert {"book_appointment", "get_faqs"} <= set(kept)
    app = opened("tools", keys)
    assert f"uses **{len(kept)} built-in tools**" in said(app)
    assert "Nowhere: The business has not enabled this tool." in said(app)
    press(opened("audit", keys), "Undo")
    assert in_use(salon) is None


def test_a_tool_is_given_back_and_all_of_them_are(opened, salon):
    """One by one, or the list of those in use goes altogether."""
    app = open_tool(opened("tools"), "get_policies")
    use(app, False)
    use(app, True)
    kept = in_use(salon)
    assert kept[-1] == "get_policies"
    press(opened("tools"), "Use all tools again")
    assert in_use(salon) is None


def test_two_who_switch_tools_see_both_versions(opened, salon):
    """What the first took away is not given back by the second without knowing."""
    first, second = (open_tool(opened("tools"), name) for name in ("get_policies", "search_knowledge"))
    use(first, False)
    use(second, False)
    assert "has changed this since you opened it" in said(second)
    assert "get_policies" not in in_use(salon)
    press(second, "Keep what is saved now")
    assert "search_knowledge" in in_use(salon)


def test_whoever_only_looks_cannot_take_a_tool_away(opened, salon):
    """The switch stands there, and takes nothing."""
    app = open_tool(opened("tools", {SALON: token("viewer")}), "get_policies")
    assert app.toggle[0].disabled


def test_an_owner_sees_words_and_previews_but_cannot_change_what_all_share(opened):
    """It is told who can; no field takes anything."""
    app = open_tool(opened("tools"), "get_policies")
    assert "only a platform admin can change them" in said(app)
    assert app.text_area[0].disabled
    assert not {"Save draft", "Switch it off for everybody"} & set(labels(app))
    show(app, "tool_part", "What models see")
    assert "Maple Street Hair Studio" in said(app)
    app.selectbox(key="preview_dialect").set_value("anthropic").run()
    assert '"input_schema"' in app.code[0].value


def test_a_definition_is_checked_while_it_is_typed(opened, as_seeded):
    """What cannot be saved says why and keeps the button off; what can shows what differs."""
    app = open_tool(opened("tools", PLATFORM), "get_policies")
    assert "Save draft" not in labels(app)
    app.text_area[0].set_value("").run()
    assert app.error
    assert "Save draft" not in labels(app)
    app.text_area[0].set_value("Get the house rules of {{business.name}} on one topic.").run()
    assert not app.error
    assert "Save draft" in labels(app)
    assert "Get the house rules" in said(app)


@pytest.mark.requirement("004-20")
def test_a_draft_is_published_after_its_changes_were_seen_and_brought_back(opened, as_seeded):
    """The report comes first and must be acknowledged; the history leads back to the built-in words."""
    app = open_tool(opened("tools", PLATFORM), "get_policies")
    app.text_area[0].set_value("Get the house rules of {{business.name}} on one topic.").run()
    press(app, "Save draft")
    assert "This is a draft, saved by platform" in said(app)
    show(app, "tool_part", "Publish")
    assert "The draft was held against the latest calls" in said(app)
    assert "Publish to every business" not in labels(app)
    app.checkbox[0].check().run()
    press(app, "Publish to every business")
    assert "There is no draft." in said(app)
    show(app, "tool_part", "History")
    assert "**Published** :green-badge[now]" in said(app)
    press(app, "Compare")
    press(app, "Bring this back")
    press(app, "Yes, bring it back")
    assert "differs from the built-in one" not in said(app)


def test_a_draft_can_be_tried_by_some_businesses_first(opened, as_seeded):
    """They are named, and it can be taken back from them with one click."""
    app = open_tool(opened("tools", PLATFORM), "get_policies")
    app.text_area[0].set_value("Get the house rules of {{business.name}} on one topic.").run()
    press(app, "Save draft")
    show(app, "tool_part", "Publish")
    app.checkbox[0].check().run()
    app.multiselect[0].set_value([SALON]).run()
    press(app, "Let them try it")
    text = said(app)
    assert "being tried] by **demo-salon**" in text
    assert "going on]" in text and "| Calls of it | 0 | 0 |" in text and "New words: No call yet." in text
    press(app, "Take it back from them")
    text = said(app)
    assert "being tried" not in text
    assert "ended]" in text and "canary ended" in text


@pytest.mark.requirement("004-784")
def test_a_draft_that_turns_kept_tests_red_is_published_by_who_ticks_each(opened, as_seeded, monkeypatch):
    """What went wrong stands beside each box; for a trial only the tests of those who try it do."""
    for name in ("greets", "says-bye"):
        as_seeded.put(Set(PATHS.within(SALON).document("evals", name), {"text": minimal(SALON, name)}))
    playing = PlayedAs(lambda test, definitions: f"{test.document.id} is not so")
    monkeypatch.setattr(Rehearsals, "play", playing.play)
    app = open_tool(opened("tools", PLATFORM), "get_policies")
    app.text_area[0].set_value("Get the house rules of {{business.name}} on one topic.").run()
    press(app, "Save draft")
    show(app, "tool_part", "Publish")
    app.checkbox[0].check().run()
    press(app, "Publish to every business")
    text = said(app)
    assert "calls that were made tests do not come to the same with this draft" in text
    assert "Greets is not so" in text and "It was called: look: done" in text and "It was red before as well." in text
    boxes = [box for box in app.checkbox if "is red" in box.label]
    assert [box.label.replace("\\", "") for box in boxes] == [
        f"Publish although **{name}** of **{SALON}** is red" for name in ("greets", "says-bye")
    ]
    boxes[0].check().run()
    press(app, "Publish to every business")
    assert "There is no draft." not in said(app)
    next(box for box in app.checkbox if "bye" in box.label).check().run()
    press(app, "Publish to every business")
    assert "There is no draft." in said(app)
    as_seeded.empty(SALON, "evals")
    app = opened("audit", PLATFORM)
    app.selectbox(key="audit_kind").set_value("definitions").run()
    assert f":red[Red tests were accepted:] {SALON}/greets, {SALON}/says-bye" in said(app)
    assert "Tests of businesses that were played first: 2" in said(app)


def test_two_who_edit_one_tool_see_both_versions(opened, as_seeded):
    """The second is told whose draft is there, and what differs."""
    first, second = (open_tool(opened("tools", PLATFORM), "get_policies") for _ in range(2))
    for app, words in ((first, "Get one rule."), (second, "Get the house rules.")):
        app.text_area[0].set_value(words).run()
    press(first, "Save draft")
    press(second, "Save draft")
    text = said(second)
    assert "has changed this since you opened it" in text
    assert "Get one rule." in text
    assert "Get the house rules." in text
    press(second, "Save mine instead")
    assert "has changed this" not in said(second)
    assert second.text_area[0].value == "Get the house rules."


def test_a_tool_is_switched_off_for_everybody_only_after_a_question(opened, as_seeded):
    """No leaves it; yes takes it away at once, and it can be switched on again."""
    app = open_tool(opened("tools", PLATFORM), "search_knowledge")
    press(app, "Switch it off for everybody")
    press(app, "No, leave it")
    press(app, "Switch it off for everybody")
    assert f"{SALON} would lose search_knowledge on phone" in said(app)
    press(app, "Yes, switch it off")
    assert "switched off for everybody" in said(app)
    press(app, "Switch it on again")
    assert "switched off for everybody" not in said(app)
