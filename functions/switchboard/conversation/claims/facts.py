"""What this conversation knows to be true of what was done: receipts, and what tools have found out."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from functools import lru_cache
from typing import Any

from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import Deed
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.claims.entities import Mentions, mentions
from switchboard.conversation.claims.number_words import amounts_in_data, plain_amount
from switchboard.conversation.claims.people_words import NOBODY_SAID, CompanySaid

_WORD = re.compile(r"\w+")
_TEXTS_KEPT = 2_000
_NUMBER = re.compile(r"^\+?[\d\s()/.-]{7,}$|^\D+\d{2,6}$")
# When something ends, or stops being valid, is no time at which it is.
_ENDS = ("end", "expires", "until", "created", "updated")
# So many digits at the end tell one number from another, however its beginning is written.
_TELLING_DIGITS = 7
# Of an appointment's price nothing is said here; of these, an amount that is not known is invented.
_ABOUT_MONEY = frozenset({Deed.PAID, Deed.REFUNDED, Deed.ORDERED})
# Of what was sent to somebody so much is looked through for times and names: more than a text message holds.
_LONGEST_TOLD = 1_600
# Under this name results and receipts say with whom an appointment is.
_WITH = "with"
# Under these whose it is.
_WHOSE = frozenset({"for", "customername", "customer_name"})
WITH_SOMEBODY = frozenset({Deed.BOOKED, Deed.MOVED, Deed.CANCELLED, Deed.ENTERED})
"""Deeds about what is with somebody, and for so many."""
STANDING = frozenset({Deed.BOOKED, Deed.MOVED, Deed.ENTERED})
"""Deeds after which something is to be at a time."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that was done or found.

    Attributes:
        deeds: What it lets an agent say was done.
        moments: The local times that stand in it.
        words: Every word that stands in it, in lower case.
        numbers: Every number in it that could be a telephone's, digits only.
        addresses: Every e-mail address in it, in lower case.
        told: For what is about no time of its own, such as a text message: what was said in it. None for what is.
        amounts: Every amount of money or of things in it, as digits: "45", "12.50".
        noted: The telling words of what was written down with it, such as an appointment's notes.
        by_words: What it bears out of sentences that share one of those words with it.
        by_name: What it bears out of sentences that say under whose name, which stands in it, something is by now.
        is_receipt: Whether it was done in this conversation, rather than found.
        people: Every word of the names of those with whom it is.
        customers: Every word of the names that it stands under.
        party: How many come; None where nobody counts.
        summary: What was done, in a few words for the model; empty where it was only found.
        if_named: What it bears out only of sentences that say which, when or for whom: "Done." tells of what was asked
            for now, and not of what was done before.
        thing: The id of what was found, which several tools may have found; empty of what was done.
        is_of_now: Whether it was done in this turn.
    """

    deeds: frozenset[Deed]
    moments: tuple[datetime, ...]
    words: frozenset[str]
    numbers: frozenset[str] = frozenset()
    addresses: frozenset[str] = frozenset()
    told: Mentions | None = None
    amounts: frozenset[str] = frozenset()
    noted: frozenset[str] = frozenset()
    by_words: frozenset[Deed] = frozenset({Deed.OTHER})
    by_name: frozenset[Deed] = frozenset()
    is_receipt: bool = False
    summary: str = ""
    people: frozenset[str] = frozenset()
    customers: frozenset[str] = frozenset()
    party: int | None = None
    if_named: frozenset[Deed] = frozenset()
    thing: str = ""
    is_of_now: bool = False

    def bears_out(
        self,
        deed: Deed,
        mentioned: Mentions,
        services: Sequence[str],
        all_known: Sequence["Evidence"],
        company: CompanySaid = NOBODY_SAID,
    ) -> bool:
        """Tell whether a sentence that claims this deed is about this, as far as it says what it is about.

        Args:
            deed: What it says was done.
            mentioned: When and for whom the sentence says.
            services: The business's services that the sentence names.
            all_known: What else is known; a text message may speak of it.
            company: Whom of the business's people the sentence names, and how many come.
        """
        if deed not in self.deeds and not self._bears_in_other_words(deed, mentioned):
            return False
        if not self._names(mentioned) or not self._agrees_about_money(deed, mentioned):
            return False
        if deed in self.if_named and not (mentioned.says_which or services or company.beside):
            return False
        if self.told is not None:
            return self._could_tell(mentioned, all_known)
        if deed in WITH_SOMEBODY and not (self._is_with(company) and self.is_for(company.parties, all_known)):
            return False
        # What says nothing about time can be no evidence of one.
        if mentioned.say_when and not any(mentioned.agree_with(moment) for moment in self.moments):
            return False
        return all(words_of(name) <= self.words for name in (*mentioned.names, *services))

    def is_for(self, parties: frozenset[int], all_known: Sequence["Evidence"]) -> bool:
        """Tell whether it is for so many; of several appointments each may be for one of those who come together."""
        if self.party is None or not parties:
            return True
        together = (item for item in all_known if item.party and item.moments and item.deeds & WITH_SOMEBODY)
        return parties <= {self.party, sum(item.party or 0 for item in each_once(together))}

    def _is_with(self, company: CompanySaid) -> bool:
        """Tell whether it is with those with whom a sentence says it is; who is named otherwise may be the customer."""
        known = self.people | self.words
        if not all(words_of(name) <= known | self.noted for name in company.strangers):
            return False
        if company.beside:
            return all(words_of(name) <= self.people for name in company.beside)
        return not company.others or any(words_of(name) <= known for name in company.others)

    def _bears_in_other_words(self, deed: Deed, mentioned: Mentions) -> bool:
        if deed in self.by_words and self.noted & mentioned.words:
            return True
        under = mentioned.stood_under
        return deed in self.by_name and bool(under) and all(words_of(name) <= self.words for name in under)

    def _names(self, mentioned: Mentions) -> bool:
        """Tell whether the numbers and addresses of a sentence are these, where any are known."""
        if self.numbers and not all(any(same_number(n, known) for known in self.numbers) for n in mentioned.numbers):
            return False
        return not self.addresses or self.addresses.issuperset(mentioned.addresses)

    def _agrees_about_money(self, deed: Deed, mentioned: Mentions) -> bool:
        if not mentioned.amounts or deed not in _ABOUT_MONEY:
            return True
        return mentioned.amounts <= self.amounts

    def _could_tell(self, mentioned: Mentions, all_known: Sequence["Evidence"]) -> bool:
        assert self.told is not None
        moments = [moment for item in all_known if item.told is None for moment in item.moments]
        if not mentioned.say_when or (not moments and not self.told.say_when):
            return True
        return mentioned.agree_with_words(self.told) or any(mentioned.agree_with(moment) for moment in moments)


def each_once(items: Iterable[Evidence]) -> list[Evidence]:
    """Return them without those of things that were found before: two look-ups of one booking make no two bookings."""
    by_content: dict[object, Evidence] = {}
    for item in items:
        by_content.setdefault(item.thing or id(item), item)
    return list(by_content.values())


def in_order(moments: Iterable[datetime]) -> str:
    """Return local times as a model is told them."""
    return ", ".join(sorted({f"{moment:%A %Y-%m-%d %H:%M}" for moment in moments}))


def evidence(deeds: frozenset[Deed], data: Any, zone: tzinfo) -> Evidence:
    """Return what data bears out: every time in it, local in `zone`, and every word."""
    rows = list(_texts(data))
    texts = [text for _, text in rows]
    times = ((key, moment_in(text, zone)) for key, text in rows)
    moments = tuple(moment for key, moment in times if moment is not None and not key.lower().startswith(_ENDS))
    return Evidence(
        deeds,
        moments,
        frozenset().union(*map(words_of, texts)) if texts else frozenset(),
        frozenset(_digits(text) for text in texts if _NUMBER.search(text)),
        frozenset(text.casefold() for text in texts if "@" in text),
        amounts=frozenset().union(*(amounts_in_data(text) for text in texts)) | _numbers(data),
        people=frozenset().union(*(words_of(text) for key, text in rows if key == _WITH)),
        customers=frozenset().union(*(words_of(text) for key, text in rows if key.lower() in _WHOSE)),
    )


def ends_in(data: Any, zone: tzinfo) -> Iterator[datetime]:
    """Yield when something in some data ends, local in `zone`."""
    for key, text in _texts(data):
        moment = moment_in(text, zone) if key.lower().startswith("end") else None
        if moment is not None:
            yield moment


def stretches_in(data: Any, zone: tzinfo) -> Iterator[tuple[datetime, datetime]]:
    """Yield when things in some data begin and end, local in `zone`."""
    rows = [data]
    while rows:
        row = rows.pop()
        inner = list(row.values()) if isinstance(row, Mapping) else row
        rows += inner if isinstance(inner, Sequence) and not isinstance(inner, str) else []
        if isinstance(row, Mapping):
            begins, ends = (
                [
                    moment_in(text, zone)
                    for name, text in row.items()
                    if name.lower().startswith(word) and isinstance(text, str)
                ]
                for word in ("start", "end")
            )
            if len(begins) == len(ends) == 1 and begins[0] is not None and ends[0] is not None:
                yield begins[0], ends[0]


def about_no_time(deeds: frozenset[Deed], receipt: Any, arguments: Any, zone: tzinfo, now: datetime) -> Evidence:
    """Return what the receipt of such an action bears out; `now` is local and says what "tomorrow" meant in it."""
    known = evidence(deeds, receipt, zone)
    mentioned = mentions(" ".join(" ".join(text for _, text in _texts(arguments)).split())[:_LONGEST_TOLD], now)
    amounts = known.amounts | evidence(deeds, arguments, zone).amounts
    return Evidence(deeds, (), known.words, known.numbers, known.addresses, mentioned, amounts)


@lru_cache(maxsize=_TEXTS_KEPT)
def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in lower case."""
    return frozenset(word.casefold() for word in _WORD.findall(text))


