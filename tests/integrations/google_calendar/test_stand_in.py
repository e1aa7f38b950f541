"""Whether the stand-in is honest: Google's own library talks to it, and wrong requests are refused as Google would."""

from typing import Any

import google.oauth2.credentials
import httpx2 as httpx
import pytest
from google.auth.exceptions import RefreshError
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

from stand_ins.google_calendar import CLIENT_ID, CLIENT_SECRET
from tests.integrations.google_calendar.premises import DAY, EVENTS_SCOPE, Premises, at

DAY_BOUNDS = {"timeMin": "2027-03-10T00:00:00-05:00", "timeMax": "2027-03-11T00:00:00-05:00"}
TIMES = {"start": at(10), "end": at(11)}


@pytest.fixture
def library(premises: Premises) -> Any:
    """Google's client library with its own transport and its own credentials, pointed at the stand-in."""
    credentials = google.oauth2.credentials.Credentials(
        None,
        refresh_token=premises.consent(),
        token_uri=f"{premises.url}/token",
        client_id=CLIENT_ID,
        client_secret=CLIENT_SECRET,
    )
    service = build(
        "calendar",
        "v3",
        credentials=credentials,
        static_discovery=True,
        cache_discovery=False,
        client_options={"api_endpoint": f"{premises.url}/calendar/v3/"},
    )
    yield service
    service.close()


def refusal(request: Any) -> tuple[int, str]:
    """Return status and reason of what the library raises."""
    with pytest.raises(HttpError) as caught:
        request.execute()
    return caught.value.status_code, caught.value.error_details[0]["reason"]


async def test_googles_own_library_lives_a_day_with_it(premises: Premises, library: Any):
    """Insert, read, list, change, replace, delete, free/busy and the list of calendars."""
    events = library.events()
    made = events.insert(calendarId="primary", body={"id": "abcde1", "summary": "x", **TIMES}).execute()
    assert events.get(calendarId="primary", eventId="abcde1").execute() == made
    listed = events.list(calendarId="primary", singleEvents=True, orderBy="startTime", **DAY_BOUNDS).execute()
    assert (listed["items"], listed["timeZone"]) == ([made], "America/New_York")
    changed = events.patch(calendarId="primary", eventId="abcde1", body={"summary": "y"}).execute()
    assert (changed["summary"], changed["start"]) == ("y", made["start"])
    assert changed["etag"] != made["etag"]
    replaced = events.update(calendarId="primary", eventId="abcde1", body=TIMES).execute()
    assert "summary" not in replaced
    busy = library.freebusy().query(body=DAY_BOUNDS | {"items": [{"id": "primary"}, {"id": "none"}]}).execute()
    assert busy["calendars"]["primary"]["busy"] == [{"start": "2027-03-10T15:00:00Z", "end": "2027-03-10T16:00:00Z"}]
    assert busy["calendars"]["none"]["errors"][0]["reason"] == "notFound"
    assert events.delete(calendarId="primary", eventId="abcde1").execute() == ""
    assert events.get(calendarId="primary", eventId="abcde1").execute()["status"] == "cancelled"
    ids = {item["id"]: item.get("primary", False) for item in library.calendarList().list().execute()["items"]}
    assert ids["owner@example.com"] is True and len(ids) == 3


async def test_googles_own_library_reads_its_refusals(premises: Premises, library: Any):
    """In the shape in which Google refuses."""
    events = library.events()
    body = {"id": "abcde1", **TIMES}
    etag = events.insert(calendarId="primary", body=body).execute()["etag"]
    assert refusal(events.insert(calendarId="primary", body=body)) == (409, "duplicate")
    late = events.patch(calendarId="primary", eventId="abcde1", body={"summary": "x"})
    late.headers["If-Match"] = '"another"'
    assert refusal(late) == (412, "conditionNotMet")
    late.headers["If-Match"] = etag
    assert late.execute()["summary"] == "x"
    assert refusal(events.get(calendarId="primary", eventId="never")) == (404, "notFound")
    assert refusal(events.list(calendarId="nobody@example.com")) == (404, "notFound")
    events.delete(calendarId="primary", eventId="abcde1").execute()
    assert refusal(events.delete(calendarId="primary", eventId="abcde1")) == (410, "deleted")
    holidays = "holidays@group.v.calendar.google.com"
    assert refusal(events.insert(calendarId=holidays, body=TIMES)) == (403, "requiredAccessLevel")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({**TIMES, "id": "has-a-dash"}, "invalid"),
        ({**TIMES, "id": "xyz12"}, "invalid"),
        ({**TIMES, "id": "abc"}, "invalid"),
        ({"start": at(10)}, "required"),
        ({"start": {"dateTime": "2027-03-10T10:00:00"}, "end": at(11)}, "required"),
        ({"start": {"dateTime": "2027-03-10T10:00:00", "timeZone": "New York"}, "end": at(11)}, "invalid"),
        ({"start": {"date": "2027-03-10"}, "end": at(11)}, "invalid"),
        ({"start": {"date": "2027-02-30"}, "end": {"date": "2027-03-11"}}, "invalid"),
        ({"start": at(11), "end": at(10)}, "timeRangeEmpty"),
        ({**TIMES, "subject": "x"}, "badRequest"),
        ({**TIMES, "summary": 7}, "invalid"),
        ({**TIMES, "summary": None}, "invalid"),
        ({**TIMES, "attendees": [{"email": "nobody"}]}, "invalid"),
        ({**TIMES, "attendees": {"email": "a@example.com"}}, "invalid"),
        ({**TIMES, "extendedProperties": {"private": {"k": "v" * 1025}}}, "invalid"),
        ({**TIMES, "extendedProperties": {"private": {"k": 7}}}, "invalid"),
        ({**TIMES, "recurrence": ["RRULE:FREQ=YEARLY"]}, "invalid"),
    ],
)
async def test_a_body_that_google_would_refuse_is_refused(premises: Premises, library: Any, body: Any, reason: str):
    """By the schema in Google's discovery document, and by the rules of its reference."""
    assert refusal(library.events().insert(calendarId="primary", body=body)) == (400, reason)
    assert not premises.google.book("primary").events


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("orderBy=startTime", "invalid"),
        ("timeMin=2027-03-10T00:00:00", "badRequest"),
        ("timeMin=tomorrow", "invalid"),
        ("maxResults=0", "invalid"),
        ("maxResults=many", "invalid"),
        ("singleEvents=yes", "invalid"),
        ("orderBy=end", "invalid"),
        ("limit=5", "badRequest"),
        ("pageToken=made-up", "invalid"),
        ("timeMin=2027-03-11T00:00:00Z&timeMax=2027-03-10T00:00:00Z", "timeRangeEmpty"),
        ("syncToken=old", "fullSyncRequired"),
    ],
)
async def test_a_query_that_google_would_refuse_is_refused(premises: Premises, query: str, reason: str):
    """What its own library would not even let one write."""
    token = (await premises.oauth.refresh(premises.consent())).access_token
    async with httpx.AsyncClient(timeout=300, verify=False) as client:
        answer = await client.get(
            f"{premises.url}/calendar/v3/calendars/primary/events?{query}", headers={"Authorization": f"Bearer {token}"}
        )
    assert answer.status_code == (410 if reason == "fullSyncRequired" else 400)
    assert answer.json()["error"]["errors"][0]["reason"] == reason


