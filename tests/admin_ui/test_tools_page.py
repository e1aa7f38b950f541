"""The page that shows which tools are offered and why the others are not, against a real server."""

import socket
from concurrent.futures import ThreadPoolExecutor
from datetime import date, time, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from streamlit.testing.v1 import AppTest

import running
from tests.admin_ui.conftest import TOOLLESS

SLOW_S = 30


def page() -> AppTest:
    """The page as somebody sees it who has just opened it."""
    app = AppTest.from_file(str(running.ADMIN_PAGE), default_timeout=SLOW_S).run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    """Every text on the page, without the signs that keep it from being taken for Markdown."""
    kinds = (app.markdown, app.caption, app.error, app.info, app.warning, app.subheader, app.title)
    return "\n".join(element.value for kind in kinds for element in kind).replace("\\", "")


def run_it(app: AppTest) -> AppTest:
    return app.button[0].click().run()


def test_it_warns_that_everyone_may_use_it(pages_for):
    """Local mode is told loudly, at the top."""
    pages_for()
    assert page().warning[0].value == "**Local mode**: everyone who can reach this page may use it."


def test_it_shows_what_is_offered(pages_for):
    """Names, kinds and the descriptions in the business's own words; version and source of the catalog."""
    pages_for()
    text = said(page())
    for words in ("`check_availability`", "`book_appointment`", ":orange-badge[action]", "Maple Street Hair Studio"):
        assert words in text
    assert "Catalog version `" in text
    assert "source: **firestore** (read from the store)" in text


def test_it_tells_why_a_tool_is_not_offered(pages_for):
    """Each tool that is missing stands there with its condition and a plain reason."""
    pages_for()
    app = page()
    app.selectbox(key="business").set_value("demo-plumber").run()
    text = said(app)
    assert "Not offered" in text
    assert "integration:calendar" in text
    assert "is not connected" in text


def test_another_channel_offers_other_tools(pages_for):
    """end_call is for the phone only, and the page says so on the portal."""
    pages_for()
    app = page()
    assert "Only offered on phone" not in said(app)
    app.get("segmented_control")[0].set_value("portal").run()
    assert "Only offered on phone" in said(app)


def test_a_tool_can_be_tried(pages_for):
    """Day, number and text are sent as the schema wants them, and the answer is shown field by field."""
    pages_for()
    app = page()
    app.selectbox(key="tool").set_value("check_availability").run()
    day = date.today() + timedelta(days=8)
    place = "demo-salon/phone/check_availability"
    app.date_input(key=f"{place}/date").set_value(day)
    app.text_input(key=f"{place}/service").set_value("Haircut")
    run_it(app)
    assert not app.exception
    assert ":green-badge[:material/check_circle: ok]" in said(app)
    assert '"ok": true' in app.code[0].value
    fields = app.table[0].value
    assert "`timezone`" in set(fields["Field"])


def test_a_failure_is_told_in_words(pages_for):
    """Type, message, and whether anything has changed."""
    pages_for()
    app = page()
    app.selectbox(key="tool").set_value("get_policies").run()
    run_it(app)
    text = said(app)
    assert "failed: VALIDATION" in text
    assert "topic" in text
    assert "Nothing was changed." in text


def test_an_answer_belongs_to_its_tool(pages_for):
    """Choosing another tool takes the last answer away."""
    pages_for()
    app = page()
    app.selectbox(key="tool").set_value("get_policies").run()
    run_it(app)
    app.selectbox(key="tool").set_value("search_knowledge").run()
    assert "failed" not in said(app)


def test_an_appointment_can_be_booked(pages_for):
    """Date and time become one moment, local to the business, and the second try is told that it is the same wish."""
    pages_for()
    app = page()
    place = "demo-salon/phone/book_appointment"
    tuesday = date.today() + timedelta(days=(1 - date.today().weekday()) % 7 + 14)
    app.text_input(key=f"{place}/service").set_value("Beard trim")
    app.date_input(key=f"{place}/start_time").set_value(tuesday)
    app.time_input(key=f"{place}/start_time/time").set_value(time(11, 15))
    app.text_input(key=f"{place}/customer_name").set_value("Ada Byron")
    run_it(app)
    rows = dict(app.table[0].value.itertuples(index=False))
    assert rows["`booked`"] == "yes"
    assert f"{tuesday}T11:15:00" in rows["`startTime`"].replace("\\", "")


def test_without_tools_it_says_so(pages_for, live_server):
    """A business that has everything switched off gets reasons, and nothing to try."""
    pages_for({TOOLLESS: live_server.keys[TOOLLESS]})
    app = page()
    assert app.info[0].value == "No tool is offered here; below it says why."
    assert not app.button


