"""What the checks look at: one call, everything known about it, and what has been found out so far."""

import json
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from math import inf
from typing import Final

from switchboard.catalog.arguments.arguments import Arguments
from switchboard.catalog.definitions.definitions import DefinitionSet
from switchboard.catalog.offer.offer import Offer, OfferedTool
from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import spoken_with
from switchboard.contract.business.terms import Terms
from switchboard.contract.call import ToolCall, delivery_hash, question, question_hash, spelling, wish_key
from switchboard.contract.context import Context
from switchboard.contract.definitions.definition import Definition, Kind, Repeat
from switchboard.contract.error import Refused, ToolError
from switchboard.contract.policy import ChannelPolicy
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import Proposal, ToolResponse
from switchboard.contract.store import Document
from switchboard.contract.window import Tally, Window
from switchboard.pipeline.confirmation.asked_call import AskedCall
from switchboard.pipeline.json_text import json_text

DEMANDED = "verification"
"""The category of tools that the house demands before others: to be verified costs nobody the answer."""
TURN_LEFT: Final = 1_000_000
"""More calls than any turn has: so many are added to one that another turn answers by now."""

# Made once: `json.dumps` makes a new one for every call that asks for anything special.
_SENT: Final = json.JSONEncoder(sort_keys=True, default=lambda value: type(value).__name__)


@dataclass(frozen=True, slots=True)
class TurnCounts:
    """What this turn has used up, this call included, as the admission's increments returned it.

    Attributes:
        calls: Calls of any kind.
        retrievals: Calls that only read.
        same: Calls of this tool with these arguments.
        empty: Results of this tool that found nothing.
        retrieval_ms: Milliseconds spent on reading.
        is_over: Whether the conversation had ended when the call came.
        pending: How many results of earlier calls wait to be told to a service that holds the conversation itself.
        is_put_through: Whether another call of this turn has put the caller through to somebody.
        person_turn: The turn in which a person of the business took the conversation over; 0 where nobody has.
        is_with_person: Whether that person answers now, and no model.
        is_person_unread: Whether nobody can tell that, since the record was not read.
        terms_mark: The mark of what the conversation was told of prices and the like; 0 where that is not known.
    """

    calls: int = 1
    retrievals: int = 0
    same: int = 1
    empty: int = 0
    retrieval_ms: float = 0.0
    is_over: bool = False
    pending: int = 0
    is_put_through: bool = False
    person_turn: int = 0
    is_with_person: bool = False
    is_person_unread: bool = False
    terms_mark: int = 0

    @property
    def is_left(self) -> bool:
        """Whether another turn answers what this one was to answer: its own instance was taken for dead."""
        return self.calls >= TURN_LEFT