async def test_it_is_listed_what_was_asked_for(premises: Premises, library: Any):
    """By private property, word, kind and page; `timeMin` is about ends, deleted events are shown on demand."""
    for number in range(5):
        premises.enter(summary=f"n{number}", start=at(10 + number), end=at(11 + number))
    mine = premises.enter(summary="mine", extendedProperties={"private": {"bookingId": "bk_1", "v": "1"}})
    gone = premises.enter(summary="gone", eventType="focusTime")
    premises.google.book("primary").delete(gone["id"], None)
    events = library.events()

    def titles(**query: Any) -> list[str]:
        return [item.get("summary") for item in events.list(calendarId="primary", **query).execute()["items"]]

    assert titles(privateExtendedProperty=["bookingId=bk_1", "v=1"]) == [mine["summary"]]
    assert titles(privateExtendedProperty=["bookingId=bk_1", "v=2"]) == []
    assert titles(q="N3") == ["n3"]
    assert titles(showDeleted=True, eventTypes="focusTime") == ["gone"]
    assert titles(timeMin=DAY.replace(hour=15).isoformat()) == []
    assert titles(timeMin=DAY.replace(hour=14, minute=59).isoformat(), timeMax=DAY.replace(hour=15).isoformat()) == [
        "n4"
    ]
    first = events.list(calendarId="primary", maxResults=4)
    pages = [first.execute()]
    while (following := events.list_next(first, pages[-1])) is not None:
        first = following
        pages.append(first.execute())
    assert [len(page["items"]) for page in pages] == [4, 2]


async def test_a_token_opens_only_what_was_consented_to(premises: Premises):
    """`calendar.events` alone does not open free/busy, as at Google."""
    token = (await premises.oauth.refresh(premises.consent([EVENTS_SCOPE]))).access_token
    async with httpx.AsyncClient(
        base_url=premises.url, headers={"Authorization": f"Bearer {token}"}, verify=False
    ) as client:
        refused = await client.post("/calendar/v3/freeBusy", json=DAY_BOUNDS | {"items": [{"id": "primary"}]})
        assert refused.status_code == 403
        assert refused.json()["error"]["errors"][0]["reason"] == "insufficientPermissions"
        assert (await client.get("/calendar/v3/calendars/primary/events")).status_code == 200
        client.headers["Authorization"] = "Bearer nothing"
        assert (await client.get("/calendar/v3/calendars/primary/events")).status_code == 401


async def test_googles_own_credentials_learn_that_a_permission_is_gone(premises: Premises, library: Any):
    """As `RefreshError` with `invalid_grant`."""
    assert library.events().list(calendarId="primary").execute()["items"] == []
    premises.google.consents.revoke_all()
    with pytest.raises(RefreshError) as caught:
        library.events().list(calendarId="primary").execute()
    assert caught.value.args[1]["error"] == "invalid_grant"
    assert caught.value.retryable is False


async def test_a_dropped_connection_makes_googles_own_library_send_a_second_insert(premises: Premises, library: Any):
    """Nothing arrives, not even a status, and the event is there; why our own transport sends writes once."""
    library.events().list(calendarId="primary").execute()
    premises.fail("events.insert", "accept-then-drop")
    again = library.events().insert(calendarId="primary", body={"id": "abcde1", **TIMES})
    assert refusal(again) == (409, "duplicate")
    assert [line["fault"] for line in premises.asked("events.insert")] == ["accept-then-drop", None]
