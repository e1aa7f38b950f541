"""A pytest plugin: a test that starts a process says so, so that `scripts/test --fast` can leave it out.

A mark that nothing holds anybody to would soon be missing somewhere.
"""

import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

MARKS = ("process", "emulator", "browser", "heavy")
_RUNNING: list[pytest.Item] = []


def pytest_configure(config: pytest.Config) -> None:
    """Watch what is started from here on."""
    begin = subprocess.Popen.__init__

    def watched(self: Any, args: Any, *rest: Any, **options: Any) -> None:
        if _RUNNING and not any(_RUNNING[-1].get_closest_marker(mark) for mark in MARKS):
            raise AssertionError(f"this test starts {args!r}: mark it with pytest.mark.process")
        begin(self, args, *rest, **options)

    subprocess.Popen.__init__ = watched  # type: ignore[method-assign]
    config.add_cleanup(lambda: setattr(subprocess.Popen, "__init__", begin))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Know which test is running, with what it asks for."""
    _RUNNING.append(item)
    try:
        return (yield)
    finally:
        _RUNNING.pop()
