"""How much of a processor something takes, whatever else the machine does meanwhile."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

# What `_reference_s` takes on a quick machine of which nobody else has a part.
_QUICK_S = 0.004


@contextmanager
def taking_less_than(seconds: float) -> Iterator[None]:
    """Fail where this thread needs more of a processor than that for the block, on a quick machine; waiting is free.

    On a slower one, or one whose cores others share, the same work takes more of a processor: what a known piece of
    work takes there, before and after, tells how much more.
    """
    before_s = _reference_s()
    started = time.thread_time()
    yield
    took = time.thread_time() - started
    slowness = max(1.0, before_s / _QUICK_S, _reference_s() / _QUICK_S)
    assert took < seconds * slowness, f"took {took:.2f} s, on a machine {slowness:.1f} times as slow as a quick one"


def _reference_s() -> float:
    started, total = time.thread_time(), 0
    for number in range(100_000):
        total += number * number % 7
    assert total
    return time.thread_time() - started
