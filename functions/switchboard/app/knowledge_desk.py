"""Where owners bring in what they have elsewhere: files, web pages, and collections of their own."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from switchboard.admin.api.endpoint import Endpoint
    from switchboard.admin.audit.document_kind import DocumentKind
    from switchboard.admin.collections.rows import Rows
    from switchboard.admin.services import AdminServices
    from switchboard.app.core import Core


def bringing_endpoints(core: "Core", office: "AdminServices") -> "tuple[Endpoint, ...]":
    """Return the endpoints."""
    from switchboard.admin.collections.collections import Collections
    from switchboard.admin.collections.routes import CollectionEndpoints
    from switchboard.admin.reading.drafts import ReadingDrafts
    from switchboard.admin.reading.routes import ReadingEndpoints

    drafts = ReadingDrafts(core.pages, office.documents, core.store, core.paths, core.clock)
    collections = Collections(core.store, core.paths, office.revisions, collection_rows(core))
    return (*ReadingEndpoints(drafts).endpoints, *CollectionEndpoints(collections).endpoints)


def further_kinds(core: "Core") -> "list[DocumentKind]":
    """Return the kinds of documents that are undone as such, beside those that every office has."""
    from switchboard.admin.collections.collections import COLLECTION
    from switchboard.admin.health.questions import question_kind
    from switchboard.admin.messages.inbox import MESSAGE
    from switchboard.app.kept_tests import kind_of_tests
    from switchboard.app.month_costs import kind_of_limits

    return [question_kind(), MESSAGE, COLLECTION, kind_of_tests(core.catalog), kind_of_limits(core)]


def collection_rows(core: "Core") -> "Rows":
    """Return what writes the rows of collections."""
    from switchboard.admin.collections.rows import Rows

    return Rows(core.store, core.paths, core.clock)
