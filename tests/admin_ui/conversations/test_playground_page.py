"""Calling a tool as any channel would, a conversation, what would be offered otherwise, and what is wrong."""

from datetime import time, timedelta

import pytest

from admin_ui.health import all_health
from admin_ui.shell.server import Refused, Server
from switchboard.contract.store import Update
from tests.admin_ui.conftest import field, labels, part, press, said
from tests.admin_ui.premises import PATHS, PLUMBER, SALON, TOOLLESS, token
from tests.open_days import next_tuesday


def argument(app, kind, name):
    """Return the field of an argument of the tool that is tried."""
    return next(
        one for one in getattr(app, kind) if (one.key or "").startswith("try/") and one.key.endswith(f"/{name}")
    )


def test_a_tool_can_be_tried(opened):
    """Day, number and text are sent as the schema wants them, and the answer is shown field by field."""
    app = opened("playground")
    app.selectbox(key="tool").set_value("check_availability").run()
    argument(app, "date_input", "date").set_value(next_tuesday())
    argument(app, "text_input", "service").set_value("Haircut")
    press(app, "Run it")
    assert ":green-badge[:material/check_circle: ok]" in said(app)
    assert '"ok": true' in app.code[0].value
    assert "`timezone`" in set(app.table[0].value["Field"])


def test_every_check_and_the_words_of_the_model_are_shown(opened):
    """Each check with its decision, and the declarations exactly as the model got them."""
    app = opened("playground")
    app.selectbox(key="tool").set_value("book_appointment").run()
    press(app, "Run it")
    text = said(app)
    assert "failed: VALIDATION" in text
    assert "Nothing was changed." in text
    assert "refused] **Can the values be used?**" in text
    assert '"name": "book_appointment"' in app.code[-1].value


def test_an_answer_belongs_to_its_tool(opened):
    """Choosing another tool takes the last answer away."""
    app = opened("playground")
    app.selectbox(key="tool").set_value("get_policies").run()
    press(app, "Run it")
    app.selectbox(key="tool").set_value("search_knowledge").run()
    assert "failed" not in said(app)


def test_an_appointment_can_be_booked(opened, salon):
    """Date and time become one moment, local to the business, and the receipt says what was done."""
    app = opened("playground")
    app.selectbox(key="tool").set_value("book_appointment").run()
    tuesday = next_tuesday() + timedelta(weeks=1)
    argument(app, "text_input", "service").set_value("Beard trim")
    argument(app, "date_input", "start_time").set_value(tuesday)
    argument(app, "time_input", "start_time/time").set_value(time(11, 15))
    argument(app, "text_input", "customer_name").set_value("Ada Byron")
    press(app, "Run it")
    rows = dict(app.table[0].value.itertuples(index=False))
    assert rows["`booked`"] == "yes"
    assert f"{tuesday}T11:15:00" in rows["`startTime`"].replace("\\", "")
    assert "Receipt" in said(app)


ASKED = "What is your policy on cancellations?"


def talking(app, **chosen):
    """Go to the conversation; `chosen` are its fields."""
    app = part(app, "Hold a conversation")
    for name, value in chosen.items():
        kinds = {"channel": "segmented_control", "agent": "selectbox", "phone": "text_input", "verified": "toggle"}
        choice = next(one for one in app.get(kinds[name]) if one.key.split("/")[0] == f"converse_{name}")
        app = choice.set_value(value).run()
    return app


def say(app, text):
    app.chat_input[0].set_value(text).run()
    assert not app.exception
    return app


@pytest.mark.parametrize("person", ["editor", ""])
def test_a_conversation_can_be_held(opened, salon, person):
    """By whoever may try things out, signed in or with a key; with the tools behind each answer."""
    app = say(talking(opened("playground", {SALON: token(person)} if person else None)), ASKED)
    text = said(app)
    assert "build: search_knowledge" in text
    press(app, "Why? Each tool's story")
    assert "the model asked for search_knowledge" in said(app)


