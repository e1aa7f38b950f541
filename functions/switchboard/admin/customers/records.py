"""Customers on file: found by any spelling, entered and corrected, with what they are found by beside it.

Who somebody is taken for follows from these records, so that only owners change them.
"""

import asyncio
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any, Final

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import known_business
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.paging import Page, Slice, sifted
from switchboard.admin.appointments.entry_form import number_entered
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.revisions import Revisions, Saved
from switchboard.admin.callers.restrictions import restriction_kinds
from switchboard.contract.business.business import Business
from switchboard.contract.document import items, text
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Clock, Paths, Store
from switchboard.contract.store import Document, Filter, Query, Set
from switchboard.desk.callers.callers import Caller, Callers, normalised, read_caller, searched_keys
from switchboard.desk.contact.phone import may_be_number, number_on_file, region_of

CUSTOMER: Final = DocumentKind(
    "customer",
    Operation.EDIT_SAFEGUARDS,
    lambda paths, id: paths.document("callers", id),
    lambda after, before: (),
    ("name", "phone", "otherPhones", "email", "dateOfBirth", "notes"),
)
_NUMBERS: Final = ("phone", "otherPhones")
_MOST_SHARING: Final = 20
"""How many others of one number are named."""
_RESTRICTION: Final = next(kind for kind in restriction_kinds() if kind.name == "callerRestriction")


