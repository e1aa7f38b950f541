"""Businesses as their owners see and edit them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from switchboard.admin.access.access import OwnerIdentity, Permit
from switchboard.admin.access.known_business import business_document
from switchboard.admin.access.refusal import NotValid
from switchboard.admin.access.roles import Operation, Role
from switchboard.admin.api.paging import Page, Slice, cursor_of, sliced
from switchboard.admin.api.wording import wrong_with
from switchboard.admin.audit.document_kind import DocumentKind, breaks_nothing, held_by_nothing
from switchboard.admin.audit.revisions import Revisions, Saved
from switchboard.admin.businesses.directory import Directory
from switchboard.admin.businesses.form import OWNED, check_business, needs_of_business, unknown_fields
from switchboard.admin.businesses.known_names import KnownNames
from switchboard.admin.businesses.models import BusinessFields
from switchboard.admin.businesses.number_conflicts import NumberConflicts
from switchboard.admin.businesses.people_ids import with_people_ids
from switchboard.admin.businesses.words import are_found, words_of
from switchboard.admin.documents.difference import merged, same
from switchboard.admin.documents.redaction import without_secrets
from switchboard.admin.resources.consequences import BusinessView, NotConfirmed, consequences
from switchboard.contract.business.business import read_business
from switchboard.contract.business.limits import table
from switchboard.contract.json import JsonObject, ToldAsJson
from switchboard.contract.ports import BusinessPaths, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Query, Write, WriteResult
from switchboard.desk.resources.assigning import Assigning

# Whom and what an appointment needs, and when they and the house are there.
_DECIDING = ("services", "timezone", "workingHours")


class EditConsequences:
    """Looks at the appointments to come. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, assigning: Assigning) -> None:
        """Read businesses from `store`; `assigning` knows the appointments."""
        self._store, self._paths, self._assigning = store, paths, assigning

    async def require_none(self, permit: Permit, before: JsonObject, after: JsonObject) -> None:
        """Let an edit through by which nothing would break.

        Raises:
            NotConfirmed: Something would.
            NotFound: There is no such business.
        """
        changed = {name: after.get(name) for name in _DECIDING if not same(before.get(name), after.get(name))}
        if not changed:
            return
        within = self._paths.within(permit.business_id)
        document = await business_document(self._store, within)
        place = BusinessView(read_business(document.id, document.data), within)
        edited = read_business(document.id, {**document.data, **changed})
        broken = await consequences(self._assigning, place, edited)
        if broken.are_some:
            raise NotConfirmed(broken)


BUSINESS = "business"
_MOST_ROLES = 200
_NAMING = ("enabledTools", "features")


def business_kind(
    forget: Callable[[str], None],
    directory: Directory,
    numbers: NumberConflicts | None = None,
    consequences: EditConsequences | None = None,
) -> DocumentKind:
    """Return the kind that a business's own document is.

    Args:
        forget: Has a business read anew when it is next needed, so that calls follow an edit at once.
        directory: Knows businesses by their names, which an edit may change.
        numbers: Knows whose a phone number is; None where a business may have any.
        consequences: Tells what would break by an edit; None where nobody looks.
    """

    def beside(paths: BusinessPaths, document: str) -> Sequence[Write]:
        return (directory.outdated(paths),)

    async def saved(business_id: str, document: str, beside: Sequence[WriteResult]) -> None:
        forget(business_id)
        await directory.enter(business_id)

    return DocumentKind(
        BUSINESS,
        Operation.EDIT_BUSINESS,
        lambda paths, _: paths.business,
        check_business,
        OWNED,
        needs_of_business,
        completed=with_people_ids,
        beside=beside,
        saved=saved,
        held=numbers.of_main if numbers is not None else held_by_nothing,
        unbroken=consequences.require_none if consequences is not None else breaks_nothing,
    )


@dataclass(frozen=True, slots=True)
class BusinessLine(ToldAsJson):
    """A business in a list, with what the one who asks is to it."""

    id: str
    name: str
    timezone: str
    industry: str
    role: Role


