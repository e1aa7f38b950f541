"""Percentiles: linear between neighbours, as `statistics.quantiles` has them with method "inclusive"."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.pipeline.metrics.percentiles import WINDOW, Percentiles, SlidingWindow, percentile, percentiles

NUMBERS = st.one_of(st.integers(0, 10**9), st.floats(0, 1e9))


@given(st.lists(NUMBERS, min_size=2, max_size=300))
def test_percentiles_agree_with_the_standard_library(values):
    """Every percentile that is shown, of any values in any order."""
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    found = percentiles(values)
    assert (found.p50, found.p95, found.p99) == pytest.approx((cuts[49], cuts[94], cuts[98]))


@given(st.lists(NUMBERS, min_size=1, max_size=300), st.integers(0, 100))
def test_a_percentile_lies_between_the_values_around_it(values, p):
    """At most p % of the values lie below its lower neighbour; the ends are the smallest and the largest."""
    ordered = sorted(values)
    found = percentile(ordered, p)
    below = (len(ordered) - 1) * p // 100
    above = min(below + 1, len(ordered) - 1)
    assert ordered[below] <= found <= ordered[above] or found == pytest.approx(ordered[above])
    assert (percentile(ordered, 0), percentile(ordered, 100)) == (ordered[0], ordered[-1])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], None),
        ([7], Percentiles(7, 7, 7)),
        ([0, 100], Percentiles(50, 95, 99)),
        ([3, 1, 2], Percentiles(2, 2.9, 2.98)),
        (range(101), Percentiles(50, 95, 99)),
    ],
)
def test_percentiles_of_few_values_are_as_documented(values, expected):
    """One value is all of them; two are the ends of a line."""
    assert percentiles(values) == expected


def window_of(*values):
    window = SlidingWindow()
    for value in values:
        window.add(value)
    return window


@given(st.lists(st.floats(0, 1e6), max_size=50), st.integers(0, 60))
def test_only_the_last_thousand_values_count(values, more):
    """Whatever came before has no influence on them; count and sum are of all that ever came."""
    everything = [5e9] * more + [1.0] * WINDOW + values
    window = window_of(*everything)
    assert window.percentiles() == percentiles(([1.0] * WINDOW + values)[-WINDOW:])
    assert (window.count, window.sum) == (len(everything), pytest.approx(sum(everything)))


@pytest.mark.parametrize(("every", "expected"), [(1, 5.0), (2, 5.0), (3, 0.0), (50, 0.0)])
def test_percentiles_are_kept_until_enough_values_have_come(every, expected):
    """Two values have come since they were computed."""
    window = window_of(0.0)
    assert window.percentiles().p50 == 0.0
    window.add(5.0)
    window.add(9.0)
    assert window.percentiles(every).p50 == expected


def test_an_empty_window_keeps_nothing_for_later():
    """The first value is shown as soon as it is there."""
    window = SlidingWindow()
    assert window.percentiles(50) is None
    window.add(3.0)
    assert window.percentiles(50) == Percentiles(3.0, 3.0, 3.0)
