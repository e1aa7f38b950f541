"""The owners' HTTP API for businesses that are made and taken away: of which templates, how, and what is left to do."""

from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.serving import Caller
from switchboard.admin.documents.redaction import without_secrets
from switchboard.admin.opening import checklist
from switchboard.admin.opening.checklist import OpeningChecklist
from switchboard.admin.opening.models import (
    BusinessOpened,
    BusinessRemoved,
    Checklist,
    NewBusinessBody,
    RemovalBody,
    TemplateList,
)
from switchboard.admin.opening.new_business import NewBusinesses
from switchboard.admin.opening.removal import BusinessRemoval
from switchboard.admin.opening.templates import BusinessTemplates


class OpeningEndpoints(EndpointGroup):
    """Lists templates, makes businesses of them, tells what is left to do, and takes them away."""

    _SEE, _OPEN_ONE = Operation.SEE_BUSINESS, Operation.OPEN_BUSINESS

    def __init__(
        self,
        templates: BusinessTemplates,
        businesses: NewBusinesses,
        left: OpeningChecklist,
        removal: BusinessRemoval,
    ) -> None:
        self._templates, self._businesses, self._left, self._removal = templates, businesses, left, removal

    @endpoint("GET", "/templates", _OPEN_ONE, TemplateList)
    async def _all(self, permit: Caller) -> Response:
        """List the templates of businesses."""
        rows = [
            {
                "id": each.id,
                "trade": each.trade,
                "language": each.language,
                "timezone": each.timezone,
                "services": list(each.services),
            }
            for each in self._templates.all.values()
        ]
        return json_answer({"templates": rows})

    @endpoint("POST", "/businesses", _OPEN_ONE, BusinessOpened, 201, trial_status=200, further=(409,))
    async def _open(self, permit: Caller, body: NewBusinessBody) -> Response:
        """Make a business of a template."""
        opened = await self._businesses.open(permit, body)
        steps = await self._left.steps(opened.id) if opened.key else checklist.steps_before(opened.id, opened.document)
        answer = {
            "businessId": opened.id,
            "business": without_secrets(opened.document),
            "template": opened.template,
            "keyId": opened.key.id if opened.key else None,
            "key": opened.key.text if opened.key else None,
            "documents": dict(opened.counts),
            "checklist": checklist.to_json(steps),
            "isMade": opened.key is not None,
            "madeAt": opened.at,
        }
        return json_answer(answer, 201 if opened.key else 200)

    @endpoint("GET", "/businesses/{business_id}/checklist", _SEE, Checklist)
    async def _checklist(self, permit: Caller) -> Response:
        """Tell what is left to do before callers can call a business."""
        return json_answer(checklist.to_json(await self._left.steps(permit.business_id)))

    @endpoint("DELETE", "/businesses/{business_id}", _OPEN_ONE, BusinessRemoved, 202, trial_status=200)
    async def _remove(self, permit: Caller, body: RemovalBody) -> Response:
        """Take a business away, with all that is kept of it."""
        if body.dry_run:
            return json_answer((await self._removal.looked_at(permit.business_id)).to_json())
        removed = await self._removal.remove(permit, body.confirm)
        answer = json_answer(removed.to_json(), 202)
        if removed.deletion is not None:
            answer.headers["Location"] = f"/admin/businesses/{removed.id}/deletions/{removed.deletion.id}"
        return answer
