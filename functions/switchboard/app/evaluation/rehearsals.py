"""Plays kept tests in a process of its own, which is ended where a test comes to no end."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from switchboard.admin.evals.playing import KeptTest, Played, PlayedVerdict
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject

LONGEST_TEST_S = 25.0
"""How long one test may take."""
_FUNCTIONS = Path(__file__).parents[3]
_LONGEST_LINE = 1 << 24
_AT_ONCE = 1
# So much longer than the time that there is one that was begun may take.
_GRACE_S = 5.0


class Rehearsals:
    """Plays kept tests; one rehearsal at a time, and others wait for their turn: each takes memory.

    Args:
        longest_test_s: How long one may take; then it is red.
    """

    def __init__(self, longest_test_s: float = LONGEST_TEST_S) -> None:
        self._longest_test_s = longest_test_s
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def play(self, tests: Sequence[KeptTest], definitions: Mapping[str, JsonObject], within_s: float) -> Played:
        """As the port says."""
        ends_at = time.monotonic() + within_s
        verdicts = {test.name: PlayedVerdict(f"{test.problem}") for test in tests if test.problem}
        waiting = [test for test in tests if not test.problem]
        if not waiting:
            return Played(verdicts)
        try:
            async with asyncio.timeout(within_s):
                await self._turns.acquire()
        except TimeoutError:
            return Played(verdicts, tuple(test.name for test in waiting))
        try:
            while waiting and time.monotonic() < ends_at:
                waiting = await self._played(waiting, definitions, ends_at, verdicts)
        except OSError as error:
            raise _cannot(str(error)) from error
        finally:
            self._turns.release()
        return Played(verdicts, tuple(test.name for test in waiting))

    async def _played(
        self,
        tests: Sequence[KeptTest],
        definitions: Mapping[str, JsonObject],
        ends_at: float,
        verdicts: dict[str, PlayedVerdict],
    ) -> list[KeptTest]:
        """Play tests in one process until one has to be ended; return those that were not begun."""
        process = await _begun()
        assert process.stdin is not None and process.stdout is not None
        left = list(tests)
        try:
            await _say(process.stdin, definitions)
            is_begun = bool(await _line(process.stdout, ends_at - time.monotonic()))
            if not is_begun and time.monotonic() < ends_at:
                raise _cannot("the process ended before it began")
            while is_begun and left and time.monotonic() < ends_at:
                await _say(process.stdin, left[0].scenario)
                left_s = ends_at - time.monotonic() + _GRACE_S
                line = await _line(process.stdout, min(self._longest_test_s, left_s))
                if not line and left_s < self._longest_test_s:
                    break  # it had not the time that a test has
                slow = f"come to no end within {self._longest_test_s:.0f} seconds"
                why = "ended what plays it" if process.stdout.at_eof() else slow
                verdicts[left.pop(0).name] = _read(line) if line else PlayedVerdict(f"it has {why}")
                if not line:
                    break
        except ConnectionError:
            raise _cannot("the process has ended") from None
        finally:
            await _ended(process)
        return left


async def _begun() -> asyncio.subprocess.Process:
    # Nothing of this process's settings, credentials above all, is its business.
    environment = {"PYTHONPATH": os.pathsep.join([str(_FUNCTIONS), *sys.path])}
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "switchboard.app.evaluation.process"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment,
        cwd=_FUNCTIONS,
        limit=_LONGEST_LINE,
    )


async def _say(stream: asyncio.StreamWriter, value: Any) -> None:
    # A document of the store may hold what JSON does not know, such as a time.
    stream.write(json.dumps(value, default=str).encode() + b"\n")
    await stream.drain()


async def _line(stream: asyncio.StreamReader, within_s: float) -> bytes:
    """Return what is answered; nothing where nothing is in time, or the process is gone."""
    try:
        async with asyncio.timeout(within_s):
            return await stream.readline()
    except (TimeoutError, ValueError):
        return b""


def _read(line: bytes) -> PlayedVerdict:
    told = json.loads(line)
    return PlayedVerdict(
        *(str(told.get("what", "")), str(told.get("sentence", "")), str(told.get("call", ""))),
        str(told.get("catalogHash", "")),
    )


async def _ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
    await process.wait()


def _cannot(why: str) -> ToolError:
    return ToolError(
        ErrorType.TRANSIENT, "The kept tests cannot be played here right now; try again in a moment.", detail=why
    )
