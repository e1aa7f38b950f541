"""The question a caller is asked before an action: its arguments read back in the business's language.

What the caller agrees to must be what will be done, so the sentence is made from the canonical arguments, never by the
model; times are said as weekday, date and time in the business's zone.
"""

import re
from collections.abc import Mapping, Sequence, Set
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from switchboard.catalog.definitions.variables import BUSINESS_VARIABLES
from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.contract.business.zones import with_zone_if_twice
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.python.dataclass import dataclass

_VARIABLE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_.]*)\s*\}\}")
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_BRACKETS_WITHIN = 3
# Not behind an initial or a title, as in "Dr. J. St. John".
_SENTENCE = re.compile(r"[?!\u2026\u00bf\u00a1]|[:;]\s|(?<!\b\w)(?<!\b[DFMS][rts])\.\s")
_QUESTION_WORDS = 3
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@.]+")
# What `_QuestionSpeech.signs` names, in this order.
_SIGNS = ".@-_+"


@dataclass(frozen=True, slots=True)
class _QuestionSpeech:
    """How a language says times (in brackets: those of another year), truth, a question for any tool, and `_SIGNS`.

    `first` is what stands in a time before and after the grammar of a one is minded ("a las 1:00", "a la 1:00"). A
    question about several calls begins with `lead`, has `also` between them, and ends with `both`, or of more `all`.
    """

    weekdays: str
    months: str
    moment: str
    truth: tuple[str, str]
    question: str
    signs: str
    lead: str
    also: str
    both: str
    all: str
    first: tuple[str, str] = ("", "")


# How somebody asks it who talks: at first, and once more.
_TALK: Mapping[str, tuple[str, str]] = {
    "en": ("Shall I {}?", "Just to be sure: shall I {}?"),
    "de": ("Soll ich {}?", "Nur zur Sicherheit: Soll ich {}?"),
    "es": ("¿Procedo a {}?", "Solo para estar seguros: ¿procedo a {}?"),
    "fr": ("Est-ce que je peux {} ?", "Juste pour être sûr : est-ce que je peux {} ?"),
    "it": ("Posso {}?", "Solo per essere sicuri: posso {}?"),
    "nl": ("Zal ik {}?", "Voor de zekerheid: zal ik {}?"),
    "pt": ("Posso {}?", "Só para ter a certeza: posso {}?"),
}
# What is said of today and of tomorrow in place of a date, with the words that lead to it.
_NEAR: Mapping[str, tuple[tuple[str, str], Sequence[tuple[str, str]]]] = {
    "en": (("today", "tomorrow"), (("on {} at ", "{} at "), ("{} at ", "{} at "))),
    "de": (("heute", "morgen"), (("am {} um ", "{} um "), ("{} um ", "{} um "))),
    "es": (("hoy", "mañana"), (("del {} a la", "de {} a la"), ("al {} a la", "a {} a la"), ("el {} a la", "{} a la"))),
    "fr": (("aujourd'hui", "demain"), (("du {} à ", "de {} à "), ("au {} à ", "à {} à "), ("le {} à ", "{} à "))),
    "it": (("oggi", "domani"), (("{} all", "{} all"),)),
    "nl": (("vandaag", "morgen"), (("op {} om ", "{} om "), ("{} om ", "{} om "))),
    "pt": (("hoje", "amanhã"), (("{} à", "{} à"),)),
}
_SPEECH: Mapping[str, _QuestionSpeech] = {
    "en": _QuestionSpeech(
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
        "January February March April May June July August September October November December",
        "{weekday}, {month} {day}[, {year}] at {hour12}:{minute} {half}",
        ("no", "yes"),
        "I would now do this: {}. Shall I go ahead?",
        "dot at dash underscore plus",
        *("I would now ", ", and ", "Shall I do both?", "Shall I do all of that?"),
    ),
    "de": _QuestionSpeech(
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "{weekday}, {day}. {month}[ {year}] um {hour}:{minute} Uhr",
        ("nein", "ja"),
        "Ich würde jetzt Folgendes tun: {}. Soll ich das machen?",
        "Punkt at Minus Unterstrich plus",
        *("Ich würde jetzt ", " und ", "Soll ich beides machen?", "Soll ich das alles machen?"),
    ),
    "es": _QuestionSpeech(
        "lunes martes miércoles jueves viernes sábado domingo",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "{weekday}, {day} de {month}[ de {year}] a las {hour}:{minute}",
        ("no", "sí"),
        "Voy a hacer lo siguiente: {}. ¿Sigo adelante?",
        "punto arroba guion guion-bajo más",
        *("Voy a ", ", y ", "¿Hago las dos cosas?", "¿Hago todo eso?"),
        ("a las 1:", "a la 1:"),
    ),
    "fr": _QuestionSpeech(
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "{weekday} {day} {month}[ {year}] à {hour}h{minute}",
        ("non", "oui"),
        "Je vais faire ceci : {}. Êtes-vous d'accord ?",
        "point arobase tiret tiret-bas plus",
        *("Je vais ", ", et ", "Êtes-vous d'accord pour les deux ?", "Êtes-vous d'accord pour tout ?"),
        (" 1 ", " 1er "),
    ),
    "it": _QuestionSpeech(
        "lunedì martedì mercoledì giovedì venerdì sabato domenica",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "{weekday} {day} {month}[ {year}] alle {hour}:{minute}",
        ("no", "sì"),
        "Ora vorrei fare questo: {}. Va bene?",
        "punto chiocciola trattino trattino-basso più",
        *("Ora vorrei ", ", e ", "Faccio entrambe le cose?", "Faccio tutto questo?"),
        ("alle 1:", "all'1:"),
    ),
    "nl": _QuestionSpeech(
        "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        "januari februari maart april mei juni juli augustus september oktober november december",
        "{weekday} {day} {month}[ {year}] om {hour}:{minute} uur",
        ("nee", "ja"),
        "Ik ga nu dit doen: {}. Is dat goed?",
        "punt apenstaartje streepje underscore plus",
        *("Ik ga nu ", ", en ", "Zal ik beide doen?", "Zal ik dat allemaal doen?"),
    ),
    "pt": _QuestionSpeech(
        "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "{weekday}, {day} de {month}[ de {year}] às {hour}:{minute}",
        ("não", "sim"),
        "Agora vou fazer isto: {}. Está bem?",
        "ponto arroba hífen sublinhado mais",
        *("Agora vou ", ", e ", "Faço as duas coisas?", "Faço tudo isso?"),
        ("às 1:", "à 1:"),
    ),
}


