"""What the meter keeps of conversations: calls, turns, duration, context use (seed 003, "Per-Session Tracking").

The record of a session's calls, with arguments and outcomes, is the ledger; here are only numbers.
"""

import sys
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TypeAlias

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from switchboard.contract.policy import LOOP_HISTORY_TURNS
from switchboard.contract.ports import Clock
from switchboard.contract.python.dataclass import dataclass
from switchboard.pipeline.metrics.token_estimate import CHARACTERS_PER_TOKEN, tokens_of

SessionKey: TypeAlias = tuple[str, str]
"""Business id and session id: two businesses may use the same session id."""

MAX_SESSIONS = 10_000
MAX_ENDED = 1_000
# A channel that cannot tell when a conversation is over (a service behind /tools/execute) just falls silent.
IDLE = timedelta(minutes=30)
# An action may outlive the caller who hung up; its call belongs to the conversation in which it was made.
AFTERMATH = timedelta(minutes=1)
# Seed 003, "Monitoring Strategy": of a window of a million tokens.
CONTEXT_ALARM_TOKENS = 900_000

# Who counts no turns of their own is given windows of the clock as turns, as vendors' webhooks and MCP clients are.
_A_WINDOW = 1_000_000

_SEEN = (1 << LOOP_HISTORY_TURNS) - 1


@dataclass(frozen=True, slots=True)
class InitialContext:
    """What stands in the model's context before the first word, in tokens, and the number of tools declared."""

    system_prompt_tokens: int = 0
    declaration_tokens: int = 0
    tools: int = 0

    @property
    def tokens(self) -> int:
        """All of it."""
        return self.system_prompt_tokens + self.declaration_tokens


@dataclass(slots=True)
class SessionUse:
    """One conversation.

    Attributes:
        started: When it was opened, or its first call was recorded (aware, UTC).
        last: When it was last heard of; within a turn that is the turn's first call.
        ended: When it was closed, left or fell silent; None while it goes on.
        calls: Its calls, refused ones included.
        turn: The number of its latest turn; -1 before any.
        call_turn: The turn of the call that was recorded last; -1 before any.
        characters: The sum of its responses' sizes.
        alarm_at: The sum of characters at which its context nears the window.
        initial: Its context at the start, once that is known.
        reported_tokens: The largest context use that the model's vendor reported.
    """

    started: datetime
    last: datetime
    ended: datetime | None = None
    calls: int = 0
    turn: int = -1
    call_turn: int = -1
    characters: int = 0
    alarm_at: int = CONTEXT_ALARM_TOKENS * CHARACTERS_PER_TOKEN
    initial: InitialContext | None = None
    reported_tokens: int = 0
    _counted: int = 0
    _recent: int = 0  # bit n is set if turn `turn - n` had a call

    def reached(self, turn: int, now: datetime) -> None:
        """Note that a turn has begun; turns are counted from 1, and what happens before the first word is turn 0."""
        self.last = now
        if turn > self.turn:
            self._recent = (self._recent << min(turn - self.turn, LOOP_HISTORY_TURNS)) & _SEEN
            self.turn = turn
            self._counted = turn if turn < _A_WINDOW else self._counted + 1

    def called_in(self, turn: int, now: datetime) -> None:
        """Note the first call in a row of one turn, which a late call's may be an earlier one."""
        self.reached(turn, now)
        self.call_turn = turn
        self._recent |= (1 << min(self.turn - turn, LOOP_HISTORY_TURNS)) & _SEEN

    @property
    def turns(self) -> int:
        """How many turns there were, the running one included."""
        return self._counted

    @property
    def turns_tracked(self) -> int:
        """How many of the last five turns had calls."""
        return self._recent.bit_count()

    @property
    def context_tokens(self) -> int:
        """The context's estimated size, or what the vendor reported if that is more."""
        initial = self.initial.tokens if self.initial else 0
        return max(self.reported_tokens, initial + tokens_of(self.characters))

    def begins_with(self, initial: InitialContext) -> None:
        """Keep the context at the start, and know when to raise the alarm."""
        self.initial = initial
        if not self.is_silenced:
            self.alarm_at = max(0, CONTEXT_ALARM_TOKENS - initial.tokens) * CHARACTERS_PER_TOKEN

    @property
    def is_silenced(self) -> bool:
        """Whether the alarm about its context has been raised."""
        return self.alarm_at == sys.maxsize

    def silence(self) -> None:
        """Raise no alarm about the context again."""
        self.alarm_at = sys.maxsize

    def duration_ms(self, now: datetime) -> int:
        """Return how long it lasted, or has lasted by now."""
        return max(0, round(((self.ended or now) - self.started) / timedelta(milliseconds=1)))


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """What is known of one conversation; `duration_ms` is that so far while it goes on."""

    session_id: str
    started: datetime
    duration_ms: int
    calls: int
    turns: int
    context_tokens: int


