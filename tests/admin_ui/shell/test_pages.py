"""Overview, calls, knowledge, agents and changes, drawn from what a real server says."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from switchboard.contract.store import Set
from tests.admin_ui.conftest import field, labelled, labels, part, press, said
from tests.admin_ui.premises import PATHS, SALON, TOOLLESS, LiveServer, token


def have_called(live: LiveServer, count: int, days_ago: int = 0, **fields) -> None:
    """Leave a number of calls behind, a minute apart."""
    within, now = PATHS.within(SALON), datetime.now(UTC)
    live.put(
        *(
            Set(
                within.document("interactions", f"call{days_ago or ''}{n:03}"),
                {
                    "startedAt": now - timedelta(days=days_ago, minutes=n + 1),
                    "sessionId": f"session{n:03}",
                    "channel": "phone",
                    "outcome": "ended",
                    "durationSeconds": 65,
                    "callerPhone": "+15185550161",
                    "transcript": [{"role": "caller", "text": f"Hello number {n}", "turn": 1, "at": now}],
                    "tools": [{"name": "check_availability", "ok": n % 2 == 0, "elapsedMs": 120.0, "turn": 1}],
                }
                | fields,
            )
            for n in range(count)
        )
    )


def test_the_overview_counts_and_estimates(opened, salon):
    """Calls, length, tools and their failures, and a cost from what the owner pays."""
    have_called(salon, 4)
    app = opened("overview")
    metrics = {metric.label: metric.value for metric in app.metric}
    assert metrics["Conversations"] == "4"
    assert metrics["By phone"] == "4"
    assert metrics["Typical length"] == "1:05"
    assert metrics["That failed"] == "50.0 %"
    field(app, "number_input", "minute_price").set_value(1.0).run()
    assert next(m.value for m in app.metric if m.label == "About") == "4.33"


def test_the_overview_of_a_quiet_business_is_no_empty_plot(opened, salon):
    """It says that nobody has called, and still how the accounts are."""
    text = said(opened("overview"))
    assert "Nobody has called or written in the last 7 days." in text
    assert "Built-in calendar" in text


def test_the_overview_tells_what_needs_an_owner(opened, salon):
    """An account that refuses, and settings that cannot be used."""
    business = PATHS.within(SALON).business
    salon.put(Set(business, {"integrations": {"twilio": {"isConnected": True, "needsReauth": True}}}, merge=True))
    salon.put(Set(business, {"timezone": "Mars/Olympus"}, merge=True))
    text = said(opened("overview"))
    assert "Needs to be connected again" in text
    assert "Something in this business's settings cannot be used" in text


def plots(app) -> list[str]:
    """Return every plot on the page, as what it was told to draw."""
    return [json.dumps(json.loads(chart.proto.spec)) for chart in app.get("vega_lite_chart")]


def test_the_overview_plots_calls_tools_failures_latency_and_cost_per_day(opened, salon):
    """Each by the business's own days."""
    have_called(salon, 4)
    app = opened("overview")
    heads = [element.value for element in app.subheader]
    per_day = {"Conversations per day", "Tool calls per day", "How long tools took per day", "Cost per day, estimated"}
    assert per_day <= set(heads)
    drawn = [spec for spec in plots(app) if '"Day"' in spec]
    for what in ("Conversations", "Calls", "Milliseconds", "Cost"):
        assert sum(f'"field": "{what}"' in spec for spec in drawn) == 1
    assert any('"failed"' in spec for spec in drawn)


def test_the_overview_of_a_very_busy_day_says_what_its_tools_are_drawn_from(opened, salon):
    """All conversations are counted; what is read for it stays bounded, and nobody takes it for all."""
    have_called(salon, 160, startedAt=datetime.now(UTC))
    app = opened("overview")
    assert next(m.value for m in app.metric if m.label == "Conversations") == "160"
    assert "the tools of the latest ones only" in said(app)


def test_days_that_were_never_counted_are_counted_when_it_is_asked_for(opened, salon):
    """Until then they are left out, and it says so."""
    for ago in range(2, 5):
        have_called(salon, 120, ago)
    app = opened("overview")
    assert "not counted yet" in said(app)
    app = press(app, "Count them")
    assert "not counted yet" not in said(app)
    assert next(m.value for m in app.metric if m.label == "Conversations") == "360"


