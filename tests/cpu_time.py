"""How much of a processor something takes, whatever else the machine does meanwhile."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def taking_less_than(seconds: float) -> Iterator[None]:
    """Fail where this thread needs more of a processor than that for the block; waiting costs nothing."""
    started = time.thread_time()
    yield
    took = time.thread_time() - started
    assert took < seconds, f"took {took:.2f} s"
