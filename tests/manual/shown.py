"""What the manual shows of an answer, held against the answer; docs/testing.md tells readers how it is written."""

import re
from collections.abc import Iterator

OMITTED = "…"
FORMS = {
    "day": r"\d{4}-\d\d-\d\d",
    "weekday": r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,[A-Z][a-z]+\d{1,2}",
    "offset": r"[-+]\d\d:\d\d|Z",
    "id": r"[a-z]{1,4}_[a-z0-9]+",
    "commit": r"[0-9a-f]{8}",
    "seconds": r"\d+(?:\.\d)?",
    "count": r"\d+",
}
"""What may stand where a placeholder does, by the first word of its name, in a text without blanks."""
_EVER_NEW = ("seconds", "count")
_PLACEHOLDER = re.compile(rf"<({'|'.join(FORMS)})((?: [a-z]+)*)>")


class Shown:
    """The answers of one page: a placeholder stands for the same text in all of them.

    Args:
        known: What placeholders stand for that are known beforehand, by name.
    """

    def __init__(self, known: dict[str, str] | None = None) -> None:
        self._known = {name: "".join(text.split()) for name, text in (known or {}).items()}

    def differs(self, shown: str, answer: str) -> str:
        """Return what is shown and was not answered, or nothing.

        Everything that is shown has to be there, from the first character to the last, but for blanks; between two
        pieces there may be more only where the page leaves something out.
        """
        plain, at = "".join(answer.split()), 0
        pieces = list(_pieces(shown))
        for number, piece in enumerate(pieces):
            is_last = number + 1 == len(pieces)
            pattern, names = self._pattern(piece)
            found = re.compile(pattern + (r"\Z" if is_last else "")).search(plain, at)
            if found is None or (number == 0 and found.start()):
                return f"not answered{' further on' if number else ' at the beginning'}: {piece}"
            at = found.end()
            self._known |= {name: found[group] for group, name in names.items()}
        return ""

    def _pattern(self, piece: str) -> tuple[str, dict[str, str]]:
        parts, names, at = [], dict[str, str](), 0
        for place in _PLACEHOLDER.finditer(piece):
            name, form = f"{place[1]}{place[2]}", FORMS[place[1]]
            parts.append(re.escape("".join(piece[at : place.start()].split())))
            at = place.end()
            if name in self._known:
                parts.append(re.escape(self._known[name]))
            elif name in names.values():
                parts.append(f"(?P={next(group for group, known in names.items() if known == name)})")
            elif place[1] in _EVER_NEW:
                parts.append(f"(?:{form})")
            else:
                group = f"p{len(names)}"
                names[group] = name
                parts.append(f"(?P<{group}>{form})")
        parts.append(re.escape("".join(piece[at:].split())))
        return "".join(parts), names


def _pieces(shown: str) -> Iterator[str]:
    """Yield what stands between omissions; commas around one belong to what is left out."""
    parts = shown.strip().split(OMITTED)
    for number, part in enumerate(parts):
        piece = part.strip()
        piece = piece.removeprefix(",") if number else piece
        yield (piece.removesuffix(",") if number + 1 < len(parts) else piece).strip()