def test_calls_are_listed_page_by_page(opened, salon):
    """The newest first; older ones and back."""
    have_called(salon, 23)
    app = opened("calls")
    assert labels(app).count("Open") == 20
    press(app, "Older")
    assert labels(app).count("Open") == 3
    press(app, "Newer")
    assert labels(app).count("Open") == 20


def test_calls_are_filtered_and_searched(opened, salon):
    """By words that were said; what does not fit says so and what to do."""
    have_called(salon, 12)
    app = opened("calls")
    app.text_input(key="call_text").set_value("number 11").run()
    assert labels(app).count("Open") == 1
    assert "Hello number 11" in said(app)
    app.selectbox(key="call_channel").set_value("portal").run()
    assert "No call or chat fits this search." in said(app)


@pytest.mark.requirement("004-645")
def test_a_call_that_a_service_carried_is_found_by_its_callers_number(opened, salon):
    """There is no record of what was said; a refused call stands there with why, in any spelling of the number."""
    from admin_ui.shell.server import Server

    context = {"channel": "phone", "sessionId": "svc-1", "turn": 1, "callerPhone": "+15185550188"}
    Server(salon.url, salon.keys[SALON]).execute(SALON, "no_such_tool", {}, context)
    app = opened("calls")
    app.text_input(key="call_text").set_value("(518) 555-0188").run()
    assert "session svc-1" in said(app)
    assert "No call or chat fits this search." not in said(app)
    press(app, "Tools")
    press(app, "Why?")
    assert "It was refused because nobody offers it" in said(app)
    app.text_input(key="call_text").set_value("518-555-0177").run()
    assert "No call or chat fits this search." in said(app)


def test_without_calls_it_says_what_will_be_there(opened, salon):
    """Nothing is no error."""
    assert "Nobody has called or written in this time." in said(opened("calls"))


def call_tools(live: LiveServer) -> None:
    """Let a conversation call one tool that works, and one that is not offered there."""
    from admin_ui.shell.server import Server

    server = Server(live.url, live.keys[SALON])
    context = {"channel": "portal", "sessionId": "session000", "turn": 1}
    server.execute(SALON, "get_policies", {"topic": "cancellation"}, context)
    server.execute(SALON, "end_call", {}, context)


def test_a_call_tells_what_was_said_and_why_each_tool_ended_so(opened, salon):
    """Transcript, timeline with the server's own explanation, and the tools that were missing with the reason."""
    have_called(salon, 1, channel="portal")
    call_tools(salon)
    app = press(opened("calls"), "Open")
    assert app.chat_message[0].markdown[0].value == "Hello number 0"
    part(app, "Tools")
    assert "`get_policies`" in said(app)
    assert "Not here, or not yet" in str([badge.value for badge in app.markdown])
    app.button(key=next(b.key for b in app.button if b.label == "Why?")).click().run()
    assert "the model asked for get_policies in turn 1 of a portal chat" in said(app)
    part(app, "What was done")
    assert "Nothing was booked, sent or changed." in said(app)
    part(app, "Missing tools")
    assert "`end_call`" in said(app)
    assert "Only offered on phone." in said(app)
    press(app, "All calls")
    assert "Open" in labels(app)


@pytest.mark.parametrize("who", ["owner", "editor", "viewer"])
def test_which_tools_were_missing_is_told_to_everybody_who_is_signed_in(opened, salon, who):
    """With the reason on that call's channel alone."""
    have_called(salon, 1, channel="portal")
    app = press(opened("calls", {SALON: token(who)}), "Open")
    part(app, "Missing tools")
    text = said(app)
    assert "API key" not in text
    assert "`end_call`" in text
    assert "Portal chat: Only offered on phone." in text
    assert "`get_policies`" not in text
    assert "Phone:" not in text


