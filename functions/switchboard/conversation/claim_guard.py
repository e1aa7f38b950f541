"""Speech held against receipts: what was not done in this conversation is not said to have been done.

Words flow through as they come; from the first word of a possible claim on, the sentence is held until it ends, and
released only if a receipt, or what a tool has found, bears it out: the same claim, the same time, the same person.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from cachetools import LRUCache

from switchboard.catalog.offer import Offer
from switchboard.contract.business import Business
from switchboard.contract.definition import Definition
from switchboard.contract.ports import Clock
from switchboard.conversation.claims import QUOTES, Vocabulary
from switchboard.conversation.evidence import Evidence, services_named, words_of
from switchboard.conversation.guard import SpeechGuard, Unfounded, Unguarded
from switchboard.conversation.known import Sources, sources
from switchboard.conversation.mentions import Mentions, readings
from switchboard.conversation.openness import Clauses
from switchboard.conversation.session import CallSession

# The end of a sentence, unless it is the dot of an abbreviation, an hour or a German date.
_ABBREVIATIONS = ("a", "p", "mr", "ms", "dr", "st", "mrs", "sr", "sra")
_NO_END = "".join(rf"(?<!\b{word})" for word in _ABBREVIATIONS) + r"(?<!\.m)(?<!\d)"
_MARKS = "[\"')\u201c\u201d\u00bb]*"
# Of several marks the last one ends it: to begin at each of them would take the square of their number.
_SENTENCE_END = re.compile(rf"{_NO_END}\.{_MARKS}\s|[!?\u2026]{_MARKS}\s|\n", re.I)
_AND = re.compile(r"\s(?:and|und|y(?! (?:media|cuarto)\b)|et(?! (?:demie?|quart)\b))\s|,\s", re.I)
_VOCABULARIES = 1_000
# What is read at once. Nobody says so long a sentence, and judging one takes more than in proportion to its length.
LONGEST_SENTENCE = 600
_LONGEST_PIECE = 200
_BLANKS = re.compile(r"\s{5,}")
_MOST_BLANKS = 4


class ClaimGuards:
    """Makes the guards of conversations; the words of an offer's claims are prepared once."""

    def __init__(self, clock: Clock, built: Iterable[Definition] = ()) -> None:
        """Use a clock to know what "tomorrow" is.

        Args:
            clock: Tells the time.
            built: Every tool there is: nobody may claim a transfer where nobody can be transferred.
        """
        self._clock = clock
        self._built = {definition.name: definition for definition in built}
        self._prepared: LRUCache[tuple[str, tuple[str, ...]], _Prepared] = LRUCache(_VOCABULARIES)

    def __call__(self, session: CallSession, offer: Offer) -> SpeechGuard:
        """Return what one answer of a model has to pass."""
        # Businesses that are offered the same tools of one set share the words.
        key = (offer.set_hash, tuple(tool.name for tool in offer.tools))
        prepared = self._prepared.get(key)
        if prepared is None:
            definitions = (self._built | {tool.name: tool.definition for tool in offer.tools}).values()
            prepared = _Prepared(Vocabulary(d.claims for d in definitions), sources(definitions))
            self._prepared[key] = prepared
        if prepared.vocabulary.is_empty:
            return Unguarded()
        return ClaimGuard(prepared.vocabulary, partial(prepared.sources.known, session), offer.business, self._clock)


@dataclass(frozen=True, slots=True)
class _Prepared:
    vocabulary: Vocabulary
    sources: Sources


