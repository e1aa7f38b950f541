"""A call that a question to the caller is about: one of several, where they are asked about together."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from switchboard.contract.business.languages import language_of
from switchboard.contract.document import mapping
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import ChannelPolicy
from switchboard.contract.python.dataclass import dataclass

MOST_AT_ONCE = 5
"""Nobody keeps more in mind than that, to say one yes to all of it."""


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A call that waits for the caller's yes.

    Attributes:
        tool: Its name.
        claim_key: `Invocation.claim_key`: session, tool and canonical arguments in one; stored as `effectKey`.
        question: What the caller would be asked about it alone.
        deeds: What it does, as far as an answer may say so.
        facts: What the tool proposed, as `Proposal.digest`; 0 where it proposes nothing.
        by_language: The question as it is put in each language, for a caller who has not understood it.
    """

    tool: str
    claim_key: str
    question: str
    deeds: tuple[str, ...] = ()
    facts: int = 0
    by_language: Mapping[str, str] = field(default_factory=dict)

    def question_in(self, language: str) -> str:
        """Return the question in a language; as it was asked where it is not there in that one."""
        return self.by_language.get(language_of(language), self.question)

    def to_document(self) -> JsonObject:
        """Return it as it stands among a proposal's `calls`."""
        return {
            "tool": self.tool,
            "effectKey": self.claim_key,
            "question": self.question,
            "deeds": list(self.deeds),
            "facts": self.facts,
            "byLanguage": dict(self.by_language),
        }

    @classmethod
    def of(cls, data: JsonObject) -> "AskedCall":
        """Read what `to_document` wrote.

        Raises:
            KeyError, TypeError: It cannot be read.
        """
        known = data["tool"], data["effectKey"], data["question"], tuple(data["deeds"]), data["facts"]
        return cls(*known, mapping(data.get("byLanguage")))


def most_at_once(policy: ChannelPolicy) -> int:
    """Return how many calls one question may be about: no more than a turn can carry out after the yes."""
    return min(MOST_AT_ONCE, policy.calls_per_turn)


def deeds_of_all(calls: Sequence[AskedCall]) -> tuple[str, ...]:
    """Return what an answer may say of all of them; nothing where they do different things."""
    first, *others = (call.deeds for call in calls)
    return first if all(deeds == first for deeds in others) else ()
