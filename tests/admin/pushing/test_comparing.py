"""What a template and a business say, held against each other: nothing is overlooked, and nothing else is touched."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.admin.documents.difference import ABSENT
from switchboard.admin.pushing.comparing import UNKNOWN, DeviationStanding, adopted, deviations, prints
from switchboard.admin.pushing.parts import DOCUMENT_PARTS, document_tree, with_part
from tests.admin.pushing.agency import TEMPLATES
from tests.each import each

pytestmark = pytest.mark.requirement("004-851")
_LEAVES = st.one_of(st.integers(0, 2), st.sampled_from(["", "a", "b"]), st.booleans(), st.lists(st.integers(0, 2)))
_TREES = st.recursive(_LEAVES, lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3), max_leaves=8)
_OBJECTS = st.dictionaries(st.sampled_from("abc"), _TREES, max_size=3)


@each(
    ("template", "current", "earlier", "standing"),
    [
        ({"a": 2}, {"a": 1}, {"a": 1}, DeviationStanding.OUTDATED),
        ({"a": 1}, {"a": 2}, {"a": 1}, DeviationStanding.OWN),
        ({"a": 3}, {"a": 2}, {"a": 1}, DeviationStanding.CONTESTED),
        ({"a": 1}, {"a": 2}, UNKNOWN, DeviationStanding.UNKNOWN),
        ({"a": 1}, {}, {}, DeviationStanding.OUTDATED),
        ({"a": 1}, {}, {"a": 1}, DeviationStanding.OWN),
        ({"a": 2}, {}, {"a": 1}, DeviationStanding.CONTESTED),
        ({}, {"a": 1}, {"a": 1}, DeviationStanding.OUTDATED),
        ({}, {"a": 2}, {"a": 1}, DeviationStanding.CONTESTED),
        ({}, {"a": 1}, {}, None),
        ({}, {"a": 1}, UNKNOWN, None),
        ({"a": 1}, {"a": 1}, {"a": 2}, None),
        ({"a": {"b": 1}}, {"a": 1}, {"a": 1}, DeviationStanding.OUTDATED),
        ({"a": 1}, {"a": True}, {"a": True}, DeviationStanding.OUTDATED),
    ],
)
def test_whose_a_value_is_is_told_by_what_the_template_said_last(
    template: Any, current: Any, earlier: Any, standing: DeviationStanding | None
):
    """A value that is as it was said is the template's, every other one the business's own."""
    noted = earlier if earlier is UNKNOWN else prints(earlier)
    assert [one.standing for one in deviations(template, current, noted)] == ([standing] if standing else [])


def test_what_another_template_said_is_no_owners():
    """Whichever said it last."""
    (one,) = deviations({"a": 3}, {"a": 2}, UNKNOWN, [prints({"a": 2})])
    assert one.standing is DeviationStanding.OUTDATED


@given(_OBJECTS, _OBJECTS, _OBJECTS)
def test_a_business_that_takes_everything_says_what_the_template_says(template: Any, current: Any, earlier: Any):
    """And keeps what the template never said; pushed once more, nothing is left to change."""
    result = adopted(current, deviations(template, current, prints(earlier)))
    assert list(deviations(template, result, prints(template))) == []
    assert all(result.get(name, ABSENT) is not ABSENT for name in template)
    assert all(name in result for name in current if name not in template and name not in earlier)


@given(_OBJECTS, _OBJECTS)
def test_nothing_is_pushed_of_a_template_that_says_what_it_said(template: Any, current: Any):
    """Whatever the business has made of it."""
    standings = {one.standing for one in deviations(template, current, prints(template))}
    assert standings <= {DeviationStanding.OWN}


@pytest.mark.parametrize("template", sorted(TEMPLATES))
def test_a_document_is_the_same_after_its_parts_were_taken_apart_and_joined(template: str):
    """Row by row, in its order; a number that a rule reaches stays."""
    document: dict[str, Any] = dict(TEMPLATES[template].document)
    document["enabledTools"] = ["get_faqs", "book_appointment"]
    joined = document
    for part in DOCUMENT_PARTS:
        joined = with_part(part, joined, document_tree(part, document))
    assert joined == document
