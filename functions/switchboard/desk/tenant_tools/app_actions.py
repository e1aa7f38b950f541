"""Actions of connected apps: run at most once for a wish, and never claimed to be done where nobody knows.

No app knows our wishes by name, so that each is one document of the outbox, as an e-mail is (`messaging/email.py`):
`running` is written before the app hears of it, then exactly one of `done`, `failed` (certainly nothing was done) and
`unknown`.
What is found in `running` after its time is `unknown`, and is never run again. Nobody drains these documents.
"""

import logging
from datetime import datetime, timedelta
from typing import Any

import orjson

from switchboard.contract.business.business import Business
from switchboard.contract.context import CallContext
from switchboard.contract.definitions.tenant_tool import BoundAction
from switchboard.contract.definitions.voice_platform import ActionRunner
from switchboard.contract.document import json_object
from switchboard.contract.error import ErrorType, NothingNew, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.observability.hidden import without_hidden
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.ports import Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import AlreadyExists, Create, Stale, StoreError, Unavailable, Update
from switchboard.desk.derived_id import derived_id
from switchboard.desk.tenant_tools.api_success import asked, usual_verdict
from switchboard.desk.untrusted_text import as_data

log = logging.getLogger(__name__)

_KEPT = timedelta(days=7)
# What an app gave back is kept for whoever asks for the same again, if it is short enough to stand in a document.
_LONGEST_RESULT = 65_536

NO_APPS = "The business has connected no apps, so this cannot be done."
NOT_RECORDED = "It could not be recorded, and was not done. Apologise."
IS_RUNNING = "This very thing is being done right now. Wait a moment before asking again; do not ask for another one."
SAYS_NO = (
    "The app says that it was not done, and some of it may have been. Do not say that it was done, and do not ask for "
    "it again; say that this is not known."
)
MAY_BE_DONE = (
    "It is not known whether this was done: it was interrupted. Do not say that it was, and do not ask for it again; "
    "say that this is not known."
)


@dataclass(frozen=True, slots=True)
class DoneAction:
    """An action that an app has done.

    Attributes:
        id: `act_` and 20 characters derived from the wish.
        summary: What was done, in the app's words; may be empty.
        result: What it gave back, as JSON that may stand in a result.
        repeated: Whether it had been done before this call.
    """

    id: str
    summary: str
    result: Any
    repeated: bool = False


class NoActions:
    """For a desk that reaches no apps."""

    async def run(self, business: Business, action: BoundAction) -> JsonObject:
        """Refuse.

        Raises:
            ToolError: PERMANENT, always.
        """
        raise ToolError(ErrorType.PERMANENT, NO_APPS)


