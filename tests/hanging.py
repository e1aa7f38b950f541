"""A pytest plugin: a test that hangs says where, and ends its process long before CI's own limit does.

pytest has an option for that, which starts and ends a thread for each test. On a busy machine that takes longer than
most tests; so one watch serves many of them here.
"""

import faulthandler
import time

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

LIMIT_S = 900.0
RENEWED_EVERY_S = 30.0
_STARTED_AT = pytest.StashKey[float]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give the test what is left of the watch, unless half a minute of it is over."""
    now = time.monotonic()
    if now - item.config.stash.get(_STARTED_AT, -RENEWED_EVERY_S) >= RENEWED_EVERY_S:
        item.config.stash[_STARTED_AT] = now
        # Where pytest itself would tell it: standard error may be captured.
        told_on = item.config.stash[fault_handler_stderr_fd_key]
        faulthandler.dump_traceback_later(LIMIT_S, exit=True, file=told_on)


def pytest_unconfigure() -> None:
    """Watch no longer."""
    faulthandler.cancel_dump_traceback_later()
