"""The owners' HTTP API for definitions: everybody sees them; only platform admins change what all businesses share."""

import re
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import known_business
from switchboard.admin.access.refusal import EntryProblem, Forbidden, NotFound, NotValid
from switchboard.admin.access.roles import ALLOWED, Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint, Handle
from switchboard.admin.api.paging import cursor_of, read_page
from switchboard.admin.api.request_body import revisioned_body
from switchboard.admin.api.schemas import PAGING, TEXT, paged
from switchboard.admin.audit.revisions import Saved
from switchboard.admin.definitions.check import check
from switchboard.admin.definitions.drafts import DraftResult
from switchboard.admin.definitions.preview import preview
from switchboard.admin.definitions.record import Record
from switchboard.admin.definitions.replay import MOST_CALLS, USUAL_CALLS
from switchboard.admin.definitions.schemas import (
    ACKNOWLEDGED,
    CHECKED,
    DEFINITION,
    DIFF,
    DRAFT,
    ENABLED,
    LINE,
    NOTHING,
    PREVIEW,
    REPORT,
    STAGED,
    VERSION,
    VERSION_LINE,
)
from switchboard.admin.definitions.service import DefinitionService
from switchboard.admin.definitions.views import line, lines, shown
from switchboard.admin.documents.difference import differences
from switchboard.catalog.definitions.definitions import misfits, read_for_handler
from switchboard.contract.business.business import Business
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store

_SIDES = ("published", "draft", "builtIn", "canary")
_WHICH = {**TEXT, "description": f"One of {', '.join(_SIDES)}, or a version's number."}


