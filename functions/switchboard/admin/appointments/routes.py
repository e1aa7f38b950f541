"""The owners' HTTP API for appointments that people of the business make and change: `…/appointments…`."""

from typing import Annotated, TypeAlias

from fastapi import Header, Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, revised_answer, saved_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.models import Revisioned
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.appointments.listing import AppointmentFilter, period
from switchboard.admin.appointments.models import (
    AppointmentBody,
    AppointmentCorrection,
    AppointmentDone,
    AppointmentList,
    AppointmentMissed,
    AppointmentMove,
    AppointmentQuery,
    AppointmentShown,
)
from switchboard.admin.appointments.office import AppointmentOffice, Done

_ONCE = "The same for every try of one wish, which is then done once and answered alike."
Once: TypeAlias = Annotated[str, Header(alias="Idempotency-Key", max_length=200, description=_ONCE)]
"""A handler's parameter: by what a wish that is sent again is known."""


class AppointmentEndpoints(EndpointGroup):
    """`/businesses/{id}/appointments…`."""

    _BASE, _ONE = "/businesses/{business_id}/appointments", "/businesses/{business_id}/appointments/{booking_id}"
    _SEE, _EDIT = Operation.SEE_CONVERSATIONS, Operation.EDIT_BUSINESS

    def __init__(self, office: AppointmentOffice) -> None:
        self._office = office

    @endpoint("GET", _BASE, _SEE, AppointmentList)
    async def _list(self, permit: Caller, query: Annotated[AppointmentQuery, Query()]) -> Response:
        """Find appointments by day, with whom and of whom."""
        span, page = query.wanted(), query.page(1)
        place = await self._office.place(permit.business_id)
        since, until = period(place.business, span.since, span.until, query.day, query.days)
        wanted = AppointmentFilter(since, until, query.person or "", query.text or "")
        part = await self._office.listed(place, wanted, page)
        zone = place.business.timezone.key
        return json_answer({"appointments": part.items, "nextCursor": part.next_cursor, "timezone": zone})

    @endpoint("POST", _BASE, _EDIT, AppointmentDone, 201)
    async def _make(self, permit: Caller, body: AppointmentBody, once: Once = "") -> Response:
        """Make an appointment."""
        return _answer(await self._office.make(permit, body.sent(), once.strip()), 201)

    @endpoint("GET", _ONE, _SEE, AppointmentShown, tells_revision=True)
    async def _one(self, permit: Caller, booking_id: str) -> Response:
        """Read an appointment with what can be done."""
        return revised_answer(await self._office.one(await self._office.place(permit.business_id), booking_id))

    @endpoint("PATCH", _ONE, _EDIT, AppointmentDone, is_revisioned=True)
    async def _correct(
        self, permit: Caller, booking_id: str, based_on: BasedOn, body: AppointmentCorrection, once: Once = ""
    ) -> Response:
        """Correct whom an appointment is for."""
        given = {name: value for name, value in body.sent().items() if value is not None}
        return _answer(await self._office.correct(permit, booking_id, based_on, given, once.strip()))

    @endpoint("POST", f"{_ONE}/move", _EDIT, AppointmentDone, is_revisioned=True)
    async def _move(
        self, permit: Caller, booking_id: str, based_on: BasedOn, body: AppointmentMove, once: Once = ""
    ) -> Response:
        """Move an appointment."""
        return _answer(await self._office.move(permit, booking_id, based_on, body.sent(), once.strip()))

    @endpoint("POST", f"{_ONE}/cancel", _EDIT, AppointmentDone, is_revisioned=True)
    async def _cancel(
        self, permit: Caller, booking_id: str, based_on: BasedOn, body: Revisioned, once: Once = ""
    ) -> Response:
        """Cancel an appointment."""
        return _answer(await self._office.cancel(permit, booking_id, based_on, once.strip()))

    @endpoint("POST", f"{_ONE}/no-show", _EDIT, AppointmentDone, is_revisioned=True)
    async def _miss(self, permit: Caller, booking_id: str, based_on: BasedOn, body: AppointmentMissed) -> Response:
        """Note whether somebody came to an appointment."""
        return _answer(await self._office.miss(permit, booking_id, based_on, is_missed=body.missed))


def _answer(done: Done, status: int = 200) -> Response:
    row, is_repeated, saved = done
    return saved_answer({"appointment": row, "repeated": is_repeated}, saved, status)