def long_words(data: Any) -> frozenset[str]:
    """Return the words of four letters and more in some data, in lower case: what it is about, rather than how."""
    texts = (text for _, text in _texts(data))
    return frozenset(word for text in texts for word in words_of(text) if len(word) >= 4 and word.isalpha())


def texts_in(data: Any) -> Iterator[str]:
    """Yield every text in some data."""
    return (text for _, text in _texts(data))


def services_named(business: Business | None, sentence: str) -> tuple[str, ...]:
    """Return the business's services that a sentence names in full."""
    if business is None:
        return ()
    lowered = sentence.casefold()
    possible = (service.name for service in business.services if service.name.casefold() in lowered)
    names = [name for name in possible if re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", lowered)]
    # "Haircut" within "Haircut and color" is not another service.
    return tuple(n for n in names if not any(n != other and n.casefold() in other.casefold() for other in names))


def _numbers(value: Any) -> frozenset[str]:
    """Return every number in some data, as amounts are compared."""
    if isinstance(value, bool):
        return frozenset()
    if isinstance(value, int | float):
        return frozenset({plain_amount(str(value))})
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return frozenset().union(*map(_numbers, value))
    return frozenset()


def same_number(spoken: str, known: str) -> bool:
    """Tell whether digits that are said are those of a number, or its last ones."""
    count = min(len(spoken), _TELLING_DIGITS)
    return known[-count:] == spoken[-count:]


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text in some data with the name of its field."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, datetime):
        yield key, value.isoformat()
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _texts(inner, str(name))
    elif isinstance(value, Sequence):
        yield from _all(value, key)


def _all(values: Iterable[Any], key: str) -> Iterator[tuple[str, str]]:
    for value in values:
        yield from _texts(value, key)


def moment_in(text: str, zone: tzinfo) -> datetime | None:
    """Return the time that a result names, in a zone; None where it is no time of a day."""
    if len(text) < 16 or text[4:5] != "-":
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.astimezone(zone) if moment.tzinfo else moment.replace(tzinfo=zone)
