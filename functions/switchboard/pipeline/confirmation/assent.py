"""Whether a caller agreed to a question that is known, whatever else they said of it.

Beside what `consent` understands, a yes may say again what the question says: its deed, service, person, day and
time. Everything must still be accounted for: each word belongs to a known phrase or to the question, none refuses,
narrows or asks, and one agrees. So another time, another service, a "but" and whatever is unheard of are no yes. A
caller may answer in another language than the business's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from switchboard.contract.business.languages import language_of
from switchboard.pipeline.confirmation.asked_times import AskedDays
from switchboard.pipeline.confirmation.assent_asides import DOUBTS
from switchboard.pipeline.confirmation.assent_phrases import (
    LEADING,
    PLEASE,
    THEN,
    AssentVocabulary,
    Role,
    concludes,
    narrowing_words,
    number_role,
    split_phrases,
    things_named,
    vocabulary_of,
    vocabulary_of_all,
)
from switchboard.pipeline.confirmation.consent import PHRASES, Reply, plain_words, understood
from switchboard.pipeline.confirmation.deed_words import DEED_STEMS, DEEDS, deed_phrases
from switchboard.pipeline.confirmation.hums import PLAIN_YES, without_hums, words_heard
from switchboard.pipeline.confirmation.joint_words import ONE_OF_THEM
from switchboard.pipeline.confirmation.other_languages import plain_reply
from switchboard.pipeline.confirmation.spoken_moments import LANGUAGES

# "So Friday at ten": whoever concludes that has not understood that it is to be cancelled.
_HENCE = frozenset(plain_words("so then also dann alors donc entonces pues allora dunque dan dus então"))
# An hour that "the two" may mean as well.
_AT_TWO = re.compile(r"\b(?:0?2|14)(?::\d\d|h)")
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
# Who asks whether, or why, asks for nothing: "please why not cancel", "soll ich den absagen bitte".
_ASKING = frozenset(
    plain_words(
        """why shall should warum wieso weshalb soll sollen sollte porque debo debería pourquoi dois devrais perché devo
        waarom moet devo"""
    )
)
_WHY = frozenset(plain_words("why warum wieso weshalb pourquoi perché waarom porque"))
# Before a deed they refuse it.
_REFUSING = frozenset(
    plain_words(
        """not dont doesnt didnt never cant cannot wont nicht kein keine nie no nunca jamás ne pas jamais non mai niet
        geen nooit não keep leave behalten lassen bleibt dejar déjelo mantener garder laissez"""
    )
)
# "Yes, but I told you" agrees, and "okay, but I told you" may not.
_OBJECTING = frozenset(plain_words("but aber pero mais"))
# Words of refusal that refuse nothing: that somebody cannot come, or does not mind.
_NO_REFUSAL = """
    i wont be there, i wont be around, i wont make it, i cant make it, i cant come, i cant be there, im not coming,
    not coming, no problem at all with that, no problem at all, no problem, no objections, no worries, ich komme nicht,
    ich kann nicht kommen, ich kann nicht, ich schaffe es nicht, kein problem, no puedo ir, no puedo, no voy a poder,
    no podré, hay inconveniente, hay problema, je ne peux pas, je ne peux pas venir, je ne viens pas, pas de problème,
    non posso venire, non posso, nessun problema, ik kan niet komen, ik kan niet, geen probleem, dat is geen probleem,
    geen enkel bezwaar, não posso ir, não posso, há problema
