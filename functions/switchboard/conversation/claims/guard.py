"""Speech held against receipts: what was not done in this conversation is not said to have been done.

A sentence is said when it is whole and bears scrutiny: a classifier tells which deeds it claims, and each has to be
borne out by a receipt, or by what a tool has found: the same deed, time, person, service, number and amount. No
piece of a sentence that is held is ever heard.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from cachetools import LRUCache

from switchboard.catalog.offer.inclusion import TENANT
from switchboard.catalog.offer.offer import Offer
from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import OWNERS_OWN, Deed, Definition
from switchboard.contract.ports import Clock
from switchboard.conversation.claims.classifier import (
    ClaimClassifier,
    ClaimReading,
    ClaimTelling,
    classifier,
    plain_text,
)
from switchboard.conversation.claims.company_check import hold_untrue_company, says_only_who
from switchboard.conversation.claims.correction import correction
from switchboard.conversation.claims.entities import Mentions, readings
from switchboard.conversation.claims.fact_sources import Sources, sources
from switchboard.conversation.claims.facts import STANDING, Evidence, each_once, services_named, words_of
from switchboard.conversation.claims.free_words import Doubtful, only_offers, was_found_free
from switchboard.conversation.claims.people_words import NOBODY_SAID, CompanySaid, company_readings
from switchboard.conversation.claims.sentences import (
    CHECK,
    MADE_ANEW,
    announces,
    asks_if_right,
    clauses_of,
    heard_before,
    last_boundary,
    run_of,
    tells,
)
from switchboard.conversation.claims.several import (
    AND,
    ONE,
    OfOne,
    claimed_beside,
    said_of_one,
    without_contents,
    without_first,
)
from switchboard.conversation.claims.several import about as about_deed
from switchboard.conversation.claims.statements.check import hold_untrue, what_is_left
from switchboard.conversation.claims.statements.chosen_times import names_chosen_time
from switchboard.conversation.claims.statements.messages import with_informing
from switchboard.conversation.claims.statements.names_held import names_held
from switchboard.conversation.claims.statements.plainly import as_appointment, deeds_listed, parted, told_plainly
from switchboard.conversation.claims.statements.statement import SpokenStatement
from switchboard.conversation.claims.told_by_results import (
    says_it_is_taken,
    tells_own_number,
    tells_what_was_booked,
    tells_what_was_noted,
    told_in_refusals,
)
from switchboard.conversation.claims.unclaimed import claims_nothing, is_quoted
from switchboard.conversation.claims.until_then import hold_wrong_goodbye, hold_wrong_move, settles_a_time
from switchboard.conversation.claims.visit_ends import hold_wrong_end
from switchboard.conversation.guard import SpeechGuard, Unfounded
from switchboard.conversation.session import CallSession
from switchboard.conversation.speech.sentence_ends import SENTENCE_END

_SOURCES = 1_000
# Nobody says so long a sentence: what has no end by then is read, and said, clause by clause.
LONGEST_SENTENCE = 400
_BLANKS = re.compile(r"\s{5,}")
_FEW_WORDS, _SHORT_WORDS, _MOST_BLANKS = 2, 4, 4
_NOTHING = ClaimReading((), ClaimTelling.PLAIN)
_BARE = ClaimReading(((Deed.BOOKED, Deed.MOVED, Deed.ENTERED),), ClaimTelling.DONE)
# What is less certain is taken for read back where a question follows it.
_CERTAIN = 0.9
# What a list without a verb sounds like: it has to be found free, too.
_LISTED = STANDING | {Deed.ORDERED, Deed.OTHER, Deed.UNNAMED}
_SERVING = STANDING | {Deed.PASSED_ON, Deed.ORDERED, Deed.OTHER, Deed.UNNAMED}
# Told of what is yet to come of a call.
_COMING = frozenset({ClaimTelling.UNDERWAY, ClaimTelling.PROMISED})


class ClaimGuards:
    """Makes the guards of conversations; what each offer's tools bear out is prepared once."""

    def __init__(
        self,
        clock: Clock,
        built: Iterable[Definition] = (),
        reader: Callable[[], ClaimClassifier] = classifier,
    ) -> None:
        """Use a clock to know what "tomorrow" is.

        Args:
            clock: Tells the time.
            built: Every tool there is: nobody may claim a transfer where nobody can be transferred.
            reader: Returns what reads sentences.
        """
        self._clock, self._reader = clock, reader
        self._built = {definition.name: definition for definition in built}
        self._sources: LRUCache[tuple[object, ...], Sources] = LRUCache(_SOURCES)

    def __call__(self, session: CallSession, offer: Offer) -> SpeechGuard:
        """Return what one answer of a model has to pass."""
        # Businesses that are offered the same tools of one set share them; two own tools of one name are two tools.
        key = (offer.set_hash, offer.untold, *(_likeness(tool.definition) for tool in offer.tools))
        fact_sources = self._sources.get(key)
        if fact_sources is None:
            offered = {tool.name: self._with_deeds(tool.definition) for tool in offer.tools}
            fact_sources = self._sources[key] = sources((self._built | offered).values(), offered, offer.untold)
        heard = heard_before(session.history.messages)
        return ClaimGuard(self._reader(), fact_sources, session, offer.business, self._clock, heard)

    def _with_deeds(self, definition: Definition) -> Definition:
        """Return an owner's tool with the deed that its words suggest, where its owner has not said which it is."""
        if not OWNERS_OWN.issubset(definition.deeds):
            return definition
        suggested = self._reader().suggested_deed(definition.name, definition.description)
        return replace(definition, deeds=(suggested, *definition.deeds)) if suggested else definition


