"""Labelled sentences: which deeds each tells as done, under way or sure to come, and how it speaks of them.

`sentences/<language>*.txt` hold `[deeds telling]` headers, such as `[booked+texted done]`, and below each one sentence
a line. One sentence of sixteen is kept back for measuring, and never trained on; another is kept from the network, to
find out how its readings are to be weighed. Which ones is told by the sentence itself, so that a sentence that is added
later moves none of the others. Of files that were put together from frames, or hold
what the house itself says, all are trained on: they would flatter the figures.
"""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.claims.classifier import CLAIMING, ClaimTelling

SENTENCES = Path(__file__).parent / "sentences"
OPENINGS = Path(__file__).parent / "openings"
NAMES = Path(__file__).parent / "names.txt"
LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl")
_HEADER = re.compile(r"\[([a-z_+]+) ([a-z]+)\]")
_SIXTEEN, _KEPT_BACK, _FOR_WEIGHING = 16, 0, 8
COMPOSED = ("simple", "lists", "facts", "house", "receipts")
"""The files, behind their language, none of whose sentences is kept back."""


class CorpusError(ValueError):
    """A file of sentences cannot be read; says where, and what would be right."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One sentence.

    Attributes:
        text: As it is said.
        deeds: What it speaks of; empty where it speaks of no deed.
        telling: How it speaks of them.
        language: Such as `de`.
        is_composed: Whether it is of a file that is trained on as a whole.
    """

    text: str
    deeds: frozenset[Deed]
    telling: ClaimTelling
    language: str
    is_composed: bool = False

    @property
    def is_claim(self) -> bool:
        """Whether it claims the deeds that it speaks of."""
        return self.telling in CLAIMING

    @property
    def is_kept_back(self) -> bool:
        """Whether it is kept back from training."""
        return not self.is_composed and zlib.crc32(self.text.encode()) % _SIXTEEN == _KEPT_BACK

    @property
    def is_for_weighing(self) -> bool:
        """Whether the network is not trained on it, but the weighing of what it reads."""
        return not self.is_composed and zlib.crc32(self.text.encode()) % _SIXTEEN == _FOR_WEIGHING


def labelled(language: str, folder: Path = SENTENCES) -> list[Labelled]:
    """Return the sentences of a language, each once, in the order of its files.

    Raises:
        CorpusError: A header cannot be read, or a sentence stands before the first one.
    """
    by_name: dict[str, Labelled] = {}
    for path in sorted(folder.glob(f"{language}*.txt")):
        for sentence in sentences_in(path, language):
            by_name.setdefault(sentence.text, sentence)
    return list(by_name.values())


def openings(language: str, folder: Path = OPENINGS) -> list[str]:
    """Return what may stand before any sentence of a language and changes nothing about what it claims."""
    lines = (folder / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def names(path: Path = NAMES) -> list[str]:
    """Return the names of people that stand in the sentences."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [name for line in lines if not line.startswith("#") for name in line.split()]


def sentences_in(path: Path, language: str = "") -> Iterator[Labelled]:
    """Return the sentences of one file.

    Raises:
        CorpusError: As above.
    """
    deeds: frozenset[Deed] | None = None
    telling = ClaimTelling.PLAIN
    is_composed = path.stem.partition("_")[2] in COMPOSED
    for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line, where = raw.strip(), f"{path.name}:{number}"
        if not line or line.startswith("#"):
            continue
        match = _HEADER.fullmatch(line)
        if match is not None:
            deeds, telling = _labels(match[1], match[2], where)
        elif deeds is None:
            raise CorpusError(f"{where}: a sentence stands before the first header; write one such as [booked done]")
        else:
            yield Labelled(line, deeds, telling, language, is_composed)


def _labels(deeds: str, telling: str, where: str) -> tuple[frozenset[Deed], ClaimTelling]:
    names = [] if deeds == "none" else deeds.split("+")
    try:
        return frozenset(map(Deed, names)), ClaimTelling(telling)
    except ValueError:
        known = f"{', '.join([*Deed, 'none'])}; {', '.join(ClaimTelling)}"
        raise CorpusError(f"{where}: [{deeds} {telling}] is no label; use of each: {known}") from None
