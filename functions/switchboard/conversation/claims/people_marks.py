"""Where a sentence names a business's people: by the whole name or a part, however it is spelt.

Each name becomes one mark, so that whatever is said around it is read by patterns that know nobody's name.
"""

import re
from collections import Counter
from functools import lru_cache

from switchboard.contract.business.business import Business
from switchboard.contract.business.names import letters
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.claims.entities import QUOTES
from switchboard.conversation.claims.name_words import is_no_name
from switchboard.conversation.claims.sentences import clauses_of

# So far before a name stands what tells whose it is.
_NEAR = 60
_WORDS_KEPT = 5_000
_FIRST, LAST_MARK = 0xE000, 0xE0FF
MARK = "[\ue000-\ue0ff]"
"""One of a business's people, in a pattern."""
MARKS = re.compile(MARK)
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_WORD = re.compile(r"[^\W_]+")
TITLE = (
    r"(?:(?:(?:mr|mrs|ms|miss|dra?|doctora?|doktor(?:in)?|docteure?|dottor|dottoressa|doutora?|dokter|prof(?:essor)?"
    r"|dott|sig|herrn?|frau|señora?|sra?|mme|mlle|madame|monsieur|signora?|senhora?|dona|meneer|mevrouw|nurse"
    r"|enfermer[oa]|infirmi(?:er|ère)|infermier[ea]|enfermeir[oa])\.?\s+){1,2})"
)
_TITLES_SAID = """
mr mrs ms miss dr prof herr frau sr sra dra senor senora mme mlle sig dott doctor doctora doktor nurse
"""
_TITLES = frozenset(_TITLES_SAID.split())
_ARTICLE = r"(?:(?:the|our|der|dem|die|la|il|el|le|l'|a|o|de|onze)\s+)"
WITH = rf"\b(?:with|mit|bei|con|avec|chez|met|bij|com)\s+{_ARTICLE}?{TITLE}?"
"""What leads to somebody with whom something is."""
# In front of these a name and another one behind it are one person's: "for Rosa Martinez" is not our Rosa.
_WHOLE = re.compile(
    rf"\b(?:for|under|name|with|für|unter|namen|para|con|pour|avec|per|voor|met|com|de|nom|of)\s+{TITLE}?$"
    rf"|{TITLE}$",
    re.I,
)
_LED_TO = re.compile(rf"{WITH}$", re.I)
_TITLED = re.compile(rf"(?<![\w']){_ARTICLE}?{TITLE}$", re.I)
# Behind a title a family name is the customer's where something is for them, or under it.
_CUSTOMERS = re.compile(
    rf"\b(?:for|under|name|für|unter|auf|namen|para|pour|per|voor|nombre de|nom de|nome di|nome de|naam van|of)\s+"
    rf"{TITLE}$",
    re.I,
)
_LED_TO_SOMEBODY = re.compile(r"\b(?:see|seeing|ask for|by|to|for|have|von|durch|zu|par|por|de|da|door)\s+$", re.I)
_BEGINS = re.compile(r"(?:^|[.,;:!?\u2013\u2014-]\s*)(?:(?:and|und|y|et|e|en|the|a|o|la|die)\s+)?$", re.I)
# Names that are words: in small letters they name somebody only where something is with them.
_WORDS_TOO_SAID = """
will may mark hope grace joy faith art bill sue dawn rose frank ernst sol mar luz paz angel rob pat drew grant
chase jack olive ivy june april august summer autumn crystal ruby pearl jade amber iris lily daisy heather holly
basil sage miles max gene ray rich skip bob guy dean earl duke linda bella clara alba blanca mercedes pilar
violet hazel victor norm don al ed so an in am do li wan kim long young best king star reine ange claire aime
"""
_WORDS_TOO = frozenset(_WORDS_TOO_SAID.split())
# In small letters these are colours: they name somebody where a sentence or a clause begins, or somebody stands.
_COLOURS = frozenset({"rosa", "violeta", "bianca", "celeste", "coral"})
# Somebody who is spoken to: set off by marks on both sides, behind a greeting or not.
_SPOKEN_TO = re.compile(
    rf"(?:^|(?<=[,;.!?\u2013\u2014])\s*|\b(?:hi|hello|hey|thanks|thank you|okay|ok|sure|sorry|hallo|danke|gern"
    rf"|gerne|hola"
    rf"|gracias|claro|bonjour|merci|ciao|grazie|olá|obrigad[oa]|dag|bedankt)\s+)(?:(?:and|dear|liebe"
    rf"|estimada)\s+)?{TITLE}?"
    rf"(?P<who>{MARK})(?=\s*(?:[,;.!?\u2013\u2014]|$))"
    r"(?!,\s+(?:(?:who|qui|que)\b|(?:the|our|your|die|der|unsere?|la|el|le|nuestr[oa]|notre)\s+(?:owner|boss"
    r"|manager|stylist|chef\w*|inhaber\w*"
    r"|dueñ\w*|patronne?|titolare|jef[ea]|dona|eigenar\w*)|[^,.;!?]{1,30},?\s+(?:and|or|und|oder|y|o|et|ou|e|en)\s+"
    rf"{MARK}))",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Marked:
    """A sentence in which people's names are marks.

    Attributes:
        text: The sentence.
        names: The whole name of each mark.
    """

    text: str
    names: dict[str, str]

    def named(self, text: str) -> tuple[str, ...]:
        """Return whom a part of it names, each once."""
        return tuple(dict.fromkeys(self.names[char] for char in text if char in self.names))


def marked(business: Business | None, sentence: str) -> Marked:
    """Return a sentence with a mark for whomever it names of a business's people; who is spoken to is left as said.

    Args:
        business: Whose people they are.
        sentence: What is about to be said, in typographic marks or plain ones.
    """
    if business is None or not business.resources:
        return Marked(_PRIVATE.sub("", sentence.translate(QUOTES)), {})
    names = known_as(tuple(person.name for person in business.people))
    # Its callers say "at Rosa's".
    short = (f"at {word}" for word in business.name.split()[:1] if word.endswith("s"))
    own = (business.name, *(service.name for service in business.services), *short)
    text, called_marks = _marked(names, own, sentence)
    return Marked(text, {mark: names[ord(mark) - _FIRST] for mark in called_marks})


@lru_cache(maxsize=200)
def _marked(names: tuple[str, ...], own: tuple[str, ...], sentence: str) -> tuple[str, tuple[str, ...]]:
    """Return a sentence with marks, and which; each is read several times."""
    text = _PRIVATE.sub("", sentence.translate(QUOTES))
    called, words = _called(names), list(_WORD.finditer(text))
    if not any(_may_be_called(word[0], called) for word in words):
        return text, ()
    spans = _spans_of(own, text)
    words = [word for word in words if not any(begin <= word.start() < end for begin, end in spans)]
    made, end, at = "", 0, 0
    while at < len(words):
        name_found = _found(text, words, at, called)
        if name_found is None:
            at += 1
            continue
        number, count, tail = name_found
        # A title goes with its name: "Frau Dr. Reid" is told as "Anna" is.
        lead = text[end : words[at].start()]
        near = max(0, len(lead) - _NEAR)
        made += lead[:near] + _TITLED.sub("", lead[near:]) + chr(_FIRST + number) + tail
        at += count
        end = words[at - 1].end()
    text = made + text[end:]
    marks = {chr(_FIRST + number): name for number, name in enumerate(names)}
    text = _SPOKEN_TO.sub(lambda match: match[0].replace(match["who"], marks[match["who"]]), text)
    return text, tuple(mark for mark in marks if mark in text)


def _spans_of(own: tuple[str, ...], text: str) -> list[tuple[int, int]]:
    """Return where a business or a service is named: "Rosa's Salon" names nobody."""
    lowered, spans = text.lower(), list[tuple[int, int]]()
    for phrase in (phrase.translate(QUOTES).lower() for phrase in own):
        at = lowered.find(phrase) if phrase else -1
        while at >= 0:
            spans.append((at, at + len(phrase)))
            at = lowered.find(phrase, at + len(phrase))
    return spans


_Called = dict[str, list[tuple[tuple[str, ...], int, bool]]]


def _may_be_called(word: str, called: _Called) -> bool:
    key = _key_of(word)
    return key in called or key.removesuffix("s") in called


def _found(text: str, words: list[re.Match[str]], at: int, called: _Called) -> tuple[int, int, str] | None:
    """Return who is named from a word on, in how many words, and what of the last one is not the name."""
    first_word, begin = words[at][0], words[at].start()
    before = text[max(0, begin - _NEAR) : begin]
    is_capital = first_word[0] != first_word[0].lower() or first_word[0] == first_word[0].upper()
    key, tail = _key_of(first_word), ""
    if key not in called and key.endswith("s") and is_capital and key[:-1] in called:
        # "Rosas nächster Termin", as Germans write it.
        key, tail = key[:-1], "s"
    for parts, number, is_last in called.get(key, ()):
        rest = words[at + 1 : at + len(parts)]
        if [_key_of(word[0]) for word in rest] != list(parts[1:]):
            continue
        behind = words[at + len(parts)] if at + len(parts) < len(words) else None
        last = words[at + len(parts) - 1]
        if not _is_one(text, last, rest) or (is_last and not _is_titled(before)):
            continue
        if _means_them(before, key, is_capital, _other_name(text, last, behind), len(parts) > 1):
            return number, len(parts), f"'{tail}" if tail else ""
    return None


def _is_titled(before: str) -> bool:
    return _TITLED.search(before) is not None and _CUSTOMERS.search(before) is None


def _means_them(before: str, key: str, is_capital: bool, other: bool, is_whole: bool) -> bool:
    """Tell whether a word that is a name is said of the one who bears it."""
    if is_whole:
        return True
    if is_capital:
        return not (other and _WHOLE.search(before))
    if other:
        # "Mit rosa Strähnen" is a colour.
        return False
    if _LED_TO.search(before) is not None:
        return True
    if key in _COLOURS:
        return _BEGINS.search(before) is not None or _LED_TO_SOMEBODY.search(before) is not None
    return key not in _WORDS_TOO


def _is_one(text: str, last: re.Match[str], rest: list[re.Match[str]]) -> bool:
    """Tell whether the words of a name stand together."""
    begins = [word.start() for word in rest]
    return not rest or last.end() - begins[0] <= sum(len(word[0]) for word in rest) + 2 * len(rest)


def _other_name(text: str, last: re.Match[str], behind: re.Match[str] | None) -> bool:
    """Tell whether a capitalised word follows that is no time and no pronoun: a surname, or a noun."""
    if behind is None or text[last.end() : behind.start()] != " ":
        return False
    return behind[0][0].isupper() and not is_no_name(behind[0])


@lru_cache(maxsize=500)
def _called(names: tuple[str, ...]) -> _Called:
    """Return by the first word of each name by which somebody is known: its words, whose it is, and if it is a surname.

    Whole names come before parts of them; one that several people have is nobody's but theirs together.
    """
    split = [_keys_of(name) for name in names]
    firsts = [words[0] for words in split if words]
    lasts = [words[-1] for words in map(_keys_of, map(_unbracketed, names)) if words]
    shared = {words[-1] for words in split if len(words) == 1 and lasts.count(words[-1]) > 2}
    shared -= {words[0] for words in split if len(words) > 1}
    every = [(tuple(words), number, words[0] in shared) for number, words in enumerate(split) if words]
    for number, name in enumerate(names):
        words = _keys_of(_unbracketed(name))
        if len(words) < 2:
            continue
        if firsts.count(words[0]) == 1:
            every.append(((words[0],), number, False))
        if lasts.count(words[-1]) == 1 and words[-1] not in firsts:
            every.append(((words[-1],), number, True))
    calls: _Called = {}
    for one in sorted(every, key=lambda one: -len(one[0])):
        calls.setdefault(one[0][0], []).append(one)
    return calls


# The same words come again and again.
@lru_cache(maxsize=_WORDS_KEPT)
def _key_of(word: str) -> str:
    return letters(word)


def _keys_of(name: str) -> list[str]:
    """Return the words of a name as they are compared, without its titles."""
    words = [key for word in _WORD.findall(name) if (key := letters(word))]
    return [word for word in words if word not in _TITLES] or words


def _unbracketed(name: str) -> str:
    """Return a name without what tells it from another one: "Ben Okafor (Lakeside)"."""
    return name.split("(")[0]


@lru_cache(maxsize=500)
def known_as(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return people's names, and behind them each first or last one that several of them have."""
    split = [words for words in map(_keys_of, map(_unbracketed, names)) if len(words) > 1]
    counted = Counter((end, words[end]) for words in split for end in (0, -1))
    shared = dict.fromkeys(key for (_, key), count in counted.items() if count > 1)
    return (*names, *(key.capitalize() for key in shared))


_BOUNDARY = re.compile(
    r"\s(?=(?:so|therefore|deshalb|daher|also|así que|donc|alors|quindi|então|dus|or|oder|o(?= (?:a|con) )|ou)\s"
    r"|as [\ue000-\ue0ff])",
    re.I,
)


def parts_of(text: str) -> list[str]:
    """Return the parts of a sentence between marks and joining words, "so" and "or" among them."""
    parts = []
    for clause in clauses_of(text):
        start = 0
        for match in _BOUNDARY.finditer(clause):
            parts.append(clause[start : match.start() + 1])
            start = match.start() + 1
        parts.append(clause[start:])
    return parts
