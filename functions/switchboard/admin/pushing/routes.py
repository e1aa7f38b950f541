"""The owners' HTTP API for templates that are pushed to many businesses."""

from starlette.responses import Response

from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.serving import Caller
from switchboard.admin.documents.difference import ABSENT
from switchboard.admin.documents.redaction import without_secrets
from switchboard.admin.opening.templates import BusinessTemplates
from switchboard.admin.pushing.models import PushBody, PushTold
from switchboard.admin.pushing.parts import PARTS, Part
from switchboard.admin.pushing.pattern import PushPattern, of_template
from switchboard.admin.pushing.planning import FieldDeviation, PushChoice
from switchboard.admin.pushing.pushing import PushOutcome, PushTarget, TemplatePush, require_targets
from switchboard.contract.json import JsonObject

_MOST_BYTES = 4 * 1024 * 1024


class PushEndpoints(EndpointGroup):
    """Pushes templates that are shipped, for the platform, and businesses as patterns, for whoever has several."""

    def __init__(self, templates: BusinessTemplates, push: TemplatePush) -> None:
        self._templates, self._push = templates, push

    @endpoint(
        "POST",
        "/templates/{template_id}/push",
        Operation.OPEN_BUSINESS,
        PushTold,
        most_bytes=_MOST_BYTES,
        further=(404,),
    )
    async def _template(self, permit: Caller, template_id: str, body: PushBody) -> Response:
        """Push a template to many businesses, or tell what would change in each."""
        if template_id not in self._templates.all:
            raise NotFound(f"There is no template {template_id[:60]!r}. Known are {', '.join(self._templates.all)}.")
        return await self._answer(permit, of_template(self._templates.all[template_id]), body)

    @endpoint("POST", "/businesses/{business_id}/push", Operation.EDIT_BUSINESS, PushTold, most_bytes=_MOST_BYTES)
    async def _business(self, permit: Caller, body: PushBody) -> Response:
        """Push parts of a business to others, or tell what would change in each."""
        pattern = await self._push.pattern_of(permit.business_id, _parts(body))
        return await self._answer(permit, pattern, body)

    async def _answer(self, permit: Caller, pattern: PushPattern, body: PushBody) -> Response:
        parts, are_all = _parts(body), True
        if body.all and (body.businesses or not body.dry_run):
            sentence = "all is for a dry run, without businesses; name those that it answers to carry it out."
            raise NotValid([EntryProblem("all", sentence)])
        targets = [
            PushTarget(
                one.business_id, PushChoice(frozenset(one.take), frozenset(one.leave), one.confirm), one.token or ""
            )
            for one in body.businesses
        ]
        if body.all:
            ids, are_all = await self._push.made_from(permit.identity, pattern)
            targets = [PushTarget(id) for id in ids]
        else:
            require_targets(targets, is_dry=body.dry_run)
        deed = self._push.dry_run if body.dry_run else self._push.carry_out
        outcomes = await deed(permit.identity, pattern, parts, targets)
        return json_answer(
            {
                "source": pattern.key,
                "isDryRun": body.dry_run,
                "parts": list(parts),
                "businesses": [_shown(outcome) for outcome in outcomes],
                "areAll": are_all,
            }
        )


def _parts(body: PushBody) -> tuple[Part, ...]:
    return tuple(part for part in PARTS if part in body.parts)


def _shown(outcome: PushOutcome) -> JsonObject:
    plan = outcome.plan
    return {
        "businessId": outcome.business_id,
        "name": outcome.name,
        "state": outcome.state.value,
        "message": outcome.message or None,
        "token": plan.token if plan is not None else None,
        "deviations": [_line(one) for one in outcome.deviations],
        "problems": [{"field": it.field, "message": it.message} for it in (plan.problems if plan is not None else ())],
        "entryIds": list(outcome.entry_ids),
    }


def _line(one: FieldDeviation) -> JsonObject:
    sides = without_secrets({"before": one.deviation.before, "after": one.deviation.after})
    shown = {name: value for name, value in sides.items() if getattr(one.deviation, name) is not ABSENT}
    standing = one.deviation.standing.value
    return {"field": one.field, "name": one.name, "standing": standing, "beside": one.beside or None, **shown}
