"""Conversations that the meter knows of: when they begin and end, their turns, and what they tell the model at first.

An owner's trial is none of them.

Seed 003, "Session Metrics" and "Context Window Monitoring".
"""

from dataclasses import replace

import orjson
from cachetools import LRUCache

from switchboard.catalog.offer.offer import Offer
from switchboard.contract.context import Context
from switchboard.contract.ports import Clock
from switchboard.conversation.dependencies import Dependencies, Recorder
from switchboard.conversation.event import Event, TurnEnded
from switchboard.conversation.record.deliveries import TurnDelivery
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.utterance import Utterance
from switchboard.pipeline.metrics.meter import Meter
from switchboard.pipeline.metrics.token_estimate import estimate_tokens, tokens_of

_SIZES_KEPT = 1_000


def measured(parts: Dependencies, meter: Meter, clock: Clock) -> Dependencies:
    """Return the parts of conversations that are measured as well."""
    sizes: LRUCache[tuple[str, str], int] = LRUCache(_SIZES_KEPT)

    async def system(offer: Offer, facts: Context) -> str:
        text = await parts.system(offer, facts)
        if facts.turn <= 1 and not facts.is_trial:
            dialect = parts.model_for(offer.business).dialect
            size = sizes.get((offer.catalog_version, dialect))
            if size is None:
                size = tokens_of(len(orjson.dumps(offer.declared_to_model(dialect))))
                sizes[offer.catalog_version, dialect] = size
            meter.context((facts.business_id, facts.session_id), estimate_tokens(text), size, len(offer.told))
        return text

    def recorder(session: CallSession) -> Recorder:
        inner = parts.recorder(session)
        return inner if session.facts.is_trial else _Measured(inner, meter, clock)

    return replace(parts, system=system, recorder=recorder)


class _Measured:
    """Tells the meter what happens, and passes it on."""

    def __init__(self, inner: Recorder, meter: Meter, clock: Clock) -> None:
        self._inner, self._meter, self._clock = inner, meter, clock

    async def earlier(self, delivery: TurnDelivery) -> str | None:
        return await self._inner.earlier(delivery)

    async def begin(
        self, session: CallSession, utterance: Utterance | None, delivery: TurnDelivery | None = None
    ) -> None:
        if utterance is not None:
            self._meter.session_opened(session.facts.business_id, session.facts.session_id, self._clock.now())
        await self._inner.begin(session, utterance, delivery)

    def heard(self, session: CallSession, utterance: Utterance) -> None:
        self._meter.session_opened(session.facts.business_id, session.facts.session_id, self._clock.now())
        self._inner.heard(session, utterance)

    def happened(self, session: CallSession, event: Event) -> None:
        if type(event) is TurnEnded and session.facts.turn > 0:
            self._meter.turn_completed((session.facts.business_id, session.facts.session_id), session.facts.turn)
        self._inner.happened(session, event)

    def interrupted(self, session: CallSession, heard: str | None) -> None:
        self._inner.interrupted(session, heard)

    async def settle(self, delivery: TurnDelivery) -> None:
        await self._inner.settle(delivery)

    async def save(self, session: CallSession, delivery: TurnDelivery | None = None) -> None:
        await self._inner.save(session, delivery)
        if session.is_over:
            self._meter.session_closed((session.facts.business_id, session.facts.session_id))
