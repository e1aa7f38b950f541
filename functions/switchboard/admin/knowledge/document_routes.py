"""`/admin/businesses/{business_id}/documents`: the longer texts that are searched when a caller asks.

A document is plain text or Markdown. It is cut into passages between its paragraphs, and what a caller is answered from
is one of these; reading a document shows them.
"""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.access import Permit
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
    KnowledgeBody,
    KnowledgeChange,
)
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Document
from switchboard.desk.knowledge.chunk import knowledge_passages

_USUAL = 25
_EXCERPT = 200
_LONGEST_TOPIC = 200


class DocumentEndpoints:
    """The endpoints of a business's documents."""

    def __init__(self, documents: Entries) -> None:
        """Answer from these."""
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
        found = await self._documents.found(permit.business_id, query.page(0, _USUAL), topic)
        lines = [self._line(permit, document) for document in found.items]
        return json_answer({"documents": lines, "nextCursor": found.next_cursor})

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
            "updatedAt": document.update_time,
            "updatedBy": data.get("updatedBy"),
        }

    def _line(self, permit: Permit, document: Document) -> JsonObject:
        content = _content(document)
        excerpt = " ".join(content[: 2 * _EXCERPT].split())[:_EXCERPT]
        count = sum(1 for _ in knowledge_passages([document]))
        head = self._head(permit, document)
        return head | {"excerpt": excerpt, "characters": len(content), "passageCount": count}

    def _whole(self, permit: Permit, document: Document) -> JsonObject:
        passages = [passage.text for passage in knowledge_passages([document])]
        return self._head(permit, document) | {"content": _content(document), "passages": passages}


def _content(document: Document) -> str:
    # Whoever writes documents past this API may call it either, and both are searched.
    return str(document.data.get("content") or document.data.get("text") or "")


def _said(body: KnowledgeBody) -> JsonObject:
    """Return a body without optional fields that say nothing."""
    return {name: value for name, value in body.sent().items() if value != ""}
