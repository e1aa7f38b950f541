"""What owners choose from: their phone numbers, connected accounts, collections, and the calendars of an account."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol

from switchboard.admin.access.known_business import known_business
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.api.paging import Page, Slice, cursor_of
from switchboard.contract.business.business import Business
from switchboard.contract.business.own_addresses import own_numbers
from switchboard.contract.error import ErrorType, ToldToOwner, ToolError
from switchboard.contract.json import JsonObject, ToldAsJson
from switchboard.contract.ports import BusinessPaths, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Query

_COUNTED = 1_000
# Twice as many as a business may make.
_DESCRIBED = 100
_NO_APPS = (
    "No apps can be connected here: SWITCHBOARD_PIPEDREAM_CLIENT_ID, SWITCHBOARD_PIPEDREAM_CLIENT_SECRET and "
    "SWITCHBOARD_PIPEDREAM_PROJECT_ID are missing."
)
_NO_SUCH_APP = "Pipedream knows no app of that name, or the cursor is none of an earlier page."
# The errors' own words are for a model in the middle of a call.
_AWAY = "Pipedream does not answer right now, or takes no more requests; try again in a moment."
_SHUT_OUT = "Pipedream refuses this deployment's credentials; tell those who operate it."


class AppAccounts(Protocol):
    """What lists the accounts of apps that businesses have connected (`integrations/pipedream/accounts.py`)."""

    async def of(
        self, business: Business, app: str = "", *, limit: int = 25, after: str = ""
    ) -> tuple[list[JsonObject], str | None]:
        """Return a page of a business's accounts, and where the next one begins.

        Raises:
            ToolError: They cannot be had.
        """


class ListedCalendar(Protocol):
    """A calendar of an account."""

    @property
    def id(self) -> str:
        """What the toolkit's setting says for it."""

    @property
    def name(self) -> str:
        """What its owner calls it."""

    @property
    def is_read_only(self) -> bool:
        """Whether nothing can be entered in it."""


class ListedCalendars(Protocol):
    """The accounts of businesses at one calendar's vendor."""

    async def listed(self, business: Business) -> Sequence[ListedCalendar]:
        """Return the calendars of a business's account, also before it is connected.

        Raises:
            ToldToOwner: Why they cannot be had.
        """


@dataclass(frozen=True, slots=True)
class OwnNumber(ToldAsJson):
    """A phone number of a business.

    Attributes:
        id: What a tool says for it (`from.phone_number_id`).
        number: E.164.
        is_main: Whether it is the one that callers reach the business by.
    """

    id: str
    number: str
    is_main: bool


@dataclass(frozen=True, slots=True)
class OwnCollection(ToldAsJson):
    """A collection of a business's own: its name, and how many items lie in it; a thousand stands for more, too."""

    name: str
    items: int


