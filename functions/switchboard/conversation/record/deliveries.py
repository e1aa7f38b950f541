"""What begins a turn and may come twice: a webhook that is tried again, a message that a browser sends once more.

It stands in the record of its conversation, beside the turn that it began: the commit that begins the turn claims it,
and the one that writes the turn down keeps what it was answered, so that neither costs a document of its own. Whatever
comes again is answered as before. While the first is still being answered, the second waits for it; how long, says
whoever asks. What nobody is at any more, since its instance has died, the second takes over (`turn_lease.py`): as a
turn of its own, which is told what was done in the first, and in which the first can begin nothing any more.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, Protocol

from switchboard.contract.document import integer, mapping, moment
from switchboard.contract.error import Refused, log_fields
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.python.waiting import waiting_for_others
from switchboard.contract.store import (
    DELETE_FIELD,
    Delete,
    Document,
    Increment,
    Missing,
    Set,
    Stale,
    StoreError,
    Update,
    Write,
    WriteResult,
)
from switchboard.conversation.record.turn_lease import LEASE_S, TurnLease
from switchboard.conversation.record.turn_numbers import TurnClaim

log = logging.getLogger(__name__)

DELIVERIES: Final = "deliveries"
KEPT: Final = 20
"""So many of a conversation's deliveries, the latest, are known again."""
PATIENCE_S: Final = 10.5
"""So many seconds another one waits for an answer, unless it says otherwise: longer than what nobody is at is held."""
_POLL_S = 0.2
_TRIES = 3
# Versions that renewed nothing took so long for any turn; theirs do not name it.
_FORMER_LEASE_S = 90.0
_MOST_KEPT, _LONGEST = 160_000, 200_000
"""Characters: of the answers that are kept beside the newest one, and of one that is kept at all."""


class TurnShare(Protocol):
    """What one turn counts in, for those of whom only so many are answered."""

    @property
    def writes(self) -> list[Write]:
        """What counts it; these go first into the commit that begins the turn."""

    async def judge(self, results: Sequence[WriteResult]) -> None:
        """Return if it may be answered; otherwise give it back and raise `Refused`."""

    async def give_back(self) -> None:
        """Undo what was counted, for a turn that is not begun. Never raises."""


class Overtaken(Exception):
    """The same delivery has begun its turn elsewhere, at the same moment."""


class StillAnswered(Exception):
    """Another instance is answering the same delivery, and it takes longer than whoever asks has patience for.

    Attributes:
        turn: The number of the turn.
    """

    def __init__(self, turn: int) -> None:
        """Be about this turn."""
        super().__init__(f"turn {turn} is answered elsewhere")
        self.turn = turn


