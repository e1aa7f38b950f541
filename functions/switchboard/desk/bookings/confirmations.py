"""What a customer is told by text message about an appointment, where the business asks for it.

A text is one document of the outbox, written in the very commit that makes it true; whoever
drains the outbox sends it. It is in the language of the call in which that was asked for, which the booking keeps.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal, TypeAlias
from zoneinfo import ZoneInfo

from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.contract.business.zones import with_zone_if_twice
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.store import Create, Write
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.staff_changes import AT_THE_DESK
from switchboard.desk.messaging.due_times import DUE
from switchboard.desk.messaging.sms_sending import text_id

Event: TypeAlias = Literal["booked", "moved", "changed", "remade", "cancelled"]
"""What happened to an appointment: of `changed` it is told how many come now, of `remade` which service it is."""

# A confirmation that comes later than this only puzzles; the record is kept longer.
_WORTH_SENDING = timedelta(hours=12)
_KEPT = timedelta(days=7)


class _ConfirmationWords:
    """How a language tells it; weekdays from Monday, then with whom an appointment is, for several or for one."""

    def __init__(
        self, weekdays: str, moment: str, company: tuple[str, str, str], sentences: Mapping[Event, str]
    ) -> None:
        self.weekdays, self.moment, self.company, self.sentences = weekdays.split(), moment, company, sentences


_WORDS = {
    "en": _ConfirmationWords(
        "Mon Tue Wed Thu Fri Sat Sun",
        "{weekday} {local:%Y-%m-%d} at {local:%H:%M}",
        (" with {}", " for {} people", " for 1 person"),
        {
            "booked": "{business}: your appointment is booked: {service}, {when}.",
            "moved": "{business}: your appointment was moved: {service}, now {when}.",
            "changed": "{business}: your appointment was changed: {service}, {when}.",
            "cancelled": "{business}: your appointment was cancelled: {service}, {when}.",
        },
    ),
    "de": _ConfirmationWords(
        "Mo Di Mi Do Fr Sa So",
        "{weekday}, {local:%d.%m.%Y} um {local:%H:%M} Uhr",
        (" bei {}", " für {} Personen", " für 1 Person"),
        {
            "booked": "{business}: Ihr Termin ist gebucht: {service}, {when}.",
            "moved": "{business}: Ihr Termin wurde verlegt: {service}, jetzt {when}.",
            "changed": "{business}: Ihr Termin wurde geändert: {service}, {when}.",
            "cancelled": "{business}: Ihr Termin wurde abgesagt: {service}, {when}.",
        },
    ),
    "es": _ConfirmationWords(
        "lun mar mié jue vie sáb dom",
        "{weekday} {local:%d/%m/%Y} a las {local:%H:%M}",
        (" con {}", " para {} personas", " para 1 persona"),
        {
            "booked": "{business}: su cita queda reservada: {service}, {when}.",
            "moved": "{business}: su cita ha cambiado: {service}, ahora {when}.",
            "changed": "{business}: su cita ha sido modificada: {service}, {when}.",
            "cancelled": "{business}: su cita ha sido cancelada: {service}, {when}.",
        },
    ),
    "fr": _ConfirmationWords(
        "lun mar mer jeu ven sam dim",
        "{weekday} {local:%d/%m/%Y} à {local:%H}h{local:%M}",
        (" avec {}", " pour {} personnes", " pour 1 personne"),
        {
            "booked": "{business} : votre rendez-vous est réservé : {service}, {when}.",
            "moved": "{business} : votre rendez-vous est déplacé : {service}, maintenant {when}.",
            "changed": "{business} : votre rendez-vous est modifié : {service}, {when}.",
            "cancelled": "{business} : votre rendez-vous est annulé : {service}, {when}.",
        },
    ),
    "it": _ConfirmationWords(
        "lun mar mer gio ven sab dom",
        "{weekday} {local:%d/%m/%Y} alle {local:%H:%M}",
        (" con {}", " per {} persone", " per 1 persona"),
        {
            "booked": "{business}: il suo appuntamento è prenotato: {service}, {when}.",
            "moved": "{business}: il suo appuntamento è stato spostato: {service}, ora {when}.",
            "changed": "{business}: il suo appuntamento è stato modificato: {service}, {when}.",
            "cancelled": "{business}: il suo appuntamento è stato annullato: {service}, {when}.",
        },
    ),
    "pt": _ConfirmationWords(
        "seg ter qua qui sex sáb dom",
        "{weekday} {local:%d/%m/%Y} às {local:%H:%M}",
        (" com {}", " para {} pessoas", " para 1 pessoa"),
        {
            "booked": "{business}: a sua marcação está feita: {service}, {when}.",
            "moved": "{business}: a sua marcação mudou: {service}, agora {when}.",
            "changed": "{business}: a sua marcação foi alterada: {service}, {when}.",
            "cancelled": "{business}: a sua marcação foi cancelada: {service}, {when}.",
        },
    ),
    "nl": _ConfirmationWords(
        "ma di wo do vr za zo",
        "{weekday} {local:%d-%m-%Y} om {local:%H:%M} uur",
        (" bij {}", " voor {} personen", " voor 1 persoon"),
        {
            "booked": "{business}: uw afspraak is geboekt: {service}, {when}.",
            "moved": "{business}: uw afspraak is verzet: {service}, nu {when}.",
            "changed": "{business}: uw afspraak is gewijzigd: {service}, {when}.",
            "cancelled": "{business}: uw afspraak is geannuleerd: {service}, {when}.",
        },
    ),
}


def event_of(booking: Booking, target: Booking) -> Event:
    """Return what happens to an appointment that becomes `target`."""
    if booking.start != target.start:
        return "moved"
    return "changed" if booking.party != target.party else "remade"


def text_writes(
    business: Business, paths: BusinessPaths, booking: Booking, event: Event, now: datetime, change: str
) -> list[Write]:
    """Return the writes that order a text about a booking; none where the business or the customer wants none.

    Args:
        business: Asks for texts by `textConfirmations` of the booking's calendar in its `integrations`.
        paths: Where its outbox is.
        booking: As it is after the event.
        event: What happened.
        now: When.
        change: Names the change, the same for whoever carries it out: the text is ordered once.
    """
    integration = business.integrations.get(booking.calendar)
    is_wanted = integration is not None and integration.settings.get("textConfirmations") is True
    if not is_wanted or not booking.customer_phone:
        return []
    effect_key = f"{booking.id}|{event}|{change}"
    id = text_id(effect_key)
    document = {
        "id": id,
        "kind": "text",
        "state": "todo",
        "to": booking.customer_phone,
        "body": _body(business, booking, event),
        "purpose": "appointment",
        "businessId": business.id,
        "createdAt": now,
        DUE: now,
        "notAfter": now + _WORTH_SENDING,
        "expireAt": now + _KEPT,
        "effectKey": effect_key,
        "bookingId": booking.id,
        # Only a verified caller's own number: anybody may put down somebody else's.
        **({"onFile": True} if _is_on_file(booking) else {"byStranger": True}),
        **({"isOwn": True} if booking.is_proven and booking.customer_phone == booking.caller_phone else {}),
    }
    return [Create(paths.document("outbox", id), document)]


def _is_on_file(booking: Booking) -> bool:
    # What the business has written down itself is its own file.
    return booking.channel == AT_THE_DESK or (
        booking.caller_id is not None and booking.is_proven and booking.customer_phone == booking.caller_phone
    )


def _body(business: Business, booking: Booking, event: Event) -> str:
    words = _WORDS.get(language_of(booking.language or business.language), _WORDS["en"])
    local = booking.start.astimezone(_zone(business, booking))
    when = with_zone_if_twice(words.moment.format(weekday=words.weekdays[local.weekday()], local=local), local)
    if local.utcoffset() != booking.start.astimezone(ZoneInfo(booking.timezone)).utcoffset():
        # Whoever had it in another zone has noted another time of day for the same moment.
        when = f"{when} ({local.tzname()})"
    person, several, one = words.company
    what = booking.service
    # One is told only where that is what has changed.
    what += several.format(booking.party) if booking.party > 1 else one if event == "changed" else ""
    what += person.format(booking.taken.person) if booking.taken.person else ""
    return words.sentences["changed" if event == "remade" else event].format(
        business=business.name, service=what, when=when
    )


def _zone(business: Business, booking: Booking) -> ZoneInfo:
    """Return the zone that everything else is told in: the business's, or where that is not known, the booking's."""
    return ZoneInfo(booking.timezone) if business.zone_problem else business.timezone