class DefinitionEndpoints:
    """The endpoints below `/admin/definitions`."""

    def __init__(self, office: DefinitionService, store: Store, paths: Paths) -> None:
        """Answer from the office; businesses, whose words a preview is in, are read from `store`."""
        self._office, self._store, self._paths = office, store, paths

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        base, see, edit = "/definitions/{name}", Operation.SEE_DEFINITIONS, Operation.PUBLISH_DEFINITIONS
        of_business = {"businessId": {**TEXT, "description": "In the words of this business."}}
        calls = {
            "calls": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_CALLS,
                "description": "How many calls of each business are looked at.",
            }
        }

        def change(method: str, path: str, summary: str, handle: Handle, body: JsonObject) -> Endpoint:
            return Endpoint(method, path, edit, summary, handle, DEFINITION, body=body, is_revisioned=True)

        return (
            Endpoint(
                *("GET", "/definitions", see, "List the tools' definitions", self._list, paged("definitions", LINE)),
                query=PAGING,
            ),
            Endpoint("GET", base, see, "Read a definition: published, built, drafted", self._read, DEFINITION),
            Endpoint(
                *("POST", f"{base}/check", edit, "Say what is wrong with a definition, without saving it"),
                *(self._check, CHECKED),
                body=DRAFT,
            ),
            Endpoint(
                *("GET", f"{base}/preview", see, "Show what each dialect and the prompt would tell"),
                *(self._preview, PREVIEW),
                query={"of": _WHICH, **of_business},
            ),
            Endpoint(
                *("GET", f"{base}/diff", see, "Show what differs between two states of a definition"),
                *(self._diff, DIFF),
                query={"from": _WHICH, "to": _WHICH},
            ),
            Endpoint(
                *("GET", f"{base}/versions", see, "List what was published when and by whom"),
                *(self._versions, paged("versions", VERSION_LINE)),
                query=PAGING,
            ),
            Endpoint("GET", f"{base}/versions/{{version}}", see, "Read a version", self._version, VERSION),
            Endpoint(
                *("GET", f"{base}/replay", edit, "Hold the draft against recorded calls of every business"),
                *(self._replay, REPORT),
                query={**PAGING, **calls},
            ),
            change("PUT", f"{base}/draft", "Save a draft", self._save, DRAFT),
            change("DELETE", f"{base}/draft", "Throw the draft away", self._discard, NOTHING),
            change("POST", f"{base}/publish", "Publish the draft to all businesses", self._publish, ACKNOWLEDGED),
            change("PUT", f"{base}/canary", "Have some businesses try the draft first", self._stage, STAGED),
            change("DELETE", f"{base}/canary", "Take the draft back from those who try it", self._end, NOTHING),
            change("POST", f"{base}/versions/{{version}}/rollback", "Publish a version again", self._back, NOTHING),
            change("POST", f"{base}/reset", "Publish the built-in definition", self._reset, NOTHING),
            change("PUT", f"{base}/enabled", "Switch a tool on or off for all businesses", self._switch, ENABLED),
        )

    async def _list(self, request: Request, permit: Permit) -> Response:
        page = read_page(request.query_params, 0, usual=100)
        behind = page.after[-1] if page.after else ""
        names = [name for name in self._office.records.registry.tools if name > behind]
        wanted = names[: page.limit]
        records = await self._office.records.read_several(wanted)
        cursor = cursor_of(wanted[-1]) if len(names) > page.limit else None
        return json_answer({"definitions": [line(record) for record in records], "nextCursor": cursor})

    async def _read(self, request: Request, permit: Permit) -> Response:
        return _told(await self._record(request), permit)

    async def _check(self, request: Request, permit: Permit) -> Response:
        body, _ = await revisioned_body(request)
        record, document = await self._record(request), _document(body)
        checked = check(record, document)
        told = preview(record, checked.definition) if checked.definition and not checked.problems else None
        found = lines(differences(record.completed(record.in_force or {}), record.completed(document)))
        return json_answer({**checked.to_json(), "differences": found, "preview": told})

    async def _preview(self, request: Request, permit: Permit) -> Response:
        record = await self._record(request)
        which = request.query_params.get("of") or ("draft" if record.drafted else "published")
        document = await self._state(record, which)
        definition, wrong = read_for_handler(record.name, document, record.built)
        wrong = wrong or ([*misfits(definition, record.built)] if definition is not None else [])
        if wrong or definition is None:
            raise NotValid([EntryProblem(error.field, f"{error}.") for error in wrong])
        business = await self._business(permit, request.query_params.get("businessId") or "")
        return json_answer({"of": which, **preview(record, definition, business)})

    async def _diff(self, request: Request, permit: Permit) -> Response:
        record = await self._record(request)
        before = request.query_params.get("from") or "published"
        after = request.query_params.get("to") or ("draft" if record.drafted else "builtIn")
        found = [record.completed(await self._state(record, which)) for which in (before, after)]
        return json_answer({"from": before, "to": after, "differences": lines(differences(*found))})

    async def _versions(self, request: Request, permit: Permit) -> Response:
        record = await self._record(request)
        found = await self._office.history.versions(record.name, read_page(request.query_params, 1))
        return json_answer({"versions": [v.to_json() for v in found.items], "nextCursor": found.next_cursor})

    async def _version(self, request: Request, permit: Permit) -> Response:
        record = await self._record(request)
        found, document = await self._office.history.version(record.name, request.path_params["version"])
        return json_answer({**found.to_json(), "document": document})

    async def _replay(self, request: Request, permit: Permit) -> Response:
        query = request.query_params
        record, page = await self._record(request), read_page(query, 1, usual=50)
        calls, until, offset = _number(query.get("calls", "")), None, 0
        if page.after is not None:
            calls, until, offset = _place(*page.after)
        report = await self._office.replay.report(record, calls, until)
        behind = offset + page.limit
        cursor = None
        if behind < len(report.findings):
            cursor = cursor_of(report.until, f"{calls}.{behind}")
        return json_answer({**report.to_json(offset, page.limit), "nextCursor": cursor}, revision=record.revision)

    async def _save(self, request: Request, permit: Permit) -> Response:
        body, based_on = await revisioned_body(request)
        return _done(await self._office.drafts.save(permit, _name(request), based_on, _document(body)), permit)

    async def _discard(self, request: Request, permit: Permit) -> Response:
        return _done(await self._office.drafts.discard(permit, _name(request), await _only(request)), permit)

    async def _publish(self, request: Request, permit: Permit) -> Response:
        body, based_on = await revisioned_body(request)
        _refuse_others(body, "acknowledged")
        return _done(await self._office.publish(permit, _name(request), based_on, body.get("acknowledged")), permit)

    async def _stage(self, request: Request, permit: Permit) -> Response:
        body, based_on = await revisioned_body(request)
        _refuse_others(body, "businesses", "acknowledged")
        wanted, acknowledged = body.get("businesses"), body.get("acknowledged")
        return _done(await self._office.stage(permit, _name(request), based_on, wanted, acknowledged), permit)

    async def _end(self, request: Request, permit: Permit) -> Response:
        return _done(await self._office.end_canary(permit, _name(request), await _only(request)), permit)

    async def _back(self, request: Request, permit: Permit) -> Response:
        version = request.path_params["version"]
        return _done(await self._office.roll_back(permit, _name(request), await _only(request), version), permit)

    async def _reset(self, request: Request, permit: Permit) -> Response:
        return _done(await self._office.reset(permit, _name(request), await _only(request)), permit)

    async def _switch(self, request: Request, permit: Permit) -> Response:
        body, based_on = await revisioned_body(request)
        _refuse_others(body, "enabled")
        return _done(await self._office.switch(permit, _name(request), based_on, body.get("enabled")), permit)

    async def _record(self, request: Request) -> Record:
        return await self._office.records.read(_name(request))

    async def _state(self, record: Record, which: str) -> JsonObject:
        canary = record.canary
        known = {
            "published": record.in_force,
            "draft": record.drafted,
            "builtIn": record.built_in,
            "canary": dict(canary.document) if canary else None,
        }
        if which in known:
            found = known[which]
        elif which.isascii() and which.isdigit():
            found = (await self._office.history.version(record.name, which))[1]
        else:
            raise NotValid([EntryProblem("of", f"Choose one of {', '.join(_SIDES)}, or a version's number.")])
        if found is None:
            raise NotFound(f"This tool has no such state: {which}.")
        return found

    async def _business(self, permit: Permit, business_id: str) -> Business | None:
        if not business_id:
            return None
        role = permit.identity.role_in(business_id)
        if role is None or role not in ALLOWED[Operation.SEE_BUSINESS]:
            raise Forbidden("You may not do this for this business.")
        return await known_business(self._store, self._paths.within(business_id))


