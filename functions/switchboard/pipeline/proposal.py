"""What was proposed to a caller, what the caller answered, and the one call that the answer lets through.

A proposal stands in its session's document, a yes makes a ticket, and admission spends the ticket in the commit that
records the call, whose row then says so; the model sees none of them. A session has one proposal and one ticket at a
time, so that whatever is proposed next voids what was agreed to before, without a read. Both are bound to the effect
key: session, tool and canonical arguments (its 160 bits cannot be made to collide, as the 64 of the arguments' hash
could).

Calls of one turn are proposed together, in one question: its yes is to each of them, and each spends it once. Where
one could not know of the other, since they ran side by side, neither can be agreed to before it is asked alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias

from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import CONFIRMATION_S
from switchboard.contract.ports import BusinessPaths, Paths, Store
from switchboard.contract.store import (
    DELETE_FIELD,
    ArrayUnion,
    Delete,
    Document,
    Increment,
    Set,
    Stale,
    Update,
    Write,
)
from switchboard.pipeline.answer_words import Reply, Said, asks_for_words, deeds_of, may_precede, plain_words
from switchboard.pipeline.asked_call import AskedCall, deeds_of_all
from switchboard.pipeline.assent import answer_to, answer_to_all
from switchboard.pipeline.assent_beside import led_by_yes
from switchboard.pipeline.case import Case
from switchboard.pipeline.confirm import question_about

# So many unclear answers leave a question open; after the next one the tool has to be called, and asks, anew.
UNCLEAR_ANSWERS = 2
# The session's document counts calls as well: a commit that met a newer one is decided again.
_ATTEMPTS = 5

Verdict: TypeAlias = Literal["approved", "declined", "open", "lapsed", "nothing"]
"""What an answer did: `open` asks again, `lapsed` is too late or unclear again, `nothing` answered no question."""


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call that waits for the caller's yes.

    Attributes:
        tool: Its name.
        claim_key: `Case.claim_key`: session, tool and canonical arguments in one; stored as `effectKey`.
        read_back: The question, as it was to be said.
        turn: The human turn in which it was asked; only a later one can answer it.
        expires_at: When it is too late for an answer (aware, UTC).
        attempts: How many unclear answers it has had.
        asked: `turn:claim key` of everything proposed since the last answer.
        deeds: What it does, as far as an answer may say so ("yes, cancel it"); see `answer_words.DEEDS`.
        channel: Where it was asked; empty in what was written before that was kept.
        facts: What the tool proposed, as `Proposal.digest`; 0 in what was written before that was kept.
        joint: All the calls that the question is about, this one among them; empty where it is about this one alone.
    """

    tool: str
    claim_key: str
    read_back: str
    turn: int
    expires_at: datetime
    attempts: int = 0
    asked: tuple[str, ...] = ()
    deeds: tuple[str, ...] = ()
    channel: str = ""
    facts: int = 0
    joint: tuple[AskedCall, ...] = ()

    @property
    def calls(self) -> tuple[AskedCall, ...]:
        """What a yes is to."""
        return self.joint or (AskedCall(self.tool, self.claim_key, self.read_back, self.deeds, self.facts),)

    @property
    def mark(self) -> str:
        """What it leaves in `asked`."""
        return f"{self.turn}:{self.claim_key}"

    @property
    def is_alone(self) -> bool:
        """Whether the question names all that was asked in its turn: one yes cannot answer two questions."""
        named = {f"{self.turn}:{call.claim_key}" for call in self.calls}
        return all(mark in named or not mark.startswith(f"{self.turn}:") for mark in self.asked)

    def to_document(self) -> JsonObject:
        """Return the field `proposal` of a session's document."""
        return {
            "tool": self.tool,
            "effectKey": self.claim_key,
            "readBack": self.read_back,
            "turn": self.turn,
            "expiresAt": self.expires_at,
            "attempts": self.attempts,
            "asked": list(self.asked),
            "deeds": list(self.deeds),
            "channel": self.channel,
            "facts": self.facts,
            "calls": [call.to_document() for call in self.joint],
        }

    def was_asked(self, words: str) -> bool:
        """Tell whether the last of these words are the question, and nothing before it asks or speaks of an answer."""
        said, question = plain_words(words), plain_words(self.read_back)
        if not question or said[-len(question) :] != question:
            return False
        before = words[: max(0, words.rfind(self.read_back))]
        return not asks_for_words(said[: -len(question)]) and may_precede(before)

    def verdict(self, answer: Reply, turn: int, now: datetime, *, is_asked: bool = True) -> Verdict:
        """Return what an answer given in a turn does to it; `is_asked`: whether the question was put, and heard."""
        if turn <= self.turn:
            return "nothing"
        if now >= self.expires_at:
            return "lapsed"
        if answer == "no":
            return "declined"
        if not is_asked:
            return "open"
        if answer == "yes" and self.is_alone:
            return "approved"
        return "open" if self.attempts < UNCLEAR_ANSWERS else "lapsed"