@pytest.mark.parametrize("channel", ["phone", "portal", "browser_voice"])
def test_a_conversation_is_held_as_the_channel_holds_it(opened, salon, channel):
    """The model is told of that channel's tools, and of the caller that is imagined; both can be read."""
    app = say(talking(opened("playground"), channel=channel, phone="+12015550123", verified=True), ASKED)
    prompt, *told, tools = [code.value for code in app.code]
    assert "The caller's identity is established." in "".join([said(app), *told])
    assert ("This is a chat" in prompt) is (channel == "portal")
    assert ('"name": "end_call"' in tools) is (channel == "phone")
    assert "called from +12015550123, verified" in said(app)


def test_a_new_conversation_begins_with_the_choice_of_a_channel(opened, salon):
    """While one is going on, its channel stays; the next one knows nothing of it."""
    app = say(talking(opened("playground"), channel="portal"), ASKED)
    assert "converse_channel" not in [one.key for one in app.get("segmented_control")]
    press(app, "New conversation")
    assert "converse_channel" in [one.key for one in app.get("segmented_control")]
    assert ASKED not in said(app)


def test_a_call_that_the_receptionist_ends_is_over(opened, salon):
    """What it asked of the line is shown, and nothing more can be said."""
    app = say(talking(opened("playground"), channel="phone"), "Goodbye, that was all.")
    text = said(app)
    assert "bolt: END_CALL" in text
    assert "the line would be closed now" in text
    assert app.chat_input[0].disabled


@pytest.mark.requirement("000-353")
def test_a_trial_stands_apart_from_the_calls(opened, salon):
    """Nobody takes it for a caller's, and it is found again."""
    say(talking(opened("playground"), channel="phone"), ASKED)
    app = opened("calls")
    assert "Nobody has called or written in this time." in said(app)
    app = app.toggle(key="call_trials").set_value(True).run()
    assert "science: your own trial" in said(app)
    press(app, "Open")
    assert "science: your own trial" in said(app)


def test_a_number_that_is_none_is_told_before_anything_is_said(opened, salon):
    """With what would be one; the conversation has not begun."""
    app = say(talking(opened("playground"), phone="nobody"), ASKED)
    assert "callerPhone must be a phone number" in said(app)
    assert field(app, "text_input", "converse_phone")


def test_a_viewer_can_try_nothing(opened):
    """What would be refused is not offered."""
    app = opened("playground", {SALON: token("viewer")})
    assert "Only an owner or editor can try things out here." in said(app)
    assert "Run it" not in labels(app)


def test_a_try_must_not_go_on_in_a_caller_s_conversation(live_server):
    """Only sessions of its own are taken, and whoever may not try is refused."""
    path = f"/admin/businesses/{SALON}/try"
    for person, given, status in (
        ("owner", {"name": "get_faqs", "sessionId": "CA123"}, 400),
        ("owner", {"name": "get_faqs", "turn": True}, 400),
        ("owner", {"name": "get_faqs", "callerPhone": "nobody"}, 400),
        ("viewer", {"name": "get_faqs"}, 403),
        ("partner", {"name": "get_faqs"}, 200),
    ):
        server = Server(live_server.url, token(person))
        if status == 200:
            assert server.send("POST", path, given).body["response"]["ok"] is not None
            continue
        with pytest.raises(Refused) as refused:
            server.send("POST", path, given)
        assert refused.value.status == status


def test_what_if_tells_what_would_be_gone_and_why(opened, salon):
    """Without its calendar the salon books nothing, and the rule that decides is named."""
    app = opened("what_if")
    assert "Nothing is imagined yet" in said(app)
    app.selectbox(key="if/builtinCalendar").set_value("off").run()
    text = said(app)
    assert "would be gone everywhere" in text
    assert "**`book_appointment`**" in text
    assert "`integration:calendar`" in text
    assert "`get_faqs`" not in text


