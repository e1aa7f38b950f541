"""What a template says, what a business says, and what templates said there last, held against each other.

What templates said is kept as prints of the values, which tell whether a value is still the same and nothing else.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, TypeAlias

from switchboard.admin.documents.difference import ABSENT, canonical, same
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

Tree: TypeAlias = Mapping[str, Any]
"""Values by name, as deep as they are told apart; what is no mapping is one value."""

_DIGITS = 12


class _Unknown:
    """Nobody knows what was said."""


UNKNOWN: Final = _Unknown()
"""Stands for what a template said where nothing of it was noted, which is something else than that it said nothing."""


class DeviationStanding(StrEnum):
    """Whose a value is that is not as the template says.

    `OUTDATED`: what a template said before. `OWN`: the business's own, of which the template says nothing new.
    `CONTESTED`: the business's own, of which the template says something new. `UNKNOWN`: nobody knows. `NEAR`: the
    business has something else on the same.
    """

    OUTDATED = "outdated"
    OWN = "own"
    CONTESTED = "contested"
    UNKNOWN = "unknown"
    NEAR = "near"


@dataclass(frozen=True, slots=True)
class TemplateDeviation:
    """A value of a business that is not as the template says.

    Attributes:
        steps: Where it is, name by name.
        before: What the business says; `ABSENT` where it says nothing.
        after: What the template says, likewise.
        standing: Whose the value is.
    """

    steps: tuple[str, ...]
    before: Any
    after: Any
    standing: DeviationStanding


def prints(value: Any) -> Any:
    """Return the prints of all values of a tree, in its shape."""
    if isinstance(value, Mapping):
        return {name: prints(inner) for name, inner in value.items()}
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def deviations(
    template: Any, current: Any, earlier: Any, elsewhere: Sequence[Any] = (), steps: tuple[str, ...] = ()
) -> Iterator[TemplateDeviation]:
    """Yield where a business is not as a template says, in the template's order.

    Args:
        template: What the template says; `ABSENT` for nothing.
        current: What the business says, likewise.
        earlier: Prints of what this template said there last; `ABSENT` for nothing, `UNKNOWN` where nobody knows.
        elsewhere: The same of other templates: what one of them said is no owner's change either.
        steps: Where all this is.
    """
    if same(template, current):
        return
    if isinstance(template, Mapping) and isinstance(current, Mapping):
        for name in (*template, *(name for name in current if name not in template)):
            inner = [_inner(one, name) for one in elsewhere]
            sides = template.get(name, ABSENT), current.get(name, ABSENT)
            yield from deviations(*sides, _inner(earlier, name), inner, (*steps, name))
    elif template is not ABSENT or earlier not in (ABSENT, UNKNOWN):
        # What only the business has is none of the template's business.
        yield TemplateDeviation(steps, current, template, _standing(template, current, earlier, elsewhere))


def _standing(template: Any, current: Any, earlier: Any, elsewhere: Sequence[Any]) -> DeviationStanding:
    if _is_print_of(earlier, template):
        # Whatever others said there: somebody has left this very word of the template, or taken it back.
        return DeviationStanding.OWN
    known = [one for one in (earlier, *elsewhere) if one is not UNKNOWN]
    if not known:
        return DeviationStanding.UNKNOWN
    if any(_is_print_of(one, current) for one in known):
        return DeviationStanding.OUTDATED
    return DeviationStanding.CONTESTED


def _is_print_of(earlier: Any, value: Any) -> bool:
    if earlier is ABSENT or value is ABSENT:
        return earlier is value
    return earlier is not UNKNOWN and bool(earlier == prints(value))


def _inner(earlier: Any, name: str) -> Any:
    if isinstance(earlier, Mapping):
        return earlier.get(name, ABSENT)
    # Of what was one value then, nobody knows the parts.
    return ABSENT if earlier is ABSENT else UNKNOWN


def adopted(current: Any, changes: Iterable[TemplateDeviation]) -> Any:
    """Return a tree in which some values are as the template says."""
    for change in changes:
        current = _set(current, change.steps, change.after)
    return current


def _set(tree: Any, steps: tuple[str, ...], value: Any) -> Any:
    if not steps:
        return value
    name, *further = steps
    inner: JsonObject = dict(tree) if isinstance(tree, Mapping) else {}
    changed = _set(inner.get(name, ABSENT), tuple(further), value)
    if changed is ABSENT:
        inner.pop(name, None)
    else:
        inner[name] = changed
    return inner
