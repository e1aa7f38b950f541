"""Measures every call and every conversation, in memory, one meter per process (seeds 000 and 003, "Observability").

Recording a call costs a few microseconds: it counts, adds and appends, and everything else is computed when it is asked
for. Every part is bounded: tools, sessions, the values kept of each. What it shows names tools, channels and error
types, and never a business or a person.
"""

import logging
from collections.abc import Collection, Iterator
from datetime import datetime

from prometheus_client import CollectorRegistry, Metric, disable_created_metrics, generate_latest
from prometheus_client.registry import Collector

from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import TOOL_NAME, Kind
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.observability.trace import shown_id
from switchboard.contract.ports import Clock
from switchboard.pipeline.metrics import report
from switchboard.pipeline.metrics.alarms import SIZE_ALARM_CHARACTERS, Alarms
from switchboard.pipeline.metrics.percentiles import Percentiles
from switchboard.pipeline.metrics.sessions import (
    CONTEXT_ALARM_TOKENS,
    InitialContext,
    SessionKey,
    SessionMeter,
    SessionSummary,
    SessionUse,
)
from switchboard.pipeline.metrics.tools import ToolMetrics, ToolUse

log = logging.getLogger(__name__)

MAX_TOOLS = 200
# Stands for what models make up and for whatever comes after the 200th tool; cannot be the name of a tool.
OTHER = "_other"
# When each process began says the same of every counter in it; a series beside each would be told to everybody.
disable_created_metrics()  # type: ignore[no-untyped-call]
# Refusals that only a tool that exists meets; in any other the name may be whatever a model wrote.
_OF_A_TOOL = frozenset(
    {
        ErrorType.MODE_RESTRICTED,
        ErrorType.LOOP_DETECTED,
        ErrorType.VALIDATION,
        ErrorType.CONFIRMATION_REQUIRED,
        ErrorType.BUDGET_EXCEEDED,
    }
)