class AppActions:
    """Has actions run for the business."""

    def __init__(self, store: Store, runner: ActionRunner) -> None:
        """Keep the outbox in `store`, and have actions run by `runner`."""
        self._store, self._runner = store, runner

    async def run(self, ctx: CallContext, action: BoundAction) -> DoneAction:
        """Run an action, or return what this wish has done before, with `repeated` set.

        Args:
            ctx: The call; its effect key makes the wish one and the same under whatever call id it is asked for.
            action: What is run, with which values.

        Raises:
            ToolError: CONFLICT while this very action is running; otherwise as `ActionRunner.run`, with partial side
                effects where nobody knows whether it was done, or all of it.
        """
        id = _action_id(ctx.effect_key)
        path = ctx.paths.document("outbox", id)
        earlier = await self._claimed(ctx, path, _document(ctx, id, action))
        if earlier is not None:
            return _done_before(ctx, id, earlier)
        try:
            answer = await self._runner.run(ctx.business, action)
            wanted = asked(action.action_key, values=action.props)
            if usual_verdict(answer.get("result"), wanted) in ("refused", "open"):
                # What the app behind the action answered; the action may have done something before it.
                raise ToolError(ErrorType.PERMANENT, SAYS_NO, partial_side_effects=True, detail="the app says no")
        except ToolError as error:
            state = "unknown" if error.partial_side_effects else "failed"
            await self._note(
                path, {"state": state, "error": error.type.value, "detail": without_hidden(error.detail)[:500]}
            )
            raise
        done = _done(ctx, id, answer)
        await self._note(path, {"state": "done", "outcome": _kept(done), "doneAt": ctx.now})
        return done

    async def _claimed(self, ctx: CallContext, path: str, document: JsonObject) -> JsonObject | None:
        """Write that it is running; return what was written before where it was done before.

        Raises:
            ToolError: It must not be run now.
        """
        try:
            await self._commit(Create(path, document))
        except AlreadyExists:
            existing = await self._store.get(path)
            earlier: JsonObject = existing.data if existing else {}
            if earlier.get("state") == "done":
                return earlier
            if existing is None or earlier.get("state") != "failed":
                raise await self._unfinished(ctx, path, earlier) from None
            # Certainly nothing was done: this is the first time again, for one of those who ask.
            try:
                await self._commit(Update(path, document, if_update_time=existing.update_time))
            except Stale:
                raise ToolError(ErrorType.CONFLICT, IS_RUNNING, retryable=True) from None
        return None

    async def _commit(self, write: Create | Update) -> None:
        try:
            await self._store.commit([write])
        except Unavailable as error:
            # If it was written nonetheless, the lease lets nobody run it: too little rather than twice.
            raise ToolError(ErrorType.TRANSIENT, NOT_RECORDED, retryable=False, detail=repr(error)) from error

    async def _unfinished(self, ctx: CallContext, path: str, earlier: JsonObject) -> ToolError:
        lease: datetime | None = earlier.get("leaseUntil")
        if earlier.get("state") == "running" and lease is not None and ctx.now < lease:
            return ToolError(ErrorType.CONFLICT, IS_RUNNING, retryable=True)
        # Whoever had it run has died in between: nobody knows, and it is not run again.
        await self._note(path, {"state": "unknown"})
        return NothingNew(ErrorType.TRANSIENT, MAY_BE_DONE, retryable=False, partial_side_effects=True)

    async def _note(self, path: str, fields: JsonObject) -> None:
        """Write down what became of it; what is true is told to the caller even if that fails."""
        try:
            await self._store.commit([Update(path, fields)])
        except StoreError as error:
            log.error(
                "action's outcome not recorded",
                extra={"state": fields["state"], "reason": type(error).__name__, "pii.detail": str(error)},
            )


def _document(ctx: CallContext, id: str, action: BoundAction) -> JsonObject:
    facts = ctx.facts
    return {
        "id": id,
        "kind": "action",
        "state": "running",
        "app": action.app,
        "action": action.action_key,
        "tool": ctx.tool,
        "createdAt": ctx.now,
        "leaseUntil": ctx.now + timedelta(seconds=CALL_LEASE_S),
        "expireAt": ctx.now + _KEPT,
        "sessionId": facts.session_id,
        "channel": facts.channel.value,
        "callId": facts.interaction_id,
        "effectKey": ctx.effect_key,
    }


def _done(ctx: CallContext, id: str, answer: JsonObject, *, repeated: bool = False) -> DoneAction:
    # What an app says is somebody else's text, and may be long.
    zone = ctx.business.timezone
    summary, result = (ctx.secrets.value(answer.get(name)) for name in ("summary", "result"))
    return DoneAction(id, as_data(str(summary or ""), zone), as_data(result, zone), repeated)


def _done_before(ctx: CallContext, id: str, earlier: JsonObject) -> DoneAction:
    outcome = earlier.get("outcome")
    outcome_data = orjson.loads(outcome) if isinstance(outcome, str) else {}
    return _done(ctx, id, json_object(outcome_data), repeated=True)


def _kept(done: DoneAction) -> str:
    """Return an outcome as text: a document takes no list inside a list."""
    text = orjson.dumps({"summary": done.summary, "result": done.result}).decode()
    return text if len(text) <= _LONGEST_RESULT else orjson.dumps({"summary": done.summary}).decode()


def _action_id(effect_key: str) -> str:
    return derived_id("act_", effect_key)
