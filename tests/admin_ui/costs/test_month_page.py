"""The page of what a month cost: what is counted, what is not known, what units cost, and the download."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from admin_ui.costs import month_page
from admin_ui.costs.month_page import _table
from admin_ui.shell.server import Refused, Server
from switchboard.contract.store import Delete, Set
from tests.admin_ui.conftest import labelled, part, press, said
from tests.admin_ui.premises import PATHS, SALON, LiveServer, token

NOW = datetime.now(UTC)
MONTH = f"{NOW.astimezone(ZoneInfo('America/New_York')):%Y-%m}"


@pytest.fixture
def counted(salon: LiveServer) -> LiveServer:
    """A salon of which this month was counted, before anybody has entered a price."""
    sums = {
        "toolCalls": {"check_availability": 12},
        "kinds": {"retrieval": 12},
        "texts": {"count": 2, "segments": 3, "unknown": 1},
        "models": {"openai:gpt-4.1-mini": {"input": 2_000_000, "output": 1_000, "answers": 9}},
    }
    progress = {"since": NOW - timedelta(days=99)}
    salon.put(
        Set(PATHS.within(SALON).document("days", MONTH), sums),
        Set(PATHS.month_counting, progress),
        Delete(PATHS.prices),
    )
    return salon


def table(app) -> dict[str, list[str]]:
    """Return the rows of the page's table by what they are about."""
    frame = app.dataframe[0].value
    return {row["What"]: [row["Count"], row["Price"], row["Cost"]] for _, row in frame.iterrows()}


@pytest.mark.requirement("004-806")
def test_without_prices_the_page_tells_what_was_used(opened, counted) -> None:
    """And of what nobody knows, that nobody knows."""
    app = opened("costs")
    rows = table(app)
    assert rows["Calls of check_availability"] == ["12", "none entered", ""]
    assert rows["Text messages, in segments"] == ["3, and 1 of unknown length or outcome", "none entered", ""]
    assert rows["Documents read"][0].startswith("about ")
    assert app.metric[0].value == "no price entered"


@pytest.mark.requirement("004-806")
def test_what_has_not_been_counted_yet_is_not_said_to_be_nothing(opened, salon) -> None:
    """Counting comes a while behind the calls."""
    salon.put(Delete(PATHS.within(SALON).document("days", MONTH)), Delete(PATHS.month_counting))
    app = opened("costs")
    assert app.metric[0].value == "not counted yet"
    assert "Nothing was used" not in said(app) and "Nothing has been counted yet" in said(app)


@pytest.mark.requirement("004-806")
def test_prices_are_entered_once_and_the_month_has_a_cost(opened, counted) -> None:
    app = part(opened("costs", {SALON: token("platform")}), "Prices")
    labelled(app, "text_input", "Currency").set_value("USD")
    labelled(app, "text_input", "A segment of a text message").set_value("0.0079")
    app.text_area[0].set_value("modelInput; openai:gpt-4.1-mini; 0.40")
    app = press(app, "Save")
    assert not app.error
    app = part(app, "This business")
    assert table(app)["Text messages, in segments"][2] == "0.0237"
    assert table(app)["Tokens that openai:gpt-4.1-mini read"][1:] == ["0.4 for 1,000,000", "0.8"]
    assert app.metric[0].value == "0.8237 USD"


@pytest.mark.requirement("004-806")
def test_the_download_is_the_file_that_the_api_answers(counted) -> None:
    server = Server(counted.url, counted.keys[SALON])
    text = _table(server, f"/admin/businesses/{SALON}/costs", MONTH).decode("utf-8-sig")
    assert text.splitlines()[0].startswith("businessId,name,month,item")
    assert any("check_availability" in line for line in text.splitlines())
    with pytest.raises(Refused):
        server.table("/admin/costs", {"format": "csv"})


@pytest.mark.requirement("004-806")
def test_all_businesses_are_turned_forth_and_back(opened, counted, monkeypatch) -> None:
    """Another month begins at its first page."""
    monkeypatch.setattr(month_page, "_A_PAGE", 1)
    app = part(opened("costs", {SALON: token("platform")}), "All businesses")
    pages = [said(app)]
    while any(button.label == "More" for button in app.button):
        app = press(app, "More")
        pages.append(said(app))
    assert len(pages) == len(set(pages)) > 2
    assert said(press(app, "Back")) == pages[-2]
    labelled(app, "selectbox", "Month").select_index(1).run()
    assert not any(button.label == "Back" for button in app.button)


@pytest.mark.requirement("004-845")
def test_whoever_runs_all_businesses_limits_a_month_and_its_owner_sees_how_far_it_is_used_up(opened, counted) -> None:
    """Under the cost, as a table, and in a sentence where something is used up; who it holds for gets no form."""
    app = part(opened("costs", {SALON: token("platform")}), "Limits")
    labelled(app, "text_input", "Segments of text messages: warn at").set_value("2")
    labelled(app, "text_input", "Segments of text messages: stop at").set_value("3")
    labelled(app, "text_input", "Cost of what is known and priced: warn at").set_value("12.50")
    app = press(app, "Save")
    assert not app.error
    app = opened("costs")
    rows = {row["Limit"]: [row["Used"], row["Warns at"], row["Stops at"], row["State"]] for row in _limits(app)}
    assert rows["Segments of text messages"] == ["3", "2", "3", "used up"]
    assert rows["Cost of what is known and priced"] == ["no price entered", "12.5", "", ""]
    assert "this month is used up. Callers are sent no text messages" in app.error[0].value
    app = part(opened("costs", {SALON: token("platform")}), "All businesses")
    assert "Segments of text messages: used up" in said(app)


@pytest.mark.requirement("004-845")
def test_what_is_no_limit_is_told_beside_the_form(opened, counted) -> None:
    """Nothing is saved, and what was typed stays."""
    app = part(opened("costs", {SALON: token("platform")}), "Limits")
    labelled(app, "text_input", "Tokens that models read and wrote: warn at").set_value("a million")
    app = press(app, "Save")
    assert "must be a whole number" in app.error[0].value
    assert labelled(app, "text_input", "Tokens that models read and wrote: warn at").value == "a million"


def _limits(app) -> list[dict[str, str]]:
    """Return the rows of the table of limits."""
    return app.dataframe[0].value.to_dict("records")
