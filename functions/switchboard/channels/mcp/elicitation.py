"""Questions to the human behind an MCP client, in both eras of the protocol.

In the handshake era (2025-06-18, 2025-11-25) a client declares once, at `initialize`, that it asks its human, and is
asked by a request of the server's while its own call waits. Servers are several processes that remember no client: what
it declared stands, signed, in the id of its session, and its answer, which any process may receive, becomes a document
that the waiting one reads. Whoever writes that document first has the last word: an answer, the client that cancels its
call, or the one that waits and gives up. So an answer counts once, and one that comes too late not at all.

From 2026-07-28 on a server asks by its result (`input_required`) and the client calls again with the answer. What goes
with the question comes back through hands that are not ours (`requestState`): it is signed, bound to the credential,
and says which question of which conversation is answered. It approves nothing by itself: the answer is held against the
proposal that the session holds, once, as words, keys and buttons are.
"""

import asyncio
import base64
import hashlib
import hmac
import re
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import orjson

from switchboard.channels.mcp.request_session import RequestSession
from switchboard.contract.document import mapping
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import CONFIRMATION_S, MCP_ANSWER_S, MCP_QUESTIONS, MCP_QUESTIONS_OF_ONE
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    AlreadyExists,
    Create,
    Document,
    Missing,
    Stale,
    StoreError,
    Unavailable,
    Update,
    Write,
)
from switchboard.pipeline.confirmation.consent import Reply

UNANSWERED, UNASKED, WITHDRAWN = "unanswered", "unasked", "withdrawn"
"""Beside the protocol's own actions: nobody answered in time, the client could not put the question, and it has
cancelled the call that asks."""
_ACTIONS = frozenset({"accept", "decline", "cancel"})
_WITHOUT = frozenset({"2024-11-05", "2025-03-26"})  # versions that know no elicitation
_DIGITS = 24
_MARKED = re.compile(rf"(.{{1,100}})~asks\.([0-9a-f]{{{_DIGITS}}})")
_ASKED = re.compile(rf"question_([0-9a-f]{{32}})_([0-9a-f]{{{_DIGITS}}})")
# How long after a question its document can still be of use, to refuse an answer that comes late.
_KEPT = timedelta(seconds=4 * CONFIRMATION_S)
# Between two looks for an answer that another process received; one received here is known at once.
_FIRST_LOOK_S, _LAST_LOOK_S = 0.25, 2.0
_ATTEMPTS = 5
# A call and its cancellation may be heard by two processes, and by them in either order.
_CLOCKS_APART = timedelta(seconds=5)

NAME = "confirm"
"""The question's name among a result's `inputRequests`."""
_LONGEST = 2_000
MOST_ROUNDS = 2
"""How often one call may ask: again only after a yes that could not count, and then once."""


def asks_its_human(initialize: Mapping[str, Any]) -> bool:
    """Tell from a request of `initialize` whether the client puts forms to its human; an empty object means forms."""
    params = mapping(initialize.get("params"))
    elicitation = mapping(params.get("capabilities")).get("elicitation")
    if not isinstance(elicitation, Mapping) or params.get("protocolVersion") in _WITHOUT:
        return False
    return "form" in elicitation or "url" not in elicitation


def cancelled_request(message: object) -> object:
    """Return the id of the request that a message cancels; None where it cancels none."""
    if not isinstance(message, Mapping) or message.get("method") != "notifications/cancelled":
        return None
    id = mapping(message.get("params")).get("requestId")
    return id if isinstance(id, str | int) and not isinstance(id, bool) else None


def is_answer(message: object) -> bool:
    """Tell whether a message answers a request of ours, rather than asking for anything."""
    return isinstance(message, Mapping) and "method" not in message and ("result" in message or "error" in message)


