"""Strangers' documents as text: JSON and YAML mean one thing, and none of them takes the machine down."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from switchboard.admin.importers.document_text import LIMITS, read_document
from switchboard.contract.python.strict_json import MalformedJson
from tests.cpu_time import taking_less_than
from tests.each import each

# Where YAML 1.1, which the writer speaks, and 1.2 differ: line breaks inside of words, and what is a number.
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z", "N"]), max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=20,
)
BOMB = "a0: &a0 [l, l]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_json_text_is_read_as_json(value: Any):
    """As it is, and pretty-printed."""
    assert read_document(json.dumps(value)) == value
    assert read_document(json.dumps(value, indent=2)) == value


@given(st.dictionaries(WORDS, JSON))
def test_what_a_yaml_writer_writes_is_read_back(value: dict[str, Any]):
    """Whatever has to be quoted, another program has quoted; a merge key is none of a document's own words."""
    if "<<" not in str(value):
        assert read_document(yaml.safe_dump(value, allow_unicode=True)) == value


@each(
    ("text", "value"),
    [
        ("a: no", {"a": "no"}),
        ("a: 2020-01-01", {"a": "2020-01-01"}),
        ("a: 012", {"a": 12}),
        ("a: 1_000", {"a": "1_000"}),
        ("a: 12:30", {"a": "12:30"}),
        ("a: 0x1F", {"a": 31}),
        ("a: 1.5e3", {"a": 1500.0}),
        ("a:", {"a": None}),
        ("a: ~", {"a": None}),
        ('a: "1"', {"a": "1"}),
        ("a: !!str 1", {"a": "1"}),
        ("200: {x: y}", {"200": {"x": "y"}}),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
        ("a: &x {q: 1}\nb: {<<: *x, q: 2}", {"a": {"q": 1}, "b": {"q": 2}}),
        ("b: {<<: [{q: 1}, {q: 3, z: 4}]}", {"b": {"q": 1, "z": 4}}),
        ("{a: b}", {"a": "b"}),
        ("\ufeffa: b", {"a": "b"}),
        ("- 1\n- 2", [1, 2]),
    ],
)
def test_yaml_means_what_json_would(text: str, value: Any):
    """No word becomes a truth value, no date an object, and keys are texts."""
    assert read_document(text) == value


@each(
    ("text", "why"),
    [
        (BOMB, "more than"),
        ("a: &a [*a]", "not complete"),
        ("a: &a {<<: *a}", "not complete"),
        ("a: *b", "undefined|not complete"),
        ("[" * 50_000, "nested too deeply"),
        ("{a: " * 50_000, "nested too deeply"),
        ("- " * 50_000 + "x", "nested too deeply"),
        ('{"a":' * 50_000, "nested too deeply"),
        ("!!python/object/apply:os.system ['true']", "tag"),
        ("a: !!binary aGk=", "tag"),
        ("!!set {a, b}", "tag"),
        ("a: 1\na: 2", "twice"),
        ('{"a": 1, "a": 2}', "twice"),
        ("? [a]\n: b", "key that is not text"),
        ("&a a: 1\n*a : 2", "key that is not text"),
        ("--- 1\n--- 2", "more than one document"),
        ("", "empty"),
        ("# nothing", "empty"),
        ("a: 1e999", "number"),
        ("a: " + "9" * 5_000, "number"),
        ("a: .inf\nb: [", "neither JSON nor YAML"),
        ("{<<: 1}", "merges"),
        ("\x00", "neither JSON nor YAML"),
        ('{"a": "\\ud800"}', "half of a character"),
        ("a: " + "x" * LIMITS.bytes, "larger than"),
        ("a: &a " + "x" * 100_000 + "\nb: [" + ", ".join(["*a"] * 50) + "]", "larger than"),
        ("\n".join(f"k{n}: [" + "1, " * 20 + "]" for n in range(12_000)), "more than"),
    ],
)
def test_what_would_take_the_machine_down_is_refused_at_once(text: str, why: str):
    """With the reason, and long before it is unfolded."""
    with taking_less_than(10), pytest.raises(MalformedJson, match=why):
        read_document(text)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str):
    """Nothing else happens."""
    try:
        found = read_document(text)
    except MalformedJson:
        return
    assert json.loads(json.dumps(found)) == found
