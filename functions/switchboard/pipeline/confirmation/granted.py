"""A caller's yes that waits for its call, as a ticket keeps it, and whether what they say next leaves it standing."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from switchboard.contract.json import JsonObject
from switchboard.contract.policy import CONFIRMATION_S
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Delete, Document, Update, Write
from switchboard.pipeline.confirmation.assent import answer_to
from switchboard.pipeline.confirmation.consent import Reply, Said
from switchboard.pipeline.confirmation.pending_call import PendingCall, Verdict, read_proposal


@dataclass(frozen=True, slots=True)
class ConsentGrant:
    """A yes that at least one of its calls has not used yet.

    Attributes:
        ticket: Where it stands.
        question: What it answered; it expires when the yes does.
        turn: The human turn in which it was said.
        tools: Of the calls that have not used it.
    """

    ticket: Document
    question: PendingCall
    turn: int
    tools: tuple[str, ...]

    def verdict(
        self, answer: Reply | Said, reply: Reply, turn: int, now: datetime, *, is_asked: bool
    ) -> Verdict | None:
        """Return what what was said next is; it ends this yes, unless it is None: that leaves it as good as before.

        Args:
            answer: What was heard.
            reply: What that says to the question.
            turn: The human turn in which it was heard.
            now: When (aware).
            is_asked: Whether the question was what the human was told last.
        """
        if reply == "no":
            return "declined"
        if self._stands(answer, reply, turn):
            return None
        if reply == "yes" and not is_asked:
            # To something else; and a yes counts in its own turn only.
            return "nothing"
        reached = self.question.verdict(reply, turn, now, is_asked=is_asked)
        # What one of its calls has used is not asked anew, nor what nobody knows any more how to ask.
        is_whole = len(self.tools) == len(self.question.calls) and self.question.read_back
        return reached if is_whole else "lapsed"

    def _stands(self, answer: Reply | Said, reply: Reply, turn: int) -> bool:
        """Tell whether what was said could have been said in one breath with the yes: thanks, a hum, a noise.

        Whatever else is said may take it back, in words that nobody foresaw.
        """
        if turn < self.turn or (turn == self.turn and reply == "yes"):
            return True
        if not isinstance(answer, Said) or answer.about(()) == "yes":
            return False
        return answer_to(f"yes. {answer.text}", answer.language, "", ()) == "yes"

    def spent(self) -> Write:
        """Return what ends it; it fails with `Stale` if a call was quicker."""
        return Delete(self.ticket.path, if_update_time=self.ticket.update_time)

    def renewed(self, turn: int, now: datetime) -> Write:
        """Return what makes it a yes of a later turn, in which it was said once more."""
        return Update(self.ticket.path, granted(self.question, turn, now), if_update_time=self.ticket.update_time)


def ticket_path(within: BusinessPaths, session_id: str) -> str:
    """Return where a session's ticket stands."""
    return within.document("tickets", f"approval:{session_id}")


def granted(proposal: PendingCall, turn: int, now: datetime) -> JsonObject:
    """Return the ticket that a yes makes; it replaces any other of the session."""
    expires_at = now + timedelta(seconds=CONFIRMATION_S)
    uses: JsonObject = {
        call.claim_key: {"uses": 0, "turn": turn, "expiresMs": ms(expires_at), "facts": call.facts}
        for call in proposal.calls
    }
    fields = {"tool": proposal.calls[0].tool, "effectKey": proposal.claim_key, "expireAt": expires_at}
    fields["question"] = proposal.to_document()
    return uses | fields | ({"effectKeys": list(uses)} if proposal.joint else {})


def unused(ticket: Document | None, now: datetime) -> ConsentGrant | None:
    """Return the yes that a ticket holds; None where it holds none, or all of it is used or too old."""
    if ticket is None:
        return None
    data = ticket.data
    question = read_proposal(data.get("question"))
    if question is None:
        # Written before the question was kept: it cannot be put again, and still be taken back.
        question = PendingCall(str(data.get("tool") or ""), str(data.get("effectKey") or ""), "", -1, now)
    uses = [(call.tool, use) for call in question.calls if isinstance(use := data.get(call.claim_key), Mapping)]
    left = [
        (tool, use) for tool, use in uses if number(use.get("uses")) == 0 and ms(now) < number(use.get("expiresMs"))
    ]
    if not left:
        return None
    turn, expires_ms = (max(number(use.get(name)) for _, use in left) for name in ("turn", "expiresMs"))
    question = replace(question, expires_at=datetime.fromtimestamp(expires_ms / 1000, UTC))
    return ConsentGrant(ticket, question, turn, tuple(tool for tool, _ in left))


def number(value: object) -> int:
    """Return what stands in a ticket as a number; whatever is none lets nothing through."""
    return value if isinstance(value, int) and not isinstance(value, bool) else -1


def ms(moment: datetime) -> int:
    """Return a moment in milliseconds since 1970, as tickets have it."""
    return int(moment.timestamp() * 1000)
