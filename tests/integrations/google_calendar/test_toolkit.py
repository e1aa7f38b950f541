"""What the toolkit says about itself: how it is authorised, and which settings a business has."""

import jsonschema_rs
import pytest

from stand_ins.google_calendar_rules import Method, discovery
from switchboard.integrations.google_calendar.endpoints import (
    FREE_BUSY_SCOPES,
    TOOLKIT,
    WRITE_SCOPES,
    GoogleEndpoints,
    toolkit,
)
from switchboard.integrations.oauth.server import REFRESH_TOKEN, OAuthClient


@pytest.mark.requirement("001-30", "001-31", "001-32", "001-33")
def test_owners_authorise_it_at_google():
    """By OAuth 2.0, for their events and for reading their calendars."""
    about = toolkit()
    assert (about["name"], about["auth"]["type"], about["auth"]["provider"]) == (TOOLKIT, "oauth2", "google")
    assert [scope.rpartition("/")[2] for scope in about["auth"]["scopes"]] == ["calendar.events", "calendar.readonly"]
    assert about["auth"]["sensitiveConfig"] == [REFRESH_TOKEN]
    real = GoogleEndpoints.real()
    assert real.server.authorization == "https://accounts.google.com/o/oauth2/v2/auth"
    assert real.server.token == "https://oauth2.googleapis.com/token"
    assert real.calendar == discovery()["baseUrl"]


@pytest.mark.requirement("001-34", "001-35")
def test_its_settings_have_a_schema_to_draw_a_form_from():
    """A calendar, which is required, and rules about time; each with a title and a default."""
    schema = toolkit()["config"]
    jsonschema_rs.meta.validate(schema)
    settings = schema["properties"]
    assert (settings["calendarId"]["type"], settings["calendarId"]["default"]) == ("string", "primary")
    assert (settings["defaultEventDuration"]["type"], settings["defaultEventDuration"]["default"]) == ("integer", 30)
    assert schema["required"] == ["calendarId"]
    assert all({"title", "description", "default"} <= setting.keys() for setting in settings.values())
    check = jsonschema_rs.validator_for(schema)
    assert check.is_valid({name: setting["default"] for name, setting in settings.items()})
    for wrong in ({}, {"calendarId": ""}, {"calendarId": "a", "maxDaysAhead": 731}, {"calendarId": "a", "other": 1}):
        assert not check.is_valid(wrong)


def test_the_scopes_we_count_on_are_those_of_googles_own_document():
    """Which permission opens free/busy, and which lets events be made."""
    asked = frozenset(toolkit()["auth"]["scopes"])
    free_busy = frozenset(Method("freebusy.query").document["scopes"])
    assert free_busy == FREE_BUSY_SCOPES
    assert frozenset(Method("events.insert").document["scopes"]) >= WRITE_SCOPES
    for method in ("events.list", "events.get", "events.insert", "events.patch", "events.delete", "freebusy.query"):
        assert Method(method).accepts(asked)


def test_a_client_does_not_show_its_secret():
    """Nor does what is built of it."""
    assert "canary" not in repr(OAuthClient("id", "canary", "http://127.0.0.1/callback"))