@dataclass(frozen=True, slots=True)
class _Voice:
    """Says values in one language, times in one zone; a year is said only if it is not this one."""

    speech: _QuestionSpeech
    zone: ZoneInfo
    now: datetime

    def say(self, value: Any) -> str:
        match value:
            case datetime():
                return self._moment(value.astimezone(self.zone))
            case bool():
                return self.speech.truth[value]
            case Mapping():
                return ", ".join(f"{_named(name)}: {self.say(inner)}" for name, inner in value.items())
            case list() | tuple():
                return ", ".join(map(self.say, value))
            case float() if value.is_integer():
                return str(int(value))
        text = " ".join(str(value).split())
        return f"{text} ({self._spelled(text)})" if _ADDRESS.fullmatch(text) else text

    def _spelled(self, address: str) -> str:
        # Heard as a word, one wrong letter of an address goes unnoticed, and the mail goes to somebody else.
        names = dict(zip(_SIGNS, self.speech.signs.split(), strict=True))
        return " ".join(names.get(character, character) for character in address)

    def _moment(self, local: datetime) -> str:
        is_this_year = local.year == self.now.astimezone(self.zone).year
        moment_words = _OPTIONAL.sub("" if is_this_year else r"\1", self.speech.moment).format(
            weekday=self.speech.weekdays.split()[local.weekday()],
            month=self.speech.months.split()[local.month - 1],
            day=local.day,
            year=local.year,
            hour=local.hour,
            hour12=local.hour % 12 or 12,
            minute=f"{local:%M}",
            half="AM" if local.hour < 12 else "PM",
        )
        moment_words = moment_words.replace(*self.speech.first) if self.speech.first[0] else moment_words
        return with_zone_if_twice(moment_words, local)


def read_back(
    definition: Definition, arguments: Mapping[str, Any], business: Business, now: datetime, language: str = ""
) -> str:
    """Return the question to put to the caller, in the language of the call.

    Args:
        definition: Its `read_back` has a sentence per language, in which brackets hold what is said only where all its
            values are there, also within brackets; without one that has all its values, and in languages that nobody
            wrote one for, the tool and its arguments are listed instead.
        arguments: As the handler gets them, and what the tool proposes: times as aware `datetime`.
        business: Its language, zone and, for `{{business.name}}`-like variables, itself.
        now: When it is said.
        language: In which; empty for the business's.
    """
    given = {name: value for name, value in arguments.items() if value not in (None, "", [], {})}
    written = [(tag, text) for tag, text in definition.read_back.items() if isinstance(text, str)]
    sentences = {tag.casefold().replace("_", "-"): text for tag, text in written}
    own = (language or business.language).casefold().replace("_", "-")
    tag = next((t for t in (own, language_of(own), "en") if t in sentences), own)
    sentence = sentences.get(tag, "")
    known = given.keys() | BUSINESS_VARIABLES.keys()
    sentence = _without_unknown(sentence, known)
    is_usable = sentence and known >= set(_VARIABLE.findall(sentence))
    speech = _SPEECH.get(language_of(tag if is_usable else own), _SPEECH["en"])
    voice = _Voice(speech, business.timezone, now)

    def fill(match: re.Match[str]) -> str:
        name = match[1]
        return voice.say(given[name]) if name in given else BUSINESS_VARIABLES[name](business)

    if is_usable:
        words, closing = _VARIABLE.sub(fill, sentence), speech.question.partition("{}. ")[2]
        # What stands in a value was worded by a model or a stranger; where it could be heard as a sentence of its own,
        # or as the question itself, the last words are ours again.
        values = [given[name] for name in _VARIABLE.findall(sentence) if name in given]
        is_theirs = any(isinstance(value, str) and _SENTENCE.search(value) for value in values)
        has_own = len(sentence.rpartition("}}")[2].split()) >= _QUESTION_WORDS
        return f"{words} {closing}" if is_theirs and not has_own else words
    listed = f" ({voice.say(given)})" if given else ""
    return speech.question.format(_named(definition.name) + listed)


