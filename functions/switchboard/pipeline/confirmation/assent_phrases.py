"""What the words of an answer may mean: phrases by language, and what the question that is answered names."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from switchboard.contract.python.dataclass import dataclass
from switchboard.pipeline.confirmation.asked_counts import counts_in, said_alone
from switchboard.pipeline.confirmation.asked_times import AskedDays
from switchboard.pipeline.confirmation.assent_asides import (
    ALREADY_SAID,
    CARELESS,
    YES_TO_A_QUESTION,
    agreeing_frames,
    better_phrases,
    regretting_frames,
    reluctant_phrases,
    resigning_frames,
    said_frames,
)
from switchboard.pipeline.confirmation.assent_remarks import remarks
from switchboard.pipeline.confirmation.assent_words import DEEDS_MORE, GLUE, MORE, NEVER_NAMED, OBJECTS, THINGS
from switchboard.pipeline.confirmation.consent import PHRASES, Sense, plain_words
from switchboard.pipeline.confirmation.deed_words import DEED_STEMS, deed_phrases
from switchboard.pipeline.confirmation.hums import hums_between
from switchboard.pipeline.confirmation.joint_words import (
    ALL_OF_THEM,
    DEEDS_TO_ALL,
    NONE_OF_THEM,
    TWO,
    TWO_OR_TWO_O_CLOCK,
)
from switchboard.pipeline.confirmation.relative_days import DayRole, day_phrases
from switchboard.pipeline.confirmation.spoken_moments import LANGUAGES, bare_hours, moment_of, names_time, spoken

Role: TypeAlias = (
    Sense
    | Literal[
        "named", "time", "glue", "towards", "object", "regret", "remark", "turn", "count", "hour", "number", "reluctant"
    ]
    | DayRole
)
Phrases: TypeAlias = Mapping[tuple[str, ...], Role]

# An e-mail is read out within its question: what it says is nobody's answer.
_LONGEST_NAMED = 40
_SHORTEST_NAMED = 3
_SENTENCES = re.compile(r"(?<=[.!?:])\s+")
# Said of one thing in one language and of another in the next, so that only the business's own speakers mean it.
_FALSE_FRIENDS = frozenset(
    plain_words(
        """ya aha so prima fine aja toll fein sale top siga pois eben mai hecho legal show bora vale bon tia mooi fijn
        certo da"""
    )
)
# Before a time they lead to it, as nothing does that is not moved there: "à vendredi" is "see you on Friday".
_TOWARDS = frozenset(plain_words("to for a al au ao auf für zu zum naar para pra pour per"))
# What is moved goes to its new time: "from Monday" speaks of another one.
_FROM = frozenset(plain_words("from de del du da do dal von vom van"))
# "Yes, I hate to, but go ahead": what turns back to the yes, and to nothing else.
_TURNS: Mapping[str, str] = {"en": "but", "de": "aber", "es": "pero", "fr": "mais"}
_AND = frozenset(plain_words("and und y et e en"))
# Whoever asks for the deed that was asked about wants it, though the deed alone may be what they understood.
PLEASE = frozenset(
    plain_words("please pls plz bitte porfavor favor xfa porfa plait svp stp prego piacere favore alstublieft")
)
# Behind what is to be done they conclude it: "move it then"; anywhere else something else may follow.
THEN = frozenset(plain_words("then dann entonces alors allora dan então"))
_CLOSING = PLEASE | frozenset(
    plain_words("thank thanks you danke gracias por merci s il vous te grazie dank u obrigado")
)
# Before a number they lead to people as well as to an hour.
_FOR = frozenset(plain_words("for für para pour per voor pra"))
_OCLOCK = frozenset(plain_words("uhr uur o'clock hora horas heure heures h ora ore am pm"))
LEADING = frozenset({"glue", "object", "towards", "named"})
_TABLES: Sequence[Mapping[Any, str]] = (*PHRASES.values(), *MORE.values())


@dataclass(frozen=True, slots=True)
class AssentVocabulary:
    """What the words of an answer may mean: by phrases, of which the longest has so many words, and by a question.

    Attributes:
        phrases: What each does.
        named: What else the question names.
        longest: So many words the longest of the phrases has.
        hums: What says nothing between two words.
        is_counted: Whether the question changes how many come, and nothing of when.
    """

    phrases: Phrases
    named: frozenset[str]
    longest: int
    hums: frozenset[str]
    is_counted: bool = False


@lru_cache(maxsize=64)
def vocabulary_of(
    own: str, spoken_in: str, deeds: tuple[str, ...], question: str, days: AskedDays | None
) -> AssentVocabulary:
    """Return the phrases of a language, with the question's time said in it, and what else the question names."""
    phrases: dict[tuple[str, ...], Role] = dict(_known(own, spoken_in, deeds))
    plain = _plain(question)
    moment = moment_of(plain, is_moved="moved" in deeds)
    if moment is not None:
        spoken_phrases = {phrase for language in ("en", spoken_in) for phrase in spoken(moment, language)}
        # A number may be a word of another sense ("six" in French and English): a time never hides a refusal.
        phrases |= {phrase: "time" for phrase in spoken_phrases if phrases.get(phrase) not in ("no", "vague")}
    for language in dict.fromkeys(("en", spoken_in)):
        phrases |= day_phrases(days, deeds, language)
    counts = counts_in(plain, _capitals(question))
    named = named_in(question) - counts.words
    phrases |= dict.fromkeys((*counts.phrases, *_joined(question, named)), "named")
    languages = tuple(dict.fromkeys(("en", spoken_in)))
    if counts.people and moment is not None:
        hours = {hour for language in languages for hour in bare_hours(moment, language)}
        phrases |= {hour: "hour" for hour in hours if phrases.get(hour) == "time"}
    changes_to = counts.changes_to if "moved" in deeds else None
    if changes_to is not None:
        alone = {phrase for language in languages for phrase in said_alone(changes_to, language)}
        for phrase in alone:
            if phrases.get(phrase) not in ("no", "vague"):
                phrases[phrase] = "number" if phrases.get(phrase) == "hour" else "count"
        phrases |= dict.fromkeys(counts.phrases, "count")
        phrases[("right",)] = "yes"
    hums = hums_between(own, spoken_in)
    return AssentVocabulary(phrases, named, max(map(len, phrases)), hums, changes_to is not None)