def test_a_policy_is_added_changed_and_removed(opened, salon):
    """The list shows what is stored after each step."""
    app = press(opened("knowledge"), "Add a policy")
    labelled(app, "text_input", "Topic").set_value("dogs")
    labelled(app, "text_area", "What callers are told").set_value("Dogs are welcome.\nOn a lead.")
    press(app, "Save")
    app.text_input(key="find/policies").set_value("LEAD dogs").run()
    assert labels(app).count("Edit") == 1
    press(app, "Edit")
    labelled(app, "text_area", "What callers are told").set_value("No dogs.")
    press(app, "Save")
    app.text_input(key="find/policies").set_value("dogs").run()
    assert "No dogs." in said(app)
    press(app, "Edit")
    press(app, "Remove this policy")
    app.text_input(key="find/policies").set_value("dogs").run()
    assert "Nothing here has these words." in said(app)


def test_a_policy_that_cannot_be_kept_stays_in_its_form(opened, salon):
    """The server says what is missing."""
    app = press(opened("knowledge"), "Add a policy")
    labelled(app, "text_input", "Topic").set_value("dogs")
    press(app, "Save")
    assert "content must not be empty." in said(app).lower()
    assert labelled(app, "text_input", "Topic").value == "dogs"
    press(app, "Cancel")
    assert "Add a policy" in labels(app)


def test_a_policy_that_somebody_else_changed_is_not_overwritten_unseen(opened, salon):
    """Both versions, word for word."""
    first, second = (press(opened("knowledge", {SALON: token("partner")}), "Edit") for _ in range(2))
    for app, words in ((first, "First."), (second, "Second.")):
        labelled(app, "text_area", "What callers are told").set_value(words)
        press(app, "Save")
    assert "partner@example.com has changed this" in said(second)
    assert "First." in said(second)
    assert "Second." in said(second)
    press(second, "Keep what is saved now")
    assert "Second." not in said(second)


def test_a_question_has_an_answer_and_tags(opened, salon):
    """As the server keeps them."""
    app = press(part(opened("knowledge"), "Questions and answers"), "Add a question")
    labelled(app, "text_input", "Topic").set_value("dogs")
    labelled(app, "text_input", "Question").set_value("May I bring my dog?")
    labelled(app, "text_area", "What callers are told").set_value("Yes.")
    labelled(app, "text_input", "Tags (optional)").set_value("pets, dogs ,")
    press(app, "Save")
    # What is there of pets already is shown beside it.
    press(app, "Keep both")
    app.text_input(key="find/faqs").set_value("pets").run()
    assert "May I bring my dog?" in said(app)


def test_a_business_without_policies_is_told_what_callers_get(opened, live_server):
    """An empty list says what follows from it."""
    app = opened("knowledge", {TOOLLESS: live_server.keys[TOOLLESS]})
    assert "There is no policy yet." in said(app)


def test_the_search_can_be_tried_and_shows_how_well_texts_fit(opened, salon):
    """Titles, kinds and scores; what nothing fits says what a caller is then told."""
    app = part(opened("knowledge"), "Try the search")
    press(app, "Search")
    assert "Write a question first." in said(app)
    field(app, "text_input", "question").set_value("Where can I park my car?")
    press(app, "Search")
    assert "parking" in said(app).lower()
    assert "Fits by" in str(app.get("progress")[0].proto)


def test_an_agent_is_changed_added_and_removed(opened, salon):
    """Which tools and accounts it must not use is kept; the default one cannot be removed."""
    app = press(opened("agents"), "Edit")
    assert "Remove this agent" not in labels(app)
    labelled(app, "multiselect", "Tools it must not use").set_value(["send_sms"])
    labelled(app, "multiselect", "Accounts it must not use").set_value(["email"])
    press(app, "Save")
    press(app, "Save it all the same")
    assert "Does not use: send_sms, Email." in said(app)
    press(app, "Add an agent")
    labelled(app, "text_input", "Name").set_value("Night desk")
    labelled(app, "multiselect", "Answers on").set_value(["phone"])
    press(app, "Save")
    assert "Night desk" in said(app)
    app.button(key="edit/agent/night-desk").click().run()
    press(app, "Remove this agent")
    assert "Night desk" not in said(app)
    press(app, "Edit")
    labelled(app, "multiselect", "Tools it must not use").set_value([])
    labelled(app, "multiselect", "Accounts it must not use").set_value([])
    press(app, "Save")
    assert "May use every tool." in said(app)


def test_an_agent_without_a_name_is_refused_in_words(opened, salon):
    """The form stays."""
    app = press(opened("agents"), "Add an agent")
    press(app, "Save")
    assert "This must not be empty." in said(app)
    press(app, "Cancel")


