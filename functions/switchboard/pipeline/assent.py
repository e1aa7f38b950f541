"""Whether a caller agreed to a question that is known, whatever else they said of it.

Beside what `answer_words` understands, a yes may say again what the question says: its deed, service, person, day and
time. Everything must still be accounted for: each word belongs to a known phrase or to the question, none refuses,
narrows or asks, and one agrees. So another time, another service, a "but" and whatever is unheard of are no yes. A
caller may answer in another language than the business's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Literal, TypeAlias

from switchboard.pipeline.answer_words import PHRASES, Reply, Sense, breaks_off, plain_words, understood
from switchboard.pipeline.assent_asides import (
    ALREADY_SAID,
    BAD_SIGNS,
    DOUBTS,
    GOOD_SIGNS,
    KIND_SIGNS,
    NOISES,
    agreeing_frames,
    said_frames,
)
from switchboard.pipeline.assent_words import (
    DEEDS_MORE,
    GLUE,
    MORE,
    NEVER_NAMED,
    OBJECTS,
    THINGS,
)
from switchboard.pipeline.deed_words import DEEDS, deed_phrases
from switchboard.pipeline.joint_words import (
    ALL_OF_THEM,
    DEEDS_TO_ALL,
    NONE_OF_THEM,
    ONE_OF_THEM,
    TWO,
    TWO_OR_TWO_O_CLOCK,
)
from switchboard.pipeline.spoken_moments import LANGUAGES, moment_of, names_time, spoken

_Role: TypeAlias = Sense | Literal["named", "time", "glue", "towards", "object"]
Phrases: TypeAlias = Mapping[tuple[str, ...], _Role]

LONGEST_ANSWER = 300
# An e-mail is read out within its question: what it says is nobody's answer.
_LONGEST_NAMED = 40
_SHORTEST_NAMED = 3
# Somebody who stutters begins a short word twice; "no no" and "si si" are said on purpose.
_STUTTERED = 5
_BRACKETED = re.compile(r"[\[(<*{]([^\[\](){}<>*]{1,40})[\])>*}]")
_MODIFIERS = re.compile("[\ufe0e\ufe0f\u200d\U0001f3fb-\U0001f3ff\u2640\u2642]")
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
# "So Friday at ten": whoever concludes that has not understood that it is to be cancelled.
_HENCE = frozenset(plain_words("so then also dann alors donc entonces pues allora dunque dan dus então"))
# "Fine, Friday at ten" may be said by whoever means to come: beside a time only a plain yes, or the deed, agrees.
_PLAIN_YES = frozenset(plain_words("yes yeah yep yup yea aye ye ja jo jawohl jep jup sí oui ouais sì sim"))
# What is moved goes to its new time: "from Monday" speaks of another one.
_FROM = frozenset(plain_words("from de del du da do dal von vom van"))
_LEADING = frozenset({"glue", "object", "towards", "named"})
# An hour that "the two" may mean as well.
_AT_TWO = re.compile(r"\b(?:0?2|14)(?::\d\d|h)")
# Whoever asks for the deed that was asked about wants it; the deed alone may be what they understood ("cancel it").
_PLEASE = frozenset(
    plain_words("please pls plz bitte porfavor favor xfa porfa plait svp stp prego piacere favore alstublieft")
)
# Beside the day or the service of an appointment they say that somebody means to come: "yes, Friday works, as agreed".
_COMING = frozenset(
    plain_words(
        """works work suits suit agreed discussed arranged planned happy good fine great perfect passt gut vereinbart
        besprochen abgemacht viene va bien quedamos acordado convenu prévu comme convient preneur preneuse bem combinado
        afgesproken goed past"""
    )
)
# "Cancel that" may be said of what is about to be done.
_POINTED_AT = frozenset(plain_words("that this das dies eso esto ça cela questo isso dat dit"))
# The beginnings of words that name a deed; whoever names it may want it, however they put it ("I'd rather cancel it").
_DEED_WORDS = {
    "cancelled": re.compile("cancel|absag|storn|streich|losch|anul|annul|supprim|disdi|desmarc|afzeg|schrap"),
    "moved": re.compile(
        r"mov|reschedul|verschieb|verleg|cambi|aplaz|deplac|report|decal|spost|remarc|adi(?:e|ar|a)\b|verzet|verplaats"
    ),
}
_WILLING = frozenset(
    plain_words("sure fine ok okay great perfect gern gerne gut klar vale dale claro bien bueno parfait certo")
)
_SAID_AGAIN = frozenset({"yes", "deed", "named", "time", "glue", "towards", "object"})


def answer_to(text: str, language: str, question: str, deeds: Sequence[str] | None) -> Reply:
    """Return what a spoken or typed answer says to a question that was put.

    Args:
        text: The whole utterance, as transcribed or typed.
        language: The business's, in which it was asked; the caller may answer in another.
        question: What was asked, as the caller was told.
        deeds: What was asked about, as in `answer_words.understood`.
    """
    words = _words_of(text)
    own = re.split("[-_]", language.casefold())[0]
    own = own if own in PHRASES else "en"
    plain = understood(text, language, deeds)
    if plain != "unclear" or words is None:
        return plain
    about = tuple(DEEDS) if deeds is None else tuple(deed for deed in DEEDS if deed in deeds)
    languages = (own, *(other for other in LANGUAGES if other != own))
    is_moved = "moved" in about
    asks = _asks_for(words, about)
    found = [
        _judged(words, *_vocabulary(own, other, about, question), is_moved=is_moved, asks=asks) for other in languages
    ]
    reply: Reply = next((reply for reply in ("yes", "no") if reply in found), "unclear")
    return "no" if reply == "unclear" and _is_in_doubt(text, words, own, about) else reply


def answer_to_all(text: str, language: str, question: str, deeds: Sequence[str]) -> Reply:
    """Return what an answer says to a question about several calls: a yes is to all of them, or it is none.

    So nothing that the question names may be said again, since it may mean that one alone ("yes, Friday's").

    Args:
        text: The whole utterance, as transcribed or typed.
        language: The business's, in which it was asked; the caller may answer in another.
        question: What was asked, as the caller was told.
        deeds: What all of them do; empty where they do different things.
    """
    plain, words = understood(text, language, ()), _words_of(text)
    if plain == "no":
        return plain
    if words is None or not ONE_OF_THEM.isdisjoint(words):
        return "unclear"
    if plain == "yes":
        return plain
    own = re.split("[-_]", language.casefold())[0]
    own = own if own in PHRASES else "en"
    names_two = _AT_TWO.search(question) is not None
    languages = (own, *(other for other in LANGUAGES if other != own))
    known = [_known_of_all(own, spoken_in, tuple(deeds), names_two) for spoken_in in languages]
    found = [_judged(words, phrases, frozenset(), is_moved=False) for phrases in known]
    return next((reply for reply in ("yes", "no") if reply in found), "unclear")


def _is_in_doubt(text: str, words: Sequence[str], language: str, deeds: tuple[str, ...]) -> bool:
    """Tell whether words weigh something else than what was asked, and neither agree to that nor name it."""
    # Among words without accents a "sí" cannot be told from a "si".
    if words[0] in _PLAIN_YES | _WILLING or "sí" in text.casefold() or not (_PLAIN_YES - {"si"}).isdisjoint(words):
        return False
    spoken_in = tuple(dict.fromkeys(("en", language)))
    named = [_DEED_WORDS[deed] for deed in deeds if deed in _DEED_WORDS]
    if any(beginning.match(word) for beginning in named for word in words):
        return False
    said = f" {' '.join(words)} "
    return any(f" {phrase} " in said for own in spoken_in for phrase in _doubts(own))


@cache
def _doubts(language: str) -> frozenset[str]:
    return frozenset(" ".join(phrase) for phrase in _split(DOUBTS[language]))


@cache
def _known_of_all(own: str, spoken_in: str, deeds: tuple[str, ...], names_two: bool) -> Phrases:
    """Return the phrases of a language that answer for several calls at once."""
    # Without the little words, which lead to one of them.
    phrases = {key: role for key, role in _known(own, spoken_in, ()).items() if role not in _LEADING}
    for language in dict.fromkeys(("en", spoken_in)):
        agreeing = f"{ALL_OF_THEM[language]}, {TWO_OR_TWO_O_CLOCK.get(language, '')}"
        naming = ",".join(DEEDS_TO_ALL.get(deed, {}).get(language, "") for deed in deeds)
        told: dict[tuple[str, ...], _Role] = dict.fromkeys(_split(agreeing), "yes")
        told.update(dict.fromkeys(_split(naming), "deed"))
        told.update(dict.fromkeys(_split(NONE_OF_THEM[language]), "no"))
        phrases |= {key: role for key, role in told.items() if not (names_two and TWO.intersection(key))}
    return phrases


def _words_of(text: str) -> list[str] | None:
    """Return the words of an answer without noises and friendly signs; None where it can be no yes."""
    if len(text) > LONGEST_ANSWER or breaks_off(text):
        return None
    heard = _MODIFIERS.sub("", _BRACKETED.sub(_without_noise, text))
    for signs, meaning in ((GOOD_SIGNS, " thumbsup "), (BAD_SIGNS, " thumbsdown "), (KIND_SIGNS, " ")):
        heard = "".join(meaning if character in signs else character for character in heard)
    words = _unstuttered(plain_words(heard))
    return None if "?" in words or not words else words


def _unstuttered(words: Sequence[str]) -> list[str]:
    """Return words without those that were begun twice: "i i said"; what is said twice on purpose stays."""
    return [
        word
        for n, word in enumerate(words)
        if not n or word != words[n - 1] or len(word) > _STUTTERED or word in _PLAIN_YES
    ]


def _without_noise(match: re.Match[str]) -> str:
    return " " if _noises().issuperset(plain_words(match[1])) else match[0]


@cache
def _noises() -> frozenset[str]:
    return frozenset(plain_words(NOISES))


def _asks_for(words: Sequence[str], deeds: tuple[str, ...]) -> bool:
    """Tell whether somebody asks for the one deed by its name: "please cancel it", and not "please cancel that"."""
    beginnings = [_DEED_WORDS[deed] for deed in deeds if deed in _DEED_WORDS]
    is_named = len(deeds) == 1 and any(beginning.match(word) for beginning in beginnings for word in words)
    return is_named and not _PLEASE.isdisjoint(words) and _POINTED_AT.isdisjoint(words)


def _judged(
    words: Sequence[str], phrases: Phrases, named: frozenset[str], *, is_moved: bool, asks: bool = False
) -> Reply:
    """Return what the words mean, by phrases and by what the question names; a deed that somebody asks for is a yes."""
    roles = list(_roles(words, phrases, named))
    said = [role for role in roles if role != "filler"]
    if said and set(said) == {"no"}:
        return "no"
    while said and said[0] in ("hesitation", "surprise"):
        del said[0]
    if not said or said[-1] in ("hesitation", "glue", "towards"):
        return "unclear"
    if not is_moved and not _COMING.isdisjoint(words) and not {"time", "named"}.isdisjoint(said):
        return "unclear"
    if "time" in said and not is_moved:
        is_plain = "deed" in said or not _PLAIN_YES.isdisjoint(words)
        if not is_plain or not _HENCE.isdisjoint(words):
            return "unclear"
    needed = 2 if "surprise" in roles else 1
    said = [role for role in said if role != "hesitation"]
    yeses = said.count("yes") + (asks and "deed" in said)
    if not set(said) <= _SAID_AGAIN or yeses < 1 or said.count("yes") + said.count("deed") < needed:
        return "unclear"
    # What comes before a yes may be a question whose mark nobody hears: "at ten, yes?"
    is_led_by_yes = said[0] in ("yes", "deed") or said.count("yes") > 1 or "filler" in roles
    return "yes" if is_led_by_yes and _is_whole(said, is_moved=is_moved) else "unclear"


def _is_whole(said: Sequence[_Role], *, is_moved: bool) -> bool:
    """Tell whether each small word leads to what the question names, rather than to something left out."""
    for before, role, then in zip(("yes", *said), said, (*said[1:], "yes"), strict=False):
        leads = then in ("glue", "towards", "object", "named", "time", "deed")
        if role == "towards" and then == "time" and not is_moved:
            return False
        if (role in ("glue", "towards") and not leads) or (
            role == "object" and not leads and before not in ("named", "time", "deed")
        ):
            return False
    return True


def _roles(words: Sequence[str], phrases: Phrases, named: frozenset[str]) -> Iterator[_Role]:
    """Yield what each phrase does, the longest first; a word that nobody knows is vague."""
    longest, at = max(map(len, phrases)), 0
    while at < len(words):
        lengths = range(min(longest, len(words) - at), 0, -1)
        length = next((n for n in lengths if tuple(words[at : at + n]) in phrases), 0)
        if length:
            role = phrases[tuple(words[at : at + length])]
            # "Also, ja" hesitates, and "yes, also" goes on.
            yield "vague" if role == "hesitation" and at and words[at] in _narrowing() else role
        else:
            yield "named" if {words[at], words[at].removesuffix("s")} & named else "vague"
        at += length or 1


def _vocabulary(own: str, spoken_in: str, deeds: tuple[str, ...], question: str) -> tuple[Phrases, frozenset[str]]:
    """Return the phrases of a language, with the question's time said in it, and what else the question names."""
    phrases: dict[tuple[str, ...], _Role] = dict(_known(own, spoken_in, deeds))
    plain = _plain(question)
    moment = moment_of(plain, is_moved="moved" in deeds)
    if moment is not None:
        said = {phrase for language in ("en", spoken_in) for phrase in spoken(moment, language)}
        # A number may be a word of another sense ("six" in French and English): a time never hides a refusal.
        phrases |= {phrase: "time" for phrase in said if phrases.get(phrase) not in ("no", "vague")}
    return phrases, named_in(question)


