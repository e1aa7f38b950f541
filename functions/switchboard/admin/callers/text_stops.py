"""Who gets no texts of a business, as owners see it; they add who has told them so, and take off who wants texts again.

Twilio keeps a list of its own by its own words: whoever has sent STOP is refused there until they send START, whatever
stands here.
"""

from typing import Final

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import known_business
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.revisions import Revisions, Saved
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.store import Document, Filter, Order, Query
from switchboard.desk.contact.phone import to_e164
from switchboard.desk.messaging.sms import OWNER, STOP_PREFIX, is_callers_own, stop_path

TEXT_STOP: Final = DocumentKind(
    "textStop", Operation.EDIT_SAFEGUARDS, stop_path, lambda after, before: (), ("number", "source", "at")
)
_MOST = 500
_CALLERS_OWN: Final = (
    "Whoever has {number} sent STOP themselves. Nothing was saved. Send confirm: true if they have told you that they "
    "want texts again."
)


class TextStops:
    """The lists of every business. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock, revisions: Revisions) -> None:
        self._store, self._paths, self._clock, self._revisions = store, paths, clock, revisions

    async def listed(self, business_id: str) -> tuple[list[JsonObject], bool]:
        """Return the numbers that get no texts, the newest first, and whether these are all."""
        tickets = self._paths.within(business_id).collection("tickets")
        # No other ticket says from whom it is.
        newest = (Order("at", descending=True),)
        documents = await self._store.query(Query(tickets, (Filter("source", ">", ""),), newest, _MOST))
        return [_shown(document) for document in documents if document.id.startswith(STOP_PREFIX)], len(
            documents
        ) < _MOST

    async def one(self, business_id: str, number: str) -> JsonObject:
        """Return what is noted of a number.

        Raises:
            NotFound: It gets texts.
        """
        return _shown(await self._revisions.read(business_id, TEXT_STOP, number))

    async def add(self, permit: Permit, phone: str) -> tuple[JsonObject, Saved]:
        """Text a number no more, in any usual spelling.

        Raises:
            NotValid: It is no number.
            ToolError: CONFLICT, it gets none already; NOT_FOUND, there is no such business.
        """
        business = await known_business(self._store, self._paths.within(permit.business_id))
        try:
            number = to_e164(phone, business)
        except ToolError as error:
            raise NotValid([EntryProblem("phone", error.message)]) from None
        fields = {"number": number, "source": OWNER, "at": self._clock.now()}
        try:
            saved = await self._revisions.create(permit, TEXT_STOP, number, fields)
        except ToolError as error:
            if error.type is not ErrorType.CONFLICT:
                raise
            raise ToolError(ErrorType.CONFLICT, f"{number} gets no texts already.") from None
        assert saved.document is not None
        return _shown(saved.document), saved

    async def lift(self, permit: Permit, number: str, based_on: str | None, *, is_sure: bool = False) -> Saved:
        """Text a number again, since whoever has it wants it so.

        Raises:
            NotFound: It gets texts.
            ToolError: CONFLICT; whoever has it sent STOP, and nobody has said that lifting that is meant (`is_sure`).
            RevisionMissing, OutOfDate, Forbidden: See `Revisions.delete`.
        """
        if not is_sure:
            # Which of them it is cannot change under a revision: what has become the caller's own is another.
            document = await self._revisions.read(permit.business_id, TEXT_STOP, number)
            if is_callers_own(document.data):
                raise ToolError(ErrorType.CONFLICT, _CALLERS_OWN.format(number=_shown(document)["number"]))
        return await self._revisions.delete(permit, TEXT_STOP, number, based_on)


def _shown(document: Document) -> JsonObject:
    data = document.data
    number = str(data.get("number") or document.id.removeprefix(STOP_PREFIX))
    known = {"number": number, "source": str(data.get("source") or ""), "isCallersOwn": is_callers_own(data)}
    return known | {"at": data.get("at")} | {"revision": TEXT_STOP.revision(document)}
