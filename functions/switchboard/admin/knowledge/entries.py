"""Policies, FAQs (seed 000, "Admin Seeding (Examples)") and documents as owners write them."""

import asyncio
import uuid
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.paging import Page, Slice, cursor_behind, sliced
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.revisions import Revisions, Saved, require
from switchboard.admin.knowledge.entry_form import EntryForm
from switchboard.admin.knowledge.nearness import NearEntries, NearEntry, contradictions, near_passages
from switchboard.admin.knowledge.reindexing import Reindexing
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import Document, Query, WriteResult
from switchboard.desk.derived_id import derived_id
from switchboard.desk.knowledge.chunk import Passage
from switchboard.desk.knowledge.topics import plain


def entry_kind(form: EntryForm, reindexing: Reindexing) -> DocumentKind:
    """Return the kind that entries of a form are; a save leaves the index of the business to be rebuilt."""

    async def saved(business_id: str, document: str, beside: Sequence[WriteResult]) -> None:
        await reindexing.now(business_id, beside[0].update_time if beside else None)

    return DocumentKind(
        form.collection,
        Operation.EDIT_ENTRIES,
        lambda paths, id: paths.document(form.collection, id),
        form.check,
        form.fields,
        beside=lambda paths, _: (reindexing.due(paths),),
        saved=saved,
    )


