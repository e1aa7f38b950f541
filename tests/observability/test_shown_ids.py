"""Ids in logs and traces: those that programs make up are shown, and those that may be telephone numbers are not."""

import logging
import secrets
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.observability.trace import HIDDEN, may_be_shown, shown_id
from switchboard.pipeline.metrics.alarms import Alarms
from switchboard.pipeline.metrics.meter import Meter
from tests.desk.front_desk import StoppedClock
from tests.each import each

LETTERS = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.:|-", max_size=12)


@given(st.uuids(), st.sampled_from(["s_", "c_", "web_", "trial_", "mcp_", "try_", "call_", "", "CA", "SM"]))
def test_what_we_and_our_vendors_make_up_is_shown(made_up: uuid.UUID, before: str) -> None:
    """Whatever digits fall beside each other in it; Twilio's ids are 32 of them behind two letters."""
    assert may_be_shown(before + made_up.hex)
    assert may_be_shown(f"{before}{made_up.hex}.3")
    if not before.isupper():
        assert may_be_shown(before + str(made_up))


@pytest.mark.parametrize(
    "id", ["s1", "c1", "start.greeting", "call_aB3xK9", "toolu_01A09q90qw90lq917835lq9", "a-2.b|3"]
)
def test_names_are_shown(id: str) -> None:
    """As people and models write them."""
    assert shown_id(id) == id


def test_random_words_are_shown() -> None:
    """Chats in the portal are named so."""
    shown = [may_be_shown(f"web_{secrets.token_urlsafe(24)}") for _ in range(1_000)]
    assert sum(shown) > 950


@given(LETTERS, st.from_regex(r"[1-9][0-9]{6,14}", fullmatch=True), LETTERS)
def test_seven_digits_in_a_row_are_not_shown(before: str, number: str, after: str) -> None:
    """The shortest telephone number with its area, and the longest that there is; whatever it is written beside."""
    id = f"{before}{number}{after}"
    is_long_hex = len(id) >= 16 and set(id.lower()) & set("abcdef")
    if not is_long_hex:
        assert shown_id(id) == HIDDEN


@each(
    "id",
    [
        "+15185559393",
        "tel15185559393",
        "phone15185559393",
        "tel:518-555-9393",
        "call_1.518.555.9393",
        "s 1",
        "",
        "é",
        "a" * 129,
    ],
)
def test_numbers_with_and_without_gaps_and_what_is_no_plain_id_are_not_shown(id: str) -> None:
    """Whoever calls may name a conversation as they please."""
    assert shown_id(id) == HIDDEN


@pytest.mark.usefixtures("pressed")
@pytest.mark.parametrize(("id", "shown"), [("tel15185559393", HIDDEN), ("+15185559393", HIDDEN), ("s1", "s1")])
def test_the_log_names_a_conversation_by_the_same_rule(id: str, shown: str, caplog: pytest.LogCaptureFixture) -> None:
    """When it begins, when a retrieval takes long, and when its context is nearly full."""
    caplog.set_level(logging.INFO, "switchboard")
    meter = Meter(StoppedClock())
    meter.context(("demo-salon", id), 100, 100, 3)
    meter.context_used(("demo-salon", id), 10**9)
    Alarms(StoppedClock()).slow("look", Kind.RETRIEVAL, Channel.PHONE, ("demo-salon", id), 5_000.0)
    told = {record.getMessage(): record.__dict__["session"] for record in caplog.records}
    assert set(told) >= {"session init", "retrieval over its soft limit", "context nears the window"}
    assert set(told.values()) == {shown}
