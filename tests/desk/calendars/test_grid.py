"""The five-minute grid: overlap of bookings is overlap of steps."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from switchboard.desk.bookings.duration import VisitLength
from switchboard.desk.calendars.grid import STEP, is_on_grid, moment_of, slot_id, steps_between

ORIGIN = datetime(2027, 3, 14, 4, 0, tzinfo=UTC)
STARTS = st.integers(0, 400).map(lambda n: ORIGIN + n * STEP)
VISITS = st.builds(VisitLength, minutes=st.integers(5, 240), before=st.integers(0, 60), after=st.integers(0, 60))


def test_a_slot_is_named_by_its_time_in_utc():
    """The id is readable and the same in every zone."""
    start = datetime(2026, 11, 24, 9, 30, tzinfo=ZoneInfo("America/New_York"))
    assert slot_id(steps_between(start, start + STEP)[0]) == "main_20261124T143000Z"


@given(STARTS, VISITS, STARTS, VISITS)
def test_bookings_collide_exactly_when_the_steps_they_touch_overlap(one, first, other, second):
    """Overlapping visits always share a slot; visits with a whole step between them never do."""
    shared = set(first.claims(one)) & set(second.claims(other))
    begins = [one - timedelta(minutes=first.before), other - timedelta(minutes=second.before)]
    ends = [first.end(one) + timedelta(minutes=first.after), second.end(other) + timedelta(minutes=second.after)]
    if begins[0] < ends[1] and begins[1] < ends[0]:
        assert shared
    if ends[0] + STEP <= begins[1] or ends[1] + STEP <= begins[0]:
        assert not shared


@given(STARTS, st.integers(1, 48), st.integers(1, 48))
def test_bookings_that_touch_do_not_collide(start, steps, next_steps):
    """One ends where the next begins, as long as durations are full five minutes."""
    first, second = VisitLength(5 * steps), VisitLength(5 * next_steps)
    assert not set(first.claims(start)) & set(second.claims(first.end(start)))


@given(STARTS, VISITS)
def test_every_step_of_a_claim_begins_on_the_grid_and_covers_the_visit(start, visit):
    """From the first to the last minute, buffers included, and no step more than needed."""
    steps = visit.claims(start)
    begin, end = start - timedelta(minutes=visit.before), visit.end(start) + timedelta(minutes=visit.after)
    assert all(is_on_grid(moment_of(step)) for step in steps)
    assert moment_of(steps.start) <= begin < moment_of(steps.start) + STEP
    assert moment_of(steps.stop) - STEP < end <= moment_of(steps.stop)


def test_seconds_are_off_the_grid():
    """A start must lie on a full five minutes."""
    assert is_on_grid(ORIGIN)
    assert not is_on_grid(ORIGIN + timedelta(seconds=1))
    assert not is_on_grid(ORIGIN + timedelta(minutes=4))
