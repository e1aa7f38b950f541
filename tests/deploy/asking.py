"""Asks every query that could need an index of its own, through the code that asks it, with all that it can vary."""

import ast
import hashlib
import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from datetime import time, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from switchboard.admin.access.known_business import first_businesses
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.agents.store import AgentStore
from switchboard.admin.agents.trial_numbers import AgentTrialNumbers
from switchboard.admin.api.paging import Page
from switchboard.admin.appointments.listing import AppointmentFilter, AppointmentListing
from switchboard.admin.appointments.office import AppointmentOffice
from switchboard.admin.audit.revisions import Revisions
from switchboard.admin.businesses.number_conflicts import NumberConflicts
from switchboard.admin.calendars.feeds import CalendarFeeds
from switchboard.admin.callers.portal_visits import PortalVisits
from switchboard.admin.callers.restrictions import Restrictions
from switchboard.admin.callers.text_stops import TextStops
from switchboard.admin.conversations.explain import calls
from switchboard.admin.conversations.live import ConversationWatch
from switchboard.admin.conversations.records import InteractionFilter, InteractionRecords
from switchboard.admin.conversations.session_records import SessionRecords
from switchboard.admin.conversations.trace_calls import calls_in
from switchboard.admin.costs.counting import MonthCounting
from switchboard.admin.costs.month_stops import LimitStandings, MonthStops
from switchboard.admin.costs.months import MonthStatements
from switchboard.admin.costs.prices import Prices
from switchboard.admin.credentials.api_keys import create_key, list_keys
from switchboard.admin.credentials.role_entries import RoleChange, RoleEntries
from switchboard.admin.customers.history import CustomerHistoryReader
from switchboard.admin.customers.merging import CustomerUnion
from switchboard.admin.customers.records import CustomerRecords
from switchboard.admin.definitions.canaries import Canaries
from switchboard.admin.definitions.changes import Changes
from switchboard.admin.definitions.history import DefinitionHistory
from switchboard.admin.definitions.replay import Replay
from switchboard.admin.definitions.words_trial import WordsTrial
from switchboard.admin.evals.outcomes import about_tests
from switchboard.admin.evals.proposing import propose
from switchboard.admin.evals.setting import setting_of
from switchboard.admin.evals.stored_conversation import ModelCall, read_conversation
from switchboard.admin.health.health import HealthService
from switchboard.admin.health.questions import UnansweredQuestions
from switchboard.admin.health.resources import about_appointments
from switchboard.admin.knowledge.reindexing import Reindexing
from switchboard.admin.maintenance import backup
from switchboard.admin.maintenance.data_inventory import PLACES, all_documents, documents_of
from switchboard.admin.maintenance.deletion_jobs import DeletionJobs
from switchboard.admin.maintenance.demo_bookings import BookingWish, enter
from switchboard.admin.messages.inbox import MessageInbox
from switchboard.admin.opening.checklist import OpeningChecklist
from switchboard.admin.opening.removal import BusinessRemoval
from switchboard.admin.pushing.noted import notes_of
from switchboard.admin.resources.booking_office import BookingOffice
from switchboard.admin.resources.former_ids import FormerIds
from switchboard.admin.toolkits.options import ToolkitOptions
from switchboard.admin.undo.reaching import ReachingChanges
from switchboard.admin.undo.undoing import Audit
from switchboard.catalog.definitions.definitions import Definitions
from switchboard.catalog.offer.alternatives import Alternatives
from switchboard.catalog.offer.phone_numbers import NumberClaims
from switchboard.catalog.tenant_tools.sessions import OwnSets
from switchboard.channels.http.credentials import Accounts, Credentials, Rejected
from switchboard.contract.account import TrustedAccount
from switchboard.contract.business.business import read_business
from switchboard.contract.context import CallContext, PhoneContext, PortalContext
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.definitions.tenant_tool import BoundQuery
from switchboard.contract.error import ToolError
from switchboard.contract.store import Document, Filter, Near, Order, Query, Write, WriteResult
from switchboard.conversation.record.endings import SilentConversations
from switchboard.conversation.record.unanswered import UnheardCalls
from switchboard.conversation.session import CallSession
from switchboard.desk.bookings.appointments import Appointments
from switchboard.desk.bookings.duration import visit_for
from switchboard.desk.bookings.hours import Stretch
from switchboard.desk.bookings.own_appointments import CallersBookings, Narrowing
from switchboard.desk.bookings.saga import BookingRecovery
from switchboard.desk.calendars.agenda import Agenda
from switchboard.desk.calendars.free_busy import BusyTimes
from switchboard.desk.callers.callers import Callers
from switchboard.desk.callers.portal_links import PortalLinks
from switchboard.desk.knowledge.chunk import Passage
from switchboard.desk.knowledge.vector_search import VectorSearch, reindex
from switchboard.desk.messaging.outbox import Outbox
from switchboard.desk.resources.assigning import Assigning
from switchboard.desk.tenant_tools.queries import OPERATORS, TenantQueries
from switchboard.integrations.secrets.key_rotation import KeyRotation
from switchboard.integrations.secrets.kms import LocalKeyKeeper
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.pipeline.metrics.gauges import Backlog
from switchboard.state.paths import FirestorePaths
from tests.architecture.house import FUNCTIONS, ROOT, trees_under
from tests.deploy.index_need import declared
from tests.desk.embedders import KnowingEmbedder
from tests.desk.front_desk import NOW, StoppedClock, calendar, call, salon
from tests.desk.house_of_resources import full_house
from tests.pipeline.planted import registry

