"""A veterinary practice: titled people, prices from one sum to another, animals' names and house visits."""

from dataclasses import replace
from typing import Any

from switchboard.contract.business.business import Service
from switchboard.contract.business.resources import Resource
from switchboard.conversation.session import CallSession
from tests.conversation.claims.test_claim_words import BUSINESS, done
from tests.conversation.claims.told_salon import OPEN, Call, heard

VETS = replace(
    BUSINESS,
    name="Elm Road Vets",
    services=(
        Service("Short visit", 15, "£28 to £36", "At Elm Road. One small question, a re-check or a weight check."),
        Service("Standard visit", 30, "£48 to £62", "At Elm Road. One animal that is unwell."),
        Service("Long visit", 60, "£85 to £110", "At Elm Road. Two animals together, or a long problem."),
        Service("Nurse appointment", 15, "£18", "At Elm Road with nurse Kim: nail clipping, bandages, worming."),
        Service("House visit", 60, "from £95 to £140", "A vet comes to you, Tuesday afternoons only."),
        Service("Vaccination", 15, "from £40"),
    ),
    resources=(
        Resource("anna-reid", "Dr. Anna Reid"),
        Resource("ben-okafor", "Dr. Ben Okafor"),
        Resource("ben-lakeside", "Dr. Ben Okafor (Lakeside)"),
        Resource("kim-lee", "Kim Lee"),
    ),
    working_hours=OPEN,
)
TUESDAY_NINE = "2026-12-15T09:00:00-05:00"
TUESDAY_HALF_PAST_ONE = "2026-12-15T13:30:00-05:00"


def booked(
    words: str = "A visit for my rabbit Biscuit with Doctor Reid, please. I'm Priya Shah.",
    *before: Call,
    service: str = "Standard visit",
    person: str = "Dr. Anna Reid",
    at: str = TUESDAY_NINE,
    ends: str = "2026-12-15T09:30:00-05:00",
    customer: str = "Priya Shah",
    price: str = "£48 to £62",
    **notes: Any,
) -> CallSession:
    """Return a conversation in which that was booked."""
    tool, receipt, arguments = done("book_appointment", service, customer, at, "bk_1")
    data = {"booked": True, "bookingId": "bk_1", "service": service, "startTime": at, "endTime": ends, "price": price}
    data |= {"customerName": customer, "with": person}
    meta = {"receipt": {**receipt, "with": person}}
    return heard(words, *before, (tool, {**arguments, **notes}, data, meta))


def house_visit() -> CallSession:
    return booked(
        "A house visit at 4 Mill Lane, please.",
        service="House visit",
        at=TUESDAY_HALF_PAST_ONE,
        ends="2026-12-15T14:30:00-05:00",
        customer="Jo Lund",
        price="from £95 to £140",
    )
