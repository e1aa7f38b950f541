"""What a new policy or FAQ has in common with those there are: the topic, the words, and figures that contradict."""

import re
from collections.abc import Iterator, Mapping, Sequence

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.knowledge.chunk import Passage
from switchboard.desk.knowledge.keyword_index import KeywordIndex
from switchboard.desk.knowledge.topics import plain

MOST_NEAR = 5
# Of the telling words of either, so many stand in the other: the same question is seldom asked in the same words.
_NEAR, _AT_LEAST = 0.75, 0.35
_SHOWN_TEXT = 600

_NUMBER = r"[0-9]{1,6}(?:[.,][0-9]{1,2})?"
_MONEY = r"(?:€|\$|£|eur|euros?|usd|dollars?|chf)"
_FIGURES: Mapping[str, re.Pattern[str]] = {
    "price": re.compile(rf"{_MONEY} ?(?P<a>{_NUMBER})|(?P<b>{_NUMBER}) ?{_MONEY}(?!\w)"),
    "percentage": re.compile(rf"(?P<a>{_NUMBER}) ?(?:%|percent|prozent)"),
    "time": re.compile(
        r"(?<![\w:.,])(?P<hour>[0-9]{1,2})"
        r"(?:(?P<minute>[:.][0-5][0-9])?(?: ?(?P<half>[ap]\.?m)| ?uhr)|(?P<clock>:[0-5][0-9]))"
    ),
    "hours": re.compile(rf"(?P<a>{_NUMBER})[ -]?(?:hours?|stunden?)"),
    "minutes": re.compile(rf"(?P<a>{_NUMBER})[ -]?(?:minutes?|minuten?|mins?)(?!\w)"),
    "days": re.compile(rf"(?P<a>{_NUMBER})[ -]?(?:days?|tagen?|tage?)(?!\w)"),
    "weeks": re.compile(rf"(?P<a>{_NUMBER})[ -]?(?:weeks?|wochen?)(?!\w)"),
}


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of one kind that are others in the one text than in the other."""

    kind: str
    there: tuple[str, ...]
    yours: tuple[str, ...]

    def __str__(self) -> str:
        """Return them as a part of a sentence."""
        return f"{self.kind}: {', '.join(self.there)} there, {', '.join(self.yours)} in yours"


@dataclass(frozen=True, slots=True)
class NearEntry:
    """An entry that says something on what another shall be told of."""

    passage: Passage
    topic: str
    revision: str
    figures: tuple[Figures, ...]

    def to_json(self) -> JsonObject:
        """Return it as a refusal tells it."""
        text = self.passage.text
        return {
            "id": self.passage.id,
            "kind": self.passage.kind,
            "topic": self.topic,
            "title": self.passage.title,
            "text": text[:_SHOWN_TEXT] + (" …" if len(text) > _SHOWN_TEXT else ""),
            "revision": self.revision,
            "figures": [{"kind": it.kind, "there": list(it.there), "yours": list(it.yours)} for it in self.figures],
        }


class NearEntries(ToolError):
    """There is something on the topic, and whoever saves another has not said what becomes of it; nothing was saved."""

    def __init__(self, entries: Sequence[NearEntry]) -> None:
        names = ", ".join(f"{it.passage.title[:80]!r} ({it.passage.kind} {it.passage.id})" for it in entries)
        figures = [str(one) for it in entries for one in it.figures]
        contradiction = f" They contradict each other: {'; '.join(figures)}." if figures else ""
        super().__init__(
            ErrorType.CONFLICT,
            f"There is something on this already: {names}.{contradiction} Nothing was saved. Put yours in the place of "
            "that, or send alongside with its id to keep both.",
        )
        self.near = [it.to_json() for it in entries]


def near_passages(own: Passage, own_topic: str, others: Sequence[tuple[Passage, str]]) -> list[int]:
    """Return which of others say something on what one says, the nearest first.

    Two of a kind are near by their topic (policies, of which a topic has one) or by the words of what they are called;
    a policy and an FAQ of one topic are, where their figures contradict.

    Args:
        own: What shall be saved.
        own_topic: Its topic.
        others: What there is, each with its topic.
    """
    same = [at for at, (it, topic) in enumerate(others) if _is_same(own, own_topic, it, topic)]
    kindred = [(at, it) for at, (it, _) in enumerate(others) if it.kind == own.kind and at not in same]
    if kindred:
        index, back = KeywordIndex([it for _, it in kindred]), KeywordIndex([own])
        by_id = {it.id: at for at, it in kindred}
        for hit in index.search(own.title, MOST_NEAR):
            there = back.search(hit.passage.title, 1)
            covers = sorted((hit.cover, there[0].cover if there else 0.0))
            if covers[0] >= _AT_LEAST and covers[1] >= _NEAR:
                same.append(by_id[hit.passage.id])
    return same[:MOST_NEAR]


def _is_same(own: Passage, own_topic: str, other: Passage, topic: str) -> bool:
    is_topic = plain(topic) == plain(own_topic)
    if own.kind != other.kind:
        return is_topic and bool(contradictions(other.text, own.text))
    return is_topic if own.kind == "policy" else plain(own.title.rstrip("?")) == plain(other.title.rstrip("?"))


def contradictions(there: str, yours: str) -> tuple[Figures, ...]:
    """Return the figures of each kind that the one text has and the other has not, where both have some of the kind."""
    pairs = ((kind, set(_figures(kind, there)), set(_figures(kind, yours))) for kind in _FIGURES)
    # What one says beside what both say is more, and nothing else.
    return tuple(
        Figures(kind, tuple(sorted(one)), tuple(sorted(other)))
        for kind, one, other in pairs
        if one and other and not (one <= other or other <= one)
    )


def _figures(kind: str, text: str) -> Iterator[str]:
    for match in _FIGURES[kind].finditer(text.casefold()):
        groups = match.groupdict()
        if kind == "time":
            hour = int(groups["hour"]) % 12 if groups["half"] else int(groups["hour"])
            hour += 12 if (groups["half"] or "").startswith("p") else 0
            if hour <= 24:
                yield f"{hour:02}:{(groups['minute'] or groups['clock'] or ':00')[1:]}"
        else:
            number = (groups.get("a") or groups.get("b") or "").replace(",", ".")
            yield number.rstrip("0").rstrip(".") if "." in number else number
