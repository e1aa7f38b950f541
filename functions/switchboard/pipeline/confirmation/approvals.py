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
from dataclasses import replace
from datetime import datetime, timedelta

from switchboard.contract.channel import Channel
from switchboard.contract.context import Context
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import CONFIRMATION_S
from switchboard.contract.ports import Paths, Store
from switchboard.contract.python.dataclass import dataclass
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
from switchboard.pipeline.checks.confirm import asked_by_language, question_about
from switchboard.pipeline.confirmation.asked_call import AskedCall, deeds_of_all
from switchboard.pipeline.confirmation.asked_times import times_of
from switchboard.pipeline.confirmation.assent import answer_to, answer_to_all
from switchboard.pipeline.confirmation.assent_beside import led_by_no, led_by_yes, led_by_yes_to_all
from switchboard.pipeline.confirmation.consent import Reply, Said, deeds_of, understood
from switchboard.pipeline.confirmation.granted import ConsentGrant, granted, ms, number, ticket_path, unused
from switchboard.pipeline.confirmation.hums import is_hum
from switchboard.pipeline.confirmation.pending_call import PendingCall, Verdict, read_proposal
from switchboard.pipeline.invocation import Invocation

# The session's document counts calls as well: a commit that met a newer one is decided again.
_ATTEMPTS = 5
# So long it takes at least to say a question and to answer it.
_ASKED_WITHIN = timedelta(seconds=15)


