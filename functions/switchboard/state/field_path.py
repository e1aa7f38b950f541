"""The one rule for dotted field paths, as keys of `Update` and in `Filter` and `Order`.

A dotted path is split at every dot, and each segment is the literal name of a field: `usage.2026-01` reaches the field
`2026-01` of the map `usage`. So a name that holds a dot cannot be reached by a path (a `Set` can still write it), and
backticks and backslashes, with which Firestore quotes names, are refused.
"""

import re
from collections.abc import Collection, Hashable
from functools import lru_cache

from switchboard.contract.store import RESERVED_NAME, Invalid, NotStorable

_MAX_NAME_BYTES = 1500
_QUOTING = re.compile(r"[`\\]")
_NAMES_KEPT = 4096
_GOOD_NAMES: set[Hashable] = set()


@lru_cache(maxsize=4096)
def split(dotted: str) -> tuple[str, ...]:
    """Return the field names that a dotted path goes through; refuse what is not one."""
    if not isinstance(dotted, str):
        raise Invalid(f"a field path must be text, not {type(dotted).__name__}")
    if _QUOTING.search(dotted):
        raise Invalid(f"a field path cannot hold a backtick or a backslash: {dotted[:40]!r}")
    if utf8_length(dotted) > _MAX_NAME_BYTES:
        raise Invalid(f"a field path is longer than {_MAX_NAME_BYTES} bytes: {dotted[:40]!r}…")
    names = tuple(dotted.split("."))
    for name in names:
        check_name(name)
    return names


def join(names: tuple[str, ...]) -> str:
    """Return the dotted spelling of a path."""
    return ".".join(names)


def check_names(fields: Collection[Hashable]) -> None:
    """Refuse a map in which Firestore would not take one of the names."""
    if _GOOD_NAMES.issuperset(fields):
        return
    for name in fields:
        check_name(name)
    # A map of one name is as often one that is named by what it is about, and so by another each time.
    if len(fields) > 1:
        if len(_GOOD_NAMES) >= _NAMES_KEPT:
            _GOOD_NAMES.clear()
        _GOOD_NAMES.update(fields)


@lru_cache(maxsize=_NAMES_KEPT)
def check_name(name: Hashable) -> None:
    """Refuse what Firestore does not take as the name of a field."""
    if not isinstance(name, str):
        raise Invalid(f"the name of a field must be text, not {type(name).__name__}")
    if not name:
        raise NotStorable("the name of a field is empty")
    if RESERVED_NAME.fullmatch(name):
        raise NotStorable(f"names between double underscores are Firestore's own: {name[:40]!r}")
    if utf8_length(name) > _MAX_NAME_BYTES:
        raise NotStorable(f"the name of a field is longer than {_MAX_NAME_BYTES} bytes: {name[:40]!r}…")


def utf8_length(text: str) -> int:
    """Return how many bytes text takes; refuse a lone surrogate, which no encoding carries."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise NotStorable("text with a lone surrogate cannot be stored") from None
