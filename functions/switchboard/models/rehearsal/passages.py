"""Which of the texts that a search has found answers a question, and which sentences of it."""

import re
from collections.abc import Sequence

from switchboard.contract.json import JsonObject
from switchboard.models.rehearsal.vocabulary import LanguageVocabulary, Topic, fold

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\u00c0-\u00dd\"\u201e\u00bf\u00a1\d])")
# Words are held against each other by their beginnings, or found within compounds, from this length on.
_STEM, _WITHIN = 4, 6
_WHOLE, _MOST_SENTENCES, _LONGEST = 330, 4, 420
# Of what a question names at least this much has to be spoken of, where its topic is not known.
_ENOUGH, _TOPICAL = 0.6, 0.5
_TITLE, _TOPIC, _TOPICS = 2.0, 3.0, 2


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
    asked = words.telling(words.words(question))
    about = [(words.telling(words.words(topic.ask)), fold(topic.ask)) for topic in topics[:_TOPICS]]
    best: tuple[float, str, JsonObject] | None = None
    for rank, result in enumerate(results):
        title, text = str(result.get("title") or result.get("question") or ""), _text(result)
        if not text:
            continue
        found = _likeness(asked, title, text)
        topic = 0.0
        for rank_of_topic, (ask, phrase) in enumerate(about):
            # A title may hold nothing but words that tell little alone: "Do you come to me as well?"
            own = _likeness(ask, title, text) + (_TOPIC if phrase in fold(title) else 0.0)
            if fold(topics[rank_of_topic].name) == fold(str(result.get("topic") or title)):
                own += _TOPIC
            topic = max(topic, own / (1 + rank_of_topic))
        is_answer = topic >= _TOPICAL if about else _covered(asked, f"{title} {text}") >= _ENOUGH
        much = found + topic - 0.05 * rank
        if is_answer and (best is None or much > best[0]):
            best = (much, text, result)
    if best is None:
        return None
    return _telling_part(best[1], asked if is_question else ()), best[2]


def _text(result: JsonObject) -> str:
    return next((str(result[name]) for name in ("answer", "text", "content") if result.get(name)), "")


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
    short, long = sorted((compound, word), key=len)
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