class Entries:
    """The entries of one form, in every business. What the store raises passes through."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        revisions: Revisions,
        form: EntryForm,
        kind: DocumentKind,
        beside: Sequence[EntryForm] = (),
    ) -> None:
        """Keep entries of a form; a new one is held against those of the forms `beside`, its own among them."""
        self._store, self._paths, self._revisions = store, paths, revisions
        self.form, self.kind = form, kind
        self._beside = beside or (form,)

    async def listed(self, business_id: str, page: Page, topic: str | None = None) -> Slice[JsonObject]:
        """Return a page of entries in the seed's shape; see `found`."""
        part = await self.found(business_id, page, topic)
        return Slice([self.shown(business_id, document) for document in part.items], part.next_cursor)

    async def found(self, business_id: str, page: Page, topic: str | None = None) -> Slice[Document]:
        """Return a page of entries by id; with a topic only those of it, compared as the tools compare topics."""
        query = Query(self._paths.within(business_id).collection(self.form.collection))
        value: list[Document] = []
        after, is_more = page.after, True
        while is_more and len(value) <= page.limit:
            part = await sliced(self._store, query, Page(self.form.at_once, after))
            value += [d for d in part.items if topic is None or plain(str(d.data.get("topic") or "")) == plain(topic)]
            is_more, after = part.next_cursor is not None, (part.items[-1].id,) if part.items else after
        items = value[: page.limit]
        next_cursor = cursor_behind(query, items[-1]) if len(value) > page.limit else None
        return Slice(items, next_cursor)

    async def read(self, business_id: str, id: str) -> Document:
        """Return one entry.

        Raises:
            NotFound: There is none of that id.
        """
        return await self._revisions.read(business_id, self.kind, id)

    async def create(self, permit: Permit, given: JsonObject, alongside: Collection[str] = ()) -> Saved:
        """Store a new entry under an id of its own; `alongside` are those on the same that its owner keeps beside it.

        Raises:
            NearEntries: There are others on the same.
            ToolError: CONFLICT; the business has as many as it may, or what this was read out of is read already.
        """
        if await self.count(permit.business_id) >= self.form.most:
            raise ToolError(
                ErrorType.CONFLICT,
                f"There are {self.form.most} of these already, and no more are allowed. Join or remove some first.",
            )
        await self._question(permit, None, given, alongside)
        id = _id_of(given)
        if id is not None and await self._store.get(self._paths.within(permit.business_id).document("knowledge", id)):
            raise ToolError(
                ErrorType.CONFLICT,
                "There is a document of this file or page already. Read it again, and put that in its place.",
            )
        return await self._revisions.create(permit, self.kind, id or str(uuid.uuid4()), given)

    async def replace(
        self, permit: Permit, id: str, based_on: str | None, given: JsonObject, alongside: Collection[str] = ()
    ) -> Saved:
        """Put an entry in place of what was read under its id; for `alongside` see `create`.

        Raises:
            NearEntries: There are others on the same that were not near to what was there before.
            NotValid: Or it was read out of something else than what is there.
            RevisionMissing, OutOfDate, NotFound: See `Revisions.change`.
        """
        if _id_of(given) not in (None, id):
            sentence = "origin is of another document: there is one of each file and page. Add it as one of its own."
            raise NotValid([EntryProblem("origin", sentence)])
        require(based_on)
        if self.kind.revision(await self.read(permit.business_id, id)) == based_on:
            # What is out of date is told first, by the change.
            await self._question(permit, id, given, alongside)
        return await self._revisions.change(permit, self.kind, id, based_on, lambda _: given)

    async def remove(self, permit: Permit, id: str, based_on: str | None) -> Saved:
        """Remove an entry as it was read.

        Raises:
            RevisionMissing, OutOfDate, NotFound: See `Revisions.delete`.
        """
        return await self._revisions.delete(permit, self.kind, id, based_on)

    async def _question(self, permit: Permit, id: str | None, given: JsonObject, alongside: Collection[str]) -> None:
        """Let an entry through that is on nothing that there is, or whose owner keeps it beside that.

        Raises:
            NearEntries: Others are on the same.
        """
        if self.form.passages is None or not permit.may(self.kind.operation) or self.form.check(given, {}):
            return
        pairs = await self._pairs(permit.business_id)
        before = next((document for document, _ in pairs if document.id == id), None)
        near = await asyncio.to_thread(self._near, given, id, pairs)
        if before is not None:
            # Whoever mends a word is not asked again about what stood beside it all the time.
            known = {(it.passage.id, it.figures) for it in self._near(self.kind.view(before.data), id, pairs)}
            near = [it for it in near if (it.passage.id, it.figures) not in known]
        near = [it for it in near if it.passage.id not in alongside]
        if near:
            raise NearEntries(near)

    async def near(self, business_id: str, entries: Sequence[JsonObject]) -> list[list[NearEntry]]:
        """Return for each new entry what there is on the same already; all there is is read once."""
        if self.form.passages is None or not entries:
            return [[] for _ in entries]
        pairs = await self._pairs(business_id)
        return await asyncio.to_thread(lambda: [self._near(given, None, pairs) for given in entries])

    async def count(self, business_id: str) -> int:
        """Return how many there are, of as many as there may be."""
        collection = self._paths.within(business_id).collection(self.form.collection)
        return await self._store.count(Query(collection, limit=self.form.most))

    async def _pairs(self, business_id: str) -> list[tuple[Document, Passage]]:
        others = await asyncio.gather(*(self._all(business_id, form) for form in self._beside))
        return [pair for part in others for pair in part]

    async def _all(self, business_id: str, form: EntryForm) -> list[tuple[Document, Passage]]:
        query = Query(self._paths.within(business_id).collection(form.collection))
        pairs: list[tuple[Document, Passage]] = []
        after, is_more = None, form.passages is not None
        while is_more and form.passages is not None and len(pairs) < form.most:
            part = await sliced(self._store, query, Page(form.at_once, after))
            for document in part.items:
                pairs += [(document, passage) for passage in form.passages([document])]
            is_more, after = part.next_cursor is not None, (part.items[-1].id,) if part.items else after
        return pairs

    def _near(self, given: JsonObject, id: str | None, pairs: Sequence[tuple[Document, Passage]]) -> list[NearEntry]:
        assert self.form.passages is not None
        now = datetime.now(UTC)
        own = next(iter(self.form.passages([Document("new/new", given, now, now)])), None)
        others = [pair for pair in pairs if not (pair[0].id == id and pair[1].kind == self.form.one)]
        if own is None:
            return []
        topics = [str(document.data.get("topic") or "") for document, _ in others]
        passages = list(zip((passage for _, passage in others), topics, strict=True))
        near = near_passages(own, str(given.get("topic") or ""), passages)
        return [
            NearEntry(
                others[at][1],
                topics[at],
                self.kind.revision(others[at][0]) if others[at][1].kind == self.form.one else "",
                contradictions(others[at][1].text, own.text),
            )
            for at in near
        ]

    def shown(self, business_id: str, document: Document) -> JsonObject:
        """Return an entry in the seed's shape; `updated_at` is UTC, and changes whenever the entry changes."""
        result: JsonObject = {"id": document.id, "business_id": business_id}
        result |= {name: document.data.get(name) or "" for name in self.form.fields if name != "tags"}
        if self.form.has_tags:
            tags = document.data.get("tags")
            result["tags"] = [str(tag) for tag in tags] if isinstance(tags, list) else []
        moment = document.update_time.astimezone(UTC).replace(tzinfo=None)
        # The seed writes them without a zone.
        result["updated_at"] = moment.isoformat(timespec="microseconds")
        return result


def origin_id(kind: str, name: str) -> str:
    """Return the id of the document that is read out of a file or a page, the same whenever that is read."""
    return derived_id("src_", f"{kind}:{name.casefold() if kind == 'file' else name}")


def _id_of(given: JsonObject) -> str | None:
    origin = given.get("origin")
    return origin_id(str(origin.get("kind")), str(origin.get("name"))) if isinstance(origin, Mapping) else None
