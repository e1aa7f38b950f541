"""What begins a turn and may come twice: a webhook that is tried again, a message that a browser sends once more.

It stands in the record of its conversation, beside the turn that it began: the commit that begins the turn claims it,
and the one that writes the turn down keeps what it was answered, so that neither costs a document of its own. Whatever
comes again is answered as before. While the first is still being answered, the second waits for it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

from switchboard.contract.document import integer, mapping, moment
from switchboard.contract.error import Refused, log_fields
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    DELETE_FIELD,
    Delete,
    Document,
    Increment,
    Set,
    Stale,
    StoreError,
    Update,
    Write,
    WriteResult,
)
from switchboard.conversation.record.turn_numbers import TurnClaim

log = logging.getLogger(__name__)

DELIVERIES: Final = "deliveries"
KEPT: Final = 20
"""So many of a conversation's deliveries, the latest, are known again."""
_POLL_S = 0.2
_TRIES = 3
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


class TurnDelivery:
    """Something that begins a turn, and what it is answered.

    Attributes:
        key: The same, and only the same, for whatever is to be taken for the same delivery.
        share: What its turn counts in; None where nothing is counted.
        lease_s: One that has had no answer for so many seconds was left by an instance that died.
        former: Where versions of Switchboard that gave each delivery a document have kept its answer.
        answer: What it was answered; None until that is settled, and where it came to nothing.
        is_settled: Whether nothing more becomes of it here.
    """

    def __init__(self, key: str, lease_s: float, former: str = "", share: TurnShare | None = None) -> None:
        """Be one that came just now."""
        self.key, self.lease_s, self.former, self.share = f"d{key}", lease_s, former, share
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


@dataclass(slots=True)
class RecordedDeliveries:
    """What a conversation's record says of its deliveries, as it was read last.

    Attributes:
        rows: By key; each with `claims`, `at` (UTC), and `answer` once it has one.
        is_former: Whether the record was begun by a version of Switchboard that kept them elsewhere.
    """

    rows: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    is_former: bool = False

    def read(self, record: Document | None) -> None:
        """Take what the record says by now."""
        data = record.data if record is not None else {}
        self.rows = {key: mapping(row) for key, row in mapping(data.get(DELIVERIES)).items()}
        self.is_former = DELIVERIES not in data and integer(data.get("turns")) > 0

    def claiming(self, delivery: TurnDelivery, now: datetime) -> JsonObject:
        """Return the record's fields that claim a delivery, and drop those that nobody asks for any more."""
        newest = sorted(self.rows.items(), key=lambda row: moment(row[1].get("at")) or now, reverse=True)
        dropped, size = list[str](), 0
        for place, (key, row) in enumerate(newest):
            size += len(str(row.get("answer") or ""))
            if key != delivery.key and (place >= KEPT - 1 or size > _MOST_KEPT):
                dropped.append(key)
        claim = {"claims": Increment(1), "at": now}
        return {DELIVERIES: {**dict.fromkeys(dropped, DELETE_FIELD), delivery.key: claim}}

    def is_overtaken(self, delivery: TurnDelivery, result: WriteResult) -> bool:
        """Tell whether somebody else has claimed a delivery since the record was read, by what a claim returned."""
        claims = integer(self.rows.get(delivery.key, {}).get("claims"))
        return int(result.increments[f"{DELIVERIES}.{delivery.key}.claims"]) > claims + 1


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
        """
        try:
            if delivery.key not in self._known.rows:
                return await self._former(delivery) if self._known.is_former else None
            gives_up = self._clock.monotonic() + delivery.lease_s
            while (row := self._known.rows.get(delivery.key)) is not None:
                answer, at = row.get("answer"), moment(row.get("at"))
                if isinstance(answer, str):
                    return answer
                is_left = at is None or self._clock.now() - at > timedelta(seconds=delivery.lease_s)
                if is_left or self._clock.monotonic() >= gives_up:
                    return None
                await asyncio.sleep(_POLL_S)
                self._known.read(await self._store.get(self._path))
        except StoreError as error:
            log.warning("an earlier answer is not read", extra=log_fields(error))
        return None

    def has_begun(self, delivery: TurnDelivery) -> bool:
        """Tell whether the same delivery has begun a turn before, so that what was said stands in the record already.

        Who began it has died, or came to no answer; what was done in that turn is told the model by the ledger.
        """
        return delivery.key in self._known.rows

    def claim(self, delivery: TurnDelivery) -> TurnClaim:
        """Return what the commit that begins its turn does besides."""

        async def judge(results: Sequence[WriteResult], rows: Sequence[JsonObject]) -> None:
            await self._judge(delivery, results, rows)

        counting = delivery.share.writes if delivery.share is not None else ()
        return TurnClaim(self._known.claiming(delivery, self._clock.now()), counting, judge)

    async def settle(self, delivery: TurnDelivery) -> None:
        """Keep what a delivery was answered. Never raises."""
        fields = settling(delivery, self._clock.now())
        if not fields:
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
