"""What has to be written so that stored documents agree with given ones."""

from switchboard.admin.documents.difference import ABSENT, Difference
from switchboard.admin.maintenance.diff import Comparison, compare, compare_entered, compare_whole
from switchboard.contract.store import SERVER_TIME, Create, Delete, Set, Update

STAMPS = {"createdAt": SERVER_TIME, "updatedAt": SERVER_TIME}


def test_a_missing_document_is_new():
    """It is written whole, with the time."""
    (change,) = compare("faqs", {}, {"faqs/a": {"answer": "yes"}}).changes
    assert (change.sign, change.name, change.write) == ("+", "a", Set("faqs/a", {"answer": "yes", **STAMPS}))


def test_a_document_with_more_fields_than_given_is_as_it_should_be():
    """What the running system keeps in a document, such as times and vectors, is no difference."""
    found = {"faqs/a": {"answer": "yes", "updatedAt": "then", "vector": [0.1]}}
    assert compare("faqs", found, {"faqs/a": {"answer": "yes"}}) == Comparison("faqs", (), 1)


def test_only_differing_fields_are_written():
    """A field is replaced as a whole, and the listing says where inside it the two part."""
    found = {"b/a": {"ai": {"tone": "warm", "old": 1}, "name": "A"}}
    (change,) = compare("b", found, {"b/a": {"ai": {"tone": "calm"}, "name": "A"}}).changes
    assert change.write == Update("b/a", {"ai": {"tone": "calm"}, "updatedAt": SERVER_TIME})
    assert change.differences == (Difference("ai.tone", "warm", "calm"), Difference("ai.old", 1, ABSENT))


def test_an_integration_that_only_the_store_has_is_left_alone():
    """An owner's connected calendar survives a push of the business's document."""
    found = {
        "b/a": {"integrations": {"googleCalendar": {"isConnected": True}, "builtinCalendar": {"isConnected": False}}}
    }
    given = {"b/a": {"integrations": {"builtinCalendar": {"isConnected": True}}}}
    (change,) = compare("b", found, given).changes
    assert change.write == Update(
        "b/a", {"integrations.builtinCalendar": {"isConnected": True}, "updatedAt": SERVER_TIME}
    )


def test_a_document_that_nobody_gave_is_deleted_only_when_pruning():
    """Without pruning it is only named."""
    found = {"faqs/a": {}, "faqs/b": {}}
    kept, gone = (compare("faqs", found, {"faqs/a": {}}, prune=prune) for prune in (False, True))
    assert [(c.sign, c.name, c.write) for c in kept.changes] == [("-", "b", None)]
    assert [(c.sign, c.name, c.write) for c in gone.changes] == [("-", "b", Delete("faqs/b"))]
    assert kept.unchanged == gone.unchanged == 1


def test_documents_of_daily_work_are_only_entered():
    """A caller that is there stays as it is, whatever the file says; one that is missing is created, never replaced."""
    found = {"callers/a": {"name": "Anna", "flagged": True}}
    given = {"callers/a": {"name": "Ann", "flagged": False}, "callers/b": {"name": "Ben"}}
    comparison = compare_entered("callers", found, given)
    assert [c.write for c in comparison.changes] == [Create("callers/b", {"name": "Ben", **STAMPS})]
    assert comparison.unchanged == 1


def test_documents_that_are_replaced_whole_differ_in_any_field():
    """A field that only the store has counts here, and nothing is written by the comparison itself."""
    found = {"same": {"a": 1}, "more": {"a": 1, "b": 2}, "extra": {}}
    comparison = compare_whole("tools", found, {"same": {"a": 1}, "more": {"a": 1}, "new": {}}, dict)
    assert [(c.sign, c.name, c.write) for c in comparison.changes] == [
        ("+", "new", None),
        ("~", "more", None),
        ("-", "extra", None),
    ]
    assert comparison.unchanged == 1


def test_a_comparison_is_told_document_by_document():
    """A few new documents have a line each, many share lines; every changed field has its own."""
    few = compare("faqs", {"faqs/a": {"x": 1}, "faqs/z": {}}, {"faqs/a": {"x": 2}, "faqs/b": {}})
    assert list(few.lines("stays")) == ["faqs", "  + b", "  ~ a", "      x: 1 → 2", "  - z  stays"]
    many = compare("faqs", {}, {f"faqs/entry-{number}": {} for number in range(20)})
    first, *lines = many.lines("stays")
    assert first == "faqs"
    assert lines[0].startswith("  + 20 new: entry-0, entry-1, ")
    assert all(len(line) <= 110 for line in lines)
    assert "entry-19" in lines[-1]
    assert list(Comparison("faqs", (), 3).lines("stays")) == []


def test_a_document_with_many_differences_is_cut_short():
    """The rest is counted."""
    found, given = {"b/a": {f"f{n}": 1 for n in range(20)}}, {"b/a": {f"f{n}": 2 for n in range(20)}}
    assert list(compare("b", found, given).lines(""))[-1] == "      and 12 more fields"