"""
# Behind these a "but" turns to the yes that follows it; behind anything else it may turn to an objection.
_SORRY = frozenset(plain_words("sorry siento perdón leid entschuldigung désolé désolée"))
_NO_VERB_FOLLOWS = frozenset(plain_words("nope nah nein nee neen nan"))
_FIRST_ALONE = re.compile(
    r"\W{0,3}[^\W\d_]{1,6}\s?[,.;!:]|no\s+(?:hay|há)\s|no\s+(?:i|we|problem|worries)\b", re.IGNORECASE
)
_WILLING = frozenset(
    plain_words("sure fine ok okay great perfect gern gerne gut klar vale dale claro bien bueno parfait certo")
)
# As one letter it is an "and" in Spanish, and says so only alone.
_TYPED_YES = ["y"]
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


_SAID_AGAIN = frozenset({"yes", "deed", "named", "count", "time", "glue", "towards", "object", "turn"})
# Without its accent and its comma a "sí" may be an "if": "si es mejor", "si son seis".
_IF = re.compile(
    r"\bsi (?:[^\W\d_]{1,20} ){0,4}(?:(?:es|ser[ií]a|est[aá]|viene|va|queda) (?:mucho )?mejor"
    r"|(?:son|somos|seremos|sean) )"
)


def answer_to(
    text: str, language: str, question: str, deeds: Sequence[str] | None, days: AskedDays | None = None
) -> Reply:
    """Return what a spoken or typed answer says to a question that was put.

    Args:
        text: The whole utterance, as transcribed or typed.
        language: The business's, in which it was asked; the caller may answer in another.
        question: What was asked, as the caller was told.
        deeds: What was asked about, as in `consent.understood`.
        days: When that is, for who names it from today ("tomorrow's"); without it nobody can.
    """
    words = words_heard(text)
    own = language_of(language)
    own = own if own in PHRASES else "en"
    plain = understood(text, language, deeds)
    if plain == "yes" or words is None or _IF.search(text.casefold()) is not None:
        return plain
    if words == _TYPED_YES and own == "en":
        return "yes"
    about = tuple(DEEDS) if deeds is None else tuple(deed for deed in DEEDS if deed in deeds)
    is_moved = "moved" in about
    known = [vocabulary_of(own, spoken_in, about, question, days) for spoken_in in dict.fromkeys((own, "en"))]
    if plain == "no":
        is_agreed = any(_agrees_behind_no(text, vocabulary, about) for vocabulary in known)
        return "unclear" if is_agreed else "no"
    asks = _asks_for(words, about)
    known += [vocabulary_of(own, other, about, question, days) for other in LANGUAGES if other not in (own, "en")]
    replies = [_judged(words, vocabulary, is_moved=is_moved, asks=asks) for vocabulary in known]
    reply: Reply = next((reply for reply in ("yes", "no") if reply in replies), "unclear")
    if reply == "unclear" and _is_in_doubt(text, words, own, about, known[:2]):
        return "no"
    return reply if reply != "unclear" else plain_reply(text, language_of(language))


def answer_to_all(text: str, language: str, question: str, deeds: Sequence[str]) -> Reply:
    """Return what an answer says to a question about several calls: a yes is to all of them, or it is none.

    So nothing that the question names may be said again, since it may mean that one alone ("yes, Friday's").

    Args:
        text: The whole utterance, as transcribed or typed.
        language: The business's, in which it was asked; the caller may answer in another.
        question: What was asked, as the caller was told.
        deeds: What all of them do; empty where they do different things.
    """
    plain, words = understood(text, language, ()), words_heard(text)
    if plain == "no":
        return plain
    if words is None or not ONE_OF_THEM.isdisjoint(words):
        return "unclear"
    if plain == "yes":
        return plain
    own = language_of(language)
    own = own if own in PHRASES else "en"
    names_two = _AT_TWO.search(question) is not None
    languages = (own, *(other for other in LANGUAGES if other != own))
    known = [vocabulary_of_all(own, spoken_in, tuple(deeds), names_two) for spoken_in in languages]
    replies = [_judged(words, vocabulary, is_moved=False) for vocabulary in known]
    reply = next((reply for reply in ("yes", "no") if reply in replies), None)
    return reply or plain_reply(text, language_of(language))


def _is_in_doubt(
    text: str, words: Sequence[str], language: str, deeds: tuple[str, ...], known: Sequence[AssentVocabulary]
) -> bool:
    """Tell whether words weigh something else than what was asked, and neither agree to that nor name it."""
    # Among words without accents a "sí" cannot be told from a "si".
    if words[0] in PLAIN_YES | _WILLING or "sí" in text.casefold() or not (PLAIN_YES - {"si"}).isdisjoint(words):
        return False
    if any(_names(words, deed) for deed in deeds):
        return False
    sentence = f" {' '.join(words)} "
    doubts = [f" {phrase} " for own in dict.fromkeys(("en", language)) for phrase in _doubts(own)]
    certain = sentence
    for phrase in doubts:
        certain = certain.replace(phrase, " ")
    is_moved = "moved" in deeds
    agreeing = {"yes", "time"} if is_moved else {"yes"}
    # "Si" may be an "if", and what is left of "not sure" is no yes.
    words_left = [word for word in certain.split() if word != "si"]
    agrees = any(not agreeing.isdisjoint(_roles(words_left, vocabulary, is_moved=is_moved)) for vocabulary in known)
    return not agrees and any(phrase in sentence for phrase in doubts)


def _agrees_behind_no(text: str, vocabulary: AssentVocabulary, deeds: tuple[str, ...]) -> bool:
    """Tell whether what begins with a no asks for the deed all the same: "no, I won't be there, cancel it".

    All that is left without the no and its reason has to be known, so that nothing in it refuses.
    """
    # "No cancele" is no "no, cancele".
    words = plain_words(text)
    is_apart = words[0] in _NO_VERB_FOLLOWS or _FIRST_ALONE.match(text) is not None
    left = f" {' '.join(words[1:])} "
    for reason in split_phrases(_NO_REFUSAL):
        left = left.replace(f" {' '.join(reason)} ", " ")
    words_left = left.split()
    if not is_apart or not any(_names(words_left, deed) for deed in deeds) or not _REFUSING.isdisjoint(words_left):
        return False
    roles = set(_roles(words_left, vocabulary, is_moved="moved" in deeds))
    return "deed" in roles and roles <= _SAID_AGAIN - {"turn"} | {"filler", "hesitation"}


@cache
def _doubts(language: str) -> frozenset[str]:
    return frozenset(" ".join(phrase) for phrase in split_phrases(DOUBTS[language]))


def _asks_for(words: Sequence[str], deeds: tuple[str, ...]) -> bool:
    """Tell whether somebody asks for the one deed by its name: "please cancel it", and not "please cancel that"."""
    is_asking = not _ASKING.isdisjoint(words) or "por que" in " ".join(words)
    if len(deeds) != 1 or is_asking or PLEASE.isdisjoint(words) or not _POINTED_AT.isdisjoint(words):
        return False
    return _names(words, deeds[0])


def _names(words: Sequence[str], deed: str) -> bool:
    """Tell whether words name a deed of an appointment, in whatever form."""
    stem, sentence = DEED_STEMS.get(deed), f" {' '.join(words)} "
    is_verb = stem is not None and any(stem.match(word) for word in words)
    return is_verb or any(f" {phrase} " in sentence for phrase in _orders(deed))


@cache
def _orders(deed: str) -> frozenset[str]:
    """Return the orders of several words that name a deed of an appointment in any language."""
    verbs = [phrase for own in LANGUAGES for phrases in deed_phrases(deed, own).values() for phrase in phrases]
    return frozenset(" ".join(key) for key in split_phrases(",".join(verbs)) if deed in DEED_STEMS and len(key) > 1)


def _judged(words: Sequence[str], vocabulary: AssentVocabulary, *, is_moved: bool, asks: bool = False) -> Reply:
    """Return what the words mean, by phrases and by what the question names; a deed that somebody asks for is a yes."""
    words = without_hums(words, vocabulary.hums)
    roles = list(_roles(words, vocabulary, is_moved=is_moved))
    if {role for role in roles if role != "filler"} == {"no"}:
        return "no"
    roles_said = _said(words, roles)
    if not roles_said:
        return "unclear"
    # "Yes please, why not cancel" may ask.
    if "deed" in roles_said and _asks_why(words):
        return "unclear"
    if not is_moved and not _COMING.isdisjoint(words) and not {"time", "named"}.isdisjoint(roles_said):
        return "unclear"
    if "time" in roles_said and not is_moved:
        is_plain = "deed" in roles_said or not PLAIN_YES.isdisjoint(words)
        is_hence = "deed" not in roles_said and not _HENCE.isdisjoint(words)
        if not is_plain or is_hence:
            return "unclear"
    if not _OBJECTING.isdisjoint(words) and PLAIN_YES.isdisjoint(words):
        return "unclear"
    doubtful = {"surprise"} if _turns_to_yes(words, roles) else {"surprise", "regret", "turn"}
    needed = 2 if doubtful & set(roles) else 1
    roles_said = [role for role in roles_said if role not in ("hesitation", "regret")]
    # "I hate to, but yes" turns to its yes.
    roles_said = roles_said[1:] if roles_said[:1] == ["turn"] else roles_said
    yeses = roles_said.count("yes") + (asks and "deed" in roles_said)
    if not set(roles_said) <= _SAID_AGAIN or yeses < 1 or roles_said.count("yes") + roles_said.count("deed") < needed:
        return "unclear"
    # What comes before a yes may be a question whose mark nobody hears: "at ten, yes?"
    is_led_by_yes = roles_said[0] in ("yes", "deed", "count") or roles_said.count("yes") > 1 or "filler" in roles
    return "yes" if is_led_by_yes and _is_whole(roles_said, is_moved=is_moved) else "unclear"


def _said(words: Sequence[str], roles: Sequence[Role]) -> list[Role]:
    """Return what the phrases of an answer do that say anything; nothing where it is not at its end."""
    said: list[Role] = [role for role in roles if role != "filler"]
    while said and said[0] in ("hesitation", "surprise"):
        del said[0]
    if "reluctant" in said and "yes" in said[said.index("reluctant") :]:
        said = [role for role in said if role != "reluctant"]
    if "remark" in said:
        # What somebody says of themselves explains a yes that has been said, twice or with the deed by its name.
        begun = said.index("remark")
        is_firm = "deed" in said[:begun] or said[:begun].count("yes") > 1
        if said[0] != "yes" or not is_firm or set(said[begun:]) != {"remark"}:
            return []
        said = said[:begun]
    if "yes" in said and roles[-1] == "filler" and words[-1] in PLEASE:
        # "Yes, well, please" has come to its end.
        while said[-1] == "hesitation":
            del said[-1]
    return [] if said and said[-1] in ("hesitation", "glue", "towards", "turn") else said


def _turns_to_yes(words: Sequence[str], roles: Sequence[Role]) -> bool:
    """Tell whether somebody is sorry, and then turns straight to their yes: "sorry but yes"."""
    at = next((n for n, word in enumerate(words) if word in _OBJECTING), len(words))
    is_sorry = "regret" in roles or not _SORRY.isdisjoint(words[:at])
    # "Pero si" may be a "but if".
    return is_sorry and roles.count("turn") == 1 and not (PLAIN_YES - {"si"}).isdisjoint(words[at + 1 : at + 2])


def _asks_why(words: Sequence[str]) -> bool:
    """Tell whether the word for why, or "why not", leads straight to a verb that ends or moves an appointment."""
    words_plain = " ".join(words).replace("por que", "porque").split()
    for n, word in enumerate(words_plain):
        if word in _WHY:
            behind = [then for then in words_plain[n + 1 : n + 3] if then not in _REFUSING][:1]
            if any(stem.match(then) for then in behind for stem in DEED_STEMS.values()):
                return True
    return False


def _is_whole(roles: Sequence[Role], *, is_moved: bool) -> bool:
    """Tell whether each small word leads to what the question names, rather than to something left out."""
    for before, role, then in zip(("yes", *roles), roles, (*roles[1:], "yes"), strict=False):
        if role == "turn" and then not in ("yes", "deed"):
            return False
        leads = then in ("glue", "towards", "object", "named", "count", "time", "deed")
        if role == "towards" and then == "time" and not is_moved:
            return False
        if (role in ("glue", "towards") and not leads) or (
            role == "object" and not leads and before not in ("named", "count", "time", "deed")
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


def _roles(words: Sequence[str], vocabulary: AssentVocabulary, *, is_moved: bool) -> Iterator[Role]:
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
        words_here = words[at : at + (length or 1)]
        if not length:
            role: Role = "named" if {words[at], words[at].removesuffix("s")} & vocabulary.named else "vague"
        else:
            role = phrases[tuple(words_here)]
            if role in ("count", "hour", "number"):
                role = number_role(role, before, words[at - 1 : at], words[at + length : at + length + 1], vocabulary)
            # "Also, ja" hesitates, and "yes, also" goes on.
            if role == "hesitation" and at and words[at] in narrowing_words():
                role = "vague"
            elif role in _OF_DAYS:
                behind = words[at - 1] if at else ""
                role = _OF_DAYS[role] if _says_of_what(role, before, order, behind) else "vague"
                role = "deed" if role == "time" and before == "deed" and is_moved else role
            elif role == "time" and order == "do" and not is_moved:
                role = "vague"
        if words[at] in THEN and role in ("hesitation", "vague") and at:
            is_done = before == "deed" or (before in ("yes", "object") and order == "do")
            role = "filler" if concludes(words, at, before, is_done=is_done, is_moved=is_moved) else role
        yield role
        at += len(words_here)
        if role not in ("filler", "hesitation"):
            before = role
        if role not in ("filler", "hesitation", "glue", "towards", "object"):
            # "Do it on Friday" and "cancel it tomorrow", and not "yes, tomorrow at ten", say when to do it.
            is_doing = role == "yes" and not _DOING.isdisjoint(words_here)
            order = "do" if is_doing else "deed" if role == "deed" or not PLAIN_YES.issuperset(words_here) else ""