class CustomerRecords:
    """The customers of every business. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock, revisions: Revisions) -> None:
        self._store, self._paths, self._clock, self._revisions = store, paths, clock, revisions
        self._callers = Callers(store)

    async def business(self, business_id: str) -> Business:
        """Return a business.

        Raises:
            NotFound: There is no such one.
        """
        return await known_business(self._store, self._paths.within(business_id))

    async def listed(self, business_id: str, page: Page, words: str, *, only_flagged: bool) -> Slice[JsonObject]:
        """Return a page of those on file, by id; with `words`, of those whose name, number or address that is.

        Raises:
            NotValid: It can be none of these.
            NotFound: There is no such business.
        """
        within, business = self._paths.within(business_id), await self.business(business_id)

        def keep(document: Document) -> bool:
            return not only_flagged or document.data.get("flagged") is True

        if words:
            part = await self._searched(within, business, words, page)
            part = replace(part, items=[document for document in part.items if keep(document)])
        else:
            own = (Filter("flagged", "==", True),) if only_flagged else ()
            part = await sifted(self._store, Query(within.collection("callers"), own), page, keep)
        return Slice([self.shown(document, business) for document in part.items], part.next_cursor)

    async def _searched(self, within: BusinessPaths, business: Business, words: str, page: Page) -> Slice[Document]:
        records, region = within.collection("callers"), region_of(business)
        if "@" in words:
            callers = await self._callers.of_email(within, words)
            return Slice(await self._documents(within, callers))
        if may_be_number(words):
            number = number_on_file(words, region)
            if number is None:
                return Slice([])
            return Slice(await self._documents(within, await self._callers.of_number(within, number)))
        keys = searched_keys(words)
        if not keys:
            raise NotValid([EntryProblem("text", "text must hold a name, a number or an e-mail address.")])

        def is_theirs(document: Document) -> bool:
            return all(key in (document.data.get("nameKeys") or ()) for key in keys)

        by_longest = (Filter("nameKeys", "array-contains", max(keys, key=len)),)
        return await sifted(self._store, Query(records, by_longest), page, is_theirs)

    async def sharing(self, business_id: str, record: Document, numbers: Sequence[str]) -> Mapping[str, str]:
        """Return of each of a customer's numbers (E.164) who else has it, by name or address; none where nobody has.

        A record that tells neither is nobody else's: it says what stands against a number.
        """
        within = self._paths.within(business_id)
        others: dict[str, str] = {}
        for number in numbers:
            documents = [one for one in await self._of_number(within, number) if one.id != record.id]
            who = [text(one.data.get("name")) or text(one.data.get("email")) for one in documents]
            if named := ", ".join(dict.fromkeys(filter(None, who))):
                others[number] = named
        return others

    async def _of_number(self, within: BusinessPaths, number: str) -> list[Document]:
        """Return those who have a number, and those beside whom it still stands: what goes by number goes by that."""
        beside = (Filter("otherPhonesNormalised", "array-contains", number),)
        other = Query(within.collection("callers"), beside, limit=_MOST_SHARING)
        callers, others = await asyncio.gather(self._callers.of_number(within, number), self._store.query(other))
        own = await self._documents(within, callers)
        return [*own, *(one for one in others if one.id not in {each.id for each in own})]

    async def _others(
        self, within: BusinessPaths, numbers: Sequence[str], customer_id: str | None
    ) -> Mapping[str, list[Caller]]:
        """Return of each number who on file has it, as their first or as a further one, but for one customer."""
        found = await asyncio.gather(*(self._callers.of_number(within, number) for number in numbers))
        others = {
            number: [one for one in callers if one.id != customer_id]
            for number, callers in zip(numbers, found, strict=True)
        }
        return {number: callers for number, callers in others.items() if callers}

    async def _asked_about(
        self,
        permit: Permit,
        business: Business,
        fields: Mapping[str, Any],
        customer_id: str | None = None,
        *,
        is_sure: bool,
    ) -> Mapping[str, list[Caller]]:
        """Return whose else the numbers of a record are; raise CONFLICT where they are and nobody is sure of it."""
        # What stands there since before may be in any spelling.
        typed, region = (fields.get("phone"), *items(fields.get("otherPhones"))), region_of(business)
        numbers = dict.fromkeys(filter(None, (number_on_file(text(one), region) for one in typed)))
        others = await self._others(self._paths.within(permit.business_id), list(numbers), customer_id)
        if others and not is_sure:
            whose = "; ".join(
                f"{number} is on file already: {', '.join(one.name or one.id for one in callers)}"
                for number, callers in others.items()
            )
            raise ToolError(ErrorType.CONFLICT, f"{whose}. Send confirm for somebody else.")
        return others

    async def _documents(self, within: BusinessPaths, callers: Sequence[Caller]) -> list[Document]:
        if not callers:
            return []
        found = await self._store.get_many([within.document("callers", caller.id) for caller in callers])
        return [document for document in found if document is not None]

    async def document(self, business_id: str, customer_id: str) -> Document:
        """Return a customer's record.

        Raises:
            NotFound: There is none of that id.
        """
        document = await self._store.get(CUSTOMER.path(self._paths.within(business_id), customer_id))
        if document is None:
            raise NotFound("There is no customer of that id.")
        return document

    async def one(self, business_id: str, customer_id: str) -> JsonObject:
        """Return a customer.

        Raises:
            NotFound: There is none of that id.
        """
        business = await self.business(business_id)
        return self.shown(await self.document(business_id, customer_id), business)

    async def enter(self, permit: Permit, given: JsonObject) -> tuple[JsonObject, Saved]:
        """Enter a customer.

        Args:
            permit: Who does it, and where.
            given: `{name, phone, otherPhones, email, dateOfBirth, notes, confirm}`, each of which may be left out.

        Raises:
            NotValid: Everything that is wrong with it.
            ToolError: CONFLICT; others have one of the numbers, and `confirm` does not say that this is somebody else.
        """
        business = await self.business(permit.business_id)
        fields = _entered({name: value for name, value in given.items() if name != "confirm"}, {}, business)
        others = await self._asked_about(permit, business, fields, is_sure=bool(given.get("confirm")))
        number = fields.get("phone")
        customer_id = f"clr_{uuid.uuid4().hex[:20]}"
        if number and number not in others:
            customer_id = await self._callers.new_id(self._paths.within(permit.business_id), number)
        return await self.written(permit, customer_id, None, lambda current: fields, business, is_new=True)

    async def correct(
        self, permit: Permit, customer_id: str, based_on: str | None, given: JsonObject
    ) -> tuple[JsonObject, Saved]:
        """Correct what is on file of a customer.

        Raises:
            NotValid: Everything that is wrong with it.
            ToolError: CONFLICT; numbers are given, others have one that the record would hold, and `confirm` does not
                say that this is somebody else.
            NotFound, RevisionMissing, OutOfDate, Forbidden: See `Revisions.change`.
        """
        business = await self.business(permit.business_id)
        now = CUSTOMER.view((await self.document(permit.business_id, customer_id)).data)
        said = {name: value for name, value in given.items() if value is not None and name != "confirm"}
        changes = _entered(said, now, business)
        if not said.keys().isdisjoint(_NUMBERS):
            whole = {name: value for name, value in now.items() if name not in said} | changes
            await self._asked_about(permit, business, whole, customer_id, is_sure=bool(given.get("confirm")))

        def edit(current: JsonObject) -> JsonObject:
            untouched = {name: value for name, value in current.items() if name not in said}
            return untouched | changes

        return await self.written(permit, customer_id, based_on, edit, business)

    async def written(
        self,
        permit: Permit,
        customer_id: str,
        based_on: str | None,
        edit: Callable[[JsonObject], JsonObject],
        business: Business,
        *,
        is_new: bool = False,
        undoes: str | None = None,
    ) -> tuple[JsonObject, Saved]:
        """Write a record and, in the same commit, what it is found by.

        Raises:
            NotFound, RevisionMissing, OutOfDate, Forbidden: See `Revisions.change`.
        """
        entered: list[JsonObject] = []

        def beside(paths: BusinessPaths, id: str) -> list[Set]:
            # Everything that it may be found by, also what was taken out of it.
            whole = {"name": "", "phone": "", "email": "", **entered[-1]}
            spellings = {"otherPhonesNormalised": [], **normalised(whole, region_of(business))}
            return [Set(paths.document("callers", id), spellings, merge=True)]

        def wanted(current: JsonObject) -> JsonObject:
            entered.append(edit(current))
            return entered[-1]

        kind = replace(CUSTOMER, beside=beside)
        if is_new:
            saved = await self._revisions.create(permit, kind, customer_id, wanted({}), undoes=undoes)
        else:
            saved = await self._revisions.change(permit, kind, customer_id, based_on, wanted, undoes=undoes)
        document = await self.document(permit.business_id, customer_id)
        return self.shown(document, business), saved

    async def brought_back(self, permit: Permit, customer_id: str, fields: JsonObject, undoes: str) -> Saved:
        """Enter a customer again who was taken away; see `Revisions.create`."""
        business = await self.business(permit.business_id)
        _, saved = await self.written(
            permit, customer_id, None, lambda current: fields, business, is_new=True, undoes=undoes
        )
        return saved

    async def taken_away(self, permit: Permit, customer_id: str, based_on: str, undoes: str) -> Saved:
        """Take away a record that was entered; see `Revisions.delete`."""
        return await self._revisions.delete(permit, CUSTOMER, customer_id, based_on, undoes=undoes)

    def shown(self, document: Document, business: Business) -> JsonObject:
        """Return a record as the admin API answers it."""
        data, caller = document.data, read_caller(document, region_of(business))
        until, now = data.get("blockedUntil"), self._clock.now()
        is_blocked = isinstance(until, datetime) and until > now
        has_restriction = bool(_RESTRICTION.view(data))
        return {
            "id": document.id,
            "name": caller.name,
            "phone": caller.phone or text(data.get("phone")) or None,
            "otherPhones": [text(one) for one in items(data.get("otherPhones"))],
            "email": text(data.get("email")) or None,
            "dateOfBirth": text(data.get("dateOfBirth")) or None,
            "notes": text(data.get("notes")),
            "flagged": data.get("flagged") is True and (caller.flagged_until is None or now < caller.flagged_until),
            "flagReason": text(data.get("flagReason")),
            "blockedUntil": until.astimezone(UTC) if isinstance(until, datetime) and is_blocked else None,
            "blockReason": text(data.get("blockReason")) if is_blocked else "",
            "restrictionRevision": _RESTRICTION.revision(document) if has_restriction else None,
            "revision": CUSTOMER.revision(document),
        }


def numbers_of(document: Document, business: Business) -> list[str]:
    """Return every number of a customer, E.164."""
    return list(read_caller(document, region_of(business)).numbers)


def _entered(given: Mapping[str, Any], now: Mapping[str, Any], business: Business) -> JsonObject:
    """Return what is entered as it is kept; what is empty is not; raise `NotValid` with everything that is wrong."""
    problems: list[EntryProblem] = []
    fields: JsonObject = {}
    for name in ("name", "email"):
        if name in given:
            fields[name] = " ".join(given[name].split())
    if "notes" in given:
        fields["notes"] = given["notes"].strip()
    if "phone" in given:
        fields["phone"] = number_entered("phone", given["phone"], business, problems) if given["phone"].strip() else ""
    if "otherPhones" in given:
        each = enumerate(given["otherPhones"])
        numbers = [number_entered(f"otherPhones[{at}]", phone, business, problems) for at, phone in each]
        fields["otherPhones"] = list(dict.fromkeys(numbers))
    if "dateOfBirth" in given:
        fields["dateOfBirth"] = given["dateOfBirth"]
        if given["dateOfBirth"] and not _is_day(given["dateOfBirth"]):
            problems.append(EntryProblem("dateOfBirth", "dateOfBirth must be a day such as 1988-04-12."))
    whole = {**now, **fields}
    if not problems and not any(whole.get(name) for name in ("name", "phone", "email")):
        problems.append(EntryProblem("name", "name, phone or email must be there: nobody could be told by nothing."))
    if problems:
        raise NotValid(problems)
    return {name: value for name, value in fields.items() if value}


def _is_day(written: str) -> bool:
    try:
        return date.fromisoformat(written) <= datetime.now(UTC).date()
    except ValueError:
        return False
