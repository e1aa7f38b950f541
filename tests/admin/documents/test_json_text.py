"""Strict reading of JSON that people write."""

import pytest

from switchboard.admin.documents.json_text import BadJson, decode, parse_object


def test_an_object_is_read():
    """Ordinary JSON comes through as it is."""
    assert parse_object('{"a": [1, 2.5, null, "ß"]}') == {"a": [1, 2.5, None, "ß"]}


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{\n "a": 1,\n "b" 2\n}', 3, 6),
        ('{"a": 1', 1, 8),
        ("[]", 1, 1),
        ("", 1, 1),
        ('{"a": {"b": 1, "b": 2}}', 0, 0),
        ('{"a": NaN}', 0, 0),
        ('{"a": "\\ud800"}', 0, 0),
    ],
)
def test_what_is_not_one_json_object_is_refused_with_its_place(text, line, column):
    """Syntax errors have a line and a column; repeated keys, NaN and half characters have none but are refused."""
    with pytest.raises(BadJson) as caught:
        parse_object(text)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_a_file_that_is_not_utf8_is_refused_with_its_place():
    """The place is that of the first byte that does not fit."""
    with pytest.raises(BadJson) as caught:
        decode(b'{\n "a": "\xff"}')
    assert (caught.value.line, caught.value.column) == (2, 8)
