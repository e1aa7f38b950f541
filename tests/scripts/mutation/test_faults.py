"""Faults that are planted: each can be, each changes the product, and whatever has become of its place is told."""

import ast
import sys
from dataclasses import replace

import pytest

from mutation import evaluating
from mutation.faults import FAULTS
from mutation.planting import FaultGone, plant

ONE = FAULTS["moved-nowhere"]


@pytest.mark.requirement("004-724")
def test_forty_faults_can_be_planted_each_in_one_place_of_the_source():
    assert evaluating.missing() == []
    assert len(FAULTS) == len({(fault.file, fault.before, fault.after) for fault in FAULTS.values()}) == 40
    for fault in FAULTS.values():
        assert ast.dump(ast.parse(fault.planted())) != ast.dump(ast.parse(fault._source()))


@pytest.mark.requirement("004-724")
def test_a_fault_whose_place_is_gone_is_no_fault_any_more_and_says_so():
    for before in ("nothing of the kind stands there", "return "):
        with pytest.raises(FaultGone, match=r"appointments\.py: .* and not once: the fault .* has to be made anew"):
            replace(ONE, before=before).planted()
    with pytest.raises(FaultGone, match="0 times"):
        replace(ONE, file="desk/no_such_file").planted()


def test_a_fault_that_comes_too_late_is_refused():
    """What is loaded already would go on without it, and be taken for what nobody finds."""
    import switchboard.contract.policy

    assert switchboard.contract.policy.__name__ in sys.modules
    with pytest.raises(FaultGone, match="before its fault could be planted"):
        plant(replace(ONE, file="contract/policy"))


@pytest.mark.process
@pytest.mark.requirement("004-724")
def test_what_finds_a_fault_is_named_and_what_stands_in_the_file_is_left_alone():
    source = ONE._source()
    found = evaluating.look_for("moved-nowhere")
    assert found.by == "salon/en-move, plain"
    assert found.how
    assert ONE._source() == source


@pytest.mark.process
@pytest.mark.requirement("004-792")
def test_what_does_not_end_has_found_nothing_and_is_ended():
    """By what it works and not by what a clock at the wall shows: a busy machine changes no verdict."""
    assert evaluating._ran([sys.executable, "-c", "while True: pass"], work_s=1) is False
    assert evaluating._ran([sys.executable, "-c", "import time; time.sleep(2)"], work_s=1) is True