def _without_unknown(sentence: str, known: Set[str]) -> str:
    """Return a sentence without its brackets, and without what stands in those of which not every value is known."""
    for _ in range(_BRACKETS_WITHIN):
        sentence = _OPTIONAL.sub(lambda part: part[1] if known >= set(_VARIABLE.findall(part[1])) else "", sentence)
    return sentence


def joint_question(questions: Sequence[str], language: str) -> str:
    """Return one question that names each of several calls, of the questions that they would be alone.

    Those that are worded as ours are become one sentence; of others each is said as it is, with a last one for all.
    """
    own = language_of(language)
    order = [own, *_SPEECH] if own in _SPEECH else ["en", *_SPEECH]
    for speech in map(_SPEECH.__getitem__, order):
        cores = [_core(question, speech) for question in questions]
        if all(cores):
            lead = f"{speech.lead}{speech.also.join(map(str, cores))}."
            return f"{lead} {_for_all(speech, len(questions))}"
    return f"{' '.join(questions)} {_for_all(_SPEECH[order[0]], len(questions))}"


def _core(question: str, speech: _QuestionSpeech) -> str | None:
    """Return what a question of ours says would be done; None of one that somebody else worded."""
    closing = f". {speech.question.partition('{}. ')[2]}"
    is_ours = question.startswith(speech.lead) and question.endswith(closing)
    return question[len(speech.lead) : -len(closing)] if is_ours else None


def _for_all(speech: _QuestionSpeech, count: int) -> str:
    return speech.both if count == 2 else speech.all


def moment_words(moment: datetime, business: Business, now: datetime) -> str:
    """Return a time as it is said in the business's language and zone, with its year where that is not this one."""
    speech = _SPEECH.get(language_of(business.language), _SPEECH["en"])
    return _Voice(speech, business.timezone, now).say(moment)


def _named(name: str) -> str:
    return name.replace("_", " ")


def as_said(question: str, language: str, today: date | None = None, *, again: bool = False) -> str:
    """Return a question in the words of somebody who talks; as it is where it has no such form.

    All that it names stands in both: "I would now cancel your appointment on Friday. Shall I go ahead?" becomes "Shall
    I cancel your appointment on Friday?", and when it is asked once more "Just to be sure: shall I cancel …". What is
    today or tomorrow, as seen from `today` at the business, is called so.
    """
    own = language_of(language) if language_of(language) in _TALK else "en"
    (first, then), speech = _TALK[own], _SPEECH[own]
    named = _core(question, speech)
    # A question that lists what a call has been given is no sentence that could be turned round.
    listing = speech.question.removeprefix(speech.lead).partition(":")[0]
    if named is None or "?" in named or named.partition(":")[0].strip() == listing.strip():
        return question
    return (then if again else first).format(_with_near_days(named, own, today) if today is not None else named)


def _with_near_days(sentence: str, language: str, today: date) -> str:
    words, leads = _NEAR[language]
    speech = _SPEECH[language]
    for near, day in zip(words, (today, today + timedelta(days=1)), strict=True):
        # All that stands before the hour.
        template = re.split(r" (?:at|um|a las|à|alle|om|às) ", _OPTIONAL.sub("", speech.moment))[0]
        date_told = template.format(
            weekday=speech.weekdays.split()[day.weekday()], month=speech.months.split()[day.month - 1], day=day.day
        )
        date_told = date_told.replace(*speech.first) if speech.first[0] else date_told
        for before, after in leads:
            sentence = sentence.replace(before.format(date_told), after.format(near))
    return sentence.replace("de aujourd'hui", "d'aujourd'hui")
