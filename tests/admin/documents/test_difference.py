"""How owners are shown what differs between two documents."""

from switchboard.admin.documents.difference import ABSENT, Difference, canonical, differences


def test_equal_documents_differ_nowhere():
    """The order of fields is no difference."""
    assert differences({"a": 1, "b": {"c": [1]}}, {"b": {"c": [1]}, "a": 1}) == ()


def test_fields_are_named_by_their_path():
    """Objects and lists of equal length are looked into; what is only on one side is told as absent."""
    before = {"ai": {"tone": "warm", "old": 1}, "services": [{"price": "$48"}, {"price": "$9"}], "tags": ["a"]}
    after = {"ai": {"tone": "calm", "new": None}, "services": [{"price": "$52"}, {"price": "$9"}], "tags": ["a", "b"]}
    assert differences(before, after) == (
        Difference("ai.tone", "warm", "calm"),
        Difference("ai.new", ABSENT, None),
        Difference("ai.old", 1, ABSENT),
        Difference("services[0].price", "$48", "$52"),
        Difference("tags", ["a"], ["a", "b"]),
    )


def test_values_of_different_types_differ():
    """To Firestore 1, 1.0 and true are three values, although Python calls them equal."""
    assert len({canonical(value) for value in (1, 1.0, True, "1", None)}) == 5
    assert [d.field for d in differences({"a": 1, "b": 1}, {"a": True, "b": 1.0})] == ["a", "b"]


def test_a_short_difference_is_shown_whole():
    """Both values stand in one line, as JSON."""
    assert str(Difference("ai.tone", "warm", "calm")) == 'ai.tone: "warm" → "calm"'
    assert str(Difference("ai.tone", ABSENT, "")) == 'ai.tone: (none) → ""'


def test_a_long_difference_is_cut_around_the_place_where_it_begins():
    """Whoever reads it sees what changed and not only that something did."""
    words = " ".join(str(number) for number in range(100))
    line = str(Difference("content", words, words.replace("50", "fifty")))
    assert "49 50 51" in line
    assert "49 fifty 51" in line
    assert len(line) < 120
    assert line.count("…") == 4