PATHS = FirestorePaths()
BUSINESS = "demo-salon"
WITHIN = PATHS.within(BUSINESS)
WORDS = (Query, Filter, Order, Near)
_RANGES = ("<", "<=", ">", ">=", "!=", "not-in")
Site = tuple[str, int]
"""A file below functions/ and a line."""


@dataclass
class AskedStore:
    """Notes what it is asked; answers nothing, full pages of documents without other fields, or those that wait."""

    asked: list[Query] = field(default_factory=list)
    documents: dict[str, dict[str, Any]] = field(default_factory=dict)
    is_full: bool = False
    waiting: list[str] = field(default_factory=list)

    async def get(self, path: str) -> Document | None:
        fields = self.documents.get(path)
        return None if fields is None else Document(path, dict(fields), NOW, NOW)

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        return [await self.get(path) for path in paths]

    async def query(self, query: Query) -> list[Document]:
        self.asked.append(query)
        if self.waiting:
            return [Document(self.waiting.pop(), {}, NOW, NOW)]
        full = range(query.limit or 0) if self.is_full else ()
        # Whatever is put in order by a field has it.
        fields = {order.field: NOW for order in query.order}
        return [Document(f"{query.collection}/{number}", dict(fields), NOW, NOW) for number in full]

    async def count(self, query: Query) -> int:
        self.asked.append(query)
        return 0

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        return [WriteResult(NOW) for _ in writes]


def sites_to_reach() -> set[Site]:
    """Return where a module builds a query, if anything in it may need more than the indexes that every field has."""
    return {
        (path.as_posix(), line)
        for path, tree in trees_under(ROOT, FUNCTIONS)
        if path.parts[2:3] not in (("contract",), ("state",))
        for line in lines_to_reach(tree)
    }


def lines_to_reach(tree: ast.Module) -> set[int]:
    """Return the lines of one module in which parts of queries are built, if one may need an index of its own."""
    names = _names_of_words(tree)
    built = [(node, word) for node in ast.walk(tree) if isinstance(node, ast.Call) and (word := _word(node, names))]
    return {node.lineno for node, _ in built} if any(_may_need_more(node, word) for node, word in built) else set()


def _names_of_words(tree: ast.Module) -> dict[str, str]:
    """Return what the words are called in a module: as they are, or as they are imported or named anew."""
    names = {word.__name__: word.__name__ for word in WORDS}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname: names[alias.name] for alias in node.names if alias.asname and alias.name in names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and (word := _named(node.value, names)):
            names |= {target.id: word for target in node.targets if isinstance(target, ast.Name)}
    return names


def _word(node: ast.Call, names: Mapping[str, str]) -> str:
    """Return which word a call makes; empty for any other call."""
    # `partial(Query, group=True)` makes one too, or something that does.
    return next(filter(None, (_named(part, names) for part in (node.func, *node.args))), "")


