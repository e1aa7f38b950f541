"""The owners' HTTP API for appointments that people of the business make and change: `…/appointments…`."""

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeAlias

from fastapi import Header, Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint
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


class AppointmentEndpoints:
    """`/businesses/{id}/appointments…`."""

    def __init__(self, office: AppointmentOffice) -> None:
        self._office = office

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, see, edit = "/businesses/{business_id}/appointments", Operation.SEE_CONVERSATIONS, Operation.EDIT_BUSINESS
        one = f"{base}/{{booking_id}}"
        find = "Find appointments by day, with whom and of whom"
        missed = "Note whether somebody came to an appointment"
        return (
            Endpoint("GET", base, see, find, self._list, AppointmentList),
            Endpoint("POST", base, edit, "Make an appointment", self._make, AppointmentDone, 201),
            Endpoint(
                *("GET", one, see, "Read an appointment with what can be done", self._one, AppointmentShown),
                tells_revision=True,
            ),
            _changing("PATCH", one, "Correct whom an appointment is for", self._correct),
            _changing("POST", f"{one}/move", "Move an appointment", self._move),
            _changing("POST", f"{one}/cancel", "Cancel an appointment", self._cancel),
            _changing("POST", f"{one}/no-show", missed, self._miss),
        )

    async def _list(self, permit: Caller, query: Annotated[AppointmentQuery, Query()]) -> Response:
        span, page = query.wanted(), query.page(1)
        place = await self._office.place(permit.business_id)
        since, until = period(place.business, span.since, span.until, query.day, query.days)
        wanted = AppointmentFilter(since, until, query.person or "", query.text or "")
        part = await self._office.listed(place, wanted, page)
        zone = place.business.timezone.key
        return json_answer({"appointments": part.items, "nextCursor": part.next_cursor, "timezone": zone})

    async def _one(self, permit: Caller, booking_id: str) -> Response:
        row = await self._office.one(await self._office.place(permit.business_id), booking_id)
        return json_answer(row, revision=row["revision"])

    async def _make(self, permit: Caller, body: AppointmentBody, once: Once = "") -> Response:
        return _answer(await self._office.make(permit, body.sent(), once.strip()), 201)

    async def _correct(
        self, permit: Caller, booking_id: str, based_on: BasedOn, body: AppointmentCorrection, once: Once = ""
    ) -> Response:
        given = {name: value for name, value in body.sent().items() if value is not None}
        return _answer(await self._office.correct(permit, booking_id, based_on, given, once.strip()))

    async def _move(
        self, permit: Caller, booking_id: str, based_on: BasedOn, body: AppointmentMove, once: Once = ""
    ) -> Response:
        return _answer(await self._office.move(permit, booking_id, based_on, body.sent(), once.strip()))

    async def _cancel(
        self, permit: Caller, booking_id: str, based_on: BasedOn, body: Revisioned, once: Once = ""
    ) -> Response:
        return _answer(await self._office.cancel(permit, booking_id, based_on, once.strip()))

    async def _miss(self, permit: Caller, booking_id: str, based_on: BasedOn, body: AppointmentMissed) -> Response:
        return _answer(await self._office.miss(permit, booking_id, based_on, is_missed=body.missed))


def _changing(method: str, path: str, summary: str, handle: Callable[..., Awaitable[Response]]) -> Endpoint:
    return Endpoint(method, path, Operation.EDIT_BUSINESS, summary, handle, AppointmentDone, is_revisioned=True)


def _answer(done: Done, status: int = 200) -> Response:
    row, is_repeated, saved = done
    return saved_answer({"appointment": row, "repeated": is_repeated}, saved, status)