class Elicitations:
    """The questions that wait for an answer, of every business."""

    def __init__(
        self, key: bytes, store: Store, paths: Paths, clock: Clock, *, patience_s: float = MCP_ANSWER_S
    ) -> None:
        """Sign with `key`, the same in every process; wait `patience_s` for each answer."""
        self._key, self._store, self._paths, self._clock, self._patience_s = key, store, paths, clock, patience_s
        self._woken: dict[str, asyncio.Event] = {}
        self._held: Counter[tuple[str, str]] = Counter()

    def now(self) -> datetime:
        """Return the time by which calls and their cancellations are told apart (aware, UTC)."""
        return self._clock.now()

    def opened(self, visit: RequestSession) -> str:
        """Return the id by which a client that asks its human is to name the session it opens."""
        return f"{visit.session_id}~asks.{self._mac('session', visit.business_id, visit.session_id)}"

    def known(self, business_id: str, name: str) -> tuple[str, bool]:
        """Return which conversation a session's id names, and whether its client asks its human.

        An id with a mark that is none of ours, or another business's, is a name like any other.
        """
        match = _MARKED.fullmatch(name)
        if match is None or not hmac.compare_digest(match[2], self._mac("session", business_id, match[1])):
            return name, False
        return match[1], True

    def reserve(self, visit: RequestSession) -> bool:
        """Take a place for one question, which `ask` gives back; False where there is none left."""
        owner = (visit.business_id, visit.key_id)
        if self._held[owner] >= MCP_QUESTIONS_OF_ONE or self._held.total() >= MCP_QUESTIONS:
            return False
        self._held[owner] += 1
        return True

    async def ask(
        self,
        visit: RequestSession,
        request_id: str | int | None,
        began: datetime,
        params: Mapping[str, Any],
        put: Callable[[JsonObject], Awaitable[None]],
        gone: Callable[[], Awaitable[None]],
    ) -> str:
        """Return what the human did with a question; a place for it was reserved.

        Args:
            visit: Whose call asks.
            request_id: Of the call, by which its client may cancel it.
            began: When the call came; what was cancelled by the same id long before was another one.
            params: Of the question, `{message, requestedSchema, mode?}`.
            put: Sends a request to the client.
            gone: Returns once the client has hung up: whatever was answered then, nobody waits for what follows.
        """
        nonce = secrets.token_hex(16)
        self._woken[nonce] = asyncio.Event()
        leaving = asyncio.ensure_future(gone())
        try:
            # A form is what is meant where nothing is said, and the older of these versions know no other.
            question = {name: value for name, value in params.items() if name != "mode"}
            id = f"question_{nonce}_{self._question_mac(visit, nonce)}"
            if not await self._remember(visit, request_id, began, nonce):
                return WITHDRAWN
            await put({"jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": question})
            answer = await self._answer(visit, nonce, leaving)
            if answer == WITHDRAWN and not leaving.done():
                gone_now = {"requestId": id, "reason": "The call that asked was cancelled."}
                await put({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": gone_now})
            return UNANSWERED if leaving.done() else answer
        finally:
            leaving.cancel()
            del self._woken[nonce]
            owner = (visit.business_id, visit.key_id)
            self._held[owner] -= 1
            if not self._held[owner]:
                del self._held[owner]

    async def hear(self, visit: RequestSession, message: Mapping[str, Any]) -> None:
        """Note an answer for whoever waits for it; one to no question of ours to this client leaves no trace.

        Raises:
            StoreError: It could not be noted.
        """
        id = message.get("id")
        asked = _ASKED.fullmatch(id) if isinstance(id, str) else None
        if asked is None or not hmac.compare_digest(asked[2], self._question_mac(visit, asked[1])):
            return
        result = message.get("result")
        action = mapping(result).get("action")
        # Only accepting is a yes.
        noted = action if isinstance(action, str) and action in _ACTIONS else "cancel"
        with suppress(AlreadyExists):
            await self._note(visit, asked[1], noted if isinstance(result, Mapping) else UNASKED)
        woken = self._woken.get(asked[1])
        if woken is not None:
            woken.set()

    async def withdraw(self, visit: RequestSession, request_id: object) -> None:
        """Note that its client has cancelled a call: it asks nothing any more, and its open question hears no answer.

        Raises:
            StoreError: It could not be noted.
        """
        path, now = self._call_path(visit, request_id), self._clock.now()
        nonce: object = None
        for _ in range(_ATTEMPTS):
            document = await self._store.get(path)
            nonce = document.data.get("nonce") if document is not None else None
            fields = {"cancelledAt": now, "expireAt": now + _KEPT}
            try:
                await self._store.commit([_over(document, path, fields)])
            except (AlreadyExists, Stale):
                # It asks at this moment: that question is the one to close.
                continue
            break
        if not isinstance(nonce, str):
            return
        with suppress(AlreadyExists):
            await self._note(visit, nonce, WITHDRAWN)
        woken = self._woken.get(nonce)
        if woken is not None:
            woken.set()

    async def _remember(self, visit: RequestSession, request_id: str | int | None, began: datetime, nonce: str) -> bool:
        """Note which question a call waits for, for whichever process hears that it is cancelled; False if it was."""
        path, document = self._call_path(visit, request_id), None
        fields = {"nonce": nonce, "expireAt": self._clock.now() + _KEPT}
        with suppress(Unavailable):
            for _ in range(_ATTEMPTS):
                try:
                    await self._store.commit([_over(document, path, fields)])
                    return True
                except (AlreadyExists, Stale, Missing):
                    document = await self._store.get(path)
                cancelled_at = document.data.get("cancelledAt") if document is not None else None
                if isinstance(cancelled_at, datetime) and cancelled_at > began - _CLOCKS_APART:
                    return False
        return True

    async def _answer(self, visit: RequestSession, nonce: str, leaving: "asyncio.Future[None]") -> str:
        """Return the answer once it is there, or close the question to any that comes later."""
        ends, pause = asyncio.get_running_loop().time() + self._patience_s, _FIRST_LOOK_S
        while not leaving.done():
            left = ends - asyncio.get_running_loop().time()
            if left <= 0:
                break
            woken = asyncio.ensure_future(self._woken[nonce].wait())
            both: set[asyncio.Future[Any]] = {woken, leaving}
            await asyncio.wait(both, timeout=min(pause, left), return_when=asyncio.FIRST_COMPLETED)
            is_here = woken.done()
            woken.cancel()
            answer = await self._noted_action(visit, nonce)
            if answer is not None:
                return answer
            if is_here:
                self._woken[nonce].clear()
            pause = min(2 * pause, _LAST_LOOK_S)
        try:
            await self._note(visit, nonce, UNANSWERED)
        except AlreadyExists:
            return await self._noted_action(visit, nonce) or UNANSWERED
        except StoreError:
            pass  # An answer may still be noted; nobody will read it.
        return UNANSWERED

    async def _noted_action(self, visit: RequestSession, nonce: str) -> str | None:
        try:
            document = await self._store.get(self._path(visit, nonce))
        except StoreError:
            return None  # There is another look, or none: without an answer nothing is done.
        return str(document.data.get("action")) if document is not None else None

    async def _note(self, visit: RequestSession, nonce: str, action: str) -> None:
        fields = {"action": action, "expireAt": self._clock.now() + _KEPT}
        await self._store.commit([Create(self._path(visit, nonce), fields)])

    def _path(self, visit: RequestSession, nonce: str) -> str:
        return self._paths.within(visit.business_id).document("tickets", f"mcp-answer:{nonce}")

    def _call_path(self, visit: RequestSession, request_id: object) -> str:
        # 1 and "1" are two ids in JSON-RPC.
        name = self._mac("call", visit.business_id, visit.key_id, visit.session_id, repr(request_id))
        return self._paths.within(visit.business_id).document("tickets", f"mcp-asked:{name}")

    def _question_mac(self, visit: RequestSession, nonce: str) -> str:
        return self._mac("question", visit.business_id, visit.key_id, visit.session_id, nonce)

    def _mac(self, *parts: str) -> str:
        body = b"mcp elicitation 1|" + orjson.dumps(parts)
        return hmac.new(self._key, body, hashlib.sha256).hexdigest()[:_DIGITS]


def _over(document: Document | None, path: str, fields: JsonObject) -> Write:
    """Return the write of what is known of a call, unless that has changed since it was read."""
    return Create(path, fields) if document is None else Update(path, fields, if_update_time=document.update_time)


def in_session(visit: RequestSession, elicitations: Elicitations) -> RequestSession:
    """Return a visit in the conversation that its session's id names, knowing whether its client asks its human."""
    session_id, asks = elicitations.known(visit.business_id, visit.session_id)
    return replace(visit, session_id=session_id, asks=asks)


@dataclass(frozen=True, slots=True)
class Question:
    """Which question an answer belongs to.

    Attributes:
        session_id: The conversation.
        tool: What asked.
        turn: The human turn in which it was asked.
        round: How many times its call has asked, this time included.
    """

    session_id: str
    tool: str
    turn: int
    round: int


def reply(responses: Mapping[str, Any] | None) -> Reply | None:
    """Return what the human answered; None where nothing came.

    Only accepting is a yes. Whatever else they did with the question, closing it included, is a no: it is not put to
    them again.
    """
    answer = (responses or {}).get(NAME)
    if not isinstance(answer, Mapping):
        return None
    return "yes" if answer.get("action") == "accept" else "no"


class ElicitedQuestions:
    """Asks, and recognises what it asked."""

    def __init__(self, key: bytes) -> None:
        """Sign with `key`, the same in every process."""
        self._key = key

    def ask(
        self, visit: RequestSession, tool: str, turn: int, words: str, now: datetime, *, round: int = 1
    ) -> JsonObject:
        """Return the result of a call that waits for the human's yes to these words, asked for the `round`th time."""
        ends = int((now + timedelta(seconds=CONFIRMATION_S)).timestamp())
        body = orjson.dumps([visit.business_id, visit.key_id, visit.session_id, tool, turn, ends, round])
        # The form is empty: the whole answer is whether it is sent.
        form: JsonObject = {"type": "object", "properties": {}}
        asked = {"method": "elicitation/create", "params": {"mode": "form", "message": words, "requestedSchema": form}}
        state = f"{_text(body)}.{_text(self._mac(body))}"
        return {"resultType": "input_required", "inputRequests": {NAME: asked}, "requestState": state}

    def asked(self, visit: RequestSession, tool: str, state: str | None, now: datetime) -> Question | None:
        """Return the question that a state was given with; None where it is none of ours to this client, or too old."""
        body, _, mac = (state or "")[:_LONGEST].partition(".")
        try:
            raw, signature = _bytes(body), _bytes(mac)
        except ValueError:
            return None
        if not hmac.compare_digest(signature, self._mac(raw)):
            return None
        business_id, key_id, session_id, about, turn, ends, round = orjson.loads(raw)
        if (business_id, key_id, about) != (visit.business_id, visit.key_id, tool) or now.timestamp() >= ends:
            return None
        if visit.is_named and visit.session_id != session_id:
            return None
        return Question(session_id, about, turn, round)

    def _mac(self, body: bytes) -> bytes:
        return hmac.new(self._key, b"mcp question 2|" + body, hashlib.sha256).digest()


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
