"""What can be had instead when something cannot be done: the one place that offers a message or a person.

Every text that says so is composed here from what is offered at that moment and from what the business says of itself:
for the model in English, for the caller in their language. Nothing else in the house offers either (a test of the
architecture reads every text), so that nobody is promised what no tool can keep.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, time, timedelta
from functools import lru_cache
from typing import Final, Protocol, Self

from switchboard.catalog.definitions.tool import Way
from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.contract.business.working_hours import WorkingHours
from switchboard.contract.channel import Channel
from switchboard.contract.python.dataclass import dataclass

MARK: Final = "{{ways_out}}"
"""Stands in templates and in what a tool says when it fails, where the words for what can be had instead belong."""
WHEREVER: Final = "Offer to take a message, or a person, only if one of your other tools does that."
"""What a model is told where nobody knows what it is offered."""
_LOOKS_AHEAD = 8


class Leading(Protocol):
    """A tool that is offered, as far as it matters here."""

    @property
    def name(self) -> str:
        """The tool's name."""

    @property
    def way(self) -> Way | None:
        """How it leads to people."""


@dataclass(frozen=True, slots=True)
class Alternatives:
    """The ways that are open on one channel of one business.

    Attributes:
        messages: The tools that take a message.
        transfers: The tools that put a phone call through to a person.
        business: As it says of itself; None where that could not be read.
        number: Its own number, where calling it leads somewhere else than here; as a person reads it.
        website: Its address without `https://`.
    """

    channel: Channel
    messages: tuple[str, ...] = ()
    transfers: tuple[str, ...] = ()
    business: Business | None = None
    number: str = ""
    website: str = ""

    @classmethod
    def of(
        cls, tools: Iterable[Leading], business: Business | None, channel: Channel, *, besides: Iterable[str] = ()
    ) -> Self:
        """Return the ways that are open with these tools, leaving out those that were tried in vain."""
        by_way: dict[Way | None, list[str]] = {}
        for tool in tools:
            if tool.name not in besides:
                by_way.setdefault(tool.way, []).append(tool.name)
        return cls(
            channel,
            tuple(by_way.get(Way.MESSAGE, ())),
            tuple(by_way.get(Way.TRANSFER, ())),
            business,
            _number(business, channel) if business else "",
            _website(business) if business else "",
        )

    def besides(self, name: str) -> Self:
        """Return what is open where one tool was tried in vain."""
        if name not in self.messages and name not in self.transfers:
            return self
        messages, transfers = (tuple(n for n in names if n != name) for names in (self.messages, self.transfers))
        return replace(self, messages=messages, transfers=transfers)

    @property
    def lead_to_people(self) -> bool:
        """Whether somebody at the business is told, or spoken to, from within the conversation."""
        return bool(self.messages or self.transfers)

    # For the model.

    @property
    def advice(self) -> str:
        """What a model is to do, as the rest of a sentence: "offer to take a message (take_message)"."""
        offers = [f"to take a message ({_or(self.messages)})"] if self.messages else []
        offers += [f"to put the caller through to a person ({_or(self.transfers)})"] if self.transfers else []
        if offers:
            return f"offer {_or(offers)}"
        return f"say that you can take no message and put nobody through here, and that {self._left_to_the_caller}"

    @property
    def rule(self) -> str:
        """What stands in a system prompt: all that may be offered, and that nothing else may."""
        contacts = list(self._contacts)
        also = f" You may also name {_or(contacts)}." if contacts and self.lead_to_people else ""
        return (
            f"When you cannot help, or a tool fails: {self.advice}.{also} Offer no other way to reach somebody, and do "
            "not promise that anybody will call, write or look into it."
        )

    def after(self, message: str) -> str:
        """Return what a model is told of a failure, and behind it what can be had instead."""
        return f"{message} If nothing else helps, {self.advice}."

    @property
    def _left_to_the_caller(self) -> str:
        contacts = list(self._contacts)
        if contacts:
            return f"the caller can use {_or(contacts)}; promise nothing else"
        return "the caller can come back later; promise nothing"

    @property
    def _contacts(self) -> Iterator[str]:
        if self.number:
            hours = " in the opening hours" if self._hours is not None else ""
            yield f"the business's own number {self.number}{hours}"
        if self.website:
            yield f"its website {self.website}"

    # For the caller.

    def said(self, language: str, now: datetime | None = None) -> str:
        """Return what a caller hears or reads of it: a question where something can be had here, else what is left.

        Args:
            language: A tag such as `de` or `es-MX`; English where nobody has written the words in it.
            now: When it is said (aware); without it, nothing is said of opening times.
        """
        words = _words(language)
        if self.messages:
            return words.either if self.transfers else words.message
        if self.transfers:
            return words.transfer
        number = words.number.format(self.number) if self.number else ""
        hours = self._opening(words, now) if now is not None else ""
        website = words.website.format(self.website) if self.website else ""
        again = words.call_again if self.channel is Channel.PHONE else words.come_back
        return " ".join(part for part in (number or ("" if website else again), hours, website) if part)

    @property
    def _hours(self) -> WorkingHours | None:
        hours = self.business.working_hours if self.business else None
        return hours if hours is not None and any(hours.weekly.values()) else None

    def _opening(self, words: "_AlternativeWords", now: datetime) -> str:
        hours, business = self._hours, self.business
        if hours is None or business is None:
            return ""
        local = now.astimezone(business.timezone)
        for days in range(_LOOKS_AHEAD):
            day = (local + timedelta(days=days)).date()
            for opening in hours.on(day):
                if days == 0 and opening.opens <= local.time() < opening.closes:
                    # Until midnight may be the whole night.
                    return "" if opening.closes == time.max else words.until.format(words.clock(opening.closes))
                if days or local.time() < opening.opens:
                    named = words.days[7 + days] if days < 2 else words.days[day.weekday()]
                    return words.opens.format(named, words.clock(opening.opens))
        return ""


