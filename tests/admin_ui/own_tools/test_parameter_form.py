"""A tool's parameters as form fields."""

from datetime import date, time

import pytest
from streamlit.testing.v1 import AppTest

from tests.admin_ui.conftest import SLOW_S

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

    from admin_ui.widgets import parameter_form

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