def _named(node: ast.expr, names: Mapping[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        # Whatever stands before the dot: a module under any name.
        return names.get(node.attr, "") if node.attr in {word.__name__ for word in WORDS} else ""
    return names.get(node.id, "") if isinstance(node, ast.Name) else ""


def _may_need_more(node: ast.Call, word: str) -> bool:
    if word in ("Order", "Near"):
        return True
    given = dict(zip([f.name for f in fields(Query if word == "Query" else Filter)], node.args, strict=False))
    given |= {keyword.arg or "**": keyword.value for keyword in node.keywords}
    if "**" in given or any(isinstance(part, ast.Starred) for part in node.args):
        return True
    if word == "Query":
        return "group" in given or "near" in given
    # What is worked out may be anything.
    name, op = (
        part.value if isinstance(part, ast.Constant) else None for part in (given.get("field"), given.get("op"))
    )
    return op is None or op in _RANGES or (name is not None and _is_exempted(str(name)))


def _is_exempted(name: str) -> bool:
    """Tell whether a field of that name has other indexes than the usual ones, in any collection."""
    return any(name == override.name or name.startswith(f"{override.name}.") for override in declared()[1])


@contextmanager
def sites_reached() -> Iterator[set[Site]]:
    """Give the set of places where parts of queries are built, which grows while code runs."""
    found: set[Site] = set()

    def watching(word: type) -> Any:
        inner = word.__init__

        def init(self: Any, *args: Any, **named: Any) -> None:
            frame = sys._getframe(1)
            path = Path(frame.f_code.co_filename)
            if path.is_relative_to(ROOT):
                found.add((path.relative_to(ROOT).as_posix(), frame.f_lineno))
            inner(self, *args, **named)

        return patch.object(word, "__init__", init)

    patches = [watching(word) for word in WORDS]
    for one in patches:
        one.start()
    try:
        yield found
    finally:
        for one in patches:
            one.stop()


async def ask_everything() -> list[Query]:
    """Ask all of it and return the queries."""
    store = AskedStore()
    for ask in (
        _owners,
        _turned_away,
        _phone_numbers,
        _health,
        _silent,
        _months,
        _ledger,
        _bookings,
        _background,
        _keys,
        _meaning,
        _collections,
        _choices,
        _roles,
        _places,
        _definitions,
        _conversations_as_tests,
    ):
        store.is_full, store.documents = False, {}
        await ask(store)
    return store.asked


def _subsets(**values: Any) -> Iterator[dict[str, Any]]:
    for size in range(len(values) + 1):
        yield from (dict(chosen) for chosen in itertools.combinations(values.items(), size))


async def _owners(store: AskedStore) -> None:
    records, audit = InteractionRecords(store, PATHS), Audit(store, PATHS, None, {})
    wishes = {"since": NOW, "until": NOW + timedelta(days=1), "channel": "phone", "outcome": "answered", "text": "x"}
    for chosen in _subsets(**wishes, is_trial=True):
        await records.listed(BUSINESS, InteractionFilter(**chosen), Page())
    for last_id in ("", NOW.isoformat()):
        watch = ConversationWatch(store, PATHS.within(BUSINESS), StoppedClock(), last_id)
        await watch.look(may_see_personal=True)
    for chosen in _subsets(kind="faq", document="one"):
        await audit.entries(BUSINESS, Page(), **chosen)
    sessions, history = SessionRecords(store, PATHS), DefinitionHistory(store, PATHS)
    await sessions.listed(BUSINESS, Page())
    await sessions.listed(BUSINESS, Page(), "+15185550188")
    await sessions.calls(BUSINESS, "s1", Page())
    await calls(store, PATHS, BUSINESS, "s1")
    await calls_in(store, "4bf92f3577b34da6a3ce929d0e0e4736")
    await history.versions("send_sms", Page())
    with suppress(NotFound):
        await history.version("send_sms", "3")
    for tool in (None, "send_sms"):
        await Changes(store, PATHS).listed(Page(), tool)
    canaries = Canaries(store, PATHS, StoppedClock())
    await canaries.listed(SimpleNamespace(name="send_sms", stored=None), Page())
    await canaries._going_on("send_sms", "2026-11-29T15:40:01.123Z")
    await canaries.counting.side("send_sms:2026-11-29T15:40:01.123Z:new", NOW, NOW + timedelta(hours=1))
    await WordsTrial(store, PATHS, None, StoppedClock(), None, None)._rows("send_sms", BUSINESS)
    permit = SimpleNamespace(business_id=BUSINESS)
    await ReachingChanges(audit, store, PATHS).listed(permit, Page())
    numbers = AgentTrialNumbers(store, PATHS, StoppedClock())
    await numbers.listed(BUSINESS, "ada", Page())
    for whose in (None, BUSINESS):
        await numbers.kept(whose)
    await numbers.counting.side(f"@{BUSINESS}/ada:2026-11-29T15:40:01.123Z:new", NOW, NOW + timedelta(hours=1))
    agents = AgentStore(store, PATHS, None, None)
    await agents.trials(BUSINESS, Document(f"{WITHIN.collection('agents')}/ada", {}, NOW, NOW))
    store.documents[WITHIN.business] = {"name": "Salon"}
    await agents.moment(BUSINESS)
    await agents.own_tools(BUSINESS)
    await agents.attached(BUSINESS, "ada")
    await agents.versions(BUSINESS, "ada", Page())
    reindexing = Reindexing(store, PATHS, None, None, None)
    await reindexing.repair(BUSINESS)
    await reindexing.repair(None)
    await reindex(store, SimpleNamespace(name="m"), WITHIN, ())
    await _replaying(store)


async def _turned_away(store: AskedStore) -> None:
    await Restrictions(store, PATHS, StoppedClock(), None).listed(BUSINESS)
    await PortalVisits(store, PATHS, StoppedClock(), None).listed(BUSINESS)
    await PortalLinks(store, StoppedClock(), bytes(32)).end(call(salon()))
    callers = Callers(store)
    await callers.of_number(WITHIN, "+15185550161")
    await callers.of_email(WITHIN, "anna@mail.example")


async def _replaying(store: AskedStore) -> None:
    async def tenant(business_id: str) -> Any:
        return SimpleNamespace()

    replay = Replay(store, PATHS, SimpleNamespace(tenant=tenant), StoppedClock())
    work = SimpleNamespace(
        record=SimpleNamespace(name="send_sms"),
        until=NOW,
        calls_each=5,
        inclusion=lambda tenant: [],
        replayed=lambda tenant, rows: [],
    )
    await replay._of_business(work, BUSINESS)
    await first_businesses(store, PATHS, 5)


async def _health(store: AskedStore) -> None:
    async def tenant(business_id: str) -> Any:
        return None

    async def offered(business_id: str, options: Any) -> Any:
        return SimpleNamespace(channel=options.channel, ways_out=lambda *_: Alternatives(options.channel))

    store.documents[WITHIN.business] = {"name": "Salon"}

    async def current() -> Any:
        return SimpleNamespace(set=SimpleNamespace(published={}))

    definitions = SimpleNamespace(current=current, registry=SimpleNamespace(tools={}))
    catalog = SimpleNamespace(tenant=tenant, get_tool_definitions=offered, definitions=definitions)
    quiet = SimpleNamespace(open=frozenset(), shared=frozenset(), recovering=frozenset())
    numbers = NumberConflicts(store, PATHS, None)
    store.documents[WITHIN.business] |= {"monthlyLimits": {"texts": {"stopAt": 1}}}
    months = LimitStandings(store, PATHS, StoppedClock())
    health = HealthService(
        store, PATHS, catalog, StoppedClock(), lambda _: quiet, numbers, months=months, told_otherwise=lambda *_: []
    )
    await health.of(BUSINESS)
    store.is_full = True
    await health._calls(BUSINESS, NOW)
    store.is_full = False
    questions = UnansweredQuestions(store, PATHS, StoppedClock(), None, None)
    for is_answered in (False, True):
        await questions.listed(BUSINESS, Page(), is_answered=is_answered)
    await questions.collect_all()


async def _phone_numbers(store: AskedStore) -> None:
    claims = NumberClaims(store, PATHS)
    for numbers in (["+15185550100"], ["+15185550100", "+15185550199"]):
        await claims.main(numbers)
    await claims.of_account("AC1")
    await claims.listed("+15185550100")


async def _silent(store: AskedStore) -> None:
    await SilentConversations(store, StoppedClock()).end()


async def _months(store: AskedStore) -> None:
    stops = MonthStops(store, PATHS, StoppedClock(), lambda _: None)
    counting = MonthCounting(store, PATHS, StoppedClock(), stops)
    statements = MonthStatements(store, PATHS, StoppedClock())
    at = NOW - timedelta(days=2)
    store.documents[PATHS.month_counting] = {"since": at, "calls0": {"at": at, "path": f"{WITHIN.business}/calls/c"}}
    await counting.count()
    await statements.of_all(Page())
    await Prices(store, PATHS, StoppedClock()).changes(Page())


async def _ledger(store: AskedStore) -> None:
    ledger = Ledger(store, PATHS)
    for business_id in (None, BUSINESS):
        await ledger.due(NOW, business_id)
        await ledger.abandoned(NOW, business_id)
    session = CallSession(PortalContext(business_id=BUSINESS, session_id="s1"), unanswered=(1, 2))
    await UnheardCalls(store, PATHS).tell(session, Document("s1", {"turns": {"1": {}, "2": {}}}, NOW, NOW))


async def _bookings(store: AskedStore) -> None:
    business = salon(integrations=calendar())
    caller = PhoneContext(
        business_id=BUSINESS, session_id="s1", caller_phone="+15185550171", caller_id="c1", caller_verified=True
    )
    verified = CallContext(business=business, facts=caller, paths=WITHIN, now=NOW, tool="t", effect_key="k")
    for ctx in (verified, call(business)):
        for is_full in (False, True):
            store.is_full = is_full
            for narrowing in (Narrowing(), Narrowing(day=NOW.date()), Narrowing(start=NOW)):
                await Appointments(store, None, None, SimpleNamespace(records=None)).lookup(ctx, narrowing)
            await CallersBookings(store).latest(ctx)
        store.is_full = False
    busy = BusyTimes(store, StoppedClock(), None)
    await busy.around(call(business), Stretch(NOW, NOW + timedelta(hours=1)))
    await Agenda(store, busy).events(call(business), NOW, None, 5)
    await _of_people(store, busy)


async def _of_people(store: AskedStore, busy: BusyTimes) -> None:
    clock, furnished = StoppedClock(), full_house()
    assigning = Assigning(store, busy, None)
    await assigning.upcoming(call(furnished))
    office = BookingOffice(store, PATHS, clock, None, assigning)
    place = SimpleNamespace(business=furnished, paths=WITHIN)
    for since, until in itertools.product((None, NOW), repeat=2):
        await office.listed(place, Page(), since, until)
    await about_appointments(store, WITHIN, furnished, NOW)
    await _at_the_desk(store, clock, place)
    feeds = CalendarFeeds(store, PATHS, None, clock)
    store.documents[WITHIN.business] = {"name": "Salon"}
    await feeds.all(BUSINESS)
    await FormerIds(store, PATHS).like(BUSINESS, "Rosa", [])
    for person in (None, "rosa"):
        kept = {"name": "Mine", "person": person}
        store.documents[WITHIN.document("calendarFeeds", hashlib.sha256(b"t").hexdigest())] = kept
        await feeds.read(BUSINESS, "t")


async def _at_the_desk(store: AskedStore, clock: StoppedClock, place: Any) -> None:
    listing = AppointmentListing(store, clock)
    said = itertools.product((None, NOW), (None, NOW), ("", "rosa"), ("", "Anna Meyer", "+15185550161"))
    for since, until, person, words in said:
        await listing.listed(place, AppointmentFilter(since, until, person, words), Page())
    office = AppointmentOffice(store, PATHS, clock, None, None, None)
    await office._newest_entry(place, "bk_1")
    await MessageInbox(store, PATHS, clock, None).listed(BUSINESS, Page(), "open", "")
    store.documents[WITHIN.business] = {"name": "Salon", "timezone": "America/New_York", "phone": "+15185550142"}
    record = {"name": "Anna Meyer", "phone": "+15185550161", "email": "anna@mail.example"}
    store.documents[WITHIN.document("callers", "c1")] = record
    records = CustomerRecords(store, PATHS, clock, None)
    for words, only_flagged in itertools.product(("", "Anna", "+15185550161", "anna@mail.example"), (False, True)):
        await records.listed(BUSINESS, Page(), words, only_flagged=only_flagged)
    sessions = SessionRecords(store, PATHS)
    await CustomerHistoryReader(store, PATHS, records, listing, sessions).of(BUSINESS, "c1")
    await CustomerUnion(store, PATHS, clock, None, records, None)._given_to(WITHIN, "bookings", "c2", "c1")


async def _conversations_as_tests(store: AskedStore) -> None:
    store.documents[WITHIN.business] = {"name": "Salon", "timezone": "America/New_York", "phone": "+15185550142"}
    turn = {"role": "caller", "text": "Hello.", "turn": 1, "channel": "phone"}
    record = {"channel": "phone", "callerPhone": "+15185550161", "createdAt": NOW, "transcript": [turn]}
    store.documents[WITHIN.document("interactions", "c1")] = record
    await propose(store, WITHIN, "c1")
    asked = ModelCall("get_faqs", Kind.RETRIEVAL, {"date": "2026-12-04"}, None, "finished", 1, NOW)
    held = replace(await read_conversation(store, WITHIN, "c1"), calls=[asked])
    await setting_of(store, WITHIN, read_business(BUSINESS, store.documents[WITHIN.business]), held)
    furnished = full_house()
    visit, caller = visit_for(furnished, None, 30), {"name": "Ana", "phone": "+15185550161"}
    await enter(store, WITHIN, BookingWish(furnished, "first", visit, 1, time(10), caller), NOW)
    await about_tests(store, WITHIN)
    await OpeningChecklist(store, PATHS, StoppedClock()).steps(BUSINESS)
    deletions = DeletionJobs(store, PATHS, StoppedClock())
    await BusinessRemoval(store, PATHS, StoppedClock(), deletions).looked_at(BUSINESS)
    await store.query(notes_of("salon-en", 200))


async def _background(store: AskedStore) -> None:
    await BookingRecovery(store, PATHS, None).recover(NOW)
    deletions = DeletionJobs(store, PATHS, StoppedClock())
    await deletions.is_large(BUSINESS)
    await deletions.open_one("caller", BUSINESS, ["+15185550161"])
    await deletions.drain(None)
    outbox = Outbox(store, PATHS, SimpleNamespace(carry_on=None), None, StoppedClock())
    # Once from the beginning of what there is, and then what is new.
    await outbox.drain()
    await outbox.drain()

    async def nothing(business_id: str | None) -> Mapping[str, int]:
        return {}

    passes = Backlog(store, StoppedClock()).measured(dict.fromkeys(("reap", "queued", "bookings", "outbox"), nothing))
    for work in passes.values():
        await work(None)


async def _keys(store: AskedStore) -> None:
    rotation = KeyRotation(store, PATHS, LocalKeyKeeper(b"k" * 32))
    await rotation.counted()
    await rotation._secrets_of(BUSINESS)
    with suppress(Rejected):
        await Credentials(store, PATHS, StoppedClock()).recognise("Bearer sb_key")
    for account in (
        TrustedAccount("serviceAccount", "till@p.iam.gserviceaccount.com"),
        TrustedAccount("subject", "s", "https://i"),
    ):
        with suppress(Rejected):
            await Accounts(store, PATHS, StoppedClock()).recognise(account)
    with suppress(ToolError):
        await create_key(store, PATHS, "demo-nobody", "website")
    store.documents[WITHIN.business] = {"name": "Salon"}
    await list_keys(store, PATHS, BUSINESS)
    await create_key(store, PATHS, BUSINESS, "website", text="sb_key")


async def _meaning(store: AskedStore) -> None:
    meaning = VectorSearch(store, StoppedClock(), KnowingEmbedder(is_local=False), in_memory=0)
    keyed = meaning.keyed([Passage("p1", "policy", "Parking", "Behind the house.")])
    await meaning.nearest(WITHIN, keyed, "parking", 5)


async def _collections(store: AskedStore) -> None:
    queries = TenantQueries(store, None)
    ctx = call(salon())
    conditions = [("rooms", op, ["a"] if op == "in" else 3) for op in OPERATORS]
    conditions += [("town", op, ["a"] if op == "in" else "Bath") for op in OPERATORS]
    for size in (1, 2, 3):
        for chosen in itertools.combinations(conditions, size):
            with suppress(Exception):
                await queries.ask(ctx, BoundQuery(collection="homes", filters=chosen))


async def _choices(store: AskedStore) -> None:
    store.documents[WITHIN.business] = {"name": "Salon"}
    store.waiting = [f"{WITHIN.items('homes')}/h1"]
    await ToolkitOptions(store, PATHS, None).collections(BUSINESS, Page())


async def _roles(store: AskedStore) -> None:
    entries = RoleEntries(store, PATHS, StoppedClock())
    assert [id async for id in entries.concerned("")] == []
    for is_platform in (False, True):
        await entries.last(BUSINESS, RoleChange("uid", "a@example.com", "", "owner", is_platform))


async def _places(store: AskedStore) -> None:
    for place in PLACES:
        async for _ in documents_of(store, PATHS, place, BUSINESS):
            break
    async for _ in all_documents(store, PATHS):
        break
    await backup.compare(store, PATHS, backup.heading(None, NOW), lambda: iter(()))


async def _definitions(store: AskedStore) -> None:
    # One that cannot be read, of which the last published version is looked for.
    store.waiting = [f"{PATHS.definitions}/broken"]
    await Definitions(store, PATHS, registry(), StoppedClock()).current()
    store.waiting = []
    await OwnSets(store, PATHS, StoppedClock()).last_good(BUSINESS, ["t"])
    await TextStops(store, PATHS, StoppedClock(), Revisions(store, PATHS, StoppedClock())).listed(BUSINESS)