def test_what_if_gives_a_business_what_it_does_not_have(live_server):
    """A plumber with a calendar and a rule would book and transfer; nothing of it is stored."""
    server = Server(live_server.url, live_server.keys[PLUMBER])
    path = f"/admin/businesses/{PLUMBER}/what-if"

    def offered(**query):
        rows = server.get(path, query).body["tools"]
        return {row["name"] for row in rows if any(cell["condition"] is None for cell in row["cells"])}

    then = offered(integrations="googleCalendar:connected", rules="transfer,message")
    assert {"book_appointment", "transfer_call"} <= then - offered()
    assert "book_appointment" not in offered(integrations="googleCalendar:refused")
    assert "send_sms" not in offered(rules="none")


@pytest.mark.parametrize("query", [{"integrations": "twilio:broken"}, {"rules": "shout"}, {"integrations": ":off"}])
def test_what_cannot_be_imagined_is_refused(live_server, query):
    """With what would be right."""
    server = Server(live_server.url, live_server.keys[SALON])
    with pytest.raises(Refused) as refused:
        server.get(f"/admin/businesses/{SALON}/what-if", query)
    assert refused.value.status == 400
    assert refused.value.problems


def test_health_says_what_to_do_and_what_nobody_could_answer(opened, salon):
    """A question that found nothing is listed, and gone once it is marked."""
    server = Server(salon.url, salon.keys[SALON])
    salon.empty(SALON, "questions")
    context = {"channel": "portal", "sessionId": "asked_in_vain", "turn": 1}
    server.execute(SALON, "search_knowledge", {"query": "xylophone zeppelin quarantine"}, context)
    app = opened("health")
    assert "xylophone zeppelin quarantine" in said(app)
    press(app, "Answered")
    assert "every question found an answer" in said(app)


def test_the_health_of_a_quiet_business_is_good(opened, live_server):
    """Nothing is an answer, too."""
    text = said(opened("health", {TOOLLESS: live_server.keys[TOOLLESS]}))
    assert "Everything works." in text


def test_a_question_can_be_noted(opened, salon):
    """For whoever answers it later; the question stays open."""
    server = Server(salon.url, salon.keys[SALON])
    salon.empty(SALON, "questions")
    context = {"channel": "portal", "sessionId": "asked_for_a_note", "turn": 1}
    server.execute(SALON, "search_knowledge", {"query": "xylophone zeppelin quarantine"}, context)
    app = opened("health")
    app.text_area[0].set_value("Ask Rosa about it.")
    press(app, "Save the note")
    assert "sticky_note_2: Ask Rosa about it." in said(app)
    assert "Answered" in labels(app)


def test_whoever_looks_after_all_businesses_sees_how_each_is_doing(opened, salon):
    """The house first, then each with what is wrong; from there to the one that needs something."""
    app = part(opened("health", dict.fromkeys((SALON, PLUMBER), token("platform"))), "All businesses")
    text = said(app)
    assert "Switchboard itself" in text
    assert "Maple Street Hair Studio" in text
    app.button(key=f"health/{PLUMBER}").click().run()
    assert not app.exception
    assert app.selectbox(key="business").value == PLUMBER
    assert "What callers asked that nobody could answer" in said(app)


def test_the_health_of_all_businesses_is_turned_forth_and_back(opened, salon, monkeypatch):
    """A page at a time."""
    monkeypatch.setattr(all_health, "_A_PAGE", 1)
    app = part(opened("health", dict.fromkeys((SALON, PLUMBER), token("platform"))), "All businesses")
    first = said(app)
    app = press(app, "More")
    assert said(app) != first
    assert said(press(app, "Back")) == first


def test_an_owner_sees_the_health_of_the_own_business_only(opened, salon):
    """There is nothing to choose."""
    app = opened("health", {SALON: token("owner")})
    assert "health_of" not in [one.key for one in app.get("segmented_control")]


def test_health_names_a_business_whose_callers_have_no_way_to_a_person(opened, salon):
    """In words that say what is missing, and where to enter it."""
    salon.put(Update(PATHS.within(SALON).business, {"phone": "", "escalation": {}}))
    salon.house.catalog.forget(SALON)
    text = said(opened("health"))
    assert "no way to a person" in text
    assert "enter the business's own phone number" in text