@pytest.fixture
def changed(opened, salon):
    """The page of changes, after one."""
    app = press(opened("knowledge", {SALON: token("partner")}), "Edit")
    labelled(app, "text_area", "What callers are told").set_value("Never.")
    press(app, "Save")
    return app


def test_a_change_is_told_with_both_sides_and_undone(opened, changed):
    """Who, what, before and after; undone, it is marked and cannot be undone again."""
    app = opened("audit")
    text = said(app)
    assert "partner@example.com" in text
    assert "free of charge until 24 hours" in text
    assert "Never." in text
    press(app, "Undo")
    assert "Undid a change" in str([m.value for m in app.markdown])
    assert "Never." not in said(opened("knowledge"))
    assert labels(app).count("Undo") == 1


def test_what_was_changed_again_is_not_undone_unseen(opened, changed):
    """Both versions are shown, and giving way is the only choice."""
    app = opened("audit")
    press(changed, "Edit")
    labelled(changed, "text_area", "What callers are told").set_value("Always.")
    press(changed, "Save")
    press(app, "Undo")
    assert "has changed this since you opened it" in said(app)
    assert "Always." in said(app)
    assert "Save mine instead" not in labels(app)
    press(app, "Keep what is saved now")
    assert "Always." in said(opened("knowledge"))


def test_changes_of_one_kind_only(opened, changed):
    """The filter is the server's."""
    app = opened("audit")
    app.selectbox(key="audit_kind").set_value("business").run()
    assert "Nothing was changed yet." in said(app)


def test_two_who_change_one_agent_see_both_versions(opened, salon):
    """The second one chooses; nothing of theirs was saved before."""
    first, second = press(opened("agents"), "Edit"), press(opened("agents", {SALON: token("partner")}), "Edit")
    labelled(first, "text_area", "What it is for").set_value("Answers first.")
    labelled(second, "text_area", "What it is for").set_value("Answers last.")
    press(first, "Save")
    press(second, "Save")
    text = said(second)
    assert "has changed this since you opened it" in text
    assert "Answers first." in text and "Answers last." in text
    press(second, "Save mine instead")
    assert "Answers last." in said(opened("agents"))


@pytest.mark.requirement("000-351", "000-354")
def test_a_call_shows_what_was_heard_and_a_no_that_is_an_answer_as_one(opened, salon):
    """What came behind the interruption is told apart; a yes that is waited for is not red."""
    said_by_agent = {"role": "agent", "text": "At nine. We close at six.", "heard": "At nine.", "interrupted": True}
    transcript = [{"role": "caller", "text": "Wen?", "turn": 1, "confidence": 0.41}, said_by_agent | {"turn": 1}]
    tools = [
        {"name": "book_appointment", "ok": False, "error": "CONFIRMATION_REQUIRED", "refused": True, "turn": 1},
        {"name": "get_policies", "ok": False, "error": "TRANSIENT", "turn": 1},
    ]
    have_called(salon, 1, outcome="handed_over", endedAt=datetime.now(UTC), transcript=transcript, tools=tools)
    app = opened("calls")
    assert "Handed over to a person" in said(app)
    assert "1 failed" in said(app)
    app = press(app, "Open")
    text = said(app).replace("\\", "")
    spoken = [message.markdown[0].value.replace("\\", "") for message in app.chat_message]
    assert spoken == ["Wen?", "At nine."]
    assert "did not hear: We close at six." in text
    assert "41% sure" in text
    assert "gray-badge[:material/build: book_appointment" in text and "Asked for a yes" in text
    assert "red-badge[:material/build: get_policies" in text


@pytest.mark.requirement("000-350")
def test_how_conversations_ended_is_told_in_words(opened, salon):
    """Those that go on are told apart from those that were answered."""
    have_called(salon, 1, outcome="answered")
    have_called(salon, 1, days_ago=1, outcome="left", endedAt=datetime.now(UTC))
    # One that another service holds, of which nothing but its tools is known here.
    have_called(salon, 1, days_ago=2, outcome=None)
    text = said(opened("calls"))
    assert "Going on" in text and "Left without an answer" in text and "Not known" in text
