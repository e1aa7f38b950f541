"""The facts of a call that the model cannot set: who is calling, on which channel, in which conversation.

Three sealed variants, one per channel (seed 004, "Execution"); a handler sees them through `CallContext`.

What a caller asks in one breath ("how much, when, and is there parking?") is looked up in one breath. The first of them
that is admitted stands for all in the turn's counts; the others are admitted after it, in the model's order.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import field
from datetime import datetime
from typing import Any, ClassVar, NewType, Protocol, TypeAlias

from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import spoken_with
from switchboard.contract.business.terms import Terms
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.redaction import NOTHING_HIDDEN, Redaction
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import ToolResponse

ProvenNumber = NewType("ProvenNumber", str)
"""A phone number (E.164) of which somebody has shown that it is theirs; only such a number says who somebody is.

A plain text is none. One comes from the carrier's full attestation (`contract/caller/strangers.py`), or from the
record of a caller who was verified; whoever needs to know whose data may be shown asks for this type.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaffMember:
    """Somebody of the business who has something done at its desk, instead of a caller.

    Attributes:
        id: As the audit names them.
        name: For people to read.
        role: What they were to the business when they asked.
        seen: The revision of the appointment that they have read; empty where they make a new one.
        is_resumed: Whether the call that they made was interrupted, and is brought to its end by somebody else.
    """

    id: str
    name: str
    role: str
    seen: str = ""
    is_resumed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What every channel knows. Phone numbers are E.164.

    Attributes:
        caller_phone: The number that the channel shows: where this very caller is texted or called back. Anybody can
            have any number shown, so that it says nothing of who is calling.
        is_number_on_file: Whether that is the number on file of a caller whom the conversation knows, since the call
            shows none.
        caller_id: The caller's record; it counts for a verified caller only.
        verified_phone: The number on file of a verified caller.
        within: The ids of the calls in whose handlers this call is made, the outermost first; none where the model
            makes it.
        agent_id: Who answers; None for the agent that does so on this channel.
        is_call_start: Whether the call is made before the first word of a phone call.
        applies_intents: Whether a channel of ours carries the conversation and does what tools ask of it. A service
            that only has tools executed may not, so that a transfer has to be made by the tool itself.
        is_trial: Whether somebody of the business does it, to try something out or at the desk: it is done like any
            call, and counts nowhere.
        since: When a visit began that goes on with a phone call (aware, UTC): what is said on the line after that is
            not for whoever opened the link. None elsewhere.
        address: From where a browser's request came, as coarsely as strangers are counted; empty where the client is
            no stranger's browser. It is never stored.
        beside: Its place among the look-ups of one answer of the model; None for a call that stands alone.
        staff: Who of the business has it done; None where a caller has.
        unanswered: The turns before this one, on this channel, that began and were never answered, as far as is known:
            whoever got no answer and says it again wishes for nothing more.
        told: The calls of which the conversation has told the model what came of them after their answers: who asks for
            the same again has heard of it.
        language: In which the caller speaks, as their own turns have shown; empty for the answering agent's. The words
            that they hear follow it, and nothing else does.
    """

    business_id: str
    session_id: str
    turn: int = 1
    call_id: str = ""
    caller_phone: str | None = None
    caller_id: str | None = None
    caller_verified: bool = False
    is_number_on_file: bool = False
    verified_phone: ProvenNumber | None = None
    interaction_id: str | None = None
    agent_id: str | None = None
    is_call_start: bool = False
    applies_intents: bool = False
    is_trial: bool = False
    within: tuple[str, ...] = ()
    since: datetime | None = None
    address: str = field(default="", repr=False)
    beside: Beside | None = field(default=None, repr=False, compare=False)
    staff: StaffMember | None = None
    unanswered: tuple[int, ...] = ()
    told: tuple[str, ...] = field(default=(), repr=False, compare=False)
    language: str = ""

    @property
    def shown_phone(self) -> str | None:
        """The number that the call shows, whatever is on file of who makes it; None where it shows none."""
        return None if self.is_number_on_file else self.caller_phone or None


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneContext(_Facts):
    """A phone call over Twilio.

    Attributes:
        call_sid: Twilio's id of the phone call, for transferring and ending it.
        auth_token: The business's Twilio token; never shown, logged or stored.
        called_phone: The business's number that was called.
        attestation: The carrier's STIR/SHAKEN verdict, as Twilio passes it on.
        is_withheld: Whether the line showed no number that somebody could be called back on. A service that tells none
            has not said so.
    """

    channel: ClassVar[Channel] = Channel.PHONE
    call_sid: str = ""
    auth_token: str = field(default="", repr=False)
    called_phone: str | None = None
    attestation: str | None = None
    is_withheld: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalContext(_Facts):
    """A chat in the business's portal."""

    channel: ClassVar[Channel] = Channel.PORTAL


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserVoiceContext(_Facts):
    """Speech through the browser's microphone."""

    channel: ClassVar[Channel] = Channel.BROWSER_VOICE


Context: TypeAlias = PhoneContext | PortalContext | BrowserVoiceContext
"""The sealed union: match on it and the type checker proves that no channel was forgotten."""

STAFF_SESSION = "desk_"
"""What the ids of sessions begin with in which somebody of the business has things done."""
_TRIALS = ("try_", "trial_")


def is_trials_id(id: str) -> bool:
    """Tell whether a session, or a conversation's record, was an owner's trial; records of before do not say so.

    What the business does at its own desk counts as little.
    """
    return id.startswith((*_TRIALS, STAFF_SESSION))


