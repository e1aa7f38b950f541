"""A burst is a queue, not an outage: waiting goes on while answers come, and ends for everybody when none does."""

import asyncio
import itertools
import time
from types import SimpleNamespace

import pytest

from switchboard.contract.deadline import ending_in
from switchboard.contract.store import Unavailable
from switchboard.state.firestore.request_limiter import RequestLimiter


async def request(turnstile, takes_s, *, patience_s=0.1, answers=True):
    async with turnstile.turn(patience_s):
        await asyncio.sleep(takes_s)
        if answers:
            turnstile.answered()


async def test_only_so_many_requests_go_at_once():
    """The others wait their turn."""
    turnstile, now, most = RequestLimiter(3), 0, 0

    async def one():
        nonlocal now, most
        async with turnstile.turn(600):
            now += 1
            most = max(most, now)
            await asyncio.sleep(0)
            now -= 1

    await asyncio.gather(*(one() for _ in range(50)))
    assert most == 3


async def test_a_queue_longer_than_anybodys_patience_is_served_while_answers_come(monkeypatch):
    """Thirty requests of 20 ms at two places take 300 ms: three times what each would wait for one answer.

    How long no answer has come is told by a clock that only answers move; how long somebody waits, by the real one.
    """
    answered = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: next(answered) * 0.001)
    monkeypatch.setattr("switchboard.state.firestore.request_limiter.time", clock)
    turnstile = RequestLimiter(2)
    await asyncio.gather(*(request(turnstile, 0.02) for _ in range(30)))


async def test_when_no_answer_comes_everybody_who_waits_is_told_at_once():
    """Not one round of time-outs after the other."""
    turnstile = RequestLimiter(1)
    holder = asyncio.create_task(request(turnstile, 60, answers=False))
    await asyncio.sleep(0)
    started = time.monotonic()
    found = await asyncio.gather(*(request(turnstile, 0) for _ in range(300)), return_exceptions=True)
    assert all(isinstance(error, Unavailable) for error in found)
    # One after the other they would take thirty seconds.
    assert time.monotonic() - started < 15
    holder.cancel()


async def test_nobody_waits_beyond_the_calls_own_deadline():
    """However quickly others are answered."""
    turnstile = RequestLimiter(1)
    holder = asyncio.create_task(request(turnstile, 60))
    await asyncio.sleep(0)
    with ending_in(0.02), pytest.raises(Unavailable):
        await request(turnstile, 0, patience_s=30)
    holder.cancel()


async def test_a_place_is_given_back_by_whoever_fails_or_gives_up():
    """No place is ever lost."""
    turnstile = RequestLimiter(1)
    with pytest.raises(ZeroDivisionError):
        async with turnstile.turn(1):
            raise ZeroDivisionError
    waiting = asyncio.create_task(request(turnstile, 60))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await asyncio.wait_for(request(turnstile, 0), 60)


class TestAway:
    """A store that answers nobody."""

    @staticmethod
    def away(turnstile):
        turnstile.unanswered(time.monotonic())
        return turnstile

    async def test_while_it_is_away_requests_fail_at_once(self, monkeypatch):
        """A call that needs the store three times waits once."""
        monkeypatch.setattr("switchboard.state.firestore.request_limiter.PROBE_EVERY_S", 600)
        turnstile = self.away(RequestLimiter())
        started = time.monotonic()
        for _ in range(1_000):
            with pytest.raises(Unavailable):
                await request(turnstile, 0)
        # Waiting for a tenth of a second each, they would take a hundred.
        assert time.monotonic() - started < 15

    async def test_one_request_finds_out_whether_it_is_back(self, monkeypatch):
        """The others need not wait for it; its answer lets everybody in again."""
        monkeypatch.setattr("switchboard.state.firestore.request_limiter.PROBE_EVERY_S", 0.05)
        turnstile = self.away(RequestLimiter())
        await asyncio.sleep(0.06)
        monkeypatch.setattr("switchboard.state.firestore.request_limiter.PROBE_EVERY_S", 60)
        probe = asyncio.create_task(request(turnstile, 0.05))
        await asyncio.sleep(0)
        with pytest.raises(Unavailable):
            await request(turnstile, 0)
        await probe
        await request(turnstile, 0)

    async def test_a_lost_request_among_answered_ones_is_no_outage(self):
        """Somebody was answered after it was sent."""
        turnstile = RequestLimiter()
        sent_at = time.monotonic()
        turnstile.answered()
        turnstile.unanswered(sent_at)
        await request(turnstile, 0)