def _name(request: Request) -> str:
    return str(request.path_params["name"])


def _told(record: Record, permit: Permit) -> Response:
    return json_answer(shown(record, permit), revision=record.revision)


def _done(done: DraftResult, permit: Permit) -> Response:
    revision = done.record.revision
    told = [finding.to_json() for finding in done.findings]
    return saved_answer(shown(done.record, permit) | {"findings": told}, Saved(None, revision, done.entry_id))


def _document(body: JsonObject) -> JsonObject:
    _refuse_others(body, "document")
    document = body.get("document")
    if not isinstance(document, dict):
        raise NotValid([EntryProblem("document", "document must be the definition, as a JSON object.")])
    return document


def _refuse_others(body: JsonObject, *known: str) -> None:
    instead = f"; use {', '.join(known)}" if known else ""
    problems = [
        EntryProblem(name[:80], f"{name[:80]!r} is not known here{instead}.") for name in body if name not in known
    ]
    if problems:
        raise NotValid(problems)


async def _only(request: Request) -> str | None:
    body, based_on = await revisioned_body(request)
    _refuse_others(body)
    return based_on


def _number(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
    if text and not 1 <= number <= MOST_CALLS:
        raise NotValid([EntryProblem("calls", f"calls must be a whole number from 1 to {MOST_CALLS}.")])
    return number or USUAL_CALLS


def _place(until: object, place: object) -> tuple[int, datetime, int]:
    found = re.fullmatch(r"([1-9][0-9]?)\.([0-9]{1,6})", str(place))
    if not isinstance(until, datetime) or found is None or int(found[1]) > MOST_CALLS:
        raise NotValid(
            [EntryProblem("cursor", "cursor must be the next cursor that an earlier page of this list told.")]
        )
    return int(found[1]), until, int(found[2])
