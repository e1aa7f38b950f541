"""The owners' HTTP API for definitions: everybody sees them; only platform admins change what all businesses share."""

import re
from datetime import datetime
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import known_business
from switchboard.admin.access.refusal import EntryProblem, Forbidden, NotFound, NotValid
from switchboard.admin.access.roles import ALLOWED, Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.models import Paging, Revisioned
from switchboard.admin.api.paging import cursor_of
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.audit.revisions import Saved
from switchboard.admin.definitions.answer_models import (
    DefinitionCanaryList,
    DefinitionChangeList,
    DefinitionChangeLooked,
    DefinitionChecked,
    DefinitionDiff,
    DefinitionList,
    DefinitionPreview,
    DefinitionShown,
    DefinitionVersionList,
    DefinitionVersionShown,
    ReplayReport,
)
from switchboard.admin.definitions.changes import seen_by
from switchboard.admin.definitions.check import check
from switchboard.admin.definitions.drafts import DraftResult
from switchboard.admin.definitions.history import Version
from switchboard.admin.definitions.models import (
    DefinitionChangeQuery,
    DefinitionCheckBody,
    DefinitionDiffQuery,
    DefinitionDraftBody,
    DefinitionPreviewQuery,
    DefinitionPublishBody,
    DefinitionReplayQuery,
    DefinitionSwitchBody,
    DefinitionTrialBody,
)
from switchboard.admin.definitions.record import Record
from switchboard.admin.definitions.replay import MOST_CALLS, USUAL_CALLS
from switchboard.admin.definitions.service import DefinitionService
from switchboard.admin.definitions.views import line, lines, preview, shown
from switchboard.admin.documents.difference import differences
from switchboard.catalog.definitions.definitions import misfits, read_for_handler
from switchboard.contract.business.business import Business
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store

_USUAL, _USUAL_FINDINGS, _USUAL_CANARIES = 100, 50, 5