class ClaimGuard:
    """Guards one answer; see `SpeechGuard`."""

    def __init__(
        self,
        reader: ClaimClassifier,
        sources: Sources,
        session: CallSession,
        business: Business | None,
        clock: Clock,
        heard: Sequence[str] = (),
    ) -> None:
        """Hold claims against what is known in a session; leave out what was `heard` when an answer begins anew."""
        self._reader, self._sources, self._session = reader, sources, session
        self._business, self._clock = business, clock
        # The words of the names of the business's people.
        self._people = frozenset().union(*(words_of(one.name) for one in business.people)) if business else frozenset()
        self._sentence, self._before, self._heard = "", "", list(heard)
        # What is told as under way or promised before the call that would do it: it may still come in this answer.
        self._early: list[tuple[str, tuple[Deed, ...]]] = []
        self._behind: list[str] = []
        self.has_left_out = False
        # What may be a claim, or else be read back: "A haircut on Friday at ten, for Anna. Shall I book it?" tells.
        self._doubtful: Doubtful | None = None
        # How often what is being read has to be borne out ("both are cancelled" twice), and whether by something else
        # than what was told before in this answer.
        self._one = ONE
        self._bearing: list[Evidence] = []
        self._told: list[Evidence] = []
        # What is known while an answer is said: calls are made behind it.
        self._facts: list[Evidence] | None = None

    def feed(self, text: str) -> str:
        """Take a piece and return what may be said now.

        Raises:
            Unfounded: The sentence that has come to its end must not be said.
        """
        # A model that repeats itself fills a piece with anything; everybody's calls wait while it is read.
        self._sentence += _BLANKS.sub(lambda blanks: blanks[0][:_MOST_BLANKS], text)
        spoken = ""
        start, search = 0, max(0, len(self._sentence) - len(text) - 4)
        while (end := SENTENCE_END.search(self._sentence, max(start, search))) is not None:
            spoken += self._judged(self._sentence[start : end.end()])
            start = end.end()
        self._sentence = self._sentence[start:]
        while len(self._sentence) > LONGEST_SENTENCE:
            cut = last_boundary(self._sentence[:LONGEST_SENTENCE]) or LONGEST_SENTENCE
            spoken += self._judged(self._sentence[:cut])
            self._sentence = self._sentence[cut:]
        return spoken

    def rest(self, calls: Collection[str] = ()) -> str:
        """Return what is left at the end of the answer, which calls these tools.

        Raises:
            Unfounded: It must not be said.
        """
        sentences, self._sentence = self._judged(self._sentence), ""
        if self._doubtful is not None:
            # "Tuesday at three, then." leads up to a call; what is told as done does not.
            if not (calls if self._doubtful.is_settled else only_offers(self._statement(self._doubtful.plain))):
                raise self._refusal(self._doubtful.plain, self._doubtful.deeds)
            sentences += self._kept(self._doubtful.sentence)
        for sentence, deeds in self._early:
            # What a call is about to do is told by what comes of it, whatever the sentence is taken to announce.
            if not any(self._sources.acts(tool) for tool in calls):
                raise self._refusal(sentence, deeds)
        self.has_left_out = bool(self._early)
        return "".join(self._behind) + sentences

    def _judged(self, sentence: str) -> str:
        """Return a sentence if it may be said; nothing while that is not known."""
        if not sentence.strip():
            return self._kept(sentence)
        if (parts := parted(self._reader, sentence)) is not None:
            return "".join(map(self._judged, parts))
        plain = " ".join(plain_text(sentence).split())
        whole, plain = what_is_left(self._statement(plain), self._reader.read)
        one, before = said_of_one(plain, self._people, was_done=bool(self._session.receipts)), self._before
        one = one or told_plainly(self._reader, plain, self._session.history.this_turn)
        reading = self._reading(plain, one)
        is_of_others = bool(reading.claims) and claims_nothing(self._statement(plain), self._reader.read, self._before)
        if is_of_others:
            reading = _NOTHING
        self._one, self._bearing = one or ONE, []
        statement = self._statement(plain, reading.deeds)
        hold_untrue_company(statement)
        hold_untrue(self._statement(whole, reading.deeds))
        hold_wrong_end(statement)
        hold_wrong_move(statement)
        self._before = "" if reading.claims else plain
        is_short = len(plain.split()) <= _SHORT_WORDS and not plain.endswith("?") and not announces(plain)
        if not reading.claims and before and is_short and not is_of_others:
            # "Your old booking? Long gone." is one sentence to whoever hears it; "Anything else?" belongs to none.
            plain, one = f"{before} {plain}", None
            reading = self._reader.read(plain)
        if self._doubtful is not None and self._doubtful.goes_on_in(plain, reading.claims):
            self._doubtful = self._doubtful.with_more(sentence, plain)
            return ""
        read_back = self._read_back(plain)
        if not reading.claims:
            hold_wrong_goodbye(self._statement(plain))
            if settles_a_time(self._statement(plain)):
                self._doubtful = Doubtful(sentence, plain, (Deed.BOOKED,), is_settled=True)
                return read_back
            return read_back + self._kept(sentence)
        known = [*self._known(), *told_in_refusals(self._session, self._reader, plain, self._now())]
        unfounded = self._unfounded(one.text if one is not None else plain, reading, known, self._now())
        is_noted = tells_what_was_noted(plain, unfounded, self._session) or says_it_is_taken(plain, known)
        is_noted = is_noted or tells_own_number(plain, unfounded, self._session, self._now())
        if not unfounded or is_noted or is_quoted(self._statement(plain), self._reader.read, reading):
            self._told += self._bearing
            return read_back + self._kept(sentence)
        is_coming = reading.telling in _COMING and _SERVING.issuperset(unfounded)
        is_told_to = Deed.PASSED_ON in unfounded and not is_coming
        if not is_told_to and says_only_who(self._business, plain, is_coming=is_coming):
            # What was looked up is offered: "Maria hat um zehn Zeit"; or "Maria will take care of you".
            return read_back + self._kept(sentence)
        self._put_off(sentence, plain, reading, unfounded, known)
        return read_back

    def _put_off(
        self, sentence: str, plain: str, reading: ClaimReading, unfounded: tuple[Deed, ...], known: Sequence[Evidence]
    ) -> None:
        """Keep what nothing bears out until what comes next says what it was; raise where it is surely told as done."""
        is_certain = reading.certainty >= _CERTAIN and tells(plain)
        if names_chosen_time(self._statement(plain)):
            self._doubtful = Doubtful(sentence, plain, unfounded, lacks_details=True)
        elif reading.telling in _COMING:
            self._early.append((plain, unfounded))
        elif is_certain or not (STANDING if tells(plain) else _LISTED).issuperset(unfounded):
            raise self._refusal(plain, unfounded, known)
        else:
            self._doubtful = Doubtful(sentence, plain, unfounded)

    def _reading(self, plain: str, one: OfOne | None) -> ClaimReading:
        reading = self._reader.read(as_appointment(plain))
        if one is not None and not reading.claims:
            reading = self._reader.read(one.text)
        reading = with_informing(self._statement(plain), reading)
        is_bare = not reading.claims and tells_what_was_booked(self._statement(plain))
        return _BARE if is_bare else deeds_listed(plain, reading)

    def _statement(self, plain: str, deeds: Collection[Deed] = ()) -> SpokenStatement:
        at = (self._business or Business(""), self._session, self._sources, self._known, self._now())
        return SpokenStatement(plain, *at, frozenset(deeds))

    def _read_back(self, sentence: str) -> str:
        """Return what was read back before the question that has come now; nothing where there is none.

        Raises:
            Unfounded: No question has come; or, behind a time that was only settled, nothing that could go on.
        """
        doubtful, self._doubtful = self._doubtful, None
        if doubtful is None:
            return ""
        is_asked = bool(sentence.endswith("?") and CHECK.search(sentence))
        goes_on = doubtful.goes_on_before(sentence, is_asked=is_asked)
        if not goes_on and (is_asked or asks_if_right(sentence, doubtful.plain)):
            goes_on = was_found_free(doubtful.plain, self._session.history.messages, self._now())
            # What is asked of has to be asked in other words, and nothing is to be done before the answer.
            doubtful = doubtful._replace(plain=f"{doubtful.plain} {sentence}")
        if not goes_on:
            raise self._refusal(doubtful.plain, doubtful.deeds)
        return self._kept(doubtful.sentence)

    def _refusal(self, sentence: str, deeds: Sequence[Deed], known: Sequence[Evidence] | None = None) -> Unfounded:
        told = correction(self._statement(sentence), deeds, self._known() if known is None else known)
        return Unfounded(sentence, told, partial(self._sources.are_about, deeds))

    def _kept(self, sentence: str) -> str:
        if self._heard:
            if not sentence.strip() or run_of(sentence) == self._heard[0]:
                del self._heard[: bool(sentence.strip())]
                return ""
            self._heard.clear()
        if not self._early:
            return sentence
        self._behind.append(sentence)
        return ""

    def _now(self) -> datetime:
        return self._clock.now().astimezone(self._business.timezone if self._business else UTC)

    def _known(self) -> list[Evidence]:
        if self._facts is None:
            self._facts = self._sources.known(self._session, self._now(), self._business)
        return self._facts

    def _unfounded(
        self, sentence: str, reading: ClaimReading, known: Sequence[Evidence], now: datetime
    ) -> tuple[Deed, ...]:
        """Return which of the deeds that a sentence claims nothing bears out."""
        clauses = clauses_of(sentence)
        by_clause = [self._of_clause(clause) for clause in clauses] if len(clauses) > 1 else [reading]
        unfounded: list[Deed] = []
        claims = without_contents(reading.claims, by_clause)
        if reading.certainty < _CERTAIN and list(claims) == [(Deed.MOVED,)]:
            # "Got it, your haircut is next Tuesday at five" tells where it stands: that is looked for.
            claims = [(Deed.MOVED, Deed.BOOKED)]
        for claim in (*claims, *claimed_beside(reading, clauses, by_clause)):
            if STANDING.issuperset(claim) and self._is_gone(sentence, claims, known, now):
                continue
            about = {deed: about_deed(deed, sentence, clauses, by_clause) for deed in claim}
            if not any(self._is_borne_out(deed, about[deed], known, now) for deed in claim):
                unfounded += claim
        return tuple(unfounded)

    def _is_gone(
        self, sentence: str, claims: Sequence[tuple[Deed, ...]], known: Sequence[Evidence], now: datetime
    ) -> bool:
        """Tell whether what sounds like an appointment is one that was cancelled, as the sentence says."""
        is_claimed = any(Deed.CANCELLED in claim for claim in claims)
        return is_claimed and MADE_ANEW.search(sentence) is None and self._bears(Deed.CANCELLED, sentence, known, now)

    def _of_clause(self, clause: str) -> ClaimReading:
        """Return what a clause claims; of a word or two, nothing: they go with what stands before them."""
        return self._reader.read(clause) if len(clause.split()) > _FEW_WORDS else _NOTHING

    def _is_borne_out(self, deed: Deed, about: str, known: Sequence[Evidence], now: datetime) -> bool:
        if self._bears(deed, about, known, now, self._one.times):
            return True
        # Two appointments in one sentence: each part that names a time is borne out by one of them.
        parts = self._timed(AND.split(about), now)
        is_each_told = len(parts) >= max(2, self._one.times)
        return is_each_told and all(self._bears(deed, part, known, now) for part in parts)

    def _timed(self, parts: Iterable[str], now: datetime) -> list[str]:
        """Return the parts of a sentence that name a time, each with what is told beside it: for whom, for how many."""
        timed, before = list[str](), ""
        for part in parts:
            texts = [text for text, _ in company_readings(self._business, part)]
            if all(mentioned.say_when for text in texts for mentioned in self._said(text, now)):
                timed, before = [*timed, f"{before}{part}"], ""
            elif timed:
                timed[-1] += f", {part}"
            else:
                before += f"{part}, "
        return timed

    def _bears(self, deed: Deed, text: str, known: Sequence[Evidence], now: datetime, least: int = 1) -> bool:
        """Tell whether so many things bear out a deed of which a text tells."""
        services = services_named(self._business, text)
        ways = [
            (mentioned, company)
            for reading, company in company_readings(self._business, text, self._session.history.messages)
            for mentioned in self._said(reading, now, company, known)
        ]
        bearing: Sequence[Evidence] = [
            i for i in known if any(i.bears_out(deed, mentioned, services, known, whom) for mentioned, whom in ways)
        ]
        bearing = without_first(each_once(bearing), deed, text, self._one, known, self._told, self._session)
        self._bearing += bearing
        return len(bearing) >= least

    def _said(
        self, text: str, now: datetime, company: CompanySaid = NOBODY_SAID, known: Sequence[Evidence] = ()
    ) -> Iterable[Mentions]:
        """Return the readings of a text; the business's own name is nobody's, nor is that of who was only asked for."""
        for mentioned in readings(text, now):
            names = names_held(self._statement(text), mentioned.names, company, known)
            yield mentioned if names == mentioned.names else replace(mentioned, names=names)


def _likeness(definition: Definition) -> object:
    """Return what tells a tool from others: its name where the set of definitions says the rest."""
    if definition.category != TENANT:
        return definition.name
    return definition.name, definition.kind, definition.deeds, definition.description