class Meter:
    """What has been measured since the process started.

    Attributes:
        registry: Where all of it is found, and what others have measured beside it.
    """

    def __init__(self, clock: Clock, registry: CollectorRegistry | None = None) -> None:
        """Start with nothing; without a registry, with one of its own."""
        self._clock = clock
        self.registry = registry or CollectorRegistry()
        self._alarms = Alarms(clock)
        self._tools = ToolMetrics(self.registry)
        self._sessions = SessionMeter(clock, self.registry)
        self._active = self._sessions.active

    def record(
        self,
        tool: str,
        *,
        kind: Kind,
        channel: Channel,
        session: SessionKey,
        turn: int,
        ok: bool,
        error_type: ErrorType | None,
        elapsed_ms: float,
        characters: int,
        ran: bool = True,
        loop_detected: bool = False,
        outcome_unknown: bool = False,
        was_refused: bool = False,
        was_cut: bool = False,
    ) -> None:
        """Record one finished call, refused ones included; an answer that is only given again is none.

        Args:
            tool: Its name; a name that no tool has is counted as `_other`.
            kind: Retrievals have a soft limit of time.
            channel: Where the conversation happens.
            session: Business id and session id; opens the session if nobody has.
            turn: Counted from 1; 0 before the first word.
            ok: Whether it did what was asked.
            error_type: Why not, None if it did.
            elapsed_ms: From its arrival to its outcome, in milliseconds.
            characters: Of its `data` as JSON (`characters_in`), 0 where it failed.
            ran: Whether its handler was started: a refusal says nothing about how long the tool takes.
            loop_detected: Whether it was refused as a loop.
            outcome_unknown: Whether it failed and may have changed something all the same.
            was_refused: Whether a check refused it.
            was_cut: Whether it was stopped at the end of its turn, which says nothing of how long the tool takes.
        """
        use = self._tools.get(tool) or self._use(tool, error_type, ran)
        conversation, on_channel = self.conversation(session), use.on(channel)
        conversation.calls += 1
        if turn != conversation.call_turn:
            conversation.called_in(turn, self._clock.now())
        if ran and not was_cut:
            use.latencies.add(elapsed_ms)
        on_channel.times.add(elapsed_ms / 1_000)
        if ok:
            self._count_response(use, session, conversation, characters)
        if elapsed_ms > on_channel.soft_ms:
            self._alarms.slow(use.name, kind, channel, session, elapsed_ms)
        if not ok:
            use.failed(error_type, loop_detected, was_refused, outcome_unknown)

    def conversation(self, session: SessionKey) -> SessionUse:
        """Return where a conversation's calls are counted until it has ended."""
        return self._active.get(session) or self._sessions.heard_of(session)

    def usual(self, tool: str) -> Percentiles | None:
        """Return how many milliseconds a tool's runs take, as of a moment ago; None while fewer than 5 ran."""
        use = self._tools.get(tool)
        return use.usual(self._clock.monotonic()) if use else None

    def usual_ms(self, tool: str) -> float | None:
        """Return the median milliseconds of a tool's runs, as of a moment ago; None while fewer than 5 ran."""
        use = self._tools.get(tool)
        usual = use.usual(self._clock.monotonic()) if use is not None else None
        return usual.p50 if usual is not None else None

    def session_opened(self, business_id: str, session_id: str, now: datetime) -> SessionKey:
        """Start a session, unless it goes on already, and return what the other methods know it by."""
        key = (business_id, session_id)
        self._sessions.open(key, now)
        return key

    def turn_completed(self, session: SessionKey, turn: int) -> None:
        """Count a turn by its number, which starts at 1; a turn is counted once, with calls in it or without."""
        self._sessions.heard_of(session).reached(turn, self._clock.now())

    def session_closed(self, session: SessionKey) -> SessionSummary | None:
        """End a session and return what is known of it; a call that ends within a minute still belongs to it."""
        self._sessions.close(session)
        return self._sessions.summary(session)

    def session(self, session: SessionKey) -> SessionSummary | None:
        """Return what is known of a session that goes on or was among the last 1,000 to end."""
        return self._sessions.summary(session)

    def context(self, session: SessionKey, system_prompt_tokens: int, declaration_tokens: int, tools: int) -> None:
        """Note and log what a session starts with, in estimated tokens; only its first time counts.

        Args:
            session: As `session_opened` returned it.
            system_prompt_tokens: `estimate_tokens` of the prompt.
            declaration_tokens: The same of the declarations, as they are sent to the model.
            tools: How many are declared.
        """
        use = self._sessions.heard_of(session)
        if use.initial is not None:
            return
        initial = InitialContext(system_prompt_tokens, declaration_tokens, tools)
        use.begins_with(initial)
        self._sessions.latest_initial = initial
        fields = {"business": session[0], "session": shown_id(session[1]), "tokens": initial.tokens, "tools": tools}
        fields |= {"systemPromptTokens": system_prompt_tokens, "toolDeclTokens": declaration_tokens}
        log.info("session init", extra=fields)
        self.context_used(session, initial.tokens)

    def context_used(self, session: SessionKey, tokens: int) -> None:
        """Note the size of a session's context in tokens, as the model's vendor reports it."""
        use = self._sessions.heard_of(session)
        use.reported_tokens = max(use.reported_tokens, tokens)
        if tokens >= CONTEXT_ALARM_TOKENS and not use.is_silenced:
            self._alarms.full(session, use)

    def snapshot(self, tools: Collection[str] = ()) -> JsonObject:
        """Return everything in the shape of seed 003's `/metrics`, and more; only the tools named, or all."""
        self._sessions.retire_silent()
        uses = [use for use in self._tools if use.name in tools or not tools]
        return report.snapshot(self._tools, uses, self._sessions, self._clock.now())

    def prometheus(self, tools: Collection[str] = ()) -> str:
        """Return everything as Prometheus text, format 0.0.4; only the tools named, or all."""
        return generate_latest(_OnlyTools(self.registry, tools) if tools else self.registry).decode()

    def businesses(self) -> set[str]:
        """Return whose conversations go on, or have gone on within the last half hour."""
        return {business_id for business_id, _ in self._active}

    def _count_response(self, use: ToolUse, session: SessionKey, conversation: SessionUse, characters: int) -> None:
        use.sizes.add(characters)
        conversation.characters += characters
        if characters > SIZE_ALARM_CHARACTERS:
            self._alarms.long(use)
        if conversation.characters >= conversation.alarm_at:
            self._alarms.full(session, conversation)

    def _use(self, tool: str, error_type: ErrorType | None, ran: bool) -> ToolUse:
        """Return what a tool's calls are counted under that is not known yet."""
        exists = ran or error_type is None or error_type in _OF_A_TOOL
        if not exists or not TOOL_NAME.fullmatch(tool) or len(self._tools) - (OTHER in self._tools) >= MAX_TOOLS:
            tool = OTHER
        return self._tools.add(tool)


class _OnlyTools(Collector):
    """What a registry holds, of tools only those named."""

    def __init__(self, registry: CollectorRegistry, tools: Collection[str]) -> None:
        self._registry, self._tools = registry, tools

    def collect(self) -> Iterator[Metric]:
        """Yield every metric, also those of which nothing is left."""
        for metric in self._registry.collect():
            metric.samples = [s for s in metric.samples if "tool" not in s.labels or s.labels["tool"] in self._tools]
            yield metric
