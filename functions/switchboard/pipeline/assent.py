"""Whether a caller agreed to a question that is known, whatever else they said of it.

Beside what `answer_words` understands, a yes may say again what the question says: its deed, service, person, day and
time. Everything must still be accounted for: each word belongs to a known phrase or to the question, none refuses,
narrows or asks, and one agrees. So another time, another service, a "but" and whatever is unheard of are no yes. A
caller may answer in another language than the business's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from switchboard.pipeline.answer_words import PHRASES, Reply, breaks_off, plain_words, understood
from switchboard.pipeline.asked_times import AskedDays
from switchboard.pipeline.assent_asides import BAD_SIGNS, DOUBTS, GOOD_SIGNS, KIND_SIGNS, NOISES
from switchboard.pipeline.assent_phrases import (
    LEADING,
    Role,
    Vocabulary,
    narrowing_words,
    split_phrases,
    things_named,
    vocabulary_of,
    vocabulary_of_all,
)
from switchboard.pipeline.deed_words import DEEDS
from switchboard.pipeline.joint_words import ONE_OF_THEM
from switchboard.pipeline.spoken_moments import LANGUAGES

LONGEST_ANSWER = 300
# Somebody who stutters begins a short word twice; "no no" and "si si" are said on purpose.
_STUTTERED = 5
_BRACKETED = re.compile(r"[\[(<*{]([^\[\](){}<>*]{1,40})[\])>*}]")
_MODIFIERS = re.compile("[\ufe0e\ufe0f\u200d\U0001f3fb-\U0001f3ff\u2640\u2642]")
# "So Friday at ten": whoever concludes that has not understood that it is to be cancelled.
_HENCE = frozenset(plain_words("so then also dann alors donc entonces pues allora dunque dan dus então"))
# "Fine, Friday at ten" may be said by whoever means to come: beside a time only a plain yes, or the deed, agrees.
_PLAIN_YES = frozenset(plain_words("yes yeah yep yup yea aye ye ja jo jawohl jep jup sí oui ouais sì sim"))
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
_THIS = frozenset(plain_words("this diesen diesem este esta ce questo questa deze"))
# Beside a time, what orders may say when to do it.
_DOING = frozenset(
    plain_words(
        """do go proceed mach machen macht machens tun tu erledigen los haga hágalo hazlo haz proceda siga adelante dale
        faites fais faire allez vas procédez continuez faccia fai proceda procedi doe doen ga faça pode prossiga"""
    )
)
# What a day is where it says of what, and not when, something is done.
_OF_DAYS: Mapping[Role, Role] = {"day": "time", "day deed": "deed", "day of it": "time", "day of deed": "deed"}


_SAID_AGAIN = frozenset({"yes", "deed", "named", "time", "glue", "towards", "object"})


def answer_to(
    text: str, language: str, question: str, deeds: Sequence[str] | None, days: AskedDays | None = None
) -> Reply:
    """Return what a spoken or typed answer says to a question that was put.

    Args:
        text: The whole utterance, as transcribed or typed.
        language: The business's, in which it was asked; the caller may answer in another.
        question: What was asked, as the caller was told.
        deeds: What was asked about, as in `answer_words.understood`.
        days: When that is, for who names it from today ("tomorrow's"); without it nobody can.
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
        _judged(words, vocabulary_of(own, other, about, question, days), is_moved=is_moved, asks=asks)
        for other in languages
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
    known = [vocabulary_of_all(own, spoken_in, tuple(deeds), names_two) for spoken_in in languages]
    found = [_judged(words, vocabulary, is_moved=False) for vocabulary in known]
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
    return frozenset(" ".join(phrase) for phrase in split_phrases(DOUBTS[language]))


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


def _judged(words: Sequence[str], vocabulary: Vocabulary, *, is_moved: bool, asks: bool = False) -> Reply:
    """Return what the words mean, by phrases and by what the question names; a deed that somebody asks for is a yes."""
    roles = list(_roles(words, vocabulary, is_moved=is_moved))
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
        is_hence = "deed" not in said and not _HENCE.isdisjoint(words)
        if not is_plain or is_hence:
            return "unclear"
    needed = 2 if "surprise" in roles else 1
    said = [role for role in said if role != "hesitation"]
    yeses = said.count("yes") + (asks and "deed" in said)
    if not set(said) <= _SAID_AGAIN or yeses < 1 or said.count("yes") + said.count("deed") < needed:
        return "unclear"
    # What comes before a yes may be a question whose mark nobody hears: "at ten, yes?"
    is_led_by_yes = said[0] in ("yes", "deed") or said.count("yes") > 1 or "filler" in roles
    return "yes" if is_led_by_yes and _is_whole(said, is_moved=is_moved) else "unclear"


def _is_whole(said: Sequence[Role], *, is_moved: bool) -> bool:
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


def _says_of_what(role: Role, before: str, order: str, behind: str) -> bool:
    """Tell whether a day says of what something is done, by the role and the word before it."""
    match role:
        case "day":
            return not order
        case "day deed":
            return not order and before not in LEADING
        case "day of it":
            return behind in things_named()
    return before == "deed"


def _roles(words: Sequence[str], vocabulary: Vocabulary, *, is_moved: bool) -> Iterator[Role]:
    """Yield what each phrase does, the longest first; a word that nobody knows is vague."""
    phrases, at = vocabulary.phrases, 0
    before, order = "", ""
    while at < len(words):
        lengths = range(min(vocabulary.longest, len(words) - at), 0, -1)
        length = next((n for n in lengths if tuple(words[at : at + n]) in phrases), 0)
        if (
            length > 1
            and tuple(words[at + length - 1 : at + length + 1]) in phrases
            and words[at + length - 1] in _THIS
        ):
            # "Cancel this Friday's" is not "cancel this".
            length -= tuple(words[at : at + length - 1]) in phrases
        told = words[at : at + (length or 1)]
        if not length:
            role: Role = "named" if {words[at], words[at].removesuffix("s")} & vocabulary.named else "vague"
        else:
            role = phrases[tuple(told)]
            # "Also, ja" hesitates, and "yes, also" goes on.
            if role == "hesitation" and at and words[at] in narrowing_words():
                role = "vague"
            elif role in _OF_DAYS:
                behind = words[at - 1] if at else ""
                role = _OF_DAYS[role] if _says_of_what(role, before, order, behind) else "vague"
                role = "deed" if role == "time" and before == "deed" and is_moved else role
            elif role == "time" and order == "do" and not is_moved:
                role = "vague"
        yield role
        at += len(told)
        if role not in ("filler", "hesitation"):
            before = role
        if role not in ("filler", "hesitation", "glue", "towards", "object"):
            # "Do it on Friday" and "cancel it tomorrow", and not "yes, tomorrow at ten", say when to do it.
            is_doing = role == "yes" and not _DOING.isdisjoint(told)
            order = "do" if is_doing else "deed" if role == "deed" or not _PLAIN_YES.issuperset(told) else ""