def test_without_a_key_it_asks_for_one(pages_for, live_server):
    """With a real Firestore nobody hands a key over; typed in, it works."""
    pages_for({})
    app = page()
    assert "API keys" in app.info[0].value
    app.text_input(key="business").set_value("demo-salon")
    app.text_input(key="api_key").set_value(live_server.keys["demo-salon"]).run()
    assert "`check_availability`" in said(app)


def test_a_refused_key_is_told(pages_for):
    """What the server says about the key, and what to do."""
    pages_for({"demo-salon": "wrong"})
    app = page()
    assert app.error[0].value == "The server does not know this API key."
    assert "unknown, revoked or expired" in said(app)


def test_a_key_of_another_business_is_told(pages_for, live_server):
    """A key opens one business only."""
    pages_for({"demo-salon": live_server.keys["demo-plumber"]})
    assert page().error[0].value == "This API key may not do that."


def test_a_missing_server_is_told(pages_for):
    """Where it was looked for and how to start it; looking again is one click."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        pages_for(url=url)
        app = page()
    assert "No server answers at" in app.error[0].value
    assert "scripts/run" in said(app)
    assert app.button[0].label == "Look again"


def test_somebody_else_s_server_is_told(pages_for, tmp_path):
    """An answer that is not ours is no answer."""
    folder = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), folder) as server, ThreadPoolExecutor(1) as pool:
        pool.submit(server.serve_forever)
        pages_for(url=f"http://127.0.0.1:{server.server_port}")
        app = page()
        server.shutdown()
    assert "No server answers at" in app.error[0].value
    assert "Somebody else answers there" in said(app)


KITCHEN_SINK = {
    "type": "object",
    "properties": {
        "mode": {"type": "string", "enum": ["fast", "slow"]},
        "flag": {"type": "boolean", "default": True},
        "count": {"type": "integer", "minimum": 1, "maximum": 5},
        "ratio": {"type": ["number", "null"]},
        "day": {"type": "string", "format": "date"},
        "moment": {"type": "string", "format": "date-time"},
        "words": {"type": "array", "items": {"type": "string"}},
        "text": {"type": "string", "maxLength": 10, "description": "*Some* text"},
        "left_out": {"type": "string"},
    },
    "required": ["mode", "text"],
}


def form(schema):
    """The script of a page that holds nothing but a form; Streamlit runs it from its source."""
    import streamlit as st

    from admin_ui import parameter_form

    try:
        st.json(parameter_form.draw(schema, "p"))
    except parameter_form.NotJson as error:
        st.error(str(error))


@pytest.fixture
def drawn() -> AppTest:
    return AppTest.from_function(form, args=(KITCHEN_SINK,), default_timeout=SLOW_S).run()


def test_what_is_left_empty_is_not_sent(drawn):
    """An untouched form is a call without arguments, also where a parameter has a default."""
    assert not drawn.exception
    assert drawn.json[0].value == "{}"


def test_every_kind_of_parameter_can_be_filled_in(drawn):
    """Each value arrives with the type that the schema names."""
    drawn.selectbox(key="p/mode").set_value("slow")
    drawn.selectbox(key="p/flag").set_value(False)
    drawn.number_input(key="p/count").set_value(3)
    drawn.number_input(key="p/ratio").set_value(0.5)
    drawn.date_input(key="p/day").set_value(date(2027, 3, 16))
    drawn.date_input(key="p/moment").set_value(date(2027, 3, 17))
    drawn.time_input(key="p/moment/time").set_value(time(9, 30))
    drawn.text_area(key="p/words").set_value('["a"]')
    drawn.text_input(key="p/text").set_value("hello")
    drawn.run()
    assert not drawn.exception
    assert drawn.json[0].value.replace(" ", "") == (
        '{"mode":"slow","flag":false,"count":3,"ratio":0.5,"day":"2027-03-16","moment":"2027-03-17T09:30:00",'
        '"words":["a"],"text":"hello"}'
    )


def test_a_day_alone_is_a_bare_date(drawn):
    """Tools that can answer for a whole day are asked for one."""
    drawn.date_input(key="p/moment").set_value(date(2027, 3, 17))
    drawn.run()
    assert drawn.json[0].value == '{"moment": "2027-03-17"}'


def test_a_field_that_wants_json_says_so(drawn):
    """What cannot be read is named, and the other fields stay."""
    drawn.text_area(key="p/words").set_value("a, b")
    drawn.run()
    assert drawn.error[0].value.startswith("words must be JSON")


def test_required_and_optional_can_be_told_apart(drawn):
    """What may be left out is marked."""
    labels = [field.label for field in (*drawn.text_input, *drawn.selectbox)]
    assert {"text", "left_out (optional)", "mode", "flag (optional)"} <= set(labels)
