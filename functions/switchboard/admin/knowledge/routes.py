"""The owners' HTTP API for what their receptionist knows: policies and questions of seed 000, and documents."""

from collections.abc import Mapping
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
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Document
from switchboard.desk.knowledge.chunk import content_of, knowledge_passages

_LONGEST_TOPIC = 200


class EntryEndpoints:
    """The endpoints of one form of entries; `PolicyEndpoints` and `FaqEndpoints` say what is sent to them."""

    def __init__(self, entries: Entries) -> None:
        self._entries, self._form = entries, entries.form

    async def _read(self, permit: Caller, id: str) -> Response:
        document = await self._entries.read(permit.business_id, id)
        return json_answer(self._one(permit, document), revision=self._entries.kind.revision(document))

    async def _remove(self, permit: Caller, id: str, based_on: BasedOn) -> Response:
        return saved_answer({"status": "ok", "id": id}, await self._entries.remove(permit, id, based_on))

    async def _listed(self, permit: Permit, query: EntryQuery) -> Response:
        page, topic = query.page(0, self._form.most), (query.topic or "")[:_LONGEST_TOPIC] or None
        entries = await self._entries.listed(permit.business_id, page, topic)
        body: JsonObject = {"status": "ok", self._form.collection: entries.items}
        # Only where there is more: otherwise the answer is the seed's.
        return json_answer(body | ({"next_cursor": entries.next_cursor} if entries.next_cursor else {}))

    async def _created(self, permit: Permit, body: PolicyBody | FaqBody) -> Response:
        return self._saved(permit, await self._entries.create(permit, _of_business(body, permit), body.alongside or ()))

    async def _replaced(
        self, permit: Permit, id: str, based_on: str | None, body: PolicyChange | FaqChange
    ) -> Response:
        return self._saved(
            permit, await self._entries.replace(permit, id, based_on, _of_business(body, permit), body.alongside or ())
        )

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
    return body.sent("business_id", "alongside")


_USUAL = 25
_EXCERPT = 200


class DocumentEndpoints:
    """The endpoints of a business's documents."""

    def __init__(self, documents: Entries) -> None:
        self._documents = documents

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, see, edit = "/businesses/{business_id}/documents", Operation.SEE_ENTRIES, Operation.EDIT_ENTRIES
        one = f"{base}/{{id}}"
        return (
            Endpoint("GET", base, see, "List documents, without their content", self._list, DocumentList),
            Endpoint("POST", base, edit, "Add a document", self._create, DocumentShown, 201),
            Endpoint("GET", one, see, "Read a document, and the passages it is searched by", self._read, DocumentShown),
            Endpoint("PUT", one, edit, "Replace a document", self._replace, DocumentShown, is_revisioned=True),
            Endpoint("DELETE", one, edit, "Remove a document", self._remove, DocumentRemoved, is_revisioned=True),
        )

    async def _list(self, permit: Caller, query: Annotated[DocumentQuery, Query()]) -> Response:
        topic = (query.topic or "")[:_LONGEST_TOPIC] or None
        documents = await self._documents.found(permit.business_id, query.page(0, _USUAL), topic)
        lines = [self._line(permit, document) for document in documents.items]
        return json_answer({"documents": lines, "nextCursor": documents.next_cursor})

    async def _create(self, permit: Caller, body: KnowledgeBody) -> Response:
        return self._saved(permit, await self._documents.create(permit, _said(body)), 201)

    async def _read(self, permit: Caller, id: str) -> Response:
        shown = self._whole(permit, await self._documents.read(permit.business_id, id))
        return json_answer(shown, revision=shown["revision"])

    async def _replace(self, permit: Caller, id: str, based_on: BasedOn, body: KnowledgeChange) -> Response:
        return self._saved(permit, await self._documents.replace(permit, id, based_on, _said(body)))

    async def _remove(self, permit: Caller, id: str, based_on: BasedOn) -> Response:
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
