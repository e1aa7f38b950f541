"""One test over a table of cases: set up once, and every case that fails is told by its values."""

import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

import pytest
from _pytest.mark import ParameterSet

MOST_TOLD = 20
"""What breaks every case of a long table need not be read a thousand times."""
LONGEST_VALUE = 200

Test = Callable[..., Any]
Ids = Callable[[Any], Any] | Iterable[str] | None
Table = list[tuple[str, Mapping[str, Any]]]


def each(names: str | Sequence[str], cases: Iterable[Any], ids: Ids = None) -> Callable[[Test], Test]:
    """Put a test through `cases`, which share the fixtures that it asks for; tables may be stacked.

    It is written as `pytest.mark.parametrize` is, and meant for cases that leave nothing behind: a test whose cases
    need a store of their own each stays parametrized. What fails is reported case by case, as a subtest.

    Args:
        names: `"a, b"` or `("a", "b")`: the arguments that a case gives values to.
        cases: One value a case, or as many as there are names.
        ids: What each case is called in a report, or what makes that of a value; else its values tell.

    Raises:
        ValueError: The table is empty, or a case has not as many values as there are names, or is a pytest.param.
    """
    table = _table([name.strip() for name in names.split(",")] if isinstance(names, str) else names, list(cases), ids)

    def decorate(test: Test) -> Test:
        one_case: Test = getattr(test, "one_case", test)
        inner: Table = getattr(test, "table", [("", {})])
        whole = [
            (f"{here}, {there}".strip(", "), {**a, **b}) for (here, a), (there, b) in itertools.product(table, inner)
        ]
        through: Any = (
            _awaiting(one_case, whole) if inspect.iscoroutinefunction(one_case) else _calling(one_case, whole)
        )
        through.one_case, through.table = one_case, whole
        fixtures = [one for name, one in inspect.signature(one_case).parameters.items() if name not in whole[0][1]]
        subtests = inspect.Parameter("subtests", inspect.Parameter.KEYWORD_ONLY)
        through.__signature__ = inspect.Signature([*fixtures, subtests])
        return through  # type: ignore[no-any-return]

    return decorate


def _table(names: Sequence[str], cases: list[Any], ids: Ids) -> Table:
    if not cases:
        raise ValueError(f"there is no case for {', '.join(names)}")
    table: Table = []
    called = list(ids) if ids is not None and not callable(ids) else None
    for position, case in enumerate(cases):
        if isinstance(case, ParameterSet):
            raise ValueError(f"case {position} is a pytest.param: name cases by `ids`, and mark tests as a whole")
        values = (case,) if len(names) == 1 else tuple(case)
        if len(values) != len(names):
            raise ValueError(f"case {position} has {len(values)} values for {', '.join(names)}: {case!r}")
        if called:
            name = called[position]
        elif callable(ids):
            name = "-".join(str(ids(value)) for value in values)
        else:
            name = ", ".join(f"{name}={_shortened(value)}" for name, value in zip(names, values, strict=True))
        table.append((name, dict(zip(names, values, strict=True))))
    return table


def _shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def _calling(test: Test, table: Table) -> Test:
    @wraps(test)
    def through(*args: Any, subtests: pytest.Subtests, **fixtures: Any) -> None:
        told = _Told(subtests, len(table))
        for name, case in table:
            with told.case(name):
                test(*args, **fixtures, **case)

    return through


def _awaiting(test: Test, table: Table) -> Test:
    @wraps(test)
    async def through(*args: Any, subtests: pytest.Subtests, **fixtures: Any) -> None:
        told = _Told(subtests, len(table))
        for name, case in table:
            with told.case(name):
                await test(*args, **fixtures, **case)

    return through


class _Told:
    """How many cases of a table were tried, and how many of them failed."""

    def __init__(self, subtests: pytest.Subtests, length: int) -> None:
        self._subtests, self._left, self._failed = subtests, length, 0

    @contextmanager
    def case(self, name: str) -> Iterator[None]:
        """Report a case that fails, and go on; gives up where too many do."""
        self._left -= 1
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:
            error.add_note(f"in the case {name}")
            # Only what fails becomes a subtest: pytest captures output and makes a report for each, and thousands
            # of passing ones would take longer than their tests.
            with self._subtests.test(name):
                raise
            self._failed += 1
        if self._failed == MOST_TOLD and self._left:
            pytest.fail(f"{MOST_TOLD} cases failed; the {self._left} after them were not tried", pytrace=False)
