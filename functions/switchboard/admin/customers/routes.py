"""The owners' HTTP API for customers: `/businesses/{id}/customers…`."""

import asyncio
from dataclasses import asdict
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.refusal import NotFound
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, revised_answer, saved_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.models import Revisioned
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.customers.history import CustomerHistoryReader, without_record
from switchboard.admin.customers.merging import CustomerUnion
from switchboard.admin.customers.models import (
    CustomerBody,
    CustomerCorrection,
    CustomerExport,
    CustomerForgotten,
    CustomerHistory,
    CustomerList,
    CustomerMerge,
    CustomerMerged,
    CustomerQuery,
    CustomerShown,
    DeletionShown,
)
from switchboard.admin.customers.records import CustomerRecords
from switchboard.admin.maintenance.deletion_jobs import DeletionJobs
from switchboard.admin.resources.consequences import BusinessView
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths

_TOLD = ("deleted", "cleared", "redacted", "upcoming", "outside", "left", "running", "rows")


class CustomerEndpoints(EndpointGroup):
    """`/businesses/{id}/customers…`."""

    _BASE, _SEE, _EDIT = "/businesses/{business_id}/customers", Operation.SEE_CONVERSATIONS, Operation.EDIT_SAFEGUARDS
    _ONE = f"{_BASE}/{{customer_id}}"

    def __init__(
        self,
        paths: Paths,
        records: CustomerRecords,
        history: CustomerHistoryReader,
        union: CustomerUnion,
        deletions: DeletionJobs,
    ) -> None:
        self._paths, self._records, self._history = paths, records, history
        self._union, self._deletions = union, deletions

    @endpoint("GET", _BASE, _SEE, CustomerList)
    async def _list(self, permit: Caller, query: Annotated[CustomerQuery, Query()]) -> Response:
        """Find customers by name, number or address."""
        words, only_flagged = (query.text or "").strip(), query.flagged == "1"
        listed = self._records.listed(permit.business_id, query.page(0), words, only_flagged=only_flagged)
        # An appointment tells no address in the form in which it is looked for.
        if not words or "@" in words or query.cursor or only_flagged:
            part, appointments = await listed, list[JsonObject]()
        else:
            part, appointments = await asyncio.gather(listed, self._appointments(permit.business_id, words))
        others = without_record(appointments, part.items)
        return json_answer({"customers": part.items, "withoutRecord": others, "nextCursor": part.next_cursor})

    async def _appointments(self, business_id: str, words: str) -> list[JsonObject]:
        business = await self._records.business(business_id)
        return await self._history.appointments_of(BusinessView(business, self._paths.within(business_id)), words)

    @endpoint("POST", _BASE, _EDIT, CustomerShown, 201, once=_ONE)
    async def _enter(self, permit: Caller, body: CustomerBody) -> Response:
        """Enter a customer."""
        return saved_answer(*await self._records.enter(permit, body.sent()), 201)

    @endpoint("GET", _ONE, _SEE, CustomerShown, tells_revision=True)
    async def _one(self, permit: Caller, customer_id: str) -> Response:
        """Read a customer."""
        return revised_answer(await self._records.one(permit.business_id, customer_id))

    @endpoint("PATCH", _ONE, _EDIT, CustomerShown, is_revisioned=True)
    async def _correct(self, permit: Caller, customer_id: str, based_on: BasedOn, body: CustomerCorrection) -> Response:
        """Correct a customer."""
        return saved_answer(*await self._records.correct(permit, customer_id, based_on, body.sent()))

    @endpoint("GET", f"{_ONE}/history", _SEE, CustomerHistory)
    async def _of(self, permit: Caller, customer_id: str) -> Response:
        """Read what there is of a customer."""
        return json_answer(await self._history.of(permit.business_id, customer_id))

    @endpoint("GET", f"{_ONE}/export", _EDIT, CustomerExport)
    async def _export(self, permit: Caller, customer_id: str) -> Response:
        """Export all that is kept of a customer."""
        return json_answer(await self._union.export(permit.business_id, customer_id))

    @endpoint("POST", f"{_ONE}/merge", _EDIT, CustomerMerged, is_revisioned=True)
    async def _merge(self, permit: Caller, customer_id: str, based_on: BasedOn, body: CustomerMerge) -> Response:
        """Make two records of a customer one."""
        shown, moved, saved = await self._union.merge(permit, customer_id, based_on, body.other.strip())
        return saved_answer({"customer": shown, "moved": moved}, saved)

    @endpoint("POST", f"{_ONE}/forget", _EDIT, CustomerForgotten, is_revisioned=True, later_status=202)
    async def _forget(self, permit: Caller, customer_id: str, based_on: BasedOn, body: Revisioned) -> Response:
        """Delete what is kept of a customer."""
        forgotten, begun, saved = await self._union.forget(permit, customer_id, based_on)
        told = {name: value for name, value in asdict(forgotten).items() if name in _TOLD}
        if begun is None:
            return saved_answer(told, saved)
        answer = saved_answer(told | {"deletion": begun.id}, saved, 202)
        answer.headers["Location"] = f"/admin/businesses/{permit.business_id}/deletions/{begun.id}"
        return answer

    @endpoint("GET", "/businesses/{business_id}/deletions/{deletion_id}", _EDIT, DeletionShown)
    async def _deletion(self, permit: Caller, deletion_id: str) -> Response:
        """Read how far a deletion is."""
        deletion = await self._deletions.read(permit.business_id, deletion_id)
        if deletion is None:
            raise NotFound("There is no deletion of that id: it was done at once, or more than thirty days ago.")
        shown = {
            "id": deletion.id,
            "what": deletion.what,
            "done": deletion.is_done,
            "deleted": deletion.written,
            "lookedAt": deletion.looked_at,
            "startedAt": deletion.started_at,
            "changedAt": deletion.changed_at,
            "doneAt": deletion.done_at,
        }
        return json_answer(shown)
