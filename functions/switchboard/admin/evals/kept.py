"""The tests that a business keeps: `businesses/{id}/evals/{name}`, each a scenario as its owner reads and edits it."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.revisions import NO_DOCUMENT, Revisions, Saved
from switchboard.admin.evals.outcome import outcome_of
from switchboard.contract.business.business import Business
from switchboard.contract.document import text
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Query

if TYPE_CHECKING:
    from switchboard.admin.evals.scenario import Scenario

MOST_EVALS: Final = 50
"""So many tests a business keeps at most: each is held before something is published, and at night."""
LONGEST_TEXT: Final = 60_000
"""Characters of one of them."""
KIND: Final = "evals"
_TEXT: Final = "text"


@dataclass(frozen=True, slots=True)
class OfferedHere:
    """What a scenario of a business can name.

    Attributes:
        business: Whose callers call.
        tools: Built in, or its owner's own.
    """

    business: Business
    tools: Collection[str]


Offered = Callable[[str], Awaitable[OfferedHere]]
"""Returns what a business's scenarios can name."""


def eval_kind(offered: Offered) -> DocumentKind:
    """Return the kind that kept tests are: checked as a scenario, and against the business as it is."""

    async def held(permit: Permit, before: JsonObject, after: JsonObject) -> Sequence[EntryProblem]:
        return await _against(after, permit.business_id, offered) if after else ()

    return DocumentKind(
        KIND, Operation.EDIT_TOOLS, lambda paths, id: paths.document("evals", id), _check, (_TEXT,), held=held
    )


class KeptEvals:
    """The kept tests of every business. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, revisions: Revisions, kind: DocumentKind) -> None:
        self._store, self._paths, self._revisions, self._kind = store, paths, revisions, kind

    async def all(self, business_id: str) -> list[JsonObject]:
        """Return all of a business's, by name."""
        query = Query(self._paths.within(business_id).collection("evals"), limit=MOST_EVALS)
        return [self.shown(document) for document in await self._store.query(query)]

    async def one(self, business_id: str, name: str) -> JsonObject:
        """Return one.

        Raises:
            NotFound: There is none of that name.
        """
        return self.shown(await self._revisions.read(business_id, self._kind, name))

    async def keep(self, permit: Permit, name: str, based_on: str | None, words: str) -> Saved:
        """Keep a test under a name, or put it in place of the one that was read.

        Args:
            permit: Who keeps it, and whose it is.
            name: The scenario's own name.
            based_on: The revision that was read; nothing, or `NO_DOCUMENT`, for a new one.
            words: The scenario, as YAML.

        Raises:
            NotValid: It is no scenario, has another name, or names what there is not.
            ToolError: CONFLICT; there are as many as may be kept, or one of that name already.
            RevisionMissing, OutOfDate, Forbidden: See `Revisions.change`.
        """
        scenario = read_scenario(words)
        if scenario.name != name:
            raise NotValid([_wrong(f"name: it says {scenario.name!r}, and is to be kept as {name!r}; write the same.")])
        fields: JsonObject = {_TEXT: words}
        is_new = based_on == NO_DOCUMENT or (not based_on and not await self._is_kept(permit.business_id, name))
        if is_new:
            return await self._created(permit, name, fields)
        return await self._revisions.change(permit, self._kind, name, based_on, lambda _: fields)

    async def remove(self, permit: Permit, name: str, based_on: str | None) -> Saved:
        """Keep a test no longer, as it was read.

        Raises:
            RevisionMissing, OutOfDate, Forbidden, NotFound: See `Revisions.delete`.
        """
        return await self._revisions.delete(permit, self._kind, name, based_on)

    async def propose(self, business_id: str, conversation_id: str) -> JsonObject:
        """Return a conversation as a test that is kept nowhere yet: `name`, `text`, and whether one has that name.

        Raises:
            NotFound: There is no such conversation.
            NotValid: It cannot be held again; the sentence says why.
        """
        # With the first owner who asks for it: it brings a reader of YAML and of phone numbers along.
        from switchboard.admin.evals.proposing import propose
        from switchboard.admin.evals.scenario_text import written

        document = await propose(self._store, self._paths.within(business_id), conversation_id)
        name = str(document["name"])
        is_kept = await self._is_kept(business_id, name)
        return {"name": name, "text": written(document), "isKept": is_kept}

    def shown(self, document: Document) -> JsonObject:
        """Return a kept test as it stands in answers."""
        words = text(document.data.get(_TEXT))
        updated = document.data.get("updatedAt")
        return {
            "name": document.id,
            "about": _about(words),
            "text": words,
            "updatedAt": updated if isinstance(updated, datetime) else document.update_time,
            "updatedBy": text(document.data.get("updatedBy")),
            "outcome": outcome_of(document),
            "revision": self._kind.revision(document),
        }

    async def _is_kept(self, business_id: str, name: str) -> bool:
        try:
            await self._revisions.read(business_id, self._kind, name)
        except NotFound:
            return False
        return True

    async def _created(self, permit: Permit, name: str, fields: JsonObject) -> Saved:
        collection = self._paths.within(permit.business_id).collection("evals")
        if await self._store.count(Query(collection, limit=MOST_EVALS)) >= MOST_EVALS:
            raise ToolError(ErrorType.CONFLICT, f"{MOST_EVALS} tests are kept, and no more can be. Remove some.")
        return await self._revisions.create(permit, self._kind, name, fields)


def read_scenario(words: str) -> "Scenario":
    """Return what a kept test says.

    Raises:
        NotValid: It is no scenario; one line says why.
    """
    from switchboard.admin.evals.scenario import BadScenario, scenario_of
    from switchboard.admin.evals.scenario_text import read_text

    if len(words) > LONGEST_TEXT:
        raise NotValid([_wrong(f"It has more than {LONGEST_TEXT} characters; leave out what it does not need.")])
    try:
        return scenario_of(read_text(words))
    except BadScenario as problem:
        raise NotValid([_wrong(f"{problem}.")]) from None


def _check(fields: JsonObject, before: JsonObject) -> Sequence[EntryProblem]:
    try:
        read_scenario(text(fields.get(_TEXT)))
    except NotValid as refused:
        return refused.problems
    return ()


async def _against(fields: JsonObject, business_id: str, offered: Offered) -> Sequence[EntryProblem]:
    from switchboard.admin.evals.scenario import BadScenario, check_against
    from switchboard.desk.bookings.obstacles import horizon

    scenario, here = read_scenario(text(fields.get(_TEXT))), await offered(business_id)
    if scenario.business != business_id:
        return [_wrong(f"business: it is about {scenario.business!r}; write {business_id!r}.")]
    now = scenario.now if scenario.now.tzinfo else scenario.now.replace(tzinfo=here.business.timezone)
    services = [service.name for service in here.business.services]
    tools = [*here.tools, *scenario.add.get("tools", {})]
    try:
        check_against(scenario, tools, services, now, horizon(here.business, now).latest - now)
    except BadScenario as problem:
        return [_wrong(f"{problem}.")]
    return ()


def _wrong(message: str) -> EntryProblem:
    return EntryProblem(_TEXT, message)


def _about(words: str) -> str:
    """Return the line of a test that says what it is about, without reading all of it."""
    line = next((line for line in words.splitlines() if line.startswith("about:")), "")
    return line.removeprefix("about:").strip().strip("'\"")[:300]