class DefinitionEndpoints(EndpointGroup):
    """The endpoints below `/admin/definitions`."""

    _BASE, _SEE, _EDIT = "/definitions/{name}", Operation.SEE_DEFINITIONS, Operation.PUBLISH_DEFINITIONS
    _VERSION = f"{_BASE}/versions/{{version}}"

    def __init__(self, office: DefinitionService, store: Store, paths: Paths) -> None:
        """Answer from the office; businesses, whose words a preview is in, are read from `store`."""
        self._office, self._store, self._paths = office, store, paths

    @endpoint("GET", "/definitions", _SEE, DefinitionList)
    async def _list(self, permit: Caller, query: Annotated[Paging, Query()]) -> Response:
        """List the tools' definitions."""
        page = query.page(0, _USUAL)
        behind = page.after[-1] if page.after else ""
        names = [name for name in self._office.records.registry.tools if name > behind]
        listed = names[: page.limit]
        records = await self._office.records.read_several(listed)
        cursor = cursor_of(listed[-1]) if len(names) > page.limit else None
        return json_answer({"definitions": [line(record) for record in records], "nextCursor": cursor})

    @endpoint("GET", _BASE, _SEE, DefinitionShown)
    async def _read(self, permit: Caller, name: str) -> Response:
        """Read a definition: published, built, drafted."""
        record = await self._record(name)
        return json_answer(shown(record, permit), revision=record.revision)

    @endpoint("POST", f"{_BASE}/check", _EDIT, DefinitionChecked)
    async def _check(self, permit: Caller, name: str, body: DefinitionCheckBody) -> Response:
        """Say what is wrong with a definition, without saving it."""
        record, document = await self._record(name), body.document
        checked = check(record, document)
        shown = preview(record, checked.definition) if checked.definition and not checked.problems else None
        differing = lines(differences(record.completed(record.in_force or {}), record.completed(document)))
        return json_answer({**checked.to_json(), "differences": differing, "preview": shown})

    @endpoint("GET", f"{_BASE}/preview", _SEE, DefinitionPreview)
    async def _preview(self, permit: Caller, name: str, query: Annotated[DefinitionPreviewQuery, Query()]) -> Response:
        """Show what each dialect and the prompt would tell."""
        record = await self._record(name)
        which = query.of or ("draft" if record.drafted else "published")
        document = await self._state(record, which)
        definition, wrong = read_for_handler(record.name, document, record.built)
        wrong = wrong or ([*misfits(definition, record.built)] if definition is not None else [])
        if wrong or definition is None:
            raise NotValid([EntryProblem(error.field, f"{error}.") for error in wrong])
        business = await self._business(permit, query.business_id or "")
        return json_answer({"of": which, **preview(record, definition, business)})

    @endpoint("GET", f"{_BASE}/diff", _SEE, DefinitionDiff)
    async def _diff(self, permit: Caller, name: str, query: Annotated[DefinitionDiffQuery, Query()]) -> Response:
        """Show what differs between two states of a definition."""
        record = await self._record(name)
        before, after = query.before or "published", query.after or ("draft" if record.drafted else "builtIn")
        states = [record.completed(await self._state(record, which)) for which in (before, after)]
        return json_answer({"from": before, "to": after, "differences": lines(differences(*states))})

    @endpoint("GET", f"{_BASE}/versions", _SEE, DefinitionVersionList)
    async def _versions(self, permit: Caller, name: str, query: Annotated[Paging, Query()]) -> Response:
        """List what was published when and by whom."""
        record = await self._record(name)
        page = await self._office.history.versions(record.name, query.page(1))
        versions = [_as_seen(permit, version) for version in page.items]
        return json_answer({"versions": versions, "nextCursor": page.next_cursor})

    @endpoint("GET", _VERSION, _SEE, DefinitionVersionShown)
    async def _version(self, permit: Caller, name: str, version: str) -> Response:
        """Read a version."""
        record = await self._record(name)
        published, document = await self._office.history.version(record.name, version)
        return json_answer({**_as_seen(permit, published), "document": document})

    @endpoint("GET", f"{_BASE}/canaries", _EDIT, DefinitionCanaryList)
    async def _canaries(self, permit: Caller, name: str, query: Annotated[Paging, Query()]) -> Response:
        """Tell how drafts on trial did beside the old words."""
        page = await self._office.canaries.listed(await self._record(name), query.page(1, _USUAL_CANARIES))
        return json_answer({"canaries": [look.to_json() for look in page.items], "nextCursor": page.next_cursor})

    @endpoint("GET", f"{_BASE}/replay", _EDIT, ReplayReport)
    async def _replay(self, permit: Caller, name: str, query: Annotated[DefinitionReplayQuery, Query()]) -> Response:
        """Hold the draft against recorded calls of every business."""
        page = query.page(1, _USUAL_FINDINGS)
        calls, until, offset = query.calls or USUAL_CALLS, None, 0
        if page.after is not None:
            calls, until, offset = _place(*page.after)
        record = await self._record(name)
        report = await self._office.replay.report(record, calls, until)
        behind = offset + page.limit
        cursor = None
        if behind < len(report.findings):
            cursor = cursor_of(report.until, f"{calls}.{behind}")
        return json_answer({**report.to_json(offset, page.limit), "nextCursor": cursor}, revision=record.revision)

    @endpoint("PUT", f"{_BASE}/draft", _EDIT, DefinitionShown, is_revisioned=True, decides_offers=True)
    async def _save(self, permit: Caller, name: str, based_on: BasedOn, body: DefinitionDraftBody) -> Response:
        """Save a draft."""
        return _done(await self._office.drafts.save(permit, name, based_on, body.document), permit)

    @endpoint("DELETE", f"{_BASE}/draft", _EDIT, DefinitionShown, is_revisioned=True, decides_offers=True)
    async def _discard(self, permit: Caller, name: str, based_on: BasedOn, body: Revisioned) -> Response:
        """Throw the draft away."""
        return _done(await self._office.drafts.discard(permit, name, based_on), permit)

    @endpoint("POST", f"{_BASE}/publish", _EDIT, DefinitionShown, is_revisioned=True, decides_offers=True)
    async def _publish(self, permit: Caller, name: str, based_on: BasedOn, body: DefinitionPublishBody) -> Response:
        """Publish the draft to all businesses."""
        red = body.acknowledged_tests
        return _done(await self._office.publish(permit, name, based_on, body.acknowledged, red), permit)

    @endpoint("PUT", f"{_BASE}/canary", _EDIT, DefinitionShown, is_revisioned=True, decides_offers=True)
    async def _stage(self, permit: Caller, name: str, based_on: BasedOn, body: DefinitionTrialBody) -> Response:
        """Have some businesses try the draft first."""
        given = body.businesses, body.acknowledged, body.acknowledged_tests
        done = await self._office.stage(permit, name, based_on, *given)
        return _done(done, permit)

    @endpoint("DELETE", f"{_BASE}/canary", _EDIT, DefinitionShown, is_revisioned=True, decides_offers=True)
    async def _end(self, permit: Caller, name: str, based_on: BasedOn, body: Revisioned) -> Response:
        """Take the draft back from those who try it."""
        return _done(await self._office.end_canary(permit, name, based_on), permit)

    @endpoint("POST", f"{_VERSION}/rollback", _EDIT, DefinitionShown, is_revisioned=True, decides_offers=True)
    async def _back(self, permit: Caller, name: str, version: str, based_on: BasedOn, body: Revisioned) -> Response:
        """Publish a version again."""
        return _done(await self._office.roll_back(permit, name, based_on, version), permit)

    @endpoint("POST", f"{_BASE}/reset", _EDIT, DefinitionShown, is_revisioned=True, decides_offers=True)
    async def _reset(self, permit: Caller, name: str, based_on: BasedOn, body: Revisioned) -> Response:
        """Publish the built-in definition."""
        return _done(await self._office.reset(permit, name, based_on), permit)

    @endpoint("PUT", f"{_BASE}/enabled", _EDIT, DefinitionShown, is_revisioned=True, decides_offers=True)
    async def _switch(self, permit: Caller, name: str, based_on: BasedOn, body: DefinitionSwitchBody) -> Response:
        """Switch a tool on or off for all businesses."""
        return _done(await self._office.switch(permit, name, based_on, body.enabled), permit)

    async def _record(self, name: str) -> Record:
        return await self._office.records.read(name)

    async def _state(self, record: Record, which: str) -> JsonObject:
        canary = record.canary
        known = {
            "published": record.in_force,
            "draft": record.drafted,
            "builtIn": record.built_in,
            "canary": dict(canary.document) if canary else None,
        }
        state = known[which] if which in known else (await self._office.history.version(record.name, which))[1]
        if state is None:
            raise NotFound(f"This tool has no such state: {which}.")
        return state

    async def _business(self, permit: Permit, business_id: str) -> Business | None:
        if not business_id:
            return None
        role = permit.identity.role_in(business_id)
        if role is None or role not in ALLOWED[Operation.SEE_BUSINESS]:
            raise Forbidden("You may not do this for this business.")
        return await known_business(self._store, self._paths.within(business_id))


