"""Histories: one for each seed, in which what was promised holds, and a short one where it does not."""

import re
import subprocess

import pytest

import setting_up
from simulator.history import happen
from simulator.many import happen_many, shortest_of
from simulator.plan import FAULTS, WISHES, Chances, planned

DRILL = setting_up.ROOT / "scripts" / "drill"
SHORT = 60
"""So many lines somebody reads; the whole history has some thousand."""


@pytest.mark.process
@pytest.mark.requirement("004-720", "004-790")
def test_nothing_that_was_promised_is_broken_and_a_seed_has_one_history_byte_for_byte():
    """Whichever processes it happens in."""
    first, again, other = happen_many(7, 3), happen_many(7, 3, processes=1), happen_many(8, 1)
    assert (first.broken, first.count) == ({}, 3)
    assert first.calls > 300
    assert first.deaths > 0
    assert (first.digest, first.calls, first.deaths) == (again.digest, again.calls, again.deaths)
    assert other.digest != first.digest


@pytest.mark.requirement("004-745", "004-746")
@pytest.mark.parametrize("seed", ["1/19", "1/39"])
def test_histories_that_once_broke_a_promise_keep_it(seed):
    """A cancelled appointment was booked again; and what could not be asked for a moment was never found out."""
    assert happen(planned(seed, 160)).broken == ""


@pytest.mark.process
@pytest.mark.requirement("004-721")
def test_a_fault_in_the_product_is_found_and_told_by_a_history_that_can_be_read():
    """An appointment that holds no time: of many callers one is left, and what was done for them."""
    broken = happen_many(1, 6, fault="time-not-claimed").broken
    assert all("times are held for appointments alone" in promise for promise in broken.values())
    lines = shortest_of(1, next(iter(broken)), fault="time-not-claimed")
    assert "BROKEN times are held for appointments alone" in lines[-1]
    assert len(lines) < SHORT
    assert len({line.split()[2] for line in lines if "is asked for" in line}) == 1


def test_a_plan_is_a_function_of_its_seed_and_a_step_of_its_own():
    """So that a step does the same when its neighbours are left out."""
    plan = planned("1/1", 200)
    assert plan == planned("1/1", 200) != planned("1/2", 200)
    assert {step.kind for step in plan.steps} >= set(WISHES)
    step = plan.steps[7]
    drawn = [[Chances(step).request(frozenset(FAULTS)) for _ in range(1)] for _ in range(2)]
    assert drawn[0] == drawn[1]


@pytest.mark.process
@pytest.mark.requirement("004-793")
def test_what_needs_a_yes_and_asks_nobody_is_seen():
    broken = happen_many(1, 1, fault="consent-not-asked").broken
    assert broken[0].startswith("nothing is done without the caller's yes")


@pytest.mark.process
@pytest.mark.requirement("004-721", "004-791")
def test_the_command_prints_a_digest_and_ends_with_0_where_no_promise_is_broken(tmp_path):
    command = [DRILL, "simulate", "--calls", "150", "--seed", "7", "--json", tmp_path / "rows.json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "digest of all histories" in done.stdout
    assert re.search(r"calls a second of one processor\s+[1-9]", done.stdout)
    assert '"histories that break a promise"' in (tmp_path / "rows.json").read_text()
