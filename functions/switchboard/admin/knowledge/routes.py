"""The owners' HTTP API for what their receptionist knows: policies and questions of seed 000, and documents."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import Forbidden
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, revised_answer, saved_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.audit.revisions import Saved
from switchboard.admin.knowledge.entries import Entries
from switchboard.admin.knowledge.models import (
    DocumentList,
    DocumentQuery,
    DocumentRemoved,
    DocumentShown,
    EntryQuery,
    EntryRemoved,
    FaqAnswer,
    FaqBody,
    FaqChange,
    FaqList,
    FaqQuery,
    KnowledgeBody,
    KnowledgeChange,
    PolicyAnswer,
    PolicyBody,
    PolicyChange,
    PolicyList,
    PolicyQuery,
)
from switchboard.admin.knowledge.nearness import NearEntry
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Document
from switchboard.desk.knowledge.chunk import content_of, knowledge_passages

_LONGEST_TOPIC = 200


class EntryEndpoints(EndpointGroup):
    """The endpoints of one form of entries; `PolicyEndpoints` and `FaqEndpoints` say what is sent to them."""

    def __init__(self, entries: Entries) -> None:
        self._entries, self._form = entries, entries.form

    async def _one(self, permit: Permit, id: str) -> Response:
        document = await self._entries.read(permit.business_id, id)
        return json_answer(self._shown(permit, document), revision=self._entries.kind.revision(document))

    async def _removed(self, permit: Permit, id: str, based_on: str | None) -> Response:
        return saved_answer({"status": "ok", "id": id}, await self._entries.remove(permit, id, based_on))

    async def _listed(self, permit: Permit, query: EntryQuery) -> Response:
        page, topic = query.page(0, self._form.most), (query.topic or "")[:_LONGEST_TOPIC] or None
        entries = await self._entries.listed(permit.business_id, page, topic)
        body: JsonObject = {"status": "ok", self._form.collection: entries.items}
        # Only where there is more: otherwise the answer is the seed's.
        return json_answer(body | ({"next_cursor": entries.next_cursor} if entries.next_cursor else {}))

    async def _created(self, permit: Permit, body: PolicyBody | FaqBody) -> Response:
        given, alongside = _of_business(body, permit), body.alongside
        near: list[NearEntry] = []
        if alongside is None:
            # Whoever sends what the seed shows knows of no question: theirs is saved, and they are told what is near.
            [near] = await self._entries.near(permit.business_id, [given])
            alongside = [it.passage.id for it in near]
        saved = await self._entries.create(permit, given, alongside)
        more: JsonObject = {"near": [it.to_json() for it in near]} if near else {}
        return self._saved(permit, saved, more)

    async def _replaced(
        self, permit: Permit, id: str, based_on: str | None, body: PolicyChange | FaqChange
    ) -> Response:
        return self._saved(
            permit, await self._entries.replace(permit, id, based_on, _of_business(body, permit), body.alongside or ())
        )

    def _saved(self, permit: Permit, saved: Saved, more: JsonObject | None = None) -> Response:
        assert saved.document is not None
        return saved_answer(self._shown(permit, saved.document) | (more or {}), saved)

    def _shown(self, permit: Permit, document: Document) -> JsonObject:
        return {"status": "ok", self._form.one: self._entries.shown(permit.business_id, document)}


class PolicyEndpoints(EntryEndpoints):
    """The endpoints of policies."""

    _BASE, _SEE, _EDIT = "/policies/{business_id}", Operation.SEE_ENTRIES, Operation.EDIT_ENTRIES
    _ONE = f"{_BASE}/{{id}}"

    @endpoint("POST", _BASE, _EDIT, PolicyAnswer, once=_ONE)
    async def _create(self, permit: Caller, body: PolicyBody) -> Response:
        """Create one of the policies."""
        return await self._created(permit, body)

    @endpoint("GET", _BASE, _SEE, PolicyList)
    async def _list(self, permit: Caller, query: Annotated[PolicyQuery, Query()]) -> Response:
        """List policies."""
        return await self._listed(permit, query)

    @endpoint("GET", _ONE, _SEE, PolicyAnswer)
    async def _read(self, permit: Caller, id: str) -> Response:
        """Read one of the policies."""
        return await self._one(permit, id)

    @endpoint("PUT", _ONE, _EDIT, PolicyAnswer, is_revisioned=True)
    async def _replace(self, permit: Caller, id: str, based_on: BasedOn, body: PolicyChange) -> Response:
        """Replace one of the policies."""
        return await self._replaced(permit, id, based_on, body)

    @endpoint("DELETE", _ONE, _EDIT, EntryRemoved, is_revisioned=True)
    async def _remove(self, permit: Caller, id: str, based_on: BasedOn) -> Response:
        """Remove one of the policies."""
        return await self._removed(permit, id, based_on)


class FaqEndpoints(EntryEndpoints):
    """The endpoints of questions with their answers."""

    _BASE, _SEE, _EDIT = "/faqs/{business_id}", Operation.SEE_ENTRIES, Operation.EDIT_ENTRIES
    _ONE = f"{_BASE}/{{id}}"

    @endpoint("POST", _BASE, _EDIT, FaqAnswer, once=_ONE)
    async def _create(self, permit: Caller, body: FaqBody) -> Response:
        """Create one of the faqs."""
        return await self._created(permit, body)

    @endpoint("GET", _BASE, _SEE, FaqList)
    async def _list(self, permit: Caller, query: Annotated[FaqQuery, Query()]) -> Response:
        """List faqs."""
        return await self._listed(permit, query)

    @endpoint("GET", _ONE, _SEE, FaqAnswer)
    async def _read(self, permit: Caller, id: str) -> Response:
        """Read one of the faqs."""
        return await self._one(permit, id)

    @endpoint("PUT", _ONE, _EDIT, FaqAnswer, is_revisioned=True)
    async def _replace(self, permit: Caller, id: str, based_on: BasedOn, body: FaqChange) -> Response:
        """Replace one of the faqs."""
        return await self._replaced(permit, id, based_on, body)

    @endpoint("DELETE", _ONE, _EDIT, EntryRemoved, is_revisioned=True)
    async def _remove(self, permit: Caller, id: str, based_on: BasedOn) -> Response:
        """Remove one of the faqs."""
        return await self._removed(permit, id, based_on)


def _of_business(body: PolicyBody | FaqBody, permit: Permit) -> JsonObject:
    """Return what was sent without the business it names, which must be the one of the path."""
    if body.business_id not in (None, permit.business_id):
        raise Forbidden("The body names another business than the address.")
    return body.sent("business_id", "alongside")


_USUAL = 25
_EXCERPT = 200


class DocumentEndpoints(EndpointGroup):
    """The endpoints of a business's documents."""

    _BASE, _SEE, _EDIT = "/businesses/{business_id}/documents", Operation.SEE_ENTRIES, Operation.EDIT_ENTRIES
    _ONE = f"{_BASE}/{{id}}"

    def __init__(self, documents: Entries) -> None:
        self._documents = documents

    @endpoint("GET", _BASE, _SEE, DocumentList)
    async def _list(self, permit: Caller, query: Annotated[DocumentQuery, Query()]) -> Response:
        """List documents, without their content."""
        topic = (query.topic or "")[:_LONGEST_TOPIC] or None
        documents = await self._documents.found(permit.business_id, query.page(0, _USUAL), topic)
        lines = [self._line(permit, document) for document in documents.items]
        return json_answer({"documents": lines, "nextCursor": documents.next_cursor})

    @endpoint("POST", _BASE, _EDIT, DocumentShown, 201, once=_ONE)
    async def _create(self, permit: Caller, body: KnowledgeBody) -> Response:
        """Add a document."""
        return self._saved(permit, await self._documents.create(permit, _said(body)), 201)

    @endpoint("GET", _ONE, _SEE, DocumentShown)
    async def _read(self, permit: Caller, id: str) -> Response:
        """Read a document, and the passages it is searched by."""
        shown = self._whole(permit, await self._documents.read(permit.business_id, id))
        return revised_answer(shown)

    @endpoint("PUT", _ONE, _EDIT, DocumentShown, is_revisioned=True)
    async def _replace(self, permit: Caller, id: str, based_on: BasedOn, body: KnowledgeChange) -> Response:
        """Replace a document."""
        return self._saved(permit, await self._documents.replace(permit, id, based_on, _said(body)))

    @endpoint("DELETE", _ONE, _EDIT, DocumentRemoved, is_revisioned=True)
    async def _remove(self, permit: Caller, id: str, based_on: BasedOn) -> Response:
        """Remove a document."""
        saved = await self._documents.remove(permit, id, based_on)
        return saved_answer({"deleted": id, "entryId": saved.entry_id}, saved)

    def _saved(self, permit: Permit, saved: Saved, status: int = 200) -> Response:
        assert saved.document is not None
        return saved_answer(self._whole(permit, saved.document), saved, status)

    def _head(self, permit: Permit, document: Document) -> JsonObject:
        data, tags = document.data, document.data.get("tags")
        return {
            "id": document.id,
            "businessId": permit.business_id,
            "revision": self._documents.kind.revision(document),
            **{name: str(data.get(name) or "") for name in ("title", "topic", "source")},
            "tags": [str(tag) for tag in tags] if isinstance(tags, list) else [],
            "origin": _origin(document),
            "updatedAt": document.update_time,
            "updatedBy": data.get("updatedBy"),
        }

    def _line(self, permit: Permit, document: Document) -> JsonObject:
        content = content_of(document)
        excerpt = " ".join(content[: 2 * _EXCERPT].split())[:_EXCERPT]
        count = sum(1 for _ in knowledge_passages([document]))
        head = self._head(permit, document)
        return head | {"excerpt": excerpt, "characters": len(content), "passageCount": count}

    def _whole(self, permit: Permit, document: Document) -> JsonObject:
        passages = [passage.text for passage in knowledge_passages([document])]
        parts = document.data.get("parts")
        shown = [part for part in parts if isinstance(part, Mapping)] if isinstance(parts, list) else []
        return self._head(permit, document) | {
            "content": content_of(document),
            "parts": [{name: str(part.get(name) or "") for name in ("place", "text")} for part in shown],
            "passages": passages,
        }


def _origin(document: Document) -> JsonObject | None:
    origin = document.data.get("origin")
    if not isinstance(origin, Mapping):
        return None
    unread = origin.get("unread")
    texts = {name: str(origin.get(name) or "") for name in ("kind", "name", "readOn")}
    return texts | {"unread": [str(one) for one in unread] if isinstance(unread, list) else []}


def _said(body: KnowledgeBody) -> JsonObject:
    """Return a body without optional fields that say nothing."""
    return {name: value for name, value in body.sent().items() if value != ""}
