"""The owners' HTTP API for callers: `/businesses/{id}/restrictions…`, `…/text-stops…` and `…/visits…`."""

from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.callers.models import (
    RestrictionBody,
    RestrictionLifted,
    RestrictionList,
    RestrictionShown,
    RestrictionsMade,
    TextStopBody,
    TextStopLifted,
    TextStopList,
    TextStopRemoval,
    TextStopShown,
    VisitEnded,
    VisitList,
    VisitShown,
)
from switchboard.admin.callers.portal_visits import PortalVisits
from switchboard.admin.callers.restrictions import Restrictions
from switchboard.admin.callers.text_stops import TextStops

_SEE, _EDIT = Operation.SEE_CONVERSATIONS, Operation.EDIT_SAFEGUARDS


class RestrictionEndpoints:
    """`/businesses/{id}/restrictions…`."""

    def __init__(self, restrictions: Restrictions) -> None:
        self._restrictions = restrictions

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, one = "/businesses/{business_id}/restrictions", "/businesses/{business_id}/restrictions/{place}/{id}"
        return (
            Endpoint("GET", base, _SEE, "List who is flagged or blocked", self._list, RestrictionList),
            Endpoint("POST", base, _EDIT, "Flag or block a number", self._add, RestrictionsMade, 201),
            Endpoint("GET", one, _SEE, "Read what stands against a caller", self._one, RestrictionShown),
            Endpoint(
                *("DELETE", one, _EDIT, "Lift a flag and a block", self._lift, RestrictionLifted), is_revisioned=True
            ),
        )

    async def _list(self, permit: Caller) -> Response:
        rows, is_whole = await self._restrictions.listed(permit.business_id)
        return json_answer({"restrictions": rows, "isWhole": is_whole})

    async def _add(self, permit: Caller, body: RestrictionBody) -> Response:
        rows, saved = await self._restrictions.add(permit, body.sent())
        return saved_answer({"restrictions": rows}, saved, 201)

    async def _one(self, permit: Caller, place: str, id: str) -> Response:
        shown = await self._restrictions.one(permit.business_id, place, id)
        return json_answer(shown, revision=shown["revision"])

    async def _lift(self, permit: Caller, place: str, id: str, based_on: BasedOn) -> Response:
        return saved_answer({"lifted": True}, await self._restrictions.lift(permit, place, id, based_on))


class TextStopEndpoints:
    """`/businesses/{id}/text-stops…`."""

    def __init__(self, stops: TextStops) -> None:
        self._stops = stops

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, one = "/businesses/{business_id}/text-stops", "/businesses/{business_id}/text-stops/{number}"
        return (
            Endpoint("GET", base, _SEE, "List numbers that get no texts", self._list, TextStopList),
            Endpoint("POST", base, _EDIT, "Text a number no more", self._add, TextStopShown, 201),
            Endpoint("GET", one, _SEE, "Read why a number gets no texts", self._one, TextStopShown),
            Endpoint(*("DELETE", one, _EDIT, "Text a number again", self._lift, TextStopLifted), is_revisioned=True),
        )

    async def _list(self, permit: Caller) -> Response:
        rows, is_whole = await self._stops.listed(permit.business_id)
        return json_answer({"textStops": rows, "isWhole": is_whole})

    async def _add(self, permit: Caller, body: TextStopBody) -> Response:
        row, saved = await self._stops.add(permit, body.phone)
        return saved_answer(row, saved, 201)

    async def _one(self, permit: Caller, number: str) -> Response:
        shown = await self._stops.one(permit.business_id, number)
        return json_answer(shown, revision=shown["revision"])

    async def _lift(self, permit: Caller, number: str, based_on: BasedOn, body: TextStopRemoval) -> Response:
        saved = await self._stops.lift(permit, number, based_on, is_sure=body.confirm)
        return saved_answer({"lifted": True}, saved)


class PortalVisitEndpoints:
    """`/businesses/{id}/visits…`."""

    def __init__(self, visits: PortalVisits) -> None:
        self._visits = visits

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, one = "/businesses/{business_id}/visits", "/businesses/{business_id}/visits/{visit_id}"
        return (
            Endpoint("GET", base, _SEE, "List visits by link", self._list, VisitList),
            Endpoint("GET", one, _SEE, "Read a visit by link", self._one, VisitShown),
            Endpoint("DELETE", one, _EDIT, "End a visit by link", self._end, VisitEnded, is_revisioned=True),
        )

    async def _list(self, permit: Caller) -> Response:
        return json_answer({"visits": await self._visits.listed(permit.business_id)})

    async def _one(self, permit: Caller, visit_id: str) -> Response:
        shown = await self._visits.one(permit.business_id, visit_id)
        return json_answer(shown, revision=shown["revision"])

    async def _end(self, permit: Caller, visit_id: str, based_on: BasedOn) -> Response:
        return saved_answer({"ended": True}, await self._visits.end(permit, visit_id, based_on))