def read_proposal(data: Any) -> PendingCall | None:
    """Return the proposal that `to_document` wrote; None if there is none, or none that can be read."""
    try:
        return PendingCall(
            tool=data["tool"],
            claim_key=data["effectKey"],
            read_back=data["readBack"],
            turn=data["turn"],
            expires_at=data["expiresAt"],
            attempts=data["attempts"],
            asked=tuple(data["asked"]),
            deeds=tuple(data.get("deeds") or ()),
            channel=data.get("channel") or "",
            facts=data.get("facts") or 0,
            joint=tuple(map(AskedCall.of, data.get("calls") or ())),
        )
    except (KeyError, TypeError):
        return None


@dataclass(frozen=True, slots=True)
class Heard:
    """What an answer did, to which tool's proposal; `read_back` is to be said again while that is `open`.

    `others` are the tools of the further calls that a joint question was about, one for each.
    """

    verdict: Verdict
    tool: str = ""
    read_back: str = ""
    others: tuple[str, ...] = ()

    @classmethod
    def about(cls, proposal: PendingCall, verdict: Verdict) -> "Heard":
        """Return what an answer did to a proposal."""
        first, *others = (call.tool for call in proposal.calls)
        return cls(verdict, first, proposal.read_back, tuple(others))

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools of all the calls, one for each; empty where nothing was open."""
        return (self.tool, *self.others) if self.tool else ()


@dataclass(frozen=True, slots=True)
class Spending:
    """A caller's yes that a call is about to use up.

    Attributes:
        write: Uses it up, in the commit that lets the call in; it fails with `Stale` if somebody was quicker.
        facts: Digest of what was read to the caller before that yes; 0 where that is not known.
    """

    write: Update
    facts: int


class Approvals:
    """The proposals and tickets of every business."""

    def __init__(self, store: Store, paths: Paths) -> None:
        """Use a store; nothing is remembered here."""
        self._store, self._paths = store, paths

    def propose(self, case: Case) -> list[Write]:
        """Return what settlement writes for a call that `confirm` refused, and nothing for any other.

        The proposal takes the place of an earlier one, and an approval that has not been used is void.
        """
        refusal = case.refusal
        if refusal is None or refusal.type is not ErrorType.CONFIRMATION_REQUIRED or case.objection is not None:
            return []
        within = self._paths.within(case.facts.business_id)
        expires_at = case.now + timedelta(seconds=CONFIRMATION_S)
        deeds = deeds_of(case.definition) if case.definition is not None else ()
        facts = case.proposal.digest if case.proposal is not None else 0
        proposal = PendingCall(
            case.call.name,
            case.claim_key,
            refusal.say,
            case.facts.turn,
            expires_at,
            deeds=deeds,
            channel=case.facts.channel.value,
            facts=facts,
        )
        if case.beside:
            own = AskedCall(case.call.name, case.claim_key, question_about(case), deeds, facts)
            proposal = replace(proposal, joint=(*case.beside, own))
        # Calls of one turn run side by side: each leaves its mark, whichever is settled last.
        fields = proposal.to_document() | {"asked": ArrayUnion((proposal.mark,))}
        return [
            Update(
                within.document("sessions", case.facts.session_id),
                {f"proposal.{name}": value for name, value in fields.items()},
            ),
            Delete(_ticket(within, case.facts.session_id)),
        ]

    async def beside(self, case: Case) -> tuple[AskedCall, ...]:
        """Return the other calls of this turn that wait for a yes, and whose question this call can join.

        Raises:
            StoreError: It cannot be read.
        """
        facts = case.facts
        session = await self._store.get(self._paths.within(facts.business_id).document("sessions", facts.session_id))
        proposal = read_proposal(session.data.get("proposal")) if session is not None else None
        # What is asked once more was answered before, perhaps with a part of it: what is called now is called instead.
        if (
            proposal is None
            or (proposal.turn, proposal.channel, proposal.attempts) != (facts.turn, facts.channel.value, 0)
            or case.now >= proposal.expires_at
            or not proposal.is_alone
        ):
            return ()
        return tuple(call for call in proposal.calls if call.claim_key != case.claim_key)

    async def spending(self, case: Case) -> Spending | None:
        """Return the caller's yes to exactly this call, to be spent by the commit that lets it in; None without one.

        Read before that commit, and not counted in it, so that the call's own row can say that there was a yes: who
        finishes it for an instance that died asks nobody again. A yes ends with the turn in which it was said, as
        whatever the caller says next may take it back.

        Raises:
            StoreError: Nobody can tell whether the caller agreed.
        """
        definition = case.definition
        if definition is None or not definition.confirm or case.arguments is None or case.wish_granted is not None:
            return None
        key, path = case.claim_key, _ticket(self._paths.within(case.facts.business_id), case.facts.session_id)
        ticket = await self._store.get(path)
        granted = ticket.data.get(key) if ticket is not None else None
        if ticket is None or not isinstance(granted, Mapping):
            return None
        uses, turn, expires_ms = (_number(granted.get(name)) for name in ("uses", "turn", "expiresMs"))
        if uses != 0 or turn != case.facts.turn or _ms(case.now) >= expires_ms:
            return None
        # Of calls at once, and of a no that comes meanwhile, one is first; the others find a ticket that has changed.
        return Spending(
            Update(path, {f"{key}.uses": Increment(1)}, if_update_time=ticket.update_time),
            max(0, _number(granted.get("facts"))),
        )

    async def hear(
        self,
        business_id: str,
        session_id: str,
        turn: int,
        answer: Reply | Said,
        now: datetime,
        *,
        question: int | None = None,
        asked: str | None = None,
        channel: Channel | None = None,
        sees_one: bool = False,
    ) -> Heard:
        """Hold what the caller answered against what was proposed.

        Args:
            business_id: As the channel knows it, never from a model; so is the session.
            session_id: The conversation.
            turn: The human turn in which it was said, pressed or clicked.
            answer: The human's own words, or what they pressed or clicked; never anything that a model wrote.
            now: When it was heard (aware).
            question: For a button: the turn under whose question it stands, so that an old one answers no new question.
            asked: Otherwise: the last words that the human was told, and heard. A yes to anything but the question
                leaves it open, as it was.
            channel: Where it was heard; a question of another channel is not answered there.
            sees_one: Whether a button's question was about one call, whatever was called beside it.

        Raises:
            StoreError: It was not heard, as far as can be told; the call will be refused and the question asked again.
        """
        within = self._paths.within(business_id)
        session_path, ticket_path = within.document("sessions", session_id), _ticket(within, session_id)
        for _ in range(_ATTEMPTS):
            session, ticket = await self._store.get_many([session_path, ticket_path])
            proposal = read_proposal(session.data.get("proposal")) if session else None
            try:
                if session is None or proposal is None:
                    return await self._withdraw(ticket, answer, now)
                if question not in (None, proposal.turn) or (channel and proposal.channel not in ("", channel)):
                    return Heard("nothing")
                reply = _reply(answer, proposal)
                is_shown = question is not None and not (sees_one and proposal.joint)
                is_asked = proposal.was_asked(asked) if asked is not None else is_shown
                verdict = proposal.verdict(reply, turn, now, is_asked=is_asked)
                if verdict == "nothing":
                    return Heard(verdict)
                if verdict == "open" and not is_asked:
                    # Nothing was answered: the question stands as it stood, and is put to the human (again).
                    return Heard.about(proposal, verdict)
                writes: list[Write] = [Update(session_path, _left(proposal, verdict, turn, now), session.update_time)]
                if verdict == "approved":
                    writes.append(Set(ticket_path, _granted(proposal, turn, now)))
                await self._store.commit(writes)
                return Heard.about(proposal, verdict)
            except Stale:
                continue
        raise Stale(f"the session kept changing while an answer was heard: {session_path}")

    async def _withdraw(self, ticket: Document | None, answer: Reply | Said, now: datetime) -> Heard:
        """Let a no take back a yes that no call has used yet."""
        if ticket is None or (answer.about(()) if isinstance(answer, Said) else answer) != "no":
            return Heard("nothing")
        # Unchanged since read: what a call has spent in the meantime was not declined.
        await self._store.commit([Delete(ticket.path, if_update_time=ticket.update_time)])
        keys = ticket.data.get("effectKeys") or [ticket.data.get("effectKey", "")]
        granted = [ticket.data.get(key) or {} for key in keys]
        is_open = any(each.get("uses") == 0 and _ms(now) < each["expiresMs"] for each in granted)
        return Heard("declined", ticket.data["tool"]) if is_open else Heard("nothing")


def _reply(answer: Reply | Said, proposal: PendingCall) -> Reply:
    """Return what an answer says to the question that it is held against."""
    if not isinstance(answer, Said):
        return answer
    if proposal.joint:
        return answer_to_all(answer.text, answer.language, proposal.read_back, deeds_of_all(proposal.joint))
    told = answer.text, answer.language, proposal.read_back, proposal.deeds
    reply = answer_to(*told)
    return "yes" if reply == "unclear" and led_by_yes(*told) else reply


def _ticket(within: BusinessPaths, session_id: str) -> str:
    return within.document("tickets", f"approval:{session_id}")


def _left(proposal: PendingCall, verdict: Verdict, turn: int, now: datetime) -> JsonObject:
    """Return the session's fields after an answer."""
    if verdict != "open":
        return {"proposal": DELETE_FIELD}
    expires_at = now + timedelta(seconds=CONFIRMATION_S)
    again = replace(proposal, turn=turn, expires_at=expires_at, attempts=proposal.attempts + 1)
    return {"proposal": again.to_document()}


def _granted(proposal: PendingCall, turn: int, now: datetime) -> JsonObject:
    """Return the ticket that a yes makes; it replaces any other of the session."""
    expires_at = now + timedelta(seconds=CONFIRMATION_S)
    granted: JsonObject = {
        call.claim_key: {"uses": 0, "turn": turn, "expiresMs": _ms(expires_at), "facts": call.facts}
        for call in proposal.calls
    }
    told = {"tool": proposal.calls[0].tool, "effectKey": proposal.claim_key, "expireAt": expires_at}
    return granted | told | ({"effectKeys": list(granted)} if proposal.joint else {})


def _number(value: object) -> int:
    """Return what stands in a ticket as a number; whatever is none lets nothing through."""
    return value if isinstance(value, int) and not isinstance(value, bool) else -1


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
