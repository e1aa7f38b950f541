"""What the meter keeps of one tool: counts, durations, errors and the sizes of its responses."""

from dataclasses import dataclass, field

from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType, is_failure
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.pipeline.metrics.percentiles import Percentiles, Recent
from switchboard.pipeline.metrics.token_estimate import tokens_of

# Every time limit of the policy table is a bound, so that the share of calls beyond it can be read off.
BUCKETS_MS = (5, 10, 25, 50, 100, 200, 400, 800, 1_000, 2_000, 3_000, 5_000, 10_000)
# Below this, a 95th percentile is no more than the largest value.
ENOUGH = 20
# And a median is no more than a guess.
ENOUGH_FOR_MEDIAN = 5
# Sorting a full window takes some 80 µs: what is asked for on a call's way is sorted again after this many more runs,
# and not twice in a second.
KEPT_FOR = 50


@dataclass(slots=True)
class Timing:
    """Durations on one channel in milliseconds: their sum, and calls per bucket.

    A bound belongs to the bucket below it, and the last bucket is open.
    """

    channel: Channel
    soft_ms: int
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS_MS) + 1))
    sum_ms: float = 0.0

    @property
    def count(self) -> int:
        """How many calls there were."""
        return sum(self.buckets)


def _timings() -> dict[Channel, Timing]:
    return {channel: Timing(channel, policy.retrieval_soft_ms) for channel, policy in CHANNEL_POLICY.items()}


@dataclass(slots=True)
class ToolUse:
    """One tool's calls since the process started.

    Attributes:
        name: The tool's, as it is shown and logged.
        runs: How many calls ran, since the start.
        ran: Durations of the calls whose handler was started, per channel.
        not_run: Those of the others, refused or answered without it.
        latencies: The last durations of handlers that were started, in milliseconds.
        sizes: The last sizes of `data` in characters of JSON; a failed call has none.
        characters: Their sum since the start.
        errors: Calls that did not do what was asked, by type, refused ones included.
        failures: Those of them that are no answer but a failure (`contract/error.py`).
        loops: Calls refused as a loop.
        unknown: Failed calls that may have changed something all the same.
    """

    name: str
    runs: int = 0
    ran: dict[Channel, Timing] = field(default_factory=_timings)
    not_run: dict[Channel, Timing] = field(default_factory=_timings)
    latencies: Recent = field(default_factory=Recent)
    sizes: Recent = field(default_factory=Recent)
    characters: int = 0
    errors: dict[ErrorType, int] = field(default_factory=dict)
    failures: dict[ErrorType, int] = field(default_factory=dict)
    loops: int = 0
    unknown: int = 0

    @property
    def calls(self) -> dict[Channel, int]:
        """How many calls there were on each channel, refused ones included."""
        return {channel: timing.count + self.not_run[channel].count for channel, timing in self.ran.items()}

    @property
    def responses(self) -> int:
        """How many calls succeeded."""
        return sum(self.calls.values()) - sum(self.errors.values())

    def failed(
        self, type: ErrorType | None, is_loop: bool, was_refused: bool = False, is_unknown: bool = False
    ) -> None:
        """Count a call that did not do what was asked; one that names no type is our own mistake."""
        type = type or ErrorType.INTERNAL
        self.errors[type] = self.errors.get(type, 0) + 1
        if is_failure(type, was_refused=was_refused, is_unknown=is_unknown):
            self.failures[type] = self.failures.get(type, 0) + 1
        self.loops += is_loop
        self.unknown += is_unknown

    def usual(self, now: float) -> Percentiles | None:
        """Return how many milliseconds a run takes, as of a moment ago; None while fewer than 5 are known.

        Args:
            now: On the clock's monotonic scale.
        """
        known = len(self.latencies)
        # A few values are sorted in no time, and each of them changes what is usual.
        if known < ENOUGH_FOR_MEDIAN:
            return None
        return self.latencies.points(self.runs, KEPT_FOR if known > KEPT_FOR else 1, now)

    def usual_size(self) -> Percentiles | None:
        """Return how many characters a response has, under the same terms."""
        return self.sizes.points(self.responses, KEPT_FOR) if len(self.sizes) >= ENOUGH else None

    def latency(self) -> Percentiles | None:
        """Return the percentiles of the last runs' milliseconds."""
        return self.latencies.points(self.runs)

    def size(self) -> Percentiles | None:
        """Return the percentiles of the last responses' characters."""
        return self.sizes.points(self.responses)

    def average_tokens(self) -> float:
        """Return the average of the last responses' estimated tokens, 0 where there are none."""
        return sum(map(tokens_of, self.sizes)) / len(self.sizes) if self.sizes else 0.0
