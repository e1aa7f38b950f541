"""`/tts_admin/policies/{business_id}` and `/tts_admin/faqs/{business_id}`: as seed 000 shows them, and more.

The seed's POST and GET answer exactly its shapes. What an edit is based on travels in headers: `ETag` and `If-Match`.
"""

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import Forbidden
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.paging import read_page
from switchboard.admin.api.request_body import json_body, revisioned_body
from switchboard.admin.api.schemas import OK, PAGING, TEXT, TEXTS, listed, record
from switchboard.admin.knowledge.entries import Entries
from switchboard.admin.knowledge.entry_form import EntryForm
from switchboard.contract.json import JsonObject

_LONGEST_TOPIC = 200


class EntryEndpoints:
    """The endpoints of one form of entries."""

    def __init__(self, entries: Entries) -> None:
        """Answer from these."""
        self._entries, self._form = entries, entries.form

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        form = self._form
        base, many = f"/{form.collection}/{{business_id}}", form.collection
        see, edit = Operation.SEE_ENTRIES, Operation.EDIT_ENTRIES
        shown = _shown(form)
        answer = record({"status": OK, form.one: shown})
        new, changed = _body(form), _body(form, revision=TEXT)
        more = {"limit": {**PAGING["limit"], "maximum": form.most}, "cursor": PAGING["cursor"]}
        topic = {"topic": {**TEXT, "description": "Only of this topic."}}
        of_list = record({"status": OK, many: listed(shown), "next_cursor": TEXT}, optional=("next_cursor",))
        removed = record({"status": OK, "id": TEXT})
        return (
            Endpoint("POST", base, edit, f"Create one of the {many}", self._create, answer, body=new),
            Endpoint("GET", base, see, f"List {many}", self._list, of_list, query={**topic, **more}),
            Endpoint("GET", f"{base}/{{id}}", see, f"Read one of the {many}", self._read, answer),
            Endpoint(
                *("PUT", f"{base}/{{id}}", edit, f"Replace one of the {many}", self._replace, answer),
                body=changed,
                is_revisioned=True,
            ),
            Endpoint(
                *("DELETE", f"{base}/{{id}}", edit, f"Remove one of the {many}", self._remove, removed),
                is_revisioned=True,
            ),
        )

    async def _create(self, request: Request, permit: Permit) -> Response:
        given = _of_business(await json_body(request), permit)
        saved = await self._entries.create(permit, given)
        assert saved.document is not None
        return saved_answer(self._one(permit, self._entries.shown(permit.business_id, saved.document)), saved)

    async def _list(self, request: Request, permit: Permit) -> Response:
        query, most = request.query_params, self._form.most
        page = read_page(query, 0, usual=most, most=most)
        topic = query.get("topic", "")[:_LONGEST_TOPIC] or None
        found = await self._entries.listed(permit.business_id, page, topic)
        body: JsonObject = {"status": "ok", self._form.collection: found.items}
        # Only where there is more: otherwise the answer is the seed's.
        return json_answer(body | ({"next_cursor": found.next_cursor} if found.next_cursor else {}))

    async def _read(self, request: Request, permit: Permit) -> Response:
        found = await self._entries.read(permit.business_id, request.path_params["id"])
        body = self._one(permit, self._entries.shown(permit.business_id, found))
        return json_answer(body, revision=self._entries.kind.revision(found))

    async def _replace(self, request: Request, permit: Permit) -> Response:
        body, based_on = await revisioned_body(request)
        given = _of_business(body, permit)
        saved = await self._entries.replace(permit, request.path_params["id"], based_on, given)
        assert saved.document is not None
        return saved_answer(self._one(permit, self._entries.shown(permit.business_id, saved.document)), saved)

    async def _remove(self, request: Request, permit: Permit) -> Response:
        _, based_on = await revisioned_body(request)
        id = request.path_params["id"]
        return saved_answer({"status": "ok", "id": id}, await self._entries.remove(permit, id, based_on))

    def _one(self, permit: Permit, shown: JsonObject) -> JsonObject:
        return {"status": "ok", self._form.one: shown}


def _of_business(body: JsonObject, permit: Permit) -> JsonObject:
    """Return a body without the business it names, which must be the one of the path."""
    named = body.pop("business_id", permit.business_id)
    if named != permit.business_id:
        raise Forbidden("The body names another business than the address.")
    return body


def _shown(form: EntryForm) -> JsonObject:
    texts = dict.fromkeys(("id", "business_id", *form.texts), TEXT)
    return record({**texts, **({"tags": TEXTS} if form.has_tags else {}), "updated_at": TEXT})


def _body(form: EntryForm, **more: JsonObject) -> JsonObject:
    texts = {name: {**TEXT, "minLength": 1, "maxLength": longest} for name, longest in form.texts.items()}
    tags: JsonObject = {"tags": {**TEXTS, "maxItems": 20}} if form.has_tags else {}
    optional = ("tags", "business_id", *more)
    return record({**texts, **tags, "business_id": TEXT, **more}, optional=optional)