class Businesses:
    """What owners do with their businesses. What the store raises passes through."""

    def __init__(
        self, store: Store, paths: Paths, revisions: Revisions, kind: DocumentKind, known: KnownNames | None = None
    ) -> None:
        """Read from `store`, write through `revisions`; `known` holds names in settings against those there are."""
        self._store, self._paths, self._revisions = store, paths, revisions
        self.kind, self._known = kind, known
        self._directory = Directory(store, paths)

    async def listed(self, identity: OwnerIdentity, page: Page, text: str = "") -> Slice[BusinessLine]:
        """Return a page of the businesses somebody has a role in, by id; of those that exist.

        Args:
            identity: Who asks.
            page: Which part; a search may find fewer than asked for, even none, and still go on at the cursor.
            text: Only those with words in name or id that begin with all of its words, ignoring case and accents.
        """
        words = words_of(text)
        if text.strip() and not words:
            return Slice([])
        if identity.is_platform:
            businesses_found = await (self._directory.found(words, page) if words else self._all(page))
            return Slice(
                [_line(d.id, d.data, Role.PLATFORM) for d in businesses_found.items], businesses_found.next_cursor
            )
        behind = page.after[-1] if page.after else ""
        most = _MOST_ROLES if words else page.limit
        own = sorted(id for id in identity.roles if id and id > behind)[: most + 1]
        asked = own[:most]
        documents = await self._store.get_many([self._paths.within(id).business for id in asked])
        pairs = ((id, d.data) for id, d in zip(asked, documents, strict=True) if d)
        lines = [_line(id, data, identity.roles[id]) for id, data in pairs if are_found(words, id, data)]
        if len(lines) > page.limit:
            return Slice(lines[: page.limit], cursor_of(lines[page.limit - 1].id))
        return Slice(lines, cursor_of(asked[-1]) if len(own) > most else None)

    async def _all(self, page: Page) -> Slice[Document]:
        return await sliced(self._store, Query(self._paths.businesses), page)

    async def shown(self, permit: Permit) -> JsonObject:
        """Return a business with its revision, what is wrong with it as it is stored, and what may be edited.

        Raises:
            NotFound: There is no such business.
        """
        return self._shown(permit, await self._revisions.read(permit.business_id, self.kind, permit.business_id))

    async def edit(
        self, permit: Permit, based_on: str | None, patch: Mapping[str, Any], *, is_confirmed: bool = False
    ) -> tuple[JsonObject, Saved]:
        """Change a business by a merge patch (RFC 7396): objects are joined, null removes, lists are replaced.

        Raises:
            NotValid: The patch names what cannot be edited, or its result cannot be kept; all problems at once.
            NotConfirmed, RevisionMissing, OutOfDate, Forbidden, NotFound: See `Revisions.change`.
        """
        problems = list(unknown_fields(patch))
        if problems:
            raise NotValid(problems)
        id = permit.business_id
        wrong = wrong_with(BusinessFields, dict(patch))
        if wrong and not await self._is_current(id, based_on):
            raise NotValid(wrong)
        if self._known is not None and based_on and not patch.keys().isdisjoint(_NAMING):
            await self._require_known(self._known, id, based_on, patch)
        saved = await self._revisions.change(
            permit, self.kind, id, based_on, lambda now: merged(now, patch), is_confirmed=is_confirmed
        )
        assert saved.document is not None
        return self._shown(permit, saved.document), saved

    async def _is_current(self, id: str, based_on: str | None) -> bool:
        """Tell whether a change is based on what is there, so that all that is wrong with it can be told at once."""
        return bool(based_on) and self.kind.revision(await self._revisions.read(id, self.kind, id)) == based_on

    async def _require_known(self, known: KnownNames, id: str, based_on: str, patch: Mapping[str, Any]) -> None:
        document = await self._revisions.read(id, self.kind, id)
        if self.kind.revision(document) != based_on:
            # That is what saving says, with both versions.
            return
        current = self.kind.view(document.data)
        edited = merged(current, patch)
        problems = await known.problems(edited, current)
        if problems:
            raise NotValid([*self.kind.check(edited, current), *problems])

    def _shown(self, permit: Permit, document: Document) -> JsonObject:
        read = read_business(permit.business_id, document.data)
        connected = document.data.get("integrations")
        return {
            "businessId": permit.business_id,
            "revision": self.kind.revision(document),
            "role": permit.role.value,
            "mayEdit": permit.may(self.kind.operation),
            "mayEditSafeguards": permit.may(Operation.EDIT_SAFEGUARDS),
            "limits": table(),
            "business": without_secrets(self.kind.view(document.data)),
            "integrations": without_secrets(connected if isinstance(connected, Mapping) else {}),
            "problems": list(read.problems),
            "updatedAt": document.update_time,
            "updatedBy": document.data.get("updatedBy"),
        }


def _line(id: str, data: Mapping[str, Any], role: Role) -> BusinessLine:
    read = read_business(id, data)
    return BusinessLine(id, read.name, read.timezone.key, read.industry, role)
