"""The store port over Firestore: the emulator, or a real database with the credentials of the environment.

Nothing here retries. A read that fails may be asked again by who asked; a commit without an answer may have happened,
and only its author knows how to find out.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from switchboard.contract import policy
from switchboard.contract.deadline import bounded, read_s, write_s
from switchboard.contract.store import Document, Query, Unavailable, Unsent, Write, WriteResult
from switchboard.state.firestore.failures import translated
from switchboard.state.firestore.request_limiter import RequestLimiter
from switchboard.state.paths import FirestorePaths
from switchboard.state.validation import checked_count, checked_query, checked_writes, with_compiled_dropped
from switchboard.state.value import check_document_path

if TYPE_CHECKING:
    from switchboard.state.firestore.client import FirestoreConnection

# gRPC ends a request by itself; this much later we stop believing that it will.
_GUARD_S = 0.05
# So much later a request's end may be noticed before this process is taken to have been too busy for answers.
_LATENESS_S = 0.15
_T = TypeVar("_T")


class FirestoreStore:
    """Documents in Firestore. The connection is made with the first request, in the event loop that makes it.

    Args:
        project: The Google Cloud project.
        database: The database's id; Firestore's default one if none is given.
        emulator_host: `host:port` of an emulator to use instead of the real thing, without credentials.
    """

    def __init__(self, project: str, database: str | None = None, emulator_host: str | None = None) -> None:
        self._project = project
        self._database = database
        self._emulator_host = emulator_host
        self._connection: FirestoreConnection | None = None
        self._turnstile = RequestLimiter()
        self._has_answered = False
        self._is_closed = False

    async def warm(self) -> None:
        """Make the connection and read one document, so that no caller waits for it; raises `Unavailable`."""
        await self.get(FirestorePaths().tool_pointer)

    async def get(self, path: str) -> Document | None:
        """Return the document, or None if there is none."""
        check_document_path(path)
        return (await self._ask(read_s(), lambda sdk, timeout_s: sdk.read([path], timeout_s)))[0]

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        """Return the documents in the order asked for, None where there is none, in one round trip."""
        for path in paths:
            check_document_path(path)
        if not paths:
            return []
        return await self._ask(read_s(), lambda sdk, timeout_s: sdk.read(paths, timeout_s))

    async def query(self, query: Query) -> list[Document]:
        """Return the matching documents in order."""
        asked = checked_query(query)
        return await self._ask(read_s(), lambda sdk, timeout_s: sdk.find(asked, timeout_s))

    async def count(self, query: Query) -> int:
        """Return how many documents match, without reading them."""
        asked = checked_count(query)
        return await self._ask(read_s(), lambda sdk, timeout_s: sdk.count(asked, timeout_s))

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        """Do all writes or none, in one round trip; see the port for what it raises."""
        checked = with_compiled_dropped(checked_writes(writes))
        if not checked:
            return []
        results = await self._ask(write_s(), lambda sdk, timeout_s: sdk.commit(checked, timeout_s), committing=True)
        return results[: len(writes)]

    async def close(self) -> None:
        """Close the connection; the store is not used again."""
        self._is_closed = True
        if self._connection:
            await self._connection.close()

    async def _ask(
        self,
        policy_s: float,
        request: Callable[["FirestoreConnection", float], Awaitable[_T]],
        *,
        committing: bool = False,
    ) -> _T:
        if self._is_closed:
            raise Unsent("the store is closed")
        patience_s = timeout_s = sent_at = 0.0
        try:
            connection = self._connection = self._connection or self._connect()
            # A channel that has never carried an answer first resolves, connects and authenticates.
            patience_s = policy_s if self._has_answered else max(policy_s, policy.STORE_FIRST_CALL_S)
            async with self._turnstile.turn(patience_s):
                timeout_s, sent_at = bounded(patience_s), time.monotonic()
                async with asyncio.timeout(timeout_s + _GUARD_S):
                    answer = await request(connection, timeout_s)
        except _failures() as error:
            failure = translated(error, committing=committing)
            # A refusal is an answer too.
            if not isinstance(failure, Unavailable):
                self._note_answer()
            elif timeout_s >= patience_s > 0 and time.monotonic() - sent_at <= timeout_s + _GUARD_S + _LATENESS_S:
                # One that was cut short by its caller's deadline says nothing about the store, nor does one whose end
                # this process was too busy to notice: its answer may have lain there as long.
                self._turnstile.unanswered(sent_at)
            raise failure from error
        self._note_answer()
        return answer

    def _note_answer(self) -> None:
        self._has_answered = True
        self._turnstile.answered()

    def _connect(self) -> "FirestoreConnection":
        # Google's libraries take more than half a second to import, so they are when they are needed.
        from switchboard.state.firestore import client as sdk

        return sdk.FirestoreConnection(self._project, self._database, self._emulator_host)


def _failures() -> tuple[type[BaseException], ...]:
    """Return everything that is raised when a request fails; asked only where something was."""
    from switchboard.state.firestore import client as sdk

    return (*sdk.RAISED, TimeoutError)
