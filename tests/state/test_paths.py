"""Document paths: any text is an id, and no text leaves its place."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from switchboard.contract.ports import BusinessPaths, Paths
from switchboard.state.paths import FirestorePaths
from switchboard.state.value import check_document_path
from tests.each import each

PATHS: Paths = FirestorePaths()
AWKWARD = (
    "",
    ".",
    "..",
    "a/b",
    "__x__",
    "h~",
    "h~" + "0" * 40,
    "a\nb",
    "a\n",
    "/",
    " ",
    "%2F",
    "x" * 201,
    "\ud800",
    "é",
)
any_text = st.text(st.characters(), max_size=30) | st.sampled_from(AWKWARD)
business_ids = any_text.filter(bool)


def test_paths_spell_what_the_design_says() -> None:
    """Every path stands where the table puts it, and plain ids stand in it as they are."""
    within: BusinessPaths = PATHS.within("demo-salon")
    assert [
        PATHS.tool_pointer,
        PATHS.definitions,
        PATHS.definition("end_call"),
        PATHS.definition_version("end_call", "3"),
        PATHS.compiled_definitions,
        PATHS.prompt_templates,
        PATHS.prompt_template("system"),
        PATHS.catalog("ab12"),
        PATHS.businesses,
        within.business,
        within.collection("bookings"),
        within.document("callers", "+4930123456"),
        within.calls("CA1:2"),
        within.call("CA1:2", "call_7@x"),
        within.compiled,
    ] == [
        "config/tools",
        "config/tools/definitions",
        "config/tools/definitions/end_call",
        "config/tools/definitions/end_call/versions/3",
        "config/tools/compiled/definitions",
        "config/prompts/templates",
        "config/prompts/templates/system",
        "catalogs/ab12",
        "businesses",
        "businesses/demo-salon",
        "businesses/demo-salon/bookings",
        "businesses/demo-salon/callers/+4930123456",
        "businesses/demo-salon/sessions/CA1:2/calls",
        "businesses/demo-salon/sessions/CA1:2/calls/call_7@x",
        "businesses/demo-salon/compiled/parts",
    ]


@each("id", AWKWARD)
def test_an_id_that_a_path_cannot_carry_is_replaced_by_its_hash(id: str) -> None:
    """What Firestore refuses, what would leave its place and what looks like a hash becomes h~ and 40 hex digits."""
    last = PATHS.within("b").document("sessions", id).rpartition("/")[2]
    assert re.fullmatch(r"h~[0-9a-f]{40}", last)
    assert last != id


@given(st.tuples(business_ids, any_text), st.tuples(business_ids, any_text))
@example(("a", "b/c"), ("a/b", "c"))
@example(("b", ".."), ("b", ""))
def test_different_ids_never_share_a_path(one: tuple[str, str], other: tuple[str, str]) -> None:
    """Two different pairs of business and id never lead to the same document."""
    first, second = (PATHS.within(business).document("sessions", id) for business, id in (one, other))
    assert (first == second) == (one == other)


@given(st.lists(any_text, min_size=3, max_size=3, unique=True))
def test_different_calls_never_share_a_ledger_document(ids: list[str]) -> None:
    """A session and a call id are never taken for another session and call."""
    within = PATHS.within("b")
    calls = [within.call(session, call) for session in ids for call in ids]
    assert len(set(calls)) == len(calls)


@given(business_ids, any_text, any_text)
@example("../other", "../../other", "/../x")
def test_no_path_leaves_its_business(business: str, session: str, call: str) -> None:
    """Whatever the ids say, every path stays below its business and is one that Firestore takes."""
    within = PATHS.within(business)
    assert within.business.count("/") == 1
    for path, depth in (
        (within.business, 1),
        (within.document("bookings", call), 3),
        (within.call(session, call), 5),
    ):
        assert path.startswith(within.business)
        assert path.count("/") == depth
        check_document_path(path)


@given(any_text, any_text)
def test_no_definition_leaves_its_collection(tool: str, version: str) -> None:
    """Tool names and versions that come from outside stay where definitions are kept."""
    path = PATHS.definition_version(tool, version)
    assert path.startswith("config/tools/definitions/")
    assert path.count("/") == 5
    check_document_path(path)


def test_an_empty_business_id_is_refused() -> None:
    """An empty business id is a mistake in the program, never some business."""
    with pytest.raises(ValueError, match="business id"):
        PATHS.within("")


@pytest.mark.parametrize("id", ["demo-salon", "b_1", "+49:30@x"])
def test_a_path_tells_its_business(id: str) -> None:
    """From any path below a business with a plain id, the id can be read again."""
    within = PATHS.within(id)
    for path in (within.business, within.document("apiKeys", "k/1"), within.call("s", "c")):
        assert PATHS.business_of(path) == id


@pytest.mark.parametrize("path", ["config/tools", "catalogs/x", "businesses", "businesses/", "", "other/businesses/x"])
def test_a_path_outside_has_no_business(path: str) -> None:
    """What lies in no business is told as such, never as some business."""
    with pytest.raises(ValueError, match="no business"):
        PATHS.business_of(path)
