"""Whole numbers as people of any country type them, and what is said of what is none."""

import pytest

from admin_ui.widgets.whole_number import read

BOUNDS = (1, 1440)


@pytest.mark.requirement("004-653")
@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("30", 30),
        (" 30 min", 30),
        ("30 Minuten", 30),
        ("1.440", 1440),
        ("1,440", 1440),
        ("1 440", 1440),
        ("1\u202f440", 1440),
        ("1'440", 1440),
        ("30,0", 30),
        ("30.00", 30),
        ("\u0663\u0660", 30),
        ("\u0967\u0968", 12),
        ("+15", 15),
    ],
)
def test_a_number_is_read_as_people_of_that_country_type_it(typed, number):
    """With their marks between thousands, their digits, and the unit behind it."""
    assert read(typed, BOUNDS, 0, "min") == read(str(number), BOUNDS, 0)
    assert (read(typed, BOUNDS, 0, "min").value, read(typed, BOUNDS, 0, "min").problem) == (number, "")


@pytest.mark.requirement("004-653")
@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("-5", "This must be a whole number from 1 to 1440; -5 is too little."),
        ("\u22125", "This must be a whole number from 1 to 1440; -5 is too little."),
        ("1441", "This must be a whole number from 1 to 1440; 1441 is too much."),
        ("", "This must be a whole number from 1 to 1440; nothing stands here."),
        ("half an hour", "This must be a whole number from 1 to 1440; “half an hour” is none."),
        ("1.5", "This must be a whole number from 1 to 1440; “1.5” is none."),
        ("9" * 30, "This must be a whole number from 1 to 1440; “99999999999999999999” is none."),
    ],
)
def test_what_is_no_number_is_told_with_what_would_be(typed, told):
    """And what stood there before stays."""
    assert (read(typed, BOUNDS, 30, "min").value, read(typed, BOUNDS, 30, "min").problem) == (30, told)
