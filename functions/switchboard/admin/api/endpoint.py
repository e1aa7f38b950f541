"""An endpoint of the owners' API: what it is, who may use it and what it answers, in one record.

The routes are built from these records and the OpenAPI document is too, so that neither can say what the other does
not. Whoever is not let in is answered before anything is read.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import answer_to
from switchboard.admin.api.personal import as_seen_by, check_asked
from switchboard.admin.audit.trail import entries_left
from switchboard.contract import policy
from switchboard.contract.deadline import reads_within
from switchboard.contract.error import ToolError
from switchboard.contract.observability.subject import About
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import StoreError

DRY_RUN = "dryRun"
"""What asks in a query for what a change would do."""
_REFUSED = 400
_SERVED = "__endpoint__"
_Handler = TypeVar("_Handler", bound=Callable[..., Awaitable[Response]])
# As many fit into a header; a bundle may leave more.
_MOST_NAMED = 50

Handle: TypeAlias = Callable[[Request, Permit | None], Awaitable[Response]]
"""Answers a request that was let in, without a permit where none is needed; may raise `ToolError` and `StoreError`."""


Foresees: TypeAlias = Callable[["Endpoint", Request, Permit | None], Awaitable[Response]]
"""Answers what a request would change of what callers are offered, and changes nothing; may raise as `Handle`."""


class Authorises(Protocol):
    """What lets requests in: `Access`."""

    async def authorise(self, request: Request, business_id: str, operation: Operation) -> Permit:
        """Return the permit, or raise what is answered with 401, 403 or 503."""

    async def permit(self, request: Request, business_id: str | None, operation: Operation) -> Permit:
        """Return the permit for the business named, or for the credential's only one; raise as `authorise`, or 400."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method of one path.

    Attributes:
        method: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
        path: Below its function's prefix; `{business_id}` is the business it is about.
        operation: What the role must allow; None where whoever has the address is answered.
        handle: Answers; the first line of its docstring says what it does. Its parameters say what is read: `Caller`
            and `BasedOn` of `serving.py`, a `QueryParameters`, a `RequestBody`, and what stands in the path by its
            name.
        answer: The type of what it answers when all is well, an `AnswerBody`.
        status: What it answers then.
        trial_status: What it answers, with the same type, where a dry run was asked for and nothing was made.
        later_status: What it answers, with the same type, where it was begun and goes on.
        is_revisioned: Whether it is based on a revision: one that is out of date is refused with both versions.
        may_go_without: Whether it is also done where no revision is said, on what is there then.
        decides_offers: Whether it can change what callers are offered: with `dryRun=true` in the query it answers, as
            `OffersForeseen`, what it would change there, and changes nothing.
        tells_revision: Whether its answer says a revision; what is based on one always does.
        further: Statuses of refusals that not every endpoint has, and of ways to elsewhere.
        once: The path at which what it makes is read, where an `Idempotency-Key` names a wish, which is fulfilled once;
            empty where it is told only once what that is, None where no key is read.
        is_named_in_query: Whether the business is named by `businessId` in the query, and may be left out by those who
            have only one.
        media: The media type of its answer.
        text_media: Media types of texts that it answers instead where its query asks for one.
        form: The fields of the HTML form that it reads by itself.
        most_bytes: The longest that its body may be.
        words: What it does, where its handler's docstring does not say it for every endpoint that it answers.
    """

    method: str
    path: str
    operation: Operation | None
    handle: Callable[..., Awaitable[Response]]
    answer: Any
    status: int = 200
    is_revisioned: bool = False
    may_go_without: bool = False
    decides_offers: bool = False
    tells_revision: bool = False
    further: tuple[int, ...] = ()
    trial_status: int | None = None
    later_status: int | None = None
    once: str | None = None
    is_named_in_query: bool = False
    media: str = "application/json"
    text_media: tuple[str, ...] = ()
    form: type[BaseModel] | None = None
    most_bytes: int = policy.BODY_BYTES
    words: str = ""

    @property
    def summary(self) -> str:
        """What it does, in one sentence without a full stop."""
        return self.words or (self.handle.__doc__ or "").partition("\n")[0].removesuffix(".")


class EndpointGroup:
    """Endpoints that are methods of one class (`endpoint`), in the order in which they are written."""

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        served = {name: getattr(method, _SERVED, ()) for name, method in vars(type(self)).items()}
        return tuple(replace(one, handle=getattr(self, name)) for name, own in served.items() for one in own)


def endpoint(
    method: str, path: str, operation: Operation | None, answer: Any, status: int = 200, **further: Any
) -> Callable[[_Handler], _Handler]:
    """Make a method of an `EndpointGroup` the handler of an endpoint: the arguments are those of `Endpoint`."""

    def served(handle: _Handler) -> _Handler:
        # Of several at one method the last is the first to be made.
        own = Endpoint(method, path, operation, handle, answer, status, **further)
        setattr(handle, _SERVED, (*getattr(handle, _SERVED, ()), own))
        return handle

    return served


def deciding(*endpoints: Endpoint) -> tuple[Endpoint, ...]:
    """Return endpoints of which those that write can change what callers are offered, and are asked so beforehand."""
    return tuple(replace(endpoint, decides_offers=endpoint.method != "GET") for endpoint in endpoints)


def entered(endpoint: Endpoint, access: Authorises, handle: Handle) -> Callable[[Request], Awaitable[Response]]:
    """Return what lets requests in that may use an endpoint, has them handled, and answers what is raised."""

    async def answered(request: Request) -> Response:
        # First of all: what is read before could be told from the answer.
        permit = await _permit(request)
        try:
            about = About(permit.business_id if permit is not None else "")
            with about, reads_within(policy.OWNERS_READ_S), entries_left() as entries:
                if permit is not None:
                    check_asked(permit, endpoint.operation, request)
                response = await handle(request, permit)
            if permit is not None:
                response = as_seen_by(permit, endpoint.operation, response)
            if entries and response.status_code < _REFUSED:
                # What was named already is one of them.
                response.headers.setdefault("Audit-Entry", ", ".join(entries[:_MOST_NAMED]))
        except (ToolError, StoreError) as error:
            response = answer_to(error)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    async def _permit(request: Request) -> Permit | None:
        if endpoint.operation is None:
            return None
        if endpoint.is_named_in_query:
            return await access.permit(request, request.query_params.get("businessId") or None, endpoint.operation)
        return await access.authorise(request, request.path_params.get("business_id", ""), endpoint.operation)

    return answered
