"""A call that waits for a caller's yes, as a session's document keeps it, and what an answer does to it."""

import re
from collections.abc import Mapping
from dataclasses import field, replace
from datetime import datetime
from typing import Any, Literal, TypeAlias

from switchboard.contract.business.languages import language_of
from switchboard.contract.document import mapping
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.pipeline.confirmation.asked_call import AskedCall
from switchboard.pipeline.confirmation.asked_times import AskedTimes, read_times
from switchboard.pipeline.confirmation.consent import Reply, asks_for_words, may_precede, plain_words

# So many unclear answers leave a question open; after the next one the tool has to be called, and asks, anew.
UNCLEAR_ANSWERS = 2

Verdict: TypeAlias = Literal["approved", "declined", "open", "lapsed", "nothing"]
"""What an answer did: `open` asks again, `lapsed` is too late or unclear again, `nothing` answered no question."""


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call that waits for the caller's yes.

    Attributes:
        tool: Its name.
        claim_key: `Invocation.claim_key`: session, tool and canonical arguments in one; stored as `effectKey`.
        read_back: The question, as it was to be said.
        turn: The human turn in which it was asked; only a later one can answer it.
        expires_at: When it is too late for an answer (aware, UTC).
        attempts: How many unclear answers it has had.
        asked: `turn:claim key` of everything proposed since the last answer.
        deeds: What it does, as far as an answer may say so ("yes, cancel it"); see `deed_words.DEEDS`.
        channel: Where it was asked; empty in what was written before that was kept.
        facts: What the tool proposed, as `Proposal.digest`; 0 in what was written before that was kept.
        by_language: The question as it is put in each language, for a caller who has not understood it.
        times: When what it is about begins, and when it was asked; None where it names no time.
        joint: All the calls that the question is about, this one among them; empty where it is about this one alone.
    """

    tool: str
    claim_key: str
    read_back: str
    turn: int
    expires_at: datetime
    attempts: int = 0
    asked: tuple[str, ...] = ()
    deeds: tuple[str, ...] = ()
    channel: str = ""
    facts: int = 0
    joint: tuple[AskedCall, ...] = ()
    times: AskedTimes | None = None
    by_language: Mapping[str, str] = field(default_factory=dict)

    @property
    def calls(self) -> tuple[AskedCall, ...]:
        """What a yes is to."""
        alone = AskedCall(self.tool, self.claim_key, self.read_back, self.deeds, self.facts, self.by_language)
        return self.joint or (alone,)

    @property
    def mark(self) -> str:
        """What it leaves in `asked`."""
        return f"{self.turn}:{self.claim_key}"

    @property
    def is_alone(self) -> bool:
        """Whether the question names all that was asked in its turn: one yes cannot answer two questions."""
        named = {f"{self.turn}:{call.claim_key}" for call in self.calls}
        return all(mark in named or not mark.startswith(f"{self.turn}:") for mark in self.asked)

    def to_document(self) -> JsonObject:
        """Return the field `proposal` of a session's document."""
        return {
            "tool": self.tool,
            "effectKey": self.claim_key,
            "readBack": self.read_back,
            "turn": self.turn,
            "expiresAt": self.expires_at,
            "attempts": self.attempts,
            "asked": list(self.asked),
            "deeds": list(self.deeds),
            "channel": self.channel,
            "facts": self.facts,
            "times": self.times.to_document() if self.times is not None else None,
            "calls": [call.to_document() for call in self.joint],
            "byLanguage": dict(self.by_language),
        }

    def asked_in(self, language: str) -> "PendingCall":
        """Return it as it is asked in a language; itself where it is asked in that one, or cannot be."""
        question = self.by_language.get(language_of(language))
        return replace(self, read_back=question) if question and question != self.read_back else self

    def was_asked(self, words: str) -> bool:
        """Tell whether the last of these words are the question, which nothing before it turns round.

        What asks, speaks of an answer or says that it will not be done does; marks may be told differently.
        """
        spoken, question = plain_words(words), plain_words(self.read_back)
        if not question or spoken[-len(question) :] != question:
            return False
        return not asks_for_words(spoken[: -len(question)]) and may_precede(
            _without_opener(_before(words, len(question)))
        )

    def verdict(self, answer: Reply, turn: int, now: datetime, *, is_asked: bool = True) -> Verdict:
        """Return what an answer given in a turn does to it; `is_asked`: whether the question was put, and heard."""
        if turn <= self.turn:
            return "nothing"
        if now >= self.expires_at:
            return "lapsed"
        if answer == "no":
            return "declined"
        if not is_asked:
            return "open"
        if answer == "yes" and self.is_alone:
            return "approved"
        return "open" if self.attempts < UNCLEAR_ANSWERS else "lapsed"


def read_proposal(data: Any) -> PendingCall | None:
    """Return the proposal that `to_document` wrote; None if there is none, or none that can be read."""
    try:
        return PendingCall(
            tool=data["tool"],
            claim_key=data["effectKey"],
            read_back=data["readBack"],
            turn=data["turn"],
            expires_at=data["expiresAt"],
            attempts=data["attempts"],
            asked=tuple(data["asked"]),
            deeds=tuple(data.get("deeds") or ()),
            channel=data.get("channel") or "",
            facts=data.get("facts") or 0,
            joint=tuple(map(AskedCall.of, data.get("calls") or ())),
            times=read_times(data.get("times")),
            by_language=mapping(data.get("byLanguage")),
        )
    except (KeyError, TypeError):
        return None


def _before(words: str, count: int) -> str:
    """Return what stands in a text before so many of its last words."""
    parts = re.split(r"(\s+)", words)
    while parts and count > 0:
        own = len(plain_words(parts[-1]))
        if own > count:
            # What is written together with the first word stands before it all the same: "never—shall I".
            break
        count -= own
        parts.pop()
    return "".join(parts)


def _without_opener(before: str) -> str:
    """Return what was said before the sentence of a question, where that only begins as questions do: "So, shall I".

    A model that is told what to ask puts it into a sentence of its own.
    """
    sentences = _END.split(before)
    opener = plain_words(sentences[-1])
    is_opener = len(opener) <= _LONGEST_OPENER and _OPENERS.issuperset(opener)
    return before[: len(before) - len(sentences[-1])] if is_opener else before


_END = re.compile(r"(?<=[.!\u2026])\s")
_LONGEST_OPENER = 7
_OPENERS = frozenset(
    plain_words(
        "so okay ok alright right well now then and just to be sure shall should may can could i we do you want me "
        "like would also gut nun dann und soll sollen darf kann ich wir mochten sie dass entonces bien vale y puedo "
        "podemos debo quiere que alors donc bon et puis je dois peux voulez vous allora bene e posso devo vuole che "
        "dus goed en zal mag kan wilt u dat ik entao bom posso devo quer"
    )
)