def is_tried_out(id: str) -> bool:
    """Tell whether an owner has tried something out in a session: nobody has called there."""
    return id.startswith(_TRIALS)


CONTEXTS: dict[Channel, type[PhoneContext] | type[PortalContext] | type[BrowserVoiceContext]] = {
    Channel.PHONE: PhoneContext,
    Channel.PORTAL: PortalContext,
    Channel.BROWSER_VOICE: BrowserVoiceContext,
}


class Tools(Protocol):
    """How a handler calls another tool: as a call of the same session and turn, within its own time."""

    async def call(self, name: str, arguments: JsonObject) -> ToolResponse:
        """Execute a call and return its envelope, whatever happens: budgets, loops and conditions count it too."""


class NoTools:
    """For a handler that runs outside the dispatcher."""

    async def call(self, name: str, arguments: JsonObject) -> ToolResponse:
        """Refuse.

        Raises:
            Refused: NOT_FOUND, always.
        """
        raise Refused(ErrorType.NOT_FOUND, f"{name} cannot be called from here.")


class Premises(Protocol):
    """A business and where its documents are; the context of a call is one."""

    @property
    def business(self) -> Business:
        """The business."""

    @property
    def paths(self) -> BusinessPaths:
        """The paths below it."""


class Spender(Premises, Protocol):
    """Who spends of a business's limits: a call's context, or whoever drains the outbox for it."""

    @property
    def now(self) -> datetime:
        """When it is spent (aware, UTC)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """What a handler and the desk may know about the call they serve.

    Attributes:
        business: The business, as read for this call.
        facts: The channel's facts; match on it where a tool needs one channel.
        paths: Builds document paths below this business, and nowhere else.
        now: When the call was admitted (aware, UTC).
        tool: The tool's name.
        effect_key: The same for the same wish, under whatever call id it arrives; what is the same its tool's `repeat`
            says.
        repeats_freely: Whether no two calls of the tool are the same wish.
        tools: What else the call's session may call.
        told_tools: Names of the tools that the model is told of in this conversation; an answer speaks of no others.
        agreed: What the tool proposed and the caller has agreed to; None where nothing was proposed. What it is carried
            out on has to be that, still.
        told: What the conversation was told of prices, lengths and names, where some of it holds no more; else None.
        turn: By which its turn is told from others of the conversation.
        days: Names of those of the handler's times of which only the date was named; they are that day's first moment.
        asked_at: When the caller asked for it, where it is gone on with after an interruption: what was decided since
            is not undone by it (aware, UTC).
        secrets: Takes the call's secret arguments out of what a handler keeps; what it answers is cleared without it.
    """

    business: Business
    facts: Context
    paths: BusinessPaths
    now: datetime
    tool: str
    effect_key: str
    tools: Tools = field(default_factory=NoTools)
    told_tools: frozenset[str] = frozenset()
    agreed: Mapping[str, Any] | None = None
    told: Terms | None = None
    turn: str = ""
    repeats_freely: bool = False
    days: frozenset[str] = frozenset()
    asked_at: datetime | None = None
    secrets: Redaction = NOTHING_HIDDEN

    @property
    def language(self) -> str:
        """In which the caller is spoken and written to: as they speak themselves, or else the business."""
        return spoken_with(self.business.language, self.facts.language)


class Round:
    """What the look-ups of one answer share.

    Attributes:
        has_begun: Whether one of them has been counted.
        is_refused: Whether that one did not fit into the turn, so that none of the others does.
        longest_ms: How long the longest of those took that have ended.
    """

    __slots__ = ("_gone", "_news", "has_begun", "is_refused", "longest_ms")

    def __init__(self) -> None:
        """Start with none of them."""
        self.has_begun = self.is_refused = False
        self.longest_ms = 0.0
        self._gone = 0
        self._news = asyncio.Event()

    def begin(self, *, is_refused: bool) -> None:
        """Note that one was counted, and whether it fitted; the others may go."""
        if not self.has_begun:
            self.has_begun, self.is_refused = True, is_refused
            self._tell()

    def leave(self) -> None:
        """Note that one has ended, perhaps before it was counted: then the next stands for the others."""
        self._gone += 1
        self._tell()

    def more_ms(self, elapsed_ms: float) -> float:
        """Return what one that has ended adds to the time that the caller waits for all of them."""
        more = max(elapsed_ms - self.longest_ms, 0.0)
        self.longest_ms += more
        return more

    async def reach(self, place: int) -> None:
        """Wait until the look-up in this place may go: one before it was counted, or none before it will be."""
        while not self.has_begun and self._gone < place:
            await self._news.wait()

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


class Beside:
    """A look-up's place in its round.

    Attributes:
        round: What it shares with the others.
        place: How many stand before it in the model's answer.
        is_counted: Whether it counts in its turn; the first one does, and stands for the others.
    """

    __slots__ = ("is_counted", "place", "round")

    def __init__(self, round: Round, place: int) -> None:
        """Take a place."""
        self.round, self.place, self.is_counted = round, place, True


@asynccontextmanager
async def in_order(beside: Beside) -> AsyncIterator[None]:
    """Hold a look-up back until those before it have been counted."""
    try:
        await beside.round.reach(beside.place)
        beside.is_counted = not beside.round.has_begun
        yield
    finally:
        beside.round.leave()
