"""`scripts/bench scale` simulates what thousands of businesses ask of Firestore, by what calls were measured to ask."""

from datetime import UTC, datetime, timedelta

import pytest

from benchmarks import index_growth, scale
from benchmarks.figure import Effort
from benchmarks.scale_recipe import LASTS_S, Recipe, recipes

CALL = Recipe(part=1.0, steps=(3, 2, 1), shared=(("tickets", 1),), own=("sessions", 4), reads=5, cpu_s=0.01)


def test_what_calls_write_is_measured_and_only_counters_of_texts_are_shared():
    """Two calls of a business that are under way at once write no document in common but those of its limits."""
    talked, booked = recipes()
    assert talked.shared == ()
    assert {kind for kind, _ in booked.shared} == {"tickets"}
    assert talked.writes > len(talked.steps)
    assert talked.part + booked.part == pytest.approx(1)


def test_the_same_calls_come_each_time():
    """A fixed seed: numbers change with the code, and not from run to run."""
    first = scale.simulated([CALL], calls_s=20, seconds=30, businesses=100)
    assert first == scale.simulated([CALL], calls_s=20, seconds=30, businesses=100)


def test_calls_come_as_often_as_they_are_to_and_write_what_each_writes():
    """Over ten minutes the mean lies near what was asked for; the busiest second lies above it."""
    seen = scale.simulated([CALL], calls_s=20, seconds=600, businesses=100)
    assert seen.calls / 600 == pytest.approx(20, rel=0.05)
    assert seen.begun_s > 20
    assert seen.at_once == pytest.approx(20 * LASTS_S, rel=0.1)
    assert seen.writes_s[1] == pytest.approx(20 * CALL.writes, rel=0.05)
    assert seen.writes_s[0] > seen.writes_s[1]


def test_a_document_that_many_calls_share_is_found_hot():
    """One business that has all the calls, against a hundred that have few of them each."""
    one = scale.simulated([CALL], calls_s=2, seconds=120, businesses=1)
    many = scale.simulated([CALL], calls_s=2, seconds=120, businesses=1_000)
    assert one.hot == 1
    assert one.hottest["tickets"] > scale.DOCUMENT_WRITES_S
    assert many.hot == 0


def test_how_many_times_lie_within_a_window():
    """A window may begin at any of them."""
    assert scale.most_within([0, 50, 59, 61, 200], 60) == 4 - 1
    assert scale.most_within([], 60) == 0


def test_a_new_database_takes_half_as_much_again_every_five_minutes():
    """500, 750, 1,125 …"""
    assert [scale.ramp_minutes(rate) for rate in (1, 500, 501, 750, 1_125, 1_126)] == [0, 0, 5, 5, 10, 15]


def test_instances_are_needed_by_whichever_is_scarcer():
    """Sockets, as a rule; the processor, where calls cost much."""
    assert scale.needed(1.0, cpu_s=0.01) == 1
    assert scale.needed(100.0, cpu_s=0.01) == 100 * LASTS_S / 250
    assert scale.needed(100.0, cpu_s=6.0) == 1_000


def test_shards_let_a_counter_keep_up():
    """Two writes a second are more than one document takes, and little for four."""
    assert scale.waited_s(2.0, 1, 600) > 60 > 2 > scale.waited_s(2.0, 4, 600) > scale.waited_s(2.0, 16, 600)


def test_only_what_is_written_about_now_grows_an_index_at_its_end():
    """An entry that stays where it is adds nothing, and neither does a time of which nobody knows when it comes."""
    now = datetime.now(UTC)
    row = {"businessId": "b", "shard": 3, "state": "started", "dueAt": now, "tool": "t", "startedAt": now}
    grown = {str(stretch): stretch for stretch in index_growth.grown("calls", None, row)}
    assert set(grown) == {
        "calls (shard, state, dueAt): started",
        "calls (businessId, state, dueAt): started",
        "calls (businessId, tool, startedAt): t",
        "calls (shard, startedAt)",
    }
    assert grown["calls (shard, state, dueAt): started"].shards == 16
    assert list(index_growth.grown("calls", row, row | {"turn": 2})) == []
    assert list(index_growth.grown("calls", row, row | {"state": "finished", "dueAt": None})) == []
    assert list(index_growth.grown("bookings", None, {"leaseUntil": now + timedelta(days=9)})) == []
    assert [str(one) for one in index_growth.grown("calls", None, {"state": "started", "leaseUntil": now})] == [
        "calls (state, leaseUntil): started"
    ]


@pytest.mark.requirement("003-466")
def test_no_index_grows_faster_than_half_of_what_it_takes():
    """At 417 calls a second, all that a region may have; unsplit, what conversations write would be thrice as much."""
    kinds = recipes()
    per_call = index_growth.averaged([(kind.part, kind.grows) for kind in kinds])
    fastest = index_growth.rates(per_call, calls_s=417, busiest_part=0.003)
    assert max(rate for _, rate in fastest.values()) <= index_growth.TARGET_S
    heard, rate = fastest["interactions (shard, endedAt, heardAt)"]
    assert (heard.shards, rate * heard.shards > index_growth.ENTRIES_S) == (16, True)
    assert not {"calls (state, leaseUntil)", "interactions (endedAt, updatedAt)"} & fastest.keys()


def test_the_figure_names_documents_and_regions():
    """As `scripts/bench scale` prints it."""
    figure = scale.measure(Effort(1, quick=True))
    lines = {line.what: line for line in figure.lines}
    assert figure.is_met
    assert "10 regions: each" in lines
    assert "tickets" in figure.text()
    assert any(what.startswith("entries at the end of calls (shard, state, dueAt)") for what in lines)