@lru_cache(maxsize=64)
def _plain(text: str) -> str:
    # `plain_words` leaves the marks out that tell an hour from its minutes.
    return " ".join(" ".join(plain_words(part)) if ":" not in part else part.casefold() for part in text.split())


_TABLES: Sequence[Mapping[Any, str]] = (*PHRASES.values(), *MORE.values())


@cache
def _narrowing() -> frozenset[str]:
    return frozenset(plain_words(NEVER_NAMED))


@cache
def _never_named() -> frozenset[str]:
    times = frozenset(word for language in LANGUAGES for word in names_time(language))
    refusals = {
        word
        for table in _TABLES
        for sense, told in table.items()
        if sense in ("no", "vague", "surprise", "hesitation")
        for phrase in told.split(",")
        for word in plain_words(phrase)
    }
    small = frozenset(word for table in (GLUE, OBJECTS) for words in table.values() for word in words.split())
    return _narrowing() | times | refusals | small | _FROM


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
def _known(own: str, spoken_in: str, deeds: tuple[str, ...]) -> Phrases:
    """Return the phrases of English and of a language; the business's own has the last word where it does not agree."""
    phrases: dict[tuple[str, ...], _Role] = {}
    # The little words of a language are small in no other: Dutch "of" is "or", Italian "ma" is "but".
    for words, role in ((GLUE, "glue"), (OBJECTS, "object")):
        for word in words[spoken_in].split():
            is_from = "moved" in deeds and word in _FROM
            if not is_from and (own == spoken_in or word not in _narrowing()):
                phrases[(word,)] = "towards" if word in _TOWARDS else role  # type: ignore[assignment]
    for language in dict.fromkeys(("en", spoken_in)):
        phrases |= dict.fromkeys(_split(THINGS[language]), "named")
        for deed in deeds:
            for told in deed_phrases(deed, language).values():
                phrases |= {tuple(plain_words(phrase)): "deed" for phrase in told}
            phrases |= dict.fromkeys(_split(DEEDS_MORE[deed].get(language, "")), "deed")
    for language in dict.fromkeys(("en", spoken_in)):
        phrases |= dict.fromkeys((*_split(ALREADY_SAID[language]), *said_frames(language)), "filler")
        phrases |= dict.fromkeys(agreeing_frames(language), "yes")
        for table in (MORE[language], PHRASES[language]):
            for sense, told in table.items():
                phrases |= {key: sense for key in _split(told) if language == own or not _is_false_friend(key, sense)}
    refusing: dict[tuple[str, ...], _Role] = {
        key: sense
        for table in (PHRASES["en"], MORE[own], PHRASES[own])
        for sense, told in table.items()
        if sense in ("no", "vague", "surprise")
        for key in _split(told)
    }
    return phrases | refusing | {("thumbsup",): "yes", ("thumbsdown",): "no"}


def _is_false_friend(key: tuple[str, ...], sense: str) -> bool:
    if sense in ("filler", "hesitation") and len(key) == 1:
        return key[0] in _FALSE_FRIENDS or key[0] in _narrowing()
    return sense in ("yes", "deed") and key[0] in _FALSE_FRIENDS


def _split(phrases: str) -> Iterator[tuple[str, ...]]:
    return (key for phrase in phrases.split(",") if (key := tuple(plain_words(phrase))))