class TurnDelivery:
    """Something that begins a turn, and what it is answered.

    Attributes:
        key: The same, and only the same, for whatever is to be taken for the same delivery.
        share: What its turn counts in; None where nothing is counted.
        lease_s: One of which nobody has said for so many seconds that they are at it was left by an instance that died.
        patience_s: So many seconds another one waits for its answer while somebody is at it.
        lease: That its turn is answered here; None until that has begun.
        was_waited_for: Whether an answer was waited for that has not come: much may have been done meanwhile.
        former: Where versions of Switchboard that gave each delivery a document have kept its answer.
        answer: What it was answered; None until that is settled, and where it came to nothing.
        is_settled: Whether nothing more becomes of it here.
    """

    def __init__(
        self,
        key: str,
        lease_s: float = LEASE_S,
        former: str = "",
        share: TurnShare | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """Be one that came just now."""
        self.key, self.lease_s, self.former, self.share = f"d{key}", lease_s, former, share
        self.patience_s = patience_s
        self.lease: TurnLease | None = None
        self.was_waited_for = False
        self.answer: str | None = None
        self.is_settled = False
        self._keeper: Callable[[TurnDelivery], Awaitable[None]] | None = None

    def begun(self, keeper: Callable[["TurnDelivery"], Awaitable[None]]) -> None:
        """Note that its turn has begun, and who writes it down once it is settled."""
        self._keeper = keeper

    async def settle(self, answer: str | None) -> None:
        """Have the answer written down, and with it what is left of the turn; nothing where it began none."""
        if self.is_settled or self._keeper is None:
            return
        self.is_settled = True
        self.answer = answer if answer is not None and len(answer) <= _LONGEST else None
        await self._keeper(self)
        if self.lease is not None:
            await self.lease.end()


@dataclass(slots=True)
class RecordedDeliveries:
    """What a conversation's record says of its deliveries, as it was read last.

    Attributes:
        rows: By key; each with `claims`, the `turn` that it has begun last, `at` (UTC), when somebody was at it last,
            and `answer` once it has one.
        lease: Of the turn that was begun here last; None where that answers no delivery.
        is_former: Whether the record was begun by a version of Switchboard that kept them elsewhere.
    """

    rows: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    is_former: bool = False
    lease: TurnLease | None = None

    @property
    def is_lost(self) -> bool:
        """Whether the turn that was begun here last is answered elsewhere by now."""
        return self.lease is not None and self.lease.is_lost

    @property
    def is_sure(self) -> bool:
        """Whether it certainly is not, without asking anybody."""
        return self.lease is None or self.lease.is_sure

    async def holds(self) -> bool:
        """Tell whether it is still answered here, as far as anybody can tell. Never raises."""
        return self.lease is None or await self.lease.holds()

    def read(self, record: Document | None) -> None:
        """Take what the record says by now."""
        data = record.data if record is not None else {}
        self.rows = {key: mapping(row) for key, row in mapping(data.get(DELIVERIES)).items()}
        self.is_former = DELIVERIES not in data and integer(data.get("turns")) > 0

    def claims(self, delivery: TurnDelivery) -> int:
        """Return how often a delivery has been claimed."""
        return integer(self.rows.get(delivery.key, {}).get("claims"))

    def turn_of(self, delivery: TurnDelivery) -> int:
        """Return the turn that a delivery has begun last; 0 where there is none."""
        return integer(self.rows.get(delivery.key, {}).get("turn"))

    def claiming(self, delivery: TurnDelivery, turn: int, now: datetime) -> JsonObject:
        """Return the record's fields that claim a delivery for a turn, and drop those nobody asks for any more."""
        newest = sorted(self.rows.items(), key=lambda row: moment(row[1].get("at")) or now, reverse=True)
        dropped, size = list[str](), 0
        for place, (key, row) in enumerate(newest):
            size += len(str(row.get("answer") or ""))
            if key != delivery.key and (place >= KEPT - 1 or size > _MOST_KEPT):
                dropped.append(key)
        claim = {"claims": Increment(1), "turn": turn, "at": now}
        return {DELIVERIES: {**dict.fromkeys(dropped, DELETE_FIELD), delivery.key: claim}}

    def is_overtaken(self, delivery: TurnDelivery, result: WriteResult) -> bool:
        """Tell whether somebody else has claimed a delivery since the record was read, by what a claim returned."""
        return int(result.increments[f"{DELIVERIES}.{delivery.key}.claims"]) > self.claims(delivery) + 1


def settling(delivery: TurnDelivery, now: datetime) -> JsonObject:
    """Return the record's fields that keep what a delivery was answered; none where it came to nothing."""
    if delivery.answer is None:
        return {}
    return {DELIVERIES: {delivery.key: {"answer": delivery.answer, "at": now}}}


class DeliveryLog:
    """The deliveries in one conversation's record."""

    def __init__(self, store: Store, clock: Clock, path: str, known: RecordedDeliveries) -> None:
        """Look in the record at `path`, of which this is `known`."""
        self._store, self._clock, self._path, self._known = store, clock, path, known

    async def earlier(self, delivery: TurnDelivery) -> str | None:
        """Return what the same delivery was answered before, waiting while it is being answered; else None.

        None is also what an instance that died has left, and what cannot be read: a store that does not answer keeps
        nobody from being answered. What changes the world is guarded by the ledger.

        Raises:
            StillAnswered: Somebody is at it, and patience is at its end.
        """
        try:
            if delivery.key not in self._known.rows:
                return await self._former(delivery) if self._known.is_former else None
            answer = self._known.rows[delivery.key].get("answer")
            if isinstance(answer, str):
                return answer
            with waiting_for_others():
                return await self._waited_for(delivery)
        except StoreError as error:
            log.warning("an earlier answer is not read", extra=log_fields(error))
        return None

    async def _waited_for(self, delivery: TurnDelivery) -> str | None:
        gives_up = self._clock.monotonic() + delivery.patience_s
        while (row := self._known.rows.get(delivery.key)) is not None:
            answer, at = row.get("answer"), moment(row.get("at"))
            if isinstance(answer, str):
                return answer
            lease_s = delivery.lease_s if "turn" in row else max(delivery.lease_s, _FORMER_LEASE_S)
            if at is None or self._clock.now() - at > timedelta(seconds=lease_s):
                return None
            if self._clock.monotonic() >= gives_up:
                raise StillAnswered(self._known.turn_of(delivery))
            delivery.was_waited_for = True
            await asyncio.sleep(_POLL_S)
            self._known.read(await self._store.get(self._path))
        return None

    def has_begun(self, delivery: TurnDelivery) -> bool:
        """Tell whether the same delivery has begun a turn before, so that what was said stands in the record already.

        Who began it has died, or came to no answer; what was done in that turn is told the model by the ledger.
        """
        return delivery.key in self._known.rows

    def left_by(self, delivery: TurnDelivery | None, turn: int) -> int:
        """Return the turn in which nothing may be begun any more once this delivery begins one; 0 where there is none.

        Whoever answers it now may not have died, but only stand still. The `turn` that is begun is never left: its
        number is named where one was taken back that had it.
        """
        left = self._known.turn_of(delivery) if delivery is not None else 0
        return left if left < turn else 0

    def claim(self, delivery: TurnDelivery | None, turn: int) -> TurnClaim | None:
        """Return what the commit that begins a turn does besides, and have it answered here; `None` comes never twice.

        `turn` is the number that it is expected to get.
        """
        self._known.lease = None
        if delivery is None:
            return None

        async def judge(results: Sequence[WriteResult], rows: Sequence[JsonObject]) -> None:
            await self._judge(delivery, results, rows)

        renew = partial(self._renewed, delivery.key, self._known.claims(delivery) + 1)
        delivery.lease = self._known.lease = TurnLease(self._clock, renew, delivery.lease_s)
        counting = delivery.share.writes if delivery.share is not None else ()
        fields = self._known.claiming(delivery, turn, self._clock.now())
        return TurnClaim(fields, counting, judge, f"{DELIVERIES}.{delivery.key}.turn")

    async def _renewed(self, key: str, claim: int, is_late: bool) -> bool:
        """Write down that a delivery is answered here, whose claim was the one of that number; False: it is not.

        Raises:
            StoreError: Nobody can tell.
        """
        row = f"{DELIVERIES}.{key}"
        for _ in range(_TRIES):
            # Adding nothing reads what is there, in the same commit.
            fields: JsonObject = {f"{row}.at": self._clock.now(), f"{row}.claims": Increment(0)}
            seen = None
            if is_late:
                record = await self._store.get(self._path)
                if record is None:
                    return True
                if integer(mapping(mapping(record.data.get(DELIVERIES)).get(key)).get("claims")) > claim:
                    return False
                seen = record.update_time
            try:
                (result,) = await self._store.commit([Update(self._path, fields, if_update_time=seen)])
            except Stale:
                continue
            except Missing:
                # It was taken out of the store, and comes back to nobody.
                return True
            return int(result.increments[f"{row}.claims"]) <= claim
        return True

    async def settle(self, delivery: TurnDelivery) -> None:
        """Keep what a delivery was answered. Never raises."""
        fields = settling(delivery, self._clock.now())
        if not fields or (delivery.lease is not None and not await delivery.lease.holds()):
            return
        try:
            await self._store.commit([Set(self._path, fields, merge=True)])
        except StoreError as error:
            log.warning("an answer is not recorded", extra=log_fields(error))

    async def _judge(self, delivery: TurnDelivery, results: Sequence[WriteResult], rows: Sequence[JsonObject]) -> None:
        """Return if a turn that has just been begun, with these entries, is to be answered; else take it back.

        Args:
            delivery: What began it.
            results: Of the commit that began it: of what counts its share, and of the record.
            rows: The entries of the transcript that this commit has added.

        Raises:
            Overtaken: The same delivery has begun a turn elsewhere.
            Refused: There is no share left for it.
        """
        try:
            if self._known.is_overtaken(delivery, results[-1]):
                if delivery.share is not None:
                    await delivery.share.give_back()
                raise Overtaken
            if delivery.share is not None:
                await delivery.share.judge(results[:-1])
        except (Overtaken, Refused):
            if delivery.lease is not None:
                await delivery.lease.end()
            self._known.lease = None
            await self._take_back(delivery, results[-1], rows)
            raise

    async def _take_back(self, delivery: TurnDelivery, result: WriteResult, rows: Sequence[JsonObject]) -> None:
        number = int(result.increments["turns"])
        try:
            for _ in range(_TRIES):
                record = await self._store.get(self._path)
                if record is None:
                    return
                try:
                    await self._store.commit([_without(record, delivery, result, rows, number)])
                except Stale:
                    continue
                self._known.read(await self._store.get(self._path))
                return
        except StoreError as error:
            log.warning("a turn that is not answered stays in its record", extra=log_fields(error))

    async def _former(self, delivery: TurnDelivery) -> str | None:
        ticket = await self._store.get(delivery.former) if delivery.former else None
        answer = ticket.data.get("answer") if ticket is not None else None
        return answer if isinstance(answer, str) else None


def _without(
    record: Document, delivery: TurnDelivery, result: WriteResult, rows: Sequence[JsonObject], number: int
) -> Write:
    """Return the write that takes a turn out of a record, as if it had not been begun."""
    if record.create_time == record.update_time == result.update_time:
        # There was none before, and there is nothing else in it.
        return Delete(record.path, if_update_time=record.update_time)
    transcript = [row for row in record.data.get("transcript") or () if row not in rows]
    claims = integer(mapping(mapping(record.data.get(DELIVERIES)).get(delivery.key)).get("claims"))
    fields: JsonObject = {"transcript": transcript}
    if claims > 1:
        fields[f"{DELIVERIES}.{delivery.key}.claims"] = claims - 1
    else:
        fields[f"{DELIVERIES}.{delivery.key}"] = DELETE_FIELD
    if record.data.get("turns") == number:
        # Nobody has taken the number that comes after it.
        fields["turns"] = number - 1
    return Update(record.path, fields, if_update_time=record.update_time)