def _capitals(question: str) -> frozenset[str]:
    """Return the words of a question that are written as names are, but for those with which a sentence begins."""
    words = question.split()
    behind = (then for before, then in pairwise(words) if before[-1] not in ".?!:")
    return frozenset(plain for word in behind if word.strip("„“”«»\"'")[:1].isupper() for plain in plain_words(word))


def _joined(question: str, named: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """Yield the names of a question that an "and" joins, as they stand there: "haircut and beard"."""
    words = plain_words(question)
    for first, joint, last in zip(words, words[1:], words[2:], strict=False):
        if joint in _AND and first in named and last in named:
            yield first, joint, last


@lru_cache(maxsize=64)
def _plain(text: str) -> str:
    # `plain_words` leaves the marks out that tell an hour from its minutes.
    return " ".join(" ".join(plain_words(part)) if ":" not in part else part.casefold() for part in text.split())


@cache
def narrowing_words() -> frozenset[str]:
    """Return the words that narrow, turn round, delay, ask or alter."""
    return frozenset(plain_words(NEVER_NAMED))


@cache
def _never_named() -> frozenset[str]:
    times = frozenset(word for language in LANGUAGES for word in names_time(language))
    refusals = {
        word
        for table in _TABLES
        for sense, phrases in table.items()
        if sense in ("no", "vague", "surprise", "hesitation")
        for phrase in phrases.split(",")
        for word in plain_words(phrase)
    }
    small = frozenset(word for table in (GLUE, OBJECTS) for words in table.values() for word in words.split())
    return narrowing_words() | times | refusals | small | _FROM


@cache
def things_named() -> frozenset[str]:
    """Return the words for what a deed is done to, whatever the question calls it."""
    return frozenset(word for things in THINGS.values() for word in plain_words(things))


@cache
def named_in(question: str) -> frozenset[str]:
    """Return the words of a question by which a caller may name its service, its person and its verb."""
    asked = question
    if len(plain_words(question)) > _LONGEST_NAMED:
        asked = _SENTENCES.split(question.strip())[-1]
    words = plain_words(asked)
    return frozenset(
        word for word in words if len(word) >= _SHORTEST_NAMED and word.isalpha() and word not in _never_named()
    )


@cache
def _naming(deed: str, language: str) -> Sequence[tuple[str, ...]]:
    """Return the phrases that name a deed in a language."""
    named = [phrase for deed_words in deed_phrases(deed, language).values() for phrase in deed_words]
    return split_phrases(",".join((*named, DEEDS_MORE[deed].get(language, ""))))


@cache
def _framed(language: str) -> Phrases:
    """Return what a language says in frames, or has said before, beside a yes; and what agrees."""
    roles: dict[tuple[str, ...], Role] = dict.fromkeys(
        (*split_phrases(ALREADY_SAID[language]), *said_frames(language)), "filler"
    )
    roles |= dict.fromkeys((*regretting_frames(language), *split_phrases(CARELESS.get(language, ""))), "regret")
    roles |= dict.fromkeys(split_phrases(reluctant_phrases(language)), "reluctant")
    roles |= dict.fromkeys(resigning_frames(language), "deed")
    return roles | dict.fromkeys(agreeing_frames(language), "yes")


@cache
def _known(own: str, spoken_in: str, deeds: tuple[str, ...]) -> Phrases:
    """Return the phrases of English and of a language; the business's own has the last word where it does not agree."""
    phrases: dict[tuple[str, ...], Role] = {}
    # The little words of a language are small in no other: Dutch "of" is "or", Italian "ma" is "but".
    for words, role in ((GLUE, "glue"), (OBJECTS, "object")):
        for word in words[spoken_in].split():
            is_from = "moved" in deeds and word in _FROM
            if not is_from and (own == spoken_in or word not in narrowing_words()):
                phrases[(word,)] = "towards" if word in _TOWARDS else role  # type: ignore[assignment]
    for language in dict.fromkeys(("en", spoken_in)):
        phrases |= dict.fromkeys(split_phrases(THINGS[language]), "named")
        for deed in deeds:
            phrases |= dict.fromkeys(_naming(deed, language), "deed")
    for language in dict.fromkeys(("en", spoken_in)):
        phrases |= dict.fromkeys(remarks(language, deeds), "remark")
        phrases |= _framed(language)
        if "moved" in deeds:
            phrases |= dict.fromkeys(split_phrases(better_phrases(language)), "filler")
        for table in (MORE[language], PHRASES[language]):
            for sense, listed in table.items():
                phrases |= {
                    key: sense for key in split_phrases(listed) if language == own or not _is_false_friend(key, sense)
                }
    refusing: dict[tuple[str, ...], Role] = {
        key: sense
        for table in (PHRASES["en"], MORE[own], PHRASES[own])
        for sense, listed in table.items()
        if sense in ("no", "vague", "surprise")
        for key in split_phrases(listed)
    }
    for language in {own, spoken_in} & _TURNS.keys():
        refusing[(_TURNS[language],)] = "turn"
    phrases |= refusing | {("thumbsup",): "yes", ("thumbsdown",): "no"}
    # Said of nothing they could decline, and are a yes to a question that was put.
    return phrases | dict.fromkeys(split_phrases(YES_TO_A_QUESTION.get(own, "")), "yes")


def _is_false_friend(key: tuple[str, ...], sense: str) -> bool:
    if sense in ("filler", "hesitation") and len(key) == 1:
        return key[0] in _FALSE_FRIENDS or key[0] in narrowing_words()
    return sense in ("yes", "deed") and key[0] in _FALSE_FRIENDS


@cache
def split_phrases(phrases: str) -> Sequence[tuple[str, ...]]:
    """Return phrases that are separated by commas, each as plain words; the tables are read once."""
    return [key for phrase in phrases.split(",") if (key := tuple(plain_words(phrase)))]


@cache
def vocabulary_of_all(own: str, spoken_in: str, deeds: tuple[str, ...], names_two: bool) -> AssentVocabulary:
    """Return the phrases of a language that answer for several calls at once."""
    # Without the little words, which lead to one of them.
    phrases = {key: role for key, role in _known(own, spoken_in, ()).items() if role not in LEADING}
    for language in dict.fromkeys(("en", spoken_in)):
        agreeing = f"{ALL_OF_THEM[language]}, {TWO_OR_TWO_O_CLOCK.get(language, '')}"
        naming = ",".join(DEEDS_TO_ALL.get(deed, {}).get(language, "") for deed in deeds)
        agreeing_roles: dict[tuple[str, ...], Role] = dict.fromkeys(split_phrases(agreeing), "yes")
        agreeing_roles.update(dict.fromkeys(split_phrases(naming), "deed"))
        agreeing_roles.update(dict.fromkeys(split_phrases(NONE_OF_THEM[language]), "no"))
        phrases |= {key: role for key, role in agreeing_roles.items() if not (names_two and TWO.intersection(key))}
    return AssentVocabulary(phrases, frozenset(), max(map(len, phrases)), hums_between(own, spoken_in))


def number_role(
    role: Role, before: str, lead: Sequence[str], rest: Sequence[str], vocabulary: AssentVocabulary
) -> Role:
    """Return what a number is that may be one of people or of an hour, by what is around it: "for six", "at six"."""
    is_to_hour = before in ("glue", "object") or ("um" in lead and "um" not in vocabulary.hums)
    if role == "count" or (role == "number" and not is_to_hour):
        return "vague" if is_to_hour or not _OCLOCK.isdisjoint(rest[:1]) else "count"
    is_moved_there = before == "towards" and _FOR.isdisjoint(lead) and not vocabulary.is_counted
    return "time" if is_to_hour or is_moved_there or before == "time" else "vague"


def concludes(words: Sequence[str], at: int, before: str, *, is_done: bool, is_moved: bool) -> bool:
    """Tell whether a "then" ends what is to be done ("cancel it then"), or leads to a time: "yes, then Saturday"."""
    if not _CLOSING.issuperset(words[at + 1 :]):
        return is_moved
    is_named = before in ("named", "object", "time", "count")
    is_deed = any(stem.match(word) for word in words[:at] for stem in DEED_STEMS.values())
    return is_done or (is_named and (is_deed or (is_moved and before != "object")))