@dataclass(frozen=True, slots=True)
class ConsentResult:
    """What an answer did, to which tool's proposal; `read_back` is to be said again while that is `open`.

    `others` are the tools of the further calls that a joint question was about, one for each.
    """

    verdict: Verdict
    tool: str = ""
    read_back: str = ""
    others: tuple[str, ...] = ()

    @classmethod
    def about(cls, proposal: PendingCall, verdict: Verdict, grant: ConsentGrant | None = None) -> "ConsentResult":
        """Return what an answer did to a proposal, or to a yes that no call has used yet."""
        if verdict == "nothing":
            return cls(verdict)
        if grant is not None and verdict in ("declined", "lapsed"):
            return cls(verdict, grant.tools[0], others=grant.tools[1:])
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

    def propose(self, invocation: Invocation) -> list[Write]:
        """Return what settlement writes for a call that `confirm` refused, and nothing for any other.

        The proposal takes the place of an earlier one, and an approval that has not been used is void.
        """
        refusal = invocation.refusal
        if refusal is None or refusal.type is not ErrorType.CONFIRMATION_REQUIRED or invocation.objection is not None:
            return []
        within = self._paths.within(invocation.facts.business_id)
        expires_at = invocation.now + timedelta(seconds=CONFIRMATION_S)
        deeds = deeds_of(invocation.definition) if invocation.definition is not None else ()
        facts = invocation.proposal.digest if invocation.proposal is not None else 0
        proposal = PendingCall(
            invocation.call.name,
            invocation.claim_key,
            refusal.say,
            invocation.facts.turn,
            expires_at,
            deeds=deeds,
            channel=invocation.facts.channel.value,
            facts=facts,
            times=times_of(invocation),
            by_language=invocation.asked,
        )
        if invocation.beside:
            alone = question_about(invocation, invocation.language)
            by_language = asked_by_language(invocation, is_alone=True)
            own = AskedCall(invocation.call.name, invocation.claim_key, alone, deeds, facts, by_language)
            proposal = replace(proposal, joint=(*invocation.beside, own))
        # Calls of one turn run side by side: each leaves its mark, whichever is settled last.
        fields = proposal.to_document() | {"asked": ArrayUnion((proposal.mark,))}
        return [
            Update(
                within.document("sessions", invocation.facts.session_id),
                {f"proposal.{name}": value for name, value in fields.items()},
            ),
            Delete(ticket_path(within, invocation.facts.session_id)),
        ]

    async def beside(self, invocation: Invocation) -> tuple[AskedCall, ...]:
        """Return the other calls of this turn that wait for a yes, and whose question this call can join.

        Raises:
            StoreError: It cannot be read.
        """
        facts = invocation.facts
        session = await self._store.get(self._paths.within(facts.business_id).document("sessions", facts.session_id))
        proposal = read_proposal(session.data.get("proposal")) if session is not None else None
        # What is asked once more was answered before, perhaps with a part of it: what is called now is called instead.
        if (
            proposal is None
            or (proposal.turn, proposal.channel, proposal.attempts) != (facts.turn, facts.channel.value, 0)
            or invocation.now >= proposal.expires_at
            or not proposal.is_alone
        ):
            return ()
        return tuple(call for call in proposal.calls if call.claim_key != invocation.claim_key)

    async def spending(self, invocation: Invocation) -> Spending | None:
        """Return the caller's yes to exactly this call, to be spent by the commit that lets it in; None without one.

        Read before that commit, and not counted in it, so that the call's own row can say that there was a yes: who
        finishes it for an instance that died asks nobody again. A yes ends with the turn in which it was said, as
        whatever the caller says next may take it back.

        Raises:
            StoreError: Nobody can tell whether the caller agreed.
        """
        definition = invocation.definition
        if (
            definition is None
            or not definition.confirm
            or invocation.arguments is None
            or invocation.wish_granted is not None
        ):
            return None
        key, path = (
            invocation.claim_key,
            ticket_path(self._paths.within(invocation.facts.business_id), invocation.facts.session_id),
        )
        ticket = await self._store.get(path)
        approval = ticket.data.get(key) if ticket is not None else None
        if ticket is None or not isinstance(approval, Mapping):
            return None
        uses, turn, expires_ms = (number(approval.get(name)) for name in ("uses", "turn", "expiresMs"))
        if uses != 0 or turn != invocation.facts.turn or ms(invocation.now) >= expires_ms:
            return None
        # Of calls at once, and of a no that comes meanwhile, one is first; the others find a ticket that has changed.
        return Spending(
            Update(path, {f"{key}.uses": Increment(1)}, if_update_time=ticket.update_time),
            max(0, number(approval.get("facts"))),
        )

    async def waits(self, facts: Context, words: str, now: datetime) -> bool:
        """Tell whether a question that was put in these words, there, can still be put again and answered.

        Raises:
            StoreError: Nobody can tell.
        """
        session = await self._store.get(self._paths.within(facts.business_id).document("sessions", facts.session_id))
        call = read_proposal(session.data.get("proposal")) if session is not None else None
        if call is None or call.channel not in ("", facts.channel):
            return False
        return call.read_back == words and now + _ASKED_WITHIN < call.expires_at

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
        own: Document | None = None,
    ) -> ConsentResult:
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
            own: The session's document, where it was read since then: what is asked after that is not answered yet.

        Raises:
            StoreError: It was not heard, as far as can be told; the call will be refused and the question asked again.
        """
        within = self._paths.within(business_id)
        paths = [within.document("sessions", session_id), ticket_path(within, session_id)]
        for _ in range(_ATTEMPTS):
            session, ticket = (own, await self._store.get(paths[1])) if own else await self._store.get_many(paths)
            call, grant = _open_question(session, ticket, now)
            if session is None or call is None:
                return ConsentResult("nothing")
            reply = answered(answer, call, now)
            is_here = question in (None, call.turn) and (not channel or call.channel in ("", channel))
            if not is_here and (grant is None or reply != "no"):
                return ConsentResult("nothing")
            is_shown = question is not None and not (sees_one and call.joint)
            is_asked = call.was_asked(asked) if asked is not None else is_shown
            verdict, is_left = _verdict(call, grant, answer, reply, turn, now, is_asked=is_asked)
            call, is_left = _in_theirs(call, verdict, answer, is_left)
            consent = ConsentResult.about(call, verdict, grant)
            if is_left:
                return consent
            writes = _ticket_writes(paths[1], grant, call, verdict, turn, now)
            if grant is None or verdict == "open":
                left = _left(call, verdict, turn, now, is_asked=is_asked)
                writes.append(Update(paths[0], left, session.update_time))
            try:
                await self._store.commit(writes)
                return consent
            except Stale:
                own = None
        raise Stale(f"the session kept changing while an answer was heard: {paths[0]}")


def answered(answer: Reply | Said, proposal: PendingCall, now: datetime) -> Reply:
    """Return what an answer says to the question that it is held against."""
    if not isinstance(answer, Said):
        return answer
    deeds = [deed for call in proposal.calls for deed in call.deeds]
    if "cancelled" in deeds and is_hum(answer.text):
        # People hum while they listen; what cannot be taken back takes a word.
        return "unclear"
    if proposal.joint:
        asked = answer.text, answer.language, proposal.read_back
        reply = answer_to_all(*asked, deeds_of_all(proposal.joint))
        is_led = reply == "unclear" and led_by_yes_to_all(*asked, [call.deeds for call in proposal.joint])
    else:
        question = answer.text, answer.language, proposal.read_back, proposal.deeds
        days = proposal.times.days(now) if proposal.times is not None else None
        reply = answer_to(*question, days)
        is_led = reply == "unclear" and led_by_yes(*question, days)
    if is_led or reply != "unclear":
        return "yes" if is_led else reply
    is_declined = led_by_no(answer.text, deeds, lambda head: understood(head, answer.language, ()))
    return "no" if is_declined else reply


def _open_question(
    session: Document | None, ticket: Document | None, now: datetime
) -> tuple[PendingCall | None, ConsentGrant | None]:
    """Return what waits for an answer, and where that was answered already the yes to it, which can be taken back."""
    call = read_proposal(session.data.get("proposal")) if session is not None else None
    grant = unused(ticket, now) if call is None else None
    return (call if grant is None else grant.question), grant


def _verdict(
    call: PendingCall,
    grant: ConsentGrant | None,
    answer: Reply | Said,
    reply: Reply,
    turn: int,
    now: datetime,
    *,
    is_asked: bool,
) -> tuple[Verdict, bool]:
    """Return what an answer does, and whether all is left as it stands."""
    if grant is not None:
        ended_by = grant.verdict(answer, reply, turn, now, is_asked=is_asked)
        return ended_by or "nothing", ended_by is None
    verdict = call.verdict(reply, turn, now, is_asked=is_asked)
    # Where nothing was answered the question stands as it stood, and is put to the human (again).
    return verdict, verdict == "nothing" or (verdict == "open" and not is_asked)


def _in_theirs(call: PendingCall, verdict: Verdict, answer: Reply | Said, is_left: bool) -> tuple[PendingCall, bool]:
    """Return a question as it is put again to whoever has answered in another language, and whether all is left so."""
    if verdict != "open" or not isinstance(answer, Said):
        return call, is_left
    again = call.asked_in(answer.language)
    return again, is_left and again is call


def _ticket_writes(
    path: str, grant: ConsentGrant | None, call: PendingCall, verdict: Verdict, turn: int, now: datetime
) -> list[Write]:
    """Return what an answer does to the session's ticket."""
    if grant is not None:
        return [grant.renewed(turn, now) if verdict == "approved" else grant.spent()]
    return [Set(path, granted(call, turn, now))] if verdict == "approved" else []


def _left(proposal: PendingCall, verdict: Verdict, turn: int, now: datetime, *, is_asked: bool) -> JsonObject:
    """Return the session's fields after an answer; what was not asked last has not been answered unclearly."""
    if verdict != "open":
        return {"proposal": DELETE_FIELD}
    expires_at = now + timedelta(seconds=CONFIRMATION_S)
    again = replace(proposal, turn=turn, expires_at=expires_at, attempts=proposal.attempts + is_asked)
    return {"proposal": again.to_document()}
