"""A tool's `guide.md`: its summary and its examples, taken out of prose that otherwise has no fixed form.

Seed 003 ("Simplified Documentation Format"): the summary is the first line that is no heading, no set of sections is
required, and the examples are arguments that the tool takes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from switchboard.contract.definitions.definition import DefinitionError

_HEADING = re.compile(r"#{1,6}\s+(?P<text>.+)")
_FENCE = re.compile(r"\s*(?P<fence>`{3,}|~{3,})\s*(?P<language>\w*)")
_NEXT_SENTENCE = re.compile(r"[.!?]\s+[\"'(]?[A-Z]")
_NO_PROSE = ("-", "*", "+", ">", "|", "`", "~", "<", "{")


@dataclass(frozen=True, slots=True)
class Example:
    """A JSON block of a guide's section on examples, and the line on which it begins."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Guide:
    """What a guide says beyond its prose."""

    heading: str
    summary: str
    examples: tuple[Example, ...]


def read_guide(text: str) -> Guide:
    """Return the parts of a guide; empty where it has none."""
    lines = [line.strip() for line in text.splitlines()]
    first = next((line for line in lines if line), "")
    heading = _HEADING.fullmatch(first)
    summary = next((line for line in lines if line and not _HEADING.fullmatch(line)), "")
    return Guide(heading["text"] if heading else "", summary, tuple(_examples(text)))


def guide_problems(guide: Guide) -> list[DefinitionError]:
    """Return what a guide lacks; its examples are for whoever knows the schema."""
    found = []
    if not guide.heading:
        found.append(DefinitionError("heading", "is missing", "begin with a line such as # book_appointment"))
    if not guide.summary or guide.summary.startswith(_NO_PROSE):
        found.append(DefinitionError("summary", "is missing", "write one sentence under the heading"))
    elif not guide.summary.endswith((".", "!", "?")):
        found.append(DefinitionError("summary", "does not end on its line", "write one sentence on one line"))
    elif _NEXT_SENTENCE.search(guide.summary):
        found.append(DefinitionError("summary", "is more than one sentence", "leave one sentence on that line"))
    return found


def _examples(text: str) -> Iterator[Example]:
    """Yield the JSON blocks under a heading that begins with "Example"."""
    fence, is_wanted, in_examples, begins = "", False, False, 0
    block: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        match = _FENCE.match(line)
        if fence:
            if match and match["fence"].startswith(fence):
                if is_wanted:
                    yield Example(begins, "\n".join(block))
                fence = ""
            else:
                block.append(line)
        elif match:
            fence, begins, block = match["fence"], number, []
            is_wanted = in_examples and match["language"].lower() == "json"
        elif (heading := _HEADING.fullmatch(line.strip())) and not line.startswith("###"):
            in_examples = heading["text"].lower().startswith("example")
