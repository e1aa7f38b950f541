"""The two sides of a trial, beside each other."""

from streamlit.testing.v1 import AppTest

ROWS = [
    "|  | New words | Old words |",
    "| --- | --- | --- |",
    "| Conversations | 8 | 0 |",
    "| Calls of it | 12 | 0 |",
    "| Refused | 3 (25 of 100) | 0 |",
    "| Failed | 0 (0 of 100) | 0 |",
    "| Unknown outcome | 0 (0 of 100) | 0 |",
]


def page() -> None:
    """Draw a trial of which the old words had no call."""
    from admin_ui.widgets import trial_sides

    counts = {"refusals": 3, "failures": 0, "unknown": 0}
    shares = {"refusals": 25.0, "failures": 0.0, "unknown": 0.0}
    new = {"conversations": 8, "calls": 12, **counts, "perHundred": shares, "remark": "Few calls say little."}
    none = dict.fromkeys(counts, 0)
    old = {"conversations": 0, "calls": 0, **none, "perHundred": dict.fromkeys(counts), "remark": None}
    trial = {"new": new, "old": old, "isWhole": False}
    trial_sides.show(trial, "New words", "Old words", {"conversations": "Conversations", "calls": "Calls of it"})


def test_both_sides_stand_in_one_table_with_what_has_to_be_said_about_them():
    """A share of nothing is none."""
    app = AppTest.from_function(page).run(timeout=60)
    assert not app.exception
    assert app.markdown[0].value.splitlines() == ROWS
    assert [caption.value.replace("\\", "") for caption in app.caption] == [
        "New words: Few calls say little.",
        "Some of it was not counted within a week, and cannot be counted any more.",
    ]
