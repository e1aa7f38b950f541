"""`/tts_admin/policies/{business_id}` and `/tts_admin/faqs/{business_id}`: as seed 000 shows them, and more.

The seed's POST and GET answer exactly its shapes. What an edit is based on travels in headers: `ETag` and `If-Match`.
"""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import Forbidden
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.audit.revisions import Saved
from switchboard.admin.knowledge.entries import Entries
from switchboard.admin.knowledge.models import (
    EntryQuery,
    EntryRemoved,
    FaqAnswer,
    FaqBody,
    FaqChange,
    FaqList,
    FaqQuery,
    PolicyAnswer,
    PolicyBody,
    PolicyChange,
    PolicyList,
    PolicyQuery,
)
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Document

_LONGEST_TOPIC = 200


class EntryEndpoints:
    """The endpoints of one form of entries; `PolicyEndpoints` and `FaqEndpoints` say what is sent to them."""

    def __init__(self, entries: Entries) -> None:
        """Answer from these."""
        self._entries, self._form = entries, entries.form

    async def _read(self, permit: Caller, id: str) -> Response:
        found = await self._entries.read(permit.business_id, id)
        return json_answer(self._one(permit, found), revision=self._entries.kind.revision(found))

    async def _remove(self, permit: Caller, id: str, based_on: BasedOn) -> Response:
        return saved_answer({"status": "ok", "id": id}, await self._entries.remove(permit, id, based_on))

    async def _listed(self, permit: Permit, query: EntryQuery) -> Response:
        page, topic = query.page(0, self._form.most), (query.topic or "")[:_LONGEST_TOPIC] or None
        found = await self._entries.listed(permit.business_id, page, topic)
        body: JsonObject = {"status": "ok", self._form.collection: found.items}
        # Only where there is more: otherwise the answer is the seed's.
        return json_answer(body | ({"next_cursor": found.next_cursor} if found.next_cursor else {}))

    async def _created(self, permit: Permit, body: PolicyBody | FaqBody) -> Response:
        return self._saved(permit, await self._entries.create(permit, _of_business(body, permit)))

    async def _replaced(
        self, permit: Permit, id: str, based_on: str | None, body: PolicyChange | FaqChange
    ) -> Response:
        return self._saved(permit, await self._entries.replace(permit, id, based_on, _of_business(body, permit)))

    def _saved(self, permit: Permit, saved: Saved) -> Response:
        assert saved.document is not None
        return saved_answer(self._one(permit, saved.document), saved)

    def _one(self, permit: Permit, document: Document) -> JsonObject:
        return {"status": "ok", self._form.one: self._entries.shown(permit.business_id, document)}


class PolicyEndpoints(EntryEndpoints):
    """The endpoints of policies."""

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, see, edit = "/policies/{business_id}", Operation.SEE_ENTRIES, Operation.EDIT_ENTRIES
        one = f"{base}/{{id}}"
        return (
            Endpoint("POST", base, edit, "Create one of the policies", self._create, PolicyAnswer),
            Endpoint("GET", base, see, "List policies", self._list, PolicyList),
            Endpoint("GET", one, see, "Read one of the policies", self._read, PolicyAnswer),
            Endpoint("PUT", one, edit, "Replace one of the policies", self._replace, PolicyAnswer, is_revisioned=True),
            Endpoint("DELETE", one, edit, "Remove one of the policies", self._remove, EntryRemoved, is_revisioned=True),
        )

    async def _create(self, permit: Caller, body: PolicyBody) -> Response:
        return await self._created(permit, body)

    async def _list(self, permit: Caller, query: Annotated[PolicyQuery, Query()]) -> Response:
        return await self._listed(permit, query)

    async def _replace(self, permit: Caller, id: str, based_on: BasedOn, body: PolicyChange) -> Response:
        return await self._replaced(permit, id, based_on, body)


class FaqEndpoints(EntryEndpoints):
    """The endpoints of questions with their answers."""

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, see, edit = "/faqs/{business_id}", Operation.SEE_ENTRIES, Operation.EDIT_ENTRIES
        one = f"{base}/{{id}}"
        return (
            Endpoint("POST", base, edit, "Create one of the faqs", self._create, FaqAnswer),
            Endpoint("GET", base, see, "List faqs", self._list, FaqList),
            Endpoint("GET", one, see, "Read one of the faqs", self._read, FaqAnswer),
            Endpoint("PUT", one, edit, "Replace one of the faqs", self._replace, FaqAnswer, is_revisioned=True),
            Endpoint("DELETE", one, edit, "Remove one of the faqs", self._remove, EntryRemoved, is_revisioned=True),
        )

    async def _create(self, permit: Caller, body: FaqBody) -> Response:
        return await self._created(permit, body)

    async def _list(self, permit: Caller, query: Annotated[FaqQuery, Query()]) -> Response:
        return await self._listed(permit, query)

    async def _replace(self, permit: Caller, id: str, based_on: BasedOn, body: FaqChange) -> Response:
        return await self._replaced(permit, id, based_on, body)


def _of_business(body: PolicyBody | FaqBody, permit: Permit) -> JsonObject:
    """Return what was sent without the business it names, which must be the one of the path."""
    if body.business_id not in (None, permit.business_id):
        raise Forbidden("The body names another business than the address.")
    return body.sent("business_id")
