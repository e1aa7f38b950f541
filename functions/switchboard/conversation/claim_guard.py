"""Speech held against receipts: what was not done in this conversation is not said to have been done.

Words flow through as they come; from the first word of a possible claim on, the sentence is held until it ends, and
released only if a receipt, or what a tool has found, bears it out: the same claim, the same time, the same person.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from cachetools import LRUCache

from switchboard.catalog.offer import Offer
from switchboard.contract.business import Business
from switchboard.contract.ports import Clock
from switchboard.conversation.claims import Vocabulary
from switchboard.conversation.evidence import Evidence, evidence, services_named
from switchboard.conversation.guard import SpeechGuard, Unfounded, Unguarded
from switchboard.conversation.mentions import mentions
from switchboard.conversation.session import CallSession

# The end of a sentence, unless it is the dot of an abbreviation, an hour or a German date.
_NO_END = "".join(rf"(?<!\b{word})" for word in ("a", "p", "mr", "ms", "dr", "st", "mrs")) + r"(?<!\.m)(?<!\d)"
_MARKS = "[\"')\u201c\u201d]*"
_SENTENCE_END = re.compile(rf"{_NO_END}\.+{_MARKS}\s|[!?\u2026]+{_MARKS}\s|\n", re.I)
_VOCABULARIES = 1_000


class ClaimGuards:
    """Makes the guards of conversations; the words of an offer's claims are prepared once."""

    def __init__(self, clock: Clock) -> None:
        """Use a clock to know what "tomorrow" is."""
        self._clock = clock
        self._vocabularies: LRUCache[tuple[str, str], Vocabulary] = LRUCache(_VOCABULARIES)

    def __call__(self, session: CallSession, offer: Offer) -> SpeechGuard:
        """Return what one answer of a model has to pass."""
        language = offer.business.language if offer.business else "en"
        key = (offer.catalog_version, language)
        vocabulary = self._vocabularies.get(key)
        if vocabulary is None:
            vocabulary = Vocabulary((tool.definition.claims for tool in offer.tools), language)
            self._vocabularies[key] = vocabulary
        if vocabulary.is_empty:
            return Unguarded()
        zone = offer.business.timezone if offer.business else UTC
        claims = {tool.name: frozenset(tool.definition.claims) for tool in offer.tools if tool.definition.claims}
        return ClaimGuard(
            vocabulary, lambda: _known(session, claims, zone), offer.business, self._clock.now().astimezone(zone)
        )


class ClaimGuard:
    """Guards one answer; see `SpeechGuard`."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        known: Callable[[], list[Evidence]],
        business: Business | None,
        now: datetime,
    ) -> None:
        """Hold claims against `known`, asked only when there is one; `now` is local."""
        self._vocabulary, self._known, self._business, self._now = vocabulary, known, business, now
        self._sentence = ""
        self._released = 0
        self._is_held = False

    def feed(self, text: str) -> str:
        """Take a piece and return what may be said now.

        Raises:
            Unfounded: The sentence that was being held back must not be said.
        """
        self._sentence += text
        said = ""
        while (end := _SENTENCE_END.search(self._sentence, self._search_from(text))) is not None:
            said += self._finish(end.end())
        if not self._is_held:
            self._is_held = self._vocabulary.first(self._sentence, self._word_start()) is not None
        upto = self._vocabulary.first(self._sentence) if self._is_held else None
        if upto is None:
            upto = self._vocabulary.may_begin(self._sentence)
        if upto > self._released:
            said += self._sentence[self._released : upto]
            self._released = upto
        return said

    def rest(self) -> str:
        """Return what is left at the end of the answer.

        Raises:
            Unfounded: It must not be said.
        """
        return self._finish(len(self._sentence))

    def _search_from(self, text: str) -> int:
        # An end may have begun in the piece before.
        return max(0, len(self._sentence) - len(text) - 4)

    def _word_start(self) -> int:
        return self._sentence.rfind(" ", 0, self._released) + 1

    def _finish(self, end: int) -> str:
        """Judge the sentence that ends there, and return what of it has not been said."""
        sentence, rest = self._sentence[:end], self._sentence[end:]
        unsaid = sentence[self._released :]
        if self._is_held or self._vocabulary.first(sentence) is not None:
            self._judge(sentence)
        self._sentence, self._released, self._is_held = rest, 0, False
        return unsaid

    def _judge(self, sentence: str) -> None:
        claims = self._vocabulary.made_in(sentence)
        if not claims:
            return
        known = self._known()
        said, services = mentions(sentence, self._now), services_named(self._business, sentence)
        # Words that belong to several claims need only one of them borne out.
        for words in {claim.words for claim in claims}:
            names = [claim.name for claim in claims if claim.words == words]
            if not any(item.bears_out(name, said, services) for item in known for name in names):
                raise Unfounded(sentence.strip(), _correction(sentence, names, known))


def _known(session: CallSession, claims: Mapping[str, frozenset[str]], zone: Any) -> list[Evidence]:
    """Return what the conversation's receipts and look-ups bear out."""
    found = [evidence(claims[r.tool], r.words, zone) for r in session.receipts if r.tool in claims]
    acted = {receipt.tool for receipt in session.receipts}
    for tool, data in session.tool_context.items():
        if tool in claims and tool not in acted:
            found += [evidence(claims[tool], row, zone) for row in _rows(data)]
    return found


def _rows(data: Any) -> list[Any]:
    """Return what a look-up found, one by one, so that times and names of different things are not mixed."""
    lists = [value for value in data.values() if isinstance(value, list)] if isinstance(data, Mapping) else []
    rows = [row for value in lists for row in value if isinstance(row, Mapping)]
    return rows or ([data] if data else [])


def _correction(sentence: str, names: list[str], known: list[Evidence]) -> str:
    done = [item for item in known if item.claims.intersection(names)]
    if not done:
        why = "nothing of the kind was done in this conversation"
    else:
        times = sorted({f"{moment:%A %Y-%m-%d %H:%M}" for item in done for moment in item.moments})
        why = f"what was done is something else ({', '.join(times) or 'see the results above'})"
    return (
        f"You were about to say: {sentence.strip()!r}. Do not say it: {why}, and the caller has not heard it. "
        "Say what is true, or call the tool that does it."
    )
