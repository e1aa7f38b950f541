"""Makes a business of a template: its document, what it knows, who answers and a key, in one commit or not at all."""

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from datetime import datetime
from typing import TypeAlias

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.trail import AuditTrail
from switchboard.admin.businesses.document import check_document
from switchboard.admin.businesses.number_conflicts import NumberConflicts
from switchboard.admin.businesses.words import stored_words, words_of
from switchboard.admin.credentials.api_keys import NewKey, key_write
from switchboard.admin.maintenance.deletion_jobs import DeletionJobs
from switchboard.admin.opening.models import NewBusinessBody
from switchboard.admin.opening.templates import BusinessTemplate, BusinessTemplates
from switchboard.admin.pushing.noted import first_note
from switchboard.admin.pushing.parts import PARTS
from switchboard.admin.pushing.pattern import of_template
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import SERVER_TIME, AlreadyExists, Create, Document, Write

OPENED = DocumentKind("opened", Operation.OPEN_BUSINESS, lambda paths, id: paths.business, lambda after, before: ())
"""What the audit of a business begins with."""
OPENED_STAYS = "A business that was made is not taken back here: take it away, under Business or by DELETE."

_FIRST_KEY = "first key"
_CONTACT = ("timezone", "phone", "email", "address", "website", "twilioNumber")
_LONGEST_ID = 63
_MESSAGE, _TRANSFER = "message", "transfer"
_OWNER = {"de": "Leitung"}


@dataclass(frozen=True, slots=True)
class OpenedBusiness:
    """A business that was made, or would be.

    Attributes:
        id: Its id.
        template: What it was made of.
        document: Its document.
        counts: How many documents lie below it, by collection.
        key: Its first API key; None where nothing was made.
        at: When it was made; None likewise.
    """

    id: str
    template: str
    document: JsonObject
    counts: Mapping[str, int] = field(default_factory=dict)
    key: NewKey | None = None
    at: datetime | None = None


_Below: TypeAlias = Mapping[str, Mapping[str, JsonObject]]


class NewBusinesses:
    """Makes them. What the store raises passes through, and then nothing was made."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        clock: Clock,
        templates: BusinessTemplates,
        numbers: NumberConflicts,
        deletions: DeletionJobs,
        forget: Callable[[str], None] = lambda business_id: None,
    ) -> None:
        """Make them in `store`.

        Args:
            store: Where everything is.
            paths: Where it is found there.
            clock: Dates the audit's entry.
            templates: What they are made of.
            numbers: Knows whose a phone number is.
            deletions: Know which businesses are being taken away.
            forget: Has a business read anew when it is next needed: this process may know that there is none.
        """
        self._store, self._paths = store, paths
        self._templates, self._numbers, self._deletions, self._forget = templates, numbers, deletions, forget
        self._trail = AuditTrail(store, paths, clock)

    async def open(self, permit: Permit, body: NewBusinessBody) -> OpenedBusiness:
        """Make a business, or tell what would be made where `dry_run` says so.

        Raises:
            NotValid: Everything that is wrong with what is known of it; nothing was made.
            ToolError: CONFLICT, there is a business of this id, or one that is being taken away.
        """
        template = self._templates.named(body.template)
        id = body.business_id or _id_of(body.name)
        document = _document(template, body)
        within = self._paths.within(id)
        problems = [*_id_problems(self._paths, within, id), *check_document(id, document)]
        if await self._store.get(within.business) is not None:
            raise _stands(id)
        if await self._deletions.open_one("business", id) is not None:
            # What deletes the old one would take the new one with it.
            raise ToolError(ErrorType.CONFLICT, f"The business {id!r} is being taken away; try again in some minutes.")
        problems += await self._numbers.of_new(permit, Document(within.business, document, *_NEVER))
        if problems:
            raise NotValid(problems)
        below: _Below = {n: template.renamed(rows, document["name"]) for n, rows in template.collections.items()}
        opened = OpenedBusiness(id, template.id, document, {name: len(rows) for name, rows in below.items()})
        return opened if body.dry_run else await self._made(permit, opened, below, within)

    async def _made(
        self, permit: Permit, opened: OpenedBusiness, below: _Below, within: BusinessPaths
    ) -> OpenedBusiness:
        key, key_document = key_write(within, _FIRST_KEY)
        told = {"template": opened.template, "name": opened.document["name"]}
        entry = self._trail.entry(Permit(permit.identity, opened.id, permit.role), OPENED, opened.id, None, told)
        document = {**opened.document, **stored_words(opened.id, opened.document), "createdAt": SERVER_TIME}
        pattern = of_template(self._templates.named(opened.template))
        trees = pattern.trees(PARTS, str(opened.document["name"]))
        writes: list[Write] = [Create(within.business, document), key_document, first_note(within, pattern, trees)]
        for name, rows in below.items():
            writes += [Create(within.document(name, id), row) for id, row in rows.items()]  # type: ignore[arg-type]
        try:
            committed = await self._trail.commit(entry, writes)
        except AlreadyExists:
            # Two asked in the same moment, or something is left of one that was forgotten.
            raise _stands(opened.id) from None
        self._forget(opened.id)
        return OpenedBusiness(opened.id, opened.template, opened.document, opened.counts, key, committed.at)


_NEVER = (datetime.min, datetime.min)


def _document(template: BusinessTemplate, body: NewBusinessBody) -> JsonObject:
    given = {name: value for name, value in body.sent().items() if name in _CONTACT and value}
    document: JsonObject = {"name": " ".join(body.name.split()), **template.document, **given}
    voice = document.get("ai")
    if isinstance(voice, Mapping):
        document["ai"] = template.renamed(voice, document["name"])
    document["escalation"] = {**(document.get("escalation") or {}), "rules": list(_rules(template, body))}
    return document


def _rules(template: BusinessTemplate, body: NewBusinessBody) -> Iterator[JsonObject]:
    """Yield the template's rules of those who can be reached: nobody is put through to a made-up number."""
    for rule in (template.document.get("escalation") or {}).get("rules") or ():
        ways = {name: value for name, value in rule.items() if name not in ("destination", "email")}
        if rule.get("action") == _TRANSFER and body.transfer_to:
            yield {**ways, "destination": body.transfer_to}
        reached = {"destination": body.owner_phone, "email": body.owner_email}
        if rule.get("action") == _MESSAGE and any(reached.values()):
            label = body.owner_name or _OWNER.get(template.language.partition("-")[0], "Owner")
            yield {**ways, "label": label, **{name: value for name, value in reached.items() if value}}


def _id_of(name: str) -> str:
    # In an address and on a command line nobody can type other letters than these.
    plain = (word for word in words_of(name) if word.isascii())
    return "-".join(plain)[:_LONGEST_ID].strip("-") or f"business-{secrets.token_hex(4)}"


def _id_problems(paths: Paths, within: BusinessPaths, id: str) -> Iterator[EntryProblem]:
    if paths.business_of(within.business) != id:
        # A key is recognised by its document's path, and such an id stands in no path as it is.
        sentence = "businessId must be of letters, digits, _ and -, such as linden-street-hair."
        yield EntryProblem("businessId", sentence)


def _stands(id: str) -> ToolError:
    return ToolError(ErrorType.CONFLICT, f"There is a business {id!r} already; choose another businessId.")
