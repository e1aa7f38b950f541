"""What plays kept tests, and what it tells: a port, since the whole product is needed for it and nothing of it here."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Protocol

from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document

LONGEST_TOLD = 400
"""Characters of one thing that is told of a test."""


@dataclass(frozen=True, slots=True)
class KeptTest:
    """A kept test, as it was read.

    Attributes:
        scenario: What is played: its fields with the business as it is; nothing where it cannot be read.
        problem: Why it cannot be read, in one line; empty where it can.
    """

    business_id: str
    document: Document
    scenario: JsonObject
    problem: str = ""

    @property
    def name(self) -> str:
        """By which it is acknowledged: its business and its own name."""
        return f"{self.business_id}/{self.document.id}"


@dataclass(frozen=True, slots=True)
class PlayedVerdict:
    """What came of a test.

    Attributes:
        what: What is not as it should be, the first of it; empty where the test is green.
        sentence: What was said when it went wrong, or nothing.
        call: What was called then and what came of it, or nothing.
        catalog_hash: Of the set of tools that it met; empty where it met none.
    """

    what: str = ""
    sentence: str = ""
    call: str = ""
    catalog_hash: str = ""

    @property
    def is_red(self) -> bool:
        """Whether it came to something else than it says."""
        return bool(self.what)


@dataclass(frozen=True, slots=True)
class Played:
    """What came of several tests, by their names, and which of them nobody got to in the time."""

    verdicts: Mapping[str, PlayedVerdict] = field(default_factory=dict)
    not_run: tuple[str, ...] = ()


class Playing(Protocol):
    """Plays tests where nothing of it can reach the store or a vendor."""

    async def play(self, tests: Sequence[KeptTest], definitions: Mapping[str, JsonObject], within_s: float) -> Played:
        """Return what came of tests, in their order, as far as the time goes.

        Args:
            tests: What is played.
            definitions: What is published there, as it is stored; none for the tools as they were built.
            within_s: After so long no further one is begun.

        Raises:
            ToolError: TRANSIENT; none can be played here now.
        """
