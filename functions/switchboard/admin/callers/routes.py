"""The owners' HTTP API for callers: `/businesses/{id}/restrictions…`, `…/text-stops…` and `…/visits…`."""

from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, revised_answer, saved_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
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


class RestrictionEndpoints(EndpointGroup):
    """`/businesses/{id}/restrictions…`."""

    _BASE, _ONE = "/businesses/{business_id}/restrictions", "/businesses/{business_id}/restrictions/{place}/{id}"

    def __init__(self, restrictions: Restrictions) -> None:
        self._restrictions = restrictions

    @endpoint("GET", _BASE, _SEE, RestrictionList)
    async def _list(self, permit: Caller) -> Response:
        """List who is flagged or blocked."""
        rows, is_whole = await self._restrictions.listed(permit.business_id)
        return json_answer({"restrictions": rows, "isWhole": is_whole})

    @endpoint("POST", _BASE, _EDIT, RestrictionsMade, 201)
    async def _add(self, permit: Caller, body: RestrictionBody) -> Response:
        """Flag or block a number."""
        rows, saved = await self._restrictions.add(permit, body.sent())
        return saved_answer({"restrictions": rows}, saved, 201)

    @endpoint("GET", _ONE, _SEE, RestrictionShown)
    async def _one(self, permit: Caller, place: str, id: str) -> Response:
        """Read what stands against a caller."""
        return revised_answer(await self._restrictions.one(permit.business_id, place, id))

    @endpoint("DELETE", _ONE, _EDIT, RestrictionLifted, is_revisioned=True)
    async def _lift(self, permit: Caller, place: str, id: str, based_on: BasedOn) -> Response:
        """Lift a flag and a block."""
        return saved_answer({"lifted": True}, await self._restrictions.lift(permit, place, id, based_on))


class TextStopEndpoints(EndpointGroup):
    """`/businesses/{id}/text-stops…`."""

    _BASE, _ONE = "/businesses/{business_id}/text-stops", "/businesses/{business_id}/text-stops/{number}"

    def __init__(self, stops: TextStops) -> None:
        self._stops = stops

    @endpoint("GET", _BASE, _SEE, TextStopList)
    async def _list(self, permit: Caller) -> Response:
        """List numbers that get no texts."""
        rows, is_whole = await self._stops.listed(permit.business_id)
        return json_answer({"textStops": rows, "isWhole": is_whole})

    @endpoint("POST", _BASE, _EDIT, TextStopShown, 201, once=_ONE)
    async def _add(self, permit: Caller, body: TextStopBody) -> Response:
        """Text a number no more."""
        return saved_answer(*await self._stops.add(permit, body.phone), 201)

    @endpoint("GET", _ONE, _SEE, TextStopShown)
    async def _one(self, permit: Caller, number: str) -> Response:
        """Read why a number gets no texts."""
        return revised_answer(await self._stops.one(permit.business_id, number))

    @endpoint("DELETE", _ONE, _EDIT, TextStopLifted, is_revisioned=True)
    async def _lift(self, permit: Caller, number: str, based_on: BasedOn, body: TextStopRemoval) -> Response:
        """Text a number again."""
        saved = await self._stops.lift(permit, number, based_on, is_sure=body.confirm)
        return saved_answer({"lifted": True}, saved)


class PortalVisitEndpoints(EndpointGroup):
    """`/businesses/{id}/visits…`."""

    _BASE, _ONE = "/businesses/{business_id}/visits", "/businesses/{business_id}/visits/{visit_id}"

    def __init__(self, visits: PortalVisits) -> None:
        self._visits = visits

    @endpoint("GET", _BASE, _SEE, VisitList)
    async def _list(self, permit: Caller) -> Response:
        """List visits by link."""
        return json_answer({"visits": await self._visits.listed(permit.business_id)})

    @endpoint("GET", _ONE, _SEE, VisitShown)
    async def _one(self, permit: Caller, visit_id: str) -> Response:
        """Read a visit by link."""
        return revised_answer(await self._visits.one(permit.business_id, visit_id))

    @endpoint("DELETE", _ONE, _EDIT, VisitEnded, is_revisioned=True)
    async def _end(self, permit: Caller, visit_id: str, based_on: BasedOn) -> Response:
        """End a visit by link."""
        return saved_answer({"ended": True}, await self._visits.end(permit, visit_id, based_on))