class SessionMeter(Collector):
    """The conversations that go on, at most 10,000, and the last 1,000 that ended."""

    def __init__(self, clock: Clock, registry: CollectorRegistry) -> None:
        self._clock = clock
        registry.register(self)
        self.active: dict[SessionKey, SessionUse] = {}
        self.ended: dict[SessionKey, SessionUse] = {}
        self.opened_count = 0
        self._peak_tokens = 0
        self.latest_initial = InitialContext()

    def open(self, key: SessionKey, now: datetime) -> SessionUse:
        """Return the session, which starts now unless it goes on already."""
        use = self.active.get(key)
        if use is None:
            if len(self.active) >= MAX_SESSIONS:
                # The oldest leaves; if it speaks again, it counts as a new one.
                oldest = next(iter(self.active))
                self._end(oldest, self.active[oldest].last)
            use = self.active[key] = SessionUse(started=now, last=now)
            self.ended.pop(key, None)
            self.opened_count += 1
        return use

    def heard_of(self, key: SessionKey) -> SessionUse:
        """Return the session of a call: one that goes on, one that has just ended, or a new one."""
        now = self._clock.now()
        just_ended = self.ended.get(key)
        if just_ended and just_ended.ended and now - just_ended.ended < AFTERMATH and key not in self.active:
            return just_ended
        return self.open(key, now)

    def close(self, key: SessionKey) -> None:
        """End a session, if it goes on."""
        if key in self.active:
            self._end(key, self._clock.now())

    def summary(self, key: SessionKey) -> SessionSummary | None:
        """Return what is known of a session that goes on or was among the last 1,000 to end."""
        use = self.active.get(key) or self.ended.get(key)
        if use is None:
            return None
        duration_ms = use.duration_ms(self._clock.now())
        return SessionSummary(key[1], use.started, duration_ms, use.calls, use.turns, use.context_tokens)

    def retire_silent(self) -> None:
        """End the sessions that have not been heard of for half an hour, as of when they last were."""
        now = self._clock.now()
        for key in [key for key, use in self.active.items() if now - use.last > IDLE]:
            self._end(key, self.active[key].last)

    @property
    def ended_count(self) -> int:
        """How many sessions have ended since the start."""
        return self.opened_count - len(self.active)

    @property
    def with_history(self) -> int:
        """How many sessions go on and had calls in their last five turns."""
        return sum(use.turns_tracked > 0 for use in self.active.values())

    @property
    def turns_tracked(self) -> int:
        """How many turns with calls there are among the last five of each session that goes on."""
        return sum(use.turns_tracked for use in self.active.values())

    @property
    def peak_tokens(self) -> int:
        """The largest context use seen in any session since the start."""
        going_on = max((use.context_tokens for use in self.active.values()), default=0)
        self._peak_tokens = max(self._peak_tokens, going_on)
        return self._peak_tokens

    def collect(self) -> Iterable[Metric]:
        """Yield their metrics; counted when they are asked for, since most of them end by falling silent."""
        self.retire_silent()
        yield CounterMetricFamily("sessions_opened", "Conversations since the start.", self.opened_count)
        yield GaugeMetricFamily("sessions_active", "Conversations that go on.", len(self.active))
        help = "Conversations with calls in their last 5 turns."
        yield GaugeMetricFamily("loop_sessions_tracked", help, self.with_history)
        yield GaugeMetricFamily("loop_turns_tracked", "Turns with calls, of the last 5 of each.", self.turns_tracked)
        help = "Estimated tokens the latest conversation started with."
        yield GaugeMetricFamily("context_init_tokens", help, self.latest_initial.tokens)
        help = "Largest context of any conversation in tokens."
        yield GaugeMetricFamily("context_peak_tokens", help, self.peak_tokens)

    def _end(self, key: SessionKey, when: datetime) -> None:
        use = self.active.pop(key)
        use.ended = when
        self._peak_tokens = max(self._peak_tokens, use.context_tokens)
        self.ended[key] = use
        if len(self.ended) > MAX_ENDED:
            del self.ended[next(iter(self.ended))]
