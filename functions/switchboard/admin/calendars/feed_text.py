"""A feed of appointments as iCalendar (RFC 5545, 7986), for programs that read it every now and then."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from switchboard.admin.calendars.feeds import FeedAppointments
from switchboard.admin.documents.one_line import one_line
from switchboard.desk.bookings.booking import CONFIRMED, Booking

if TYPE_CHECKING:
    import icalendar

REFRESHED = timedelta(minutes=15)


def to_text(appointments: FeedAppointments, now: datetime) -> bytes:
    """Return the calendar; takes a part of a second where there are many."""
    # Loaded when the first feed is read: no call waits for it.
    import icalendar

    calendar = icalendar.Calendar()
    name = ": ".join(part for part in map(one_line, (appointments.business.name, appointments.feed.name)) if part)
    calendar.add("prodid", "-//Switchboard//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    # Of these the library does not know that they are text, which has to be escaped.
    calendar.add("x-wr-calname", icalendar.vText(name))
    calendar.add("x-wr-caldesc", icalendar.vText(_description(appointments)))
    calendar.add("x-published-ttl", "PT15M")
    calendar.add("refresh-interval", REFRESHED, parameters={"VALUE": "DURATION"})
    for booking in appointments.bookings:
        calendar.add_component(_event(icalendar.Event(), booking, appointments, now))
    text: bytes = calendar.to_ical()
    return text


def _description(appointments: FeedAppointments) -> str:
    until = appointments.until.astimezone(appointments.business.timezone)
    if appointments.is_cut:
        return f"Whole until {until:%Y-%m-%d %H:%M} only, as there are too many appointments; only for reading."
    return f"Appointments until {until.date()}; only for reading."


def _event(
    event: "icalendar.Event", booking: Booking, appointments: FeedAppointments, now: datetime
) -> "icalendar.Event":
    event.add("uid", f"{booking.id}@{appointments.business.id}")
    event.add("dtstamp", (booking.updated_at or booking.created_at or now).astimezone(UTC))
    event.add("dtstart", booking.start.astimezone(UTC))
    event.add("dtend", booking.end.astimezone(UTC))
    event.add("summary", _title(booking, appointments))
    event.add("status", "CONFIRMED" if booking.status == CONFIRMED else "TENTATIVE")
    event.add("transp", "OPAQUE")
    return event


def _title(booking: Booking, appointments: FeedAppointments) -> str:
    feed = appointments.feed
    customer = booking.customer_name if feed.shows_names else ""
    title = ": ".join(part for part in map(one_line, (booking.service, customer)) if part) or "Appointment"
    title += f", {booking.party} people" if booking.party > 1 else ""
    with_whom = "" if feed.person else one_line(booking.taken.person)
    return f"{title} ({with_whom})" if with_whom else title
