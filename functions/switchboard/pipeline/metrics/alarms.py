"""What the meter warns about in the log, at most once a minute per tool and kind of warning.

A turn that goes wrong goes wrong many times over: a log line costs more than the whole call it speaks of.
"""

import logging

from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.json import JsonObject
from switchboard.contract.observability.trace import shown_id
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.contract.ports import Clock
from switchboard.pipeline.metrics.sessions import CONTEXT_ALARM_TOKENS, SessionKey, SessionUse
from switchboard.pipeline.metrics.tools import ToolUse

log = logging.getLogger(__name__)

# Seed 003, "Alert Thresholds".
SIZE_ALARM_CHARACTERS = 1_500
# Seed 003, "Voice Mode": less than a second is the target, and the orchestrator logs what exceeds it.
VOICE_CALL_MS = 1_000
QUIET_S = 60.0


class Alarms:
    """Decides whether a warning is due, and writes it."""

    def __init__(self, clock: Clock) -> None:
        """Start with nothing warned about."""
        self._clock = clock
        self._warned_at: dict[tuple[str, str], float] = {}

    def slow(self, tool: str, kind: Kind, channel: Channel, session: SessionKey, elapsed_ms: float) -> None:
        """Warn of a retrieval beyond the channel's soft limit, and by voice of any call beyond a second."""
        fields: JsonObject = {"tool": tool, "channel": channel.value, "elapsedMs": elapsed_ms}
        soft_ms = CHANNEL_POLICY[channel].retrieval_soft_ms
        if kind is Kind.RETRIEVAL and elapsed_ms > soft_ms and self._is_due("retrieval", tool):
            log.warning(
                "retrieval over its soft limit", extra=fields | {"session": shown_id(session[1]), "limitMs": soft_ms}
            )
        if channel.is_spoken and elapsed_ms > VOICE_CALL_MS and self._is_due("voice call", tool):
            log.warning(
                "voice call over a second", extra=fields | {"session": shown_id(session[1]), "limitMs": VOICE_CALL_MS}
            )

    def long(self, use: ToolUse) -> None:
        """Warn of a tool whose responses are long as a rule, by a 95th percentile that may be 50 responses old."""
        if not self._may_warn("responses", use.name):
            return
        sizes = use.usual_size()
        if sizes is not None and sizes.p95 > SIZE_ALARM_CHARACTERS and self._is_due("responses", use.name):
            fields: JsonObject = {"tool": use.name, "p95Characters": round(sizes.p95)}
            log.warning("responses too long", extra=fields | {"limitCharacters": SIZE_ALARM_CHARACTERS})

    def full(self, session: SessionKey, use: SessionUse) -> None:
        """Warn, once a session, of a context that nears the model's window (seed 003)."""
        use.silence()
        fields = {"business": session[0], "session": shown_id(session[1]), "tokens": use.context_tokens}
        log.warning("context nears the window", extra=fields | {"limitTokens": CONTEXT_ALARM_TOKENS})

    def _may_warn(self, what: str, tool: str) -> bool:
        return self._clock.monotonic() - self._warned_at.get((what, tool), -QUIET_S) >= QUIET_S

    def _is_due(self, what: str, tool: str) -> bool:
        """Return whether the log may be warned of this now, which it then may not be for a minute."""
        if not self._may_warn(what, tool):
            return False
        self._warned_at[what, tool] = self._clock.monotonic()
        return True