def with_ways(say: Mapping[str, Mapping[str, str]], ways: Alternatives) -> dict[str, dict[str, str]]:
    """Return what a tool says, by language and moment, with the mark replaced by what can be had.

    What was stored before there was the mark offered a message everywhere; that stands for the mark.
    """
    return {
        language: {moment: _filled(text, language, ways) for moment, text in phrases.items()}
        for language, phrases in say.items()
    }


def _filled(text: str, language: str, ways: Alternatives) -> str:
    text = _EARLIER.sub(MARK, text)
    return text.replace(MARK, ways.said(language)).strip() if MARK in text else text


_EARLIER = re.compile(
    "|".join(
        map(
            re.escape,
            (
                "May I take a message so that someone calls you back?",
                "May I take a message instead?",
                "Darf ich eine Nachricht aufnehmen, damit Sie zurückgerufen werden?",
                "Darf ich stattdessen eine Nachricht aufnehmen?",
                "¿Quiere que tome un mensaje para que le llamen?",
                "¿Quiere que tome un mensaje?",
                "Puis-je prendre un message pour qu'on vous rappelle ?",
                "Puis-je prendre un message à la place ?",
                "Would you like me to take a message?",
                "Soll ich eine Nachricht aufnehmen?",
                "Voulez-vous que je prenne un message ?",
            ),
        )
    )
)


def _number(business: Business, channel: Channel) -> str:
    here = _digits(business.twilio_number)
    if channel is Channel.PHONE:
        # Whoever is on the phone has called this number.
        return _readable(business.phone) if _digits(business.phone) != here else ""
    return _readable(business.phone or business.twilio_number)


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number)


@lru_cache(1_000)
def _readable(number: str) -> str:
    """Return a number as people write it; as its owner has written it, where there is anything but digits in it."""
    number = " ".join(number.split())
    if not re.fullmatch(r"\+\d{7,15}", number):
        return number
    # The SDK takes its time to import, and a number is named where nothing else is left.
    import phonenumbers

    try:
        parsed = phonenumbers.parse(number)
    except phonenumbers.NumberParseException:
        return number
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.INTERNATIONAL)


def _website(business: Business) -> str:
    return re.sub(r"^https?://", "", business.website.strip()).rstrip("/")


def _or(texts: Iterable[str]) -> str:
    return " or ".join(texts)


@dataclass(frozen=True, slots=True)
class _AlternativeWords:
    """How a language says it.

    Attributes:
        days: Monday to Sunday, today and tomorrow, as they stand in `opens`.
        hour: A full hour, with `{h}` of 24 or `{h12}{half}` of twelve.
        minute: Any other time, with `{m}` as well.
        one: What is said of one o'clock otherwise, and how.
    """

    message: str
    transfer: str
    either: str
    number: str
    website: str
    call_again: str
    come_back: str
    until: str
    opens: str
    days: tuple[str, ...]
    hour: str
    minute: str
    one: tuple[str, str] = ("", "")

    def clock(self, moment: time) -> str:
        """Return a time of day."""
        form = self.minute if moment.minute else self.hour
        half = "AM" if moment.hour < 12 else "PM"
        text = form.format(h=moment.hour, h12=moment.hour % 12 or 12, m=f"{moment.minute:02}", half=half)
        usual, one = self.one
        return text.replace(usual, one, 1) if usual and moment.hour == 1 else text


def _words(language: str) -> _AlternativeWords:
    return WORDS.get(language_of(language), WORDS["en"])


