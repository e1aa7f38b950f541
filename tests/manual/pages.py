"""The pages of the manual, and the commands on them with what is shown to come of each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import setting_up

PAGES = (setting_up.ROOT / "README.md", *sorted((setting_up.ROOT / "docs").glob("*.md")))
SHELL = ("sh", "bash", "console", "shell")
_BLOCK = re.compile(r"^(?P<fence>`{3,})(?P<kind>\w*)\n(?P<text>.*?)^(?P=fence)$", re.S | re.M)
_INDENTED = re.compile(r"(?:^ {4}\S.*\n)+", re.M)
_CODE = re.compile(r"`([^`\n]+(?:\n[^`\n]+)?)`")
_TYPED = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)
# What begins an inline command: a program, and at least one word behind it; "scripts/run" alone is a place.
_INLINE = re.compile(
    r"(?:[A-Z][A-Z_]+=\S+ )*(?:scripts/\w+|\.ci/run|\.venv/bin/\w+|functions/venv/bin/\w+|gcloud|firebase|openssl|curl"
    r"|uvicorn|functions-framework|pip|python3?(?:\.\d+)?|npm|npx|docker|git|cd|printf|streamlit|kill|openapi-python-client)"
    r" \S"
)


@dataclass(frozen=True)
class Command:
    """Something that a reader would type.

    Attributes:
        page: Where it stands, such as `docs/api.md`.
        line: On which line.
        text: As it stands there.
        printed: What is shown below it; nothing where nothing is.
    """

    page: str
    line: int
    text: str
    printed: str = ""

    @property
    def words(self) -> str:
        """Return it on one line, by which it is known."""
        return " ".join(self.text.split())

    @property
    def place(self) -> str:
        """Return where a reader finds it, and how it begins."""
        return f"{self.page}, line {self.line}: {self.words[:100]}"


def commands(pages: tuple[Path, ...] = PAGES) -> Iterator[Command]:
    """Yield every command of the manual: those in blocks, those behind a `$ `, and those within a sentence."""
    for page in pages:
        text = page.read_text(encoding="utf-8")
        name = page.relative_to(setting_up.ROOT).as_posix() if page.is_relative_to(setting_up.ROOT) else page.name
        yield from _in_blocks(name, text)
        yield from _in_sentences(name, text)


def _in_blocks(page: str, text: str) -> Iterator[Command]:
    found = list(_BLOCK.finditer(text))
    for number, block in enumerate(found):
        line = text[: block.start()].count("\n") + 2
        following = found[number + 1] if number + 1 < len(found) else None
        # What is printed stands in a block without a name, right below, with at most a sentence between them.
        shown = following["text"] if following and not following["kind"] else ""
        if block["kind"] in SHELL and not _TYPED.search(block["text"]):
            yield Command(page, line, block["text"], shown)
        elif block["kind"] in (*SHELL, "text", ""):
            for typed in _TYPED.finditer(block["text"]):
                yield Command(page, line + block["text"][: typed.start()].count("\n"), typed[1], typed[2])
    plain = _without_blocks(text)
    for indented in _INDENTED.finditer(plain):
        line = plain[: indented.start()].count("\n") + 1
        for number, row in enumerate(indented[0].splitlines()):
            typed_row = re.sub(r" {2,}# .*$", "", row.strip())
            if _INLINE.match(f"{typed_row} ."):
                yield Command(page, line + number, typed_row)


def _in_sentences(page: str, text: str) -> Iterator[Command]:
    plain = _without_blocks(text)
    for code in _CODE.finditer(plain):
        words = " ".join(code[1].split())
        if _INLINE.match(words):
            yield Command(page, plain[: code.start()].count("\n") + 1, words)


def _without_blocks(text: str) -> str:
    return _BLOCK.sub(lambda block: "\n" * block[0].count("\n"), text)
