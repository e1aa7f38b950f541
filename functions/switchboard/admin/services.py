"""Everything an owner can do here, joined: the operations for the pages, and the endpoints for the HTTP API."""

from collections.abc import Callable, Iterable, Mapping

from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.revisions import Revisions
from switchboard.admin.businesses.businesses import Businesses, EditConsequences, business_kind
from switchboard.admin.businesses.daily_stats import DailyStats
from switchboard.admin.businesses.directory import Directory
from switchboard.admin.businesses.known_names import KnownNames
from switchboard.admin.businesses.number_conflicts import NumberConflicts
from switchboard.admin.businesses.routes import BusinessEndpoints, DayEndpoints
from switchboard.admin.businesses.stats import BusinessStats
from switchboard.admin.callers.portal_visits import PortalVisits
from switchboard.admin.callers.restrictions import Restrictions, restriction_kinds
from switchboard.admin.callers.routes import PortalVisitEndpoints, RestrictionEndpoints, TextStopEndpoints
from switchboard.admin.callers.text_stops import TEXT_STOP, TextStops
from switchboard.admin.conversations.records import InteractionRecords
from switchboard.admin.conversations.routes import ConversationEndpoints
from switchboard.admin.conversations.session_records import SessionRecords
from switchboard.admin.knowledge.entries import Entries, entry_kind
from switchboard.admin.knowledge.entry_form import DOCUMENT, FAQ, POLICY, Collection
from switchboard.admin.knowledge.reindexing import Reindexing
from switchboard.admin.knowledge.routes import DocumentEndpoints, FaqEndpoints, PolicyEndpoints
from switchboard.admin.undo.handler import UndoHandlers
from switchboard.admin.undo.reaching import ReachingChanges
from switchboard.admin.undo.routes import ReachingEndpoints
from switchboard.admin.undo.undoing import Audit
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class AdminServices:
    """The owners' operations."""

    revisions: Revisions
    businesses: Businesses
    policies: Entries
    faqs: Entries
    documents: Entries
    interactions: InteractionRecords
    sessions: SessionRecords
    figures: BusinessStats
    days: DailyStats
    restrictions: Restrictions
    text_stops: TextStops
    visits: PortalVisits
    audit: Audit
    reaching: ReachingChanges

    @property
    def entry_rooms(self) -> Mapping[Collection, Entries]:
        """Where the texts are kept that receptionists know, by their collections."""
        return {"policies": self.policies, "faqs": self.faqs, "knowledge": self.documents}

    @property
    def admin_endpoints(self) -> tuple[Endpoint, ...]:
        """The endpoints of the function `admin`."""
        return (
            *BusinessEndpoints(self.businesses, self.figures, self.audit).endpoints,
            *DocumentEndpoints(self.documents).endpoints,
            *ConversationEndpoints(self.interactions, self.sessions).endpoints,
            *DayEndpoints(self.days).endpoints,
            *ReachingEndpoints(self.reaching, self.audit).endpoints,
            *RestrictionEndpoints(self.restrictions).endpoints,
            *TextStopEndpoints(self.text_stops).endpoints,
            *PortalVisitEndpoints(self.visits).endpoints,
        )

    @property
    def tts_admin_endpoints(self) -> tuple[Endpoint, ...]:
        """The endpoints of the function `tts_admin` (seed 000)."""
        return (*PolicyEndpoints(self.policies).endpoints, *FaqEndpoints(self.faqs).endpoints)


def open_office(
    store: Store,
    paths: Paths,
    clock: Clock,
    reindexing: Reindexing,
    forget: Callable[[str], None],
    kinds: Iterable[DocumentKind] = (),
    ways: Callable[[], UndoHandlers] = UndoHandlers,
    known_names: KnownNames | None = None,
    numbers: NumberConflicts | None = None,
    consequences: EditConsequences | None = None,
) -> AdminServices:
    """Return the office over a store.

    Args:
        store: Where everything is.
        paths: Where it is found there.
        clock: Dates the audit's entries.
        reindexing: Keeps the index of businesses' texts in line.
        forget: Has a business read anew when it is next needed.
        kinds: Further kinds of documents whose changes can be undone.
        ways: Returns how changes of all else are undone; asked when one is.
        known_names: Holds names in businesses' settings against those there are; None for any name.
        numbers: Knows whose a phone number is; None where a business may have any.
        consequences: Tells what would break by an edit of a business; None where nobody looks.
    """
    revisions = Revisions(store, paths, clock)
    business = business_kind(forget, Directory(store, paths), numbers, consequences)
    policy, faq, document = (entry_kind(form, reindexing) for form in (POLICY, FAQ, DOCUMENT))
    own = (business, policy, faq, document, TEXT_STOP, *restriction_kinds())
    known: Mapping[str, DocumentKind] = {kind.name: kind for kind in (*own, *kinds)}
    return AdminServices(
        revisions=revisions,
        businesses=Businesses(store, paths, revisions, business, known_names),
        policies=Entries(store, paths, revisions, POLICY, policy, (POLICY, FAQ)),
        faqs=Entries(store, paths, revisions, FAQ, faq, (POLICY, FAQ)),
        documents=Entries(store, paths, revisions, DOCUMENT, document),
        interactions=InteractionRecords(store, paths),
        sessions=SessionRecords(store, paths),
        figures=BusinessStats(store, paths),
        days=DailyStats(store, paths, clock),
        restrictions=Restrictions(store, paths, clock, revisions),
        visits=PortalVisits(store, paths, clock, revisions),
        text_stops=TextStops(store, paths, clock, revisions),
        audit=(audit := Audit(store, paths, revisions, known, ways)),
        reaching=ReachingChanges(audit, store, paths),
    )