WORDS: Final[Mapping[str, _AlternativeWords]] = {
    "en": _AlternativeWords(
        message="Would you like me to take a message?",
        transfer="Shall I try to put you through to somebody?",
        either="Would you like me to take a message, or shall I try to put you through to somebody?",
        number="You can reach us at {}.",
        website="You will find more at {}.",
        call_again="Please call again a little later.",
        come_back="Please try again here a little later.",
        until="We are open until {} today.",
        opens="We open {} at {}.",
        days=(
            *("on Monday", "on Tuesday", "on Wednesday", "on Thursday", "on Friday", "on Saturday", "on Sunday"),
            *("today", "tomorrow"),
        ),
        hour="{h12} {half}",
        minute="{h12}:{m} {half}",
    ),
    "de": _AlternativeWords(
        message="Soll ich eine Nachricht für Sie aufnehmen?",
        transfer="Soll ich versuchen, Sie mit jemandem zu verbinden?",
        either="Soll ich eine Nachricht für Sie aufnehmen oder versuchen, Sie mit jemandem zu verbinden?",
        number="Sie erreichen uns unter {}.",
        website="Mehr finden Sie auf {}.",
        call_again="Bitte rufen Sie etwas später noch einmal an.",
        come_back="Bitte versuchen Sie es hier etwas später noch einmal.",
        until="Wir haben heute bis {} geöffnet.",
        opens="Wir öffnen {} um {}.",
        days=(
            *("am Montag", "am Dienstag", "am Mittwoch", "am Donnerstag", "am Freitag", "am Samstag", "am Sonntag"),
            *("heute", "morgen"),
        ),
        hour="{h} Uhr",
        minute="{h}:{m} Uhr",
    ),
    "es": _AlternativeWords(
        message="¿Quiere que tome un mensaje?",
        transfer="¿Quiere que intente pasarle con alguien?",
        either="¿Quiere que tome un mensaje, o que intente pasarle con alguien?",
        number="Puede llamarnos al {}.",
        website="Encontrará más en {}.",
        call_again="Por favor, vuelva a llamar un poco más tarde.",
        come_back="Por favor, inténtelo aquí de nuevo un poco más tarde.",
        until="Hoy abrimos hasta {}.",
        opens="Abrimos {} a {}.",
        days=(
            *("el lunes", "el martes", "el miércoles", "el jueves", "el viernes", "el sábado", "el domingo"),
            *("hoy", "mañana"),
        ),
        hour="las {h}:00",
        minute="las {h}:{m}",
        one=("las", "la"),
    ),
    "fr": _AlternativeWords(
        message="Voulez-vous que je prenne un message ?",
        transfer="Voulez-vous que j'essaie de vous passer quelqu'un ?",
        either="Voulez-vous que je prenne un message, ou que j'essaie de vous passer quelqu'un ?",
        number="Vous pouvez nous joindre au {}.",
        website="Vous en trouverez plus sur {}.",
        call_again="Rappelez un peu plus tard, s'il vous plaît.",
        come_back="Réessayez ici un peu plus tard, s'il vous plaît.",
        until="Nous sommes ouverts aujourd'hui jusqu'à {}.",
        opens="Nous ouvrons {} à {}.",
        days=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche", "aujourd'hui", "demain"),
        hour="{h}h",
        minute="{h}h{m}",
    ),
    "it": _AlternativeWords(
        message="Vuole che prenda un messaggio?",
        transfer="Vuole che provi a passarle qualcuno?",
        either="Vuole che prenda un messaggio, o che provi a passarle qualcuno?",
        number="Può chiamarci al {}.",
        website="Trova altro su {}.",
        call_again="Per favore, richiami un po' più tardi.",
        come_back="Per favore, riprovi qui un po' più tardi.",
        until="Oggi siamo aperti fino {}.",
        opens="Apriamo {} {}.",
        days=("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica", "oggi", "domani"),
        hour="alle {h}:00",
        minute="alle {h}:{m}",
        one=("alle ", "all'"),
    ),
    "pt": _AlternativeWords(
        message="Quer que eu anote um recado?",
        transfer="Quer que eu tente passar a chamada a alguém?",
        either="Quer que eu anote um recado, ou que tente passar a chamada a alguém?",
        number="Pode ligar-nos para o {}.",
        website="Encontra mais em {}.",
        call_again="Por favor, volte a ligar um pouco mais tarde.",
        come_back="Por favor, tente aqui de novo um pouco mais tarde.",
        until="Hoje estamos abertos até {}.",
        opens="Abrimos {} {}.",
        days=(
            *("na segunda-feira", "na terça-feira", "na quarta-feira", "na quinta-feira", "na sexta-feira"),
            *("no sábado", "no domingo", "hoje", "amanhã"),
        ),
        hour="às {h}h",
        minute="às {h}h{m}",
        one=("às", "à"),
    ),
    "nl": _AlternativeWords(
        message="Zal ik een bericht voor u aannemen?",
        transfer="Zal ik proberen u met iemand door te verbinden?",
        either="Zal ik een bericht voor u aannemen, of proberen u met iemand door te verbinden?",
        number="U kunt ons bereiken op {}.",
        website="Meer vindt u op {}.",
        call_again="Belt u alstublieft wat later nog eens.",
        come_back="Probeert u het hier alstublieft wat later nog eens.",
        until="We zijn vandaag open tot {}.",
        opens="We gaan {} om {} open.",
        days=("maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag", "vandaag", "morgen"),
        hour="{h} uur",
        minute="{h}.{m} uur",
    ),
}
"""By language."""
