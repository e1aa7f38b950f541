"""Nothing that nobody sees is kept of what a model fills in: owners read it, it is texted and mailed."""

import json
import uuid
from datetime import date, timedelta

import pytest

from switchboard.contract.store import Update
from tests.channels.http.test_tools_api import call, http, store

__all__ = ["http", "store"]

HIDDEN = "\x00\x1b\u202e\u200b\u2066\x9b\ufeff"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


async def use(http, name, args, **context):
    answer = (await http.post("/tools/execute", json=call(name, args, **context))).json()
    assert answer["ok"], answer
    return answer


@pytest.mark.requirement("004-962")
async def test_nothing_that_nobody_sees_is_kept_of_a_booking_a_message_or_a_reason(http, store):
    """Nor in the ledger; lines of a note and the joiners of an emoji are."""
    session, phone = uuid.uuid4().hex, "+15185550188"
    day = date.today() + timedelta((1 - date.today().weekday()) % 7 + 7)
    wish = {"service": f"Hair{HIDDEN}cut", "start_time": f"{day}T16:00:00", "customer_name": f"Lin{HIDDEN}\u2028Park"}
    wish |= {"notes": f"First\r\nsecond{HIDDEN} {FAMILY}"}
    booked = await use(http, "book_appointment", wish, sessionId=session, callerPhone=phone, callId="c1")
    message = {"message": f"Call{HIDDEN} back\u2029please", "caller_name": f"Lin{HIDDEN}\nPark"}
    taken = await use(http, "take_message", message, sessionId=session, callerPhone=phone, turn=2, callId="c2")
    await use(http, "end_call", {"reason": f"All{HIDDEN}\ndone"}, sessionId=session, turn=3, callId="c3")
    places = {"booking": f"bookings/{booked['data']['bookingId']}", "message": f"outbox/{taken['data']['messageId']}"}
    places |= {id: f"sessions/{session}/calls/{id}" for id in ("c1", "c2", "c3")}
    kept = {name: (await store.get(f"businesses/demo-salon/{place}")).data for name, place in places.items()}
    assert (kept["booking"]["customerName"], kept["booking"]["service"]) == ("Lin Park", "Haircut")
    assert kept["booking"]["customerNotes"] == f"First\nsecond {FAMILY}"
    assert (kept["message"]["callerName"], kept["message"]["text"]) == ("Lin Park", "Call back\nplease")
    assert '"All done"' in kept["c3"]["arguments"]
    for data in kept.values():
        assert [
            c for c in HIDDEN if c in str(data) or repr(c)[1:-1] in repr(data) or json.dumps(c)[1:-1] in str(data)
        ] == []


@pytest.mark.requirement("004-962")
async def test_what_nobody_sees_in_an_email_neither_stops_it_nor_is_asked_about(http, store):
    """The caller was asked for a yes, and then told that the subject would not do."""
    account = {"isConnected": True, "smtpServer": "smtp.example.com", "fromEmail": "hello@example.com"}
    await store.commit([Update("businesses/demo-salon", {"integrations.email": account})])
    await http.house.secrets.keep("demo-salon", "email", "password", "x")
    wish = {
        "to": f"anna{HIDDEN}@example.com",
        "subject": f"Where{HIDDEN} we are",
        "body": f"48 Maple{HIDDEN}\r\nStreet",
    }
    answer = (await http.post("/tools/execute", json=call("send_email", wish, sessionId="e1"))).json()
    assert answer["error"]["type"] == "CONFIRMATION_REQUIRED", answer
    asked = answer["meta"]["readBack"]
    assert "anna@example.com" in asked and "Where we are" in asked and "48 Maple" in asked
    assert not set(HIDDEN).intersection(asked)
