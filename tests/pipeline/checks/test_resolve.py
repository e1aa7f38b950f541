"""A name that nobody has: the answer tells which tools there are, the nearest first where they are many."""

from types import SimpleNamespace
from typing import Any

import pytest

from switchboard.contract.error import ErrorType, Refused
from switchboard.pipeline.checks.resolve import NAMES_LISTED, resolve


def refused(name: str, names: list[str]) -> Refused:
    tools = [SimpleNamespace(name=each) for each in names]
    offer = SimpleNamespace(tools=tools, why_not=lambda _: None)
    invocation: Any = SimpleNamespace(call=SimpleNamespace(name=name), tool=None, offer=offer)
    with pytest.raises(Refused) as caught:
        resolve(invocation)
    assert caught.value.type is ErrorType.NOT_FOUND
    return caught.value


@pytest.mark.requirement("004-2476")
def test_of_many_tools_the_nearest_are_named_first_and_how_many_are_left_out_is_said():
    """So that nobody takes the list for all there are."""
    names = [f"a_{n}" for n in range(60)] + ["order_flowers", "order_status"]
    error = refused("order_flower", names)
    listed = error.meta["callable"]
    assert len(listed) == NAMES_LISTED and listed[:2] == ["order_flowers", "order_status"]
    assert f"and {len(names) - NAMES_LISTED} more." in error.message


@pytest.mark.requirement("004-2476")
def test_of_few_all_are_named_in_their_order():
    assert refused("look", ["act", "looks"]).meta["callable"] == ["act", "looks"]
    assert "more" not in refused("x", ["act"]).message
    assert "none at the moment" in refused("x", []).message
