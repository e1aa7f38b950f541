"""`/admin/businesses/{business_id}/documents`: the longer texts that are searched when a caller asks.

A document is plain text or Markdown. It is cut into passages between its paragraphs, and what a caller is answered from
is one of these; reading a document shows them.
"""

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.paging import read_page
from switchboard.admin.api.request_body import json_body, revisioned_body
from switchboard.admin.api.schemas import COUNT, MAYBE_TEXT, PAGING, TEXT, TEXTS, TIME, paged, record
from switchboard.admin.audit.revisions import Saved
from switchboard.admin.knowledge.entries import Entries
from switchboard.admin.knowledge.entry_form import DOCUMENT
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Document
from switchboard.desk.knowledge.chunk import knowledge_passages

_USUAL, _MOST = 25, 50
_EXCERPT = 200
_LONGEST_TOPIC = 200
_HEAD: dict[str, JsonObject] = {
    **dict.fromkeys(("id", "businessId", "revision", "title", "topic", "source"), TEXT),
    "tags": TEXTS,
    "updatedAt": TIME,
    "updatedBy": MAYBE_TEXT,
}
_LINE = record({**_HEAD, "excerpt": TEXT, "characters": COUNT, "passageCount": COUNT})
_WHOLE = record({**_HEAD, "content": TEXT, "passages": TEXTS})
_GONE = record({"deleted": TEXT, "entryId": MAYBE_TEXT})


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
        query = {
            "topic": {**TEXT, "description": "Only of this topic."},
            "limit": {**PAGING["limit"], "maximum": _MOST},
            "cursor": PAGING["cursor"],
        }
        lines, body, changed = paged("documents", _LINE), _body(), _body(revision=TEXT)
        return (
            Endpoint("GET", base, see, "List documents, without their content", self._list, lines, query=query),
            Endpoint("POST", base, edit, "Add a document", self._create, _WHOLE, 201, body=body),
            Endpoint("GET", one, see, "Read a document, and the passages it is searched by", self._read, _WHOLE),
            Endpoint(
                *("PUT", one, edit, "Replace a document", self._replace, _WHOLE), body=changed, is_revisioned=True
            ),
            Endpoint("DELETE", one, edit, "Remove a document", self._remove, _GONE, is_revisioned=True),
        )

    async def _list(self, request: Request, permit: Permit) -> Response:
        query = request.query_params
        page = read_page(query, 0, usual=_USUAL, most=_MOST)
        found = await self._documents.found(permit.business_id, page, query.get("topic", "")[:_LONGEST_TOPIC] or None)
        lines = [self._line(permit, document) for document in found.items]
        return json_answer({"documents": lines, "nextCursor": found.next_cursor})

    async def _create(self, request: Request, permit: Permit) -> Response:
        saved = await self._documents.create(permit, _said(await json_body(request)))
        return self._saved(permit, saved, 201)

    async def _read(self, request: Request, permit: Permit) -> Response:
        found = await self._documents.read(permit.business_id, request.path_params["id"])
        shown = self._whole(permit, found)
        return json_answer(shown, revision=shown["revision"])

    async def _replace(self, request: Request, permit: Permit) -> Response:
        body, based_on = await revisioned_body(request)
        return self._saved(
            permit, await self._documents.replace(permit, request.path_params["id"], based_on, _said(body))
        )

    async def _remove(self, request: Request, permit: Permit) -> Response:
        _, based_on = await revisioned_body(request)
        id = request.path_params["id"]
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


def _said(body: JsonObject) -> JsonObject:
    """Return a body without optional fields that say nothing."""
    return {name: value for name, value in body.items() if not (name in DOCUMENT.optional and value == "")}


def _body(**more: JsonObject) -> JsonObject:
    texts = {name: {**TEXT, "minLength": 1, "maxLength": longest} for name, longest in DOCUMENT.texts.items()}
    texts["content"] |= {"description": "Plain text or Markdown."}
    optional = {name: {**TEXT, "maxLength": longest} for name, longest in DOCUMENT.optional.items()}
    optional["source"] |= {"description": "What callers are told it is from; the title where it is left out."}
    fields = {**texts, **optional, "tags": {**TEXTS, "maxItems": 20}, **more}
    return record(fields, optional=(*optional, "tags", *more))
