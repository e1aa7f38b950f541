"""Answers to questions: opening hours, services and prices, and whatever the business has written down."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache

from switchboard.contract.business.business import Service
from switchboard.contract.business.working_hours import Opening
from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse
from switchboard.models.rehearsal.results import clock_of
from switchboard.models.rehearsal.talk import RehearsedTalk
from switchboard.models.rehearsal.vocabulary import LanguageVocabulary, Topic, fold

_SEARCHES = ("search_knowledge", "kb_search")
_WHOLE_ENTRY = "kb_get"
_OF_A_SERVICE = "Service: "
_MOST_LISTED = 10
_Openings = Sequence[tuple[str, str]]

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\u00c0-\u00dd\"\u201e\u00bf\u00a1\d])")
# Words are held against each other by their beginnings, or found within compounds, from this length on.
_STEM, _WITHIN = 4, 6
_WHOLE, _MOST_SENTENCES, _LONGEST = 330, 4, 420
# Of what a question names at least this much has to be spoken of, where its topic is not known.
_ENOUGH, _TOPICAL = 0.6, 0.5
_TITLE, _TOPIC, _TOPICS = 2.0, 3.0, 2


class Information:
    """Answers the question of one turn."""

    def __init__(
        self, talk: RehearsedTalk, offered: Mapping[str, Definition], result_words: Callable[[str, JsonObject], str]
    ) -> None:
        """Answer with the tools that are offered; `result_words` words a result."""
        self._talk, self._words, self._times = talk, talk.words, talk.times
        self._offered, self._told = offered, result_words

    def answer(self) -> str | ToolCall:
        """Return a call that looks it up, or the answer."""
        talk = self._talk
        named = talk.services.named(talk.heard)
        if not named and talk.goal == "price" and not talk.topics and talk.service and not self._asks_for_something():
            # "How much is it?"
            named = [talk.service]
        is_holiday = any(topic.name == "holidays" for topic in talk.topics)
        if talk.goal == "hours" and (not is_holiday or talk.then.days(talk.heard)):
            return self._hours()
        is_sure = talk.services.is_sure(talk.heard)
        is_named = bool(named) and talk.goal == "price" and not self._words.is_in("duration", talk.said)
        if talk.goal in ("price", "services") and (is_named or is_sure or not talk.topics):
            return self._prices(named)
        is_mere = is_sure and talk.services.is_mere(talk.heard)
        if not talk.goal and not talk.topics and named and (is_mere or (is_sure and not talk.is_question)):
            # What somebody needs done, or the mere name of it.
            prices = self._prices(named)
            if isinstance(prices, ToolCall) or talk.is_question:
                return prices
            return (
                f"{prices} {self._words.say('offer_this') if 'book_appointment' in self._offered else talk.instead()}"
            )
        if not talk.goal and not talk.topics and talk.task and not talk.is_question:
            return self._words.say("unclear")
        return self._looked_up()

    def abilities(self) -> str:
        """Say what can be done here."""
        own, business = self._offered, self._talk.scene.business
        names = {
            "help_hours": business is not None and bool(business.working_hours.weekly),
            "help_services": bool(self._talk.services.all),
            "help_book": "book_appointment" in own,
            "help_search": any(name in own for name in _SEARCHES),
            "help_message": "take_message" in own,
            "help_transfer": "transfer_call" in own,
        }
        name = business.name if business else ""
        abilities = [self._words.say(phrase, business=name) for phrase, has in names.items() if has]
        return self._words.say("help", abilities=self._times.listed(abilities))

    def _hours(self) -> str | ToolCall:
        talk, business = self._talk, self._talk.scene.business
        days = talk.then.days(talk.heard)
        is_now = not days and self._words.is_in("now", talk.said)
        if "get_working_hours" in self._offered:
            response = talk.answers.get("get_working_hours")
            if response is None:
                asked = [self._times.now.date()] if is_now else days
                return ToolCall("get_working_hours", {"date": asked[0].isoformat()} if len(asked) == 1 else {})
            if not response.ok:
                return self._failed(response)
            data = response.data or {}
            openings_by_day = [
                (date.fromisoformat(day["date"]), _pairs(day["openings"])) for day in data.get("days") or ()
            ]
            days_words = self._days_told(openings_by_day, days)
            return (
                f"{self._words.say('open_now' if data.get('isOpenNow') else 'closed_now')} {days_words}"
                if is_now
                else days_words
            )
        if business is None or not business.working_hours.weekly:
            return self._looked_up()
        today = self._times.now.date()
        hours = [(day, _of(business.working_hours.on(day))) for day in (today + timedelta(n) for n in range(7))]
        if is_now:
            opens = any(o.opens <= self._times.now.time() < o.closes for o in business.working_hours.on(today))
            return f"{self._words.say('open_now' if opens else 'closed_now')} {self._days_told(hours[:1], [today])}"
        named = [(day, _of(business.working_hours.on(day))) for day in days]
        return self._days_told(named or hours, days)

    def _days_told(self, openings_by_day: Sequence[tuple[date, _Openings]], asked: Sequence[date]) -> str:
        if asked:
            shown = [pair for pair in openings_by_day if pair[0] in asked] or openings_by_day
            return " ".join(self._day_told(day, openings) for day, openings in shown)
        if len(openings_by_day) == 1:
            return self._day_told(*openings_by_day[0])
        # A week, as it is told to somebody: days with the same hours together, in the order of the week.
        weekly = {day.weekday(): openings for day, openings in openings_by_day}
        groups: dict[tuple[tuple[str, str], ...], list[int]] = {}
        for number in sorted(weekly):
            groups.setdefault(tuple(weekly[number]), []).append(number)
        open_days = [
            self._words.say("hours_week_day", days=self._weekdays(numbers), hours=self._clock_words(hours))
            for hours, numbers in groups.items()
            if hours
        ]
        closed = groups.get((), [])
        sentences = [self._words.say("hours_week", days="; ".join(open_days))] if open_days else []
        sentences += [self._words.say("hours_closed_on", days=self._weekdays(closed))] if closed else []
        return " ".join(sentences) or self._words.say("hours_none")

    def _day_told(self, day: date, openings: _Openings) -> str:
        name = self._times.day(day)
        name = name[:1].upper() + name[1:]
        if not openings:
            return self._words.say("hours_day_closed", day=name)
        return self._words.say("hours_day_open", day=name, hours=self._clock_words(openings))

    def _clock_words(self, openings: _Openings) -> str:
        return self._times.listed(
            [self._words.say("open_from", opens=self._clock(a), closes=self._clock(b)) for a, b in openings]
        )

    def _clock(self, text: str) -> str:
        clock = clock_of(text)
        return self._times.clock(clock) if clock is not None else text

    def _weekdays(self, numbers: Sequence[int]) -> str:
        """Name weekdays, three and more in a row by the first and the last."""
        runs: list[list[int]] = []
        for number in numbers:
            if runs and runs[-1][-1] == number - 1:
                runs[-1].append(number)
            else:
                runs.append([number])
        ranges: list[str] = []
        for run in runs:
            names = [self._times.weekday(number) for number in run]
            ranges += [self._words.say("days_to", first=names[0], last=names[-1])] if len(run) > 2 else names
        return self._times.listed(ranges)

    def _prices(self, named: Sequence[str]) -> str | ToolCall:
        talk = self._talk
        services = list(talk.services.all)
        if "get_business_services" in self._offered:
            response = talk.answers.get("get_business_services")
            if response is None:
                return ToolCall("get_business_services", {})
            if not response.ok:
                return self._failed(response)
            services = [
                Service(row["name"], row["durationMinutes"], row.get("price", ""))
                for row in (response.data or {}).get("services") or ()
            ]
        priced = [service for service in services if service.name in named]
        if priced:
            return " ".join(self._price(service) for service in priced[:2])
        if not services:
            return self._looked_up()
        if self._asks_for_something():
            return self._looked_up()
        return self._listed(services)

    def _listed(self, services: Sequence[Service]) -> str:
        listed = [
            self._words.say("minutes_listed", service=s.name, price=s.price) if s.price else s.name
            for s in services[:_MOST_LISTED]
        ]
        return self._words.say("price_list", services=self._times.listed(listed))

    def _asks_for_something(self) -> bool:
        """Tell whether something was asked about that is none of the services: what else was said than the question."""
        return any(not self._words.is_listed("price", word) for word in self._words.telling(self._talk.said))

    def _price(self, service: Service) -> str:
        minutes = str(service.duration_minutes)
        if not service.price:
            return self._words.say("price_unknown", service=service.name, minutes=minutes)
        is_free = service.price.casefold() in ("free", "kostenlos", "gratis", "gratuit", "0 €", "$0")
        phrase = "price_free" if is_free else "price_one"
        return self._words.say(phrase, service=service.name, price=service.price, minutes=minutes)

    def _looked_up(self) -> str | ToolCall:
        """Search for what was asked, and answer with what the business has written down."""
        talk = self._talk
        tool = next((name for name in _SEARCHES if name in self._offered), None)
        if not self._words.telling(talk.said) and not talk.topics:
            return self._not_known("unclear")
        for name, key in (("get_faqs", "faqs"), ("get_policies", "policies")):
            if tool is None and name in self._offered:
                return self._by_topic(name, key)
        if tool is None:
            return self._not_known("unknown")
        response = talk.answers.get(tool)
        if response is None:
            # In the words in which businesses write of it, where it is known what is asked about.
            asked = talk.topics[0].ask if talk.topics else talk.heard
            return ToolCall(tool, {"query": asked[:300], "limit": 5})
        if not response.ok:
            return self._failed(response)
        results = (response.data or {}).get("results") or ()
        # What was written to answer questions comes before what is said of a service in a line.
        written = [result for result in results if not str(result.get("source")).startswith(_OF_A_SERVICE)]
        best = answer_in(written, talk.heard, self._words, talk.topics, is_question=talk.is_question)
        best = best or answer_in(results, talk.heard, self._words, talk.topics, is_question=talk.is_question)
        named = talk.services.named(talk.heard)
        if (
            best is None
            and talk.services.all
            and (talk.goal in ("price", "services") or (named and not talk.is_question))
        ):
            priced = [service for service in talk.services.all if service.name in named]
            return " ".join(map(self._price, priced[:1])) or self._listed(talk.services.all)
        if best is None:
            return self._not_known("unknown")
        whole = self._whole(best[1])
        if isinstance(whole, ToolCall):
            return whole
        best = answer_in([whole], talk.heard, self._words, talk.topics, is_question=talk.is_question) or best
        text = self._told(tool, {"results": [{**best[1], "text": best[0]}]})
        is_urgent = any(topic.name.endswith("emergency") for topic in talk.topics[:1])
        return f"{text} {talk.instead()}" if is_urgent else text

    def _whole(self, found: JsonObject) -> JsonObject | ToolCall:
        """Return what was found, or the call that reads it whole where its text is cut."""
        response = self._talk.answers.get(_WHOLE_ENTRY)
        if not found.get("isCut") or _WHOLE_ENTRY not in self._offered:
            return found
        if response is None:
            return ToolCall(_WHOLE_ENTRY, {"entity_id": found["id"], "kind": found["kind"]})
        return {**found, **(response.data or {})} if response.ok else found

    def _by_topic(self, tool: str, key: str) -> str | ToolCall:
        talk = self._talk
        response = talk.answers.get(tool)
        topic = talk.topics[0].name if talk.topics else " ".join(self._words.telling(talk.said))
        if response is None:
            return ToolCall(tool, {"topic": topic[:120]})
        if not response.ok:
            return self._failed(response)
        best = answer_in((response.data or {}).get(key) or (), talk.heard, self._words, talk.topics)
        if best is None:
            return self._not_known("unknown")
        name = "answer" if key == "faqs" else "content"
        return self._told(tool, {key: [{**best[1], name: best[0]}]})

    def _failed(self, response: ToolResponse) -> str:
        own = response.meta.get("say")
        return own if isinstance(own, str) and own else f"{self._words.say('could_not')} {self._talk.instead()}"

    def _not_known(self, phrase: str) -> str:
        label = "" if self._talk.is_labelled else f"{self._words.say('label')} "
        # Where something is being arranged, what is missing for that is asked again instead.
        instead = "" if self._talk.task else self._talk.instead()
        return f"{self._words.say(phrase)} {label}{instead}".strip()


def _of(openings: Sequence[Opening]) -> _Openings:
    return [(f"{o.opens:%H:%M}", "24:00" if o.closes.microsecond else f"{o.closes:%H:%M}") for o in openings]


def _pairs(openings: Sequence[JsonObject]) -> _Openings:
    return [(str(o["opens"]), str(o["closes"])) for o in openings]


def answer_in(
    results: Sequence[JsonObject],
    question: str,
    words: LanguageVocabulary,
    topics: Sequence[Topic],
    *,
    is_question: bool = True,
) -> tuple[str, JsonObject] | None:
    """Return the words that answer a question, and the result that they are from; None where none does.

    Args:
        results: What was found, best first: `title`, and the text under `text`, `answer` or `content`.
        question: In the caller's words.
        words: The language.
        topics: What it was recognised to be about, most clearly first.
        is_question: Whether it is put as one; who only says what has happened needs a text from its beginning.
    """
    asked = tuple(words.telling(words.words(question)))
    about = [(tuple(words.telling(words.words(topic.ask))), fold(topic.ask)) for topic in topics[:_TOPICS]]
    best: tuple[float, str, JsonObject] | None = None
    for rank, result in enumerate(results):
        title, text = str(result.get("title") or result.get("question") or ""), _text(result)
        if not text:
            continue
        alike = _likeness(asked, title, text)
        topic = 0.0
        for rank_of_topic, (ask, phrase) in enumerate(about):
            # A title may hold nothing but words that tell little alone: "Do you come to me as well?"
            own = _likeness(ask, title, text) + (_TOPIC if phrase in fold(title) else 0.0)
            if fold(topics[rank_of_topic].name) == fold(str(result.get("topic") or title)):
                own += _TOPIC
            topic = max(topic, own / (1 + rank_of_topic))
        is_answer = topic >= _TOPICAL if about else _covered(asked, f"{title} {text}") >= _ENOUGH
        much = alike + topic - 0.05 * rank
        if is_answer and (best is None or much > best[0]):
            best = (much, text, result)
    if best is None:
        return None
    return _telling_part(best[1], asked if is_question else ()), best[2]


def _text(result: JsonObject) -> str:
    return next((str(result[name]) for name in ("answer", "text", "content") if result.get(name)), "")


# What a business has written is held against the same topics in every conversation.
@lru_cache(maxsize=2048)
def _likeness(asked: Sequence[str], title: str, text: str) -> float:
    """Return how much of what was asked is spoken of: 1 where all of it is, more where the title says so."""
    if not asked:
        return 0.0
    named, spoken = _plain(title), _plain(text)
    return sum(_TITLE if _speaks_of(word, named) else 1.0 if _speaks_of(word, spoken) else 0.0 for word in asked) / len(
        asked
    )


def _covered(asked: Sequence[str], text: str) -> float:
    """Return which part of what was asked is spoken of at all."""
    spoken = _plain(text)
    return sum(_speaks_of(word, spoken) for word in asked) / len(asked) if asked else 0.0


def _plain(text: str) -> list[str]:
    return re.findall(r"[\w']+", fold(text))


def _speaks_of(word: str, words: Sequence[str]) -> bool:
    # Longer words have longer endings: "working" and "works".
    stem = word[: max(_STEM, len(word) - (3 if len(word) > _WITHIN else 2))]
    if len(word) < _STEM:
        return word in words
    return any(w.startswith(stem) or (len(w) >= _STEM and stem.startswith(w)) or _holds(w, word) for w in words)


def _holds(compound: str, word: str) -> bool:
    """Tell whether one is a part of the other, as "Platz" and "Parkplatz" are."""
    short, long = (compound, word) if len(compound) <= len(word) else (word, compound)
    return len(short) >= _WITHIN and short[: len(short) - 1] in long


def _telling_part(text: str, asked: Sequence[str]) -> str:
    """Return a short text whole, and of a long one the sentences that speak most of what was asked."""
    text = " ".join(text.split())
    if len(text) <= _WHOLE:
        return text
    sentences = _SENTENCE.split(text)
    spoken = [frozenset(word for word in asked if _speaks_of(word, _plain(sentence))) for sentence in sentences]
    begins = range(max(1, len(sentences) - _MOST_SENTENCES + 1))
    # Of equal ones the first, which is where a text says what it is about.
    first = max(begins, key=lambda at: (*_telling(spoken[at : at + _MOST_SENTENCES]), -at))
    if len(frozenset().union(*spoken[first : first + _MOST_SENTENCES])) < min(2, len(asked)):
        # One word alone may stand anywhere by chance.
        first = 0
    part = sentences[first : first + _MOST_SENTENCES]
    while len(part) > 1 and sum(map(len, part)) > _LONGEST:
        part = part[:-1] if len(spoken[first + len(part) - 1]) <= len(spoken[first]) else part[1:]
    return " ".join(part)


def _telling(spoken: Sequence[frozenset[str]]) -> tuple[int, int]:
    """Return how many words sentences speak of together, and how many the one that speaks of most does."""
    return len(frozenset().union(*spoken)), max(map(len, spoken), default=0)