class ToolkitOptions:
    """Lists them. What the store raises passes through."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        accounts: AppAccounts | None,
        calendars: Mapping[str, ListedCalendars] | None = None,
    ) -> None:
        """Read from `store`; without `accounts` no apps can be connected in this deployment.

        `calendars` list what an account has, by the toolkit's name.
        """
        self._store, self._paths, self._accounts = store, paths, accounts
        self._calendars = calendars or {}

    async def phone_numbers(self, business_id: str) -> Sequence[OwnNumber]:
        """Return the numbers that a business's texts can come from, the main one first.

        Raises:
            NotFound: There is no such business.
        """
        business = await self._business(business_id)
        by_number: dict[str, str] = {}
        for id, number in own_numbers(business).items():
            # Each number is its own id as well; the one that its owner gave it says more.
            if id != number or number not in by_number:
                by_number[number] = id
        return [OwnNumber(id, number, number == business.twilio_number) for number, id in by_number.items()]

    async def app_accounts(
        self, business_id: str, app: str, *, limit: int, after: str
    ) -> tuple[list[JsonObject], str | None]:
        """Return a page of the accounts of apps that a business has connected, and where the next one begins.

        Raises:
            NotFound: There is no such business, or this deployment can connect no apps.
            NotValid: There is no such app, or no such place to go on.
            ToolError: TRANSIENT, Pipedream may tell later; PERMANENT, it will not.
        """
        business = await self._business(business_id)
        if self._accounts is None:
            raise NotFound(_NO_APPS)
        try:
            return await self._accounts.of(business, app, limit=limit, after=after)
        except ToolError as error:
            if error.type is ErrorType.VALIDATION:
                raise NotValid([EntryProblem("app", _NO_SUCH_APP)]) from None
            is_passing = error.type in (ErrorType.TRANSIENT, ErrorType.RATE_LIMIT)
            kind_and_words = (ErrorType.TRANSIENT, _AWAY) if is_passing else (ErrorType.PERMANENT, _SHUT_OUT)
            raise ToolError(*kind_and_words, detail=error.detail) from None

    async def calendars(self, business_id: str, toolkit: str) -> Sequence[ListedCalendar]:
        """Return the calendars of the account that a business has set up with a toolkit, connected or not yet.

        Raises:
            NotFound: There is no such business, or no such toolkit whose calendars can be listed.
            NotValid: What is set cannot be used; in words for the owner.
            ToolError: TRANSIENT, they may be had later.
        """
        business = await self._business(business_id)
        vendor = self._calendars.get(toolkit)
        if vendor is None:
            known = ", ".join(sorted(self._calendars)) or "none"
            raise NotFound(f"The calendars of {toolkit[:80]!r} cannot be listed; those of these can: {known}.")
        try:
            return await vendor.listed(business)
        except ToldToOwner as error:
            if error.retryable:
                raise
            raise NotValid([EntryProblem("toolkit", error.message)]) from None

    async def collections(self, business_id: str, page: Page) -> Slice[OwnCollection]:
        """Return a page of a business's own collections that have items, or fields that their owner named, by name.

        One whose name cannot stand in a path is stored without it, and is not among them.

        Raises:
            NotFound: There is no such business.
        """
        await self._business(business_id)
        within = self._paths.within(business_id)
        names: list[str] = []
        name_found = await self._next_name(within, page.after[-1] if page.after else "")
        while name_found is not None and len(names) <= page.limit:
            if within.items(name_found) == _items(within, name_found):
                names.append(name_found)
            name_found = await self._next_name(within, name_found)
        behind = page.after[-1] if page.after else ""
        last = names[page.limit] if len(names) > page.limit else ""
        made = [name for name in await self._described(within) if name > behind and (not last or name <= last)]
        names = sorted({*names, *made})
        shown = names[: page.limit]
        counts = await asyncio.gather(*(self._store.count(Query(within.items(name), limit=_COUNTED)) for name in shown))
        items = [OwnCollection(name, count) for name, count in zip(shown, counts, strict=True)]
        return Slice(items, cursor_of(shown[-1]) if len(names) > page.limit else None)

    async def _described(self, within: BusinessPaths) -> list[str]:
        """Return the names of the collections of which an owner has said what is in them, also where nothing is yet."""
        documents = await self._store.query(Query(within.collection("collections"), limit=_DESCRIBED))
        return [document.id for document in documents if "fields" in document.data]

    async def _next_name(self, within: BusinessPaths, behind: str) -> str | None:
        """Return what the first collection behind a name is stored as; "" begins."""
        # Nothing says which collections there are: the first item behind all those of one belongs to the next.
        start = f"{_items(within, behind)}~/~" if behind else within.business
        documents = await self._store.query(Query("items", limit=1, start_after=(start,), group=True))
        prefix = f"{within.collection('collections')}/"
        if not documents or not documents[0].path.startswith(prefix):
            return None
        return documents[0].path[len(prefix) :].partition("/")[0]

    async def _business(self, business_id: str) -> Business:
        return await known_business(self._store, self._paths.within(business_id))


def _items(within: BusinessPaths, segment: str) -> str:
    """Return the path of the items of a collection by what it is stored as."""
    return f"{within.collection('collections')}/{segment}/items"
