"""The owners' HTTP API for tests: `/businesses/{id}/evals…`, and what makes a conversation one."""

from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, revised_answer, saved_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.evals.kept import KeptEvals
from switchboard.admin.evals.models import (
    EvalBody,
    EvalList,
    EvalProposed,
    EvalRemoved,
    EvalRunBody,
    EvalShown,
    EvalsRun,
)
from switchboard.admin.evals.outcomes import KeptOutcomes


class EvalEndpoints(EndpointGroup):
    """`/businesses/{id}/evals…`, `…/eval-runs`, and `/businesses/{id}/interactions/{id}/eval`."""

    _OWN = "/businesses/{business_id}"
    _BASE, _ONE = f"{_OWN}/evals", f"{_OWN}/evals/{{name}}"
    _OF_CONVERSATION, _SEE = f"{_OWN}/interactions/{{interaction_id}}/eval", Operation.SEE_CONVERSATIONS
    _EDIT = Operation.EDIT_TOOLS

    def __init__(self, kept: KeptEvals, outcomes: KeptOutcomes) -> None:
        """Keep tests, and play them when somebody asks."""
        self._kept, self._outcomes = kept, outcomes

    @endpoint("GET", _BASE, _SEE, EvalList)
    async def _all(self, permit: Caller) -> Response:
        """List the tests that are kept."""
        return json_answer({"evals": await self._kept.all(permit.business_id)})

    @endpoint("GET", _ONE, _SEE, EvalShown, tells_revision=True)
    async def _one(self, permit: Caller, name: str) -> Response:
        """Read a test."""
        return revised_answer(await self._kept.one(permit.business_id, name))

    @endpoint("PUT", _ONE, _EDIT, EvalShown, is_revisioned=True)
    async def _keep(self, permit: Caller, name: str, based_on: BasedOn, body: EvalBody) -> Response:
        """Keep a test, or replace it."""
        saved = await self._kept.keep(permit, name, based_on, body.text)
        assert saved.document is not None
        return saved_answer(self._kept.shown(saved.document), saved)

    @endpoint("DELETE", _ONE, _EDIT, EvalRemoved, is_revisioned=True)
    async def _remove(self, permit: Caller, name: str, based_on: BasedOn) -> Response:
        """Keep a test no longer."""
        return saved_answer({"removed": True}, await self._kept.remove(permit, name, based_on))

    @endpoint("POST", f"{_OWN}/eval-runs", _EDIT, EvalsRun)
    async def _run(self, permit: Caller, body: EvalRunBody) -> Response:
        """Play tests with what is published now, and keep what came of it."""
        not_run = await self._outcomes.run_now(permit.business_id, body.names)
        return json_answer({"evals": await self._kept.all(permit.business_id), "notRun": not_run})

    @endpoint("POST", _OF_CONVERSATION, Operation.SEE_PERSONAL_VALUES, EvalProposed)
    async def _propose(self, permit: Caller, interaction_id: str) -> Response:
        """Propose a call or chat as a test, with made-up people; nothing is kept."""
        return json_answer(await self._kept.propose(permit.business_id, interaction_id))
