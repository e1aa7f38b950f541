"""What one webhook of a phone call leaves for the next: who is calling, what is said, where the call is to go.

Kept in the store, since the next webhook may reach another instance; nothing of it travels through the vendor.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from datetime import timedelta
from typing import Any

from switchboard.contract.conclusion import TAKEN_OVER
from switchboard.contract.context import Context, PhoneContext
from switchboard.contract.document import mapping
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Increment, Missing, Set, Update
from switchboard.conversation.event import TurnOutcome

# Twilio ends a call after four hours; what its first webhook was answered is kept as long as any answer.
_KEPT = timedelta(days=7)


def call_path(within: BusinessPaths, call_sid: str) -> str:
    """Return where it is noted what a phone call's webhooks leave for each other."""
    # Beside the session, whose own document a conversation opens with the words it is held in.
    return within.document("tickets", f"phone:{call_sid}")


@dataclass(frozen=True, slots=True)
class TurnAnswer:
    """The whole answer to a turn that took longer than its webhook could wait.

    Attributes:
        text: Everything that is said.
        outcome: How the turn ended.
        transfer: The payload of TRANSFER_CALL, if it ended so.
        is_asking: Whether the caller is asked for a yes or a no.
        language: Of the agent that has taken over; empty while nobody has.
    """

    text: str
    outcome: TurnOutcome
    transfer: JsonObject = field(default_factory=dict)
    is_asking: bool = False
    language: str = ""


class CallStates:
    """Keeps what is to be done next on a phone call. Failures are `StoreError`s."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Keep it in `store`."""
        self._store, self._paths, self._clock = store, paths, clock

    def beginning_of(self, context: PhoneContext, greeting: str) -> JsonObject:
        """Return what is noted of a call that has come in, and what it is greeted with."""
        fields = {
            "attestation": context.attestation,
            "callerPhone": context.caller_phone,
            "reconnects": 0,
            "said": greeting,
        }
        return {"phoneCall": fields}

    async def keep_prompt(self, business_id: str, call_sid: str, prompt: str) -> None:
        """Note what the caller is told before the conversation goes on."""
        await self._merge(business_id, call_sid, {"phoneCall": {"said": prompt}})

    async def beginning(self, business_id: str, call_sid: str) -> Mapping[str, Any]:
        """Return what was noted when the call came in; nothing if it was not."""
        return await self._read(business_id, call_sid, "phoneCall")

    async def keep(self, context: Context, payload: JsonObject) -> None:
        """Keep a transfer (the payload of TRANSFER_CALL) until the conversation has ended."""
        await self._merge(context.business_id, context.session_id, {"handoff": dict(payload)})

    async def transfer_of(self, business_id: str, call_sid: str) -> JsonObject:
        """Return the transfer that is to be made; nothing if none is."""
        return dict(await self._read(business_id, call_sid, "handoff"))

    async def give_back(self, business_id: str, call_sid: str) -> None:
        """Note that nobody has answered to whom a person had a call put through: no person has it."""
        record = self._paths.within(business_id).document("interactions", call_sid)
        with suppress(Missing):
            await self._store.commit([Update(record, {TAKEN_OVER: None})])

    async def reconnected(self, business_id: str, call_sid: str) -> int:
        """Count a socket that dropped and is opened again; return how often that has happened now."""
        fields: JsonObject = {"phoneCall": {"reconnects": Increment()}}
        return int(await self._merge(business_id, call_sid, fields, counted="phoneCall.reconnects"))

    async def keep_answer(self, business_id: str, call_sid: str, turn: int, answer: TurnAnswer) -> None:
        """Keep the answer to a turn for the webhook that comes for it."""
        fields: JsonObject = {
            "turn": turn,
            "text": answer.text,
            "outcome": answer.outcome.value,
            "transfer": dict(answer.transfer),
            "isAsking": answer.is_asking,
            "language": answer.language,
        }
        await self._merge(business_id, call_sid, {"answer": fields})

    async def answer_of(self, business_id: str, call_sid: str, turn: int) -> TurnAnswer | None:
        """Return the answer to a turn, None as long as there is none."""
        fields = await self._read(business_id, call_sid, "answer")
        if fields.get("turn") != turn:
            return None
        return TurnAnswer(
            str(fields.get("text") or ""),
            TurnOutcome(fields["outcome"]),
            dict(mapping(fields.get("transfer"))),
            fields.get("isAsking") is True,
            str(fields.get("language") or ""),
        )

    async def _read(self, business_id: str, call_sid: str, name: str) -> Mapping[str, Any]:
        document = await self._store.get(self._path(business_id, call_sid))
        return mapping(document.data.get(name) if document is not None else None)

    async def _merge(self, business_id: str, call_sid: str, fields: JsonObject, counted: str = "") -> int | float:
        fields = {**fields, "expireAt": self._clock.now() + _KEPT}
        [result] = await self._store.commit([Set(self._path(business_id, call_sid), fields, merge=True)])
        return result.increments[counted] if counted else 0

    def _path(self, business_id: str, call_sid: str) -> str:
        return call_path(self._paths.within(business_id), call_sid)
