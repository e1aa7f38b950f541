"""What is kept of what was used last."""

from switchboard.contract.python.recent import Recent


def test_there_are_never_more_values_than_there_is_room_for():
    recent: Recent[int, int] = Recent(3)
    for number in range(10):
        recent[number] = number
    assert len(recent) == 3
    assert [recent.get(number) for number in (6, 7, 8, 9)] == [None, 7, 8, 9]


def test_whatever_was_used_longest_ago_leaves_first_whether_it_was_asked_for_or_set():
    recent: Recent[str, int] = Recent(3)
    recent["a"], recent["b"], recent["c"] = 1, 2, 3
    assert recent.get("a") == 1
    recent["b"] = 4
    recent["d"] = 5
    assert recent.get("c") is None
    assert (recent.get("a"), recent.get("b"), recent.get("d")) == (1, 4, 5)


def test_what_is_dropped_is_gone_and_what_was_never_there_can_be_dropped():
    recent: Recent[str, int] = Recent(2)
    recent["a"] = 1
    recent.drop("a")
    recent.drop("b")
    assert recent.get("a") is None and len(recent) == 0
