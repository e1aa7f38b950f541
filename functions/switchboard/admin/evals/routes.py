"""The owners' HTTP API for tests: `/businesses/{id}/evals…`, and what makes a conversation one."""

from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, saved_answer
from switchboard.admin.api.endpoint import Endpoint
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


class EvalEndpoints:
    """`/businesses/{id}/evals…`, `…/eval-runs`, and `/businesses/{id}/interactions/{id}/eval`."""

    def __init__(self, kept: KeptEvals, outcomes: KeptOutcomes) -> None:
        """Keep tests, and play them when somebody asks."""
        self._kept, self._outcomes = kept, outcomes

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All of them."""
        own = "/businesses/{business_id}"
        base, one = f"{own}/evals", f"{own}/evals/{{name}}"
        of_conversation, see = f"{own}/interactions/{{interaction_id}}/eval", Operation.SEE_CONVERSATIONS
        edit = Operation.EDIT_TOOLS
        propose = "Propose a call or chat as a test, with made-up people; nothing is kept"
        return (
            Endpoint("GET", base, see, "List the tests that are kept", self._all, EvalList),
            Endpoint("GET", one, see, "Read a test", self._one, EvalShown, tells_revision=True),
            Endpoint("PUT", one, edit, "Keep a test, or replace it", self._keep, EvalShown, is_revisioned=True),
            Endpoint("DELETE", one, edit, "Keep a test no longer", self._remove, EvalRemoved, is_revisioned=True),
            Endpoint(
                *("POST", f"{own}/eval-runs", edit, "Play tests with what is published now, and keep what came of it"),
                *(self._run, EvalsRun),
            ),
            # What tools were given stands in it.
            Endpoint(
                *("POST", of_conversation, Operation.SEE_PERSONAL_VALUES, propose, self._propose),
                EvalProposed,
            ),
        )

    async def _all(self, permit: Caller) -> Response:
        return json_answer({"evals": await self._kept.all(permit.business_id)})

    async def _one(self, permit: Caller, name: str) -> Response:
        shown = await self._kept.one(permit.business_id, name)
        return json_answer(shown, revision=shown["revision"])

    async def _keep(self, permit: Caller, name: str, based_on: BasedOn, body: EvalBody) -> Response:
        saved = await self._kept.keep(permit, name, based_on, body.text)
        assert saved.document is not None
        return saved_answer(self._kept.shown(saved.document), saved)

    async def _remove(self, permit: Caller, name: str, based_on: BasedOn) -> Response:
        return saved_answer({"removed": True}, await self._kept.remove(permit, name, based_on))

    async def _run(self, permit: Caller, body: EvalRunBody) -> Response:
        not_run = await self._outcomes.run_now(permit.business_id, body.names)
        return json_answer({"evals": await self._kept.all(permit.business_id), "notRun": not_run})

    async def _propose(self, permit: Caller, interaction_id: str) -> Response:
        return json_answer(await self._kept.propose(permit.business_id, interaction_id))
