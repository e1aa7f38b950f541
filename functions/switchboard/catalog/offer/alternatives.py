"""What can be had instead when something cannot be done: the one place that offers a message or a person.

Every text that says so is composed here from what is offered at that moment and from what the business says of itself:
for the model in English, for the caller in their language. Nothing else in the house offers either (a test of the
architecture reads every text), so that nobody is promised what no tool can keep.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from datetime import datetime, time, timedelta
from functools import lru_cache
from typing import Final, Protocol, Self, TypeAlias

from switchboard.catalog.definitions.tool import Door, Way
from switchboard.catalog.offer.alternative_words import AlternativeWords, words_in
from switchboard.contract.business.business import Business
from switchboard.contract.business.working_hours import WorkingHours
from switchboard.contract.channel import Channel
from switchboard.contract.python.dataclass import dataclass

MARK: Final = "{{ways_out}}"
"""Stands in templates and in what a tool says when it fails, where the words for what can be had instead belong."""
WHEREVER: Final = "Offer to take a message, or a person, only if one of your other tools does that."
"""What a model is told where nobody knows what it is offered."""
_LOOKS_AHEAD = 8

Rings: TypeAlias = Callable[[Business, Door, datetime], frozenset[str]]
"""Returns whose phones ring behind a door at a moment, by number; none where nobody can be put through there now."""


class Leading(Protocol):
    """A tool that is offered, as far as it matters here."""

    @property
    def name(self) -> str:
        """The tool's name."""

    @property
    def way(self) -> Way | None:
        """How it leads to people."""

    @property
    def door(self) -> Door:
        """Whom it puts a call through to, where it leads there by a transfer."""


@dataclass(frozen=True, slots=True)
class Alternatives:
    """The ways that are open on one channel of one business.

    Attributes:
        messages: The tools that take a message.
        transfers: The tools that put a phone call through to a person.
        business: As it says of itself; None where that could not be read.
        number: Its own number, where calling it leads somewhere else than here; as a person reads it.
        website: Its address without `https://`.
        doors: Whom each of the transfers puts a call through to.
        tried: Where it was tried in vain.
        rings: Tells whose phones ring now; None where nobody knows, and every transfer counts as one.
        is_store_away: Tells whether nothing can be recorded now; None where nobody knows.
    """

    channel: Channel
    messages: tuple[str, ...] = ()
    transfers: tuple[str, ...] = ()
    business: Business | None = None
    number: str = ""
    website: str = ""
    doors: Mapping[str, Door] = field(default_factory=dict)
    tried: tuple[Door, ...] = ()
    rings: Rings | None = field(default=None, repr=False, compare=False)
    is_store_away: Callable[[], bool] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        tools: Iterable[Leading],
        business: Business | None,
        channel: Channel,
        *,
        besides: Iterable[str] = (),
        rings: Rings | None = None,
    ) -> Self:
        """Return the ways that are open with these tools, leaving out those that were tried in vain."""
        by_way: dict[Way | None, list[str]] = {}
        doors: dict[str, Door] = {}
        for tool in tools:
            by_way.setdefault(tool.way, []).append(tool.name)
            if tool.way is Way.TRANSFER:
                doors[tool.name] = tool.door
        ways = cls(
            channel,
            tuple(by_way.get(Way.MESSAGE, ())),
            tuple(by_way.get(Way.TRANSFER, ())),
            business,
            _number(business, channel) if business else "",
            _website(business) if business else "",
            doors,
            rings=rings,
        )
        for name in besides:
            ways = ways.besides(name)
        return ways

    def besides(self, name: str) -> Self:
        """Return what is open where one tool was tried in vain."""
        if name not in self.messages and name not in self.transfers:
            return self
        messages, transfers = (tuple(n for n in names if n != name) for names in (self.messages, self.transfers))
        tried = (*self.tried, *(door for one, door in self.doors.items() if one == name))
        return replace(self, messages=messages, transfers=transfers, tried=tried)

    def at(self, now: datetime) -> Self:
        """Return what is open at a moment: no transfer to where nobody can be rung then, or was rung in vain.

        What a tool does is recorded before it is done: while the store is away, none takes a message or rings anybody.
        """
        if self.is_store_away is not None and self.is_store_away():
            return replace(self, messages=(), transfers=())
        if self.rings is None or self.business is None or not self.transfers:
            return self
        rings, business = self.rings, self.business
        tried = frozenset[str]().union(*(rings(business, door, now) for door in self.tried))
        open_ones = tuple(n for n in self.transfers if rings(business, self.doors.get(n, Door()), now) - tried)
        return self if open_ones == self.transfers else replace(self, transfers=open_ones)

    def rules_at(self, now: datetime) -> tuple[str, ...]:
        """Return the ids of the business's transfer rules by which somebody can be rung at a moment."""
        if self.business is None or not self.at(now).transfers:
            return ()
        rings, business = self.rings, self.business
        rules = (rule.id for rule in business.escalation_rules if rule.action == "transfer")
        return tuple(id for id in rules if rings is None or rings(business, Door(rule_id=id), now))

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

    def after(self, message: str, now: datetime) -> str:
        """Return what a model is told of a failure, and behind it what can be had instead at that moment."""
        return f"{message} If nothing else helps, {self.at(now).advice}."

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
        # Nobody is read an address aloud who has another way.
        if self.website and not (self.channel.is_spoken and (self.number or self.lead_to_people)):
            yield f"its website {self.website}"

    # For the caller.

    def said(self, language: str, now: datetime | None = None) -> str:
        """Return what a caller hears or reads of it: a question where something can be had here, else what is left.

        Args:
            language: A tag such as `de` or `es-MX`; English where nobody has written the words in it.
            now: When it is said (aware); without it, nothing is said of opening times, and somebody may be there.
        """
        words, ways = words_in(language), self if now is None else self.at(now)
        if ways.messages:
            return words.either if ways.transfers else words.message
        if ways.transfers:
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

    def _opening(self, words: AlternativeWords, now: datetime) -> str:
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


def with_ways(
    say: Mapping[str, Mapping[str, str]], ways: Alternatives, now: datetime | None = None
) -> dict[str, dict[str, str]]:
    """Return what a tool says, by language and moment, with the mark replaced by what can be had.

    What was stored before there was the mark offered a message everywhere; that stands for the mark. With `now`, it is
    as at that moment.
    """
    ways = ways if now is None else ways.at(now)
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