@dataclass(slots=True)
class Invocation:
    """One call on its way through the pipeline.

    Attributes:
        call: As the dialect parsed it.
        facts: What the channel knows; nothing of it comes from the model.
        offer: What the session may call now.
        locked: The session's set of definitions.
        opens_session: Whether admission has to create the session document.
        now: When the call arrived (aware, UTC).
        began_at: When it arrived, on the interpreter's monotonic clock.
        asked_at: When it was asked for, where it is gone on with later, or by others (aware, UTC); None the first time.
        tool: Set by `resolve`.
        arguments: Set by `validate`.
        invalid: Set when the arguments cannot be used; `validate` refuses with it.
        counts: Set by admission; None while the store does not answer.
        is_recorded: Whether it stands in the ledger; a look-up is carried out without, an action never.
        usual_ms: How long the tool usually takes; 0 while that is not known.
        owner: Set by admission: who is working on the call, this very time.
        claims_wish: Whether admission claims the wish, so that no other call id makes it a second time.
        reclaims: The claim of an earlier turn that this call replaces: what it was for has been done, and is asked for
            again.
        continues: The scope of an earlier turn whose call nobody knows the end of: this one is the same wish still.
        repeats: The id of the call that holds its wish: this one gets the answer of that, or goes on with it.
        wish_granted: The answer that another call of the session got for the same wish.
        is_approved: Whether admission spent the caller's yes to exactly this call.
        agreed_facts: Digest of the facts that were read to the caller before that yes; 0 where that is not known.
        refusal: Set by the first check that says no.
        proposal: What the tool said that the call would change; None where it does not say, or was not asked.
        objection: Why the tool proposes nothing: what it was asked about is not there, or cannot be done.
        beside: Calls of the same turn that wait for the caller's yes already: all are asked about in one question.
        asked: The question that `confirm` has had put to the caller, as it is put in each language.
        told: What the conversation was told of prices, lengths and names, where some of it holds no more.
        is_due: Whether it was accepted before, and is carried out now.
        may_be_done: Whether it, or an equal call of its wish, was begun before, and nobody knows that nothing was done.
        is_told_late: Whether nobody waits for its answer any more, so that the conversation is told what came of it.
        runs_on: Whether whoever waited for it was told that it goes on, so that whatever comes of it is told.
        is_unattended: Whether nobody can be asked anything about it at this moment.
        counted_through: What its row says that it has counted among the transfers of its turn.
        row_time: When its row was written last by whoever works on it; whatever else is written there, others did.
        is_lost: Whether others have taken it over, who bring it to its end.
        may_be_admitted: Whether a commit that admits it was sent and got no answer, so that it may yet be carried out.
        is_refused_at_once: Whether it was refused before it was counted, which its row says.
        is_agreed: Whether its row says that the caller's yes was spent for it.
        is_in_doubt: Whether its caller was told that nobody knows what came of it, although it was not begun.
        is_left_open: Whether its settlement has left it for later, since it may come to a better end then.
        recoveries: How often somebody has tried to bring it to its end, after whoever started it.
        tally: What a stranger's action counts in, set by admission; None for whoever is no stranger.
        is_known: Whether the conversation has shown who is calling, so that nothing stays counted in `tally`.
        overdrawn: Those windows of it that were full.
        ends_at: When its time is up, on the interpreter's monotonic clock; known once it is carried out.
        limit_s: How long it may take, of which its story tells; 0 before it is carried out.
        revoked: Integrations that it went on without, and that must be connected again.
        shown_phone: The number that the call showed, whatever is on file of who makes it; None where it showed none.
        business: The offer's; one that could not be read is known by its id alone, in UTC.
        policy: What one turn may cost here: as the agent says, else the business, else the house.
        definition: The tool's, once it is resolved.
        kind: The tool's; an unknown tool counts as a retrieval, since it cannot do anything.
        tool_key: The tool's name as a field's name; whatever else a model wrote counts as one unknown tool.
        is_marked_begun: Whether its row has to say that it is begun: once that may be so, it is never done again.
        takes: How many calls of its turn it takes: none for what the house demands, or for a look-up beside another.
    """

    call: ToolCall
    facts: Context
    offer: Offer
    locked: DefinitionSet
    opens_session: bool
    now: datetime
    began_at: float
    tool: OfferedTool | None = None
    arguments: Arguments | None = None
    invalid: Refused | None = None
    counts: TurnCounts | None = None
    is_recorded: bool = True
    usual_ms: float = 0.0
    owner: str = ""
    claims_wish: bool = False
    reclaims: Document | None = None
    continues: str | None = None
    repeats: str = ""
    wish_granted: ToolResponse | None = None
    is_approved: bool = False
    agreed_facts: int = 0
    refusal: Refused | None = None
    proposal: Proposal | None = None
    objection: ToolError | None = None
    beside: tuple[AskedCall, ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict)
    told: Terms | None = None
    is_due: bool = False
    may_be_done: bool = False
    is_told_late: bool = False
    runs_on: bool = False
    is_unattended: bool = False
    counted_through: int = 0
    row_time: datetime | None = None
    is_lost: bool = False
    may_be_admitted: bool = False
    is_refused_at_once: bool = False
    is_agreed: bool = False
    is_in_doubt: bool = False
    is_left_open: bool = False
    recoveries: int = 0
    asked_at: datetime | None = None
    tally: Tally | None = None
    is_known: bool = False
    overdrawn: tuple[Window, ...] = ()
    ends_at: float = inf
    limit_s: float = 0.0
    revoked: set[str] = field(default_factory=set)
    business: Business = field(init=False)
    policy: ChannelPolicy = field(init=False)
    definition: Definition | None = field(init=False)
    kind: Kind = field(init=False)
    tool_key: str = field(init=False)
    is_marked_begun: bool = field(init=False)
    takes: int = field(init=False)
    _hash: str = field(default="", repr=False)
    _question: str = field(default="", repr=False)
    _effect_key: str = field(default="", repr=False)
    _claim_key: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        """Look up what follows from the offer and the tool once: a call asks for it some fifty times."""
        self.offered(self.offer)
        self.resolved(self.tool)

    def offered(self, offer: Offer) -> None:
        """Take what the session may call now."""
        self.offer = offer
        self.business = offer.business or Business(self.facts.business_id)
        self.policy = self.business.policy_on(self.facts.channel)

    def resolved(self, tool: OfferedTool | None) -> None:
        """Take the tool that is meant, none where none is; its arguments are still to be read."""
        self.tool, self.arguments, self.invalid = tool, None, None
        self._hash = self._question = self._effect_key = self._claim_key = ""
        known = self.definition = tool.definition if tool else None
        self.tool_key = known.name if known else "unknown"
        self.kind = known.kind if known else Kind.RETRIEVAL
        is_action, beside = self.kind is Kind.ACTION, self.facts.beside
        self.is_marked_begun = known is not None and is_action and known.writes and not known.is_repeatable
        is_free = known is not None and known.category == DEMANDED
        self.takes = 0 if is_free else int(beside is None or beside.is_counted or is_action)

    @property
    def is_at_terms(self) -> bool:
        """Whether what the conversation was told of prices and the like has to hold still: it does what was agreed."""
        return self.definition is not None and bool(self.definition.proposes) and self.facts.staff is None

    @property
    def turn_mark(self) -> str:
        """The turn in which it is made; phone and portal of one conversation count theirs apart."""
        return f"{self.facts.channel} {self.facts.turn}"

    @property
    def language(self) -> str:
        """In which the caller is spoken to."""
        return spoken_with(self.business.language, self.facts.language)

    @property
    def admission(self) -> tuple[str, ...]:
        """Which admission of which call this is: the names of some ledgers' owners stand for many calls."""
        return self.owner, self.facts.business_id, self.facts.session_id, self.facts.call_id

    @property
    def arguments_hash(self) -> str:
        """The same for equal calls, however spelt."""
        if not self._hash:
            self._hash = question_hash(self.question)
        return self._hash

    @property
    def question(self) -> str:
        """The same for equal calls, as text; the one spelling of tool and arguments."""
        if not self._question:
            known = {"unread": self.arguments_text} if self.arguments is None else self.arguments.canonical
            self._question = question(self.call.name, spelling(known))
        return self._question

    @property
    def arguments_text(self) -> str:
        """The arguments as JSON text: canonical when they are valid, else what was sent, as far as it can be told."""
        return self._sent_text if self.arguments is None else json_text(self.arguments.canonical)

    @property
    def sent_hash(self) -> str:
        """The same whenever a call is delivered again, whatever its tool has become since."""
        return delivery_hash(self.call.name, self._sent_text)

    @property
    def _sent_text(self) -> str:
        sent = self.call.arguments
        if isinstance(sent, str):
            return sent
        try:
            return _SENT.encode(sent)
        except (TypeError, ValueError, RecursionError):
            return type(sent).__name__

    @property
    def repeat(self) -> Repeat:
        """Within what the same wish is granted once."""
        return self.definition.repeat if self.definition is not None else Repeat.SESSION

    @property
    def scope(self) -> str:
        """What the wish is told apart by from an equal one of the same conversation; empty where nothing does."""
        if self.repeat is Repeat.SESSION:
            return ""
        if self.repeat is Repeat.NEVER:
            return f"call {self.facts.call_id}"
        return self.turn_mark if self.continues is None else self.continues

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes of an equal wish that is the same one: its own, and those of turns that were never answered."""
        if self.repeat is not Repeat.TURN:
            return (self.scope,)
        return (self.scope, *(f"{self.facts.channel.value} {turn}" for turn in self.facts.unanswered))

    @property
    def effect_key(self) -> str:
        """The key of the wish itself; only for a call whose arguments are valid."""
        assert self.arguments is not None
        if not self._effect_key:
            scoped = f"{self.question}|{self.scope}" if self.scope else self.question
            self._effect_key = wish_key(self.facts.business_id, self.facts.session_id, scoped)
        return self._effect_key

    @property
    def claim_key(self) -> str:
        """The key under which the conversation claims the wish, whichever turn it is made in."""
        if not self._claim_key:
            self._claim_key = wish_key(self.facts.business_id, self.facts.session_id, self.question)
        return self._claim_key

    def continue_in(self, scope: str) -> None:
        """Make the same wish as the call of an earlier turn did."""
        self.continues, self._effect_key = scope, ""

    def keep_effect_key(self, key: str) -> None:
        """Take the key that the call was admitted with, whatever its tool has become since."""
        self._effect_key = key