def _as_seen(permit: Permit, version: Version) -> JsonObject:
    return version.to_json() | {"by": seen_by(permit, {"name": version.by})["name"]}


def _done(done: DraftResult, permit: Permit) -> Response:
    revision = done.record.revision
    findings = [finding.to_json() for finding in done.findings]
    body = shown(done.record, permit) | {"findings": findings}
    if done.tested is not None:
        body["tested"] = done.tested.to_json()
    return saved_answer(body, Saved(None, revision, done.entry_id))


def _place(until: object, place: object) -> tuple[int, datetime, int]:
    match = re.fullmatch(r"([1-9][0-9]?)\.([0-9]{1,6})", str(place))
    if not isinstance(until, datetime) or match is None or int(match[1]) > MOST_CALLS:
        raise NotValid(
            [EntryProblem("cursor", "cursor must be the next cursor that an earlier page of this list told.")]
        )
    return int(match[1]), until, int(match[2])


class DefinitionChangeEndpoints(EndpointGroup):
    """The endpoints below `/admin/definition-changes`."""

    _BASE, _SEE, _EDIT = "/definition-changes", Operation.SEE_DEFINITIONS, Operation.PUBLISH_DEFINITIONS

    def __init__(self, office: DefinitionService) -> None:
        self._office = office

    @endpoint("GET", _BASE, _SEE, DefinitionChangeList)
    async def _list(self, permit: Caller, query: Annotated[DefinitionChangeQuery, Query()]) -> Response:
        """List what was done with definitions and drafts, the newest first."""
        page = await self._office.drafts.changes.listed(query.page(1), query.tool)
        changes = [{**change.to_json(), "who": seen_by(permit, change.who)} for change in page.items]
        return json_answer({"changes": changes, "nextCursor": page.next_cursor})

    @endpoint("GET", f"{_BASE}/{{change_id}}", _SEE, DefinitionChangeLooked)
    async def _read(self, permit: Caller, change_id: str) -> Response:
        """Read a change, and what undoing is based on."""
        change = await self._office.drafts.changes.one(change_id)
        revision = None
        if change.is_draft:
            # None of a tool that is gone, of which nothing can be undone.
            records = await self._office.records.read_several(list(change.tools))
            revision = records[0].revision if records else None
        change_told = await self._office.drafts.changes.told(change) | {"who": seen_by(permit, change.who)}
        return json_answer({**change_told, "revision": revision}, revision=revision)

    @endpoint("POST", f"{_BASE}/{{change_id}}/undo", _EDIT, DefinitionShown, is_revisioned=True)
    async def _undo(self, permit: Caller, change_id: str, based_on: BasedOn, body: Revisioned) -> Response:
        """Put a draft back into what it was before a change."""
        change = await self._office.drafts.changes.one(change_id)
        done = await self._office.drafts.take_back(permit, change, based_on)
        saved = Saved(None, done.record.revision, done.entry_id)
        return saved_answer(shown(done.record, permit), saved)
