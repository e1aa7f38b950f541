"""Running phone calls that a person of the business takes over: the caller is put through, and no model speaks on.

Chats go another way (`chat_takeover.py`): what is asked here of one is passed on.

Only those are rung whom the business's own rules name, so that nobody has a stranger's telephone rung at its cost. The
record says who takes a call over before the phone network is told of it: two people at once ring one telephone. Where
nobody answers there, the receptionist goes on. Who speaks in a browser has no telephone that could be rung.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Final

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import known_business
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.audit.trail import AuditTrail
from switchboard.admin.conversations.chat_takeover import TAKEOVER, ChatTakeovers, is_running_chat
from switchboard.admin.conversations.records import RINGING, taken_over_of
from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import spoken_with
from switchboard.contract.channel import Channel
from switchboard.contract.conclusion import TAKEN_OVER
from switchboard.contract.document import mapping, moment
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, PhoneAccounts, Store, Telephony
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.record_parts import SPOKEN_IN
from switchboard.contract.store import DELETE_FIELD, Document, Missing, Stale, Update
from switchboard.desk.escalation.transfers import TransferTarget, destinations

_ASKED: Final = "asked"
# A phone network answers sooner, or does not.
_ASKED_FOR: Final = timedelta(seconds=30)
_TRIES: Final = 4
_NO_RULE = (
    "Nobody can be rung: enter a rule under Business that puts callers through, with a telephone number that is not "
    "the business's own."
)
_NO_ACCOUNT = "This call cannot be taken over: connect the Twilio account that carries the business's number."
_NOT_HERE = "Only a phone call or a chat can be taken over: whoever speaks in a browser has no telephone to be rung."
_OVER = "The call is over. Nobody was rung."
_STRANGE = "Twilio knows no such call: it is over, or another account carries it. Nobody was rung."
_TRY_LATER = "If the receptionist still answers in half a minute, try again."
_UNSURE = f"Twilio has not said whether the caller is put through. Look whether your telephone rings. {_TRY_LATER}"
# The phone network's no: nothing was changed there.
_REFUSED = (ErrorType.CONFLICT, "Twilio refuses to put this call through. Nobody was rung.")
_REFUSALS: Mapping[ErrorType, tuple[ErrorType, str]] = {
    ErrorType.CONFLICT: (ErrorType.CONFLICT, _OVER),
    ErrorType.NOT_FOUND: (ErrorType.CONFLICT, _STRANGE),
    ErrorType.AUTH: (ErrorType.CONFLICT, "Twilio does not accept the account's credentials; enter them anew."),
    ErrorType.RATE_LIMIT: (ErrorType.RATE_LIMIT, "Twilio takes no more requests just now. Try again in a moment."),
    ErrorType.TRANSIENT: (ErrorType.TRANSIENT, "Twilio cannot be reached just now. Nobody was rung; try again."),
}

Ringing = Callable[[Business, str, JsonObject, str], Awaitable[str]]
"""Returns the TwiML that rings somebody: for a business's call, by a transfer's payload, in the language spoken."""


@dataclass(frozen=True, slots=True)
class _RunningCall:
    """A phone call that can be taken over, who can be rung, and by which account."""

    record: Document
    business: Business
    people: Sequence[TransferTarget]
    account: Telephony


class Takeovers:
    """Takes running phone calls over. What the store raises passes through."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        clock: Clock,
        trail: AuditTrail,
        accounts: PhoneAccounts,
        ringing: Ringing,
        chats: ChatTakeovers,
    ) -> None:
        self._store, self._paths, self._clock, self._trail = store, paths, clock, trail
        self._accounts, self._ringing, self._chats = accounts, ringing, chats

    async def choices(self, business_id: str, id: str) -> JsonObject:
        """Return who can be rung for a call: `{people: [{id, label, isThere}], whyNot, takenOver}`.

        Beside these stand `isChat`, and `answeringPerson`, who answers in a chat; for that nobody is rung.

        Raises:
            NotFound: There is no such conversation.
        """
        record = await self._record(business_id, id)
        chat = {"isChat": is_running_chat(record), "answeringPerson": None}
        if chat["isChat"]:
            return {"people": [], "takenOver": taken_over_of(record.data), **chat, **self._chats.standing(record)}
        try:
            running = await self._running(business_id, record)
        except ToolError as error:
            return {"people": [], "whyNot": error.message, "takenOver": taken_over_of(record.data), **chat}
        now = self._clock.now()
        people = [{"id": one.id, "label": one.label, "isThere": one.is_open(now)} for one in running.people]
        return {"people": people, "whyNot": None, "takenOver": taken_over_of(record.data), **chat}

    async def take_over(self, permit: Permit, id: str, destination: str | None, name: str = "") -> JsonObject:
        """Put the caller of a running phone call through, also to somebody who is not there by their hours.

        Of a chat, let whoever asks answer in it.

        Args:
            permit: Who takes it over, and where.
            id: The conversation's record.
            destination: A rule's id; None where the rules name one person only, and for a chat.
            name: Who answers in a chat, as the visitor reads it; empty for nobody in particular.

        Returns:
            `{takenOver, answeringPerson}`, as `choices` does.

        Raises:
            NotFound: There is no such conversation.
            NotValid: Nobody, or nobody that the rules name, was chosen.
            ToolError: CONFLICT, it cannot be taken over, is over, or somebody else does it; TRANSIENT, nobody knows
                whether it was; RATE_LIMIT. Of these only TRANSIENT may have changed something.
        """
        for _ in range(_TRIES):
            record = await self._record(permit.business_id, id)
            if is_running_chat(record):
                person = await self._chats.take_over(permit, id, name)
                return {"takenOver": taken_over_of(record.data), "answeringPerson": person}
            running = await self._running(permit.business_id, record)
            rung = _chosen(running.people, destination)
            self._hold_against_others(record)
            # Whatever this may lack is told before anything is written down.
            twiml = await self._twiml(running, rung)
            asked: JsonObject = {
                "at": self._clock.now(),
                "by": permit.who,
                "to": rung.label,
                "destinationId": rung.id,
                "state": _ASKED,
            }
            try:
                await self._note(permit, record, asked)
            except Stale:
                # The conversation goes on, and is written down; or somebody else was faster.
                continue
            await self._ring(permit, running, twiml)
            return {"takenOver": await self._noted_as_ringing(record.path, asked), "answeringPerson": None}
        raise ToolError(ErrorType.CONFLICT, "The call changes too fast to be taken over. Try again.", retryable=True)

    async def _record(self, business_id: str, id: str) -> Document:
        record = await self._store.get(self._paths.within(business_id).document("interactions", id))
        if record is None:
            raise NotFound("There is no interaction of that id.")
        return record

    async def _running(self, business_id: str, record: Document) -> _RunningCall:
        data = record.data
        if data.get("channel") != Channel.PHONE or not data.get("callSid") or "triedAt" in data:
            raise ToolError(ErrorType.CONFLICT, _NOT_HERE)
        if moment(data.get("endedAt")) is not None:
            raise ToolError(ErrorType.CONFLICT, _OVER)
        business = await known_business(self._store, self._paths.within(business_id))
        # A caller's own telephone is engaged.
        people = destinations(business, data.get("callerPhone"), business.twilio_number)
        if not people:
            raise ToolError(ErrorType.CONFLICT, _NO_RULE)
        try:
            account = await self._accounts.of(business)
        except ToolError:
            account = None
        if account is None:
            raise ToolError(ErrorType.CONFLICT, _NO_ACCOUNT)
        return _RunningCall(record, business, people, account)

    def _hold_against_others(self, record: Document) -> None:
        before = mapping(record.data.get(TAKEN_OVER))
        at, is_asked = moment(before.get("at")), before.get("state") == _ASKED
        if at is None or (is_asked and self._clock.now() - at > _ASKED_FOR):
            return
        who = str(mapping(before.get("by")).get("name") or "Somebody")
        to = before.get("to")
        state = f"Twilio was asked to ring {to}. {_TRY_LATER}" if is_asked else f"{to} is rung."
        raise ToolError(ErrorType.CONFLICT, f"{who} has taken this call over already: {state}")

    async def _note(self, permit: Permit, record: Document, asked: JsonObject) -> None:
        """Write down who takes it over, and who did it, before anything is done."""
        after = {TAKEN_OVER: {name: asked[name] for name in ("to", "destinationId")}}
        entry = self._trail.entry(permit, TAKEOVER, record.id, {}, after)
        update = Update(record.path, {TAKEN_OVER: asked}, if_update_time=record.update_time)
        await self._trail.commit(entry, [update])

    async def _take_back(self, permit: Permit, record: Document) -> None:
        entry = self._trail.entry(permit, TAKEOVER, record.id, {TAKEN_OVER: "asked"}, {TAKEN_OVER: "refused by Twilio"})
        await self._trail.commit(entry, [Update(record.path, {TAKEN_OVER: DELETE_FIELD})])

    async def _twiml(self, running: _RunningCall, person: TransferTarget) -> str:
        """Return what has the phone network ring a person, in the language that is spoken in the call."""
        data, business = running.record.data, running.business
        payload: JsonObject = {
            "number": person.number,
            "timeoutS": person.rings_s,
            "callerId": data.get("callerPhone") or business.twilio_number,
        }
        successor = mapping(mapping(data.get("answeredBy")).get(Channel.PHONE.value))
        language = spoken_with(
            str(successor.get("language") or ""), str(mapping(data.get(SPOKEN_IN)).get("phone") or "")
        )
        return await self._ringing(business, _call_sid(running), payload, language)

    async def _ring(self, permit: Permit, running: _RunningCall, twiml: str) -> None:
        try:
            await running.account.redirect_call(_call_sid(running), twiml)
        except ToolError as error:
            if error.partial_side_effects:
                unsure = ToolError(ErrorType.TRANSIENT, _UNSURE, detail=error.detail, partial_side_effects=True)
                raise unsure from error
            await self._take_back(permit, running.record)
            type, words = _REFUSALS.get(error.type, _REFUSED)
            raise ToolError(type, words, detail=error.detail) from error

    async def _noted_as_ringing(self, path: str, asked: JsonObject) -> JsonObject | None:
        ringing = asked | {"state": RINGING}
        for _ in range(_TRIES):
            record = await self._store.get(path)
            # An engaged telephone has given the call back by now, or whoever called is forgotten.
            if record is None or mapping(record.data.get(TAKEN_OVER)).get("at") != asked["at"]:
                break
            with suppress(Stale, Missing):
                await self._store.commit([Update(path, {TAKEN_OVER: ringing}, if_update_time=record.update_time)])
                break
        return taken_over_of({TAKEN_OVER: ringing})


def _call_sid(running: _RunningCall) -> str:
    return str(running.record.data["callSid"])


def _chosen(people: Sequence[TransferTarget], destination: str | None) -> TransferTarget:
    names = "; ".join(f"{one.id} ({one.label})" if one.label != one.id else one.id for one in people)
    if destination is None:
        if len(people) == 1:
            return people[0]
        raise NotValid([EntryProblem("destination", f"Say who is to be rung: {names}.")])
    person = next((one for one in people if one.id == destination), None)
    if person is None:
        words = f"No rule of this business is called so. Use one of these: {names}. A phone number cannot be dialled."
        raise NotValid([EntryProblem("destination", words)])
    return person
