"""Which values of a fact a conversation has told for a name: two of a kind are compared, as heard and as corrected.

Values are counted, not how often they are told: who says the right number again, because no text came, guesses nothing.
"""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from switchboard.contract.context import CallContext
from switchboard.contract.document import strings
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import AlreadyExists, Create, Stale, Unavailable, Update

VALUES_PER_FACT: Final = 2
"""How many values of one kind a conversation may tell for one name."""
# One conversation has few tries, and of those at once each time one is written down.
_ATTEMPTS = 8
_KEPT = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class ToldFacts:
    """What a try's facts are worth.

    Attributes:
        compared: Kinds of fact that are held against records; none where all that was told are guesses. One of which
            two values were told before is left out where another is told with it: that one decides.
        spent: Kinds, of this try or not, of which no further value is compared for this name.
    """

    compared: frozenset[str]
    spent: frozenset[str]


async def told(store: Store, ctx: CallContext, name: str, facts: Mapping[str, str]) -> ToldFacts:
    """Write down what is told for a name, before anything is compared, and return what of it may be.

    Whether anybody on file has the name makes no difference to what is read and written.

    Args:
        store: Where it stands.
        ctx: The call.
        name: Who the caller says they are, as names are compared.
        facts: By kind, in the one spelling that is compared.

    Raises:
        StoreError: It may or may not be written down; the try must not be looked at.
    """
    session = ctx.facts.session_id
    path = ctx.paths.document("tickets", f"told-in-session:{session}:{_hashed(name)}")
    values = {kind: _hashed(f"{session}|{kind}|{value}") for kind, value in facts.items()}
    for _ in range(_ATTEMPTS):
        document = await store.get(path)
        had: JsonObject = document.data if document is not None else {}
        before = {kind: strings(value) for kind, value in had.items() if kind != "expireAt"}
        fresh = {kind for kind in values if len(before.get(kind, ())) < VALUES_PER_FACT}
        news = {
            kind: [*before.get(kind, ()), values[kind]] for kind in fresh if values[kind] not in before.get(kind, ())
        }
        if news:
            data: JsonObject = news | {"expireAt": ctx.now + _KEPT}
            try:
                await store.commit(
                    [Create(path, data) if document is None else Update(path, data, document.update_time)]
                )
            except (AlreadyExists, Stale):
                # Another try of the same conversation came first.
                continue
        again = {kind for kind, value in values.items() if value in before.get(kind, ())}
        counts = {kind: len(told_values) for kind, told_values in {**before, **news}.items()}
        spent = frozenset(kind for kind, count in counts.items() if count >= VALUES_PER_FACT)
        return ToldFacts(compared=frozenset(fresh or again), spent=spent)
    raise Unavailable(f"what is told keeps changing: {path}")


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
