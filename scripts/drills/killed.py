"""What came of killing servers: nothing lost, nothing done twice, and the same answer for everybody who asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from drills.records import Records
from drills.result import Check, Result, at_most, exactly
from drills.trial import LEASE_S, POINTS, REAPER, REAPER_S, RECOVERIES, SECOND, Trial
from switchboard.contract import policy
from switchboard.pipeline.execution.reaper import REAP_EVERY_S

# What carrying a call to its end takes on a machine that kills and starts servers at the same time.
_WORK_S = 1.0
# How long after the last kill a call may be without its end.
_STUCK_S = 60.0
_EXAMPLES = 10


def judged(trials: Sequence[Trial], records: dict[bool, Records]) -> Result:
    """Return the table; `records` are those of the store without a reaper and of the one with it."""
    bookings = {t.number: records[t.recovery == REAPER].by_start.get(t.start, []) for t in trials}
    wrong = [
        f"{trial}: {problem}"
        for trial in trials
        for problem in _problems(trial, [booking.id for booking in bookings[trial.number]])
    ]
    kills, outcomes = sum(trial.killed for trial in trials), records.values()
    lost = sum(not bookings[trial.number] and not trial.is_lost for trial in trials)
    twice = sum(len(made) > 1 for made in bookings.values())
    stuck = sum(len(r.in_state("started")) for r in outcomes) + sum(_is_stuck(trial) for trial in trials)
    checks = [exactly("servers killed where they were to be", len(trials) + _again(trials), kills)]
    for recovery in RECOVERIES:
        those = [trial for trial in trials if trial.recovery == recovery]
        checks.append(_made(recovery, those, Counter(len(bookings[trial.number]) for trial in those)))
    checks += [
        exactly("answers at odds with each other or with the store", 0, len(wrong)),
        exactly("slots without their booking", 0, sum(len(r.orphan_slots) for r in outcomes)),
        exactly("bookings' claims without their slot", 0, sum(len(r.missing_slots) for r in outcomes)),
        exactly("bookings without a receipt in their session", 0, sum(len(r.without_receipt) for r in outcomes)),
        exactly(f"left as started, or stuck for over {_STUCK_S:g} s", 0, stuck),
    ]
    for recovery in RECOVERIES:
        slowest = max((trial.settled_s for trial in trials if trial.recovery == recovery), default=0.0)
        limit_s = (LEASE_S + REAPER_S) * (2 if recovery == SECOND else 1) + _WORK_S
        checks.append(at_most(f"settled after the kill: {recovery}", limit_s, slowest))
    return Result(
        f"kill: {kills} times kill -9 at {len(POINTS)} steps of a booking, {len(RECOVERIES)} ways to recover",
        "0 lost, 0 twice, 0 stuck",
        f"{lost} lost, {twice} twice, {stuck} stuck of {kills} kills",
        tuple(checks),
        (
            f"A lease is {LEASE_S:g} s and the reaper looks every {REAPER_S:g} s: a call is settled within their sum, "
            f"twice that if it was killed twice, and {_WORK_S:g} s for the work. Really they are "
            f"{policy.CALL_LEASE_S:g} s and {REAP_EVERY_S:g} s; with these, a call is stuck after {_STUCK_S:g} s.",
            *wrong[:_EXAMPLES],
        ),
    )


def _is_stuck(trial: Trial) -> bool:
    """Whether it came to no end, or would come to it too late if lease and reaper took their real times."""
    if trial.was_left or not all(answer.is_final for answer in trial.answers):
        return True
    return trial.stuck_s + (policy.CALL_LEASE_S - LEASE_S) + (REAP_EVERY_S - REAPER_S) > _STUCK_S


def _again(trials: Sequence[Trial]) -> int:
    """Return how many second kills there were: some calls are at their end before they come to that step."""
    return sum(trial.killed == 2 for trial in trials)


def _made(recovery: str, trials: Sequence[Trial], seen: Counter[int]) -> Check:
    lost = sum(trial.is_lost for trial in trials)
    expected = Counter({1: len(trials) - lost, 0: lost})

    def told(numbers: Counter[int]) -> str:
        return ", ".join(f"{count} x {number}" for number, count in numbers.most_common() if count) or "none"

    return Check(f"bookings of a time: {recovery}", told(expected), told(seen), +seen == +expected)


def _problems(trial: Trial, bookings: list[str]) -> Iterator[str]:
    if trial.killed < 1:
        yield "the server was not killed"
    if len({answer.substance for answer in trial.answers}) > 1:
        yield "different answers: " + " / ".join(answer.substance for answer in trial.answers)
    everyone = [*trial.answers, *([trial.rival] if trial.rival else [])]
    for answer in everyone:
        if not answer.is_final:
            yield f"no final answer but {answer.kind}: {answer.substance}"
        elif not answer.is_ok and answer.kind != "CONFLICT":
            yield f"answered {answer.kind}: {answer.substance}"
        elif answer.is_ok and answer.envelope and answer.envelope["data"]["bookingId"] not in bookings:
            yield f"told of a booking that there is not: {answer.substance}"
    if not trial.is_lost and [answer.is_ok for answer in everyone[-2:]].count(True) == 0:
        yield "nobody was told of the booking"
    if trial.rival and trial.rival.is_ok and any(answer.is_ok for answer in trial.answers):
        yield "both the caller and the rival were told that it is theirs"
