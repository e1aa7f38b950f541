"""What became of each appointment of a conversation: which stand, which were cancelled, and what was refused."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from switchboard.contract.definitions.definition import Deed
from switchboard.contract.document import json_object
from switchboard.contract.model import Message, Spoken, ToolMessage
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.claims.entities import Mentions
from switchboard.conversation.claims.facts import STANDING, WITH_SOMEBODY, Evidence, each_once, moment_in, words_of
from switchboard.conversation.claims.people_words import CompanySaid
from switchboard.conversation.claims.statements.statement import SpokenStatement

_WHOSE = ("customer_name", "caller_name", "name")
_WHEN = ("start_time", "new_start_time")


@dataclass(frozen=True, slots=True)
class RefusedWish:
    """What was called for and not done.

    Attributes:
        deeds: What it would have done.
        whose: The words of the name it was for.
        service: The words of what it was.
        moment: The local time it was for.
        is_of_now: Whether it was in this turn.
    """

    deeds: frozenset[Deed]
    whose: frozenset[str]
    service: frozenset[str]
    moment: datetime | None
    is_of_now: bool


@dataclass(frozen=True, slots=True)
class KnownAppointments:
    """Every appointment that is known here, each once, and whom callers have named.

    Attributes:
        standing: Those that are to be.
        gone: Those that were cancelled.
        refused: What was called for and not done.
        heard: The words that callers have said.
    """

    standing: Sequence[Evidence]
    gone: Sequence[Evidence]
    refused: Sequence[RefusedWish]
    heard: frozenset[str]

    @property
    def names(self) -> frozenset[str]:
        """Every word of the names of those for whom something was made, found or called for."""
        own = (item.customers for item in (*self.standing, *self.gone))
        return frozenset().union(*own, *(one.whose for one in self.refused))

    def done_now(self, deed: Deed) -> list[Evidence]:
        """Return the appointments to which that was done in this turn."""
        items = self.gone if deed is Deed.CANCELLED else self.standing
        return [item for item in items if item.is_receipt and item.is_of_now and deed in item.deeds]

    def was_refused(self, deed: Deed, name: frozenset[str] = frozenset(), *, now: bool = False) -> bool:
        """Tell whether that was called for and not done, for somebody, or in this turn."""
        return any(deed in one.deeds and name <= one.whose and (one.is_of_now or not now) for one in self.refused)


def appointments_of(statement: SpokenStatement) -> KnownAppointments:
    """Return what became of each appointment of the conversation in which something is about to be said."""
    items = each_once(item for item in statement.known() if item.moments and item.deeds & WITH_SOMEBODY)
    gone = [item for item in items if Deed.CANCELLED in item.deeds and item.deeds.isdisjoint(STANDING)]
    history = statement.session.history
    return KnownAppointments(
        [item for item in items if not item.deeds.isdisjoint(STANDING)],
        gone,
        list(_refused(statement, history.messages, history.this_turn)),
        frozenset().union(*map(words_of, statement.heard())),
    )


def _refused(
    statement: SpokenStatement, messages: Sequence[Message], this_turn: Sequence[Message]
) -> Iterator[RefusedWish]:
    zone = statement.now.tzinfo
    assert zone is not None
    calls = {call.call_id: call for one in messages if isinstance(one, Spoken) for call in one.calls}
    of_now = {one.call_id for one in this_turn if isinstance(one, ToolMessage)}
    for message in messages:
        call = calls.get(message.call_id) if isinstance(message, ToolMessage) else None
        if call is None or not isinstance(message, ToolMessage) or message.response.ok:
            continue
        deeds = statement.sources.deeds.get(call.name, frozenset()) & WITH_SOMEBODY
        if deeds and call.name not in statement.sources.looks_up:
            given = json_object(call.arguments_object)
            texts = [str(given.get(key) or "") for key in (*_WHEN, *_WHOSE)]
            moments = (moment_in(text, zone) for text in texts[: len(_WHEN)])
            yield RefusedWish(
                deeds,
                words_of(" ".join(texts[len(_WHEN) :])),
                words_of(str(given.get("service") or "")),
                next((moment for moment in moments if moment is not None), None),
                message.call_id in of_now,
            )


def agrees(
    item: Evidence, ways: Sequence[Mentions], company: CompanySaid, services: Sequence[str], *, is_one: bool
) -> bool:
    """Tell whether an appointment is what is said of when, with whom and what it is, as far as that is said.

    Of several, `is_one` is false: each may be with one of those who are named.
    """
    if not is_one:
        named = (*company.beside, *company.others)
        company = CompanySaid() if any(words_of(name) <= item.people for name in named) or not named else company
    is_then = not any(one.say_when for one in ways) or any(
        one.agree_with(moment) for one in ways for moment in item.moments
    )
    with_them = all(words_of(name) <= item.people for name in company.beside)
    others = company.beside or not company.others or any(words_of(name) <= item.people for name in company.others)
    return is_then and with_them and bool(others) and all(words_of(name) <= item.words for name in services)
