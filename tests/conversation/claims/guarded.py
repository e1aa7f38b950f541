"""A guard of what a model says: in a conversation, a house and at a time that a test brings."""

from collections.abc import Collection, Sequence
from datetime import datetime
from types import SimpleNamespace
from typing import Any

import pytest

from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import Definition
from switchboard.conversation.claims.guard import ClaimGuards
from switchboard.conversation.guard import SpeechGuard, Unfounded
from switchboard.conversation.session import CallSession
from tests.desk.front_desk import StoppedClock

# What tools bear out is prepared once for those of one test module.
_GUARDS: dict[tuple[datetime, int], tuple[Sequence[Definition], ClaimGuards]] = {}


def guard_of(
    known: CallSession,
    business: Business,
    now: datetime,
    definitions: Sequence[Definition],
    untold: Collection[str] = frozenset(),
) -> SpeechGuard:
    """Return the guard of one answer where these tools are offered."""
    if (now, id(definitions)) not in _GUARDS:
        clock = StoppedClock()
        clock.moment = now
        _GUARDS[now, id(definitions)] = definitions, ClaimGuards(clock)
    tools = tuple(SimpleNamespace(name=one.name, definition=one) for one in definitions)
    offer: Any = SimpleNamespace(
        business=business, tools=tools, catalog_version="v1", set_hash="h1", untold=frozenset(untold)
    )
    return _GUARDS[now, id(definitions)][1](known, offer)


def said_by(guard: SpeechGuard, sentence: str, calls: Sequence[str] = (), size: int = 400) -> str:
    """Return what gets through of an answer that comes in pieces of that size, and calls these tools."""
    said = "".join(guard.feed(sentence[at : at + size]) for at in range(0, len(sentence), size))
    return said + guard.rest(calls)


def gets_through(guard: SpeechGuard, sentence: str, calls: Sequence[str] = (), size: int = 400) -> bool:
    """Tell whether a sentence gets through whole."""
    try:
        return said_by(guard, sentence, calls, size) == sentence
    except Unfounded:
        return False


def held_by(guard: SpeechGuard, sentence: str, calls: Sequence[str] = ()) -> Unfounded:
    """Return why a sentence is held, which it has to be."""
    with pytest.raises(Unfounded) as held:
        said_by(guard, sentence, calls)
    return held.value