class ClaimGuard:
    """Guards one answer; see `SpeechGuard`."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        known: Callable[[datetime], list[Evidence]],
        business: Business | None,
        clock: Clock,
    ) -> None:
        """Hold claims against `known`, which is asked only when there is one, with the local time."""
        self._vocabulary, self._known, self._business, self._clock = vocabulary, known, business, clock
        self._sentence = ""
        self._released = 0
        # Whether the words of a claim begin where the release ends; the rest waits for the end of the sentence.
        self._is_held = False

    def feed(self, text: str) -> str:
        """Take a piece and return what may be said now.

        Raises:
            Unfounded: The sentence that was being held back must not be said.
        """
        # A model that repeats itself fills a piece with anything; everybody's calls wait while it is read.
        text = _BLANKS.sub(lambda blanks: blanks[0][:_MOST_BLANKS], text)
        return "".join(self._take(text[at : at + _LONGEST_PIECE]) for at in range(0, len(text), _LONGEST_PIECE))

    def _take(self, text: str) -> str:
        self._sentence += text
        said = ""
        while (end := _SENTENCE_END.search(self._sentence, self._search_from(text))) is not None:
            said += self._finish(end.end())
        if not self._is_held:
            # What has been released can be no part of a claim's words, or it would have been held.
            upto, self._is_held = self._vocabulary.scan(self._sentence, self._released)
            said += self._sentence[self._released : upto]
            self._released = upto
        if len(self._sentence) > LONGEST_SENTENCE:
            self._shorten()
        return said

    def _shorten(self) -> None:
        """Read on without what has been said of an endless sentence.

        Raises:
            Unfounded: It claims something, and cannot be judged before it ends.
        """
        if self._is_held:
            sentence = self._sentence.strip()[:LONGEST_SENTENCE]
            raise Unfounded(sentence, _TOO_LONG)
        # What could be the beginning of a claim's words has not been said, and is kept.
        self._sentence, self._released = self._sentence[self._released :], 0

    def rest(self) -> str:
        """Return what is left at the end of the answer.

        Raises:
            Unfounded: It must not be said.
        """
        return self._finish(len(self._sentence))

    def _search_from(self, text: str) -> int:
        # An end may have begun in the piece before.
        return max(0, len(self._sentence) - len(text) - 4)

    def _finish(self, end: int) -> str:
        """Judge the sentence that ends there, and return what of it has not been said."""
        sentence, rest = self._sentence[:end], self._sentence[end:]
        unsaid = sentence[self._released :]
        if self._is_held or self._vocabulary.first(sentence, self._released) is not None:
            self._judge(sentence)
        self._sentence, self._released, self._is_held = rest, 0, False
        return unsaid

    def _judge(self, sentence: str) -> None:
        sentence = " ".join(sentence.split())
        claims = self._vocabulary.made_in(sentence)
        if not claims:
            return
        now = self._clock.now().astimezone(self._business.timezone if self._business else UTC)
        known = self._known(now)
        clauses = Clauses(sentence.translate(QUOTES))
        # Words that belong to several claims need only one of them borne out.
        for words in {claim.words for claim in claims}:
            names = [claim.name for claim in claims if claim.words == words]
            own = {claim.clause for claim in claims if claim.words == words}
            # What another claim says of its own time is held against that one.
            about = clauses.about(sorted(own), {claim.clause for claim in claims} - own)
            if not self._is_borne_out(names, about, known, now):
                raise Unfounded(sentence.strip(), _correction(sentence, names, known))

    def _is_borne_out(self, names: Sequence[str], about: str, known: Sequence[Evidence], now: datetime) -> bool:
        if self._bears(names, about, known, now):
            return True
        # Two appointments in one sentence: each part that names a time is borne out by one of them.
        parts = [part for part in _AND.split(about) if any(said.say_when for said in self._said(part, now))]
        return len(parts) > 1 and all(self._bears(names, part, known, now) for part in parts)

    def _bears(self, names: Sequence[str], text: str, known: Sequence[Evidence], now: datetime) -> bool:
        services = services_named(self._business, text)
        return any(
            item.bears_out(name, said, services, known)
            for said in self._said(text, now)
            for item in known
            for name in names
        )

    def _said(self, text: str, now: datetime) -> Iterable[Mentions]:
        """Return the readings of a text; the business's own name is nobody's."""
        own = words_of(self._business.name) if self._business else frozenset()
        for said in readings(text, now):
            yield replace(said, names=tuple(name for name in said.names if not words_of(name) <= own))


_TOO_LONG = (
    "You were about to say something in one endless sentence, and the caller has not heard it. Say what is true in "
    "short sentences."
)


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
